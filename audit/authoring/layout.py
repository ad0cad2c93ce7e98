"""Rows and cells of a file laid out: where the heading ends, what names the rows, which columns are one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from audit.authoring.table import Cell, Piece, Row, Run, Source, Table, cell_of, check_size
from audit.errors import AuditError

Grid = list[list[Cell]]


def laid_out(source: Source, name: str, form: str, settings: Mapping[str, str]) -> Table:
    """The table that a reader gives. Raises `AuditError` for rows of different lengths, and for none."""
    at = f"{name}:{source.line}"
    pieces = _placed(source, name)
    width = max(map(len, pieces), default=0)
    check_size(name, source.line, len(pieces) * width)
    grid: Grid = []
    for row in pieces:
        blanks = [Piece((Run(""),), row[0].line if row else 0)] * (width - len(row))
        grid.append([_cell(piece, column, settings) for column, piece in enumerate([*row, *blanks], 1)])
    if not grid:
        raise AuditError(f"{at}: the table has no rows; give one with a heading and rows")
    top = int(settings["heads"]) if "heads" in settings else _heads(grid, source)
    if not 0 < top < len(grid):
        what = "no heading" if top == 0 else "no rows below its heading"
        raise AuditError(f"{at}: the table has {what}; say --set heads=N, its number of rows")
    if "heads" not in settings and OF_METHODS.fullmatch(grid[top][0].text) and _is_section(grid[top]):
        top += len(grid) > top + 1  # pandas: the name of the index, on a line of its own below the heading
    body = grid[top:]
    columns = max(map(len, pieces[:top]))
    for row, cells in zip(pieces[top:], body, strict=True):
        if len(row) != columns and not _is_section(cells):
            what = f"{len(row)} cells under {columns} columns; write one for each"
            raise AuditError(f"{name}:{cells[0].line}: {what}, an empty one where there is none")
    left = int(settings["names"]) if "names" in settings else width
    if "names" not in settings:  # columns at the left without a number; the first one in any case
        for column, of_body in enumerate(zip(*body, strict=True)):
            if any(
                cell.kind == "number"
                or cell.with_unit is not None
                or (cell.kind == "unclear" and not any(map(str.isalpha, cell.text)))
                for cell in of_body
            ):
                left = max(1, column)
                break
    if left >= width:
        raise AuditError(f"{at}: no column holds numbers; is this a table of results?")
    spread, notes = _put_together(grid, top, left)
    heading, body = tuple(map(tuple, grid[:top])), grid[top:]
    rows = _rows(body, left)
    return Table(name, form, source.line, heading, left, rows, spread, notes, source.shown)


#: Titles of columns that name rows: these are methods.
OF_METHODS = re.compile(
    r"methods?|models?|algorithms?|systems?|names?|classifiers?|approach|runs?", re.IGNORECASE
)
_OF_MEAN = r"(?:mean|avg|average)"
_STATISTIC = re.compile(
    rf"(?P<of>.+?)[\s_/.:|,(-]+(?:{_OF_MEAN}"
    r"|(?P<sd>std|sd|st\.?d\.?|std\.? ?dev\.?|stdev|stddev|standard deviation|±|σ)|"
    r"(?P<se>se|sem|stderr|std\.? ?err\.?|standard error))\)?",
    re.IGNORECASE,
)


def _put_together(grid: Grid, top: int, left: int) -> tuple[str | None, tuple[str, ...]]:
    """Columns of means and of their spreads become one, as pandas and evaluation scripts part them."""
    titles = [
        " ".join(dict.fromkeys(row[k].text for row in grid[:top] if row[k].text)) for k in range(len(grid[0]))
    ]
    parts = {k: _STATISTIC.fullmatch(titles[k]) for k in range(left, len(titles))}
    spreads = {k: it for k, it in parts.items() if it and (it["sd"] or it["se"])}
    pairs: dict[int, int] = {}
    for k, part in spreads.items():
        names = {part["of"].casefold()}
        own = [
            j
            for j, it in parts.items()
            if j not in spreads and (it["of"] if it else titles[j]).casefold() in names
        ]
        if len(own) == 1 and own[0] not in pairs:
            pairs[own[0]] = k
    for j, k in pairs.items():
        for row in grid[:top]:
            plain = re.sub(rf"(?:^|[\s_/.:|,(-]+){_OF_MEAN}\)?$", "", row[j].text, flags=re.IGNORECASE)
            row[j] = replace(row[j], text=plain)
        for row in grid[top:]:
            if row[j].kind == "number" and row[k].kind == "number" and not (row[j].sd or row[k].sd):
                row[j] = replace(row[j], sd=row[k].value)
            elif row[k].kind not in ("empty", "dash"):
                why = f"has a spread beside it that is no plain number: {row[k].text!r}"
                row[j] = replace(row[j], kind="unclear", value=None, why=why)
    notes = [
        f"columns {titles[j]!r} and {titles[k]!r} of the file are read as one, with its spread"
        for j, k in pairs.items()
    ]
    gone = set(pairs.values())
    for row in grid:
        row[:] = [
            replace(cell, column=k)
            for k, cell in enumerate((c for n, c in enumerate(row) if n not in gone), 1)
        ]
    kinds = {"sd" if spreads[k]["sd"] else "se" for k in gone}
    return kinds.pop() if len(kinds) == 1 else None, tuple(notes)


def _placed(source: Source, name: str) -> list[list[Piece]]:
    """The rows with each piece in all the columns and rows that it covers."""
    places: dict[tuple[int, int], Piece] = {}
    spans: list[tuple[int, int, Piece]] = []
    for row, pieces in enumerate(source.rows):
        column = 0
        for piece in pieces:
            column = next(free for free in count(column) if (row, free) not in places)
            rows = range(row, row + (1 if source.fills else piece.down))
            covered = range(column, column + piece.across)
            places |= {(down, across): piece for down in rows for across in covered}
            check_size(name, source.line, len(places))
            if source.fills and abs(piece.down) > 1:
                spans.append((row, column, piece))
    for row, column, piece in spans:  # empty cells that a cell above or below covers take its content
        step = 1 if piece.down > 0 else -1
        for down in range(row, row + piece.down, step):
            for across in range(column, column + piece.across):
                if (down, across) in places and not places[down, across].text:
                    places[down, across] = piece
    placed: list[list[Piece]] = []
    for row in range(len(source.rows)):
        cells: list[Piece] = []
        while (row, len(cells)) in places:
            cells.append(places[row, len(cells)])
        placed.append(cells)
    return placed


def _cell(piece: Piece, column: int, settings: Mapping[str, str]) -> Cell:
    place: dict[str, Any] = {"column": column, "line": piece.line, "across": piece.across}
    if piece.why:
        return Cell(text=piece.text, kind="unclear", why=piece.why, hidden=True, **place)
    return replace(cell_of(piece.runs, settings, **place), text=piece.text)


def _is_section(row: Sequence[Cell]) -> bool:
    """One text at the left, or over the whole width, and nothing else."""
    filled = {(cell.text, cell.line) for cell in row if cell.kind != "empty"}
    return len(filled) == 1 and row[0].kind == "text" and row[0].across in (1, len(row))


def _heads(grid: Grid, source: Source) -> int:
    """Rows of the heading: those that the file says, or those down to the first line across the table.

    A row with gaps or with titles over several columns goes on in the next one, as long as that has no
    number. Whole numbers may stand in it (the k of P@k).
    """
    if source.heads is not None and not source.least_heads:
        return source.heads
    results = [
        any(cell.kind not in ("empty", "text") or cell.with_unit is not None for cell in row[1:])
        for row in grid
    ]
    by_content = results.index(True) if True in results else len(grid)
    while by_content > 1 and _is_section(grid[by_content - 1]):
        by_content -= 1
    heads = source.heads or min(1, by_content)
    if any("." in (cell.value or "") for row in grid[by_content:heads] for cell in row):
        heads = by_content
    used = [k for k in range(1, len(grid[0])) if any(row[k].kind != "empty" for row in grid)]
    while 0 < heads < by_content and (
        any(grid[heads - 1][k].kind == "empty" or grid[heads - 1][k].across > 1 for k in used)
        or len({tuple(row[k].text for row in grid[:heads]) for k in used}) < len(used)  # P@1, P@1
    ):
        heads += 1
    return heads


def _rows(body: Grid, names: int) -> tuple[Row, ...]:
    """The rows with their names, those of the sections above them first."""
    titles = [len(row) > 1 and _is_section(row) and row is not body[-1] for row in body]
    rows: list[Row] = []
    section: tuple[str, ...] = ()
    for k, (row, title) in enumerate(zip(body, titles, strict=True)):
        if title:
            section = (*section, row[0].text) if k and titles[k - 1] else (row[0].text,)
        else:
            own = [cell.text for cell in row[:names] if cell.text]
            path = tuple(dict.fromkeys([*section, *own]))
            rows.append(Row(len(rows) + 1, row[-1].line, path, tuple(row)))
    return tuple(rows)
