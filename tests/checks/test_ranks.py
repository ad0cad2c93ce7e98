"""Average ranks by each rule for ties, against the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.checks.ranks import (
    TIE_RULES,
    Line,
    TieRule,
    average_ranks,
    impossible,
    possible_averages,
    ranks,
    readings,
)
from audit.stats.printed import printed
from tests.stats import golden


def line(*texts: str | None) -> Line:
    return [None if text is None else printed(text) for text in texts]


def lines_of(rows: Sequence[Sequence[float | None]]) -> list[Line]:
    return [line(*(None if value is None else str(value) for value in row)) for row in rows]


@golden.cases("average_rank")
def test_reference_case(case: dict[str, Any]) -> None:
    lines = lines_of(case["inputs"]["rows"])
    golden.check(
        case,
        **{
            rule: [float(rank) for rank in average_ranks(lines, rule) if rank is not None]
            for rule in case["expected"]
        },
    )


@golden.cases("average_rank")
def test_rank_ae_prints_the_ranks_of_the_min_rule(case: dict[str, Any]) -> None:
    lines, reported = lines_of(case["inputs"]["rows"]), line(*case["inputs"]["reported"])
    found = {(it.rule, it.missing): it for it in readings(lines, reported)}
    assert [key for key, it in found.items() if it.fits] == [("min", "skipped")]
    assert found["average", "skipped"].misfits == (2, 3)  # 4.583 and 4.611, printed 4.56
    assert impossible(lines, reported) == ()


@pytest.mark.parametrize("rule", TIE_RULES)
def test_ranks_are_those_of_scipy(rule: TieRule) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        values = rng.integers(0, 6, size=int(rng.integers(1, 9)))
        expected = stats.rankdata(-values, method=rule)
        assert [float(rank or 0) for rank in ranks(line(*map(str, values)), rule)] == expected.tolist()


def test_missing_numbers_have_no_rank_or_the_last() -> None:
    """70, none, 80, none: two are ranked; the others are third and fourth, or third both."""
    held = line("70.0", None, "80.0", None)
    assert ranks(held, "min") == (2, None, 1, None)
    assert ranks(held, "min", missing="last") == (2, 3, 1, 3)
    assert ranks(held, "average", missing="last") == (2, Fraction(7, 2), 1, Fraction(7, 2))
    assert average_ranks([held, line("1", "2", "3", "4")], "min") == (3, 3, Fraction(3, 2), 1)
    assert average_ranks([line(None, "1")], "min") == (None, 1)


def test_numbers_that_overlap_may_have_been_in_either_order() -> None:
    """83.6 is 83.55..83.65, so it may be above 83.62, and 83.50 is below both."""
    held = [line("83.6", "83.62", "83.50")]
    assert possible_averages(held) == ((1, 2), (1, 2), (3, 3)) or possible_averages(held)[2] == (2, 3)


def test_by_the_dense_rule_what_may_be_one_value_counts_once() -> None:
    """Two at 90 above one at 80: third by the min rule, second by the dense one."""
    assert possible_averages([line("90.0", "90.0", "80.0")])[2] == (2, 3)
    assert possible_averages([line("90.0", "91.0", "80.0")])[2] == (3, 3)


@pytest.mark.parametrize(
    ("reported", "misplaced"),
    [
        (("1.5", "1.5", "3.0"), ()),  # rank average
        (("1.0", "2.0", "3.0"), ()),  # digits that are not shown
        (("1", "1", "3"), ()),
        (("1", "1", "2"), ()),
        (("1.2", "1.8", "3.0"), ()),
        (("2.2", "1.0", "3.0"), (0,)),
        (("1.0", "2.0", "1.8"), (2,)),
        (("1.0", None, "3.2"), (2,)),
    ],
)
def test_only_what_no_order_gives_is_impossible(
    reported: tuple[str | None, ...], misplaced: tuple[int, ...]
) -> None:
    assert impossible([line("90.0", "90.0", "80.0")], line(*reported)) == misplaced


def test_averages_cut_off_fit() -> None:
    """2/3 of lines: 1.666... printed as 1.66."""
    lines = [line("2", "1"), line("1", "2"), line("1", "2")]
    (first, *_) = readings(lines, line("1.66", "1.33"))
    assert first.fits


def test_honest_averages_are_never_impossible() -> None:
    """Random tables with ties, missing numbers and mixed digits, ranked before or after rounding."""
    rng = np.random.default_rng(11)
    for trial in range(400):
        methods, count = int(rng.integers(2, 7)), int(rng.integers(1, 12))
        values = rng.choice([0.7, 0.712, 0.7149, 0.72, 0.7204, 0.8], size=(count, methods)) * 100
        values = values + rng.normal(size=values.shape) * rng.choice([0.0, 0.03])
        missing = rng.random(values.shape) < rng.choice([0.0, 0.2])
        missing[:, 0] = False
        missing[0] = False
        decimals = rng.integers(1, 3, size=values.shape)
        lines = [
            line(*(None if gone else f"{v:.{d}f}" for v, gone, d in zip(*row, strict=True)))
            for row in zip(values, missing, decimals, strict=True)
        ]
        rule = TIE_RULES[trial % 5]
        rows = []
        for row, gone, shown in zip(values, missing, lines, strict=True):
            seen = row if trial % 2 else np.array([float(n.value) if n else 0.0 for n in shown])
            if trial % 3:
                rows.append(stats.rankdata(-np.where(gone, -1.0, seen), method=rule))
            else:
                own = np.full(methods, np.nan)
                own[~gone] = stats.rankdata(-seen[~gone], method=rule)
                rows.append(own)
        means = np.nanmean(np.array(rows), axis=0)
        reported = line(*(f"{mean:.{int(rng.integers(1, 4))}f}" for mean in means))
        assert impossible(lines, reported) == (), (lines, means)


def test_a_rank_moved_by_one_place_is_found() -> None:
    """Eighteen lines without ties: an average that is 0.06 off cannot be."""
    rng = np.random.default_rng(2)
    lines = [line(*(f"{v:.2f}" for v in rng.permutation(7) * 5 + 50)) for _ in range(18)]
    true = average_ranks(lines, "min")
    for i in range(7):
        reported = [
            printed(f"{float((rank or 0) + Fraction(i == j, 18)):.2f}") for j, rank in enumerate(true)
        ]
        assert impossible(lines, reported) == (i,)
        assert all(it.misfits == (i,) for it in readings(lines, reported))


def test_lines_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError):
        average_ranks([line("1", "2"), line("1")], "min")
