"""What each column, row and cell of a table is: proposed by rules, corrected by the user.

What neither a rule nor the user settles is `open`, with the sentence that says what to give; a table with
open points is not written.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from audit.authoring.cells import Cell, Notation, Row, Run, Table, content
from audit.authoring.corrections import Correction, settings_of
from audit.authoring.headings import Known, Meaning, meaning
from audit.claims.schema import is_metric
from audit.errors import AuditError
from audit.importing.results import bare
from audit.names import known_names
from audit.stats.printed import printed

Role = Literal["names", "values", "text", "skip"]
Place = tuple[int, int]
"""Row and column, from 1."""

_METRICS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@5", "R@5", "RP@5", "Micro-F1", "Macro-F1")
_UNITS: Mapping[str, tuple[str, ...]] = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("m", "min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
}


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
    """A table with the meaning of its parts."""

    table: Table
    whole: Mapping[str, str]
    """What the user says of the whole table, its data set by its id in the claim file."""
    columns: tuple[Line, ...]
    rows: tuple[Line, ...]
    cells: Mapping[Place, Cell]
    """The cells as they are to be written, corrections applied; of kept rows and columns."""
    extra: Mapping[Place, Mapping[str, str]]
    """experiment, source, from of one cell alone."""
    corrected: frozenset[tuple[int, ...]]
    """Row and column of the cells whose content the user gave."""
    new_datasets: Mapping[str, Mapping[str, str | None]]
    """Entries for `datasets` that the claim file lacks."""
    open: tuple[str, ...]
    """What has to be settled, one sentence each."""

    def value_columns(self) -> list[Line]:
        return [line for line in self.columns if line.role in ("values", "text")]

    def kept_rows(self) -> list[Line]:
        return [line for line in self.rows if line.role != "skip"]


def mapped(table: Table, known: Known, corrections: Sequence[Correction] = ()) -> Mapped:
    """Propose, correct, and say what is open. Raises `AuditError` for a correction of a place that is not."""
    for it in corrections:
        for place in it.places if it.target != "table" else ():
            row, column = place[0] if it.target != "column" else 1, place[-1] if it.target != "row" else 1
            if not (1 <= row <= len(table.rows) and 1 <= column <= table.width):
                size = f"{len(table.rows)} rows and {table.width} columns, counted from 1"
                raise AuditError(f"there is no {it.target} {','.join(map(str, place))}; the table has {size}")
    return _Proposal(table, known, corrections).mapped()


class _Proposal:
    """One table on its way from what is printed to what is written."""

    def __init__(self, table: Table, known: Known, corrections: Sequence[Correction]) -> None:
        self.table, self.known = table, known
        self.whole = settings_of(corrections, "table").get((), {})
        self.said = {
            target: {place[0]: it for place, it in settings_of(corrections, target).items()}
            for target in ("column", "row")
        }
        """column and row -> number -> what the user says of it."""
        self.of_cells = {(place[0], place[1]): it for place, it in settings_of(corrections, "cell").items()}
        self.open: list[str] = []
        self.new_datasets: dict[str, dict[str, str | None]] = {}
        if "dataset" in self.whole:
            self.whole = {**self.whole, "dataset": self._dataset(self.whole["dataset"])}

    def mapped(self) -> Mapped:
        names = [self._names(row) for row in self.table.rows]
        rows = self._rows(names)
        columns = self._columns(rows)
        self._check_datasets(columns, rows, names)
        rows = [self._with_experiment(*it, columns) for it in zip(rows, names, strict=True)]
        numbers: dict[Place, Cell] = {}
        columns, rows = self._with_units(columns, rows, numbers)
        kept = [column for column in columns if column.role in ("values", "text")]
        cells = {
            (row.number, column.number): self._cell(row, column, numbers)
            for row in rows
            if row.role != "skip"
            for column in kept
        }
        self._check_fractions(columns, rows, cells)
        by_hand = {"value", "dash", "sd", "mark"}
        return Mapped(
            self.table,
            self.whole,
            tuple(columns),
            tuple(rows),
            cells,
            {place: _only(it, "experiment", "source", "from") for place, it in self.of_cells.items()},
            frozenset(place for place, it in self.of_cells.items() if by_hand & set(it)),
            self.new_datasets,
            tuple(dict.fromkeys(self.open)),
        )

    def _dataset(self, name: str) -> str:
        """Id of the data set that is meant. Raises `AuditError` for none, offering the known ones."""
        own, catalogue = self.known.paper.datasets, self.known.catalogue
        if name in own:
            return name
        if name in catalogue:
            id = name.replace("-", "_")
            if id not in own:
                self.new_datasets[id] = {"name": catalogue[name], "catalogue": name, "content": None}
            return id
        meant = self.known.dataset(name)
        if meant is not None:
            return self._dataset(meant)
        offered = known_names(name, [*own, *catalogue])
        key = self.known.paper.paper.key
        raise AuditError(
            f"{name!r} is no data set of {key}; {offered}; or add it with `audit add dataset {name}`"
        )

    # ------------------------------------------------------------------ rows

    def _names(self, row: Row) -> tuple[str, ...]:
        """With what stands in further columns that the user calls names, and without that in skipped ones."""
        words = {column: set(it) for column, it in self.said["column"].items()}
        own = row.cells[: self.table.names]
        skipped = [cell.text for cell in own if "skip" in words.get(cell.column, ())]
        further = [
            cell.text
            for cell in row.cells[self.table.names :]
            if cell.text and "names" in words.get(cell.column, ())
        ]
        return tuple(dict.fromkeys([*(it for it in row.names if it not in skipped), *further]))

    def _rows(self, names: Sequence[tuple[str, ...]]) -> list[Line]:
        meanings = [meaning(it, self.known) for it in names]
        lines = []
        for row, own, found, id in zip(self.table.rows, names, meanings, _ids(names, meanings), strict=True):
            said = self.said["row"].get(row.number, {})
            role: Role = "skip" if "skip" in said else "values"
            line = self._line(row.number, role, said.get("label", ", ".join(own)), found, said)
            if id and not {"id", "label"} & set(said):
                line = replace(line, id=id)
            self._check_hidden("row", row.number, row.cells[: self.table.names], row.line, said)
            if not line.label and role != "skip":
                where = f"row {row.number} (line {row.line})"
                self.open.append(f"{where} has no name; say row {row.number}: label=...")
            lines.append(line)
        self._check_ids("row", [line for line in lines if line.role != "skip"])
        return lines

    def _with_experiment(self, line: Line, names: Sequence[str], columns: Sequence[Line]) -> Line:
        """With the one experiment of the paper that has its name and is on all of its data sets."""
        on = {it.settings.get("dataset", self.whole.get("dataset")) for it in columns if it.role == "values"}
        if "dataset" in line.settings:
            on = {line.settings["dataset"]}
        wanted = {bare(name) for name in names if bare(name)}
        fitting = [
            id
            for id, it in self.known.paper.experiments.items()
            if on <= set(it.datasets or (it.dataset,))
            and wanted & {bare(id), bare(it.title), bare(it.method or "")}
        ]
        if len(fitting) != 1 or "experiment" in line.settings:
            return line
        return replace(line, settings={**line.settings, "experiment": fitting[0]})

    # ------------------------------------------------------------------ columns

    def _columns(self, rows: Sequence[Line]) -> list[Line]:
        kept = [line for line in rows if line.role != "skip"]
        by_rows = bool(kept) and all({"metric", "quantity"} & set(line.settings) for line in kept)
        lines = [self._column(number, path, by_rows) for number, path in enumerate(self.table.paths, 1)]
        values = [line for line in lines if line.role in ("values", "text")]
        if not values:
            self.open.append("no column holds values; say which does, as in column 2: metric=P@1")
        several = len({it.settings.get("dataset") for it in values if it.settings.get("metric")}) > 1
        named = {line.number: self._with_id(line, several) for line in values}
        self._check_ids("column", list(named.values()))
        return [named.get(line.number, line) for line in lines]

    def _column(self, number: int, path: tuple[str, ...], by_rows: bool) -> Line:
        said = self.said["column"].get(number, {})
        found = meaning(path, self.known)
        label = said.get("label", " ".join(path))
        cells = [row.cells[number - 1] for row in self.table.rows]
        self._check_hidden("column", number, [row[number - 1] for row in self.table.heading], None, said)
        if number <= self.table.names and not set(said) - {"label"}:
            return Line(number, "names", "", label)
        for role in ("names", "skip", "text"):
            if role in said:
                return self._line(number, role, label, Meaning(), said)
        where = f"column {number} ({label!r})"
        if not said and all(cell.kind in ("empty", "dash") for cell in cells):
            if not path and all(cell.kind == "empty" for cell in cells):
                return Line(number, "skip", "", "")
            self.open.append(f"{where} has no values; say its metric, or column {number}: skip")
        line = self._line(number, "values", label, found, said)
        if not ({"metric", "quantity"} & set(line.settings) or by_rows or self.whole.get("metric")):
            self.open.append(
                f"{where} is of no known metric; say column {number}: metric=P@1, or quantity=..., text, skip"
            )
        if "dataset" not in line.settings and (like := self._alike(found.rest)):
            what = f"{like[0]!r} is much like the data set {like[1]!r}"
            self.open.append(f"column {number}: {what}; say column {number}: dataset=ID")
        return line

    def _with_id(self, line: Line, several: bool) -> Line:
        """A metric alone where there is one data set; data set and metric where there are more."""
        said = self.said["column"].get(line.number, {})
        metric, dataset = line.settings.get("metric"), line.settings.get("dataset")
        if metric:
            id = f"{dataset}_{metric.replace('@', '')}" if several and dataset else metric
        else:
            id = line.settings.get("quantity") or slug(line.label) or f"column_{line.number}"
        return replace(line, id=said.get("id", id))

    # ------------------------------------------------------------------ both

    def _line(self, number: int, role: Role, label: str, found: Meaning, said: Mapping[str, str]) -> Line:
        proposed = {"metric": found.metric, "quantity": found.quantity, "dataset": found.dataset}
        if "metric" in said or "quantity" in said:
            proposed = {"dataset": found.dataset}
        settings = {key: it for key, it in proposed.items() if it}
        settings |= _only(said, "metric", "quantity", "dataset", "unit", "experiment", "source", "from")
        if "metric" in settings and not is_metric(settings["metric"]):
            name = settings["metric"]
            raise AuditError(f"{name!r} is no metric; {known_names(name, _METRICS)}")
        if "dataset" in settings:
            settings["dataset"] = self._dataset(settings["dataset"])
        return Line(number, role, said.get("id") or slug(label) or f"row_{number}", label, settings)

    def _check_hidden(
        self, what: str, number: int, names: Iterable[Cell], line: int | None, said: Mapping[str, str]
    ) -> None:
        """A name that cannot be read is given by the user."""
        hidden = next((cell for cell in names if cell.hidden), None)
        if hidden is not None and not {"label", "skip"} & set(said):
            where = f"{what} {number} (line {line or hidden.line})"
            self.open.append(f"{where}: {hidden.text!r} {hidden.why}; or say {what} {number}: label=...")

    def _check_ids(self, what: str, lines: Sequence[Line]) -> None:
        for id, count in Counter(line.id for line in lines).items():
            if count > 1:
                same = [line for line in lines if line.id == id]
                numbers = " and ".join(str(line.number) for line in same)
                self.open.append(
                    f"{what}s {numbers} have one name, {same[0].label!r}; say {what} {same[-1].number}: "
                    "id=... label=..., or skip"
                )

    def _check_datasets(
        self, columns: Sequence[Line], rows: Sequence[Line], names: Sequence[Sequence[str]]
    ) -> None:
        """A number of a metric is on a data set: its column's, its row's, or the table's."""
        kept = [line for line in rows if line.role != "skip"]
        by_rows = self.whole.get("metric") or any("metric" in line.settings for line in kept)
        of_metric = [
            line
            for line in columns
            if line.role == "values" and "dataset" not in line.settings
            if by_rows or "metric" in line.settings
        ]
        if self.whole.get("dataset") or not of_metric:
            return
        without = [line for line in kept if "dataset" not in line.settings]
        what, lines = ("row", without) if len(without) < len(kept) else ("column", of_metric)
        for line in lines:
            like = self._alike(names[line.number - 1]) if what == "row" else None
            hint = f" ({like[0]!r} is much like {like[1]!r})" if like else ""
            self.open.append(
                f"{what} {line.number} ({line.label!r}) is of no known data set{hint}; say {what} "
                f"{line.number}: dataset=ID, or --set dataset=ID for all"
            )

    def _alike(self, names: Sequence[str]) -> tuple[str, str] | None:
        return next(((name, like) for name in names if (like := self.known.alike(name))), None)

    def _with_units(
        self, columns: Sequence[Line], rows: Sequence[Line], numbers: dict[Place, Cell]
    ) -> tuple[list[Line], list[Line]]:
        """With the units that stand behind all numbers of a column, or else of a row; such cells become
        `numbers`."""

        def with_unit(line: Line, places: Iterable[Place]) -> Line:
            cells = {
                (row, column): cell
                for row, column in places
                if (cell := self.table.rows[row - 1].cells[column - 1]).kind not in ("empty", "dash")
                and (row, column) not in numbers
                and not {"value", "dash"} & set(self.of_cells.get((row, column), ()))
            }
            units = {cell.with_unit and cell.with_unit[1] for cell in cells.values()}
            unit = units.pop() if len(units) == 1 else None
            if unit is None or "metric" in line.settings:
                return line
            for place, cell in cells.items():
                numbers[place] = replace(cell, kind="number", value=cell.with_unit and cell.with_unit[0])
            return replace(line, settings={"unit": unit, **line.settings})

        kept = [line.number for line in rows if line.role != "skip"]
        values = [line.number for line in columns if line.role == "values"]
        of_columns = [
            with_unit(it, product(kept, (it.number,))) if it.number in values else it for it in columns
        ]
        of_rows = [with_unit(it, product((it.number,), values)) if it.number in kept else it for it in rows]
        return of_columns, of_rows

    # ------------------------------------------------------------------ cells

    def _cell(self, row: Line, column: Line, numbers: Mapping[Place, Cell]) -> Cell:
        place = row.number, column.number
        cell = numbers.get(place) or self.table.rows[place[0] - 1].cells[place[1] - 1]
        cell = _corrected(cell, self.of_cells.get(place, {}))
        name = f"cell {place[0]},{place[1]}"
        where = f"{name} (line {cell.line}): {cell.text!r}"
        if column.role == "text":
            return cell
        of_quantity = "quantity" in column.settings or "quantity" in row.settings
        of_metric = column.settings.get("metric") or row.settings.get("metric") or self.whole.get("metric")
        if cell.kind in ("text", "unclear"):
            why = cell.why or "is no number"
            if cell.with_unit:
                why = "has a unit, which not all of its row or column have"
            self.open.append(f"{where} {why}; or say {name}: value=... or dash")
        elif cell.value is None or of_quantity or not of_metric:
            pass
        elif not 0 <= printed(cell.value).value <= 100:
            what = "is outside 0 to 100 for a metric; say --set decimal=comma, or what the column is"
            self.open.append(f"{where} {what}")
        return cell

    def _check_fractions(
        self, columns: Sequence[Line], rows: Sequence[Line], cells: Mapping[Place, Cell]
    ) -> None:
        """Metrics of at most 1 are fractions, or very low percentages: the user says which."""
        others = {it.number for it in columns if "quantity" in it.settings or it.role == "text"}
        values = [
            printed(cell.value).value
            for (_, column), cell in cells.items()
            if cell.value is not None and column not in others
        ]
        of_metric = self.whole.get("metric") or any("metric" in it.settings for it in (*columns, *rows))
        if not self.whole.get("unit") and of_metric and values and max(values) <= 1:
            self.open.append("no value is above 1; say --set unit=fraction, or unit=percent")


def _corrected(cell: Cell, said: Mapping[str, str]) -> Cell:
    """The cell with what the user says it holds."""
    if "dash" in said:
        cell = replace(cell, kind="dash", value=None, sd=None, marks=(), why=None)
    if "value" in said:
        given = content((Run(said["value"]),), Notation("point"))
        if given.kind != "number":
            raise AuditError(f"{said['value']!r} is no printed number; write it as in value=75.10")
        cell = replace(cell, kind="number", value=given.value, sd=given.sd, marks=given.marks, why=None)
    marks = tuple(said["mark"].split()) if "mark" in said else cell.marks
    return replace(cell, sd=said.get("sd", cell.sd), marks=marks)


def _only(settings: Mapping[str, str], *keys: str) -> dict[str, str]:
    return {key: settings[key] for key in keys if key in settings}


def _ids(names: Sequence[tuple[str, ...]], meanings: Sequence[Meaning]) -> list[str]:
    """For each row its innermost name as an id, or all of its names where that is not enough; "" for none.

    A name that says a data set or a metric stands aside where there is another.
    """
    inner = [slug((found.rest or own or ("",))[-1]) for own, found in zip(names, meanings, strict=True)]
    counts = Counter(inner)
    return [slug(" ".join(own)) if counts[id] > 1 else id for own, id in zip(names, inner, strict=True)]


def slug(text: str) -> str:
    """Letters, digits and _ of a text, for an id: `Kim-CNN (words)` is kim_cnn_words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40].strip("_")


def is_same_unit(one: str, other: str | None) -> bool:
    """Whether both are one unit, however it is written: s and seconds."""

    def plain(unit: str) -> str:
        bare_unit = unit.strip().rstrip(".").casefold()
        return next((name for name, words in _UNITS.items() if bare_unit in words), bare_unit)

    return other is not None and plain(one) == plain(other)
