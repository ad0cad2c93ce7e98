"""Verdicts by declared looks, and what several looks do to the error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from audit.comparator import compare
from audit.looks import about_looks, first_seeds, in_force, judge_by, level_spent, peeking
from audit.record import ClaimRecord, ExperimentRecord, Look, Margin, Verdict, Where
from audit.stats.sequential import schedule
from tests.records import make_experiment, make_run

PLAIN = [Look(3, 0.05), Look(5, 0.05)]
HALVING = [Look(3, 0.025, "halving", (3, 5)), Look(5, 0.0125, "halving", (3, 5))]


def ran(values: list[float], name: str = "e", *, first: int = 0) -> ExperimentRecord:
    runs = [make_run(seed, x, key=f"{name}{seed}") for seed, x in enumerate(values, start=first)]
    return make_experiment(name, runs)


# --------------------------------------------------------------------------- which looks count


def test_only_the_declared_looks_up_to_the_furthest_one_give_verdicts() -> None:
    """In whatever order they are on record, and whatever else was looked at."""
    assert in_force(()) == in_force(PLAIN) == ()
    assert in_force([*PLAIN, *HALVING]) == tuple(HALVING)
    assert in_force([HALVING[1], HALVING[0]]) == tuple(HALVING)
    assert in_force([*HALVING, Look(8, 0.05)]) == tuple(HALVING)


def test_an_earlier_declared_look_that_is_not_on_record_counts() -> None:
    """A look at 8 seeds alone: those at 3 and 5, declared with it, came before for other experiments."""
    whole = schedule((3, 5, 8, 12), split="halving")
    looks = in_force([Look(8, 0.00625, "halving", (3, 5, 8, 12))])
    assert [(it.seeds, it.level) for it in looks] == list(zip((3, 5, 8), whole.levels[:3], strict=True))


def test_seeds_that_no_look_has_come_to_wait_and_that_is_said() -> None:
    looks = [Look(n, 0.0125, "equal", (3, 5, 8, 12)) for n in (3, 5)]
    (sharing, waiting) = about_looks(looks, [], [ran([1.0] * 7), ran([1.0] * 5)])
    assert "looks at 3, 5, 8 and 12 seeds" in sharing and "3 and 5, at the level of 1.25 %" in sharing
    assert (
        waiting == "1 experiment has more seeds than the look at 5: these are not used before the look at 8."
    )
    ended = [Look(3, 0.05, "equal", (3,))]
    assert about_looks(ended, [], [ran([1.0] * 4)])[1].endswith("not used since no later look was declared.")
    assert about_looks((), [], [ran([1.0] * 4)]) == ()


@pytest.mark.parametrize(
    ("looks", "spent"),
    [
        ([], 0.0),
        (PLAIN[:1], 0.05),
        (PLAIN, 0.10),
        ([Look(1, 0.05), Look(2, 0.05), Look(3, 0.05)], 0.05),  # one or two seeds decide nothing
        ([Look(n, 0.01, "equal") for n in (3, 5, 8, 12, 20)], 0.05),
        ([PLAIN[0], *(Look(n, 0.01, "equal") for n in (3, 5, 8))], 0.07),  # 3 seeds count once, at 0.05
        (HALVING, 0.0375),
    ],
)
def test_the_level_spent_is_the_sum_over_the_looks(looks: list[Look], spent: float) -> None:
    assert level_spent(looks) == pytest.approx(spent)
    assert (peeking(looks) is None) == (spent <= 0.05)


def test_two_looks_at_the_full_level_are_told() -> None:
    said = peeking(PLAIN)
    assert said is not None
    assert "after 3 and 5 seeds" in said and "up to 10 % of cases" in said and "not 5 %" in said
    assert "after 3, 5 and 8 seeds" in str(peeking([*PLAIN, Look(8, 0.05)]))


def test_a_look_sees_the_first_seeds_and_failed_ones_among_them() -> None:
    runs = [make_run(seed, None, key=f"k{seed}", status="failed", reason="nan") for seed in (1,)]
    experiment = make_experiment("e", [*runs, *(make_run(seed, 1.0) for seed in (0, 2, 3))])
    assert sorted(run.spec.seed for run in first_seeds(experiment, 3).runs) == [0, 1, 2]
    assert [run.spec.seed for run in first_seeds(ran([1.0] * 4, first=40), 2).runs] == [40, 41]


# --------------------------------------------------------------------------- verdicts


def judged(looks: list[Look], values: list[float], margin: float = 0.5) -> Verdict:
    """A value claim of 50.00, alone in its paper."""
    claim = ClaimRecord(
        "c:P@1", "c", "value", "says", "P@1", Where(), experiments=("e",), printed=("50.00",),
        dataset="toy", margin=Margin(margin, "field", "usual"),
    )  # fmt: skip

    def judge(experiments: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        return compare([claim], experiments, fidelity={"xml_cnn": True}, alpha=level)

    return judge_by(looks, {"e": ran(values)}, judge)[0]


#: Mean 50, SD 0.1: t = (0.5 - 0.005) / (0.1 / sqrt 3) = 8.57 at 2 degrees of freedom, one-sided p = 0.00667.
CLOSE = [49.9, 50.0, 50.1]


def test_a_look_judges_at_its_level_and_says_so() -> None:
    kept, missed = (judged([Look(3, level, "equal")], CLOSE) for level in (0.00668, 0.00666))
    assert kept.p_reproduced == pytest.approx(0.00667, abs=1e-5)
    assert (kept.outcome, missed.outcome) == ("reproduced", "inconclusive")
    assert kept.badges == ("look at 3 seeds, level 0.668 %",)
    assert judged([Look(3, 0.05)], CLOSE).badges == ()


def test_the_first_look_that_decides_stands_whatever_later_seeds_say() -> None:
    later = judged(HALVING, [*CLOSE, 53.0, 47.0])
    assert (later.outcome, later.n, later.badges) == ("reproduced", (3,), ("look at 3 seeds, level 2.5 %",))
    plain = judged(PLAIN, [*CLOSE, 53.0, 47.0])
    assert (plain.outcome, plain.n) == ("inconclusive", (5,))


def test_what_no_look_decided_is_as_the_last_one_left_it() -> None:
    verdict = judged(HALVING, [49.0, 50.0, 51.0, 53.0, 47.0])
    assert (verdict.outcome, verdict.n) == ("inconclusive", (5,))
    assert verdict.badges == ("look at 5 seeds, level 1.25 %",)


# --------------------------------------------------------------------------- error, by simulation


@pytest.mark.slow
@pytest.mark.parametrize("split", ["equal", "halving"])
def test_declared_looks_keep_the_error_and_undeclared_ones_do_not(split: Any) -> None:
    """Our method lies on the margin of a printed number, so that *reproduced* is an error at most 5 % of the
    time; 2,000 audits, each through `compare` at 3, 5, 8, 12 and 20 seeds, stopping at the first decision."""
    looks, sims = (3, 5, 8, 12, 20), 2000
    shares = schedule(looks, split=split)
    rng = np.random.default_rng(20261127)
    draws = (50.495 + 0.3 * rng.standard_normal((sims, looks[-1]))).tolist()
    declared = [Look(n, level, split, looks) for n, level in zip(looks, shares.levels, strict=True)]
    kept = np.mean([judged(declared, values).outcome == "reproduced" for values in draws])
    peeked = np.mean(
        [any(judged([Look(n, 0.05)], values[:n]).outcome == "reproduced" for n in looks) for values in draws]
    )
    four = 4 * (0.05 * 0.95 / sims) ** 0.5
    assert kept <= 0.05 + four
    assert peeked > 0.05 + four
