"""Claim file + evidence -> the audit, the one record that reports are made of, with what only describes:
numbers that several papers print of one method, and the share of claims that were decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import audit
from audit.checks import Sheet, all_findings
from audit.checks.tables import Number, cut, meet
from audit.claims.load import Paper
from audit.claims.papers import sheet_of
from audit.judging.evidence import beside
from audit.judging.looks import about_looks, judge_by, judge_of
from audit.judging.plan import settling
from audit.judging.splits import stand
from audit.kinds import KINDS
from audit.names import counted
from audit.record import (
    AcrossPapers,
    Audit,
    AuthorResponse,
    ClaimRecord,
    ExperimentRecord,
    FidelityCheck,
    Look,
    Outcome,
    PrintedIn,
    Share,
    Untranscribed,
    Verdict,
    alike,
    comparison,
)
from audit.stats.printed import printed_count
from audit.stats.sample import wilson


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
    """Judge every claim of the paper by the runs of its experiments; `looks` are all that were taken.

    `grown` and `superseded` (else as the claim file says) tell of earlier margins what `Audit.margins_grown`
    and `margins_superseded` do; `others` are papers that this one's numbers are held against.
    """
    runs, sheet, claims = [run for of in experiments.values() for run in of.runs], sheet_of(paper), []
    for claim in paper.claim_records():
        if KINDS[claim.kind].of_one_printed:  # pointed at imported runs on data closer to the paper's
            names = (beside(name) if beside(name) in experiments else name for name in claim.experiments)
            claim = replace(claim, experiments=tuple(names))
        claims.append(claim)
    response, how = paper.author_response, paper.transcription
    read = (how.source, how.compared) if how else ()
    unjudged = Audit(
        paper=paper.info(),
        tables=paper.table_records(),
        experiments=tuple(experiments.values()),
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
        across=across(sheet, others),
        author_response=AuthorResponse(**response.model_dump()) if response else None,
    )
    verdicts = _verdicts(unjudged)
    now = {verdict.claim: verdict.outcome for verdict in verdicts}
    kept = {
        claim: before
        for claim, before in unjudged.earlier.items()
        if claim in now and before[0] != now[claim]
    }
    judged = replace(unjudged, verdicts=verdicts, earlier=kept)
    return replace(judged, share=share(claims, judged.verdicts), settling=settling(judged))


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


def across(sheet: Sheet, others: Sequence[Sheet]) -> tuple[AcrossPapers, ...]:
    """The numbers of `sheet` that another paper prints too, in their order: of one `method` of an experiment
    and one `catalogue` name of a data set."""
    found = []
    for subject, numbers in sheet.across.items():
        theirs = [(other, number) for other in others for number in other.across.get(subject, ())]
        if not theirs:
            continue
        prints = [*((sheet, number) for number in numbers), *theirs]
        differing = [(a, b) for a, b in combinations(prints, 2) if _differ(a, b)]
        # a copy comes from a test set of its origin's
        own = [pair for pair in differing if all(of.cell.source != "copied" for _, of in pair)]
        sizes = ((of.test_size(number.cell.dataset) for of, number in pair) for pair in own)
        one_size = any(one and one == two for one, two in sizes)
        records = dict.fromkeys(
            PrintedIn(
                paper=of.paper.key,
                address=number.cell.address,
                place=of.places([number]),
                text=number.text,
                source=number.cell.source,
                copied_from=number.cell.copied_from,
                test_size=of.test_size(number.cell.dataset),
            )
            for of, number in prints
        )
        found.append(AcrossPapers(*subject, tuple(records), bool(differing), one_size))
    return tuple(found)


def _differ(*prints: tuple[Sheet, Number]) -> bool:
    """Whether numbers of two papers and two origins cannot be one number: a slip in a copy is a finding, and
    no second number; fraction and percent are not compared."""
    (sheet, first), (other, second) = prints
    origins = {of.cell.copied_from if of.cell.source == "copied" else paper.paper.key for paper, of in prints}
    if sheet is other or None in origins or len(origins) < 2:
        return False
    one = meet(first.value, second.value) or cut(first.value, second.value)
    return first.cell.unit == second.cell.unit and not one


def share(claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]) -> Share | None:
    """Of the claims that were decided, how many were reproduced; None where none was decided.

    Its interval takes claims for independent draws, which they are not, and is narrower than the truth; the
    same comparison twice is counted once in it.
    """
    pairs = zip(claims, verdicts, strict=True)
    decided = [(claim, verdict) for claim, verdict in pairs if verdict.outcome != "inconclusive"]
    if not decided:
        return None
    reproduced = sum(verdict.outcome == "reproduced" for _, verdict in decided)
    distinct = {(comparison(claim, verdict), verdict.outcome) for claim, verdict in decided}
    once = sum(outcome == "reproduced" for _, outcome in distinct), len(distinct)
    return Share(reproduced, len(decided), wilson(*once), once)
