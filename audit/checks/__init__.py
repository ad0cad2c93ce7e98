"""Checks that need no run: a paper's tables against themselves, and against those of other papers. Each is a
function from a sheet (or from all of them) to findings, exact on the printed strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from audit.checks.across import copies, sizes
from audit.checks.feasible import joint, one_cause
from audit.checks.granularity import granularity
from audit.checks.identities import above_labels, average_rank, bounds, identity, recall, statistics, twice
from audit.checks.sentences import complexity, formulas, sentences, significance
from audit.checks.tables import Sheet, sheet_of
from audit.claims.load import Paper, builtin_claims, load
from audit.record import Finding

#: A further check is a function here.
CHECKS: tuple[Callable[[Sheet], Iterator[Finding]], ...] = (
    *(bounds, recall, identity, joint, twice, average_rank),
    *(sentences, formulas, complexity, significance, above_labels, statistics),
)
ACROSS: tuple[Callable[[Sequence[Sheet]], Iterator[Finding]], ...] = (granularity, copies, sizes)


def all_findings(sheets: Sequence[Sheet], others: Sequence[Sheet] = ()) -> tuple[Finding, ...]:
    """What every check finds about papers, with `others` to hold them against; what is across, last."""
    keys = {sheet.paper.key for sheet in sheets}
    findings = one_cause([finding for sheet in sheets for check in CHECKS for finding in check(sheet)])
    for finding in (finding for check in ACROSS for finding in check([*sheets, *others])):
        # what is no single paper's is about those whose cells it names
        places = finding.cells if finding.id.startswith("across:") else [finding.id]
        if any(place.partition(":")[0] in keys for place in places):
            findings.append(finding)
    named, seen = [], Counter[str]()
    for finding in findings:  # a second finding of one name is told apart by its number
        seen[finding.id] += 1
        number = seen[finding.id]
        named.append(finding if number == 1 else replace(finding, id=f"{finding.id}#{number}"))
    return tuple(named)


@cache
def _builtin_sheet(path: Path) -> Sheet:
    return sheet_of(load(path))


def sheets_beside(paper: Paper, others: Sequence[Paper] = ()) -> tuple[Sheet, ...]:
    """What the numbers of `paper` are held against: the built-in papers, and the others that the user named,
    which go before built-in ones of their keys."""
    named = {other.paper.key: sheet_of(other) for other in others}
    sheets = {path.stem: named.get(path.stem) or _builtin_sheet(path) for path in builtin_claims()} | named
    return tuple(sheet for key, sheet in sheets.items() if key != paper.paper.key)


def findings_about(papers: Sequence[Paper]) -> list[Finding]:
    """What the checks that need no run find about these papers, and between them and the built-in ones."""
    keys = {paper.paper.key for paper in papers}
    others = [_builtin_sheet(path) for path in builtin_claims() if path.stem not in keys]
    return list(all_findings([sheet_of(paper) for paper in papers], others))


__all__ = ["ACROSS", "CHECKS", "Sheet", "all_findings", "findings_about", "sheets_beside"]
