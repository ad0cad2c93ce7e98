"""Runs of several split columns of one corpus: how much of a number's scatter is the split's and how much the
seed's.

Every column has a plan of its own beside the run records (`audit.storage.manifest`). The study is made of all
columns that have one, however many commands ran them, so that `audit run` and `audit judge` say the same.

A paper that does not say which split its number is about leaves two readings, and each has another noise:

    one run on one unknown split     x_1..x_n, one run a column, are draws as the paper's was: s of them,
                                     se = s / sqrt(n), se_pred = s sqrt(1/n + kappa^2), n - 1 df
    the mean over these very splits  n runs of the paper, one a column: only seeds differ, with s of k seeds
                                     on one column, se = s / sqrt(n), k - 1 df,
                                     se_pred = s sqrt((1 + kappa^2) / n)

The test is that of value claims, the margin that of the claim. Each verdict is taken alone at the full level.
That seeds scatter on every column as on the one that was run with several is assumed; the columns are draws
given the corpus and share documents, so that none of this is about new documents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from audit.claims.load import Paper
from audit.claims.specifications import declared
from audit.judging.evidence import BARS, about_gone, barred
from audit.kinds import KINDS
from audit.kinds.value import value
from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    FidelityCheck,
    Run,
    SplitNoise,
    SplitStudy,
    SplitVerdict,
    canonical_json,
)
from audit.stats.power import KAPPA
from audit.stats.printed import printed
from audit.stats.sample import interval, sample
from audit.storage.manifest import KeptPlan, with_stored_runs

_COLUMN = re.compile(r"(.+)@([0-9]{1,4})")


# --------------------------------------------------------------------------- the columns in a store


@dataclass(frozen=True)
class ColumnPlans:
    """The kept plans of one corpus, the column of which most seeds were planned first."""

    report: str
    """Of the corpus: that of each column is `report@column`."""
    plans: Mapping[int, KeptPlan]


def column_of(report: str) -> tuple[str, int] | None:
    """Report of the corpus, and column; None for a report of no column.

    >>> column_of("wang2019-delicious@3"), column_of("wang2019-delicious")
    (('wang2019-delicious', 3), None)
    """
    match = _COLUMN.fullmatch(report)
    return (match[1], int(match[2])) if match else None


def grouped(plans: Iterable[KeptPlan]) -> dict[str, ColumnPlans]:
    """Report of a corpus -> its columns, two or more."""
    found: dict[str, dict[int, KeptPlan]] = {}
    for plan in plans:
        if (of := column_of(plan.report)) is not None:
            found.setdefault(of[0], {})[of[1]] = plan

    def order(pair: tuple[int, KeptPlan]) -> tuple[int, int]:
        return -max(map(len, pair[1].keys.values()), default=0), pair[0]

    return {
        report: ColumnPlans(report, dict(sorted(columns.items(), key=order)))
        for report, columns in found.items()
        if len(columns) > 1
    }


def studies_of(
    paper: Paper, plans: Iterable[KeptPlan], runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, SplitStudy]:
    """Report of a corpus with split columns -> the study of them; `lost` as in `audit.storage.manifest`."""
    found = {report: study_of(paper, columns, runs, lost) for report, columns in grouped(plans).items()}
    return {report: study for report, study in found.items() if study is not None}


def study_of(
    paper: Paper, columns: ColumnPlans, runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> SplitStudy | None:
    """The study of all columns by their stored runs; None where fewer than two have any.

    What was run with other settings than on the first column, or is no run of the column, is left out; so is
    an experiment of which a run is gone, on all columns.
    """
    kept: dict[int, dict[str, ExperimentRecord]] = {}
    left_out: list[str] = []
    gone: set[str] = set()
    for column, plan in columns.plans.items():
        mine = with_stored_runs(plan, paper, runs, lost)
        left_out += [f"column {column}: {said}" for said in about_gone(mine.values())]
        gone |= {name for name, it in mine.items() if it.gone}
        kept[column] = {}
        for name, record in mine.items():
            own = tuple(run for run in record.runs if run.data.split_column == column)
            first = next((run for it in kept.values() if name in it for run in it[name].runs), None)
            if own and first is not None and _settings(own[0]) != _settings(first):
                left_out.append(f"{name}: column {column} was run with other settings than the others.")
                own = ()
            kept[column][name] = replace(record, runs=own)
    kept = {
        column: {name: it for name, it in mine.items() if name not in gone} for column, mine in kept.items()
    }
    if sum(any(it.runs for it in mine.values()) for mine in kept.values()) < 2:
        return None
    return split_study(
        paper,
        kept,
        corpus=columns.report.removeprefix(f"{paper.paper.key}-"),
        command=" && ".join(dict.fromkeys(plan.command for plan in columns.plans.values())),
        fidelity=_passed(check for plan in columns.plans.values() for check in plan.fidelity),
        left_out=left_out,
    )


def _settings(run: Run) -> str:
    """All that decides a run but its data and its seed."""
    spec = run.spec
    return canonical_json([spec.model, spec.config, spec.protocol, spec.precision, spec.revision, spec.code])


def _passed(checks: Iterable[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks, beside every column."""
    passed: dict[str, bool] = {}
    for it in checks:
        passed[it.model] = passed.get(it.model, True) and it.passed
    return passed


def with_splits(audit: Audit, report: str, studies: Mapping[str, SplitStudy]) -> Audit:
    """The audit of one column with the study of all of them; any other one as it is."""
    of = column_of(report)
    return audit if of is None else replace(audit, splits=studies.get(of[0]))


# --------------------------------------------------------------------------- the study


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
    records: dict[str, dict[int, ExperimentRecord]] = {}
    for column, experiments in columns.items():
        for name, it in experiments.items():
            records.setdefault(name, {})[column] = it
    claims: dict[tuple[str, str], ClaimRecord] = {}
    for claim in paper.claim_records():
        if KINDS[claim.kind].of_one_printed and claim.printed and claim.experiments:
            claims.setdefault((claim.experiments[0], claim.metric), claim)
    readings, noises = paper.readings_record(), []
    for name, mine in records.items():
        near = any(it.scope != "other_data" for it in mine.values())
        numbers = _printed(paper, name) if near else {}
        for noise in _noises(name, {c: it.runs for c, it in mine.items()}, numbers):
            found, about = noise, claims.get((name, noise.metric))
            if about is not None and noise.printed is not None:
                still = any(it.deterministic for it in mine.values())
                open_here = len(declared(readings, about.experiments))
                bar = _bar(mine.values(), fidelity, open_here)
                found = replace(noise, readings_declared=open_here)
                found = with_split_verdicts(found, about, bar=bar, deterministic=still)
            noises.append(found)
    runs = {name: [run for it in mine.values() for run in it.runs] for name, mine in records.items()}
    return SplitStudy(
        paper=paper.paper.key,
        corpus=corpus,
        command=command,
        noise=tuple(noises),
        runs={name: tuple(run.key for run in mine) for name, mine in runs.items() if mine},
        failed=len({run.key for mine in runs.values() for run in mine if run.status == "failed"}),
        left_out=tuple(left_out),
    )


def _noises(name: str, runs: Mapping[int, Sequence[Run]], printed: Mapping[str, str]) -> Iterator[SplitNoise]:
    done = {c: [run for run in mine if run.status == "done"] for c, mine in runs.items()}
    for metric in dict.fromkeys(metric for mine in done.values() for run in mine for metric in run.metrics):
        values = {c: _values(mine, metric) for c, mine in done.items()}
        if any(0 in it for it in values.values()):
            yield _noise(name, metric, values, printed.get(metric))


def _values(runs: Sequence[Run], metric: str) -> dict[int, float]:
    """Seed -> value."""
    values = {run.spec.seed: run.metrics[metric] for run in runs if metric in run.metrics}
    return {seed: value for seed, value in sorted(values.items()) if math.isfinite(value)}


def _noise(
    name: str, metric: str, values: Mapping[int, Mapping[int, float]], printed_number: str | None
) -> SplitNoise:
    """Seed 0 of every column, and all seeds of the first one: two runs of one column are no two splits.

    Variance components of a nested design (Searle, Casella and McCulloch 1992): x = mean + split + seed; both
    scatter between splits, the second within one.
    """
    of_columns = {c: it[0] for c, it in sorted(values.items()) if 0 in it}
    column, of_seeds = next(iter(values.items()))
    over, n = sample(list(of_columns.values())), len(of_columns)
    both, seeds = over.sd, sample(list(of_seeds.values())).sd if of_seeds else None
    of_mean = seeds if n > 1 else None  # one split is no mean
    around, df = partial(interval, over.mean, level=0.95), len(of_seeds) - 1
    return SplitNoise(
        experiment=name,
        metric=metric,
        columns=tuple(of_columns),
        values=tuple(of_columns.values()),
        attempts=len(values),
        column=column if of_seeds else None,
        seeds=tuple(of_seeds),
        seed_values=tuple(of_seeds.values()),
        mean=over.mean,
        sd_columns=both,
        sd_seeds=seeds,
        sd_split=None if both is None or seeds is None else math.sqrt(max(0.0, both * both - seeds * seeds)),
        pi95_column=None if both is None else around(both * math.sqrt(1 + 1 / n), n - 1),
        ci95_columns=None if of_mean is None else around(of_mean / math.sqrt(n), df),
        pi95_mean=None if of_mean is None else around(of_mean * math.sqrt(2 / n), df),
        printed=printed_number,
    )


def _printed(paper: Paper, experiment: str) -> dict[str, str]:
    """Metric -> the paper's own number for the experiment; its first one where it stands twice."""
    found: dict[str, str] = {}
    for cell in (c for table in paper.table_records() for row in table.rows for c in row.cells):
        if cell.experiment == experiment and cell.metric and cell.printed and cell.source == "own_run":
            found.setdefault(cell.metric, cell.printed)
    return found


# --------------------------------------------------------------------------- verdicts under both readings


def with_split_verdicts(
    noise: SplitNoise, claim: ClaimRecord, *, bar: str | None, deterministic: bool = False
) -> SplitNoise:
    """`noise` with the claim's printed number judged under both readings.

    `bar` is the reason code for which the runs may contradict nothing, if any. `deterministic`: declared by
    the model.
    """
    noise = replace(noise, printed=claim.printed[0], claim=claim.id)
    return replace(
        noise,
        as_one_split=_verdict(noise, claim, bar),
        as_mean=_verdict(noise, claim, bar, as_mean=True, deterministic=deterministic)
        if len(noise.columns) > 1
        else None,
    )


def _verdict(
    noise: SplitNoise,
    claim: ClaimRecord,
    bar: str | None,
    *,
    as_mean: bool = False,
    deterministic: bool = False,
) -> SplitVerdict:
    """Equal columns are no sign of a deterministic run: that says nothing of splits."""
    number, n = printed(claim.printed[0]), len(noise.columns)
    margin = claim.margin.value if claim.margin else 0.0
    test_of = partial(value, reported=number, margin=margin, paper_sd_ratio=KAPPA)
    cap = None
    if not as_mean:
        test = test_of(noise.values, paper_runs=1)
    else:
        seeds = noise.seed_values
        spread = sample(seeds).sd if seeds else None
        if (deterministic and len(set(seeds)) == 1) or (claim.deterministic and spread == 0.0):
            # whoever runs the columns again has this mean again
            test = test_of([noise.mean] * 2, deterministic=True)
        else:  # an SD of fewer than four seeds does not judge what it was not measured on
            own = (spread, len(seeds) - 1.0) if spread and len(seeds) > 3 else None
            test = test_of(noise.values, paper_runs=n, noise=own)
            too_few = (
                "no_variance_estimate"
                if len(seeds) < 2
                else "too_few_seeds"
                if len(seeds) < 4
                else "no_spread"
            )
            cap = None if own else too_few
    plain = SplitVerdict(
        outcome="inconclusive",
        reason=cap or "no_margin",
        n=n,
        difference=(test.estimate or 0.0) - float(number.value),
        margin=claim.margin.value if claim.margin else None,
    )
    if not margin:
        return replace(plain, reason="no_margin")
    if cap is not None:
        return plain
    decision = test.decide()
    outcome, reason = decision.outcome, decision.reason
    if outcome == "contradicted" and bar:
        outcome, reason = "inconclusive", bar
    numbers = {name: getattr(test, name) for name in ("se", "df", "p_reproduced", "p_contradicted")}
    return replace(plain, outcome=outcome, reason=reason, **numbers)


def stand(audit: Audit) -> bool:
    """Whether the verdicts of the audit's split columns are those that its own numbers and claims give."""
    claims = {claim.id: claim for claim in audit.claims}
    noises = audit.splits.noise if audit.splits else ()
    return all(_stands(it, claims.get(it.claim), audit) for it in noises if it.claim)


def _stands(noise: SplitNoise, claim: ClaimRecord | None, audit: Audit) -> bool:
    """Another column may lack what this one has, so that nothing is contradicted; never less."""
    if claim is None or not claim.printed:
        return False
    records = [it for it in audit.experiments if it.id == noise.experiment]
    bar = _bar(records, _passed(audit.fidelity), noise.readings_declared)
    still = any(it.deterministic for it in records)
    ways = BARS if bar else (None, *BARS)
    return any(with_split_verdicts(noise, claim, bar=way, deterministic=still) == noise for way in ways)


def _bar(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool], readings: int) -> str | None:
    """Reason code for which runs of these records, under one of so many readings, contradict nothing."""
    return barred(records, fidelity) or ("some_readings" if readings > 1 else None)
