"""Verdicts where the claims were judged at several numbers of seeds: every look costs.

Each look has its part of the level, and the first look that decides a claim gives its verdict, on the seeds
of that look, unless the seeds since do not bear it out. By Bonferroni the chance that any look errs is at
most the sum of their levels, for whatever dependence (for a false discovery rate too: the share of errors
among all that was ever rejected is at most the sum of the shares of each look).

A look is a number of seeds at which the claims were judged: judging the same evidence again is no new one. It
is judged by the runs that it saw, whatever seeds came later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from audit.names import counted
from audit.record import ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA
from audit.stats.families import level_of

Judge = Callable[[Mapping[str, ExperimentRecord], float], tuple[Verdict, ...]]
"""Experiments and a level -> one verdict a claim."""

#: With fewer seeds nothing is decided by their spread, so that such a look costs nothing of the level.
_DECIDES_FROM = 3


def ruled(looks: Iterable[Look]) -> tuple[Look, ...]:
    """The looks that were taken, each once and with its level: the newest declared ones last.

    Undeclared ones come in the order in which they were taken, the first with four fifths of the level. Looks
    that were declared share what those before them have left, and come by seeds; an earlier one of them that
    is not on record for these runs belongs to them too: so every command says the same of one store.
    """
    every = list(looks)
    taken: list[Look] = []
    number = 0
    for look in (it for it in every if not it.declared):
        place = next((k for k, it in enumerate(taken) if it.is_same(look, taken[:k])), len(taken))
        if place == len(taken):
            taken.append(replace(look, level=level_of(number + 1)))
            number += look.seeds >= _DECIDES_FROM
        taken[place] = taken[place].joined(look)
    declared = max((look.declared for look in every), key=len, default=())
    further = [seeds for seeds in declared if seeds not in {look.seeds for look in taken}]
    reached = max((look.seeds for look in every if look.declared), default=0)
    level = (ALPHA - spent(taken)) / len(further) if further else 0.0
    for look in (Look(seeds, level, declared) for seeds in further if seeds <= reached):
        taken.append(
            reduce(Look.joined, (it for it in every if it.declared and it.seeds == look.seeds), look)
        )
    return tuple(taken)


def spent(looks: Iterable[Look]) -> float:
    """Of the level, by looks at which something can be decided."""
    return sum(look.level for look in looks if look.seeds >= _DECIDES_FROM)


def next_level(looks: Sequence[Look]) -> float:
    """The level of the look that comes after these; all of it where none is on record."""
    if not looks:
        return ALPHA
    declared = [look for look in looks if look.declared]
    if declared:
        return declared[-1].level
    return level_of(1 + sum(look.seeds >= _DECIDES_FROM for look in looks))


def with_look(
    looks: Sequence[Look],
    seeds: int,
    declared: tuple[int, ...] = (),
    runs: Mapping[str, tuple[str, ...]] | None = None,
) -> Look:
    """The look at `seeds` seeds of these runs with its level, after `looks` or already one of them."""
    new = Look(seeds, ALPHA, declared, runs or {})
    every = ruled([*looks, new])
    by_seeds = next(it for it in every if it.seeds == seeds)
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
        seen = at_look(experiments, looks, look)
        verdicts = [_dated(it, look, number) for it in judge(seen, look.level)]
        for verdict in verdicts:
            if verdict.outcome != "inconclusive":
                settled.setdefault(verdict.claim, verdict)
        if look == furthest(looks):
            newest = {verdict.claim: verdict for verdict in verdicts}
    return tuple(_borne_out(settled.get(claim, last), last) for claim, last in newest.items())


def _borne_out(decided: Verdict, last: Verdict) -> Verdict:
    """The verdict of the look that decided, with what all seeds of the last look say of it.

    Where they would not even decide it alike by themselves, at the whole level, it is not decided: that can
    only take errors away. Their numbers are shown then.
    """
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
    """The experiments as they stood at one of the looks: with the runs that it, or one before it, saw."""
    seen: dict[str, tuple[str, ...]] = {}
    for taken in looks[: next(k for k, taken in enumerate(looks) if taken is look) + 1]:
        seen |= taken.runs
    found = {}
    for name, it in experiments.items():
        keys = seen.get(it.runs[0].spec.arm) if seen and it.runs else None
        runs = tuple(run for run in it.runs if keys and run.key in keys)
        found[name] = first_seeds(it, look.seeds) if keys is None else replace(it, runs=runs)
    return found


def first_seeds(experiment: ExperimentRecord, seeds: int) -> ExperimentRecord:
    """The experiment with the runs of its first `seeds` seeds."""
    kept = sorted({*(run.spec.seed for run in experiment.runs), *experiment.gone})[:seeds]
    return replace(
        experiment,
        runs=tuple(run for run in experiment.runs if run.spec.seed in kept),
        gone=tuple(seed for seed in experiment.gone if seed in kept),
    )


def _dated(verdict: Verdict, look: Look, number: int) -> Verdict:
    """Which of the looks it is; where a test was made at a declared or further one, a badge says it too."""
    verdict = replace(verdict, look=number)
    if verdict.p_reproduced is None or (number == 1 and not look.declared):
        return verdict
    badge = f"look at {counted(look.seeds, 'seed')}, level {_percent(look.level)}"
    return replace(verdict, badges=(*verdict.badges, badge))


def about_looks(looks: Sequence[Look], experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """What a reader must know of the looks: their levels, and what waits."""
    if not looks:
        return ()
    reached = furthest(looks)
    at = listed([_one(look) for look in looks])
    said = (
        f"First look, at {at}: a look at more seeds has less of the {_percent(ALPHA)}, which all share. "
        "Judging the same seeds again is no further look."
    )
    if len(looks) > 1 or reached.declared:
        planned = f" of those declared, at {listed(reached.declared)} seeds" if reached.declared else ""
        said = (
            f"Looks at {at}{planned}: together they err in at most {_percent(ALPHA)} of cases. A claim has "
            "the verdict of the first look that decided it, on the seeds of that look, where the seeds since "
            "bear it out."
        )
    later = [seeds for seeds in reached.declared if seeds > reached.seeds]
    more = sum(len({run.spec.seed for run in record.runs}) > reached.seeds for record in experiments)
    if not more:
        return (said,)
    have = "1 experiment has" if more == 1 else f"{more} experiments have"
    wait = f"before the look at {later[0]}" if later else "since no later look was taken"
    waiting = f"{have} more seeds than the look at {reached.seeds}: these are not used {wait}."
    return said, waiting


def _one(look: Look) -> str:
    """`3 seeds (4 %)`; with fewer than three seeds nothing is decided, and such a look costs nothing."""
    costs = _percent(look.level) if look.seeds >= _DECIDES_FROM else "decides nothing"
    return f"{counted(look.seeds, 'seed')} ({costs})"


def listed(items: Sequence[object], most: int | None = None) -> str:
    """`3, 5 and 8`; of more than `most`, how many more there are."""
    texts = [str(it) for it in items]
    if most and len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _percent(share: float) -> str:
    """0.05 as `5 %`, 0.00625 as `0.625 %`."""
    return f"{100.0 * share:.3g} %"
