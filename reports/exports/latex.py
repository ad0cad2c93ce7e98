"""The verdicts as LaTeX tables for a paper: printed values table by table, then the comparisons.

Each `table*` fits a page of one or two columns; a longer one is cut into parts. Only tested claims have a
row: the captions count the others. Marks differ in shape and stand beside their word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.record import Audit, ClaimRecord, Verdict
from reports import digits, wording
from reports.exports import shown
from reports.exports.tex import escape
from reports.exports.told import Told, line, told
from reports.lookup import Lookup, lookup
from reports.strings import shortened, slug
from reports.wording import Status, beside

ROWS = 40
_MARKS: dict[Status, str] = {
    "reproduced": r"$\checkmark$",
    "contradicted": r"$\times$",
    "inconclusive": r"$\circ$",
    "not_tested": "--",
}
_LABEL = 70


@dataclass(frozen=True)
class Block:
    """One table; its texts are LaTeX already."""

    label: str
    caption: str
    head: tuple[str, ...]
    columns: str
    rows: tuple[tuple[str, ...], ...]


def latex(audit: Audit) -> str:
    """The tables, with the packages they need in a comment on top."""
    claims, found = told(audit), lookup(audit)
    blocks = [*_value_blocks(claims, found), *_comparison_block(claims, found)]
    top = [
        f"% Verdicts on {line(audit.paper.key)}. In the preamble: \\usepackage{{booktabs,amssymb,array}}",
        f"% Made by xmtc-audit {line(audit.tool_version)}: {line(audit.command)}",
    ]
    parts = [part for block in blocks for part in _tables(block)]
    return "\n\n".join(["\n".join(top), *(parts or [f"% {wording.NOTHING_TESTED}"])]) + "\n"


def _tables(block: Block) -> Iterator[str]:
    """The block in parts of so many rows."""
    number = -(-len(block.rows) // ROWS)
    for part in range(number):
        rows = block.rows[part * ROWS : (part + 1) * ROWS]
        of = f" Part {part + 1} of {number}." if number > 1 else ""
        label = block.label + (f"-{part + 1}" if part else "")
        yield "\n".join(
            [
                r"\begin{table*}",
                r"\centering\small",
                rf"\caption{{{block.caption}{of}}}",
                rf"\label{{tab:{label}}}",
                rf"\begin{{tabular}}{{{block.columns}}}",
                r"\toprule",
                " & ".join(block.head) + r" \\",
                r"\midrule",
                *_lines(rows),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table*}",
            ]
        )


def _lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """What stands in the first column is said once for neighbours, which are set a little apart."""
    together = len({row[0] for row in rows}) < len(rows)
    before = ""
    for k, row in enumerate(rows):
        first = "" if row[0] == before else row[0]
        if first and k and together:
            yield r"\addlinespace"
        yield " & ".join([first, *row[1:]]) + r" \\"
        before = row[0]


# --------------------------------------------------------------------------- values


def _value_blocks(claims: Sequence[Told], found: Lookup) -> Iterator[Block]:
    """One for each table of the paper, in the paper's order."""
    values = [it for it in claims if it.claim.kind == "value"]
    for table in found.audit.tables:
        own = [it for it in values if _table_of(it.claim, found) == table.id]
        rows = tuple(_value_row(it, found) for it in own if it.status != "not_tested")
        if rows:
            yield Block(
                label=f"audit-{slug(found.audit.paper.key)}-{slug(table.id)}",
                caption=escape(f"{shortened(line(table.label), _LABEL)}: {beside.VALUES} {_notes(own)}"),
                head=("Row", "Column", "Printed", "Ours", "$n$", "Margin", "Verdict"),
                columns="llrrrrl",
                rows=rows,
            )


def _table_of(claim: ClaimRecord, found: Lookup) -> str:
    place = found.places.get(claim.cells[0]) if claim.cells else None
    return place.table.id if place else ""


def _value_row(it: Told, found: Lookup) -> tuple[str, ...]:
    place, verdict = found.places[it.claim.cells[0]], _verdict(it)
    return (
        escape(shortened(line(place.row.label), _LABEL)),
        escape(shortened(line(place.column.label), _LABEL)),
        escape(it.claim.printed[0] if it.claim.printed else digits.ABSENT),
        _ours(it.claim, verdict),
        _seeds(verdict),
        escape(digits.margin_size(verdict.margin)),
        _mark(it),
    )


# --------------------------------------------------------------------------- comparisons


def _comparison_block(claims: Sequence[Told], found: Lookup) -> Iterator[Block]:
    others = [it for it in claims if it.claim.kind != "value"]
    tested = [it for it in others if it.status != "not_tested"]
    rows = tuple(_comparison_row(it) for it in tested)
    if rows:
        said = f"{beside.COMPARISONS} {beside.in_place(it.claim.kind for it in tested)}".rstrip()
        yield Block(
            label=f"audit-{slug(found.audit.paper.key)}-comparisons",
            caption=escape(f"{said} {_notes(others)}"),
            head=("Claim", "Metric", "Printed", "Ours", "$n$", "Verdict"),
            columns=r">{\raggedright\arraybackslash}p{0.36\textwidth}lrrrl",
            rows=rows,
        )


def _comparison_row(it: Told) -> tuple[str, ...]:
    verdict = _verdict(it)
    return (
        escape(shortened(line(it.title), 2 * _LABEL)),
        escape(shortened(line(shown.about(it.claim, verdict)), 30)),
        escape(shown.printed(it.claim, verdict)),
        _ours(it.claim, verdict),
        _seeds(verdict),
        _mark(it),
    )


# --------------------------------------------------------------------------- both


def _verdict(it: Told) -> Verdict:
    return it.verdict or Verdict(it.claim.id, "inconclusive", "not_run")


def _seeds(verdict: Verdict) -> str:
    """`3`, or `2 of 3` where a run was lost; arms that differ are all shown."""
    tries = verdict.attempts if len(verdict.attempts) == len(verdict.n) else verdict.n
    texts = [str(k) if k == of else f"{k} of {of}" for k, of in zip(verdict.n, tries, strict=True)]
    return ", ".join(dict.fromkeys(texts)) or "--"


def _mark(it: Told) -> str:
    return f"{_MARKS[it.status]} {it.word.lower()}"


def _ours(claim: ClaimRecord, verdict: Verdict) -> str:
    """Ours, with a dagger where it is of other data than the paper's."""
    text = shown.ours(claim, verdict)
    elsewhere = verdict.scope in ("other_data", "other_split") and text != digits.ABSENT
    return escape(text) + (r"\,\dag{}" if elsewhere else "")


def _notes(claims: Sequence[Told]) -> str:
    """How many have a row, and what the dagger says where there is one."""
    rows = [it for it in claims if it.status != "not_tested"]
    said = (
        beside.tested(len(rows), len(claims)),
        beside.elsewhere(_verdict(it).scope for it in rows),
        wording.on_imported(sum(it.imported for it in rows), len(rows)),
    )
    return " ".join(filter(None, said))
