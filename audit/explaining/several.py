"""The derivation of claims made of several comparisons: each of them, then all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from audit.evidence import by_seed, common_seeds
from audit.explaining.differences import difference_of, difference_steps
from audit.explaining.step import Step, num, tail_step
from audit.judging.case import Case, aligned
from audit.judging.several import orders_of
from audit.stats.conjunction import Sides, sides
from audit.stats.dominance import dominance
from audit.stats.multiplicity import holm, partial_conjunction
from audit.stats.order import order
from audit.stats.ranking import agreement
from audit.stats.trend import page


def ranking_steps(case: Case) -> Iterator[Step]:
    """k - 1 adjacent orders, Holm inside both ways; Kendall's tau as a description."""
    found = aligned(case)
    if found is None:
        return
    values = found[1]
    names = [arm.experiment for arm in case.arms]
    pairs = list(zip(pairwise(names), pairwise(values), strict=True))
    for (first, second), (x, y) in pairs:
        yield from _comparison(first, second, x, y, pair=case.pair)
    both = sides([order(x, y, pair=case.pair) for _, (x, y) in pairs])
    yield _holm("p_rep", "max(Holm of the p_order)", "max", both.holds)
    yield _holm("p_con", "min(Holm of the p_reversed)", "min", both.reversed)
    places = [float(-k) for k in range(len(values))]
    tau = agreement(places, [sum(x) / len(x) for x in values])
    if tau.kendall_tau is not None:
        yield Step("Kendall's tau-b of the means, a description", "", "", tau.kendall_tau)
        if tau.kendall_p is not None:
            yield Step("its exact p", "", "", tau.kendall_p)


def trend_steps(case: Case) -> Iterator[Step]:
    """Page's L over the seeds that all levels have, both ways, and the steps back."""
    common = common_seeds(case.arms)
    rising = case.claim.details.get("direction", "rising") == "rising"
    climb = case.arms if rising else case.arms[::-1]
    if not common:
        return
    levels = [by_seed(arm, common) for arm in climb]
    blocks = list(zip(*levels, strict=True))
    up, down = page(blocks), page([block[::-1] for block in blocks])
    shown = ", ".join(f"[{', '.join(map(num, block))}]" for block in blocks)
    yield Step("L", "sum over seeds of sum_j j rank_j", f"L({shown})", up.L)
    yield Step("p_trend", "Page's exact P[L at least this]", f"Page({shown})", up.p)
    back = ", ".join(f"[{', '.join(map(num, block[::-1]))}]" for block in blocks)
    yield Step("p_opposite", "the same of the opposite trend", f"Page({back})", down.p)
    tests = []
    for (before, after), (x, y) in zip(pairwise(climb), pairwise(levels), strict=True):
        yield from _comparison(after.experiment, before.experiment, y, x, pair=case.pair)
        tests.append(order(y, x, pair=case.pair))
    steps_back = holm(sides(tests).reversed)
    yield _holm("p_step_back", "min(Holm of the p_reversed)", "min", sides(tests).reversed)
    if min(steps_back) <= case.alpha:
        yield Step("p_rep", "1, as a step goes back", "1", 1.0)
    else:
        yield Step("p_rep", "p_trend", num(up.p), up.p)
    opposite = min(1.0, 2.0 * down.p)
    filled = f"min(1, 2 * {num(down.p)}, {num(min(steps_back))})"
    yield Step("p_con", "min(1, 2 p_opposite, p_step_back)", filled, min(opposite, *steps_back))


def optimum_steps(case: Case) -> Iterator[Step]:
    """The claimed best against each other level, Holm within the sweep."""
    found = aligned(case)
    best = case.arms[0].experiment
    names = list(dict.fromkeys(arm.experiment for arm in case.arms))
    if found is None or len(names) < 2:
        return
    by_name = dict(zip((arm.experiment for arm in case.arms), found[1], strict=True))
    others = [name for name in names if name != best]
    for name in others:
        yield from _comparison(best, name, by_name[best], by_name[name], pair=case.pair)
    both = sides([order(by_name[best], by_name[name], pair=case.pair) for name in others])
    beats = _holm("p_beats", "Holm of the p_order", "max", both.holds)
    if case.claim.details.get("strength", "unique") == "unique":
        yield Step("p_rep", "max(Holm of the p_order)", beats.filled, beats.value)
        yield _beaten("p_worse", both.worse)
        return
    within, far = [], []
    for name in others:
        near, beyond = _margins(best, name, by_name, case)
        yield from (near, beyond)
        within.append(near.value)
        far.append(beyond.value)
    one = min(holm(both.holds))
    filled = f"max(min({_called('Holm', both.holds)}), {', '.join(map(num, within))})"
    yield Step("p_rep", "max(min(Holm of the p_order), all p_within)", filled, max(one, *within))
    yield _beaten("p_far", far)


def _margins(best: str, name: str, by_name: Mapping[str, Sequence[float]], case: Case) -> tuple[Step, Step]:
    """That a level is not better by the margin, and that it is better by more."""
    it, D = difference_of(by_name[best], by_name[name], pair=case.pair), case.margin
    titles = (f"p_within, {name}", f"p_far, {name}")
    formulas = ("P[t >= (d + D) / se]", "P[t >= -(d + D) / se]")
    if it.cap or not it.estimated or it.se is None or it.df is None:
        near, beyond = (Step(title, "1, as it may not decide", "1", 1.0) for title in titles)
        return near, beyond
    text, distance = f"{num(it.value)} + {num(D)}", it.value + D
    return (
        tail_step(titles[0], formulas[0], (text, distance), it.se, it.df),
        tail_step(titles[1], formulas[1], (f"-({text})", -distance), it.se, it.df),
    )


def _beaten(of: str, p_values: Sequence[float]) -> Step:
    """By some level: Holm of all; of a single one both sides count, as in an order claim."""
    if len(p_values) > 1:
        return _holm("p_con", f"min(Holm of the {of})", "min", p_values)
    (p,) = p_values
    return Step("p_con", f"min(1, 2 {of})", f"min(1, 2 * {num(p)})", min(1.0, 2.0 * p))


def dominance_steps(case: Case) -> Iterator[Step]:
    """Each line of the tables, then all lines (or so many of them) of each metric, then all metrics."""
    details = case.claim.details
    place, at_least = details.get("place", 1), details.get("at_least")
    by_metric: dict[str, list[list[Any]]] = {}
    each: dict[str, list[Sides]] = {}
    partly = False
    for line in details["lines"]:
        winner = case.arm(line["winner"], line["metric"])
        rivals = [case.arm(name, line["metric"]) for name in line["rivals"]]
        if place > len(rivals):
            return
        where = f", {line['dataset']} {line['metric']}"
        partly = partly or any(arm.lacks for arm in (winner, *rivals))
        for rival in rivals:
            if winner.lacks or rival.lacks:
                label = f"{winner.experiment} > {rival.experiment}{where}: p_order and p_reversed"
                yield Step(label, "1, as it was not run", "1", 1.0)
                continue
            yield from _comparison(
                winner.experiment, rival.experiment, winner.values, rival.values, pair=False, where=where
            )
        tests = orders_of(winner, rivals)
        by_metric.setdefault(line["metric"], []).append(tests)
        each.setdefault(line["metric"], []).append(sides(tests))
        yield from _line(where, sides(tests), place)
    groups = by_metric if at_least is not None else {"": [it for held in by_metric.values() for it in held]}
    parts = each if at_least is not None else {"": [it for held in each.values() for it in held]}
    holds, broken = [], []
    for metric, held in groups.items():
        count = len(held) if at_least is None else min(at_least, len(held))
        p_each = [_place(it.holds, place) for it in parts[metric]]
        p_broken = [_reached(it.reversed, place) for it in parts[metric]]
        test = dominance(held, place=place, at_least=count)
        name = f", {metric}" if metric and len(groups) > 1 else ""
        own = ("p_rep", "p_con") if not name else (f"p_holds{name}", f"p_broken{name}")
        less = len(held) - count + 1
        yield Step(own[0], f"at least {count} of the p_line", _pc(count, p_each), test.p_reproduced or 0.0)
        yield Step(
            own[1], f"at least {less} of the p_line_broken", _pc(less, p_broken), test.p_contradicted or 0.0
        )
        holds.append(test.p_reproduced or 0.0)
        broken.append(test.p_contradicted or 0.0)
    if len(groups) > 1:
        yield Step("p_rep", "the largest over the metrics", f"max({', '.join(map(num, holds))})", max(holds))
        smallest = min(1.0, len(broken) * min(broken))
        filled = f"min(1, {len(broken)} * min({', '.join(map(num, broken))}))"
        yield Step("p_con", "Bonferroni over the metrics", filled, smallest)
    if partly:
        yield Step("p_rep", "1, as not all of it was run", "1", 1.0)


def _line(where: str, both: Sides, place: int) -> Iterator[Step]:
    wanted = len(both.holds) - place + 1
    filled = _pc(wanted, both.holds)
    yield Step(f"p_line{where}", f"it beats {wanted} of {len(both.holds)}", filled, _place(both.holds, place))
    filled = _pc(place, both.reversed)
    yield Step(f"p_line_broken{where}", f"{place} of them beat it", filled, _reached(both.reversed, place))


def _place(holds: Sequence[float], place: int) -> float:
    return partial_conjunction(holds, at_least=len(holds) - place + 1)


def _reached(broken: Sequence[float], place: int) -> float:
    return partial_conjunction(broken, at_least=place)


def _comparison(
    first: str, second: str, x: Sequence[float], y: Sequence[float], *, pair: bool, where: str = ""
) -> Iterator[Step]:
    """One order claim: the difference, and its one-sided and reversed p."""
    it = difference_of(x, y, pair=pair)
    label = f"{first} > {second}{where}: "
    for step in difference_steps(x, y, pair=pair, names=(first, second)):
        arm = not pair and step.name.split()[0] in ("mean", "s")  # of an arm, and so the same elsewhere
        yield replace(step, name=f"{step.name}{where}" if arm else f"{label}{step.name}")
    if it.cap or not it.estimated or it.se is None or it.df is None:
        yield Step(f"{label}p_order and p_reversed", f"1, as it may not decide ({it.cap})", "1", 1.0)
        return
    d = num(it.value)
    yield tail_step(f"{label}p_order", "P[t >= d / se]", (d, it.value), it.se, it.df)
    worse = tail_step(f"{label}p_worse", "P[t >= -d / se]", (f"-({d})", -it.value), it.se, it.df)
    yield worse
    double = min(1.0, 2.0 * worse.value)
    yield Step(f"{label}p_reversed", "min(1, 2 p_worse)", f"min(1, 2 * {num(worse.value)})", double)


def _holm(name: str, formula: str, which: str, p_values: Sequence[float]) -> Step:
    adjusted = holm(p_values)
    value = max(adjusted) if which == "max" else min(adjusted)
    return Step(name, formula, f"{which}({_called('Holm', p_values)})", value)


def _called(function: str, p_values: Sequence[float]) -> str:
    return f"{function}({', '.join(map(num, p_values))})"


def _pc(at_least: int, p_values: Sequence[float]) -> str:
    return f"PC({at_least}; {', '.join(map(num, p_values))})"
