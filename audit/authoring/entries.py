"""New parts of a claim file: a file to begin with, the keys of an entry from words, the rows that report it.

An experiment has one P@1 on a data set. A row with two of them holds two methods, as where the columns are
the methods; a column P@1 under several rows does so in most tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from audit.authoring.edit import SCHEMA_LINE, ClaimFile, create, rendered
from audit.claims.load import KnownNames, Paper, json_schema
from audit.claims.schema import Citation, Model
from audit.claims.source import Plain, plain
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names
from audit.record import Cell, TableRecord
from audit.storage.files import explained, write

SCHEMA_NAME = "claim.schema.json"


class Keys:
    """The keys of a model, by the names that the claim file has, those that must be there first."""

    def __init__(self, model: type[Model], *, only: Sequence[str] = (), without: Sequence[str] = ()) -> None:
        held = {it.alias or name: it for name, it in model.model_fields.items()}
        order = sorted(only or held, key=lambda name: not held[name].is_required())
        self.fields: dict[str, FieldInfo] = {name: held[name] for name in order if name not in without}

    def about(self, name: str) -> str:
        """What goes there, from the model's own words."""
        return " ".join((self.fields[name].description or "").split())

    def entry(self, given: Mapping[str, str | None]) -> dict[str, Plain]:
        """The values of the words that are given. Raises `AuditError` for a key that there is not."""
        held = {name: text for name, text in given.items() if text}
        for name in held:
            if name not in self.fields:
                raise AuditError(f"there is no key {name!r} here; {known_names(name, self.fields)}")
        return {name: self.value(name, text) for name, text in held.items()}

    def value(self, name: str, text: str) -> Plain:
        """What the words stand for: YAML, the text itself, or a list with commas, whatever the model takes.

        Raises `AuditError` where it takes none.
        """
        info = self.fields[name]
        kind: Any = info.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[kind, *info.metadata] if info.metadata else kind)
        first: ValidationError | None = None
        for value in _meanings(text):
            try:  # JSON's own types, each as what it is: "5" is no number, and 5 is no text
                adapter.validate_python(value, strict=isinstance(value, int | float) or None)
            except ValidationError as err:
                first = first or err
            else:
                return value
        why = str(first.errors()[0]["msg"]).removeprefix("Value error, ") if first else ""
        raise AuditError(f"{name} {text!r} cannot stand there ({why}); it is: {self.about(name)}")


def _meanings(text: str) -> Iterator[Plain]:
    with suppress(ClaimFileError):
        value = plain(text)
        if not isinstance(value, str) or text[:1] in "'\"":  # of a bare text it would cut off a comment
            yield value
    yield text
    yield [part.strip() for part in text.split(",") if part.strip()]


# --------------------------------------------------------------------------- which line reports an experiment


def attach(file: ClaimFile, id: str, entry: Mapping[str, Plain], name: str) -> None:
    """Say that `table.row`, `table.column` or `table.row.column` reports the experiment, on its data sets.

    Raises `AuditError` for a line that is not there, that reports another, or that holds several methods.
    """
    option = f"--row {name!r}"
    table, _, line = name.partition(".")
    if table not in file.paper.tables:
        raise AuditError(f"{option}: there is no table {table!r}; {known_names(table, file.paper.tables)}")
    record = next(it for it in file.paper.table_records() if it.id == table)
    lines = _lines(record)
    cells = lines.get(line) or [it for row in record.rows for it in row.cells if it.address == name]
    if not cells:
        raise AuditError(
            f"{option}: table {table!r} has no row or column {line!r}; {known_names(line, lines)}"
        )
    on = (entry.get("dataset"), *entry.get("datasets", ()), None)
    metrics = [it for it in cells if it.metric] or list(cells)
    fitting = [it for it in metrics if it.dataset in on] if line in lines else list(cells)
    if several := _twice(fitting):
        where = f" on {several[0].dataset}" if several[0].dataset else ""
        offers = dict.fromkeys(f"--row {reported(record, it)}" for it in several)
        raise AuditError(
            f"{option}: it has {len(several)} numbers of {several[0].metric}{where}, and an experiment has "
            f"one, so it holds more than one method; say {' or '.join([*offers][:3])}"
        )
    for cell in fitting:
        if cell.experiment:
            of = f"it reports {cell.experiment} already"
            raise AuditError(f"{option}: {of}, and that is kept; leave it out")
    whole = line in lines and len(fitting) == len(metrics)
    rows = [it.id for it in record.rows]
    if whole and line in rows and not file.paper.tables[table].rows[rows.index(line)].experiments:
        file.put(("tables", table, "rows", rows.index(line), "experiment"), id)
    elif whole and line not in rows:
        number = [it.id for it in record.columns].index(line)
        place, column = ("tables", table, "columns", number), file.paper.tables[table].columns[number]
        if column.model_fields_set == {"id", "metric"} and column.id == column.metric:
            file.replace(place, {"id": line, "metric": line, "experiment": id})
        else:
            file.put((*place, "experiment"), id)
    else:
        for cell in fitting:
            row, _, column_id = cell.address.removeprefix(f"{table}.").partition(".")
            file.put(("tables", table, "rows", rows.index(row), "experiments", column_id), id)


def reported(table: TableRecord, cell: Cell) -> str:
    """Address of the line, or the cell alone, that reports what this cell does."""
    row, _, column = cell.address.removeprefix(f"{table.id}.").partition(".")
    lines = _lines(table)
    line = next((it for it in (row, column) if not _twice(lines[it])), f"{row}.{column}")
    return f"{table.id}.{line}"


def _lines(table: TableRecord) -> dict[str, Sequence[Cell]]:
    """Rows and columns by their ids; a row counts before a column of that name."""
    columns = {it.id: [row.cells[k] for row in table.rows] for k, it in enumerate(table.columns)}
    return {**columns, **{it.id: it.cells for it in table.rows}}


def _twice(cells: Iterable[Cell]) -> Sequence[Cell]:
    """The first cells that hold one metric on one data set; none where each stands once."""
    held: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in cells:
        if cell.metric is not None:
            held.setdefault((cell.metric, cell.dataset), []).append(cell)
    return next((it for it in held.values() if len(it) > 1), ())


# --------------------------------------------------------------------------- a file to begin with


def write_scaffold(
    path: Path,
    paper: Mapping[str, Plain],
    datasets: Sequence[tuple[str, str]] = (),
    known: KnownNames | None = None,
) -> Paper:
    """Write a claim file without tables, and the JSON Schema beside it unless something stands there.

    `paper`: the keys of `paper:` that are known. `datasets`: keys of the catalogue, each with its name.
    Raises `AuditError` where there is a file of that name.
    """
    held = "\n".join(
        f"  {key.replace('-', '_')}: {rendered({'name': name, 'catalogue': key, 'content': None}, flow=True)}"
        for key, name in datasets
    )
    keys = {"authors": [], **paper}
    cited = "\n".join(f"  {key}: {rendered(keys.get(key), flow=True)}" for key in Citation.model_fields)
    named = f"datasets:\n{held}" if held else "datasets: {}"
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    created = create(path, _TEXT.format(paper=cited, datasets=named, key=paper["key"]), known=known)
    schema = path.parent / SCHEMA_NAME
    if not schema.exists():
        with explained(schema):
            write(schema, (json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    return created


_TEXT = (
    f"{SCHEMA_LINE}{SCHEMA_NAME}\n"
    + """\
# What the paper prints and states: numbers as printed, in quotes; captions and claims in own short words.
# `audit validate FILE` names every problem with its line; `audit schema claim` has all keys.
format: 1

paper:
{paper}

# How the numbers came into this file, and who held every one of them against the page, and when.
transcription: {{source: null, compared: null, verified_by: null, date: null}}

# Tables and figures of the paper that are not in this file:
#   - {{label: Table 7, why: "its cells are not in the text"}}
missing: []

# The paper's data sets by a short name; `catalogue` is the name that all papers share (`audit data list`):
#   eurlex: {{name: EUR-Lex, catalogue: eurlex-4k, printed: {{train: "15,449"}}, content: null}}
{datasets}

# `audit add table FILE --paper {key}` reads one from LaTeX, CSV, Markdown or HTML. By hand:
#   t1:
#     where: {{page: 3, label: Table 1}}
#     caption: Scores of both networks
#     dataset: eurlex
#     source: own_run          # own_run, copied (with from: KEY), code_readme, stated or unknown
#     columns: [P@1, P@3, P@5]
#     rows:
#       - {{id: kim, label: Kim-CNN, experiment: kim, values: ["75.83", "61.08", null]}}   # null for a dash
tables: {{}}

# What the rows report: what is to be run here, or why it cannot be (`audit list` shows the names there are):
#   kim: {{title: Kim-CNN, dataset: eurlex, unavailable: "its code is not public"}}
experiments: {{}}

# How far off still counts as the same number; fixed before the first run, and part of every run record.
margins:
  default: {{value: 0.5, rule: field, why: "half a point, as differences in the field are reported"}}

# What the text states about the tables, in own short words:
#   - {{id: kim, kind: value, of: t1.kim, metric: P@1, says: "Kim-CNN reaches it", where: {{section: "4.2"}}}}
claims: []
"""
)
