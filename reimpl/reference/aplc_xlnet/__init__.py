"""APLC-XLNet against the public code, huiyegit/APLC_XLNet bf6f91d, for `reimpl.fidelity`.

The hidden layer and the clusters; the encoder itself is that of `transformers`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from reimpl.aplc_xlnet import Summary
from reimpl.reference import aplc, comparer
from reimpl.reference.numbers import Test


def build(case: Any, weights: Any, inputs: Any) -> aplc.Layer:
    """The hidden layer and the clusters at the case's sizes."""
    hidden, states = weights["hidden_weight"].shape
    return aplc.Layer(case, Summary(states, hidden))


rename, outputs, losses = aplc.rename, aplc.outputs, aplc.losses


def checks() -> Iterator[tuple[str, Test]]:
    """Name and test of every check, those of the clusters included."""
    for package in (sys.modules[__name__], aplc):
        yield from comparer.checks(package)
