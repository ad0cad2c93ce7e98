"""Which column, row and cell of a raw table is what: proposed by rules, corrected by the user.

What neither a rule nor the user settles is `open`, with the sentence that says what to give; a table with
open points is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from audit.authoring.raw import RawCell, RawTable

Role = Literal["names", "values", "text", "skip"]


@dataclass(frozen=True)
class Whole:
    """What the user says of the whole table."""

    dataset: str | None = None
    metric: str | None = None
    unit: str | None = None
    source: str = "unknown"
    copied_from: str | None = None
    new_datasets: Mapping[str, str] = field(default_factory=dict)
    """Ids of data sets that the claim file does not have yet, with their names as printed."""


@dataclass(frozen=True)
class Line:
    """A column or a row: what it is, and the keys that it gets in the claim file."""

    number: int
    role: Role
    id: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)
    """metric, quantity, dataset, unit, experiment, source, from."""


@dataclass(frozen=True)
class Mapped:
    """A raw table with the meaning of its parts."""

    table: RawTable
    whole: Whole
    columns: tuple[Line, ...]
    rows: tuple[Line, ...]
    cells: Mapping[tuple[int, int], RawCell]
    """Row and column -> the cell as it is to be written, corrections applied; of kept rows and columns."""
    extra: Mapping[tuple[int, int], Mapping[str, str]]
    """Row and column -> experiment, source, from of one cell alone."""
    corrected: frozenset[tuple[int, ...]]
    """Row and column of the cells whose content the user gave."""
    new_datasets: Mapping[str, Mapping[str, str | None]]
    """Entries for `datasets` that the claim file lacks."""
    open: tuple[str, ...]
    """What has to be settled, one sentence each."""

    def value_columns(self) -> list[Line]:
        return [it for it in self.columns if it.role in ("values", "text")]

    def kept_rows(self) -> list[Line]:
        return [it for it in self.rows if it.role != "skip"]
