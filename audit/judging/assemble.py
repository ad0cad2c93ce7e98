"""Claim file + evidence -> the audit, the one record that reports are made of; with what only
describes: the share of claims that were decided, and split columns.

Runs of several split columns tell how much of a number's scatter is the split's and how much the seed's. A
paper that does not say which split its number is about leaves two readings, and each has another noise:

    one run on one unknown split     x_1..x_n, one run a column, are draws as the paper's was: s of them,
                                     se = s / sqrt(n), se_pred = s sqrt(1/n + kappa^2), n - 1 df
    the mean over these very splits  n runs of the paper, one a column: only seeds differ, with s of k seeds
                                     on one column, se = s / sqrt(n), k - 1 df,
                                     se_pred = s sqrt((1 + kappa^2) / n)

The test is that of value claims, the margin that of the claim, each verdict alone at the full level. Seeds
are taken to scatter on every column as on the one that was run with several."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import audit
from audit.checks import Sheet, all_findings
from audit.checks.tables import sheet_of
from audit.claims.experiments import declared
from audit.claims.load import Paper
from audit.judging.evidence import BARS, about_gone, barred, beside, passed, settings
from audit.judging.looks import about_looks, judge_by
from audit.judging.plan import settling
from audit.judging.verdicts import judge_of
from audit.kinds import KINDS
from audit.kinds.value import value
from audit.names import counted
from audit.record import (
    Audit,
    AuthorResponse,
    ClaimRecord,
    ExperimentRecord,
    FidelityCheck,
    Look,
    Outcome,
    Run,
    Share,
    SplitNoise,
    SplitStudy,
    SplitVerdict,
    Untranscribed,
    Verdict,
    alike,
    comparison,
)
from audit.stats.decision import Test
from audit.stats.power import KAPPA
from audit.stats.printed import printed, printed_count
from audit.stats.sample import interval, sample, wilson
from audit.storage.manifest import KeptPlan, with_stored_runs


def assemble(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Sequence[FidelityCheck],
    command: str,
    looks: Sequence[Look] = (),
    grown: Mapping[str, tuple[str, ...]] | None = None,
    others: Sequence[Sheet] = (),
    earlier: Mapping[str, tuple[Outcome, int]] | None = None,
    superseded: Mapping[str, str] | None = None,
) -> Audit:
    """Judge every claim of the paper by the runs of its experiments; `looks` are all that were taken. `grown`
    and `superseded` (else as the claim file says) tell of earlier margins what `Audit.margins_grown` and
    `margins_superseded` do; `others` are papers that this one's numbers are held against."""
    runs, sheet, claims = [run for of in experiments.values() for run in of.runs], sheet_of(paper), []
    for claim in paper.claim_records():
        if KINDS[claim.kind].of_one_printed:  # pointed at imported runs on data closer to the paper's
            names = (beside(name) if beside(name) in experiments else name for name in claim.experiments)
            claim = replace(claim, experiments=tuple(names))
        claims.append(claim)
    response = paper.author_response
    readings = (paper.transcription, *(table.transcription for table in paper.tables.values()))
    read = dict.fromkeys(text for how in readings if how for text in (how.source, how.compared))
    unjudged = Audit(
        paper=paper.info(),
        tables=paper.table_records(),
        experiments=tuple(_without_hosts(record) for record in experiments.values()),
        claims=tuple(claims),
        verdicts=(),
        findings=all_findings([sheet], others),
        fidelity=tuple(fidelity),
        margins_hash=paper.margins_hash,
        margins_superseded=paper.superseded if superseded is None else superseded,
        margins_grown=grown or {},
        test_sizes={
            name: int(printed_count(size).value)
            for name, data in paper.datasets.items()
            if (size := data.printed.get("test"))
        },
        command=command,
        tool_version=audit.__version__,
        created=max((run.finished for run in runs if run.finished), default=""),
        not_checked=tuple(
            f"{record.title}: {record.not_run.rstrip('.')}."
            for record in experiments.values()
            if record.not_run
        ),
        looks=tuple(looks),
        earlier=earlier or {},
        about_looks=about_looks(looks, experiments.values()),
        readings=paper.specifications_record(),
        transcription="; ".join(text.strip().rstrip(".") for text in read if text),
        missing=tuple(Untranscribed(table.label, table.why) for table in paper.missing),
        papers_beside=tuple(other.paper.key for other in others),
        author_response=AuthorResponse(**response.model_dump()) if response else None,
    )
    verdicts = _verdicts(unjudged)
    now = {verdict.claim: verdict.outcome for verdict in verdicts}
    kept = {claim: was for claim, was in unjudged.earlier.items() if now.get(claim, was[0]) != was[0]}
    judged = replace(unjudged, verdicts=verdicts, earlier=kept, share=share(claims, verdicts))
    return replace(judged, settling=settling(judged))


def _without_hosts(record: ExperimentRecord) -> ExperimentRecord:
    """An audit is passed on, and the names of our machines are nobody's business."""
    both = record.runs, record.unjudged
    runs, unjudged = (tuple(replace(run, host=None) for run in runs) for runs in both)
    return replace(record, runs=runs, unjudged=unjudged)


def is_judged_by(audit: Audit) -> bool:
    """Whether the audit's verdicts, and what describes them, are those that its own claims and runs give
    today; older records have no descriptions."""
    now = share(audit.claims, audit.verdicts)
    if audit.share is not None and audit.share != now:
        return False
    return alike(_verdicts(audit), audit.verdicts) and stand(audit)


def _verdicts(audit: Audit) -> tuple[Verdict, ...]:
    """By the audit's own claims, runs and looks; a badge where an earlier judgement decided otherwise."""
    experiments = {record.id: record for record in audit.experiments}
    verdicts = judge_by(audit.looks, experiments, judge_of(audit))
    now, shown = family_size(verdicts), []
    for verdict in verdicts:
        before, size = audit.earlier.get(verdict.claim, (verdict.outcome, now))
        among = f", when {counted(size, 'claim')} could be tested and not {now}" if size != now else ""
        badges = () if before == verdict.outcome else (f"{before} at an earlier judgement{among}",)
        shown.append(replace(verdict, badges=(*verdict.badges, *badges)))
    return tuple(shown)


def family_size(verdicts: Iterable[Verdict]) -> int:
    """Claims that could be tested."""
    return sum(verdict.p_reproduced_adjusted is not None for verdict in verdicts)


def share(claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]) -> Share | None:
    """Of the claims that were decided, how many were reproduced; None where none was decided. Its interval
    takes claims for independent draws, which they are not, and is narrower than the truth; the same
    comparison twice is counted once in it."""
    pairs = zip(claims, verdicts, strict=True)
    decided = [(claim, verdict) for claim, verdict in pairs if verdict.outcome != "inconclusive"]
    if not decided:
        return None
    reproduced = sum(verdict.outcome == "reproduced" for _, verdict in decided)
    distinct = {(comparison(claim, verdict), verdict.outcome) for claim, verdict in decided}
    once = sum(outcome == "reproduced" for _, outcome in distinct), len(distinct)
    return Share(reproduced, len(decided), wilson(*once), once)


# --------------------------------------------------------------------------- split columns


def column_of(report: str) -> tuple[str, int] | None:
    """Report of the corpus, and column: `wang2019-delicious@3`; None for a report of no column."""
    match = re.fullmatch(r"(.+)@([0-9]{1,4})", report)
    return (match[1], int(match[2])) if match else None


def studies_of(
    paper: Paper, plans: Iterable[KeptPlan], runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, SplitStudy]:
    """Report of a corpus with several split columns -> the study of their stored runs, of one setting."""
    corpora: dict[str, dict[int, KeptPlan]] = {}
    for plan in plans:
        if (of := column_of(plan.report)) is not None:
            corpora.setdefault(of[0], {})[of[1]] = plan
    studies = {}
    for report, planned in corpora.items():
        columns: dict[int, dict[str, ExperimentRecord]] = {}
        first: dict[str, dict[str, object]] = {}  # settings of each experiment where it was run first
        left_out: list[str] = []
        gone: set[str] = set()
        # the column of which most seeds were planned comes first
        seeds = {column: max(map(len, plan.keys.values()), default=0) for column, plan in planned.items()}
        order = sorted(planned, key=lambda column: (-seeds[column], column))
        for column in order:
            stored = with_stored_runs(planned[column], paper, runs, lost)
            left_out += [f"column {column}: {text}" for text in about_gone(stored.values())]
            gone |= {name for name, record in stored.items() if record.gone}
            for name, record in stored.items():
                own = tuple(run for run in record.runs if run.data.split_column == column)
                if own and settings(own[0]) != first.setdefault(name, settings(own[0])):
                    left_out.append(f"{name}: column {column} was run with other settings than the others.")
                    own = ()
                columns.setdefault(column, {})[name] = replace(record, runs=own)
        whole = {
            column: {name: record for name, record in records.items() if name not in gone}
            for column, records in columns.items()
        }
        if sum(any(record.runs for record in records.values()) for records in whole.values()) > 1:
            studies[report] = split_study(
                paper,
                whole,
                corpus=report.removeprefix(f"{paper.paper.key}-"),
                command=" && ".join(dict.fromkeys(planned[column].command for column in order)),
                fidelity=passed(check for column in order for check in planned[column].fidelity),
                left_out=left_out,
            )
    return studies


def split_study(
    paper: Paper,
    columns: Mapping[int, Mapping[str, ExperimentRecord]],
    *,
    corpus: str,
    command: str,
    fidelity: Mapping[str, bool],
    left_out: Sequence[str] = (),
) -> SplitStudy:
    """`columns`: column -> experiments with their runs on it, the column with several seeds first. A printed
    number stands only beside runs on the paper's own corpus; value claims judge it."""
    claims: dict[tuple[str, str], ClaimRecord] = {}
    for claim in paper.claim_records():
        if KINDS[claim.kind].of_one_printed and claim.printed and claim.experiments:
            claims.setdefault((claim.experiments[0], claim.metric), claim)
    numbers: dict[tuple[str | None, str | None], str] = {}  # the paper's own; the first where it stands twice
    for cell in (cell for table in paper.table_records() for row in table.rows for cell in row.cells):
        if cell.printed and cell.source == "own_run":
            numbers.setdefault((cell.experiment, cell.metric), cell.printed)
    noises, keys, failed = [], {}, set()
    for name in dict.fromkeys(name for experiments in columns.values() for name in experiments):
        records = {column: of[name] for column, of in columns.items() if name in of}
        runs = [(column, run) for column, record in records.items() for run in record.runs]
        keys[name] = tuple(run.key for _, run in runs)
        failed |= {run.key for _, run in runs if run.status == "failed"}
        done = [(column, run) for column, run in runs if run.status == "done"]
        near = any(record.scope != "other_data" for record in records.values())
        for metric in dict.fromkeys(metric for _, run in done for metric in run.metrics):
            values: dict[int, dict[int, float]] = {column: {} for column in records}
            for column, run in done:
                if math.isfinite(run.metrics.get(metric, math.nan)):
                    values[column][run.spec.seed] = run.metrics[metric]
            if not any(0 in of_seeds for of_seeds in values.values()):
                continue
            noise = _noise(name, metric, values, numbers.get((name, metric)) if near else None)
            claim_about = claims.get((name, metric))
            if claim_about is not None and noise.printed is not None:
                grid = len(declared(paper.specifications_record(), claim_about.experiments))
                noise = with_split_verdicts(
                    replace(noise, readings_declared=grid),
                    claim_about,
                    bar=_bar(records.values(), fidelity, grid),
                    deterministic=any(record.deterministic for record in records.values()),
                )
            noises.append(noise)
    return SplitStudy(
        paper=paper.paper.key,
        corpus=corpus,
        command=command,
        noise=tuple(noises),
        runs={name: of_runs for name, of_runs in keys.items() if of_runs},
        failed=len(failed),
        left_out=tuple(left_out),
    )


def _noise(
    name: str, metric: str, values: Mapping[int, Mapping[int, float]], printed_number: str | None
) -> SplitNoise:
    """Variance components of a nested design (Searle et al. 1992): x = mean + split + seed."""
    of_columns = {column: of[0] for column, of in sorted(values.items()) if 0 in of}
    column, of_first = next(iter(values.items()))
    of_seeds = dict(sorted(of_first.items()))
    over, n, df = sample(list(of_columns.values())), len(of_columns), len(of_seeds) - 1
    both, seeds = over.sd, sample(list(of_seeds.values())).sd if of_seeds else None
    of_mean = seeds if n > 1 else None  # one split is no mean
    around = partial(interval, over.mean)
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
    """`noise` with the claim's printed number judged under both readings; `bar` is why the runs may
    contradict nothing. `deterministic`: declared by the model, as equal columns say nothing of splits."""
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
        difference = (test.estimate or 0.0) - float(number.value)
        fixed = claim.margin.value if claim.margin else None
        return SplitVerdict(outcome, reason or "no_margin", n, difference, fixed, **numbers)

    as_mean, spread = None, sample(seeds).sd if seeds else None
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
    """Whether the verdicts of the audit's split columns are those that its own numbers and claims give;
    another column may lack what this one has, so that nothing is contradicted."""
    claims, fidelity = {claim.id: claim for claim in audit.claims}, passed(audit.fidelity)
    for noise in audit.splits.noise if audit.splits else ():
        if not noise.claim:
            continue
        claim = claims.get(noise.claim)
        if claim is None or not claim.printed:
            return False
        records = [record for record in audit.experiments if record.id == noise.experiment]
        still = any(record.deterministic for record in records)
        bars = BARS if _bar(records, fidelity, noise.readings_declared) else (None, *BARS)
        every = (with_split_verdicts(noise, claim, bar=bar, deterministic=still) for bar in bars)
        if not any(alike(it, noise) for it in every):
            return False
    return True


def _bar(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool], grid: int) -> str | None:
    """Reason code for which runs of these records, under one specification of so many, contradict nothing."""
    return barred(records, fidelity) or ("some_readings" if grid > 1 else None)
