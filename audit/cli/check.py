"""`audit check`: a paper's tables against themselves, against its sentences, and against other papers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import Claims, app, papers_of, say
from audit.errors import AuditError
from audit.exit_codes import Exit
from audit.names import known_names

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.record import Finding

_WIDTH = 110
"""Of what is written to a file or a pipe."""


@app.command("check")
def check_command(
    claims: Claims = None,
    explain: Annotated[
        str | None, typer.Option(metavar="ID", help="Show one finding with all its numbers.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON.")] = False,
    with_models: Annotated[
        bool, typer.Option("--models", help="Count weights in the models too; needs torch.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show also what is consistent and what cannot be tested.")
    ] = False,
) -> int:
    """Test the tables of claim files against themselves and against the text, without any run.

    Exit code 1 if anything is inconsistent.
    """
    from audit.assemble import sheet_of
    from audit.checks import all_findings

    papers = papers_of(claims)
    sheets = [sheet_of(paper) for paper in papers]
    findings = all_findings(sheets)
    if with_models:
        from audit.checks.models import models
        from audit.runner.structure import count_weights

        findings += tuple(it for sheet in sheets for it in models(sheet, count_weights))
    if explain is not None:
        say(_explained(explain, findings))
    elif as_json:
        say(_as_json(papers, findings))
    else:
        _print_table([it for it in findings if everything or it.result == "inconsistent"])
        for paper in papers:
            say(_summary(paper, findings))
        say(_legend(findings))
    return Exit.CONTRADICTED if any(it.result == "inconsistent" for it in findings) else Exit.OK


def _by_weight(findings: Sequence[Finding]) -> list[Finding]:
    """The weightiest first, inconsistent before untestable before consistent."""
    order = ("inconsistent", "untestable", "consistent")
    return sorted(findings, key=lambda it: (order.index(it.result), -it.weight))


def _print_table(findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not findings:
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
    table = Table("weight", "finding", box=None, padding=(0, 1, 1, 0), show_edge=False)
    for it in _by_weight(findings):
        lines = [it.id]
        lines += [f'says: "{it.says}"'] if it.says else [f"cells: {', '.join(it.cells)}"]
        lines += [it.arithmetic]
        if it.result == "inconsistent":
            lines += [f"first consider: {'; '.join(it.alternatives)}"]
        weight = "●" * it.weight + "○" * (5 - it.weight)
        table.add_row(Text(weight if it.result == "inconsistent" else it.result), Text("\n".join(lines)))
    with console.capture() as captured:
        console.print(table)
    say(captured.get().rstrip() + "\n")


def _summary(paper: Paper, findings: Sequence[Finding]) -> str:
    """`chen2022: 106 numbers in 4 tables; 3 inconsistent, 59 consistent, 17 untestable`."""
    cells = [cell for table in paper.table_records() for row in table.rows for cell in row.cells]
    mine = [it for it in findings if it.id.startswith(f"{paper.paper.key}:")]
    counts = Counter(it.result for it in mine)
    shown = ", ".join(f"{counts[result]} {result}" for result in ("inconsistent", "consistent", "untestable"))
    numbers = sum(cell.printed is not None for cell in cells)
    return f"{paper.paper.key}: {numbers} printed cells in {len(paper.tables)} tables; {shown}"


def _legend(findings: Sequence[Finding]) -> str:
    counts = Counter(it.check for it in findings if it.result == "inconsistent")
    shown = ", ".join(f"{check} {number}" for check, number in counts.most_common()) or "none"
    unverified = sum(it.result == "inconsistent" and not it.verified for it in findings)
    unread = f"{unverified} of them stand on numbers that nobody has held against the page yet. "
    return (
        f"inconsistent by check: {shown}. {unread if unverified else ''}"
        "A finding is about numbers, not people; --explain ID shows one."
    )


def _explained(name: str, findings: Sequence[Finding]) -> str:
    found = {it.id: it for it in findings}
    if name not in found:
        raise AuditError(f"there is no finding {name!r}; {known_names(name, found)}")
    it = found[name]
    power = "" if it.power is None else f"\npower:       {it.power:.0%} (chance to see a wrong last digit)"
    lines = [
        f"finding:     {it.id}",
        f"result:      {it.result}, weight {it.weight} of 5",
        f"cells:       {', '.join(it.cells) or 'none'}",
        *([f"the text:    {it.says}"] if it.says else []),
        f"arithmetic:  {it.arithmetic}{power}",
        *(f"{'consider:' if i == 0 else '':13}{text}" for i, text in enumerate(it.alternatives)),
        f"transcribed: {'held against the page' if it.verified else 'not yet held against the page'}",
    ]
    return os.linesep.join(lines)


def _as_json(papers: Sequence[Paper], findings: Sequence[Finding]) -> str:
    content = {"papers": [paper.paper.key for paper in papers], "findings": [asdict(it) for it in findings]}
    return json.dumps(content, indent=1, ensure_ascii=False)
