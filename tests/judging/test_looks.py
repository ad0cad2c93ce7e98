"""Verdicts at several numbers of seeds: every look costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from audit.judging.looks import about_looks, at_look, judge_by, next_level, ruled
from audit.judging.verdicts import compare
from audit.record import ClaimRecord, ExperimentRecord, Look, Margin, Verdict, Where
from tests.records import make_experiment, make_run

#: Levels by the rule: 4/5 of 5% for the first look, then 0.5, 0.25, 0.125%, ...
TAKEN = (Look(3, 0.04), Look(5, 0.005))
DECLARED = (Look(3, 0.025, (3, 5)), Look(5, 0.025, (3, 5)))


def spent(looks: Iterable[Look]) -> float:
    """Of the level, by looks at which something can be decided."""
    return sum(look.level for look in looks if look.seeds >= 3)


def ran(values: list[float], name: str = "e", *, first: int = 0) -> ExperimentRecord:
    runs = [make_run(seed, x, key=f"{name}{seed}") for seed, x in enumerate(values, start=first)]
    return make_experiment(name, runs)


def test_every_look_costs() -> None:
    """In the order in which they were taken, each number of seeds once, whatever level was on record."""
    looks = ruled([Look(n, 0.05) for n in (5, 3, 5, 8, 3, 10)])
    assert [it.seeds for it in looks] == [5, 3, 8, 10]
    assert [it.level for it in looks] == pytest.approx([0.04, 0.005, 0.0025, 0.00125])
    assert ruled(looks) == looks
    assert spent(ruled([Look(n, 0.05) for n in range(3, 60)])) == pytest.approx(0.05)


def test_a_look_at_one_or_two_seeds_decides_nothing_and_costs_nothing() -> None:
    looks = ruled([Look(1, 0.05), Look(2, 0.05), Look(3, 0.05), Look(4, 0.05)])
    assert [it.level for it in looks] == pytest.approx([0.04, 0.04, 0.04, 0.005])
    assert spent(looks) == pytest.approx(0.045)


def test_declared_looks_share_what_those_before_them_left() -> None:
    """One look at 3 seeds leaves 1%; that look is one of the declared ones, and keeps its level."""
    assert ruled([DECLARED[1], DECLARED[0]]) == DECLARED
    looks = ruled([Look(3, 0.05), Look(8, 0.05, (3, 5, 8))])
    assert [it.seeds for it in looks] == [3, 5, 8]
    assert [it.level for it in looks] == pytest.approx([0.04, 0.005, 0.005])
    assert spent(looks) == pytest.approx(0.05)


def test_an_earlier_declared_look_that_is_not_on_record_counts() -> None:
    """A look at 8 seeds alone: those at 3 and 5, declared with it, came before for other experiments."""
    looks = ruled([Look(8, 0.0125, (3, 5, 8, 12))])
    assert [(it.seeds, it.level) for it in looks] == [(3, 0.0125), (5, 0.0125), (8, 0.0125)]


def test_the_level_of_the_look_that_is_to_come() -> None:
    assert [next_level(TAKEN[:k]) for k in range(3)] == pytest.approx([0.05, 0.005, 0.0025])
    assert next_level(DECLARED[:1]) == 0.025


def test_what_a_reader_is_told_of_the_looks() -> None:
    looks = ruled([Look(n, 0.0125, (3, 5, 8, 12)) for n in (3, 5)])
    (levels, waiting) = about_looks(looks, [ran([1.0] * 7), ran([1.0] * 5)])
    assert "3 seeds (level 1.25%) and 5 seeds (level 1.25%) of the declared ones, at 3, 5, 8" in levels
    more = "1 experiment has more seeds than the look at 5"
    assert waiting == f"{more}: they are not used before the look at 8."
    (first,) = about_looks(TAKEN[:1], [ran([1.0] * 3)])
    assert first.startswith("First look at the results, at 3 seeds (level 4%). ")
    assert "Looks at 3 seeds (level 4%) and 5 seeds (level 0.5%): all together err in at most 5%" in str(
        about_looks(TAKEN, [])
    )
    assert about_looks((), [ran([1.0] * 4)]) == ()


def test_a_look_sees_the_first_seeds_and_failed_ones_among_them() -> None:
    runs = [make_run(seed, None, key=f"k{seed}", status="failed", reason="nan") for seed in (1,)]
    experiment = make_experiment("e", [*runs, *(make_run(seed, 1.0) for seed in (0, 2, 3))])
    for record, number, seen in ((experiment, 3, [0, 1, 2]), (ran([1.0] * 4, first=40), 2, [40, 41])):
        look = Look(number, 0.05)
        runs = at_look({"e": record}, [look], look)["e"].runs
        assert sorted(run.spec.seed for run in runs) == seen


def value_claim(margin: float = 0.5) -> ClaimRecord:
    """Of 50.00."""
    return ClaimRecord(
        "c:P@1", "c", "value", "says", "P@1", Where(), experiments=("e",), printed=("50.00",),
        dataset="toy", margin=Margin(margin, "field", "usual"),
    )  # fmt: skip


def judged(looks: list[Look], values: list[float], margin: float = 0.5) -> Verdict:
    """A value claim of 50.00, alone in its paper."""
    claim = value_claim(margin)

    def judge(experiments: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        return compare([claim], experiments, fidelity={"xml_cnn": True}, alpha=level)

    return judge_by(looks, {"e": ran(values)}, judge)[0]


#: Mean 50, SD 0.1: t = (0.5 - 0.005) / (0.1 / sqrt 3) = 8.57 at 2 degrees of freedom, one-sided p = 0.00667.
CLOSE = [49.9, 50.0, 50.1]


def test_a_look_judges_at_its_level_and_says_so() -> None:
    kept, missed = (judged([Look(3, level, (3,))], CLOSE) for level in (0.00668, 0.00666))
    assert kept.p_reproduced == pytest.approx(0.00667, abs=1e-5)
    assert (kept.outcome, missed.outcome) == ("reproduced", "inconclusive")
    assert kept.badges == ("look at 3 seeds, level 0.668%",)
    first = judged(list(TAKEN[:1]), CLOSE)
    assert (first.badges, first.level, first.look) == ((), 0.04, 1)
    assert (judged([], CLOSE).level, judged([], CLOSE).look) == (0.05, 0)


@pytest.mark.parametrize("looks", [TAKEN, DECLARED])
def test_the_first_look_that_decides_stands_unless_later_seeds_undo_it(looks: tuple[Look, ...]) -> None:
    """49.9 to 50.1 with 50.05 and 49.95: p is far below 5%; with 53 and 47 the interval is some 4 wide."""
    stands = judged(list(looks), [*CLOSE, 50.05, 49.95])
    assert (stands.outcome, stands.n, stands.look) == ("reproduced", (3,), 1)
    assert stands.badges == (("look at 3 seeds, level 2.5%",) if looks is DECLARED else ())
    assert (stands.last_n, stands.last_estimate) == ((5,), pytest.approx(50.0))
    undone = judged(list(looks), [*CLOSE, 53.0, 47.0])
    assert (undone.outcome, undone.reason, undone.n) == ("inconclusive", "undone", (5,))
    assert "reproduced at the look at 3 seeds" in undone.badges


def test_a_look_is_judged_by_the_runs_that_it_saw_whatever_their_seeds() -> None:
    """Seeds 5 to 7 were looked at first; those of lower number came later."""
    record = ran([53.0, 47.0, 50.0, 51.0, 49.0, *CLOSE])
    keys = tuple(run.key for run in record.runs)
    arm = record.runs[0].spec.arm
    looks = ruled([Look(3, 0.05, runs={arm: keys[5:]}), Look(8, 0.05, runs={arm: keys})])
    assert [(it.seeds, it.level) for it in looks] == [(3, 0.04), (8, 0.005)]
    assert at_look({"e": record}, looks, looks[0])["e"].runs == record.runs[5:]
    assert at_look({"e": record}, looks, looks[1])["e"].runs == record.runs
    again = ruled([*looks, Look(3, 0.05, runs={arm: keys[:3]})])  # as many seeds, and others
    assert len(again) == 3


def test_an_experiment_that_grows_after_another_is_a_further_look() -> None:
    """Both at 3 seeds, then one at 6, then the other: three tests of a claim about both."""
    both, first, second = {"a": ("a3",), "b": ("b3",)}, {"a": ("a6",)}, {"b": ("b6",)}
    looks = ruled([Look(3, 0.05, runs=both), Look(6, 0.05, runs=first), Look(6, 0.05, runs=second)])
    assert [(it.seeds, it.level) for it in looks] == [(3, 0.04), (6, 0.005), (6, 0.0025)]
    elsewhere = ruled([Look(3, 0.05, runs={"a": ("a3",)}), Look(3, 0.05, runs={"b": ("b3",)})])
    assert [it.level for it in elsewhere] == [0.04]


def test_seeds_that_only_failed_after_a_verdict_count() -> None:
    """Three of eight ended: the verdict of the first three does not stand."""
    claim, levels = value_claim(), (Look(3, 0.04), Look(8, 0.005))
    failed = ran([50.0] * 5, first=3).runs
    record = ran(CLOSE)
    lost = tuple(replace(it, status="failed", metrics={}, reason="out of memory") for it in failed)
    experiments = {"e": replace(record, runs=(*record.runs, *lost))}

    def judge(found: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        return compare([claim], found, fidelity={"xml_cnn": True}, alpha=level)

    (verdict,) = judge_by(levels, experiments, judge)
    assert (verdict.outcome, verdict.reason, verdict.attempts) == ("inconclusive", "most_failed", (8,))


def test_what_no_look_decided_is_as_that_of_most_seeds_left_it() -> None:
    for looks in (TAKEN, (Look(5, 0.04), Look(3, 0.005))):
        verdict = judged(list(looks), [49.0, 50.0, 51.0, 53.0, 47.0])
        assert (verdict.outcome, verdict.n) == ("inconclusive", (5,))


@pytest.mark.slow
def test_looks_keep_the_error_and_a_full_level_each_would_not() -> None:
    """Our method lies on the margin of a printed number, so that *reproduced* is an error at most 5% of the
    time; 1,000 audits, each through `compare` at 3, 4, ..., 10 seeds, stopping at the first decision."""
    numbers, sims = range(3, 11), 1000
    rng = np.random.default_rng(20261127)
    draws = (50.495 + 0.3 * rng.standard_normal((sims, numbers[-1]))).tolist()
    taken = list(ruled([Look(n, 0.05) for n in numbers]))
    kept = np.mean([judged(taken, values).outcome == "reproduced" for values in draws])
    peeked = np.mean(
        [
            any(judged([Look(n, 0.05)], values[:n]).outcome == "reproduced" for n in numbers)
            for values in draws
        ]
    )
    four = 4 * (0.05 * 0.95 / sims) ** 0.5
    assert kept <= 0.05 + four
    assert peeked > 0.05 + four
