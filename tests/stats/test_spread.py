"""Tests of audit.stats.spread."""

from __future__ import annotations

import math

import pytest

from audit.stats.printed import printed
from audit.stats.spread import READINGS, Spread


def test_the_three_readings_of_a_printed_spread() -> None:
    """0.20 may be 0.205; over 5 runs a standard error is sqrt(5) smaller than the SD, t_.975,4 = 2.776445."""
    sds = Spread(printed("0.20")).sds(5)
    assert tuple(sds) == READINGS
    assert sds["sd"] == pytest.approx(0.205)
    assert sds["se"] == pytest.approx(0.205 * math.sqrt(5))
    assert sds["ci95"] == pytest.approx(0.205 * math.sqrt(5) / 2.776445)


@pytest.mark.parametrize("reading", READINGS)
def test_a_paper_that_says_what_it_prints_leaves_one_reading(reading: str) -> None:
    sds = Spread(printed("0.2"), reading).sds(4)  # type: ignore[arg-type]
    assert list(sds) == [reading]


def test_a_spread_of_one_run_or_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two runs behind it, got 1"):
        Spread(printed("0.2")).sds(1)
    with pytest.raises(ValueError, match=r"got '-0\.2'"):
        Spread(printed("-0.2")).sds(3)
