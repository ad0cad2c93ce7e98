"""Several experiments at once: rankings, trends, the best level of a sweep, the best method overall. All
are made of comparisons of two arms. That all hold is shown by the largest p (intersection-union: Berger
1982), that one is broken by Holm 1979. Trends: Page 1963; the best of a sweep: after Hsu 1984; counts of data
sets: Benjamini and Heller 2008."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from audit.claims.schema import Count, Misfit, Name, Reference, Table
from audit.claims.source import KeyPath
from audit.judging.evidence import Arm
from audit.kinds.base import KIND, Case, Claim, JudgedByMargin, References, note_difference, untested
from audit.record import Cell, Part
from audit.stats.decision import Decision, Route, Step, Steps, Test, holm, nums, partial_conjunction
from audit.stats.power import Direction, Question, Several, noise_of
from audit.stats.sample import SAME, Difference, small_sample_cap

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The exact law of one block visits 2^m sets of levels.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Comparison:
    """ "The first arm is better than the second", tested both ways; without runs neither is shown."""

    first: str
    second: str
    where: str = ""
    difference: Difference | None = None
    steps: tuple[Step, ...] = ()
    p: float | None = None  # One-sided p of the order.
    p_reversed: float | None = None  # Two-sided p of the reverse.
    cap: str | None = "not_run"
    exact: bool = False  # Nothing is random: both arms are deterministic, and the sides are 0 or 1.
    # as members of a family: what is capped still belongs to it, and neither side of it is shown
    holds: float = 1.0
    worse: float = 1.0
    reversed: float = 1.0

    @property
    def says(self) -> str:
        """`a > b`, `eurlex P@1: a > b`."""
        where = f"{self.where.removeprefix(', ')}: " if self.where else ""
        return f"{where}{self.first} > {self.second}"

    def part(self, p: float | None, p_back: float | None, estimate: float | None = None) -> Part:
        if estimate is None and self.difference:
            estimate = self.difference.value
        return Part(self.says, (self.first, self.second), estimate, p, p_back)


@lru_cache(maxsize=8192)  # without one seed of one arm, most comparisons of a claim are as they were
def compared(
    first: str, second: str, x: Sequence[float], y: Sequence[float], still: bool = False, where: str = ""
) -> Comparison:
    """By Welch's t; `still`: nothing is random. `where` distinguishes comparisons of the same arms."""
    steps, label = Steps(), f"{first} > {second}{where}: "
    d = note_difference(steps, x, y, names=(first, second), label=label, where=where)
    plain = Comparison(first, second, where, d, tuple(steps), cap=d.cap)
    if still and d.still:
        holds, back = float(d.value <= SAME), float(d.value >= -SAME)
        return replace(plain, cap=None, exact=True, holds=holds, worse=back, reversed=back)
    if d.error is not None:
        kept, steps.label = len(steps), label
        p, worse = steps.tail("p_order", "d", d.error.df), steps.tail("p_worse", "-d", d.error.df)
        back, steps.label = steps.work("p_reversed", "min(1, 2 * p_worse)"), ""
        plain = replace(plain, p=p, p_reversed=back)
        if not d.cap:
            return replace(plain, steps=tuple(steps), holds=p, worse=worse, reversed=back)
        del steps[kept:]
    _one(steps, f"{label}p_order and p_reversed", f"it may not decide ({d.cap})")
    return replace(plain, steps=tuple(steps))


def _noted(steps: Steps, every: Iterable[Comparison]) -> list[Comparison]:
    found = list(every)
    steps += [step for pair in found for step in pair.steps]
    return found


def _one(steps: Steps, name: str, why: str) -> float:
    return steps.note(name, f"1, as {why}", 1.0, text=lambda: "1")


def _cap(every: Sequence[Comparison]) -> str | None:
    return every[0].cap if all(pair.cap for pair in every) else None


def _undecided(every: Sequence[Comparison], otherwise: str = "undecided") -> str:
    return next((pair.cap for pair in every if pair.cap), otherwise)


def _test(
    steps: Steps, every: Sequence[Comparison], reason: str, p_reproduced: float, p_broken: float, **more: Any
) -> Test:
    """Of p-values that are 0 or 1 where nothing is random."""
    exact = None
    if all(pair.exact for pair in every):
        exact = Decision("inconclusive", "undecided")
        if p_broken == 0.0:
            exact = Decision("contradicted", "reversed")
        elif p_reproduced == 0.0:
            exact = Decision("reproduced", reason)
    numbers: dict[str, Any] = {
        "contradictions": (Route(reason="reversed", p=p_broken),),
        "cap": _cap(every),
        "exact": exact,
        "if_undecided": _undecided(every),
    }
    return Test(steps=steps, p_reproduced=p_reproduced, if_reproduced=reason, **numbers | more)


def _question(
    every: Sequence[Comparison], *, shared: bool, within: float | None = None, **more: Any
) -> Question | None:
    """None where the noise of one cannot be estimated; `within` a margin, and one of them holds."""
    known = [d for pair in every if (d := pair.difference) and d.error]
    parts = tuple(Direction(d.value, noise_of(d)) for d in known)
    if len(parts) < len(every):
        return None
    names = tuple(pair.says for pair in every)
    if within is None:
        return Several(parts, shared=shared, names=names, **more)
    near = tuple(replace(part, bar=-within, floor=-within) for part in parts)
    return Several(near, shared=shared, one_of=parts, names=names, **more)


def _holm(steps: Steps, name: str, of: str, which: str, p_values: Sequence[float]) -> float:
    """The largest or the smallest of the p-values adjusted by Holm."""
    value, text = (max if which == "max" else min)(holm(p_values)), f"{which}(Holm({nums(p_values)}))"
    return steps.note(name, f"{which}(Holm of the {of})", value, text=lambda: text)


class RankingClaim(Claim):
    """Several experiments, from best to worst."""

    references = ("order",)
    arms = None
    under_specifications = True
    comparison = "falls"

    kind: Literal["ranking"] = KIND
    order: References
    """The references from best to worst."""

    @staticmethod
    def judge(case: Case) -> Test:
        """Reproduced iff every adjacent order is, contradicted iff one is reversed; Holm inside, both ways.
        Systems with too few runs stay in the family, and keep the ranking from being reproduced."""
        steps = Steps()
        pairs = zip(pairwise(case.names), pairwise(case.values), strict=True)
        every = _noted(steps, (compared(*names, *values, case.deterministic) for names, values in pairs))
        holds, back = [pair.holds for pair in every], [pair.reversed for pair in every]
        return _test(
            steps,
            every,
            "in_order",
            _holm(steps, "p_rep", "p_order", "max", holds),
            _holm(steps, "p_con", "p_reversed", "min", back),
            parts=tuple(pair.part(*ps) for pair, *ps in zip(every, holm(holds), holm(back), strict=True)),
            badges=case.without_spread,
            question=_question(every, shared=True),
        )


class TrendClaim(Claim):
    """The metric rises or falls along a sweep."""

    references = ("levels",)
    arms = None
    under_specifications = True
    comparison = "rises"

    kind: Literal["trend"] = KIND
    levels: References
    """The references in the order of the sweep."""
    direction: Literal["rising", "falling"]
    """Whether the metric rises or falls along the sweep."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"direction": self.direction}}

    @staticmethod
    def judge(case: Case) -> Test:
        """Page's test of the levels, with the seeds that all of them have as blocks.

        reproduced     iff Page's p <= alpha and no adjacent pair is significantly reversed (Holm)
        contradicted   iff 2 p of the opposite trend <= alpha (`reversed`), or a pair is reversed
        (`step_back`)"""
        drawn = [set(arm.seeds) for arm in case.arms if not arm.deterministic]
        common = sorted(set.intersection(*drawn)) if drawn else [0, 1, 2]  # a deterministic one has any
        if not common:
            return untested("too_few_seeds")
        if len(case.arms) > MOST_LEVELS:
            return untested("too_many_levels")
        climb = [(arm.experiment, arm.at(common)) for arm in case.arms]
        if case.claim.details.get("direction") == "falling":
            climb.reverse()
        steps, blocks = Steps(case.alpha), list(zip(*(runs for _, runs in climb), strict=True))
        back = [block[::-1] for block in blocks]
        (L, p_trend), (_, p_opposite) = page(blocks), page(back)

        def shown(of: Sequence[Sequence[float]]) -> str:
            return ", ".join(f"[{nums(block)}]" for block in of)

        steps.note("L", "sum over seeds of sum_j j rank_j", L, lambda: f"L({shown(blocks)})")
        steps.note("p_trend", "Page's exact P[L at least this]", p_trend, lambda: f"Page({shown(blocks)})")
        steps.note("p_opposite", "the same of the opposite trend", p_opposite, lambda: f"Page({shown(back)})")
        pairs = pairwise(climb)
        every = _noted(steps, (compared(b, a, y, x, case.deterministic) for (a, x), (b, y) in pairs))
        each = [pair.reversed for pair in every]
        step_back = _holm(steps, "p_step_back", "p_reversed", "min", each)
        if step_back <= case.alpha:
            p_reproduced = _one(steps, "p_rep", "a step goes back")
        else:
            p_reproduced = steps.work("p_rep", "p_trend")
        steps.work("p_con", "min(1, 2 * p_opposite, p_step_back)")
        turned = Route(reason="reversed", p=min(1.0, 2.0 * p_opposite))
        still, exact = all(pair.cap == "no_spread" for pair in every), all(pair.exact for pair in every)
        return _test(
            steps,
            every,
            "trend",
            max(pair.holds for pair in every) if exact else p_reproduced,
            min(each) if exact else step_back,
            parts=tuple(one.part(one.p, p) for one, p in zip(every, holm(each), strict=True)),
            badges=(f"{len(common)} seeds as blocks",),
            contradictions=(turned, Route(reason="step_back", p=step_back)),
            cap=None if exact else small_sample_cap(len(blocks), still=still),
            if_undecided="undecided",
            question=_question(every, shared=True, sweep=True),
        )


def page(blocks: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Page's L of `blocks` (seeds x levels), the levels as they are claimed to rise, and its exact one-sided
    p.

        L = sum over blocks of sum_j j r_j       r_j the rank of level j within its block (Page 1963)

    The law is that of midranks where there are ties, which `scipy.stats.page_trend_test` does not know. Under
    the null any one run of each level can make a block. Raises ValueError for blocks of different length or
    nan."""
    import numpy as np
    from scipy.stats import rankdata

    levels, missing = {len(block) for block in blocks}, any(math.isnan(x) for block in blocks for x in block)
    if len(levels) != 1 or not 2 <= max(levels) <= MOST_LEVELS or missing:
        raise ValueError(f"Page's test needs blocks of 2 to {MOST_LEVELS} numbers, got {blocks!r}")
    doubled = [tuple(int(2 * rank) for rank in rankdata(block)) for block in blocks]
    total = sum(j * r for ranks in doubled for j, r in enumerate(ranks, start=1))
    law: NDArray[Any] = np.ones(1)
    for ranks in doubled:
        law = np.convolve(law, _law(tuple(sorted(ranks))))
    return total / 2.0, min(1.0, float(law[total:].sum()))


@lru_cache(maxsize=64)
def _law(ranks: tuple[int, ...]) -> NDArray[Any]:
    """P[sum_j j r_j = s] for s = 0, 1, ..., ranks in random order, by sets of ranks already placed."""
    import numpy as np

    m, most = len(ranks), sum(j * r for j, r in enumerate(ranks, start=1))
    ways: list[NDArray[Any]] = [np.zeros(most + 1) for _ in range(2**m)]
    ways[0][0] = 1.0
    for chosen in range(2**m):
        position = chosen.bit_count() + 1
        for i, rank in enumerate(ranks):
            if not chosen >> i & 1:
                step = position * rank
                ways[chosen | 1 << i][step:] += ways[chosen][: most + 1 - step]
    law: NDArray[Any] = ways[-1] / math.factorial(m)
    return law


class OptimumClaim(JudgedByMargin):
    """One level of a sweep is the best."""

    references = ("best", "among")
    arms = None
    under_specifications = True
    comparison = "best"

    kind: Literal["optimum"] = KIND
    best: Reference
    """table.row or table.row.column of the best level"""
    among: References
    """The references of all levels; the best one may stand among them."""
    strength: Literal["unique", "among_best"] = "unique"
    """unique: better than every other level; among_best: no other level is better by the margin."""

    @staticmethod
    def needs_margin(details: Mapping[str, Any]) -> bool:
        return details.get("strength") == "among_best"

    def misfits(self) -> Iterator[Misfit]:
        yield from super().misfits()
        if self.margin and self.strength != "among_best":
            text = "is not used: that one level is better than all is judged without; drop it"
            yield ("margin",), f"{text}, or set strength: among_best"

    def settings(self) -> dict[str, Any]:
        return {"details": {"strength": self.strength}}

    @staticmethod
    def compared(case: Case) -> list[Sequence[Arm]]:
        """The best level may stand among the others; elsewhere a name that stands twice is a mistake."""
        return [list({arm.experiment: arm for arm in case.arms}.values())]

    @staticmethod
    def judge(case: Case) -> Test:
        """One-sided Welch of the best level against each other one, Holm within the sweep.

            unique       reproduced iff it beats all others; contradicted iff some level beats it
            among_best   (with a margin D) reproduced iff each is shown not to be better by D or more and one
                         at least is beaten; contradicted iff some level is better by more

        Against a single other level a contradiction is two-sided, as in an order claim."""
        levels = dict(zip(case.names, case.values, strict=True))
        best, *others = levels
        if not others:
            return untested("same_runs")
        margin = case.margin if OptimumClaim.needs_margin(case.claim.details) else None
        steps = Steps(case.alpha, D=margin)
        pairs = (compared(best, name, levels[best], levels[name], case.deterministic) for name in others)
        every = _noted(steps, pairs)
        orders, worse = [pair.holds for pair in every], [pair.worse for pair in every]
        beats, beaten = holm(orders), holm(worse)
        if margin is None:
            reason, of, against = "unique", "p_worse", worse
            p_reproduced = _holm(steps, "p_rep", "p_order", "max", orders)
        else:
            reason, of = "among_best", "p_far"
            near, against = map(list, zip(*(_within(steps, pair, margin) for pair in every), strict=True))
            text = f"max(min(Holm({nums(orders)})), {nums(near)})"
            pattern, p = "max(min(Holm of the p_order), all p_within)", max(min(beats), *near)
            p_reproduced = steps.note("p_rep", pattern, p, text=lambda: text)
        if len(every) > 1:
            p_beaten = _holm(steps, "p_con", of, "min", against)
        else:  # of a single one both sides count, as in an order claim
            p_beaten = steps.work("p_con", f"min(1, 2 * {of})", **{of: against[0]})
        tied = [best, *(name for name, p in zip(others, beats, strict=True) if p > case.alpha)]
        means = {name: sum(runs) / len(runs) for name, runs in levels.items()}
        return _test(
            steps,
            every,
            reason,
            p_reproduced,
            p_beaten,
            margin=margin,
            parts=tuple(
                # by plain means, as in older records, which are held against what is judged today
                pair.part(p, p_back, means[best] - means[pair.second])
                for pair, p, p_back in zip(every, beats, beaten, strict=True)
            ),
            badges=(*case.without_spread, *((f"tied: {', '.join(tied)}",) if len(tied) > 1 else ())),
            if_undecided=_undecided(every, "tied"),
            question=_question(every, shared=margin is None, within=margin, one_sided=len(every) > 1),
        )


def _within(steps: Steps, pair: Comparison, margin: float) -> tuple[float, float]:
    """One-sided p of "the level is better by the margin or more", and of "by the margin or less"."""
    names, d = (f"p_within, {pair.second}", f"p_far, {pair.second}"), pair.difference
    if pair.exact and d:
        far = float(d.value < -margin - SAME)
        return far, 1.0 - far
    if pair.cap or d is None or d.error is None:
        return _one(steps, names[0], "it may not decide"), _one(steps, names[1], "it may not decide")
    steps.known |= {"d": d.value, "se": d.error.se}
    return steps.tail(names[0], "d + D", d.error.df), steps.tail(names[1], "-d - D", d.error.df)


class DominanceClaim(Claim):
    """One method is best (or among the best) throughout."""

    references = ()  # It names tables, and methods in them.
    arms = None
    needs_metric = False
    under_specifications = True
    by_parts = True

    kind: Literal["dominance"] = KIND
    winner: Name
    """The method, by the name that experiments give it."""
    tables: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The tables that compare it."""
    over: tuple[Name, ...] | None = None
    """The methods that it beats; default: all others of the tables."""
    datasets: tuple[Name, ...] | None = None
    """The data sets concerned; default: all of the tables."""
    place: Count = 1
    """1: the best; 2: the best or second best; ..."""
    at_least: Count | None = None
    """Number of data sets on which it must hold, at least; default: all."""

    def settings(self) -> dict[str, Any]:
        names = {"over": self.over, "datasets": self.datasets, "metrics": self.metric}
        details: dict[str, Any] = {key: list(value) for key, value in names.items() if value is not None}
        details |= {"winner": self.winner, "tables": list(self.tables), "place": self.place}
        return {"details": details | ({"at_least": self.at_least} if self.at_least else {})}

    def named(self) -> Iterator[tuple[KeyPath, str, str]]:
        yield ("winner",), "method", self.winner
        for key, what in (("tables", "table"), ("datasets", "data set"), ("over", "method")):
            for index, name in enumerate(getattr(self, key) or ()):
                yield (key, index), what, name

    def from_tables(self, cells: Sequence[Cell], table: Table | None, each: Iterable[Cell]) -> dict[str, Any]:
        """The winner's experiment and its rivals', for each table, data set and metric that is meant."""
        groups: dict[tuple[str, str, str], list[Cell]] = {}
        for cell in each:
            name, dataset, metric = cell.address.split(".")[0], cell.dataset, cell.metric
            if name not in self.tables or not dataset or not metric or cell.printed is None:
                continue
            if dataset in (self.datasets or (dataset,)) and metric in (self.metric or (metric,)):
                groups.setdefault((name, dataset, metric), []).append(cell)
        lines: list[dict[str, Any]] = []
        for (_, dataset, metric), group in groups.items():
            winners = [cell.experiment for cell in group if cell.method == self.winner]
            others = [cell for cell in group if cell.method not in (None, self.winner)]
            rivals = [cell.experiment for cell in others if cell.method in (self.over or (cell.method,))]
            if len(winners) == 1 and rivals:
                line = {"dataset": dataset, "metric": metric, "winner": winners[0], "rivals": rivals}
                lines.append(line)
        names = dict.fromkeys(name for line in lines for name in (line["winner"], *line["rivals"]))
        return {"details": {"lines": lines}, "experiments": tuple(names)}

    @staticmethod
    def compared(case: Case) -> list[Sequence[Arm]]:
        """If one corpus stands in for several data sets, several lines have the same runs."""
        lines = [{line["winner"], *line["rivals"]} for line in case.claim.details["lines"]]
        return [[arm for arm in case.arms if arm.experiment in line] for line in lines]

    @staticmethod
    def judge(case: Case) -> Test:
        """Each line of the tables (data set and metric) is a group of orders: the winner over each other. "In
        at least so many data sets" is asked of each metric by itself, and must hold for all. Comparisons that
        were not made count as not shown: what was run may contradict the claim."""
        details, steps = case.claim.details, Steps()
        place, at_least = details.get("place", 1), details.get("at_least")
        groups: dict[str, list[list[Comparison]]] = {}
        every: list[Comparison] = []
        badges: list[str] = []
        lacks: list[str] = []
        seen: dict[Any, str] = {}
        for line in details["lines"]:
            where, metric = f"{line['dataset']} {line['metric']}", line["metric"]
            winner, *rivals = (case.arm(name, metric) for name in (line["winner"], *line["rivals"]))
            runs = (metric, *(tuple(run.key for run in arm.runs) for arm in (winner, *rivals)))
            if all(runs) and seen.setdefault(runs, where) != where:
                badges.append(f"{where}: the same runs as {seen[runs]}")
                continue  # a corpus that stands in for several data sets is one
            for arm in (winner, *rivals):
                if arm.lacks:
                    none = "no run that ended" if arm.lacks == "run_failed" else "no run"
                    badges += [f"{arm.experiment}: {note}" for note in arm.notes or (f"{none} for {where}",)]
                    lacks.append(arm.lacks)
            if place > len(rivals):
                badges.append(f"{where}: {len(rivals) + 1} methods")
                return untested("place_always_held", badges=badges)
            found = _noted(steps, (_over(winner, rival, f", {where}") for rival in rivals))
            groups.setdefault(metric if at_least is not None else "", []).append(found)
            every += found
        if all(pair.difference is None for pair in every):
            return untested(lacks[0] if lacks else "not_run", badges=badges)
        sides = []
        for metric, lines in groups.items():
            least = None if at_least is None else min(at_least, len(lines))
            if at_least and len(lines) < at_least <= len({it["dataset"] for it in details["lines"]}):
                lacks.append("partly_run")
            name = f", {metric}" if len(groups) > 1 else ""
            sides.append(dominance(lines, place=place, at_least=least, steps=steps, name=name))
        (p_reproduced, p_broken), single = sides[0], len(sides) == 1
        if not single:
            holds, broken = zip(*sides, strict=True)
            p_reproduced = steps.note("p_rep", "max(p)", max(holds), p=holds)
            p_broken = min(1.0, len(broken) * min(broken))
            steps.note("p_con", "min(1, metrics * min(p))", p_broken, metrics=len(broken), p=broken)
        caps = [_cap([pair for line in lines for pair in line]) for lines in groups.values()]
        test = _test(
            steps,
            every,
            "dominates",
            p_reproduced,
            p_broken,
            parts=tuple(pair.part(pair.p, pair.p_reversed) for pair in every),
            badges=tuple(badges),
            cap=next(filter(None, caps), None),
            if_undecided=_undecided([pair for line in next(iter(groups.values())) for pair in line]),
            # for counts of data sets there is no rule to plan with
            question=_question(every, shared=False) if place == 1 and at_least is None else None,
        )
        if not single:
            test = replace(test, exact=None)
        if not lacks:
            return test
        _one(steps, "p_rep", "not all of it was run")
        made = [pair for pair in every if pair.difference]
        return replace(test, p_reproduced=1.0, cap=_cap(made), exact=None, if_undecided="partly_run")


def dominance(
    lines: Sequence[Sequence[Comparison]],
    *,
    place: int = 1,
    at_least: int | None = None,
    steps: Steps,
    name: str = "",
) -> tuple[float, float]:
    """p of the claim and of its contrary; `lines` holds, for each data set, "the winner is better than this
    method". With k other methods the winner is at `place` or above iff it beats k - place + 1 of them, and is
    not iff `place` of them beat it; the claim asks for that on `at_least` of the data sets (all, when left
    out). Each count is a partial conjunction, valid under any dependence."""
    count = len(lines) if at_least is None else at_least

    def conjunction(of: str, says: str, least: int, p_values: Sequence[float]) -> float:
        value = partial_conjunction(p_values, at_least=least)
        return steps.note(of, says, value, text=lambda: f"PC({least}; {nums(p_values)})")

    each, broken = [], []
    for line in lines:
        where, wanted = line[0].where, len(line) - place + 1
        holds, back = [pair.holds for pair in line], [pair.reversed for pair in line]
        each.append(conjunction(f"p_line{where}", f"it beats {wanted} of {len(line)}", wanted, holds))
        broken.append(conjunction(f"p_line_broken{where}", f"{place} of them beat it", place, back))
    names = (f"p_holds{name}", f"p_broken{name}") if name else ("p_rep", "p_con")
    less = len(lines) - count + 1
    return (
        conjunction(names[0], f"at least {count} of the p_line", count, each),
        conjunction(names[1], f"at least {less} of the p_line_broken", less, broken),
    )


def _over(winner: Arm, rival: Arm, where: str) -> Comparison:
    """The winner over one other method; neither side of it is shown where one of the two has no run."""
    first, second = winner.experiment, rival.experiment
    if winner.lacks or rival.lacks:
        steps = Steps()
        _one(steps, f"{first} > {second}{where}: p_order and p_reversed", "it was not run")
        return Comparison(first, second, where, steps=tuple(steps))
    still = winner.deterministic and rival.deterministic
    return compared(first, second, winner.values, rival.values, still, where)
