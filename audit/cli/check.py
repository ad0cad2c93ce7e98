"""`audit check`: a paper's tables against themselves, against its sentences, and against other papers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from audit.claims.load import Paper
from audit.claims.papers import check_keys, findings_about, papers_of
from audit.cli.app import Folder, Words, app, command, say, say_table, wrapped
from audit.errors import AuditError, Exit
from audit.names import counted, known_names
from audit.record import Finding, untested

_UNREAD = "its numbers were not yet held against the page: `audit verify` does that"
#: In the order of the screen.
_RESULTS = ("inconsistent", "untestable", "consistent")


@command(app, "check")
def check_command(
    claims: Words = None,
    *,
    explain: str | None = None,
    as_json: bool = False,
    count_weights: bool = False,
    models: Folder = None,
    everything: bool = False,
) -> int:
    """Test the tables of claim files against themselves and against the text, without any run.

    Exit code 1 if anything is inconsistent.
    """
    papers = papers_of(claims)
    check_keys(papers)
    findings = findings_about(papers)
    if count_weights:  # what the models themselves say to statements about their sizes
        from audit.checks.sentences import models as of_models
        from audit.checks.tables import sheet_of
        from audit.runner.models import count_weights as weights

        findings += [finding for paper in papers for finding in of_models(sheet_of(paper), weights)]
    asked = [finding for finding in findings if finding.id == explain]
    if explain is not None and not asked:
        offered = known_names(explain, [finding.id for finding in findings])
        raise AuditError(f"there is no finding {explain!r}; {offered}")
    if as_json:
        content = {
            "papers": [paper.paper.key for paper in papers],
            "findings": [asdict(finding) for finding in asked or findings],
        }
        say(json.dumps(content, indent=1, ensure_ascii=False))
    elif asked:
        say("\n".join(_explained(asked[0])))
    else:
        for text in (*(_summary(paper, findings) for paper in papers), _legend(findings)):
            say("\n".join(wrapped(text)))
        say("")
        _print_table([it for it in findings if everything or it.result == "inconsistent"])
    inconsistent = any(finding.result == "inconsistent" for finding in findings)
    return Exit.CONTRADICTED if inconsistent else Exit.OK


def _print_table(findings: Sequence[Finding]) -> None:
    """Inconsistent before untestable before consistent; the papers' own numbers and the weightiest first."""
    utf8 = (sys.stdout.encoding or "").lower().startswith("utf")
    full, empty = ("●", "○") if utf8 else ("*", "-")
    some = any(finding.verified for finding in findings)  # else the legend says it of all
    rows = []
    for finding in sorted(findings, key=lambda it: (_RESULTS.index(it.result), bool(it.source), -it.weight)):
        weight = full * finding.weight + empty * (5 - finding.weight)
        unread = [_UNREAD] if some and not finding.verified else []
        text = "\n".join([*_lines(finding), *unread])
        rows.append((weight if finding.result == "inconsistent" else finding.result, text))
    if rows:
        say_table(("weight", "finding"), rows, spaced=True)


def _lines(finding: Finding) -> list[str]:
    says, where = finding.says, finding.where
    source = " (from the README of the public code, not from the paper)" if finding.source else ""
    lines = [finding.id]
    if says or where:
        lines.append(f"the text, in our words: {says} [{where}]" if says else f"{where}{source}")
    if finding.note:
        lines.append(f"{'read as' if finding.claim else 'known from elsewhere'}: {finding.note}")
    if finding.result == "inconsistent" and finding.alternatives:
        lines.append(f"first consider: {'; '.join(finding.alternatives)}")
    return [*lines, finding.arithmetic]


def _summary(paper: Paper, findings: Sequence[Finding]) -> str:
    """`chen2022: 325 printed cells in 13 tables; 37 inconsistent, 267 consistent, 6 untestable`."""
    tables = paper.table_records()
    mine = [finding for finding in findings if finding.id.startswith(f"{paper.paper.key}:")]
    counts = Counter(finding.result for finding in mine)
    shown = ", ".join(f"{counts[result]} {result}" for result in ("inconsistent", "consistent", "untestable"))
    readme = sum(finding.result == "inconsistent" and bool(finding.source) for finding in mine)
    elsewhere = f" ({readme} of the inconsistent ones in the README of the public code)" if readme else ""
    numbers = sum(cell.printed is not None for table in tables for row in table.rows for cell in row.cells)
    left = untested(tables, mine)
    none = f"; no check could test {', '.join(left)}" if left else ""
    cells = f"{counted(numbers, 'printed cell')} in {counted(len(tables), 'table')}"
    return f"{paper.paper.key}: {cells}; {shown}{elsewhere}{none}"


def _legend(findings: Sequence[Finding]) -> str:
    inconsistent = [finding for finding in findings if finding.result == "inconsistent"]
    counts = Counter(finding.check for finding in inconsistent)
    shown = ", ".join(f"{check} {number}" for check, number in counts.most_common()) or "none"
    unverified = sum(not finding.verified for finding in inconsistent)
    unread = f"{unverified} of {len(inconsistent)} rest on numbers not yet held against the page. "
    return (
        f"inconsistent by check: {shown}. {unread if unverified else ''}"
        "A finding is about numbers, not people; --explain ID shows one."
    )


def _explained(finding: Finding) -> Iterator[str]:
    """All that is known of it, key by key."""
    for name, value in asdict(finding).items():
        texts = value if isinstance(value, tuple) and name == "alternatives" else [value]
        for k, text in enumerate(texts):
            text = ", ".join(text) if isinstance(text, tuple) else "" if text is None else str(text)
            if text:
                first, *rest = wrapped(text, 15)
                yield from (f"{'' if k else f'{name}:':15}{first[15:]}", *rest)
