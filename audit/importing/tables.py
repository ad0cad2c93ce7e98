"""Tables of results as rows of text, each with its place: of a CSV, JSON, JSON lines or Parquet file, of what
trackers and hubs write, or of what a program holds.

    [{"experiment": "words", "dataset": "EUR-Lex", "metric": "P@1", "seed": 0, "value": 76.4}, ...]
    {"words": {"P@1": [76.4, 76.1, 76.6]}}                a value for each of the seeds 0, 1, 2
    {"words": {"P@1": {0: 76.4, 7: 76.1, 9: None}}}       by seed; None is a failed run

or columns, as of a pandas DataFrame, or one for each metric, as trackers of experiments export it
(`metrics.P_at_1`, `params.seed`, `test/P@1`, `Name`), also within another column (LibMultiLabel's logs,
Trackio's JSON, the `summary` of Weights & Biases). Of a Markdown page (Trackio's logbooks) the tables count,
of Hugging Face's model cards and `.eval_results` what they say of results."""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from audit.authoring.table import metric_of
from audit.claims.schema import is_metric
from audit.errors import ImportFileError, corpus_questions, option
from audit.json_errors import RecordError, unread
from audit.names import short
from audit.record import IN_PYTHON
from reimpl.data.files import File, blocks

if TYPE_CHECKING:
    from pandas import DataFrame

WANTED = ("experiment", "metric", "seed", "value")
COLUMNS = (*WANTED, "dataset")

_SUFFIXES = (".csv", ".json", ".jsonl", ".md", ".yaml")
_HELD_OUT = re.compile(r"(?:eval|val|valid|validation|dev)[./_]", re.IGNORECASE)
_TRACKED = re.compile(r"(?:(?:metrics|params|config|summary|test|predict)[./_])+", re.IGNORECASE)
#: Of a metric where the sign @ may not stand, as in MLflow: P_at_1, precision-1, ndcg@5.
_AT_K = re.compile(r"[_ -]?(?:at|@)?[_ -]?(\d{1,3})$", re.IGNORECASE)
_SCORE = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?", re.IGNORECASE)
_SETTING = re.compile(r"(?:params|config|tags)[./_]|_", re.IGNORECASE)
#: How trackers call a column that we call otherwise.
_COLUMNS_OF = dict.fromkeys(("name", "run_name", "run name", "run", "model"), "experiment")
_COLUMNS_OF |= {"tags.mlflow.runname": "experiment", "random_seed": "seed", "data_name": "dataset"}
_FORMS = "columns experiment, dataset, metric, seed and value, or {'experiment': {'P@1': [76.4, 76.1]}}"


@dataclass(frozen=True)
class Source:
    """A file that numbers came from: its name, without the folder, and the SHA-256 of its bytes."""

    file: str
    sha256: str


def read_table(path: Path, wanted: Sequence[str]) -> tuple[DataFrame, Source]:
    """Every row as text, under names in lower case, its place as the index."""
    if path.suffix.casefold() == ".parquet":
        import pandas

        try:
            content = path.read_bytes()
            frame = pandas.read_parquet(io.BytesIO(content)).astype(object)
        except (ImportError, OSError, ValueError) as err:
            refuse(path, f"{str(err).splitlines()[0].rstrip('. ')}; save it as CSV", err)
        source = Source(path.name, hashlib.sha256(content).hexdigest())
        named = ((f"{path}: row {n}", row) for n, row in enumerate(frame.to_dict("records"), 1))
        return frame_of(named, wanted, str(path)), source
    characters, source = read_text(path)
    readers: dict[str, Any] = {".csv": _csv_rows, ".md": _page_rows, ".yaml": _hub_rows}
    rows = readers.get(suffix_of(path), objects)(path, characters)
    return frame_of(rows, wanted, str(path)), source


def _long(rows: Iterable[tuple[str, Any]], ignored: dict[str, None]) -> Iterator[tuple[str, Any]]:
    """Of a row with a column for each metric, a row for each; others as they are."""
    for place, row in rows:
        row = _flat(row) if isinstance(row, Mapping) else row
        columns = list(row) if isinstance(row, Mapping) else []
        named = {str(column).strip().casefold(): column for column in columns}
        metrics: dict[str, list[str]] = {}
        for column in columns if "metric" not in named else ():
            if metric := _metric_of(str(column)):
                metrics.setdefault(metric, []).append(column)
        if not metrics:
            held = [name for name in map(str, columns) if _metric_of(_HELD_OUT.sub("", name, count=1))]
            if held and "metric" not in named:
                which = "of the test documents, or of documents held out?"
                refuse(place, f"{held[0]!r}: {which} Call it test_... if it is the first")
            yield place, row
            continue
        if twice := next((of for of in metrics.items() if len(of[1]) > 1), None):
            refuse(place, f"{' and '.join(map(repr, twice[1]))} are both {twice[0]}; leave one out")
        measured = {column for of in metrics.values() for column in of}
        rest = {}
        for column in columns:
            plain = _TRACKED.sub("", str(column).strip(), count=1).casefold()
            name = _COLUMNS_OF.get(str(column).strip().casefold(), _COLUMNS_OF.get(plain, plain))
            if column not in measured and name in COLUMNS and (name not in rest or name in named):
                rest[name] = row[column]
            elif column not in measured and name not in COLUMNS and _SCORE.fullmatch(text(row[column])):
                ignored |= {} if _SETTING.match(column) else {column: None}
        for metric, (column,) in metrics.items():
            yield f"{place}, {column}", {**rest, "metric": metric, "value": row[column]}


def _flat(row: Mapping[Any, Any]) -> dict[str, Any]:
    """What stands within a column, as text too, as columns beside it: `summary/test/P@1`."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, str) and value[:1] == "{":
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                value = ast.literal_eval(value)  # which reads no name: null, true and nan stay text
        if isinstance(value, list) and len(value) == 1:
            value = value[0] if isinstance(value[0], Mapping) else value
        within = _flat(value) if isinstance(value, Mapping) else {"": value}
        flat |= {f"{name}/{inner}".rstrip("/"): content for inner, content in within.items()}
    return flat


@cache
def _metric_of(column: str) -> str | None:
    """The metric of a column, if it is one: `P@1`, `test/P@1`, `metrics.P_at_1`; none of validation data."""
    name = _TRACKED.sub("", column.strip(), count=1).removesuffix("/value")
    return name if is_metric(name) else metric_of(name) or metric_of(_AT_K.sub(r"@\1", name))


def table_of(results: object, wanted: Sequence[str]) -> tuple[DataFrame, Source]:
    """The same of what a program holds. Raises `ImportFileError` for what is no table of results."""
    import pandas

    rows: list[tuple[str, Any]] = []
    if isinstance(results, pandas.DataFrame):
        named = results.index.names[0] is not None  # the names of a pivoted table
        results = (results.reset_index() if named else results).astype(object).to_dict("records")
    if isinstance(results, Mapping):
        for experiment, metrics in results.items():
            place = f"{IN_PYTHON}, [{experiment!r}]"
            if not isinstance(metrics, Mapping):
                refuse(place, f"{brief(metrics)} are not metrics; give {_FORMS}")
            for metric, values in metrics.items():
                if isinstance(values, str) or not isinstance(values, Iterable):
                    what = "is not a list; give one value for each seed, as in [76.4, 76.1]"
                    refuse(f"{place}[{metric!r}]", f"{brief(repr(values))} {what}")
                for seed, value in values.items() if isinstance(values, Mapping) else enumerate(values):
                    row = {"experiment": experiment, "metric": metric, "seed": seed, "value": value}
                    rows.append((f"{place}[{metric!r}], seed {seed}", row))
    elif isinstance(results, Iterable) and not isinstance(results, str | bytes):
        rows += [(f"{IN_PYTHON}, row {number}", row) for number, row in enumerate(results, 1)]
    else:
        refuse(IN_PYTHON, f"{brief(results)} is not a table of results; give {_FORMS}")
    frame = frame_of(rows, wanted, IN_PYTHON)
    content = json.dumps(frame.to_dict("records"), ensure_ascii=True)
    return frame, Source(IN_PYTHON, hashlib.sha256(content.encode()).hexdigest())


def frame_of(rows: Iterable[tuple[str, Any]], wanted: Sequence[str], name: str) -> DataFrame:
    """The rows, each with its place (`results.csv:3`), as text; empty for null and what a row lacks."""
    import pandas

    places, cells, ignored = [], [], dict[str, None]()
    for place, row in _long(rows, ignored):
        if not isinstance(row, Mapping):
            refuse(place, f"{brief(row)} is not a row of a table; give an object of columns for each row")
        named = {str(column).strip().casefold(): text(value) for column, value in row.items()}
        if len(named) < len(row):
            refuse(place, "two column names differ only in case; rename one")
        if missing := [column for column in wanted if column not in named]:
            scored = {"labels", "scores"} <= named.keys()
            add = f"; or, if these are predictions, add {option('truth', 'FILE')}" if scored else ""
            absent, there = ", ".join(map(repr, missing)), ", ".join(repr(column[:40]) for column in named)
            refuse(place, f"no column {absent}, only {there}; name the columns {', '.join(wanted)}{add}")
        places.append(place)
        cells.append(named)
    if not cells:
        refuse(
            name,
            f"there are no rows; give {_FORMS if name == IN_PYTHON else 'one for each metric of a seed'}",
        )
    frame = pandas.DataFrame(cells, index=places, dtype=object).fillna("")
    frame.attrs["not read"] = [*ignored]  # columns of numbers that may have been meant as metrics
    return frame


def text(value: Any) -> str:
    """A scalar as the shortest text that is the same, null as nothing; what is nested stays JSON."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()  # NumPy's numbers
    if value is None:
        return ""
    if isinstance(value, bool | int | float | list | dict):
        shown = json.dumps(value, ensure_ascii=False, default=str)
        return shown.lower() if shown in ("NaN", "Infinity", "-Infinity") else shown
    return str(value).strip()


def brief(value: Any) -> str:
    shown = " ".join((value if isinstance(value, str) else repr(value)).split())
    return short(shown, 43)


def refuse(place: str | Path, what: str, cause: Exception | None = None) -> NoReturn:
    """Raise `ImportFileError` about one place, or a whole file."""
    raise ImportFileError([f"{place}: {what}"]) from cause


def suffix_of(path: Path) -> str:
    return Path(File(path).stem).suffix.casefold()


def unpacked(path: Path) -> bytes:
    """The content of a file, packed or not, as the corpora have it."""
    with corpus_questions():
        return b"".join(blocks(File(path))) if File(path).packing else path.read_bytes()


def read_text(path: Path) -> tuple[str, Source]:
    """The text of a file, with what it is known by."""
    if suffix_of(path) not in _SUFFIXES:
        ends = f"its name does not end in {', '.join(_SUFFIXES)}"
        refuse(path, f"{ends}; rename it to what it is, or save it as CSV")
    try:  # utf-8-sig: a byte-order mark, which spreadsheets write, is no part of the first name
        content = unpacked(path)
        return content.decode("utf-8-sig"), Source(path.name, hashlib.sha256(content).hexdigest())
    except UnicodeDecodeError as err:
        refuse(path, f"{unread(err)}; save it as UTF-8", err)
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        refuse(path, f"{reason}; give a file of results", err)


def objects(path: Path, content: str) -> Iterator[tuple[str, Any]]:
    """Place and content of each JSON line, or of each item of the list in a JSON file."""
    if suffix_of(path) != ".json":
        for number, line in enumerate(content.split("\n"), 1):
            if line.strip():
                yield f"{path}:{number}", parsed(f"{path}:{number}", line)
        return
    items = parsed(path, content) if content.strip() else []
    if isinstance(items, dict):  # one evaluation, as trainers write it
        items = [items]
    if not isinstance(items, list):
        refuse(path, f"{brief(text(items))} is not a list of objects; write [{{...}}, {{...}}]")
    for number, item in enumerate(items, 1):
        yield f"{path}: item {number}", item


class Number(str):
    """A number of a JSON file, as it is written there; other text is a plain `str`."""


def parsed(place: str | Path, content: str) -> Any:
    """JSON with its numbers as the text they are written in: 0.7638 is not rounded on its way."""
    how: dict[str, Any] = {"parse_float": Number, "parse_int": Number, "parse_constant": Number}
    try:
        return json.loads(content, **how, object_pairs_hook=_distinct)
    except (RecursionError, ValueError) as err:
        refuse(place, f"{unread(err)}; write it again", err)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"the key {twice[0][:60]!r} occurs twice")
    return dict(pairs)


def _page_rows(path: Path, content: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The results of a model card, or the rows of each table of the page that has a metric in its heading."""
    from markdown_it import MarkdownIt

    card = re.match(r"---\n(.*?)\n---(?:\n|$)", content.replace("\r\n", "\n"), re.DOTALL)
    if card and "model-index" in card[1]:
        yield from _hub_rows(path, card[1])
        return
    names, cells, place = list[str](), list[str](), str(path)
    for token in MarkdownIt("commonmark").enable("table").parse(content):
        if token.type == "table_open":
            names = []
        elif token.type == "tr_open":
            cells, place = [], f"{path}:{token.map[0] + 1}" if token.map else place
        elif token.type == "inline":
            cells.append("".join(run.content for run in token.children or []))
        elif token.type == "tr_close" and not names:
            names = _distinct_names(place, cells)
        elif token.type == "tr_close" and ("metric" in names or any(map(_metric_of, names))):
            yield place, dict(zip(names, cells, strict=True))


def _hub_rows(path: Path, content: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of the `model-index` of a model card, or of a file of `.eval_results`."""
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(content, yaml.CBaseLoader)):
            raise ValueError("it has an alias (*)")
        data = yaml.load(content, yaml.CBaseLoader)  # every number as it is written
        if isinstance(data, dict):
            results = [it for model in data["model-index"] for it in model["results"]]
            items = [(it["dataset"], metric) for it in results for metric in it["metrics"]]
        else:
            items = [(it["dataset"], it) for it in data]
        for n, (dataset, item) in enumerate(items, 1):
            said = [item.get("name"), item.get("type"), dataset.get("task_id")]
            metric = next((of for of in map(_metric_of, filter(None, said)) if of), said[-1])
            if _HELD_OUT.match(f"{dataset.get('split')}/"):
                refuse(f"{path}: result {n}", f"of {dataset['split']!r}, documents held out; leave it out")
            if metric:
                name = dataset.get("name") or dataset["id"]
                yield f"{path}: result {n}", {"dataset": name, "metric": metric, "value": item["value"]}
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as err:
        why = f"it has no results in Hugging Face's format ({' '.join(str(err).split())[:80]})"
        refuse(path, f"{why}; give a model-index or .eval_results", err)


def _distinct_names(place: str, row: Sequence[str]) -> list[str]:
    names = [name.strip().casefold() for name in row]
    if twice := [name for name in names if names.count(name) > 1]:
        refuse(place, f"the column {twice[0][:60]!r} occurs twice; rename one")
    return names


def _csv_rows(path: Path, content: str) -> Iterator[tuple[str, dict[str, str]]]:
    names: list[str] = []
    for line, row in csv_lines(str(path), content):
        place = f"{path}:{line}"
        if len(row) == 1 and not names and (parts := re.search("[;\t|]", row[0])):
            refuse(place, f"its columns are separated by {parts[0]!r}; save it with commas, numbers as 76.38")
        if names and len(row) != len(names):
            refuse(place, f"{len(row)} cells under {len(names)} columns; give one for each")
        if names:
            yield place, dict(zip(names, row, strict=True))
            continue
        names = _distinct_names(place, row)


def csv_lines(name: str, content: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins, without empty ones, which programs put at the end."""
    reader, line = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True), 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as err:
        refuse(f"{name}:{max(1, reader.line_num)}", f"not CSV ({err}); correct its quotes or that line", err)
