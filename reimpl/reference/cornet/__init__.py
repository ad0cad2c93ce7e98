"""Fidelity checks of CorNet, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients and one optimiser step of XunGuangxu/CorNet ecc0996 for given
weights: of blocks alone, and of whole networks; `manifest.json` names the source files of each case and the
configuration that has to compute the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.cornet import by_hand, public_code


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    stored = manifest(__name__)
    for case in stored["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, stored["tolerance"])
    yield "three labels", by_hand.three_labels
    yield "numpy forward", by_hand.in_numpy
    yield "identity", by_hand.identity
    yield "parameter counts", by_hand.parameter_counts
    yield "initial weights", by_hand.initial_weights
