"""The runs that bear on one arm of a claim: which have its metric, how many were tried, what is lacking."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.record import ExperimentRecord, Run, Scope

_SCOPES: tuple[Scope, ...] = ("same_data", "other_split", "other_data")  # from best to worst


@dataclass(frozen=True)
class Arm:
    """One experiment as seen through one metric."""

    experiment: str
    record: ExperimentRecord | None
    """None where the claim names an experiment that is not there."""
    runs: tuple[Run, ...]
    """Those that are done and have the metric, by seed."""
    values: tuple[float, ...]
    """The metric of each of `runs`, in percent."""
    attempts: int
    """All runs: failed and interrupted ones count, so that dropping a seed shows."""
    lacks: str | None
    """Reason code when there is no value: `not_run` or `run_failed`."""
    notes: tuple[str, ...] = ()
    """Short warnings about these runs, for the badges of a verdict."""

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(run.spec.seed for run in self.runs)


def gather(experiment: str, experiments: Mapping[str, ExperimentRecord], *, metric: str) -> Arm:
    """The evidence of `experiment` for `metric`. A run that stands there twice (one key) counts once."""
    record = experiments.get(experiment)
    if record is None:
        missing = (f"no experiment named {experiment!r}",)
        return Arm(experiment, None, (), (), attempts=0, lacks="not_run", notes=missing)
    tried = _distinct(record.runs)
    done = [run for run in tried if run.status == "done"]
    runs = tuple(run for run in done if math.isfinite(run.metrics.get(metric, math.nan)))
    values = tuple(float(run.metrics[metric]) for run in runs)
    notes = []
    if len(runs) < len(done):
        notes.append(f"{metric} not measured in {len(done) - len(runs)} of {len(done)} runs")
    if 0 < len(runs) < len(tried):
        notes.append(f"{len(runs)} of {len(tried)} seeds")
    lacks = None if runs else _lack(tried, done)
    return Arm(experiment, record, runs, values, attempts=len(tried), lacks=lacks, notes=tuple(notes))


def worst_scope(arms: Sequence[Arm]) -> Scope | None:
    """The scope of a claim is that of its least fitting evidence; None where there is none."""
    scopes = [arm.record.scope for arm in arms if arm.record is not None and arm.runs]
    return max(scopes, key=_SCOPES.index, default=None)


def share_runs(arms: Sequence[Arm]) -> bool:
    """True when two arms resolve to a common run: such a comparison would compare a thing with itself."""
    keys = [run.key for arm in arms for run in arm.runs]
    return len(set(keys)) < len(keys)


def same_test_set(arms: Sequence[Arm]) -> bool:
    """False when arms that the paper puts on one dataset were tested on different ones.

    Fingerprints are no criterion here: they hold the vocabulary too, which may differ by design.
    """
    if len({arm.record.dataset for arm in arms if arm.record is not None}) > 1:
        return True  # the paper itself compares across datasets
    return len({(run.data.name, run.data.n_test) for arm in arms for run in arm.runs}) <= 1


def by_seed(arm: Arm, seeds: Sequence[int]) -> tuple[float, ...]:
    """The values of `seeds`, in that order."""
    values = dict(zip(arm.seeds, arm.values, strict=True))
    return tuple(values[seed] for seed in seeds)


def badges(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Warnings about the runs."""
    several = len(arms) > 1
    return tuple(
        f"{arm.experiment}: {it}" if several and arm.record else it for arm in arms for it in arm.notes
    )


def _distinct(runs: Sequence[Run]) -> list[Run]:
    """One run for each key, a done one if there is, ordered by seed."""
    best: dict[str, Run] = {}
    for run in runs:
        if run.key not in best or run.status == "done":
            best[run.key] = run
    return sorted(best.values(), key=lambda run: (run.spec.seed, run.key))


def _lack(tried: Sequence[Run], done: Sequence[Run]) -> str:
    """Why there is no value: every attempt failed, or nothing was (completely) run or measured."""
    failed = any(run.status == "failed" for run in tried)
    return "run_failed" if failed and not done else "not_run"
