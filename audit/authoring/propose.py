"""What each column, row and cell of a raw table is: proposed by rules, corrected by the user.

What neither a rule nor the user settles is `open`, with the sentence that says what to give; a table with
open points is not written.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from audit.authoring.cells import RawCell, RawRow, RawTable, Reading, Run, said
from audit.authoring.corrections import Correction, settings_of
from audit.authoring.headings import Known, Meaning, meaning
from audit.claim_model import is_metric
from audit.errors import AuditError
from audit.importing.results import bare
from audit.names import known_names
from audit.stats.printed import printed

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


class ChosenDatasets:
    """Ids for names; `added` holds the entries that are to be added under `datasets`."""

    def __init__(self, known: Known, named: Mapping[str, str]) -> None:
        self.known = known
        self.named = named
        """Ids that the user adds, with their names as printed."""
        self.added: dict[str, dict[str, str | None]] = {}

    def id_of(self, name: str) -> str:
        """Id of the data set that is meant. Raises `AuditError` for none, offering the known ones."""
        own = self.known.paper.datasets
        if name in own:
            return name
        if name in self.named:
            self.added[name] = {"name": self.named[name]}
            return name
        if name in self.known.catalogue:
            return self._of_catalogue(name)
        meant = self.known.dataset(name)
        if meant is not None and meant != name:
            return self.id_of(meant)
        offered = known_names(name, [*own, *self.known.catalogue])
        key = self.known.paper.paper.key
        raise AuditError(
            f"{name!r} is no data set of {key}; {offered}; or add it with --new-dataset {name}=NAME"
        )

    def _of_catalogue(self, key: str) -> str:
        id = key.replace("-", "_")
        if id not in self.known.paper.datasets:
            self.added[id] = {"name": self.known.catalogue[key], "catalogue": key, "content": None}
        return id


def corrected(cell: RawCell, said_of: Mapping[str, str]) -> RawCell:
    """The cell with what the user says it holds."""
    if "dash" in said_of:
        cell = replace(cell, kind="dash", value=None, sd=None, marks=(), why=None)
    if "value" in said_of:
        it = said((Run(said_of["value"]),), Reading("point"))
        if it.kind != "number":
            raise AuditError(f"{said_of['value']!r} is no printed number; write it as in value=75.10")
        cell = replace(cell, kind="number", value=it.value, sd=it.sd, marks=it.marks, why=None)
    marks = tuple(said_of["mark"].split()) if "mark" in said_of else cell.marks
    return replace(cell, sd=said_of.get("sd", cell.sd), marks=marks)


def open_units(
    whole: Whole, columns: Sequence[Line], rows: Sequence[Line], cells: Mapping[tuple[int, int], RawCell]
) -> Iterator[str]:
    """Metrics of at most 1 are fractions, or very low percentages: the user says which."""
    if whole.unit:
        return
    quantities = {it.number for it in columns if "quantity" in it.settings or it.role == "text"}
    values = [
        printed(cell.value).value
        for (_, column), cell in cells.items()
        if cell.value is not None and column not in quantities
    ]
    of_metric = whole.metric or any("metric" in it.settings for it in (*columns, *rows))
    if of_metric and values and max(values) <= 1:
        yield "no value is above 1; say --unit fraction, or --unit percent"


def ids(names: Sequence[tuple[str, ...]], meanings: Sequence[Meaning]) -> list[str]:
    """For each row its innermost name as an id, or all of its names where that is not enough; "" for none.

    A name that says a data set or a metric stands aside where there is another.
    """
    inner = [slug((found.rest or own or ("",))[-1]) for own, found in zip(names, meanings, strict=True)]
    counted = Counter(inner)
    return [
        slug(" ".join(own)) if counted[short] > 1 else short for own, short in zip(names, inner, strict=True)
    ]


def slug(text: str) -> str:
    """Letters, digits and _ of a text, for an id: `Kim-CNN (words)` is kim_cnn_words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40].strip("_")


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


def mapped(table: RawTable, known: Known, whole: Whole, corrections: Sequence[Correction] = ()) -> Mapped:
    """Propose, correct, and say what is open. Raises `AuditError` for a correction of a place that is not."""
    _check_places(table, corrections)
    work = _Work(table, known, whole, corrections)
    rows = work.rows()
    columns = work.columns(rows)
    rows = work.with_experiments(rows, columns)
    rows, columns = work.with_units(rows, columns)
    cells = dict(work.cells(columns, rows))
    return Mapped(
        table,
        replace(whole, dataset=work.default),
        columns,
        rows,
        cells,
        {(r, c): _only(it, "experiment", "source", "from") for (r, c), it in work.said["cell"].items()},
        frozenset(
            place for place, it in work.said["cell"].items() if {"value", "dash", "sd", "mark"} & set(it)
        ),
        work.datasets.added,
        tuple(dict.fromkeys([*work.open, *open_units(whole, columns, rows, cells)])),
    )


def _check_places(table: RawTable, corrections: Sequence[Correction]) -> None:
    for it in corrections:
        for place in it.places if it.target != "table" else ():
            row = place[0] if it.target != "column" else 1
            column = place[-1] if it.target != "row" else 1
            if not (1 <= row <= len(table.rows) and 1 <= column <= table.width):
                what = f"{it.target} {','.join(map(str, place))}"
                size = f"{len(table.rows)} rows and {table.width} columns"
                raise AuditError(f"there is no {what}; the table has {size}, counted from 1")


class _Work:
    def __init__(
        self, table: RawTable, known: Known, whole: Whole, corrections: Sequence[Correction]
    ) -> None:
        self.table, self.known, self.whole = table, known, whole
        self.said = {target: settings_of(corrections, target) for target in ("column", "row", "cell")}
        self.open: list[str] = []
        self.datasets = ChosenDatasets(known, whole.new_datasets)
        self.default = self.datasets.id_of(whole.dataset) if whole.dataset else None
        """Data set of the whole table, by its id in the claim file."""
        self.numbers: dict[tuple[int, int], RawCell] = {}
        """Cells that are numbers with the unit of their row or column."""
        self.left = {
            column
            for column in range(1, table.width + 1)
            if "names" in self.said["column"].get((column,), {})
        }

    # ------------------------------------------------------------------ rows

    def rows(self) -> tuple[Line, ...]:
        names = [self._names(row) for row in self.table.rows]
        meanings = [meaning(it, self.known) for it in names]
        lines = [
            self._row(row, found, ", ".join(own), id)
            for row, found, own, id in zip(
                self.table.rows, meanings, names, ids(names, meanings), strict=True
            )
        ]
        self._check_ids("row", [it for it in lines if it.role != "skip"])
        return tuple(lines)

    def _names(self, row: RawRow) -> tuple[str, ...]:
        """With what stands in further columns that the user calls names, and without that in skipped ones."""
        skipped = [
            cell.text
            for cell in row.cells[: self.table.names]
            if "skip" in self.said["column"].get((cell.column,), {})
        ]
        further = [row.cells[column - 1].text for column in sorted(self.left) if column > self.table.names]
        own = [it for it in row.names if it not in skipped]
        return tuple(dict.fromkeys([*own, *(it for it in further if it)]))

    def _row(self, row: RawRow, found: Meaning, label: str, id: str) -> Line:
        said = self.said["row"].get((row.number,), {})
        settings = {"metric": found.metric, "quantity": found.quantity, "dataset": found.dataset}
        label = said.get("label", label)
        line = self._line(row.number, "skip" if "skip" in said else "values", label, settings, said)
        if "id" not in said and "label" not in said and id:
            line = replace(line, id=id)
        names = [cell for cell in row.cells[: self.table.names] if cell.hidden]
        if names and not {"label", "skip"} & set(said):
            where = f"row {row.number} (line {row.line})"
            self.open.append(f"{where}: {names[0].text!r} {names[0].why}; or say row {row.number}: label=...")
        if not label and line.role != "skip":
            self.open.append(
                f"row {row.number} (line {row.line}) has no name; say row {row.number}: label=..."
            )
        return line

    def with_experiments(self, rows: Sequence[Line], columns: Sequence[Line]) -> tuple[Line, ...]:
        """Each row with the one experiment of the paper that has its name and is on all of its data sets."""
        everywhere = {it.settings.get("dataset", self.default) for it in columns if it.role == "values"}
        found = []
        for line, row in zip(rows, self.table.rows, strict=True):
            on: set[str | None] = everywhere
            if "dataset" in line.settings:
                on = {line.settings["dataset"]}
            fitting = [] if "experiment" in line.settings else self._experiments(self._names(row), on)
            more = {"experiment": fitting[0]} if len(fitting) == 1 else {}
            found.append(replace(line, settings={**line.settings, **more}))
        return tuple(found)

    def _experiments(self, names: Sequence[str], on: set[str | None]) -> list[str]:
        wanted = {bare(it) for it in names if bare(it)}
        return [
            id
            for id, it in self.known.paper.experiments.items()
            if on <= set(it.datasets or (it.dataset,))
            and wanted & {bare(id), bare(it.title), bare(it.method or "")}
        ]

    def with_units(
        self, rows: Sequence[Line], columns: Sequence[Line]
    ) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
        """With the units that stand behind all numbers of a column, or else of a row."""
        given = {place for place, it in self.said["cell"].items() if {"value", "dash"} & set(it)}
        down = {it.number: [(row.number, it.number) for row in rows if row.role != "skip"] for it in columns}
        values = [it.number for it in columns if it.role == "values"]
        held, self.numbers = with_units(
            self.table, [it for it in columns if it.role == "values"], down, given
        )
        by_number = {it.number: it for it in held}
        across = {it.number: [(it.number, column) for column in values] for it in rows}
        done = {*given, *self.numbers}
        found, numbers = with_units(self.table, [it for it in rows if it.role != "skip"], across, done)
        self.numbers |= numbers
        row_by_number = {it.number: it for it in found}
        return (
            tuple(row_by_number.get(it.number, it) for it in rows),
            tuple(by_number.get(it.number, it) for it in columns),
        )

    # ------------------------------------------------------------------ columns

    def columns(self, rows: Sequence[Line]) -> tuple[Line, ...]:
        kept = [it for it in rows if it.role != "skip"]
        by_rows = bool(kept) and all("metric" in it.settings or "quantity" in it.settings for it in kept)
        lines = [self._column(number, path, by_rows) for number, path in enumerate(self.table.paths, 1)]
        values = [it for it in lines if it.role in ("values", "text")]
        if not values:
            self.open.append("no column holds values; say which does, as in column 2: metric=P@1")
        several = len({it.settings.get("dataset") for it in values if it.settings.get("metric")}) > 1
        named = [self._with_id(it, several) if it.role in ("values", "text") else it for it in lines]
        self._check_ids("column", [it for it in named if it.role in ("values", "text")])
        self._check_datasets(named, rows)
        return tuple(named)

    def _column(self, number: int, path: tuple[str, ...], by_rows: bool) -> Line:
        said = self.said["column"].get((number,), {})
        found = meaning(path, self.known)
        label = said.get("label", " ".join(path))
        cells = [row.cells[number - 1] for row in self.table.rows]
        titles = [row[number - 1] for row in self.table.heading if row[number - 1].hidden]
        if titles and not {"label", "skip"} & set(said):
            where = f"column {number} (line {titles[0].line})"
            self.open.append(
                f"{where}: {titles[0].text!r} {titles[0].why}; or say column {number}: label=..."
            )
        if number <= self.table.names and not set(said) - {"label"}:
            return Line(number, "names", "", label)
        if role := next((it for it in ("names", "skip", "text") if it in said), None):
            return self._line(number, role, label, {}, said)
        if not path and not said and all(it.kind == "empty" for it in cells):
            return Line(number, "skip", "", "")
        if all(it.kind in ("empty", "dash") for it in cells) and not said:
            self.open.append(
                f"column {number} ({label!r}) has no values; say its metric, or column {number}: skip"
            )
        settings = {"metric": found.metric, "quantity": found.quantity, "dataset": found.dataset}
        line = self._line(number, "values", label, settings, said)
        if not ("metric" in line.settings or "quantity" in line.settings or by_rows or self.whole.metric):
            self.open.append(
                f"column {number} ({label!r}) is of no known metric; say column {number}: metric=P@1, or "
                "quantity=..., text, skip"
            )
        if "dataset" not in line.settings and (like := self._alike(found.rest)):
            self.open.append(
                f"column {number}: {like[0]!r} is much like the data set {like[1]!r}; say column {number}: "
                "dataset=ID"
            )
        return line

    def _alike(self, rest: Sequence[str]) -> tuple[str, str] | None:
        return next(((it, like) for it in rest if (like := self.known.alike(it))), None)

    def _with_id(self, line: Line, several: bool) -> Line:
        """A metric alone where there is one data set; data set and metric where there are more."""
        said = self.said["column"].get((line.number,), {})
        metric, dataset = line.settings.get("metric"), line.settings.get("dataset")
        if "id" in said:
            id = said["id"]
        elif metric:
            id = f"{dataset}_{metric.replace('@', '')}" if several and dataset else metric
        else:
            id = line.settings.get("quantity") or slug(line.label) or f"column_{line.number}"
        return replace(line, id=id)

    # ------------------------------------------------------------------ both

    def _line(
        self, number: int, role: Role, label: str, proposed: Mapping[str, str | None], said: Mapping[str, str]
    ) -> Line:
        settings = {key: it for key, it in proposed.items() if it}
        if "metric" in said or "quantity" in said:
            settings.pop("metric", None)
            settings.pop("quantity", None)
        settings |= _only(said, "metric", "quantity", "dataset", "unit", "experiment", "source", "from")
        if "metric" in settings and not is_metric(settings["metric"]):
            offered = ["P@1", "P@3", "P@5", "nDCG@5", "PSP@5", "R@5", "RP@5", "Micro-F1", "Macro-F1"]
            raise AuditError(
                f"{settings['metric']!r} is no metric; {known_names(settings['metric'], offered)}"
            )
        if "dataset" in settings:
            settings["dataset"] = self.datasets.id_of(settings["dataset"])
        return Line(number, role, said.get("id") or slug(label) or f"row_{number}", label, settings)

    def _check_ids(self, what: str, lines: Sequence[Line]) -> None:
        for id, count in Counter(it.id for it in lines).items():
            if count > 1:
                same = [it for it in lines if it.id == id]
                numbers = " and ".join(str(it.number) for it in same)
                self.open.append(
                    f"{what}s {numbers} have one name, {same[0].label!r}; say {what} {same[-1].number}: "
                    "id=... label=..., or skip"
                )

    def _check_datasets(self, columns: Sequence[Line], rows: Sequence[Line]) -> None:
        """A number of a metric is on a data set: its column's, its row's, or the table's."""
        kept = [it for it in rows if it.role != "skip"]
        without = [it for it in kept if "dataset" not in it.settings]
        values = [it for it in columns if it.role == "values" and "dataset" not in it.settings]
        of_metric = [it for it in values if "metric" in it.settings or self.whole.metric]
        if any("metric" in it.settings for it in kept):
            of_metric = values
        if self.default or not of_metric:
            return
        if len(without) < len(kept):
            self.open += [self._no_dataset("row", it) for it in without]
        else:
            self.open += [self._no_dataset("column", it) for it in of_metric]

    def _no_dataset(self, what: str, line: Line) -> str:
        names = self._names(self.table.rows[line.number - 1]) if what == "row" else ()
        like = self._alike(names)
        hint = f" ({like[0]!r} is much like {like[1]!r})" if like else ""
        words = (
            f"is of no known data set{hint}; say {what} {line.number}: dataset=ID, or --dataset ID for all"
        )
        return f"{what} {line.number} ({line.label!r}) {words}"

    # ------------------------------------------------------------------ cells

    def cells(
        self, columns: Sequence[Line], rows: Sequence[Line]
    ) -> Iterator[tuple[tuple[int, int], RawCell]]:
        for line in rows:
            if line.role == "skip":
                continue
            for column in columns:
                if column.role in ("values", "text"):
                    place = (line.number, column.number)
                    cell = self.table.rows[line.number - 1].cells[column.number - 1]
                    yield place, self._cell(place, cell, column, line)

    def _cell(self, place: tuple[int, int], cell: RawCell, column: Line, row: Line) -> RawCell:
        said_of = self.said["cell"].get(place, {})
        cell = corrected(self.numbers.get(place, cell), said_of)
        where = f"cell {place[0]},{place[1]} (line {cell.line}): {cell.text!r}"
        if column.role == "text":
            return cell
        if cell.kind in ("text", "unclear"):
            why = cell.why or "is no number"
            if cell.with_unit:
                why = "has a unit, which not all of its row or column have"
            self.open.append(f"{where} {why}; or say cell {place[0]},{place[1]}: value=... or dash")
        elif cell.value is not None and self._is_metric(column, row):
            value = printed(cell.value).value
            if not 0 <= value <= 100:
                self.open.append(
                    f"{where} is outside 0 to 100 for a metric; say --decimal comma, or what the column is"
                )
        return cell

    def _is_metric(self, column: Line, row: Line) -> bool:
        if "quantity" in column.settings or "quantity" in row.settings:
            return False
        return bool(column.settings.get("metric") or row.settings.get("metric") or self.whole.metric)


def _only(settings: Mapping[str, str], *keys: str) -> dict[str, str]:
    return {key: settings[key] for key in keys if key in settings}
