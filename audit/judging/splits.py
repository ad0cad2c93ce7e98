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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
    alike,
    canonical_json,
)
from audit.stats.decision import Outcome, Test
from audit.stats.power import KAPPA
from audit.stats.printed import printed
from audit.stats.sample import interval, sample
from audit.storage.manifest import KeptPlan, with_stored_runs

_COLUMN = re.compile(r"(.+)@([0-9]{1,4})")


def column_of(report: str) -> tuple[str, int] | None:
    """Report of the corpus, and column; None for a report of no column.

    >>> column_of("wang2019-delicious@3"), column_of("wang2019-delicious")
    (('wang2019-delicious', 3), None)
    """
    match = _COLUMN.fullmatch(report)
    return (match[1], int(match[2])) if match else None


def passed(checks: Iterable[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks; a model without checks is not there."""
    gate: dict[str, bool] = {}
    for check in checks:
        gate[check.model] = gate.get(check.model, True) and check.passed
    return gate


def studies_of(
    paper: Paper, plans: Iterable[KeptPlan], runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, SplitStudy]:
    """Report of a corpus with split columns -> the study of them; `lost` as in `audit.storage.manifest`."""
    corpora: dict[str, dict[int, KeptPlan]] = {}
    for plan in plans:
        if (of := column_of(plan.report)) is not None:
            corpora.setdefault(of[0], {})[of[1]] = plan
    found = {}
    for report, columns in corpora.items():
        # that of which most seeds were planned first
        order = sorted(columns, key=lambda c: (-max(map(len, columns[c].keys.values()), default=0), c))
        study = _study_of(paper, report, {c: columns[c] for c in order}, runs, lost)
        if study is not None:
            found[report] = study
    return found


def _study_of(
    paper: Paper,
    report: str,
    plans: Mapping[int, KeptPlan],
    runs: Sequence[Run],
    lost: Mapping[str, tuple[int, ...]],
) -> SplitStudy | None:
    """By the stored runs, those with other settings left out; None for fewer than two columns."""
    columns: dict[int, dict[str, ExperimentRecord]] = {}
    first: dict[str, str] = {}  # settings of each experiment where it was run first
    left_out: list[str] = []
    gone: set[str] = set()
    for column, plan in plans.items():
        stored, columns[column] = with_stored_runs(plan, paper, runs, lost), {}
        left_out += [f"column {column}: {said}" for said in about_gone(stored.values())]
        for name, record in stored.items():
            own = tuple(run for run in record.runs if run.data.split_column == column)
            if own and _settings(own[0]) != first.setdefault(name, _settings(own[0])):
                left_out.append(f"{name}: column {column} was run with other settings than the others.")
                own = ()
            gone |= {name} if record.gone else set()
            columns[column][name] = replace(record, runs=own)
    for records in columns.values():
        for name in gone & set(records):
            del records[name]
    if sum(any(record.runs for record in records.values()) for records in columns.values()) < 2:
        return None
    return split_study(
        paper,
        columns,
        corpus=report.removeprefix(f"{paper.paper.key}-"),
        command=" && ".join(dict.fromkeys(plan.command for plan in plans.values())),
        fidelity=passed(check for plan in plans.values() for check in plan.fidelity),
        left_out=left_out,
    )


def _settings(run: Run) -> str:
    """All that decides a run but its data and its seed."""
    spec = run.spec
    return canonical_json([spec.model, spec.config, spec.protocol, spec.precision, spec.revision, spec.code])


def with_splits(audit: Audit, report: str, studies: Mapping[str, SplitStudy]) -> Audit:
    """The audit of one column with the study of all of them; any other one as it is."""
    of = column_of(report)
    return audit if of is None else replace(audit, splits=studies.get(of[0]))


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
    claims: dict[tuple[str, str], ClaimRecord] = {}
    for claim in paper.claim_records():
        if KINDS[claim.kind].of_one_printed and claim.printed and claim.experiments:
            claims.setdefault((claim.experiments[0], claim.metric), claim)
    numbers: dict[tuple[str | None, str | None], str] = {}  # the paper's own; the first where it stands twice
    for cell in (cell for table in paper.table_records() for row in table.rows for cell in row.cells):
        if cell.printed and cell.source == "own_run":
            numbers.setdefault((cell.experiment, cell.metric), cell.printed)
    readings, noises, runs = paper.readings_record(), [], {}
    for name in dict.fromkeys(name for experiments in columns.values() for name in experiments):
        records = {column: of[name] for column, of in columns.items() if name in of}
        mine = [(column, run) for column, record in records.items() for run in record.runs]
        runs[name] = tuple(run.key for _, run in mine)
        done = [(column, run) for column, run in mine if run.status == "done"]
        near = any(record.scope != "other_data" for record in records.values())
        for metric in dict.fromkeys(metric for _, run in done for metric in run.metrics):
            values: dict[int, dict[int, float]] = {column: {} for column in records}
            for column, run in done:
                if math.isfinite(run.metrics.get(metric, math.nan)):
                    values[column][run.spec.seed] = run.metrics[metric]
            if not any(0 in of_seeds for of_seeds in values.values()):
                continue
            noise = _noise(name, metric, values, numbers.get((name, metric)) if near else None)
            about = claims.get((name, metric))
            if about is not None and noise.printed is not None:
                open_here = len(declared(readings, about.experiments))
                noise = with_split_verdicts(
                    replace(noise, readings_declared=open_here),
                    about,
                    bar=_bar(records.values(), fidelity, open_here),
                    deterministic=any(record.deterministic for record in records.values()),
                )
            noises.append(noise)
    records_of = (record for experiments in columns.values() for record in experiments.values())
    every = (run for record in records_of for run in record.runs)
    return SplitStudy(
        paper=paper.paper.key,
        corpus=corpus,
        command=command,
        noise=tuple(noises),
        runs={name: keys for name, keys in runs.items() if keys},
        failed=len({run.key for run in every if run.status == "failed"}),
        left_out=tuple(left_out),
    )


def _noise(
    name: str, metric: str, values: Mapping[int, Mapping[int, float]], printed_number: str | None
) -> SplitNoise:
    """Variance components of a nested design (Searle et al. 1992): x = mean + split + seed."""
    of_columns = {column: of[0] for column, of in sorted(values.items()) if 0 in of}
    column, of_first = next(iter(values.items()))
    of_seeds = dict(sorted(of_first.items()))
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


def with_split_verdicts(
    noise: SplitNoise, claim: ClaimRecord, *, bar: str | None, deterministic: bool = False
) -> SplitNoise:
    """`noise` with the claim's printed number judged under both readings.

    `bar` is the reason code for which the runs may contradict nothing, if any. `deterministic`: declared by
    the model. Equal columns are no sign of it: that says nothing of splits.
    """
    number, n, seeds = printed(claim.printed[0]), len(noise.columns), noise.seed_values
    margin = claim.margin.value if claim.margin else 0.0
    test_of = partial(value, reported=number, margin=margin, paper_sd_ratio=KAPPA)

    def verdict(test: Test, cap: str | None = None) -> SplitVerdict:
        outcome: Outcome = "inconclusive"
        reason, numbers = cap if margin else None, {}
        if margin and cap is None:
            decision = test.decide()
            outcome, reason = decision.outcome, decision.reason
            if outcome == "contradicted" and bar:
                outcome, reason = "inconclusive", bar
            numbers = {name: getattr(test, name) for name in ("se", "df", "p_reproduced", "p_contradicted")}
        return SplitVerdict(
            outcome=outcome,
            reason=reason or "no_margin",
            n=n,
            difference=(test.estimate or 0.0) - float(number.value),
            margin=claim.margin.value if claim.margin else None,
            **numbers,
        )

    as_mean = None
    spread = sample(seeds).sd if seeds else None
    if n > 1 and ((deterministic and len(set(seeds)) == 1) or (claim.deterministic and spread == 0.0)):
        # whoever runs the columns again has this mean again
        as_mean = verdict(test_of([noise.mean] * 2, deterministic=True))
    elif n > 1:  # an SD of fewer than four seeds does not judge what it was not measured on
        own = (spread, len(seeds) - 1.0) if spread and len(seeds) > 3 else None
        few = "no_variance_estimate" if len(seeds) < 2 else "too_few_seeds"
        cap = None if own else few if len(seeds) < 4 else "no_spread"
        as_mean = verdict(test_of(noise.values, paper_runs=n, noise=own), cap)
    one = verdict(test_of(noise.values, paper_runs=1))
    return replace(noise, printed=claim.printed[0], claim=claim.id, as_one_split=one, as_mean=as_mean)


def stand(audit: Audit) -> bool:
    """Whether the verdicts of the audit's split columns are those that its own numbers and claims give."""
    claims = {claim.id: claim for claim in audit.claims}
    noises = audit.splits.noise if audit.splits else ()
    return all(_stands(noise, claims.get(noise.claim), audit) for noise in noises if noise.claim)


def _stands(noise: SplitNoise, claim: ClaimRecord | None, audit: Audit) -> bool:
    """Another column may lack what this one has, so that nothing is contradicted; never less."""
    if claim is None or not claim.printed:
        return False
    records = [record for record in audit.experiments if record.id == noise.experiment]
    bar = _bar(records, passed(audit.fidelity), noise.readings_declared)
    still = any(record.deterministic for record in records)
    ways = BARS if bar else (None, *BARS)
    return any(alike(with_split_verdicts(noise, claim, bar=way, deterministic=still), noise) for way in ways)


def _bar(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool], readings: int) -> str | None:
    """Reason code for which runs of these records, under one of so many readings, contradict nothing."""
    return barred(records, fidelity) or ("some_readings" if readings > 1 else None)
