"""Fidelity checks of AttentionXML, for `reimpl.fidelity`.

The .npz files hold outputs, losses, gradients and one optimiser step of yourh/AttentionXML e2bbbec and of
ntumlgroup/LibMultiLabel 5cd775a for given weights; `manifest.json` names the source files of each case and
the named variant that has to compute the same. The maximum in place of the attention, which no public code
has, is held against numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.attention_xml import by_hand, in_numpy, public_code


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    stored = manifest(__name__)
    for case in stored["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, stored["tolerance"])
    for variant in ("code", "paper", "bilstm", "unmasked"):
        yield f"numpy forward, {variant}", partial(in_numpy.forward, variant)
    yield "numpy forward, candidates", in_numpy.candidates
    yield "padding", by_hand.padding
    yield "neighbours", by_hand.neighbours
    yield "attention weights", by_hand.attention_weights
    yield "chunks", by_hand.chunks
    yield "parameter counts", by_hand.parameter_counts
    yield "initial weights", by_hand.initial_weights
