"""From the rows of a file to a table: cells over several rows and columns, heading, names of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.authoring.cells import (
    UNSEEN,
    Found,
    Piece,
    RawCell,
    RawRow,
    RawTable,
    Reading,
    Run,
    check_size,
    said,
)
from audit.errors import AuditError

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


#: More columns than any paper's table has.
MOST_COLUMNS = 500
_NOTHING = (Run(""),)


def laid_out(
    found: Found,
    *,
    name: str,
    form: str,
    reading: Reading,
    heads: int | None = None,
    names: int | None = None,
) -> RawTable:
    """The table that a reader found. `heads` and `names`: how many rows are the heading, and how many columns
    name the rows, where the user says it.

    Raises `AuditError` for rows of different lengths and for tables without rows or columns.
    """
    rows = _placed(found, name)
    grid = _cells(rows, reading)
    if not grid:
        raise AuditError(f"{name}:{found.line}: the table has no rows; give one with a heading and rows")
    top = _heads(grid, found) if heads is None else heads
    if not 0 < top < len(grid):
        what = "no heading" if top == 0 else "no rows below its heading"
        raise AuditError(
            f"{name}:{found.line}: the table has {what}; say --heads with the number of its rows"
        )
    _check_widths(rows, grid, top, name)
    body = grid[top:]
    left = _names(body) if names is None else names
    if left >= len(grid[0]):
        raise AuditError(f"{name}:{found.line}: no column holds numbers; is this a table of results?")
    return RawTable(
        name=name,
        form=form,
        line=found.line,
        heading=tuple(map(tuple, grid[:top])),
        names=left,
        rows=_rows(carried(body, left, [_is_title(row, body) for row in body]), left),
        caption=found.caption,
        unread=found.unread,
    )


# --------------------------------------------------------------------------- spans


def _placed(found: Found, name: str) -> list[list[tuple[Piece, bool]]]:
    """Each row with one piece for each column, and whether the piece begins there."""
    rows: list[list[tuple[Piece, bool]]] = []
    hanging: dict[int, tuple[Piece, int]] = {}
    for pieces in found.rows:
        row: list[tuple[Piece, bool]] = []
        waiting = list(pieces)
        while waiting or any(column >= len(row) for column in hanging):
            column = len(row)
            held = None if found.fills else hanging.pop(column, None)
            if held:
                row.append((held[0], False))
                if held[1] > 1:
                    hanging[column] = (held[0], held[1] - 1)
                continue
            if not waiting:  # short of a cell that hangs down further right: told as a short row
                break
            piece = waiting.pop(0)
            for offset in range(piece.across):
                row.append((piece, offset == 0))
                if piece.down > 1 and not found.fills:
                    hanging[column + offset] = (piece, piece.down - 1)
            if len(row) > MOST_COLUMNS:
                raise AuditError(f"{name}:{piece.line}: more than {MOST_COLUMNS} columns; is this a table?")
        rows.append(row)
    if found.fills:
        _fill(rows)
    check_size(name, found.line, sum(map(len, rows)))
    return rows


def _fill(rows: list[list[tuple[Piece, bool]]]) -> None:
    """Empty cells that a cell above or below covers take its content."""
    for place, row in enumerate(list(rows)):
        for column, (piece, begins) in enumerate(list(row)):
            if not begins or abs(piece.down) < 2:
                continue
            step = 1 if piece.down > 0 else -1
            for other in range(place + step, place + piece.down, step):
                if not 0 <= other < len(rows):
                    break
                for beside in range(column, column + piece.across):
                    if beside < len(rows[other]) and not rows[other][beside][0].text:
                        rows[other][beside] = (piece, False)


def _cells(rows: list[list[tuple[Piece, bool]]], reading: Reading) -> Grid:
    width = max(map(len, rows), default=0)
    grid = []
    for number, row in enumerate(rows, 1):
        line = row[0][0].line if row else 0
        full = [*row, *[(Piece(_NOTHING, line), True)] * (width - len(row))]
        grid.append([_cell(piece, number, column, reading) for column, (piece, _) in enumerate(full, 1)])
    return grid


def _cell(piece: Piece, row: int, column: int, reading: Reading) -> RawCell:
    cell = RawCell(piece.text, "unclear", row, column, piece.line, why=piece.why, across=piece.across)
    if piece.why:
        return replace(cell, hidden=True)
    it = said(piece.runs, reading)
    cell = replace(
        cell, kind=it.kind, value=it.value, sd=it.sd, marks=it.marks, why=it.why, with_unit=it.with_unit
    )
    return replace(cell, hidden=it.why == UNSEEN)


# --------------------------------------------------------------------------- what is what


def _is_section(row: Sequence[RawCell]) -> bool:
    """One text at the left, or over the whole width, and nothing else."""
    filled = {(cell.text, cell.line) for cell in row if cell.kind != "empty"}
    return len(filled) == 1 and row[0].kind == "text" and (row[0].across in (1, len(row)))


def _heads(grid: Grid, found: Found) -> int:
    """Rows of the heading: those that the file says, or those down to the first line across the table.

    A row with gaps or with titles over several columns goes on in the next one, as long as that has no
    number: a heading may be ruled row by row. Whole numbers may stand in it (the k of P@k); what stands above
    a line that comes later are results.
    """
    if found.heads is not None and not found.least_heads:
        return found.heads
    by_content = next(
        (
            k
            for k, row in enumerate(grid)
            if any(it.kind not in ("empty", "text") or it.with_unit for it in row[1:])
        ),
        len(grid),
    )
    while by_content > 1 and _is_section(grid[by_content - 1]):
        by_content -= 1
    heads = found.heads or min(1, by_content)
    if any("." in (cell.value or "") for row in grid[by_content:heads] for cell in row):
        heads = by_content
    used = [k for k in range(1, len(grid[0])) if any(row[k].kind != "empty" for row in grid)]
    while 0 < heads < by_content and any(_has_gap(grid[heads - 1][column]) for column in used):
        heads += 1
    return heads


def _has_gap(cell: RawCell) -> bool:
    return cell.kind == "empty" or cell.across > 1


def _names(body: Grid) -> int:
    """Columns at the left without a number; the first one in any case."""
    for column in range(len(body[0])):
        if any(_is_numeric(row[column]) for row in body):
            return max(1, column)
    return len(body[0])


def _is_numeric(cell: RawCell) -> bool:
    return (
        cell.kind == "number"
        or cell.with_unit is not None
        or (cell.kind == "unclear" and not any(it.isalpha() for it in cell.text))
    )


def _rows(body: Grid, names: int) -> tuple[RawRow, ...]:
    rows: list[RawRow] = []
    section: tuple[str, ...] = ()
    filled = True
    for row in body:
        if _is_title(row, body):
            section = (row[0].text,) if filled else (*section, row[0].text)  # one title below another
            filled = False
            continue
        filled = True
        own = [cell.text for cell in row[:names] if cell.text]
        rows.append(RawRow(len(rows) + 1, row[-1].line, tuple(dict.fromkeys([*section, *own])), tuple(row)))
    return tuple(rows)


def _is_title(row: Sequence[RawCell], body: Grid) -> bool:
    return len(row) > 1 and _is_section(row) and row is not body[-1]


def _check_widths(rows: Sequence[Sequence[object]], grid: Grid, heads: int, name: str) -> None:
    """A row of the body that is shorter or longer leaves open which of its cells is which."""
    width = max(len(row) for row in rows[:heads])
    for held, row in zip(rows[heads:], grid[heads:], strict=True):
        if len(held) != width and not _is_section(row):
            what = f"{len(held)} cells under {width} columns"
            raise AuditError(
                f"{name}:{row[0].line}: {what}; write one for each, an empty one where there is none"
            )
