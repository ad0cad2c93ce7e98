"""Printed sizes and numbers of weights, against the formulas, layers counted one by one, and each other."""

from __future__ import annotations

from audit.checks.sizes import (
    implied_parameters,
)
from audit.stats.printed import printed


def test_a_size_leaves_an_interval_of_weights() -> None:
    span = implied_parameters(printed("0.22"), unit="GB")
    assert (span.low, span.high) == (53_750_000, 56_250_000)
