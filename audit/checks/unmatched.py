"""Copied numbers that are not found in the paper they come from: what is missing, and where to write it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.checks.finding import finding
from audit.checks.sheet import Number, Sheet
from audit.names import known_names
from audit.record import Finding


def unmatched(sheet: Sheet, numbers: Sequence[Number], origin: Sheet) -> Iterator[Finding]:
    """One finding for each thing that is missing in `sheet`, and one for what `origin` does not have."""
    groups: dict[tuple[str, str], list[Number]] = {}
    for number in numbers:
        groups.setdefault(_why(sheet, number, origin), []).append(number)
    for (subject, why), held in groups.items():
        many = "1 number is" if len(held) == 1 else f"{len(held)} numbers are"
        text = f"{many} copied from {origin.paper.key}, {why}"
        yield finding(sheet, "copies", "untestable", held, text, subject=subject)


def _why(sheet: Sheet, number: Number, origin: Sheet) -> tuple[str, str]:
    """What the finding is named by, and the rest of its sentence."""
    key, row = origin.paper.key, f"{number.table}.{number.row}"
    cell, held = number.cell, sheet.datasets.get(number.cell.dataset or "")
    if cell.metric and cell.method is None and cell.experiment is None:
        return f"no-experiment-{row}", (
            f"and row {row} has no experiment that says of which method; add one with `audit add experiment "
            f"ID --row {row} --set method=NAME`, {_named(number, origin)}"
        )
    if cell.metric and cell.method is None:
        return f"no-method-{row}", (
            f"and the experiment of row {row} does not say of which method; write `method: NAME` there, "
            f"{_named(number, origin)}"
        )
    if cell.metric and held is not None and held.catalogue is None:
        return f"no-catalogue-{held.id}", (
            f"and data set {held.id} does not say which collection it is; write `catalogue: ENTRY` there "
            "(`audit data list` shows them)"
        )
    return f"not-in-{key}", "whose claim file has none of this method, collection and metric"


def _named(number: Number, origin: Sheet) -> str:
    """The names of methods there, the one that looks like it first."""
    methods = [it.cell.method for it in origin.numbers.values() if it.cell.method]
    return f"by its name in {origin.paper.key}: {known_names(number.row, methods)}"
