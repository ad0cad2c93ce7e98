"""New parts of a claim file: the keys of an entry from words, the rows that report it, a file to begin with.

An experiment has one P@1 on a data set. A row with two of them holds two methods, as where the columns are
the methods; a column P@1 under several rows does so in most tables.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from audit.authoring.edit import ClaimFile, create, rendered
from audit.claims.load import KnownNames, Paper, json_schema
from audit.claims.schema import Citation, Model
from audit.claims.source import Plain, plain
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names
from audit.record import Cell, TableRecord
from audit.storage.files import explained, write

SCHEMA_NAME = "claim.schema.json"


def entry(model: type[Model], texts: Mapping[str, str | None]) -> dict[str, Plain]:
    """The values of the texts, by key, those that must be there first.

    A text stands for what the model takes: YAML, the text itself, or a list with commas. Raises `AuditError`
    for a key that there is not, and for a text that cannot stand there.
    """
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    words = {name: text for name, text in texts.items() if text}
    for name in words:
        if name not in fields:
            raise AuditError(f"there is no key {name!r} here; {known_names(name, fields)}")
    order = sorted(words.keys() & fields.keys(), key=[*fields].index)
    order.sort(key=lambda name: not fields[name].is_required())
    return {name: _value(name, words[name], fields[name]) for name in order}


def _value(name: str, text: str, field: Any) -> Plain:
    kind: Any = field.annotation
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[kind, *field.metadata] if field.metadata else kind)
    meanings: list[Plain] = [text, [part.strip() for part in text.split(",") if part.strip()]]
    with suppress(ClaimFileError):
        value = plain(text)
        if not isinstance(value, str) or text[:1] in "'\"":  # of a bare text it would cut off a comment
            meanings.insert(0, value)
    problems = []
    for value in meanings:
        try:  # JSON's own types, each as what it is: "5" is no number, and 5 is no text
            adapter.validate_python(value, strict=isinstance(value, int | float) or None)
        except ValidationError as err:
            problems.append(str(err.errors()[0]["msg"]).removeprefix("Value error, "))
        else:
            return value
    about = " ".join((field.description or "").split())
    raise AuditError(f"{name} {text!r} cannot stand there ({problems[0]}); it is: {about}")


# --------------------------------------------------------------------------- which line reports an experiment


def attach(file: ClaimFile, id: str, entry: Mapping[str, Plain], name: str) -> None:
    """Say that `table.row`, `table.column` or `table.row.column` reports the experiment, on its data sets.

    Raises `AuditError` for a line that is not there, that reports another, or that holds several methods.
    """
    option = f"--row {name!r}"
    table, _, line = name.partition(".")
    if table not in file.paper.tables:
        raise AuditError(f"{option}: there is no table {table!r}; {known_names(table, file.paper.tables)}")
    described, record = file.paper.tables[table], file.paper.printed[table]
    lines = _lines(record)
    cells = lines.get(line) or [cell for row in record.rows for cell in row.cells if cell.address == name]
    if not cells:
        what = f"table {table!r} has no row or column {line!r}"
        raise AuditError(f"{option}: {what}; {known_names(line, lines)}")
    on = (entry.get("dataset"), *entry.get("datasets", ()), None)
    metrics = [cell for cell in cells if cell.metric] or list(cells)
    fitting = [cell for cell in metrics if cell.dataset in on] if line in lines else list(cells)
    if _is_of_several(fitting):
        what = "it holds more than one method, and an experiment has one number of a metric on a data set"
        raise AuditError(f"{option}: {what}; say --row {reported(record, fitting[0])} and the like")
    if other := next((cell.experiment for cell in fitting if cell.experiment), None):
        raise AuditError(f"{option}: it reports {other} already, and that is kept; leave it out")
    whole = line in lines and len(fitting) == len(metrics)
    rows, columns = [row.id for row in record.rows], [column.id for column in record.columns]
    if whole and line in rows and not described.rows[rows.index(line)].experiments:
        file.put(("tables", table, "rows", rows.index(line), "experiment"), id)
    elif whole and line not in rows:
        column = described.columns[columns.index(line)]
        place = ("tables", table, "columns", columns.index(line))
        if column.model_fields_set == {"id", "metric"} and column.id == column.metric:
            file.replace(place, {"id": line, "metric": line, "experiment": id})
        else:
            file.put((*place, "experiment"), id)
    else:
        for cell in fitting:
            _, row, column_id = cell.address.split(".", 2)
            file.put(("tables", table, "rows", rows.index(row), "experiments", column_id), id)


def reported(table: TableRecord, cell: Cell) -> str:
    """Address of the line, or the cell alone, that reports what this cell does."""
    _, row, column = cell.address.split(".", 2)
    lines = _lines(table)
    line = next((line for line in (row, column) if not _is_of_several(lines[line])), f"{row}.{column}")
    return f"{table.id}.{line}"


def _lines(table: TableRecord) -> dict[str, Sequence[Cell]]:
    """Rows and columns by their ids; a row counts before a column of that name."""
    columns = {line.id: [row.cells[k] for row in table.rows] for k, line in enumerate(table.columns)}
    return {**columns, **{row.id: row.cells for row in table.rows}}


def _is_of_several(cells: Sequence[Cell]) -> bool:
    """Whether one metric stands there twice on one data set."""
    counts = Counter((cell.metric, cell.dataset) for cell in cells if cell.metric)
    return max(counts.values(), default=0) > 1


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
    data = ""
    for key, name in datasets:
        about = {"name": name, "catalogue": key, "content": None}
        data += f"\n  {key.replace('-', '_')}: {rendered(about, flow=True)}"
    keys = {"authors": [], **paper}
    cited = "\n".join(f"  {key}: {rendered(keys.get(key), flow=True)}" for key in Citation.model_fields)
    template = Template(
        (resources.files("audit") / "templates" / "claim.yaml.txt").read_text(encoding="utf-8")
    )
    text = template.substitute(paper=cited, datasets=f"datasets:{data or ' {}'}", key=paper["key"])
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    created = create(path, text, known=known)
    schema = path.parent / SCHEMA_NAME
    if not schema.exists():
        with explained(schema):
            write(schema, (json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    return created
