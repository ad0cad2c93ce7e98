"""Verdicts where the claims were judged at several numbers of seeds: every look costs. Each look has its part
of the level (Bonferroni: any dependence), and the first that decides a claim gives its verdict, by the runs
that it saw, unless the seeds since do not bear it out. Judging the same seeds again is no new look.
A look at so few seeds that it decides nothing costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from audit.names import counted
from audit.record import ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA, level_of, percent
from audit.stats.sample import DECIDING_SEEDS

Judge = Callable[[Mapping[str, ExperimentRecord], float], tuple[Verdict, ...]]
"""Experiments and a level -> one verdict a claim."""


def ruled(looks: Iterable[Look]) -> tuple[Look, ...]:
    """The looks that were taken, each once and with its level: the newest declared ones last. Undeclared ones
    come in the order in which they were taken. Declared ones share what those before them have left, and come
    by seeds; an earlier one of them that is not on record belongs to them too."""
    every = list(looks)
    taken: list[Look] = []
    number = 0
    for look in (look for look in every if not look.declared):
        place = next((k for k, old in enumerate(taken) if old.is_same(look, taken[:k])), len(taken))
        if place == len(taken):
            taken.append(replace(look, level=level_of(number + 1)))
            number += look.seeds >= DECIDING_SEEDS
        taken[place] = taken[place].joined(look)
    declared = max((look.declared for look in every), key=len, default=())
    further = [seeds for seeds in declared if seeds not in {look.seeds for look in taken}]
    reached = max((look.seeds for look in every if look.declared), default=0)
    spent = sum(look.level for look in taken if look.seeds >= DECIDING_SEEDS)
    level = (ALPHA - spent) / len(further) if further else 0.0
    for seeds in (seeds for seeds in further if seeds <= reached):
        alike = (look for look in every if look.declared and look.seeds == seeds)
        taken.append(reduce(Look.joined, alike, Look(seeds, level, declared)))
    return tuple(taken)


def next_level(looks: Sequence[Look]) -> float:
    """The level of the look that comes after these; all of it where none is on record."""
    if declared := [look for look in looks if look.declared]:
        return declared[-1].level
    return level_of(1 + sum(look.seeds >= DECIDING_SEEDS for look in looks)) if looks else ALPHA


def with_look(
    looks: Sequence[Look],
    seeds: int,
    declared: tuple[int, ...] = (),
    runs: Mapping[str, tuple[str, ...]] | None = None,
) -> Look:
    """The look at `seeds` seeds with its level, after `looks` or among them; `runs` are `Look.runs`."""
    new = Look(seeds, ALPHA, declared, runs or {})
    every = ruled([*looks, new])
    by_seeds = next(look for look in every if look.seeds == seeds)
    return next((look for look in reversed(every) if look.is_same(new)), by_seeds)


def judge_by(
    looks: Sequence[Look], experiments: Mapping[str, ExperimentRecord], judge: Judge
) -> tuple[Verdict, ...]:
    """The verdicts of `judge` look by look; at the whole level where none was put on record."""
    if not looks:
        return judge(experiments, ALPHA)
    settled: dict[str, Verdict] = {}
    newest: dict[str, Verdict] = {}
    for number, look in enumerate(looks, start=1):
        for verdict in judge(at_look(experiments, looks, look), look.level):
            verdict = replace(verdict, look=number)
            if verdict.p_reproduced is not None and (number > 1 or look.declared):
                badge = f"look at {counted(look.seeds, 'seed')}, level {percent(look.level, 3)}"
                verdict = replace(verdict, badges=(*verdict.badges, badge))
            if verdict.outcome != "inconclusive":
                settled.setdefault(verdict.claim, verdict)
            if look == furthest(looks):
                newest[verdict.claim] = verdict
    return tuple(_borne_out(settled.get(claim, last), last) for claim, last in newest.items())


def _borne_out(decided: Verdict, last: Verdict) -> Verdict:
    """The verdict of the look that decided, with what all seeds of the last look say of it; where they would
    not even decide it alike at the whole level, it is not decided, and their numbers are shown."""
    if decided.look == last.look or sum(last.attempts) <= sum(decided.attempts):
        return decided
    p = last.p_reproduced if decided.outcome == "reproduced" else last.p_contradicted
    if last.outcome == decided.outcome or (p is not None and p <= ALPHA):
        return replace(decided, last_n=last.n, last_estimate=last.estimate)
    if last.p_reproduced is None and last.outcome == "inconclusive":
        return last  # it cannot be tested any more, and says why
    badge = f"{decided.outcome} at the look at {counted(max(decided.n), 'seed')}"
    return replace(last, outcome="inconclusive", reason="undone", badges=(*last.badges, badge))


def furthest(looks: Sequence[Look]) -> Look:
    """The last one of most seeds, which has the verdict of what no look decided."""
    return max(reversed(looks), key=lambda look: look.seeds)


def at_look(
    experiments: Mapping[str, ExperimentRecord], looks: Sequence[Look], look: Look
) -> dict[str, ExperimentRecord]:
    """The experiments with the runs that looks up to this one saw; if none names one, its first seeds."""
    seen: dict[str, tuple[str, ...]] = {}
    for taken in looks[: next(k for k, taken in enumerate(looks) if taken is look) + 1]:
        seen |= taken.runs
    found = {}
    for name, record in experiments.items():
        keys, gone = seen.get(record.runs[0].spec.arm) if seen and record.runs else None, record.gone
        if keys is None:
            first = sorted({*(run.spec.seed for run in record.runs), *gone})[: look.seeds]
            keys = tuple(run.key for run in record.runs if run.spec.seed in first)
            gone = tuple(seed for seed in gone if seed in first)
        runs = tuple(run for run in record.runs if run.key in keys)
        found[name] = replace(record, runs=runs, gone=gone)
    return found


def about_looks(looks: Sequence[Look], experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """What a reader must know of the looks: their levels, and what waits."""
    ran = [record for record in experiments if record.runs]
    if looks and ran and all(record.deterministic for record in ran):
        return ("Nothing is random here, so one run of each experiment suffices.",)
    if not looks:
        return ()

    def listed(items: Iterable[object]) -> str:
        """`3, 5 and 8`."""
        *before, last = map(str, items)
        return " and ".join(filter(None, (", ".join(before), last)))

    reached, alpha, each = furthest(looks), percent(ALPHA, 3), []
    for look in looks:
        costs = f"level {percent(look.level, 3)}" if look.seeds >= DECIDING_SEEDS else "decides nothing"
        each.append(f"{counted(look.seeds, 'seed')} ({costs})")
    text = (
        f"First look at the results, at {listed(each)}. Each later look, at more seeds, is stricter, so that "
        f"all looks together err in at most {alpha} of cases."
    )
    if len(looks) > 1 or reached.declared:
        planned = f" of the declared ones, at {listed(reached.declared)} seeds" if reached.declared else ""
        text = (
            f"Looks at {listed(each)}{planned}: all together err in at most {alpha} of cases. A claim has "
            "the verdict of the first look that decided it, on that look's seeds, if later seeds confirm it."
        )
    later = [seeds for seeds in reached.declared if seeds > reached.seeds]
    more = sum(len({run.spec.seed for run in record.runs}) > reached.seeds for record in ran)
    if not more:
        return (text,)
    have = "1 experiment has" if more == 1 else f"{more} experiments have"
    wait = f"before the look at {later[0]}" if later else "since no later look was taken"
    return text, f"{have} more seeds than the look at {reached.seeds}: they are not used {wait}."
