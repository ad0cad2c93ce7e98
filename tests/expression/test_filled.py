"""Tests of audit.expression.filled."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.stats.printed import printed
from tests.expression.tables import outcome

CELLS = {
    "a": "44.41",
    "b": "39.68",
    "zero": "0.0",
    "n.train.size": "15,449",
    "with.a.GB": "0.28",
    "without.a.GB": "0.22",
}


@pytest.mark.parametrize(
    ("sentence", "filled"),
    [
        (
            "relative_gain(t.a.P@1, t.b.P@1) about 12",
            "relative_gain(44.41, 39.68) = 11.894..11.947, and 'about 12' means 10.8..13.2, "
            "10 % away at most",
        ),
        (
            "gain(t.a.P@1, t.b.P@1) about 5",
            "gain(44.41, 39.68) = 4.72..4.74, and 'about 5' means 4..6, "
            "one unit of the last digit away at most",
        ),
        (
            "improvement(t.a.P@1, t.b.P@1) more than 17%",
            "improvement(44.41, 39.68) = 4.72..4.74 (points) or 11.894..11.947 (percent), "
            "to be more than 17%",
        ),
        ("t.b.P@1 > t.a.P@1", "39.68 > 44.41"),
        ("t.a.P@1 = 44.4", "44.41, and '= 44.4' means 44.35..44.45"),
        ("t.a.P@1 more than t.b.P@1 + 1", "44.41 more than 39.68 + 1 = 40.675..40.685"),
        ("n.train.size at least 15449", "15449 at least 15449"),
        ("min(n.train.size, 3) = N", "min(15449, 3) = 3, and '= 3865' means 3864.5..3865.5"),
        ("N * 2 = M", "3865 * 2 = 7729..7731, to be = 7730"),
        (
            "best(others(t.b.P@1)) > t.b.P@1",
            "best(44.41, 0.0) = 44.405..44.415, to be > 39.68",
        ),
        ("second_best(group(t.b.P@1)) > 3", "second_best(39.68, 44.41, 0.0) = 39.675..39.685, to be > 3"),
        ("rank(t.b.P@1) = 2", "rank(39.68 among 44.41, 0.0) = 2, and '= 2' means 1.5..2.5"),
        ("mean(t.*.P@1) > 3", "mean(44.41, 39.68, 0.0) = 28.01..28.05, to be > 3"),
        (
            "count(t.a.P@1 > t.b.P@1, t.b.P@1 > t.a.P@1) at least 2",
            "count(44.41 > 39.68, 39.68 > 44.41) = 1, to be at least 2",
        ),
        (
            "overlap(bottleneck(with.a.GB, without.a.GB, 3956, 2), 100)",
            "overlap(bottleneck(0.28, 0.22, 3956, 2), 100): do 789..1105 (GB) or 848..1187 (GiB), 100 meet?",
        ),
        (
            "t.a.P@1 > 3 and not (t.a.P@1 > 4 or t.b.P@1 > 4)",
            "44.41 > 3; and (not so: (44.41 > 4; or 39.68 > 4))",
        ),
        ("t.a.P@1 / t.zero.P@1 > 1", "44.41 / 0.0 > 1"),
        ("overlap(1 / t.zero.P@1)", "overlap(1 / 0.0)"),
        # a miss is not rounded into what was asked: 11.894 is not at least 11.894
        (
            "relative_gain(t.a.P@1, t.b.P@1) at least 11.8937",
            "relative_gain(44.41, 39.68) = 11.89366..11.94707, to be at least 11.8937",
        ),
    ],
)
def test_the_numbers_are_filled_in(sentence: str, filled: str) -> None:
    assert outcome(sentence, CELLS, N=printed("3,865"), M=Fraction(7730)).filled_in == filled


def test_many_readings_are_told_as_one_range() -> None:
    """4.72..4.74 points or 11.894..11.947 percent, three times: from 3 x 4.72 to 3 x 11.947."""
    sentence = " + ".join(["improvement(t.a.P@1, t.b.P@1)"] * 3) + " > 3"
    filled = outcome(sentence, CELLS).filled_in
    assert filled.endswith("= 14..36 (in 8 readings), to be > 3")


def test_a_long_set_is_cut() -> None:
    cells = {f"row{n}": f"{n}.0" for n in range(30)}
    assert outcome("max(t.*.P@1) > 3", cells).filled_in == (
        "max(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, ... (30 cells)) = 28.95..29.05, to be > 3"
    )
