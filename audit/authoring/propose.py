"""From a table to an entry of a claim file: rules propose what each part means, and users correct it.

What is settled by neither is `open`, with a sentence that says what to give; then nothing is written."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

from audit.authoring.corrections import OF_CELL, SUBJECT, Corrections
from audit.authoring.edit import ClaimFile
from audit.authoring.headings import (
    UNITS,
    Meaning,
    dataset_named,
    entry_named,
    is_derived,
    looks_like_data,
    meaning,
    sizes_apart,
    without_notes,
)
from audit.authoring.layout import OF_METHODS
from audit.authoring.table import Cell, Run, Table, cell_of
from audit.claims.load import Paper
from audit.claims.schema import is_metric
from audit.claims.source import Plain
from audit.errors import AuditError
from audit.names import counted, first_of, known_names
from audit.stats.printed import Printed, printed

_METRICS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@5", "R@5", "RP@5", "Micro-F1", "Macro-F1")


@dataclass(frozen=True)
class Line:
    """A column or a row: its meaning, and its keys in the claim file."""

    number: int
    role: Literal["names", "values", "text", "skip"]
    id: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)
    # Of metric, quantity, dataset, unit, experiment, source, from.
    group: str = ""  # Titles that say neither metric nor data set; of a row, those around its own name.
    subset: str | None = None  # Of the labels, where its metric stands elsewhere.

    def has(self, *keys: str) -> bool:
        return any(key in self.settings for key in keys)


class Proposal:
    """A table with the meaning of its parts. Raises `AuditError` for an unknown place or name."""

    def __init__(self, table: Table, paper: Paper, said: Corrections) -> None:
        skipped = [k - 1 for k, own in said.column.items() if "skip" in own and k <= table.names]
        rows = []
        for row in table.rows:
            gone = {row.cells[k].text for k in skipped}
            rows.append(replace(row, names=tuple(name for name in row.names if name not in gone)))
        self.table, self.paper, self.words = replace(table, rows=tuple(rows)), paper, said
        self.whole = dict(said.table)  # With the data set by its id in the claim file.
        if table.spread is not None:
            self.whole.setdefault("spread", table.spread)
        self.open: list[str] = []  # What has to be settled, one sentence each, and each once.
        self._unclear: dict[str, list[str]] = defaultdict(list)  # Sentences on cells, by what is unclear.
        self._unknown: list[int] = []  # Columns that are asked about, and so not their cells.
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
        places_of = [(row, column) for row in self.kept_rows for column in self.value_columns]
        #: The cells as they are to be written, corrections applied; of kept rows and columns.
        self.cells = {(row.number, column.number): self._cell(row, column) for row, column in places_of}
        self._ask_for_units()
        for first, *others in self._unclear.values():
            cells = [other.partition(" (line")[0] for other in others]
            self.open.append(first + (f" (and so {first_of(cells, 4)})" if cells else ""))
        self.open = list(dict.fromkeys(self.open))

    def _ask_for_datasets(self) -> None:
        """A number of a metric has the data set of its column, its row, or the table. A name that stands
        where others name a data set, or may be one, is asked about whatever the table's is."""
        of_rows = "metric" in self.whole or any(row.has("metric") for row in self.kept_rows)
        scores = [line for line in self.columns if line.role == "values" and not line.has("quantity")]
        columns = [column for column in scores if of_rows or column.has("metric")]
        lacking = [column for column in columns if not column.has("dataset")]
        rows = [row for row in self.kept_rows if not row.has("dataset")] if lacking else []
        inner = [(self.table.rows[row.number - 1].names or ("",))[-1] for row in self.kept_rows]
        paths = self.table.paths[: self.table.names]
        of_data = [k for k, path in enumerate(paths) if any(map(_OF_DATA.search, path))]
        unknown = {"row": rows if of_data else _may_name_data(self.kept_rows, rows, inner)}
        inside = [row for row in self.kept_rows if len(self.table.rows[row.number - 1].names) > 1]
        over = {row.group for row in inside} - {""}  # of a lone title no other ones tell
        if not unknown["row"] and len(over) == 1 and not any(map(_OF_GROUPS.search, over)):
            unknown["row"] = [row for row in inside if row in rows]
        # below `Method` rows are methods, so that columns are not
        said = "metric" if any(OF_METHODS.fullmatch(title) for path in paths for title in path) else ""
        metrics = [column.settings.get("metric", said) for column in columns]
        titled = [column for column in lacking if column.group and column.has("metric")]
        unknown["column"] = _may_name_data(columns, lacking, metrics) or titled if rows else []
        if all(len(unknown[what]) == len(of) for what, of in (("row", rows), ("column", columns))):
            unknown["row"] = []  # of both, the columns tell
        for what, lines in unknown.items():
            names: dict[str, list[int]] = defaultdict(list)
            for line in lines:
                cells = self.table.rows[line.number - 1].cells if what == "row" and of_data else ()
                names[cells[of_data[0]].text if cells else line.group or line.label].append(line.number)
            if names:
                listed = [f"{_numbered(what, numbers)} ({name!r})" for name, numbers in names.items()]
                self.open.append(f"{'; '.join(listed)}: {self._say_which(names, what)}")
        ids = [column.id for column in columns if column.has("metric") and column not in unknown["column"]]
        if same := [column for column in columns if ids.count(column.id) > 1]:
            say = f"say column {same[0].number}: skip, or id=NAME to keep it"
            self.open.append(f"{_listed(same)}: they have the same metric; {say}")
        if rows and lacking and not any(unknown.values()) and "dataset" not in self.whole:
            known = first_of([*self.paper.datasets], 6) or "none yet; use `audit add dataset`"
            say = f"say --set dataset=ID for all, or column {lacking[0].number}: dataset=ID"
            self.open.append(f"{_listed(lacking)}: of no known data set; {say} ({known})")

    def _say_which(self, names: Mapping[str, Sequence[int]], what: str) -> str:
        """What to do about names that are no data set of the paper, with the first one as the example."""
        key, (name, numbers) = self.paper.paper.key, next(iter(names.items()))
        for id in self.paper.datasets:
            if any(apart := sizes_apart(self.paper, id, title) for title in name.split(" / ")):
                return f"{apart}; say {_numbered(what, numbers)}: dataset={id} if it is, or add another one"
        known = first_of([*self.paper.datasets], 6) or "none yet"
        where = _numbered(what, numbers)
        if what == "column" and not any(line.group == name for line in self.columns):
            return f"others name a data set, these do not; say {where}: dataset=ID ({known})"
        entry = next(filter(None, map(entry_named, name.split(" / "))), None)
        add = f"`audit add dataset {slug(entry or name) or 'ID'} --paper {key} --name {shlex.quote(name)}"
        add += f" --set catalogue={entry}`" if entry else "`"
        say = f"{where}: dataset=ID of a known one ({known}), or skip"
        return f"of no known data set; add it with {add}, or say {say}"

    def _ask_for_units(self) -> None:
        """Metrics of at most 1 are fractions, or very low percentages: the user decides."""
        values: dict[int, list[tuple[int, Printed]]] = defaultdict(list)
        for (row, across), cell in self.cells.items():
            lines = self.rows[row - 1], self.columns[across - 1]
            keys = {**self.whole, **lines[0].settings, **lines[1].settings}
            stated = lines[1].role != "values" or any(line.has("unit") for line in lines)
            if cell.value and "metric" in keys and "quantity" not in keys and not stated:
                values[across].append((row, printed(cell.value)))
        highest = {across: max(number.value for _, number in of) for across, of in values.items()}
        is_said, all_low = "unit" in self.whole, max(highest.values(), default=2) <= 1
        if all_low and not is_said:
            self.open.append(
                "no value is above 1: percentages or fractions? say --set unit=fraction, or unit=percent"
            )
        asked: dict[str, list[str]] = defaultdict(list)
        for across, of in values.items() if not all_low else ():
            least = min((number.value for _, number in of if number.value > 1), default=0)
            low = [it for it in of if 0 < it[1].value <= 1 and it[1].value * 200 >= least]
            if low and not (is_said and len(low) == len(of)):
                column = f"column {across}"
                where = column if len(low) == len(of) else _numbered("row", [row for row, _ in low])
                texts = first_of([number.text for _, number in low], 3)
                what = f"{column} ({self.columns[across - 1].label!r}) has {texts} beside numbers above 1"
                asked[f"percentages or fractions? say {where}: unit=fraction, or unit=percent"].append(what)
        self.open += [f"{'; '.join(what)}: {question}" for question, what in asked.items()]

    def _dataset(self, name: str) -> str:
        """Id of the data set that is meant. Raises `AuditError` with the known ones if there is none."""
        known = self.paper.datasets
        id = name if name in known else dataset_named(self.paper, name)
        if id is None:
            offered = f"{known_names(name, known)}; or add it with `audit add dataset {name}`"
            raise AuditError(f"{name!r} is not a data set of {self.paper.paper.key}; {offered}")
        return id

    def _meaning(self, titles: Sequence[str]) -> Meaning:
        """The meaning if all numbers are of one metric: train and test are parts of the data."""
        means = meaning(titles, self.paper)
        part = means.quantity if "metric" in self.whole and means.quantity in ("train", "test") else None
        return means._replace(quantity=None, rest=(*means.rest, part)) if part else means

    def _rows(self) -> list[Line]:
        """A row's id is its innermost name that is no data set or metric, or else all of its names."""
        pairs = [(row, self._meaning(row.names)) for row in self.table.rows]
        ids = [slug((means.rest or row.names or ("",))[-1]) for row, means in pairs]
        counts, full = Counter(ids), [slug(" ".join(map(without_notes, row.names))) for row, _ in pairs]
        lines = []
        for (row, means), inner in zip(pairs, ids, strict=True):
            own = self.words.row.get(row.number, {})
            line = self._line(row.number, own.get("label", ", ".join(row.names)), means, own)
            all_names = [slug(" ".join(map(part, row.names))) for part in (without_notes, str)]
            id = inner if counts[inner] == 1 else all_names[full.count(all_names[0]) > 1]
            if id and not {"id", "label"} & set(own):
                line = replace(line, id=id)
            around = [name for name in means.rest if name != row.names[-1]]
            around = around or [name for name in row.names[-1:] if entry_named(name)]
            line = replace(line, group=" / ".join(around))
            self._check_hidden("row", row.number, row.cells[: self.table.names], own)
            if not line.label and line.role != "skip":
                where = f"row {row.number} (line {row.line})"
                self.open.append(f"{where} has no name; say row {row.number}: label=...")
            lines.append(line)
        for row in self.table.rows:
            if row.names and is_derived(row.names[-1], of_row=True) and row.number not in self.words.row:
                where, what = f"row {row.number}", f"({row.names[-1]!r}) holds differences, by its name"
                self.open.append(f"{where} {what}; say {where}: skip, or label=... if they are scores")
        if of := [line for line in lines if line.subset and line.role != "skip" and not line.has("metric")]:
            where = f"{(rows := _numbered('row', [line.number for line in of]))} ({of[0].label!r})"
            what = f"numbers over {of[0].subset!r} labels only have another metric than their columns"
            self.open.append(f"{where}: {what}; say {rows}: skip, or metric=RP@5[few]")
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
                metric = meaning(path, self.paper).metric
                if not own and metric and (kinds == {"number"} or metric != self.whole.get("metric")):
                    say = f"--set metric={metric} if all are of that metric, or column {number}: label=..."
                    say = f"--set names={number - 1} if it holds scores, {say}"
                    self.open.append(f"{where} names rows, and its title a metric; say {say}")
            elif {"skip", "text"} & set(own):
                line = self._line(number, label, Meaning(), own)
            elif not own and not path and kinds == {"empty"}:
                line = Line(number, "skip", "", "")
            else:
                line = self._line(number, label, self._meaning(path), own)
                if line.subset and not line.has("metric") and "metric" in self.whole:
                    over = {"metric": f"{self.whole['metric']}[{line.subset}]"}
                    line = replace(line, settings={**line.settings, **over})
                elif line.subset and by_rows:
                    say = f"say column {number}: skip, or give it as a table of its own"
                    self.open.append(f"{where} has another metric than its rows name, over few labels; {say}")
                if (by_rows or "metric" in self.whole) and not own and any(map(is_derived, path)):
                    say = f"say column {number}: skip or text, or its metric"
                    self.open.append(f"{where} holds differences or ranks, by its title; {say}")
                if not own and kinds <= {"empty", "dash"}:
                    self.open.append(f"{where} has no values; say its metric, or column {number}: skip")
                if not (line.has("metric", "quantity") or by_rows or "metric" in self.whole):
                    unknown.append(line)
                of_cells = any(across == number for _, across in self.words.cell)
                unit, cells = line.settings.get("unit"), [row.cells[number - 1] for row in self.table.rows]
                with_units = [it.with_unit for it in cells if it.kind in ("text", "unclear")]
                same = all(it and is_same_unit(it[1], unit) for it in with_units)
                if line.has("quantity") and not own and not of_cells and not same:
                    line = replace(line, role="text")  # 12.3M: kept as it is printed
            lines.append(line)
        self._unknown = [line.number for line in unknown]
        if unknown:
            say = f"say column {unknown[0].number}: metric=P@1, or quantity=..., text, skip"
            verb = "are" if len(unknown) > 1 else "is"
            self.open.append(f"{_listed(unknown)} {verb} of no known metric; {say}")
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
        keys = (
            ("dataset",) if {"metric", "quantity"} & set(own) else ("metric", "quantity", "dataset", "unit")
        )
        settings = {key: value for key in keys if (value := getattr(means, key))}
        settings |= {key: own[key] for key in SUBJECT if key in own}
        if "metric" in settings and not is_metric(settings["metric"]):
            name = settings["metric"]
            raise AuditError(f"{name!r} is not a metric; {known_names(name, _METRICS)}")
        if "dataset" in settings:
            settings["dataset"] = self._dataset(settings["dataset"])
        role: Literal["skip", "text", "values"] = "text" if "text" in own else "values"
        role = "skip" if "skip" in own else role
        id = own.get("id") or slug(label) or f"row_{number}"
        return Line(number, role, id, label, settings, " / ".join(means.rest), means.subset)

    def _check_hidden(self, what: str, number: int, names: Sequence[Cell], own: Mapping[str, str]) -> None:
        """Raises if a name that cannot be read has not been given by the user."""
        for cell in names if not {"label", "skip"} & set(own) else ():
            if cell.hidden:
                say = f"or say {what} {number}: label=..."
                self.open.append(f"{what} {number} (line {cell.line}): {cell.text!r} {cell.why}; {say}")

    def _cell(self, row: Line, column: Line) -> Cell:
        """The cell with the user's correction; a number with the unit of its line is a number."""
        place = row.number, column.number
        cell, own = self.table.rows[place[0] - 1].cells[place[1] - 1], self.words.cell.get(place, {})
        settings = {**self.whole, **row.settings, **column.settings}
        if cell.with_unit and is_same_unit(cell.with_unit[1], settings.get("unit")):
            cell = replace(cell, kind="number", value=cell.with_unit[0])
        said = [at for at, it in self.words.cell.items() if "dash" in it]  # of all cells with that text
        texts = {self.table.rows[at - 1].cells[across - 1].text for at, across in said}
        if "dash" in own or (cell.kind == "text" and cell.text in texts):
            cell = replace(cell, kind="dash", value=None, sd=None, marks=(), why=None)
        if "value" in own:
            new = cell_of((Run(own["value"]),), {"decimal": "point"})
            if new.kind != "number":
                raise AuditError(f"{own['value']!r} is not a printed number; write it as in value=75.10")
            cell = replace(cell, kind="number", value=new.value, sd=new.sd, marks=new.marks, why=None)
        marks = tuple(own["mark"].split()) if "mark" in own else cell.marks
        cell = replace(cell, sd=own.get("sd", cell.sd), marks=marks)
        name = f"cell {place[0]},{place[1]}"
        where = f"{name} (line {cell.line}): {cell.text!r}"
        if column.role == "text" or column.number in self._unknown:
            return cell
        if cell.kind in ("text", "unclear"):
            unit = cell.with_unit and f"has a unit; say column {place[1]}: unit={cell.with_unit[1]}"
            why = cell.why or unit or "is not a number"
            sentence = f"{where} {why}; or say {name}: value=... or dash"
            self._unclear[re.sub("'[^']*'|[0-9]+", "", why)].append(sentence)
        of_metric = "metric" in settings and "quantity" not in settings
        if cell.value and of_metric and cell.value[0] == "+":
            what = f"{where} has a sign, as differences have; say {name}: value=... or dash"
            self._unclear["signed"].append(what)
        highest = 1 if settings.get("unit") == "fraction" else 100
        if cell.value and of_metric and not 0 <= printed(cell.value).value <= highest:
            say = "say --set decimal=comma, or what the column is"
            self._unclear["outside"].append(f"{where} is outside 0 to {highest} for a metric; {say}")
        return cell


#: Titles of columns with names of data sets; titles over rows that name none.
_OF_DATA = re.compile(r"\b(?:data|data ?sets?|corp(?:us|ora))$", re.IGNORECASE)
_OF_GROUPS = re.compile(
    r"(?i)method|model|baseline|ensemble|based|\bours?\b|proposed|learning|supervis|classif|tun(?:ed|ing)|shot|"
    r"system|approach|variant|ablation|linear|deep|neural|transformer|embedding|encoder"
)


def _may_name_data(lines: Sequence[Line], lacking: Sequence[Line], inner: Sequence[str]) -> list[Line]:
    """Those without a data set whose names may be one; `inner`: what each line is within its group. They may
    where others name one, where they look like one, or where groups hold the same."""
    if len({line.number for line in lacking}) < len(lines):
        return list(lacking)
    groups: dict[str, set[str]] = defaultdict(set)
    for line, name in zip(lines, inner, strict=True):
        groups[line.group].add(name)
    repeated = set[str]()
    for (group, names), (other, theirs) in combinations(groups.items(), 2):
        repeated |= {group, other} if any(names) and (names == theirs or len(names & theirs) > 1) else set()
    parts = {line.group: filter(None, line.group.split(" / ")) for line in lines}
    repeated |= {group for group, names in parts.items() if any(map(looks_like_data, names))}
    return [line for line in lines if line.group in repeated]


def _listed(columns: Sequence[Line]) -> str:
    """`columns 3-4 ('P@1', 'P@3')`."""
    titles = first_of([repr(column.label) for column in columns], 4)
    return f"{_numbered('column', [column.number for column in columns])} ({titles})"


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
    """Whether both are one unit in any spelling: s and seconds."""
    plain = [unit.strip().rstrip(".").casefold() for unit in (one, other or "")]
    return other is not None and UNITS.get(plain[0], plain[0]) == UNITS.get(plain[1], plain[1])


# --------------------------------------------------------------------------- the entry


def put(file: ClaimFile, proposal: Proposal) -> str:
    """Add the table to the pending changes; returns its id. Raises `AuditError` with all open questions."""
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
    id = whole.get("id") or next(id for k in range(1, len(taken) + 2) if (id := f"t{k}") not in taken)
    file.put(("tables", id), _stated(entry))
    return id


def _stated(keys: Mapping[str, Plain]) -> dict[str, Plain]:
    return {key: value for key, value in keys.items() if value is not None}


def _line(line: Line) -> dict[str, Plain]:
    label = {"label": line.label} if line.label and line.label != line.id else {}
    left_out = ("metric", "quantity") if line.role == "text" else ()
    said = {key: line.settings[key] for key in SUBJECT if key in line.settings and key not in left_out}
    return {"id": line.id, **label, **said}


def _value(proposal: Proposal, row: int, column: Line) -> Plain:
    """A printed number, or a mapping with its spread and marks; None for a dash."""
    cell, own = proposal.cells[row, column.number], proposal.words.cell.get((row, column.number), {})
    more: dict[str, Plain] = {key: own[key] for key in OF_CELL if key in own}
    if column.role == "text":
        value = None if cell.kind in ("empty", "dash") else cell.text
    else:
        value = cell.value
        more |= {"mark": " ".join(cell.marks)} if cell.marks else {}
        more |= {"sd": cell.sd} if cell.sd is not None else {}
    return {"printed": value, **more} if more and value is not None else value
