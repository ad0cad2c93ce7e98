"""Runs of several split columns -> how much of a number's scatter is the split's and how much the seed's.

Where the paper prints the number, it is judged under both readings of its split: `audit.split_verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.claim import Paper
from audit.readings import declared
from audit.record import ClaimRecord, ExperimentRecord, Run, SplitNoise, SplitStudy
from audit.split_verdicts import bar_of, with_split_verdicts
from audit.stats.split_components import split_components


def split_study(
    paper: Paper,
    columns: Mapping[int, Mapping[str, ExperimentRecord]],
    *,
    corpus: str,
    command: str,
    fidelity: Mapping[str, bool],
    left_out: Sequence[str] = (),
) -> SplitStudy:
    """`columns`: column -> experiments with their runs on it, the column with several seeds first.

    An experiment without a done run on any column is left out. A printed number stands only beside runs on
    the paper's own corpus, in whatever split, and is judged where a value claim is about it. `fidelity` says
    of each model whether it passed its own checks: without that nothing is contradicted.
    """
    names = list(dict.fromkeys(name for held in columns.values() for name in held))
    runs = {name: {c: held[name].runs for c, held in columns.items() if name in held} for name in names}
    near = {name for held in columns.values() for name, it in held.items() if it.scope != "other_data"}
    every = [run for of_one in runs.values() for mine in of_one.values() for run in mine]
    records = {name: [held[name] for held in columns.values() if name in held] for name in names}
    judge = _Judge(paper, records, fidelity)
    return SplitStudy(
        paper=paper.paper.key,
        corpus=corpus,
        command=command,
        noise=tuple(
            judge.judged(it)
            for name in names
            for it in _noises(name, runs[name], _printed(paper, name) if name in near else {})
        ),
        runs={
            name: tuple(run.key for mine in of_one.values() for run in mine)
            for name, of_one in runs.items()
            if any(of_one.values())
        },
        failed=len({run.key for run in every if run.status == "failed"}),
        left_out=tuple(left_out),
    )


class _Judge:
    """The value claims of a paper, for numbers that stand beside runs of several columns."""

    def __init__(
        self, paper: Paper, records: Mapping[str, Sequence[ExperimentRecord]], fidelity: Mapping[str, bool]
    ) -> None:
        self.records, self.fidelity = records, fidelity
        self.readings = paper.readings_record()
        self.claims: dict[tuple[str, str], ClaimRecord] = {}
        for claim in paper.claim_records():
            if claim.kind == "value" and claim.printed and claim.experiments:
                self.claims.setdefault((claim.experiments[0], claim.metric), claim)

    def judged(self, noise: SplitNoise) -> SplitNoise:
        """With both verdicts, where something is printed and claimed; elsewhere as it is."""
        claim = self.claims.get((noise.experiment, noise.metric))
        if claim is None or noise.printed is None:
            return noise
        open_here = len(declared(self.readings, claim.experiments))
        bar = bar_of(self.records[noise.experiment], self.fidelity, open_here)
        still = any(it.deterministic for it in self.records[noise.experiment])
        found = replace(noise, readings_declared=open_here)
        return with_split_verdicts(found, claim, bar=bar, deterministic=still)


def _noises(name: str, runs: Mapping[int, Sequence[Run]], printed: Mapping[str, str]) -> Iterator[SplitNoise]:
    done = {c: [run for run in mine if run.status == "done"] for c, mine in runs.items()}
    metrics = dict.fromkeys(metric for mine in done.values() for run in mine for metric in run.metrics)
    for metric in metrics:
        found = _noise(name, metric, {c: _values(mine, metric) for c, mine in done.items()}, printed)
        if found is not None:
            yield found


def _values(runs: Sequence[Run], metric: str) -> dict[int, float]:
    """Seed -> value."""
    values = {run.spec.seed: run.metrics[metric] for run in runs if metric in run.metrics}
    return {seed: value for seed, value in sorted(values.items()) if math.isfinite(value)}


def _noise(
    name: str, metric: str, values: Mapping[int, Mapping[int, float]], printed: Mapping[str, str]
) -> SplitNoise | None:
    """Seed 0 of every column, and all seeds of the first one: two runs of one column are no two splits."""
    of_columns = {c: it[0] for c, it in sorted(values.items()) if 0 in it}
    column = next(iter(values), None)
    of_seeds = values[column] if column is not None else {}
    if not of_columns:
        return None
    parts = split_components(list(of_columns.values()), list(of_seeds.values()))
    return SplitNoise(
        experiment=name,
        metric=metric,
        columns=tuple(of_columns),
        values=tuple(of_columns.values()),
        attempts=len(values),
        column=column if of_seeds else None,
        seeds=tuple(of_seeds),
        seed_values=tuple(of_seeds.values()),
        mean=parts.mean,
        sd_columns=parts.sd_splits,
        sd_seeds=parts.sd_seeds,
        sd_split=parts.sd_split_alone,
        pi95_column=parts.pi95,
        ci95_columns=parts.ci95,
        pi95_mean=parts.pi95_mean,
        printed=printed.get(metric),
    )


def _printed(paper: Paper, experiment: str) -> dict[str, str]:
    """Metric -> the paper's own number for the experiment; its first one where it stands twice."""
    found: dict[str, str] = {}
    for cell in (c for table in paper.table_records() for row in table.rows for c in row.cells):
        if cell.experiment == experiment and cell.metric and cell.printed and cell.source == "own_run":
            found.setdefault(cell.metric, cell.printed)
    return found
