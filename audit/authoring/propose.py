"""From a table that was read to an entry of a claim file, and a second reading against such an entry.

Rules propose what each column, row and cell is. The user corrects it, of the whole table by keys
(dataset=eurlex) and of its parts by words: `column 3: dataset=eurlex metric=P@1`, `columns 4-6: skip`,
`row 2: label="Our method" source=copied`, `cell 5,3: value=75.10 sd=0.2 mark=*`, `cell 5,4: dash`. What is
settled by neither is `open`, with a sentence that says what to give; with open points nothing is written.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, NamedTuple

from audit.authoring.edit import ClaimFile
from audit.authoring.headings import (
    UNITS,
    Meaning,
    dataset_named,
    entry_named,
    looks_like_data,
    meaning,
    sizes_apart,
    without_notes,
)
from audit.authoring.reading import FORMS, SEPARATORS
from audit.authoring.table import STARS, Cell, Run, Table, cell_of
from audit.claims.load import Paper, fingerprint, is_outdated, verified
from audit.claims.schema import Table as Entry
from audit.claims.schema import Transcription, is_metric
from audit.claims.source import Plain
from audit.errors import AuditError
from audit.importing.results import bare
from audit.names import counted, first_of, known_names
from audit.stats.printed import Printed, printed

# --------------------------------------------------------------------------- what the user says

#: Target -> words that may stand alone.
_WORDS: Mapping[str, tuple[str, ...]] = {"column": ("skip", "text"), "row": ("skip",), "cell": ("dash",)}
_SUBJECT = ("metric", "quantity", "dataset", "unit", "experiment", "source", "from")
_OF_CELL = ("experiment", "source", "from")
#: Target -> keys that take a value.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "column": ("id", "label", *_SUBJECT),
    "row": ("id", "label", *_SUBJECT),
    "cell": ("value", "sd", "mark", *_OF_CELL),
    "table": (
        *("id", "page", "section", "label", "caption", "dataset", "metric", "unit", "source", "from"),
        *("runs", "spread", "format", "number", "separator", "heads", "names", "decimal", "beside"),
    ),
}
#: Keys of the file that are one of a few words, and those that are whole numbers, from these on.
_CHOICES: Mapping[str, Sequence[str]] = {
    "decimal": ("point", "comma"),
    "beside": ("sd", "mark", "digits"),
    "format": FORMS,
    "separator": tuple(SEPARATORS),
}
_LEAST = {"page": 1, "runs": 1, "number": 1, "heads": 1, "names": 0}
_TARGET = re.compile(r"(column|row|cell)s?\s+([0-9]{1,4})(?:\s*([-,])\s*([0-9]{1,4}))?", re.ASCII)
_FORM = "'column 3: dataset=eurlex metric=P@1', 'row 2: id=kim', 'cell 2,3: value=75.1' or 'column 4: skip'"


@dataclass
class Corrections:
    """What the user says of a table as a whole, and of its columns, rows and cells, all counted from 1."""

    table: dict[str, str] = field(default_factory=dict)
    column: dict[int, dict[str, str]] = field(default_factory=dict)
    row: dict[int, dict[str, str]] = field(default_factory=dict)
    cell: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)


def corrections(whole: Mapping[str, str], texts: Sequence[str] = ()) -> Corrections:
    """Keys of the whole table, and corrections of its parts, of which the later ones count."""
    for key, value in whole.items():
        if key not in _KEYS["table"]:
            raise AuditError(f"--set {key}: a table has no such key; {known_names(key, _KEYS['table'])}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise AuditError(f"{value!r} is no {key}; {known_names(value, _CHOICES[key])}")
        if key in _LEAST and not (re.fullmatch("[0-9]{1,6}", value) and int(value) >= _LEAST[key]):
            raise AuditError(f"{key} {value!r} is no whole number from {_LEAST[key]}; give one")
    parts = Corrections(dict(whole))
    for text in texts:
        head, colon, rest = text.partition(":")
        match = _TARGET.fullmatch(head.strip())
        if not colon or match is None:
            raise AuditError(f"{text!r} is no correction; write it as {_FORM}")
        target, sign, first, last = match[1], match[3], int(match[2]), int(match[4] or match[2])
        if (target == "cell") != (sign == ",") or first < 1 or (sign != "," and last < first):
            raise AuditError(f"{text!r}: write cell ROW,COLUMN, or columns 3-5, or rows 2-4, counted from 1")
        try:
            words = shlex.split(rest)
        except ValueError as err:
            raise AuditError(f"{text!r}: its quotes do not pair up; close them") from err
        settings: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals and key in _WORDS[target]:
                value = key  # a word that stands alone has itself as value
            elif key not in _KEYS[target] or not value:
                offered = [*_WORDS[target], *(f"{key}=" for key in _KEYS[target])]
                what = f"{word!r} says nothing of a {target}"
                raise AuditError(f"{text!r}: {what}; {known_names(word, offered)}")
            settings[key] = value
        for place in [(first, last)] if target == "cell" else range(first, last + 1):
            getattr(parts, target).setdefault(place, {}).update(settings)
    return parts


# --------------------------------------------------------------------------- what each part is

_METRICS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@5", "R@5", "RP@5", "Micro-F1", "Macro-F1")


@dataclass(frozen=True)
class Line:
    """A column or a row: what it is, and the keys that it gets in the claim file."""

    number: int
    role: Literal["names", "values", "text", "skip"]
    id: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)
    """metric, quantity, dataset, unit, experiment, source, from."""
    group: str = ""  # Titles that say neither metric nor data set; of a row, those around its own name.
    subset: str | None = None  # Of the labels, where its metric stands elsewhere.

    def has(self, *keys: str) -> bool:
        return any(key in self.settings for key in keys)


class Proposal:
    """A table with the meaning of its parts. Raises `AuditError` for a place or a name that is not there."""

    def __init__(self, table: Table, paper: Paper, said: Corrections) -> None:
        self.table, self.paper, self.words = table, paper, said
        self.whole = dict(said.table)  # With the data set by its id in the claim file.
        if table.spread is not None:
            self.whole.setdefault("spread", table.spread)
        self.open: list[str] = []  # What has to be settled, one sentence each, and each once.
        self._unclear: dict[str, list[str]] = defaultdict(list)  # Sentences on cells, by what is unclear.
        places = [("row", str(k), (k, 1)) for k in said.row]
        places += [("column", str(k), (1, k)) for k in said.column]
        places += [("cell", f"{row},{column}", (row, column)) for row, column in said.cell]
        for target, name, (at, across) in places:
            if not (1 <= at <= len(table.rows) and 1 <= across <= table.width):
                size = f"{len(table.rows)} rows and {table.width} columns, counted from 1"
                raise AuditError(f"there is no {target} {name}; the table has {size}")
        if "dataset" in self.whole:
            self.whole["dataset"] = self._dataset(self.whole["dataset"])
        self.rows = self._rows()
        self.kept_rows = [row for row in self.rows if row.role != "skip"]
        by_rows = bool(self.kept_rows) and all(row.has("metric", "quantity") for row in self.kept_rows)
        self.columns = self._columns(by_rows)
        self.value_columns = [column for column in self.columns if column.role in ("values", "text")]
        lines = (*self.value_columns, *self.kept_rows)
        self.has_metrics = "metric" in self.whole or any(line.has("metric") for line in lines)
        self._ask_for_datasets()
        self.cells = {
            (row.number, column.number): self._cell(row, column)
            for row in self.kept_rows
            for column in self.value_columns
        }
        """The cells as they are to be written, corrections applied; of kept rows and columns."""
        self._ask_for_units()
        for first, *others in self._unclear.values():
            cells = [other.partition(" (line")[0] for other in others]
            more = f" (and so {first_of(cells, 4)})" if cells else ""
            self.open.append(first + more)
        self.open = list(dict.fromkeys(self.open))

    def _ask_for_datasets(self) -> None:
        """A number of a metric is on a data set: its column's, its row's, or the table's.

        A name that stands where others name a data set, or that may be one, is asked about whatever the
        table's is: its numbers are on other data then.
        """
        of_rows = "metric" in self.whole or any(row.has("metric") for row in self.kept_rows)
        columns = [
            column
            for column in self.columns
            if column.role == "values" and not column.has("quantity") and (of_rows or column.has("metric"))
        ]
        lacking = [column for column in columns if not column.has("dataset")]
        rows = [row for row in self.kept_rows if not row.has("dataset")] if lacking else []
        inner = [(self.table.rows[row.number - 1].names or ("",))[-1] for row in self.kept_rows]
        unknown = {"row": _may_name_data(self.kept_rows, rows, inner)}
        metrics = [column.settings.get("metric", "") for column in columns]
        unknown["column"] = _may_name_data(columns, lacking, metrics) if rows else []
        if all(len(unknown[what]) == len(of) for what, of in (("row", rows), ("column", columns))):
            unknown["row"] = []  # of both, the columns tell
        for what, lines in unknown.items():
            names: dict[str, list[int]] = defaultdict(list)
            for line in lines:
                names[line.group or line.label].append(line.number)
            if names:
                listed = [f"{_numbered(what, numbers)} ({name!r})" for name, numbers in names.items()]
                self.open.append(f"{'; '.join(listed)}: {self._say_which(names, what)}")
        if rows and lacking and not any(unknown.values()) and "dataset" not in self.whole:
            known = first_of([*self.paper.datasets], 6) or "none yet; see `audit add dataset`"
            labels = first_of([repr(column.label) for column in lacking], 4)
            of = f"{_numbered('column', [column.number for column in lacking])} ({labels})"
            say = f"say --set dataset=ID for all, or column {lacking[0].number}: dataset=ID"
            self.open.append(f"{of}: of no known data set; {say} ({known})")

    def _say_which(self, names: Mapping[str, Sequence[int]], what: str) -> str:
        """What to do about names that are no data set of the paper; the first one as the example."""
        key, (name, numbers) = self.paper.paper.key, next(iter(names.items()))
        for id in self.paper.datasets:
            if any(apart := sizes_apart(self.paper, id, title) for title in name.split(" / ")):
                return f"{apart}; say {_numbered(what, numbers)}: dataset={id} if it is, or add another one"
        entry = next(filter(None, map(entry_named, name.split(" / "))), None)
        add = f"`audit add dataset {slug(entry or name) or 'ID'} --paper {key} --name {shlex.quote(name)}"
        add += f" --set catalogue={entry}`" if entry else "`"
        known = first_of([*self.paper.datasets], 6) or "none yet"
        say = f"{_numbered(what, numbers)}: dataset=ID of one that is there ({known}), or skip"
        return f"of no known data set; add it with {add}, or say {say}"

    def _ask_for_units(self) -> None:
        """Metrics of at most 1 are fractions, or very low percentages: the user says which."""
        values: dict[int, list[tuple[int, Printed]]] = defaultdict(list)
        for (number, across), cell in self.cells.items():
            row, column = self.rows[number - 1], self.columns[across - 1]
            keys = {**self.whole, **row.settings, **column.settings}
            of_metric = column.role == "values" and "metric" in keys and "quantity" not in keys
            if of_metric and cell.value and not row.has("unit") and not column.has("unit"):
                values[across].append((number, printed(cell.value)))
        highest = {column: max(number.value for _, number in of) for column, of in values.items()}
        if highest and max(highest.values()) <= 1:
            if "unit" not in self.whole:
                self.open.append("no value is above 1; say --set unit=fraction, or unit=percent")
            return
        for across, of in values.items():
            where = f"column {across} ({self.columns[across - 1].label!r})"
            if highest[across] <= 1 and "unit" not in self.whole:
                say = f"say column {across}: unit=fraction, or unit=percent"
                self.open.append(f"{where} has no value above 1, and other columns have; {say}")
            if highest[across] <= 1:
                continue
            lowest = min(number.value for _, number in of if number.value > 1)
            mixed = [
                it
                for it in of
                if 0 < it[1].value <= 1 and it[1].value * 100 >= lowest / 2 and not it[1].percent
            ]
            if mixed:
                rows = _numbered("row", [row for row, _ in mixed])
                texts = first_of([number.text for _, number in mixed], 3)
                high = next(number.text for _, number in of if number.value > 1)
                say = f"say {rows}: unit=fraction, or unit=percent"
                self.open.append(f"{where} has {texts} beside {high}: percentages or fractions? {say}")

    def _dataset(self, name: str) -> str:
        """Id of the data set that is meant. Raises `AuditError` for none, offering the known ones."""
        known = self.paper.datasets
        id = name if name in known else dataset_named(self.paper, name)
        if id is None:
            offered = f"{known_names(name, known)}; or add it with `audit add dataset {name}`"
            raise AuditError(f"{name!r} is no data set of {self.paper.paper.key}; {offered}")
        return id

    def _rows(self) -> list[Line]:
        """A row's id is its innermost name that says no data set or metric, or else all of its names."""
        meanings = [meaning(row.names, self.paper) for row in self.table.rows]
        pairs = list(zip(self.table.rows, meanings, strict=True))
        ids = [slug((means.rest or row.names or ("",))[-1]) for row, means in pairs]
        counts = Counter(ids)
        lines = []
        for (row, means), inner in zip(pairs, ids, strict=True):
            own = self.words.row.get(row.number, {})
            line = self._line(row.number, own.get("label", ", ".join(row.names)), means, own)
            id = slug(" ".join(map(without_notes, row.names))) if counts[inner] > 1 else inner
            if id and not {"id", "label"} & set(own):
                line = replace(line, id=id)
            around = [name for name in means.rest if name != row.names[-1]] or (
                [row.names[-1]] if row.names and entry_named(row.names[-1]) else []
            )
            line = replace(line, group=" / ".join(around))
            self._check_hidden("row", row.number, row.cells[: self.table.names], own)
            if not line.label and line.role != "skip":
                where = f"row {row.number} (line {row.line})"
                self.open.append(f"{where} has no name; say row {row.number}: label=...")
            lines.append(line)
        if subsets := [
            line for line in lines if line.subset and line.role != "skip" and not line.has("metric")
        ]:
            where = _numbered("row", [line.number for line in subsets])
            what = (
                f"numbers over {subsets[0].subset!r} labels alone are of another metric than their columns'"
            )
            self.open.append(
                f"{where} ({subsets[0].label!r}): {what}; say {where}: skip, or metric=RP@5[few]"
            )
        return lines

    def _columns(self, by_rows: bool) -> list[Line]:
        lines: list[Line] = []
        unknown: list[Line] = []
        for number, path in enumerate(self.table.paths, 1):
            own = self.words.column.get(number, {})
            label, where = own.get("label", " ".join(path)), f"column {number} ({' '.join(path)!r})"
            kinds = {row.cells[number - 1].kind for row in self.table.rows}
            self._check_hidden("column", number, [row[number - 1] for row in self.table.heading], own)
            if number <= self.table.names and not set(own) - {"label"}:
                line = Line(number, "names", "", label)
            elif {"skip", "text"} & set(own):
                line = self._line(number, label, Meaning(), own)
            elif not own and not path and kinds == {"empty"}:
                line = Line(number, "skip", "", "")
            else:
                line = self._line(number, label, meaning(path, self.paper), own)
                if line.subset and not line.has("metric") and "metric" in self.whole:
                    line = replace(
                        line, settings={**line.settings, "metric": f"{self.whole['metric']}[{line.subset}]"}
                    )
                elif line.subset and by_rows:
                    say = f"say column {number}: skip, or give it as a table of its own"
                    self.open.append(f"{where} has another metric than its rows name, over few labels; {say}")
                if not own and kinds <= {"empty", "dash"}:
                    self.open.append(f"{where} has no values; say its metric, or column {number}: skip")
                if not (line.has("metric", "quantity") or by_rows or "metric" in self.whole):
                    unknown.append(line)
                of_cells = any(across == number for _, across in self.words.cell)
                if line.has("quantity") and not own and not of_cells and self._has_text(line):
                    line = replace(line, role="text")  # 12.3M: kept as it is printed
            lines.append(line)
        if unknown:
            where, one = _numbered("column", [line.number for line in unknown]), unknown[0].number
            labels = first_of([repr(line.label) for line in unknown], 4)
            say = f"say column {one}: metric=P@1, or quantity=..., text, skip"
            verb = "are" if len(unknown) > 1 else "is"
            self.open.append(f"{where} ({labels}) {verb} of no known metric; {say}")
        values = [line for line in lines if line.role in ("values", "text")]
        several = len({line.settings.get("dataset") for line in values if line.has("metric")}) > 1
        for line in values:  # a metric alone names its column where there is one data set
            metric, dataset = line.settings.get("metric"), line.settings.get("dataset")
            quantity = line.settings.get("quantity") or slug(line.label) or f"column_{line.number}"
            id = f"{dataset}_{metric.replace('@', '')}" if metric and dataset and several else metric
            own = self.words.column.get(line.number, {})
            lines[line.number - 1] = replace(line, id=own.get("id", id or quantity))
        return lines

    def _line(self, number: int, label: str, means: Meaning, own: Mapping[str, str]) -> Line:
        proposed = {
            "metric": means.metric,
            "quantity": means.quantity,
            "dataset": means.dataset,
            "unit": means.unit,
        }
        if {"metric", "quantity"} & set(own):
            proposed = {"dataset": means.dataset}
        settings = {key: value for key, value in proposed.items() if value}
        settings |= {key: own[key] for key in _SUBJECT if key in own}
        if "metric" in settings and not is_metric(settings["metric"]):
            name = settings["metric"]
            raise AuditError(f"{name!r} is no metric; {known_names(name, _METRICS)}")
        if "dataset" in settings:
            settings["dataset"] = self._dataset(settings["dataset"])
        role: Literal["skip", "text", "values"] = "text" if "text" in own else "values"
        role = "skip" if "skip" in own else role
        id = own.get("id") or slug(label) or f"row_{number}"
        return Line(number, role, id, label, settings, " / ".join(means.rest), means.subset)

    def _has_text(self, line: Line) -> bool:
        cells = [row.cells[line.number - 1] for row in self.table.rows]
        unit = line.settings.get("unit")
        return any(
            cell.kind in ("text", "unclear")
            and not (cell.with_unit and is_same_unit(cell.with_unit[1], unit))
            for cell in cells
        )

    def _check_hidden(self, what: str, number: int, names: Sequence[Cell], own: Mapping[str, str]) -> None:
        """A name that cannot be read is given by the user."""
        for cell in names if not {"label", "skip"} & set(own) else ():
            if cell.hidden:
                say = f"or say {what} {number}: label=..."
                self.open.append(f"{what} {number} (line {cell.line}): {cell.text!r} {cell.why}; {say}")

    def _cell(self, row: Line, column: Line) -> Cell:
        """The cell with what the user says that it holds; one with the unit of its line is a number."""
        place = row.number, column.number
        cell, own = self.table.rows[place[0] - 1].cells[place[1] - 1], self.words.cell.get(place, {})
        settings = {**self.whole, **row.settings, **column.settings}
        if cell.with_unit and is_same_unit(cell.with_unit[1], settings.get("unit")):
            cell = replace(cell, kind="number", value=cell.with_unit[0])
        if "dash" in own:
            cell = replace(cell, kind="dash", value=None, sd=None, marks=(), why=None)
        if "value" in own:
            new = cell_of((Run(own["value"]),), {"decimal": "point"})
            if new.kind != "number":
                raise AuditError(f"{own['value']!r} is no printed number; write it as in value=75.10")
            cell = replace(cell, kind="number", value=new.value, sd=new.sd, marks=new.marks, why=None)
        marks = tuple(own["mark"].split()) if "mark" in own else cell.marks
        cell = replace(cell, sd=own.get("sd", cell.sd), marks=marks)
        name = f"cell {place[0]},{place[1]}"
        where = f"{name} (line {cell.line}): {cell.text!r}"
        if column.role == "text":
            return cell
        if cell.kind in ("text", "unclear"):
            unit = cell.with_unit and f"has a unit; say column {place[1]}: unit={cell.with_unit[1]}"
            why = cell.why or unit or "is no number"
            sentence = f"{where} {why}; or say {name}: value=... or dash"
            self._unclear[re.sub("'[^']*'|[0-9]+", "", why)].append(sentence)
        of_metric = "metric" in settings and "quantity" not in settings
        highest = 1 if settings.get("unit") == "fraction" else 100
        if cell.value and of_metric and not 0 <= printed(cell.value).value <= highest:
            say = "say --set decimal=comma, or what the column is"
            self._unclear["outside"].append(f"{where} is outside 0 to {highest} for a metric; {say}")
        return cell


def _may_name_data(lines: Sequence[Line], lacking: Sequence[Line], inner: Sequence[str]) -> list[Line]:
    """Those without a data set whose names may be one; `inner`: what each line is within its group.

    They may where others name one, where they look like one, or where groups hold the same.
    """
    own = {line.number for line in lacking}
    if len(own) < len(lines):
        return list(lacking)
    groups: dict[str, set[str]] = defaultdict(set)
    for line, name in zip(lines, inner, strict=True):
        groups[line.group].add(name)
    repeated = {
        group
        for group, names in groups.items()
        for other, theirs in groups.items()
        if group != other and (names == theirs or len(names & theirs) > 1)
    }
    return [
        line
        for line in lines
        if line.group in repeated or any(map(looks_like_data, filter(None, line.group.split(" / "))))
    ]


def _numbered(what: str, numbers: Sequence[int]) -> str:
    """`column 3`, `columns 3-5`, `columns 2, 4-6`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"{what}{'s' if len(numbers) > 1 else ''} {', '.join(texts)}"


def slug(text: str) -> str:
    """Letters, digits and _ of a text, for an id: `Kim-CNN (words)` is kim_cnn_words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40].strip("_")


def is_same_unit(one: str, other: str | None) -> bool:
    """Whether both are one unit, however it is written: s and seconds."""
    plain = [unit.strip().rstrip(".").casefold() for unit in (one, other or "")]
    return other is not None and UNITS.get(plain[0], plain[0]) == UNITS.get(plain[1], plain[1])


# --------------------------------------------------------------------------- the entry


def put(file: ClaimFile, proposal: Proposal) -> str:
    """Add the table to what is to be written; its id. Raises `AuditError` with all that is open."""
    table, whole = proposal.table, proposal.whole
    if proposal.open:
        raise AuditError("\n".join(f"{table.name}: {point}" for point in proposal.open))
    columns, rows = proposal.value_columns, proposal.kept_rows
    subjects = [line.settings.get("metric") or line.settings.get("quantity") for line in (*columns, *rows)]
    names = list(dict.fromkeys(filter(None, [*subjects, whole.get("metric")]))) or ["Values"]
    name = "pasted text" if table.name == "standard input" else table.name.rpartition("/")[2]
    where = {"section": whole.get("section"), "page": int(whole["page"]) if "page" in whole else None}
    spread = whole.get("spread") if any(cell.sd for cell in proposal.cells.values()) else None
    entry: dict[str, Plain] = {
        "where": _stated({**where, "label": whole.get("label")}),
        "caption": whole.get("caption") or f"{', '.join(names[:4])} in {counted(len(rows), 'row')}",
        "dataset": whole.get("dataset"),
        "metric": whole.get("metric"),
        "unit": whole.get("unit", "percent" if proposal.has_metrics else None),
        "source": whole.get("source", "copied" if "from" in whole else "unknown"),
        "from": whole.get("from"),
        "runs": int(whole["runs"]) if "runs" in whole else None,
        "spread": spread,
        "transcription": {"source": f"{name} ({table.form}), read by program", "verified_by": None},
        "columns": [
            column.id if (keys := _line(column)) == {"id": column.id, "metric": column.id} else keys
            for column in columns
        ],
        "rows": [
            {**_line(row), "values": [_value(proposal, row.number, column) for column in columns]}
            for row in rows
        ],
    }
    taken = file.paper.tables
    free = next(id for k in range(1, len(taken) + 2) if (id := f"t{k}") not in taken)
    id = whole.get("id", free)
    file.put(("tables", id), _stated(entry))
    return id


def _stated(keys: Mapping[str, Plain]) -> dict[str, Plain]:
    return {key: value for key, value in keys.items() if value is not None}


def _line(line: Line) -> dict[str, Plain]:
    label = {"label": line.label} if line.label and line.label != line.id else {}
    left_out = ("metric", "quantity") if line.role == "text" else ()
    said = {key: line.settings[key] for key in _SUBJECT if key in line.settings and key not in left_out}
    return {"id": line.id, **label, **said}


def _value(proposal: Proposal, row: int, column: Line) -> Plain:
    """A printed number, or a mapping with what stands beside it; None for a dash."""
    cell, own = proposal.cells[row, column.number], proposal.words.cell.get((row, column.number), {})
    more: dict[str, Plain] = {key: own[key] for key in _OF_CELL if key in own}
    if column.role == "text":
        value = None if cell.kind in ("empty", "dash") else cell.text
    else:
        value = cell.value
        more |= {"mark": " ".join(cell.marks)} if cell.marks else {}
        more |= {"sd": cell.sd} if cell.sd is not None else {}
    return {"printed": value, **more} if more and value is not None else value


# --------------------------------------------------------------------------- a second reading


class Difference(NamedTuple):
    """A cell in which the second reading is another one."""

    row: int  # Of the table in the claim file, from 0.
    column: int
    here: str  # In the form in which two readings are compared: `75.10 ± 0.2 *`, or `a dash`.
    there: str
    line: int  # Of the second file.


def compared(read: Table, name: str, table: Entry) -> tuple[list[Difference], str]:
    """Cell by cell a second file against the entry, as printed but for bold and the like; what was left out.

    Rows and columns are found by their labels where all are there, and else by their order. Raises
    `AuditError` where neither leads to every one. Their unit may stand behind the numbers.
    """

    def size(rows: int, columns: int) -> str:
        return f"{counted(rows, 'row')} and {counted(columns, 'column')}"

    titles, names = read.paths[read.names :], [row.names for row in read.rows]
    columns = _places([(bare(line.label or line.id), bare(line.id)) for line in table.columns], titles)
    rows = _places([(bare(line.label or line.id), bare(line.id)) for line in table.rows], names)
    if rows is None or columns is None:
        theirs, ours = size(len(names), len(titles)), size(len(table.rows), len(table.columns))
        raise AuditError(
            f"{read.name}:{read.line}: {theirs}, and {name} has {ours}, whose labels are not all there; give "
            f"the rows and columns of {name} in its order, or with its labels"
        )
    found = []
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        cell, value = read.rows[row].cells[read.names + column], table.rows[i].values[j]
        here = _shown(value.printed, value.sd, (value.mark or "").split()) if value else "a dash"
        if cell.kind in ("dash", "empty"):
            there = "a dash"
        elif cell.with_unit and is_same_unit(cell.with_unit[1], table.rows[i].unit or table.columns[j].unit):
            there = _shown(cell.with_unit[0])
        else:
            there = _shown(cell.value or cell.text, cell.sd, cell.marks)
        if here != there:
            found.append(Difference(i, j, here, there, cell.line))
    more = len(names) - len(rows), len(titles) - len(columns)
    return found, f"{read.name} has {size(*more)} more, which were not compared" if any(more) else ""


def _shown(text: str, sd: str | None = None, marks: Sequence[str] = ()) -> str:
    """With one kind of minus, without blanks that only set the type, stars and daggers in any order."""

    def plain(text: str) -> str:
        return re.sub(r"[\N{MINUS SIGN}\N{EN DASH}]", "-", " ".join(text.split())).replace(" %", "%")

    signs = {mark for mark in marks if all(sign in STARS for sign in mark)}
    return " ".join([plain(text), *(["±", plain(sd)] if sd is not None else []), *sorted(signs)])


def _places(wanted: Sequence[tuple[str, str]], paths: Sequence[Sequence[str]]) -> list[int] | None:
    """The place of each label (or id) among titles, by all of their path or its end; None where in doubt."""
    whole, last = [bare(" ".join(path)) for path in paths], [bare("".join(path[-1:])) for path in paths]
    for titles, ours in product((whole, last), (0, 1)):
        labels = [names[ours] for names in wanted]
        if len(set(labels)) == len(labels) and all(titles.count(label) == 1 for label in labels):
            return [titles.index(label) for label in labels]
    return list(range(len(wanted))) if len(wanted) == len(paths) else None


def state(paper: Paper, name: str) -> str:
    """`verified by A. Reader, 2026-11-28`, `not verified`, or that its numbers were changed since."""
    if person := verified(name, paper.tables, paper.transcription):
        return f"verified by {person}"
    own = paper.tables[name].transcription
    last = own or paper.transcription
    if last is not None and is_outdated(last, {name: paper.tables[name]} if own else paper.tables):
        return f"changed since {last.verified_by} verified it on {last.date or 'an unknown day'}"
    return "not verified"


def record(file: ClaimFile, name: str, *, by: str, date: str, how: str) -> None:
    """Note that the numbers of table `name` are those of the page; nothing is written yet.

    The table gets a record of its own, with the fingerprint of its numbers; of one that it has, only the
    keys that differ are written. `how`: what was compared with what.
    """
    table, place = file.paper.tables[name], ("tables", name, "transcription")
    own = table.transcription
    last = own or file.paper.transcription or Transcription()
    by_hand = last.compared if last.fingerprint is None else None  # else of an earlier verification
    new = {
        "source": last.source,
        "compared": f"{by_hand.rstrip('. ')}; {how}" if by_hand else how,
        "verified_by": by,
        "date": date,
        "fingerprint": fingerprint({name: table}),
    }
    if own is None:
        write = file.replace if "transcription" in table.model_fields_set else file.put
        write(place, new)
        return
    for key, value in new.items():
        if key not in own.model_fields_set:
            file.put((*place, key), value)
        elif getattr(own, key) != value:
            file.replace((*place, key), value)
