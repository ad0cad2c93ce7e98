"""Claims about several experiments at once: rankings, trends, the best level, the best method throughout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from audit.evidence import Arm, by_seed, common_seeds
from audit.judging.case import Case, Judged, aligned, badged, final
from audit.record import Part
from audit.stats.decision import Decidable, Route
from audit.stats.dominance import DominanceTest, dominance
from audit.stats.optimum import optimum
from audit.stats.order import UNTRIED, OrderTest, order
from audit.stats.ranking import ranking
from audit.stats.trend import MOST_LEVELS, trend


def judge_ranking(case: Case) -> Judged:
    found = aligned(case)
    if found is None:
        return final(case, "too_few_seeds")
    case, systems = found
    test = ranking(systems, pair=case.pair, deterministic=case.deterministic)
    parts = [
        _part(first, second, it, p, back)
        for (first, second), it, p, back in zip(
            pairwise(case.arms), test.adjacent, test.p_orders, test.p_reversed, strict=True
        )
    ]
    return Judged(replace(case.plain, parts=tuple(parts)), test)


def judge_trend(case: Case) -> Judged:
    """Page's test takes the seeds as blocks: those that all levels have."""
    common = common_seeds(case.arms)
    if not common:
        return final(case, "too_few_seeds")
    if len(case.arms) > MOST_LEVELS:
        return final(case, "too_many_levels")
    levels = [by_seed(arm, common) for arm in case.arms]
    rising = case.claim.details.get("direction", "rising") == "rising"
    test = trend(levels, rising=rising, pair=case.pair, deterministic=case.deterministic, alpha=case.alpha)
    climb = case.arms if rising else case.arms[::-1]
    parts = [
        _part(after, before, it, None, back)
        for (before, after), it, back in zip(pairwise(climb), test.adjacent, test.p_steps_back, strict=True)
    ]
    shown = case.badge(f"{len(common)} seeds as blocks").plain
    return Judged(replace(shown, parts=tuple(parts)), test)


def judge_optimum(case: Case) -> Judged:
    best, levels = case.arms[0], list(dict.fromkeys(arm.experiment for arm in case.arms))
    found = aligned(case)
    if found is None or len(levels) < 2:
        return final(case, "too_few_seeds" if found is None else "same_runs")
    case, values = found
    by_name = dict(zip((arm.experiment for arm in case.arms), values, strict=True))
    strength = case.claim.details.get("strength", "unique")
    margin = case.margin if strength == "among_best" else None
    test = optimum(
        by_name,
        best=best.experiment,
        strength=strength,
        margin=margin,
        pair=case.pair,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    parts = [
        Part(
            f"{best.experiment} > {name}",
            (best.experiment, name),
            _mean(by_name[best.experiment]) - _mean(by_name[name]),
            test.p_beats[name],
            test.p_beaten_by[name],
        )
        for name in levels
        if name != best.experiment
    ]
    shown = replace(case.plain, parts=tuple(parts), margin=margin)
    return Judged(badged(shown, f"tied: {', '.join(test.tied)}") if len(test.tied) > 1 else shown, test)


def judge_dominance(case: Case) -> Judged:
    """Each line of the tables (data set and metric) is a group of order claims: the winner over each other.

    "In at least so many data sets" is asked of each metric by itself, and must hold for all of them.
    Comparisons that were not made are named and count as not shown: what was run may contradict the claim,
    and nothing reproduces it before all of it was run.
    """
    details = case.claim.details
    place, at_least = details.get("place", 1), details.get("at_least")
    by_metric: dict[str, list[list[OrderTest]]] = {}
    parts: list[Part] = []
    lacks: list[str] = []
    made = 0
    for line in details["lines"]:
        winner = case.arm(line["winner"], line["metric"])
        rivals = [case.arm(name, line["metric"]) for name in line["rivals"]]
        for arm in (winner, *rivals):
            if arm.lacks:
                none = "no run that ended" if arm.lacks == "run_failed" else "no run"
                notes = arm.notes or (f"{none} for {line['dataset']} {line['metric']}",)
                case = case.badge(*(f"{arm.experiment}: {note}" for note in notes))
                lacks.append(arm.lacks)
        if place > len(rivals):
            among = f"{line['dataset']} {line['metric']}: {len(rivals) + 1} methods"
            return final(case.badge(among), "place_always_held")
        tests = orders_of(winner, rivals)
        made += sum(test is not UNTRIED for test in tests)
        by_metric.setdefault(line["metric"], []).append(tests)
        parts += [_in_line(line, rival, test) for rival, test in zip(rivals, tests, strict=True)]
    if not made:
        return final(case, lacks[0] if lacks else "not_run")
    if at_least is None:
        every = [tests for held in by_metric.values() for tests in held]
        together: Decidable = dominance(every, place=place)
    else:
        together = _all_of(
            [dominance(held, place=place, at_least=min(at_least, len(held))) for held in by_metric.values()]
        )
    if lacks:
        together = _partly(together, [test for held in by_metric.values() for line in held for test in line])
    return Judged(replace(case.plain, parts=tuple(parts)), together)


def orders_of(winner: Arm, rivals: Sequence[Arm]) -> list[OrderTest]:
    """The winner over each rival; `UNTRIED` where one of the two has no run."""
    return [
        UNTRIED
        if winner.lacks or rival.lacks
        else order(
            winner.values,
            rival.values,
            negligible=0.0,
            deterministic=winner.deterministic and rival.deterministic,
        )
        for rival in rivals
    ]


def _partly(test: Decidable, orders: Sequence[OrderTest]) -> Decidable:
    """What was run may break the claim, and cannot show it."""
    caps = [it.cap for it in orders if it is not UNTRIED]
    return Decidable(
        p_reproduced=1.0,
        contradictions=test.contradictions,
        cap=caps[0] if all(caps) else None,
        if_undecided="partly_run",
    )


def _all_of(tests: Sequence[DominanceTest]) -> Decidable:
    """All hold: the largest p. Not all hold: one is broken, the smallest p by Bonferroni."""
    if len(tests) == 1:
        return tests[0]
    broken = min(it.p_contradicted if it.p_contradicted is not None else 1.0 for it in tests)
    return Decidable(
        p_reproduced=max(it.p_reproduced if it.p_reproduced is not None else 1.0 for it in tests),
        contradictions=(Route(reason="reversed", p=min(1.0, len(tests) * broken)),),
        cap=next((it.cap for it in tests if it.cap), None),
        if_reproduced="dominates",
        if_undecided=tests[0].if_undecided,
    )


def _part(first: Arm, second: Arm, test: OrderTest, p: float | None, back: float) -> Part:
    return Part(
        f"{first.experiment} > {second.experiment}",
        (first.experiment, second.experiment),
        test.difference,
        test.p_reproduced if p is None else p,
        back,
    )


def _in_line(line: Mapping[str, Any], rival: Arm, test: OrderTest) -> Part:
    return Part(
        f"{line['dataset']} {line['metric']}: {line['winner']} > {rival.experiment}",
        (line["winner"], rival.experiment),
        None if test is UNTRIED else test.difference,
        test.p_reproduced,
        test.p_contradicted,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
