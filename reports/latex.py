"""The verdicts as LaTeX tables for a paper: printed values table by table, then the comparisons."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.record import Audit, ClaimRecord, Verdict
from reports import digits
from reports.claims import Told, ours, printed, shown_about, told
from reports.lookup import Lookup, lookup
from reports.notes import (
    BESIDE_COMPARISONS,
    BESIDE_VALUES,
    NOTHING_TESTED,
    in_place,
    on_imported,
    on_other_data,
    tested,
)
from reports.text import line, shortened, slug
from reports.words import Status

#: Braces are written as words: BibTeX counts a brace even behind a backslash.
_TEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "†": r"\dag{}",
    "\xa0": "~",
}


def tex_escape(text: str) -> str:
    """`text` on one line. Invisible marks, on which a LaTeX without Unicode fonts stops, are written out.

    >>> tex_escape("50% of P@1_x & {y}")
    '50\\\\% of P@1\\\\_x \\\\& \\\\textbraceleft{}y\\\\textbraceright{}'
    """
    return "".join(_escaped(sign) for sign in line(text))


def _escaped(sign: str) -> str:
    if sign in _TEX_SPECIAL:
        return _TEX_SPECIAL[sign]
    if unicodedata.category(sign) in ("Cf", "Co", "Cn"):
        return f"[U+{ord(sign):04X}]"
    return sign


ROWS = 40
_MARKS: dict[Status, str] = {
    "reproduced": r"$\checkmark$",
    "contradicted": r"$\times$",
    "inconclusive": r"$\circ$",
    "not_tested": "--",
}
_TEX_LABEL = 70


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
    return "\n\n".join(["\n".join(top), *(parts or [f"% {NOTHING_TESTED}"])]) + "\n"


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
                *_tex_lines(rows),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table*}",
            ]
        )


def _tex_lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """What stands in the first column is said once for neighbours, which are set a little apart."""
    together = len({row[0] for row in rows}) < len(rows)
    before = ""
    for k, row in enumerate(rows):
        first = "" if row[0] == before else row[0]
        if first and k and together:
            yield r"\addlinespace"
        yield " & ".join([first, *row[1:]]) + r" \\"
        before = row[0]


def _value_blocks(claims: Sequence[Told], found: Lookup) -> Iterator[Block]:
    """One for each table of the paper, in the paper's order."""
    values = [it for it in claims if it.claim.kind == "value"]
    for table in found.audit.tables:
        own = [it for it in values if _table_of(it.claim, found) == table.id]
        rows = tuple(_tex_value_row(it, found) for it in own if it.status != "not_tested")
        if rows:
            yield Block(
                label=f"audit-{slug(found.audit.paper.key)}-{slug(table.id)}",
                caption=tex_escape(
                    f"{shortened(line(table.label), _TEX_LABEL)}: {BESIDE_VALUES} {_notes(own)}"
                ),
                head=("Row", "Column", "Printed", "Ours", "$n$", "Margin", "Verdict"),
                columns="llrrrrl",
                rows=rows,
            )


def _table_of(claim: ClaimRecord, found: Lookup) -> str:
    place = found.places.get(claim.cells[0]) if claim.cells else None
    return place.table.id if place else ""


def _tex_value_row(it: Told, found: Lookup) -> tuple[str, ...]:
    place, verdict = found.places[it.claim.cells[0]], _verdict(it)
    return (
        tex_escape(shortened(line(place.row.label), _TEX_LABEL)),
        tex_escape(shortened(line(place.column.label), _TEX_LABEL)),
        tex_escape(it.claim.printed[0] if it.claim.printed else digits.ABSENT),
        _tex_ours(it.claim, verdict),
        _tex_seeds(verdict),
        tex_escape(digits.margin_size(verdict.margin)),
        _tex_mark(it),
    )


def _comparison_block(claims: Sequence[Told], found: Lookup) -> Iterator[Block]:
    others = [it for it in claims if it.claim.kind != "value"]
    tested = [it for it in others if it.status != "not_tested"]
    rows = tuple(_comparison_row(it) for it in tested)
    if rows:
        said = f"{BESIDE_COMPARISONS} {in_place(it.claim.kind for it in tested)}".rstrip()
        yield Block(
            label=f"audit-{slug(found.audit.paper.key)}-comparisons",
            caption=tex_escape(f"{said} {_notes(others)}"),
            head=("Claim", "Metric", "Printed", "Ours", "$n$", "Verdict"),
            columns=r">{\raggedright\arraybackslash}p{0.36\textwidth}lrrrl",
            rows=rows,
        )


def _comparison_row(it: Told) -> tuple[str, ...]:
    verdict = _verdict(it)
    return (
        tex_escape(shortened(line(it.title), 2 * _TEX_LABEL)),
        tex_escape(shortened(line(shown_about(it.claim, verdict)), 30)),
        tex_escape(printed(it.claim, verdict)),
        _tex_ours(it.claim, verdict),
        _tex_seeds(verdict),
        _tex_mark(it),
    )


def _verdict(it: Told) -> Verdict:
    return it.verdict or Verdict(it.claim.id, "inconclusive", "not_run")


def _tex_seeds(verdict: Verdict) -> str:
    """`3`, or `2 of 3` where a run was lost; arms that differ are all shown."""
    tries = verdict.attempts if len(verdict.attempts) == len(verdict.n) else verdict.n
    texts = [str(k) if k == of else f"{k} of {of}" for k, of in zip(verdict.n, tries, strict=True)]
    return ", ".join(dict.fromkeys(texts)) or "--"


def _tex_mark(it: Told) -> str:
    return f"{_MARKS[it.status]} {it.word.lower()}"


def _tex_ours(claim: ClaimRecord, verdict: Verdict) -> str:
    """Ours, with a dagger where it is of other data than the paper's."""
    text = ours(claim, verdict)
    elsewhere = verdict.scope in ("other_data", "other_split") and text != digits.ABSENT
    return tex_escape(text) + (r"\,\dag{}" if elsewhere else "")


def _notes(claims: Sequence[Told]) -> str:
    """How many have a row, and what the dagger says where there is one."""
    rows = [it for it in claims if it.status != "not_tested"]
    said = (
        tested(len(rows), len(claims)),
        on_other_data(_verdict(it).scope for it in rows),
        on_imported(sum(it.imported for it in rows), len(rows)),
    )
    return " ".join(filter(None, said))
