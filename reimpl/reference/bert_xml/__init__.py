"""Fidelity checks of BertXML, for `reimpl.fidelity`.

The .npz file holds outputs, losses, gradients and one optimiser step of XunGuangxu/CorNet ecc0996 for given
weights; `manifest.json` names its source files. The same network under CorNet blocks, without and with a
bottleneck, is among the cases of `reimpl.reference.cornet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.fidelity import Test, manifest
from reimpl.reference.bert_xml import in_numpy, public_code, sizes


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check."""
    stored = manifest(__name__)
    for case in stored["cases"]:
        yield case["case"], partial(public_code.case, __name__, case, stored["tolerance"])
    for variant in ("code", "paper"):
        yield f"numpy forward, {variant}", partial(in_numpy.forward, variant)
    yield "padding", in_numpy.padding
    yield "parameter counts", sizes.parameter_counts
    yield "shapes", sizes.shapes
    yield "initial weights", sizes.initial_weights
