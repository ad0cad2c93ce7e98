"""Units behind the numbers of a row or a column: 18s, 5,759s. Where all are the same, they are its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from audit.authoring.mapped import Line
from audit.authoring.raw import RawCell, RawTable

Place = tuple[int, int]
"""Row and column, from 1."""

_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("m", "min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
}


def is_same_unit(one: str, other: str | None) -> bool:
    """Whether both are one unit, however it is written: s and seconds."""
    return other is not None and _plain(one) == _plain(other)


def _plain(unit: str) -> str:
    bare = unit.strip().rstrip(".").casefold()
    return next((name for name, written in _WRITTEN.items() if bare in written), bare)


def with_units(
    table: RawTable,
    lines: Sequence[Line],
    places: Mapping[int, Sequence[Place]],
    given: Iterable[tuple[int, ...]],
) -> tuple[list[Line], dict[Place, RawCell]]:
    """Rows or columns with the unit that their cells have, and those cells as numbers.

    `places`: for the number of each line the cells that count; those `given` by the user are passed over.
    A unit that the user gave for the line stays.
    """
    passed = set(given)
    found: dict[Place, RawCell] = {}
    kept = []
    for line in lines:
        cells = {it: table.rows[it[0] - 1].cells[it[1] - 1] for it in places[line.number] if it not in passed}
        held = {it: cell for it, cell in cells.items() if cell.kind not in ("empty", "dash")}
        units = {cell.with_unit[1] if cell.with_unit else None for cell in held.values()}
        unit = units.pop() if len(units) == 1 else None
        if unit is None or "metric" in line.settings:
            kept.append(line)
            continue
        numbers = {it: cell.with_unit[0] for it, cell in held.items() if cell.with_unit}
        found |= {it: replace(held[it], kind="number", value=value) for it, value in numbers.items()}
        kept.append(replace(line, settings={"unit": unit, **line.settings}))
    return kept, found
