"""Tests of audit.judging.case."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from audit.evidence import gather
from audit.judging.case import Case, aligned, badged, final, with_interval
from audit.record import Verdict
from tests.judging.made import arms, claim

PLAIN = Verdict(claim="c:P@1", outcome="inconclusive", reason="", badges=("3 of 4 seeds",))


def case(paired: str | None = None, printed: tuple[str, ...] = (), **values: list[float | None]) -> Case:
    experiments = arms(**values)
    held = tuple(gather(name, experiments, metric="P@1") for name in values)
    one = claim("order", *values, paired=paired, printed=printed)
    return Case(one, held, PLAIN, experiments)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (("78.60", "76.81"), 1.79),  # 1.7899999999999920 by floats
        (("76.81", "78.6"), -1.79),
        (("78.60",), None),
        ((), None),
        (("3", "2", "1"), None),
    ],
)
def test_the_printed_gap_is_exact_and_of_two(printed: tuple[str, ...], expected: float | None) -> None:
    assert case(printed=printed, a=[1.0], b=[1.0]).printed_gap == expected


def test_unpaired_arms_keep_all_their_values() -> None:
    found = aligned(case(a=[1.0, 2.0], b=[None, 3.0, 4.0]))
    assert found is not None and found[1] == [(1.0, 2.0), (3.0, 4.0)]


def test_paired_arms_keep_common_seeds_in_one_order() -> None:
    found = aligned(case("why", a=[1.0, 2.0, None, 4.0], b=[None, 6.0, 7.0, 8.0]))
    assert found is not None
    assert [list(values) for values in found[1]] == [[2.0, 4.0], [6.0, 8.0]]
    assert found[0].plain.badges == ("3 of 4 seeds", "2 pairs of seeds")


def test_paired_arms_without_a_common_seed_are_none() -> None:
    assert aligned(case("why", a=[1.0, None], b=[None, 2.0])) is None


@pytest.mark.parametrize(
    ("values", "shows"), [([5.0] * 3, True), ([5.0] * 2, False), ([5.0, 5.0, 6.0], False)]
)
def test_three_equal_runs_show(values: list[float], shows: bool) -> None:
    found = aligned(case(a=list(values), b=[1.0, 2.0, 3.0]))
    assert found is not None
    assert ("a: no spread" in found[0].plain.badges) is shows


def test_a_final_reason_leaves_no_test() -> None:
    judged = final(case(a=[1.0], b=[2.0]).badge("why"), "not_run")
    assert judged.test is None
    assert (judged.verdict.reason, judged.verdict.badges) == ("not_run", ("3 of 4 seeds", "why"))


def test_badges_are_added_and_nothing_else_changes() -> None:
    assert badged(PLAIN, "x", "y").badges == ("3 of 4 seeds", "x", "y")
    assert badged(PLAIN) == PLAIN


@dataclass(frozen=True)
class Numbers:
    se: float | None = 0.1
    df: float | None = math.inf
    ci90: tuple[float, float] | None = (1.0, 2.0)
    ci95: tuple[float, float] | None = (0.5, 2.5)


def test_numbers_of_a_test_are_carried_over_and_infinity_is_left_out() -> None:
    """JSON has no infinity."""
    shown = with_interval(PLAIN, Numbers())
    assert (shown.se, shown.df, shown.ci90, shown.ci95) == (0.1, None, (1.0, 2.0), (0.5, 2.5))
    assert with_interval(PLAIN, Numbers(df=4.0)).df == 4.0
    assert with_interval(PLAIN, Numbers(None, None, None, None)).se is None


def test_any_experiment_of_the_paper_can_be_read() -> None:
    it = case(a=[1.0], b=[2.0])
    assert it.arm("b", "P@1").values == (2.0,)
    assert it.arm("nowhere", "P@1").lacks == "not_run"
    assert it.arm("b", "P@3").lacks == "not_run"
