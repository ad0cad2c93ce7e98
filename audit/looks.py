"""Verdicts where seeds were added look by look, and what several looks do to the error.

Declared looks share the level: each has its part of it, and the first look that decides a claim gives its
verdict, on the seeds of that look. By Bonferroni the chance that any look errs is at most the sum of their
levels, for whatever dependence (for a false discovery rate too: the share of errors among all that was ever
rejected is at most the sum of the shares of each look). Seeds that another claim needed later change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from audit.record import ClaimRecord, ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA
from audit.stats.sequential import schedule

Judge = Callable[[Mapping[str, ExperimentRecord], float], tuple[Verdict, ...]]
"""Experiments and a level -> one verdict a claim."""

#: With fewer seeds nothing is decided by their own spread, so that such a look costs nothing of the level.
_DECIDES_FROM = 3


def in_force(looks: Sequence[Look]) -> tuple[Look, ...]:
    """The declared looks up to the furthest one that was taken, by seeds; none where none were declared.

    Where looks were declared they give the verdicts, whatever else was looked at, and an earlier one of them
    that is not on record for these runs belongs to them too: so every command says the same of one store.
    """
    taken = [look for look in looks if look.split is not None]
    if not taken:
        return ()
    longest = max(taken, key=lambda look: len(look.declared))
    whole = declared_by(longest)
    mine = {look.seeds: look for look in taken if look.split == longest.split}
    if whole:
        mine = {seeds: mine.get(seeds, look) for seeds, look in whole.items() if seeds <= max(mine)}
    return tuple(mine[seeds] for seeds in sorted(mine))


def in_order(looks: Iterable[Look]) -> tuple[Look, ...]:
    """Those at the full level as they were taken, and then the declared ones by seeds."""
    held = list(looks)
    declared = sorted((look for look in held if look.split is not None), key=lambda look: look.seeds)
    return (*(look for look in held if look.split is None), *declared)


def declared_by(look: Look) -> dict[int, Look]:
    """All looks that were declared with this one, by seeds."""
    if look.split is None or not look.declared:
        return {}
    levels = schedule(look.declared, split=look.split)
    pairs = zip(levels.looks, levels.levels, strict=True)
    return {seeds: Look(seeds, level, look.split, look.declared) for seeds, level in pairs}


def judge_by(
    looks: Sequence[Look], experiments: Mapping[str, ExperimentRecord], judge: Judge
) -> tuple[Verdict, ...]:
    """The verdicts of `judge` at the full level, or look by look where looks were declared."""
    declared = in_force(looks)
    if not declared:
        return judge(experiments, ALPHA)
    settled: dict[str, Verdict] = {}
    verdicts: tuple[Verdict, ...] = ()
    for look in declared:
        seen = {name: first_seeds(it, look.seeds) for name, it in experiments.items()}
        verdicts = tuple(_dated(it, look) for it in judge(seen, look.level))
        for verdict in verdicts:
            if verdict.outcome != "inconclusive":
                settled.setdefault(verdict.claim, verdict)
    return tuple(settled.get(it.claim, it) for it in verdicts)


def first_seeds(experiment: ExperimentRecord, seeds: int) -> ExperimentRecord:
    """The experiment as it stood at the look: with the runs of its first `seeds` seeds."""
    kept = sorted({*(run.spec.seed for run in experiment.runs), *experiment.gone})[:seeds]
    return replace(
        experiment,
        runs=tuple(run for run in experiment.runs if run.spec.seed in kept),
        gone=tuple(seed for seed in experiment.gone if seed in kept),
    )


def _dated(verdict: Verdict, look: Look) -> Verdict:
    """Where a test was made, it says at which look and level."""
    if verdict.p_reproduced is None:
        return verdict
    badge = f"look at {look.seeds} seeds, level {_percent(look.level)}"
    return replace(verdict, badges=(*verdict.badges, badge))


def decides_from(claims: Sequence[ClaimRecord]) -> int:
    """Seeds from which on some claim may be decided: a pooled SD lets even single runs decide."""
    return 1 if any(claim.details.get("pool") for claim in claims) else _DECIDES_FROM


def level_spent(looks: Sequence[Look], claims: Sequence[ClaimRecord] = ()) -> float:
    """Bound of the chance that a test errs at one of the looks: the sum of their levels.

    Two judgements of the same number of seeds are one look, at the larger of their levels. A look at which
    none of the `claims` can be decided costs nothing.
    """
    least = decides_from(claims)
    largest: dict[int, float] = {}
    for look in looks:
        if look.seeds >= least:
            largest[look.seeds] = max(look.level, largest.get(look.seeds, 0.0))
    return sum(largest.values())


def peeking(looks: Sequence[Look], claims: Sequence[ClaimRecord] = ()) -> str | None:
    """What is to be said where the looks together have more than one level; None where they have not."""
    spent = level_spent(looks, claims)
    if spent <= ALPHA * (1.0 + 1e-9):
        return None
    times = sorted({look.seeds for look in looks if look.seeds >= decides_from(claims)})
    return (
        f"The error over several looks: the claims were judged after {_listed(times)} seeds, not all of it "
        f"in declared looks; each test errs in up to {_percent(min(1.0, spent))} of cases over all of them, "
        f"not {_percent(ALPHA)}. `audit run --until-settled` declares looks that share the level."
    )


def about_looks(
    looks: Sequence[Look], claims: Sequence[ClaimRecord], experiments: Iterable[ExperimentRecord]
) -> tuple[str, ...]:
    """What a reader must know of the looks: how they share the level, what waits, what more there were."""
    declared = in_force(looks)
    said = [_sharing(declared), _waiting(declared, experiments)] if declared else []
    return tuple(it for it in (*said, peeking(looks, claims)) if it)


def _sharing(declared: Sequence[Look]) -> str:
    newest = max(declared, key=lambda look: len(look.declared))
    planned = newest.declared or tuple(look.seeds for look in declared)
    levels = list(dict.fromkeys(_percent(look.level) for look in declared))
    return (
        f"Declared looks at {_listed(planned)} seeds share the level; taken so far: "
        f"{_listed([look.seeds for look in declared])}, at the level of {_listed(levels)}. A claim has the "
        "verdict of the first look that decided it, on the first seeds up to that look."
    )


def _waiting(declared: Sequence[Look], experiments: Iterable[ExperimentRecord]) -> str | None:
    """That runs are there which no look has come to; None where there are none."""
    reached = declared[-1]
    later = [seeds for seeds in reached.declared if seeds > reached.seeds]
    more = sum(len({run.spec.seed for run in it.runs}) > reached.seeds for it in experiments)
    if not more:
        return None
    have = "1 experiment has" if more == 1 else f"{more} experiments have"
    wait = f"before the look at {later[0]}" if later else "since no later look was declared"
    return f"{have} more seeds than the look at {reached.seeds}: these are not used {wait}."


def _listed(items: Sequence[object]) -> str:
    """`3, 5 and 8`."""
    texts = [str(it) for it in items]
    return texts[-1] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _percent(share: float) -> str:
    """0.05 as `5 %`, 0.00625 as `0.625 %`."""
    return f"{100.0 * share:.3g} %"
