"""`audit check`: a paper's tables against themselves, against its sentences, and against other papers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claims.papers import findings_about
from audit.cli.app import app, check_keys, papers_of, say, say_table
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.names import counted, known_names
from audit.record import untested

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.record import Finding

_UNREAD = "its numbers were not yet held against the page: `audit verify` does that"
#: In the order of the screen.
_RESULTS = ("inconsistent", "untestable", "consistent")


@command(app, "check")
def check_command(
    claims: list[str] | None = None,
    *,
    explain: str | None = None,
    as_json: bool = False,
    count_weights: bool = False,
    models: Path | None = None,
    everything: bool = False,
) -> int:
    """Test the tables of claim files against themselves and against the text, without any run.

    Exit code 1 if anything is inconsistent.
    """
    if models and not count_weights:
        raise AuditError(f"--models {models}: models are looked at only with --count-weights; give both")
    papers = papers_of(claims)
    check_keys(papers)
    findings = findings_about(papers)
    if count_weights:  # what the models themselves say to statements about their sizes
        from audit.checks.sentences import models as of_models
        from audit.judging.assemble import sheet_of
        from audit.runner.models import count_weights as weights

        findings += [it for paper in papers for it in of_models(sheet_of(paper), weights)]
    asked = [it for it in findings if it.id == explain]
    if explain is not None and not asked:
        offered = known_names(explain, [it.id for it in findings])
        raise AuditError(f"there is no finding {explain!r}; {offered}")
    if as_json:
        content = {
            "papers": [paper.paper.key for paper in papers],
            "findings": [asdict(it) for it in asked or findings],
        }
        say(json.dumps(content, indent=1, ensure_ascii=False))
    elif asked:
        say(_explained(asked[0]))
    else:
        for paper in papers:
            say(_summary(paper, findings))
        say(f"{_legend(findings)}\n")
        _print_table([it for it in findings if everything or it.result == "inconsistent"])
    return Exit.CONTRADICTED if any(it.result == "inconsistent" for it in findings) else Exit.OK


def _print_table(findings: Sequence[Finding]) -> None:
    """Inconsistent before untestable before consistent; the papers' own numbers and the weightiest first."""
    from rich.table import Table
    from rich.text import Text

    if not findings:
        return
    utf8 = (sys.stdout.encoding or "").lower().startswith("utf")
    full, empty = ("●", "○") if utf8 else ("*", "-")
    table = Table("weight", "finding", box=None, padding=(0, 1, 1, 0), show_edge=False)
    table.columns[0].no_wrap = True
    some = any(it.verified for it in findings)  # else the legend says it of all
    for it in sorted(findings, key=lambda it: (_RESULTS.index(it.result), bool(it.source), -it.weight)):
        weight = full * it.weight + empty * (5 - it.weight) if it.result == "inconsistent" else it.result
        lines = _lines(it) + ([_UNREAD] if some and not it.verified else [])
        table.add_row(Text(weight), Text("\n".join(lines), overflow="fold"))
    say_table(table)


def _lines(it: Finding) -> list[str]:
    """Name, place, what is said, what to consider first, and only then the arithmetic."""
    source = " (from the README of the public code, not from the paper)" if it.source else ""
    lines = [it.id]
    if it.says or it.where:
        lines.append(f"the text, in our words: {it.says} [{it.where}]" if it.says else f"{it.where}{source}")
    if it.note:
        lines.append(f"{'read as' if it.claim else 'known from elsewhere'}: {it.note}")
    if it.result == "inconsistent" and it.alternatives:
        lines.append(f"first consider: {'; '.join(it.alternatives)}")
    return [*lines, it.arithmetic]


def _summary(paper: Paper, findings: Sequence[Finding]) -> str:
    """`chen2022: 325 printed cells in 13 tables; 37 inconsistent, 267 consistent, 6 untestable`."""
    tables = paper.table_records()
    mine = [it for it in findings if it.id.startswith(f"{paper.paper.key}:")]
    counts = Counter(it.result for it in mine)
    shown = ", ".join(f"{counts[result]} {result}" for result in ("inconsistent", "consistent", "untestable"))
    readme = sum(it.result == "inconsistent" and bool(it.source) for it in mine)
    elsewhere = f" ({readme} of the inconsistent ones in the README of the public code)" if readme else ""
    numbers = sum(cell.printed is not None for table in tables for row in table.rows for cell in row.cells)
    left = untested(tables, mine)
    none = f"; no check could test {', '.join(left)}" if left else ""
    cells = f"{counted(numbers, 'printed cell')} in {counted(len(tables), 'table')}"
    return f"{paper.paper.key}: {cells}; {shown}{elsewhere}{none}"


def _legend(findings: Sequence[Finding]) -> str:
    inconsistent = [it for it in findings if it.result == "inconsistent"]
    counts = Counter(it.check for it in inconsistent)
    shown = ", ".join(f"{check} {number}" for check, number in counts.most_common()) or "none"
    unverified = sum(not it.verified for it in inconsistent)
    unread = f"{unverified} of {len(inconsistent)} rest on numbers not yet held against the page. "
    return (
        f"inconsistent by check: {shown}. {unread if unverified else ''}"
        "A finding is about numbers, not people; --explain ID shows one."
    )


def _explained(it: Finding) -> str:
    rows = [
        ("finding", it.id),
        ("result", f"{it.result}, weight {it.weight} of 5"),
        ("place", it.where if it.claim is None else ""),
        ("in our words", f"{it.says} [{it.where}]" if it.says else ""),
        ("read as" if it.claim else "known", it.note or ""),
        ("source", "the README of the public code, not the paper" if it.source else ""),
        ("cells", ", ".join(it.cells) or "none"),
        *(("" if i else "consider", text) for i, text in enumerate(it.alternatives)),
        ("arithmetic", it.arithmetic),
        ("in detail", it.detail),
        ("power", "" if it.power is None else f"{it.power:.0%} (chance to see a wrong last digit)"),
        ("transcribed", "held against the page" if it.verified else "not yet held against the page"),
    ]
    return "\n".join(f"{f'{name}:' if name else '':14} {text}" for name, text in rows if text)
