"""From the rows of a file to a table: cells over several rows and columns, heading, names of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.authoring.cells import (
    UNSEEN,
    Cell,
    Content,
    Notation,
    Piece,
    Row,
    Run,
    Source,
    Table,
    check_size,
    content,
)
from audit.errors import AuditError

#: More columns than any paper's table has.
MOST_COLUMNS = 500

Grid = list[list[Cell]]
Placed = list[list[tuple[Piece, bool]]]
"""Each row with one piece for each column, and whether the piece begins there."""


def laid_out(
    source: Source,
    *,
    name: str,
    form: str,
    notation: Notation,
    heads: int | None = None,
    names: int | None = None,
) -> Table:
    """The table that a reader gives. `heads` and `names`: how many rows are the heading, and how many columns
    name the rows, where the user says it.

    Raises `AuditError` for rows of different lengths and for tables without rows or columns.
    """
    at = f"{name}:{source.line}"
    rows = _placed(source, name)
    width = max(map(len, rows), default=0)
    grid = [
        [_cell(piece, number, column, notation) for column, piece in enumerate(_filled_up(row, width), 1)]
        for number, row in enumerate(rows, 1)
    ]
    if not grid:
        raise AuditError(f"{at}: the table has no rows; give one with a heading and rows")
    top = _heads(grid, source) if heads is None else heads
    if not 0 < top < len(grid):
        what = "no heading" if top == 0 else "no rows below its heading"
        raise AuditError(f"{at}: the table has {what}; say --set heads=N, its number of rows")
    body = grid[top:]
    columns = max(map(len, rows[:top]))
    for row, cells in zip(rows[top:], body, strict=True):
        if len(row) != columns and not _is_section(cells):
            what = f"{len(row)} cells under {columns} columns"
            more = "write one for each, an empty one where there is none"
            raise AuditError(f"{name}:{cells[0].line}: {what}; {more}")
    left = _names(body) if names is None else names
    if left >= width:
        raise AuditError(f"{at}: no column holds numbers; is this a table of results?")
    titles = [len(row) > 1 and _is_section(row) and row is not body[-1] for row in body]
    heading = tuple(map(tuple, grid[:top]))
    body_rows = _rows(_carried(body, left, titles), left, titles)
    return Table(name, form, source.line, heading, left, body_rows, source.caption, source.left_out)


# --------------------------------------------------------------------------- spans


def _placed(source: Source, name: str) -> Placed:
    rows: Placed = []
    hanging: dict[int, tuple[Piece, int]] = {}
    """Column -> the cell above that covers it (HTML), and for how many rows more."""
    for pieces in source.rows:
        row: list[tuple[Piece, bool]] = []
        waiting = list(pieces)
        while waiting or len(row) in hanging:
            column = len(row)
            if column in hanging:
                piece, more = hanging.pop(column)
                row.append((piece, False))
                if more > 1:
                    hanging[column] = piece, more - 1
                continue
            piece = waiting.pop(0)
            row += [(piece, offset == 0) for offset in range(piece.across)]
            if piece.down > 1 and not source.fills:
                hanging |= dict.fromkeys(range(column, column + piece.across), (piece, piece.down - 1))
            if len(row) > MOST_COLUMNS:
                raise AuditError(f"{name}:{piece.line}: more than {MOST_COLUMNS} columns; is this a table?")
        rows.append(row)
    if source.fills:
        _fill(rows)
    check_size(name, source.line, sum(map(len, rows)))
    return rows


def _fill(rows: Placed) -> None:
    """Empty cells that a cell above or below covers take its content."""
    for place, row in enumerate(list(rows)):
        for column, (piece, begins) in enumerate(list(row)):
            if not begins or abs(piece.down) < 2:
                continue
            step = 1 if piece.down > 0 else -1
            for other in range(place + step, place + piece.down, step):
                if not 0 <= other < len(rows):
                    break
                for beside in range(column, min(column + piece.across, len(rows[other]))):
                    if not rows[other][beside][0].text:
                        rows[other][beside] = (piece, False)


def _filled_up(row: list[tuple[Piece, bool]], width: int) -> list[Piece]:
    empty = Piece((Run(""),), row[0][0].line if row else 0)
    return [*(piece for piece, _ in row), *[empty] * (width - len(row))]


def _cell(piece: Piece, row: int, column: int, notation: Notation) -> Cell:
    said = Content(kind="unclear", why=piece.why) if piece.why else content(piece.runs, notation)
    return Cell(
        **vars(said),
        text=piece.text,
        row=row,
        column=column,
        line=piece.line,
        across=piece.across,
        hidden=bool(piece.why) or said.why == UNSEEN,
    )


# --------------------------------------------------------------------------- what is what


def _is_section(row: Sequence[Cell]) -> bool:
    """One text at the left, or over the whole width, and nothing else."""
    filled = {(cell.text, cell.line) for cell in row if cell.kind != "empty"}
    return len(filled) == 1 and row[0].kind == "text" and (row[0].across in (1, len(row)))


def _heads(grid: Grid, source: Source) -> int:
    """Rows of the heading: those that the file says, or those down to the first line across the table.

    A row with gaps or with titles over several columns goes on in the next one, as long as that has no
    number: a heading may be ruled row by row. Whole numbers may stand in it (the k of P@k); what stands above
    a line that comes later are results.
    """
    if source.heads is not None and not source.least_heads:
        return source.heads
    by_content = next((k for k, row in enumerate(grid) if any(map(_is_result, row[1:]))), len(grid))
    while by_content > 1 and _is_section(grid[by_content - 1]):
        by_content -= 1
    heads = source.heads or min(1, by_content)
    if any("." in (cell.value or "") for row in grid[by_content:heads] for cell in row):
        heads = by_content
    used = [k for k in range(1, len(grid[0])) if any(row[k].kind != "empty" for row in grid)]

    def goes_on(row: Sequence[Cell]) -> bool:
        return any(row[column].kind == "empty" or row[column].across > 1 for column in used)

    while 0 < heads < by_content and goes_on(grid[heads - 1]):
        heads += 1
    return heads


def _is_result(cell: Cell) -> bool:
    return cell.kind not in ("empty", "text") or cell.with_unit is not None


def _names(body: Grid) -> int:
    """Columns at the left without a number; the first one in any case."""

    def is_numeric(cell: Cell) -> bool:
        unclear = cell.kind == "unclear" and not any(sign.isalpha() for sign in cell.text)
        return cell.kind == "number" or cell.with_unit is not None or unclear

    for column in range(len(body[0])):
        if any(is_numeric(row[column]) for row in body):
            return max(1, column)
    return len(body[0])


def _carried(body: Grid, names: int, titles: Sequence[bool]) -> Grid:
    """The rows with what their blank names go on with; such a cell says so.

    Words begin blocks, each once, the first at the top; ticks for yes, blank for no, do not.
    """
    rows = [list(row) for row in body]
    for column in range(names - 1):
        cells = [row[column] for row, title in zip(rows, titles, strict=True) if not title]
        filled = [cell.text for cell in cells if cell.kind != "empty"]
        words = all(sum(sign.isalnum() for sign in text) > 1 for text in filled)
        once = len(set(filled)) == len(filled)
        if not (0 < len(filled) < len(cells) and cells[0].kind == "text" and words and once):
            continue
        above: Cell | None = None
        for row, title in zip(rows, titles, strict=True):
            cell = row[column]
            if title:
                above = None
            elif cell.kind != "empty":
                above = cell
            elif above is not None and any(it.kind != "empty" for it in row[column + 1 : names]):
                row[column] = replace(cell, text=above.text, kind=above.kind, carried=True)
    return rows


def _rows(body: Grid, names: int, titles: Sequence[bool]) -> tuple[Row, ...]:
    rows: list[Row] = []
    section: tuple[str, ...] = ()
    after_title = False
    for row, title in zip(body, titles, strict=True):
        if title:
            section = (*section, row[0].text) if after_title else (row[0].text,)
        else:
            own = [cell.text for cell in row[:names] if cell.text]
            path = tuple(dict.fromkeys([*section, *own]))
            rows.append(Row(len(rows) + 1, row[-1].line, path, tuple(row)))
        after_title = title
    return tuple(rows)
