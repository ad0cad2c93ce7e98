"""Verdicts where seeds were added look by look, and what several looks do to the error.

Declared looks share the level: each has its part of it, and the first look that decides a claim gives its
verdict, on the seeds of that look. By Bonferroni the chance that any look errs is at most the sum of their
levels, for whatever dependence (for a false discovery rate too: the share of errors among all that was ever
rejected is at most the sum of the shares of each look). Seeds that another claim needed later change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from audit.record import ClaimRecord, ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA

Judge = Callable[[Mapping[str, ExperimentRecord], float], tuple[Verdict, ...]]
"""Experiments and a level -> one verdict a claim."""

#: With fewer seeds nothing is decided by their own spread, so that such a look costs nothing of the level.
_DECIDES_FROM = 3


def in_force(looks: Sequence[Look]) -> tuple[Look, ...]:
    """The declared looks up to the newest one, by seeds; none where the newest one was not declared."""
    if not looks or looks[-1].split is None:
        return ()
    newest = looks[-1]
    together = (it for it in looks if (it.split, it.declared) == (newest.split, newest.declared))
    mine = {it.seeds: it for it in together if it.seeds <= newest.seeds}
    return tuple(mine[seeds] for seeds in sorted(mine))


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
    kept = sorted({run.spec.seed for run in experiment.runs})[:seeds]
    return replace(experiment, runs=tuple(run for run in experiment.runs if run.spec.seed in kept))


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
    listed = f"{', '.join(map(str, times[:-1]))} and {times[-1]}"
    return (
        f"The error over several looks: the claims were judged after {listed} seeds, not all of it in "
        f"declared looks; each test errs in up to {_percent(min(1.0, spent))} of cases over all of them, "
        f"not {_percent(ALPHA)}. `audit run --until-settled` declares looks that share the level."
    )


def _percent(share: float) -> str:
    """0.05 as `5 %`, 0.00625 as `0.625 %`."""
    return f"{100.0 * share:.3g} %"
