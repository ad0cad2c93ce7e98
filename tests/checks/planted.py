"""Slips planted in the claim files that come with the toolkit: one digit of one printed number at a time.

    python -m tests.checks.planted 100

prints how many of them the checks find, and which check does.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.checks import ACROSS, CHECKS, Sheet
from audit.checks.sheet import Number
from audit.claims.load import builtin_claims, load
from audit.judging.assemble import sheet_of
from audit.record import Finding, TableRecord

SEED = 20_261_128


@dataclass(frozen=True)
class Slip:
    """One wrong digit."""

    paper: str
    number: Number
    wrong: str
    """As printed with the wrong digit."""
    place: int
    """The digit's place after the point; 0 and below before it."""


@dataclass(frozen=True)
class Caught:
    """A slip, and the checks that found it: those with an inconsistency that was not there before."""

    slip: Slip
    checks: tuple[str, ...]


def sheets() -> list[Sheet]:
    """All seven papers."""
    return [sheet_of(load(path)) for path in builtin_claims()]


def slips(papers: Sequence[Sheet], count: int, rng: np.random.Generator) -> list[Slip]:
    """So many cells, each at most once, and in each one digit that becomes another one."""
    numbers = [(sheet.paper.key, number) for sheet in papers for number in sheet.numbers.values()]
    chosen = rng.choice(len(numbers), size=count, replace=False)
    return [_slip(*numbers[int(place)], rng) for place in chosen]


def _slip(paper: str, number: Number, rng: np.random.Generator) -> Slip:
    text = number.text
    at = int(rng.choice([i for i, character in enumerate(text) if character.isdigit()]))
    leads = at == 0 and len(text) > 1 and text[1] not in ".%"  # no paper prints 06.38
    digits = [digit for digit in "0123456789" if digit != text[at] and not (leads and digit == "0")]
    point = text.index(".") if "." in text else len(text)
    before = sum(character.isdigit() for character in text[at:point]) - 1
    place = at - point if at > point else -before
    return Slip(paper, number, text[:at] + str(rng.choice(digits)) + text[at + 1 :], place)


def caught(papers: Sequence[Sheet], slip: Slip, before: frozenset[str]) -> Caught:
    """Which checks find the slip."""
    wrong = [_with(sheet, slip) if sheet.paper.key == slip.paper else sheet for sheet in papers]
    new = [it for it in inconsistent(wrong, slip.paper) if _name(it) not in before]
    return Caught(slip, tuple(sorted({it.check for it in new})))


def inconsistent(papers: Sequence[Sheet], changed: str | None = None) -> list[Finding]:
    """What is inconsistent, of all papers or of what a change in one of them can bear on."""
    alone = [sheet for sheet in papers if changed in (None, sheet.paper.key)]
    found = [it for sheet in alone for check in CHECKS for it in check(sheet)]
    found += [it for check in ACROSS for it in check(papers)]
    return [it for it in found if it.result == "inconsistent"]


def names(findings: Sequence[Finding]) -> frozenset[str]:
    return frozenset(map(_name, findings))


def _name(it: Finding) -> str:
    """A finding is told apart by its subject and its cells; its numbers change with the slip."""
    return f"{it.id} {it.cells}"


def _with(sheet: Sheet, slip: Slip) -> Sheet:
    return replace(sheet, tables=tuple(_table_with(table, slip) for table in sheet.tables))


def _table_with(table: TableRecord, slip: Slip) -> TableRecord:
    if table.id != slip.number.table:
        return table
    address = slip.number.address
    rows = tuple(
        replace(
            row,
            cells=tuple(
                replace(cell, printed=slip.wrong) if cell.address == address else cell for cell in row.cells
            ),
        )
        for row in table.rows
    )
    return replace(table, rows=rows)


def tried(count: int, seed: int = SEED) -> list[Caught]:
    """So many slips, one at a time."""
    papers = sheets()
    before = names(inconsistent(papers))
    return [caught(papers, slip, before) for slip in slips(papers, count, np.random.default_rng(seed))]


def shown(results: Sequence[Caught]) -> str:
    """`found 61 of 100`; by check; by the digit's place."""
    found = [it for it in results if it.checks]
    by_check = Counter(check for it in found for check in it.checks)
    lines = [f"found {len(found)} of {len(results)}"]
    lines += [f"{check:14} {n}" for check, n in by_check.most_common()]
    for place in sorted({it.slip.place for it in results}):
        there = [it for it in results if it.slip.place == place]
        lines.append(f"digit {place:+d}: {sum(bool(it.checks) for it in there)} of {len(there)}")
    kinds = (("metric", True), ("quantity", False))
    for name, is_metric in kinds:
        there = [it for it in results if (it.slip.number.cell.metric is not None) == is_metric]
        lines.append(f"{name}: {sum(bool(it.checks) for it in there)} of {len(there)}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(shown(tried(int(sys.argv[1]))))
