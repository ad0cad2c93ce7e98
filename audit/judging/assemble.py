"""Claim file + evidence -> the audit: the one record that reports are made of.

With it go descriptions that decide nothing: what several papers print of one method on one collection by one
metric, and the share of claims that were decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import audit
from audit.checks import Sheet, all_findings
from audit.checks.tables import Number, cut, meet
from audit.claims.load import Paper
from audit.judging.imported import beside
from audit.judging.looks import Judge, about_looks, judge_by
from audit.judging.plan import settling
from audit.judging.splits import stand
from audit.judging.verdicts import MarginsNow, compare
from audit.kinds import KINDS
from audit.record import (
    AcrossPapers,
    Audit,
    ClaimRecord,
    ExperimentRecord,
    FidelityCheck,
    Look,
    PrintedIn,
    Share,
    Verdict,
    comparison,
)
from audit.stats.documents import wilson
from audit.stats.printed import printed_count


def assemble(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Sequence[FidelityCheck],
    command: str,
    looks: Sequence[Look] = (),
    grown: Mapping[str, tuple[str, ...]] | None = None,
    others: Sequence[Sheet] = (),
) -> Audit:
    """Judge every claim of the paper by the runs of its experiments; `looks` are all that were taken.

    `grown` are earlier margins of which all claims stand, with the claims that were added since. `others` are
    papers that this one's numbers are held against.
    """
    runs = [run for experiment in experiments.values() for run in experiment.runs]
    claims, sheet = _aimed(paper.claim_records(), experiments), sheet_of(paper)
    unjudged = Audit(
        paper=paper.info(),
        tables=paper.table_records(),
        experiments=tuple(experiments.values()),
        claims=claims,
        verdicts=(),
        findings=all_findings([sheet], others),
        fidelity=tuple(fidelity),
        margins_hash=paper.margins_hash,
        margins_superseded=paper.superseded,
        margins_grown=grown or {},
        test_sizes=_printed_test_sizes(paper),
        command=command,
        tool_version=audit.__version__,
        created=max((run.finished for run in runs if run.finished), default=""),
        not_checked=tuple(_not_checked(experiments.values())),
        looks=tuple(looks),
        about_looks=about_looks(looks, experiments.values()),
        readings=paper.readings_record(),
        transcription=paper.read_by,
        missing=paper.missing_records(),
        papers_beside=tuple(it.paper.key for it in others),
        across=across(sheet, others),
        author_response=paper.response_record(),
    )
    verdicts = _verdicts(unjudged)
    judged = replace(unjudged, verdicts=verdicts)
    return replace(
        judged,
        share=share(unjudged.claims, verdicts),
        settling=settling(judged),
    )


def _aimed(
    claims: Iterable[ClaimRecord], experiments: Mapping[str, ExperimentRecord]
) -> tuple[ClaimRecord, ...]:
    """The claims, those of printed values pointed at imported runs on data closer to the paper's."""
    return tuple(
        replace(
            it,
            experiments=tuple(
                beside(name) if beside(name) in experiments else name for name in it.experiments
            ),
        )
        if KINDS[it.kind].of_one_printed
        else it
        for it in claims
    )


def sheet_of(paper: Paper) -> Sheet:
    """The paper as the checks see it."""
    return Sheet(
        paper=paper.info(),
        tables=paper.table_records(),
        datasets={it.id: it for it in paper.dataset_records()},
        statements=paper.statements(),
    )


def is_judged_by(audit: Audit) -> bool:
    """Whether the audit's verdicts are those that its own claims and runs give today.

    What describes them must fit them too; records of before there were descriptions have none.
    """
    found = share(audit.claims, audit.verdicts)
    shared = (audit.share or found) == found
    verdicts = _verdicts(audit) == audit.verdicts
    return verdicts and shared and stand(audit)


def _verdicts(audit: Audit) -> tuple[Verdict, ...]:
    """By the audit's own claims, runs and looks."""
    return judge_by(audit.looks, {it.id: it for it in audit.experiments}, judge_of(audit))


def judge_of(audit: Audit) -> Judge:
    """How the audit's claims are judged, with its own gate, margins and test sizes."""
    margins = MarginsNow(audit.paper.key, audit.margins_hash, audit.margins_superseded, audit.margins_grown)

    def judge(experiments: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        return compare(
            audit.claims,
            experiments,
            fidelity=_passed(audit.fidelity),
            margins=margins,
            test_sizes=audit.test_sizes,
            readings=audit.readings,
            alpha=level,
        )

    return judge


def _printed_test_sizes(paper: Paper) -> dict[str, int]:
    """Data set id -> test documents as printed, where the paper prints them."""
    sizes = {name: data.printed.get("test") for name, data in paper.datasets.items()}
    return {name: int(printed_count(size).value) for name, size in sizes.items() if size}


def _passed(checks: Sequence[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks; a model without checks is not there."""
    return {
        model: all(it.passed for it in checks if it.model == model) for model in {it.model for it in checks}
    }


def _not_checked(experiments: Iterable[ExperimentRecord]) -> Iterable[str]:
    """One sentence for each experiment that was left out; the page derives the rest from the verdicts."""
    for experiment in experiments:
        if experiment.not_run:
            yield f"{experiment.title}: {experiment.not_run.rstrip('.')}."


_Held = tuple[Sheet, Number]


def across(sheet: Sheet, others: Sequence[Sheet]) -> tuple[AcrossPapers, ...]:
    """The numbers of `sheet` that another paper prints too, in the order in which they stand in it.

    Which method and which collection a number is about is what the claim files say: `method` of an
    experiment and `catalogue` of a data set.
    """
    found = []
    for subject, numbers in sheet.across.items():
        theirs = [(it, number) for it in others for number in it.across.get(subject, ())]
        if theirs:
            held = [*((sheet, number) for number in numbers), *theirs]
            prints = tuple(dict.fromkeys(_printed(*it) for it in held))
            found.append(AcrossPapers(*subject, prints, _differ(held), _differ(_sized(held), one_size=True)))
    return tuple(found)


def _printed(sheet: Sheet, number: Number) -> PrintedIn:
    cell = number.cell
    return PrintedIn(
        paper=sheet.paper.key,
        address=cell.address,
        place=sheet.named([number]),
        text=number.text,
        source=cell.source,
        copied_from=cell.copied_from,
        test_size=_size(sheet, number),
    )


def _differ(held: Sequence[_Held], *, one_size: bool = False) -> bool:
    """Whether numbers of two origins cannot be one number; fraction and percent are not compared."""
    return any(
        first.cell.unit == second.cell.unit
        and not meet(first.value, second.value)
        and not cut(first.value, second.value)
        for first, second in _pairs(held, one_size=one_size)
    )


def _sized(held: Sequence[_Held]) -> list[_Held]:
    """Those of which the number of test documents is known: a copy comes from a test set of its origin's."""
    return [(it, number) for it, number in held if number.cell.source != "copied" and _size(it, number)]


def _pairs(held: Sequence[_Held], *, one_size: bool) -> Iterator[tuple[Number, Number]]:
    """Those of two papers and two origins: a slip in a copy is a finding, and no second number."""
    for (sheet, first), (other, second) in combinations(held, 2):
        origins = (_origin(sheet, first), _origin(other, second))
        if sheet is other or None in origins or origins[0] == origins[1]:
            continue
        if not one_size or _size(sheet, first) == _size(other, second):
            yield first, second


def _size(sheet: Sheet, number: Number) -> int | None:
    return sheet.test_size(number.cell.dataset)


def _origin(sheet: Sheet, number: Number) -> str | None:
    """The paper that the number comes from; None for a copy that does not say."""
    cell = number.cell
    return cell.copied_from if cell.source == "copied" else sheet.paper.key


def share(claims: Sequence[ClaimRecord], verdicts: Sequence[Verdict]) -> Share | None:
    """Of the claims that were decided, how many were reproduced; None where none was decided.

    Its interval (Wilson 1927) takes claims for independent draws, which they are not: they share runs and
    tables. The same comparison twice is counted once in it; the rest makes it narrower than the truth.
    """
    decided = [
        (claim, it) for claim, it in zip(claims, verdicts, strict=True) if it.outcome != "inconclusive"
    ]
    if not decided:
        return None
    reproduced = sum(it.outcome == "reproduced" for _, it in decided)
    distinct = {(comparison(claim, it), it.outcome) for claim, it in decided}
    once = sum(outcome == "reproduced" for _, outcome in distinct), len(distinct)
    return Share(reproduced, len(decided), wilson(*once), once)
