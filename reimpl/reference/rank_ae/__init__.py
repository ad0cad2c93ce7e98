"""Fidelity checks of Rank-AE, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients, running values and one optimiser step of the only public code,
a third party's (starry91/Extreme-Classification 7e54d2f), for given weights; `manifest.json` names the source
files of each case and the named variant that has to compute the same. What the paper says where that code
departs from it is checked against a loop in numpy and by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.rank_ae import by_hand, in_numpy, public_code


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    for case in manifest(__name__)["cases"]:
        test = public_code.losses_alone if case["mode"] == "loss only" else public_code.network
        yield case["case"], partial(test, __name__, case)
    for variant in in_numpy.VARIANTS_IN_NUMPY:
        yield f"numpy forward, {variant}", partial(in_numpy.forward, variant)
    yield "losses by hand", by_hand.toy_losses
    yield "training sees labels, prediction does not", by_hand.labels_and_predictions
    yield "no labels and all labels", by_hand.one_sided_documents
    yield "frozen batch normalisation", by_hand.frozen_norms
    yield "parameter counts", by_hand.parameter_counts
    yield "initial weights", by_hand.initial_weights
