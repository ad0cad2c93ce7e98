"""Bounds that hold for any test set: shares lie in 0..100, and hits among the first k only grow with k."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from audit.record import Cell, Finding, Row, TableRecord
from audit.stats.printed import Printed, printed

_SHARE = re.compile(r"(?P<family>P|R|RP|nDCG|PSP|PSnDCG)@(?P<k>[0-9]+)")
_ALTERNATIVES = (
    "a slip in transcribing the table",
    "the cells are means over other runs or documents",
    "another definition of the metric",
)


def bounds(tables: Sequence[TableRecord]) -> tuple[Finding, ...]:
    """Findings of kind `bounds`, only for cells that break one.

    P@k is the share of the first k labels that are right, so for k1 < k2 the hits obey
    0 <= k2 P@k2 - k1 P@k1 <= 100 (k2 - k1), with k h of slack on either side for the rounding.
    """
    return tuple(finding for table in tables for row in table.rows for finding in _of_row(table, row))


def _of_row(table: TableRecord, row: Row) -> Iterator[Finding]:
    # Only numbers of one experiment on one data set belong together: a row of a matrix holds several.
    by_experiment: dict[tuple[str | None, str | None], dict[int, list[tuple[Cell, Printed]]]] = {}
    for column, cell in zip(table.columns, row.cells, strict=True):
        match = _SHARE.fullmatch(column.metric or "")
        if match is None or cell.printed is None:
            continue
        number = printed(cell.printed)
        if not -number.half_unit <= number.value <= 100 + number.half_unit:
            yield Finding(
                "bounds", "inconsistent", (cell.address,), f"{cell.printed} is not in 0..100", _ALTERNATIVES
            )
        if match["family"] == "P":
            cells = by_experiment.setdefault((column.dataset, cell.experiment), {})
            cells.setdefault(int(match["k"]), []).append((cell, number))
    for cells in by_experiment.values():
        if all(len(same) == 1 for same in cells.values()):  # else nobody knows which go together
            yield from _growing_hits({k: same[0] for k, same in cells.items()})


def _growing_hits(cells: Mapping[int, tuple[Cell, Printed]]) -> Iterator[Finding]:
    for k1, k2 in pairwise(sorted(cells)):
        (first, low), (second, high) = cells[k1], cells[k2]
        gained = k2 * high.value - k1 * low.value
        slack = k1 * low.half_unit + k2 * high.half_unit
        if not -slack <= gained <= 100 * (k2 - k1) + slack:
            arithmetic = (
                f"{k2} x {second.printed} - {k1} x {first.printed} = {_decimal(gained)}, which must lie in "
                f"0..{100 * (k2 - k1)} up to {_decimal(slack)} of rounding"
            )
            yield Finding(
                "bounds", "inconsistent", (first.address, second.address), arithmetic, _ALTERNATIVES
            )


def _decimal(number: Fraction) -> str:
    return f"{float(number):.10g}"
