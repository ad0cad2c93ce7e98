"""Sentences that are true of the numbers before they were rounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
from scipy import stats

from audit.record import ClaimRecord
from tests.checks.honest_papers import Draft
from tests.checks.made import states


def sentences(draft: Draft, count: int) -> tuple[ClaimRecord, ...]:
    """So many statements, each of a kind that the numbers bear out; fewer where they bear out none."""
    kinds = [_order, _ranking, _sweep, _significant, _dominance, _cost, _gain, _place, _several]
    if draft.rule == "cut":  # numbers that are all cut are all too small: a sum of them is
        kinds = kinds[:6]
    found: list[ClaimRecord] = []
    for place in range(count):
        kind = kinds[int(draft.rng.integers(len(kinds)))]
        found += kind(draft, f"s{place}")
    return tuple(found)


def _line(draft: Draft) -> tuple[tuple[str, str, str], list[str]]:
    keys = list(draft.lines)
    key = keys[int(draft.rng.integers(len(keys)))]
    return key, draft.lines[key]


def _pair(draft: Draft) -> tuple[str, str, str] | None:
    """Better, worse and metric."""
    (_, _, metric), line = _line(draft)
    if len(line) < 2:
        return None
    a, b = (line[i] for i in draft.rng.choice(len(line), 2, replace=False))
    if draft.exact[a] == draft.exact[b]:
        return None
    return (a, b, metric) if draft.exact[a] > draft.exact[b] else (b, a, metric)


def _order(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    if pair := _pair(draft):
        kind = str(draft.rng.choice(["order", "gap", "equivalent"]))
        yield states(kind, *pair[:2], metric=pair[2], id=id, margin=0.5 if kind != "order" else None)


def _ranking(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    (_, _, metric), line = _line(draft)
    ranked = sorted(line, key=lambda it: -draft.exact[it])
    if all(draft.exact[a] > draft.exact[b] for a, b in pairwise(ranked)) and len(ranked) > 1:
        yield states("ranking", *ranked, metric=metric, id=id)
    best, *others = ranked
    if others:
        unique = draft.exact[best] > draft.exact[others[0]]
        strength = "unique" if unique else "among_best"
        yield states("optimum", best, *line, metric=metric, id=f"{id}-best", strength=strength)


def _sweep(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    levels = draft.sweeps[int(draft.rng.integers(len(draft.sweeps)))]
    metric = levels[0].rpartition(".")[2]
    gaps = [draft.exact[b] - draft.exact[a] for a, b in pairwise(levels)]
    for direction, holds in (("rising", min(gaps) > 0), ("falling", max(gaps) < 0)):
        if holds:
            yield states("trend", *levels, metric=metric, id=f"{id}-{direction}", direction=direction)


def _significant(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    """By McNemar's test on the documents of one run, in any of its forms, or by a t-test over runs."""
    if (pair := _pair(draft)) is None or pair[2] != "P@1":
        return
    better, worse, metric = pair
    if better not in draft.hits or worse not in draft.hits:
        return
    first, second = draft.hits[better], draft.hits[worse]
    dataset = next(on for (_, on, _), line in draft.lines.items() if better in line)
    if len(first) == 1:
        b = int((first[0][:, 0] & ~second[0][:, 0]).sum())
        c = int((second[0][:, 0] & ~first[0][:, 0]).sum())
        tests = [
            stats.binomtest(b, b + c, alternative="two-sided").pvalue,
            stats.binomtest(b, b + c, alternative="greater").pvalue,
            stats.norm.sf((b - c) / np.sqrt(b + c)),
        ]
    else:
        differences = [float(x[:, 0].mean() - y[:, 0].mean()) for x, y in zip(first, second, strict=True)]
        if np.ptp(differences) < 1e-9:
            return
        tests = [stats.ttest_1samp(differences, 0, alternative="greater").pvalue]
    if min(tests) <= 0.05:
        yield states("significant", better, worse, metric=metric, id=id, dataset=dataset, test="some test")


def _dominance(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    """Over all lines with the winner the place that it takes at worst; or how many data sets it leads in."""
    which = ["t1"] if draft.chance(0.5) else ["t1", "t2"]
    lines = {key: line for key, line in draft.lines.items() if key[0] in which}
    methods = sorted({draft.methods[it] for line in lines.values() for it in line})
    winner = methods[int(draft.rng.integers(len(methods)))]
    places: dict[tuple[str, str, str], int] = {}
    for key, line in lines.items():
        own = [draft.exact[it] for it in line if draft.methods[it] == winner]
        if len(own) == 1 and len(line) > 1:
            places[key] = 1 + sum(draft.exact[it] > own[0] for it in line)
    if not places:
        return
    worst = max(places.values())
    yield states("dominance", id=id, metric="", experiments=2, winner=winner, tables=which, place=worst)
    sets = {dataset: [p for key, p in places.items() if key[1] == dataset] for _, dataset, _ in places}
    metrics = {metric: [p for key, p in places.items() if key[2] == metric] for _, _, metric in places}
    if which == ["t1"]:
        everywhere = sum(max(held) == 1 for held in sets.values())
        mostly = sum(2 * held.count(1) > len(held) for held in sets.values())
        by_metric = min(held.count(1) for held in metrics.values())
        for name, number in (("all", everywhere), ("most", mostly), ("each", by_metric)):
            if number:
                details = {"winner": winner, "tables": which, "at_least": number}
                yield states("dominance", id=f"{id}-{name}", metric="", experiments=2, **details)


def _cost(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    names = list(draft.times)
    a, b = (names[i] for i in draft.rng.choice(len(names), 2, replace=False))
    if draft.times[a] != draft.times[b]:
        cheaper, dearer = (a, b) if draft.times[a] < draft.times[b] else (b, a)
        yield states("cost", cheaper, dearer, metric="", id=id, quantity="training_time")


# --------------------------------------------------------------------------- with a number


def _words(draft: Draft, value: Fraction) -> str:
    """`more than 2`, `about 2.1`, ...: a relation in which the value stands to a number of few digits."""
    digits = int(draft.rng.integers(0, 3))
    scale = 10**digits
    below, above = Fraction(floor(value * scale), scale), Fraction(ceil(value * scale), scale)
    near = below if value - below <= above - value else above
    offered = [("at least", below), ("at most", above), ("about", near)]
    if below < value:
        offered.append(("more than", below))
    if value < above:
        offered.append(("less than", above))
        if above - value >= Fraction(1, 2 * scale):
            offered.append(("nearly", above))
    words, number = offered[int(draft.rng.integers(len(offered)))]
    return (
        f"{words} {float(number):.{digits}f}"
        if number >= 0
        else f"more than 0 - {float(-number) + 1:.{digits}f}"
    )


def _gain(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    if pair := _pair(draft):
        a, b, metric = pair
        first, second = draft.exact[a], draft.exact[b]
        points, percent = first - second, 100 * (first - second) / second if second else None
        yield _says(id, f"gain({a}, {b}) {_words(draft, points)}", metric)
        if percent is not None:
            yield _says(f"{id}-percent", f"relative_gain({a}, {b}) {_words(draft, percent)}", metric)
            either = points if draft.chance(0.5) else percent
            yield _says(f"{id}-either", f"improvement({a}, {b}) {_words(draft, either)}", metric)


def _place(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    (_, _, metric), line = _line(draft)
    own = line[int(draft.rng.integers(len(line)))]
    values = sorted((draft.exact[it] for it in line), reverse=True)
    place = 1 + sum(value > draft.exact[own] for value in values)
    yield _says(id, f"rank({own}) <= {place}", metric)
    yield _says(f"{id}-is", f"rank({own}) = {place}", metric)
    if draft.exact[own] == values[0]:
        yield _says(f"{id}-best", f"{own} >= best(group({own}))", metric)
    if len(values) > 1:
        yield _says(f"{id}-second", f"second_best(group({own})) {_words(draft, values[1])}", metric)
        yield _says(f"{id}-span", f"span(group({own})) {_words(draft, values[0] - values[-1])}", metric)
    yield _says(
        f"{id}-mean", f"mean(group({own})) {_words(draft, sum(values, Fraction(0)) / len(values))}", metric
    )


def _several(draft: Draft, id: str) -> Iterator[ClaimRecord]:
    """In so many of some comparisons; and all of those that hold."""
    pairs = [pair for _ in range(4) if (pair := _pair(draft))]
    if len(pairs) < 2:
        return
    turned: Sequence[bool] = [draft.chance(0.3) for _ in pairs]
    shown = [f"{b} > {a}" if turn else f"{a} > {b}" for (a, b, _), turn in zip(pairs, turned, strict=True)]
    holds = turned.count(False)
    yield _says(id, f"count({', '.join(shown)}) at least {holds}", "")
    yield _says(f"{id}-exactly", f"count({', '.join(shown)}) = {holds}", "")
    yield _says(f"{id}-all", " and ".join(f"{a} > {b}" for a, b, _ in pairs), "")


def _says(id: str, expect: str, metric: str) -> ClaimRecord:
    return states("arithmetic", id=id, expect=expect, metric="")
