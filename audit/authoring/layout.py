"""Rows and cells of a file as a table: the end of the heading, row names, columns that belong together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

from audit.authoring.table import Cell, Piece, Row, Run, Source, Table, cell_of, check_size
from audit.errors import AuditError

Grid = list[list[Cell]]


def laid_out(source: Source, name: str, form: str, settings: Mapping[str, str]) -> Table:
    """The table from a reader. Raises `AuditError` for rows of different lengths, and for an empty table."""
    at = f"{name}:{source.line}"
    pieces = _placed(source, name)
    notes = _parted(pieces)
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
        what = "rows below its heading" if top else "heading"
        raise AuditError(f"{at}: the table has no {what}; say --set heads=N, its number of rows")
    if "heads" not in settings and OF_METHODS.fullmatch(grid[top][0].text) and _is_section(grid[top]):
        top += len(grid) > top + 1  # pandas: the name of the index, on a line of its own below the heading
    body = grid[top:]
    columns = max(map(len, pieces[:top]))
    for row, cells in zip(pieces[top:], body, strict=True):
        if len(row) != columns and not _is_section(cells):
            what = f"{len(row)} cells under {columns} columns; write one for each"
            raise AuditError(f"{name}:{cells[0].line}: {what}, an empty one where there is none")
    numbers = [k for k, of_body in enumerate(zip(*body, strict=True)) if any(map(_is_value, of_body))]
    left = int(settings.get("names", max(1, numbers[0]) if numbers else width))
    if left >= width:
        raise AuditError(f"{at}: no column holds numbers: is it a table of results?")
    spread, of_means = _put_together(grid, top, left)
    heading, body = tuple(map(tuple, grid[:top])), _gone_on(grid[top:], left)
    if len(body) > 1 and body[-1][0].across == width > 1 and _is_section(body[-1]):
        notes.append(f"left out, as a note below the table: {body.pop()[0].text!r}")
    return Table(name, form, source, heading, left, _rows(body, left), spread, (*notes, *of_means))


def _is_value(cell: Cell) -> bool:
    """Whether a cell does not name its row; 110M does so in the first column alone."""
    plain = cell.kind == "unclear" and not any(map(str.isalpha, cell.text))
    sized = cell.column > 1 and re.fullmatch("[0-9.]+ ?[KMBG]", cell.text)
    return bool(cell.kind == "number" or cell.with_unit or plain or sized)


#: Titles of columns that name rows: these are methods.
OF_METHODS = re.compile(r"(?i)methods?|models?|algorithms?|systems?|names?|classifiers?|approach|runs?")
_OF_MEAN = r"(?:mean|avg|average)"
_STATISTIC = re.compile(
    rf"(?P<of>.+?)[\s_/.:|,(-]+(?:{_OF_MEAN}"
    r"|(?P<sd>std|sd|st\.?d\.?|std\.? ?dev\.?|stdev|stddev|standard deviation|±|σ)|"
    r"(?P<se>se|sem|stderr|std\.? ?err\.?|standard error))\)?",
    re.IGNORECASE,
)


_PAIR = re.compile("[^/A-Za-z]*[0-9][^/A-Za-z]*/[^/A-Za-z]*[0-9][^/A-Za-z]*")
_TITLES = re.compile("[^/]*[A-Za-z][^/]*/[^/]*[A-Za-z][^/]*")


def _parted(rows: list[list[Piece]]) -> list[str]:
    """Splits columns with two numbers per cell: `60.1 / 50.2` under `Micro-F1 / Macro-F1`."""
    notes: list[str] = []
    for k in reversed(range(1, max(map(len, rows), default=0))):
        texts = [row[k].text if k < len(row) else "" for row in rows]
        pairs = {n for n, text in enumerate(texts) if _PAIR.fullmatch(text)}
        first = min(pairs, default=0)
        titles = [n for n in range(first) if _TITLES.fullmatch(texts[n])]
        if not titles:
            continue
        notes.insert(0, f"{texts[titles[0]]!r} over column {k + 1} of the file: read as two columns")
        pairs |= {n for n, it in enumerate(texts) if n > first and it.count("/") == 1 and len(it) > 3}  # n/a
        for n, row in enumerate(rows):
            if n in (titles[0], *pairs):
                runs = row[k].runs
                at = next(at for at, run in enumerate(runs) if "/" in run.text)
                left, _, right = (Run(text, runs[at].styles) for text in runs[at].text.partition("/"))
                halves = (*runs[:at], left), (right, *runs[at + 1 :])
                row[k : k + 1] = [replace(row[k], runs=half) for half in halves]
            elif k < len(row):
                alone = n > first and texts[n] and cell_of(row[k].runs, {}).kind != "dash"
                row[k : k + 1] = [replace(row[k], why="is one under two titles" if alone else row[k].why)] * 2
    return notes


def _gone_on(body: Grid, left: int) -> Grid:
    """Repeats an outer name of the first row in the other rows of blocks with equal inner names."""
    starts = [n for n, row in enumerate(body) if row[0].kind != "empty"]
    blocks = [body[a:b] for a, b in pairwise([*starts, len(body)])]
    inner = [[[cell.text for cell in row[1:left]] for row in block] for block in blocks]
    if left < 2 or starts[:1] != [0] or len(blocks) in (1, len(body)) or any(it != inner[0] for it in inner):
        return body
    return [[replace(block[0][0], line=row[0].line), *row[1:]] for block in blocks for row in block]


def _put_together(grid: Grid, top: int, left: int) -> tuple[str | None, list[str]]:
    """Joins columns of means with those of their spreads, which pandas and evaluation scripts separate."""
    of_columns = zip(*grid[:top], strict=True)
    titles = [" ".join(dict.fromkeys(it.text for it in column if it.text)) for column in of_columns]
    parts = {k: _STATISTIC.fullmatch(titles[k]) for k in range(left, len(titles))}
    spreads = {k: it for k, it in parts.items() if it and (it["sd"] or it["se"])}
    pairs: dict[int, int] = {}
    for k, part in spreads.items():
        of = {j: (it["of"] if it else titles[j]).casefold() for j, it in parts.items() if j not in spreads}
        own = [j for j, name in of.items() if name == part["of"].casefold()]
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
                why = f"has a spread beside it that is not a plain number: {row[k].text!r}"
                row[j] = replace(row[j], kind="unclear", value=None, why=why)
    what = "columns {!r} and {!r} of the file are read as one, with its spread"
    notes = [what.format(titles[j], titles[k]) for j, k in pairs.items()]
    gone = set(pairs.values())
    for row in grid:
        kept = [cell for n, cell in enumerate(row) if n not in gone]
        row[:] = [replace(cell, column=k) for k, cell in enumerate(kept, 1)]
    kinds = {"sd" if spreads[k]["sd"] else "se" for k in gone}
    return kinds.pop() if len(kinds) == 1 else None, notes


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
        for down in range(row, row + piece.down, 1 if piece.down > 0 else -1):
            for across in range(column, column + piece.across):
                if (down, across) in places and not places[down, across].text:
                    places[down, across] = piece
    placed: list[list[Piece]] = [[] for _ in source.rows]
    for row, cells in enumerate(placed):
        while (row, len(cells)) in places:
            cells.append(places[row, len(cells)])
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
    """Number of rows of the heading: as the file says, or down to the first line across the table. A row with
    gaps or with titles over several columns continues in the next one, if that has no number. It may hold
    whole numbers (the k of P@k)."""
    if source.heads is not None and not source.least_heads:
        return source.heads
    results = [any(it.kind not in ("empty", "text") or it.with_unit for it in row[1:]) for row in grid]
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
        or (OF_METHODS.fullmatch(grid[heads][0].text) and all(grid[heads][k].kind == "text" for k in used))
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
            path = dict.fromkeys([*section, *(cell.text for cell in row[:names] if cell.text)])
            rows.append(Row(len(rows) + 1, row[-1].line, tuple(path), tuple(row)))
    return tuple(rows)
