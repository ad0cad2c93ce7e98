"""Blank names that go on with the one above: a data set that is printed once, in the first row of its block.

| EURLex-4K | P@1 | 82.2 |
|           | P@3 | 68.8 |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.authoring.raw import RawCell

Grid = list[list[RawCell]]


def carried(body: Grid, names: int, sections: Sequence[bool]) -> Grid:
    """The rows with what their blank names go on with; such a cell says so.

    `names`: columns at the left that name rows. `sections`: for each row, whether it is a title alone.
    """
    rows = [list(row) for row in body]
    for column in range(names - 1):
        if not _is_of_blocks([row[column] for row, alone in zip(rows, sections, strict=True) if not alone]):
            continue
        above: RawCell | None = None
        for row, alone in zip(rows, sections, strict=True):
            cell = row[column]
            if alone:
                above = None
            elif cell.kind != "empty":
                above = cell
            elif above is not None and any(it.kind != "empty" for it in row[column + 1 : names]):
                row[column] = replace(cell, text=above.text, kind=above.kind, carried=True)
    return rows


def _is_of_blocks(cells: Sequence[RawCell]) -> bool:
    """Whether words begin blocks, each once, the first at the top; ticks for yes, blank for no, do not."""
    filled = [it.text for it in cells if it.kind != "empty"]
    words = all(sum(sign.isalnum() for sign in it) > 1 for it in filled)
    return bool(filled) and len(filled) < len(cells) and cells[0].kind == "text" and words and _once(filled)


def _once(texts: Sequence[str]) -> bool:
    return len(set(texts)) == len(texts)
