"""Tables of results, of a CSV, JSON or JSON lines file or of what a program holds, as checked `Result`s.

    [{"experiment": "words", "dataset": "EUR-Lex", "metric": "P@1", "seed": 0, "value": 76.4}, ...]
    {"words": {"P@1": [76.4, 76.1, 76.6]}}                a value for each of the seeds 0, 1, 2
    {"words": {"P@1": {0: 76.4, 7: 76.1, 9: None}}}       by seed; None is a failed run

or columns: a pandas DataFrame, or a mapping of columns; a column for each metric will do as well, as
trackers of experiments export it (`metrics.P_at_1`, `params.seed`, `test/P@1`, `Name`). Nothing is guessed:
what can be read in two ways is asked about, and all questions come in one go.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from audit.claims.load import Paper
from audit.claims.schema import is_metric, sound_metric
from audit.claims.source import is_visible, visible
from audit.errors import AuditError, ImportFileError, option
from audit.json_errors import RecordError, unread
from audit.names import counted, known_names, nearest
from reimpl.data.catalogue import catalogue
from reimpl.metric_names import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

COLUMNS = ("experiment", "dataset", "metric", "seed", "value")
#: Stands in records where others have the name of a file.
NAME = "values given in Python"

_SUFFIXES = (".csv", ".json", ".jsonl")
_HELD_OUT = re.compile(r"(?:eval|val|valid|validation|dev)[./_]", re.IGNORECASE)
_TRACKED = re.compile(r"(?:metrics|params|config|summary|test|predict)[./_]", re.IGNORECASE)
#: A metric where the sign @ may not stand, as in MLflow: P_at_1, precision-1, ndcg@5.
_SPELLED = re.compile(
    r"(p|prec|precision|ndcg|n|psp|psndcg|rp|r|recall)[_ -]?(?:at|@)?[_ -]?(\d{1,3})", re.IGNORECASE
)
_FAMILIES = {"prec": "P", "precision": "P", "n": "nDCG", "ndcg": "nDCG", "recall": "R", "psndcg": "PSnDCG"}
#: How trackers call a column that we call otherwise.
_COLUMNS_OF = {"name": "experiment", "run_name": "experiment", "tags.mlflow.runname": "experiment"}
_COLUMNS_OF |= {"run name": "experiment", "random_seed": "seed", "model": "experiment"}
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
            refuse(path, f"{str(err).splitlines()[0]}; save it as CSV", err)
        source = Source(path.name, hashlib.sha256(content).hexdigest())
        named = ((f"{path}: row {n}", row) for n, row in enumerate(frame.to_dict("records"), 1))
        return frame_of(_long(named), wanted, str(path)), source
    characters, source = read_text(path)
    csv_file = path.suffix.casefold() == ".csv"
    rows = _csv_rows(path, characters) if csv_file else objects(path, characters)
    return frame_of(_long(rows), wanted, str(path)), source


def _long(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Splits a row with a column for each metric; keeps others as they are. Raises `ImportFileError`."""
    for place, row in rows:
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
        for metric, (column,) in metrics.items():
            yield f"{place}, {column}", {**rest, "metric": metric, "value": row[column]}


@cache
def _metric_of(column: str) -> str | None:
    """The metric of a column, if it is one: `P@1`, `test/P@1`, `metrics.P_at_1`; none of validation data."""
    name = _TRACKED.sub("", column.strip(), count=1)
    if match := _SPELLED.fullmatch(name):
        family = match[1].casefold()
        name = f"{_FAMILIES.get(family, family.upper())}@{match[2]}"
    else:
        name = {known.casefold(): known for known in METRICS}.get(name.casefold(), name)
    return name if is_metric(name) else None


def table_of(results: object, wanted: Sequence[str]) -> tuple[DataFrame, Source]:
    """The same of what a program holds. Raises `ImportFileError` for what is no table of results."""
    import pandas

    needed = {name for name in COLUMNS if name != "dataset"}
    rows: list[tuple[str, Any]] = []
    if isinstance(results, pandas.DataFrame) or (isinstance(results, Mapping) and needed <= set(results)):
        try:
            frame = pandas.DataFrame(results, dtype=object)
            named = frame.index.names[0] is not None  # the names of a pivoted table
            results = (frame.reset_index() if named else frame).to_dict("records")
        except ValueError as err:
            refuse(NAME, "its columns are not of one length; give as many rows each", err)
    if isinstance(results, Mapping):
        for experiment, metrics in results.items():
            place = f"{NAME}, [{experiment!r}]"
            if not isinstance(metrics, Mapping):
                refuse(place, f"{brief(metrics)} are no metrics; give {_FORMS}")
            for metric, values in metrics.items():
                if isinstance(values, str) or not isinstance(values, Iterable):
                    what = "is no list; give one value for each seed, as in [76.4, 76.1]"
                    refuse(f"{place}[{metric!r}]", f"{brief(repr(values))} {what}")
                for seed, value in values.items() if isinstance(values, Mapping) else enumerate(values):
                    row = {"experiment": experiment, "metric": metric, "seed": seed, "value": value}
                    rows.append((f"{place}[{metric!r}], seed {seed}", row))
    elif isinstance(results, Iterable) and not isinstance(results, str | bytes):
        rows += [(f"{NAME}, row {number}", row) for number, row in enumerate(results, 1)]
    else:
        refuse(NAME, f"{brief(results)} is no table of results; give {_FORMS}")
    frame = frame_of(_long(rows), wanted, NAME)
    content = json.dumps(frame.to_dict("records"), ensure_ascii=True)
    return frame, Source(NAME, hashlib.sha256(content.encode()).hexdigest())


def frame_of(rows: Iterable[tuple[str, Any]], wanted: Sequence[str], name: str) -> DataFrame:
    """The rows, each with its place (`results.csv:3`), as text; empty for null and what a row lacks."""
    import pandas

    places, cells = [], []
    for place, row in rows:
        if not isinstance(row, Mapping):
            refuse(place, f"{brief(row)} is no row of a table; give an object of columns for each row")
        named = {str(column).strip().casefold(): text(value) for column, value in row.items()}
        if len(named) < len(row):
            refuse(place, "two columns have one name but for the case; rename one")
        if missing := [column for column in wanted if column not in named]:
            add = f"; or add {option('dataset', 'NAME')}" if missing == ["dataset"] else ""
            if {"labels", "scores"} <= named.keys():
                add = f"; or, if these are predictions, add {option('truth', 'FILE')}"
            absent, there = ", ".join(map(repr, missing)), ", ".join(repr(column[:40]) for column in named)
            refuse(place, f"no column {absent}, only {there}; name the columns {', '.join(wanted)}{add}")
        places.append(place)
        cells.append(named)
    if not cells:
        refuse(name, f"there are no rows; give {_FORMS if name == NAME else 'one for each metric of a seed'}")
    return pandas.DataFrame(cells, index=places, dtype=object).fillna("")


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
    return shown if len(shown) <= 40 else f"{shown[:40]}..."


def refuse(place: str | Path, what: str, cause: Exception | None = None) -> NoReturn:
    """Raise `ImportFileError` about one place, or a whole file."""
    raise ImportFileError([f"{place}: {what}"]) from cause


def read_text(path: Path) -> tuple[str, Source]:
    """The text of a file, with what it is known by."""
    if path.suffix.casefold() not in _SUFFIXES:
        refuse(path, f"its name does not end in {', '.join(_SUFFIXES)}; rename it to what it is")
    try:  # utf-8-sig: a byte-order mark, which spreadsheets write, is no part of the first name
        content = path.read_bytes()
        return content.decode("utf-8-sig"), Source(path.name, hashlib.sha256(content).hexdigest())
    except UnicodeDecodeError as err:
        refuse(path, f"{unread(err)}; save it as UTF-8", err)
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        refuse(path, f"{reason}; give a file of results", err)


def objects(path: Path, content: str) -> Iterator[tuple[str, Any]]:
    """Place and content of each JSON line, or of each item of the list in a JSON file."""
    if path.suffix.casefold() != ".json":
        for number, line in enumerate(content.split("\n"), 1):
            if line.strip():
                yield f"{path}:{number}", parsed(f"{path}:{number}", line)
        return
    items = parsed(path, content) if content.strip() else []
    if isinstance(items, dict):  # one evaluation, as trainers write it
        items = [items]
    if not isinstance(items, list):
        refuse(path, f"{brief(text(items))} is no list of objects; write [{{...}}, {{...}}]")
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
        refuse(place, f"{unread(err)}; write it anew", err)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"the key {twice[0][:60]!r} stands there twice")
    return dict(pairs)


def _csv_rows(path: Path, content: str) -> Iterator[tuple[str, dict[str, str]]]:
    names: list[str] = []
    for line, row in csv_lines(str(path), content):
        place = f"{path}:{line}"
        if len(row) == 1 and not names and (parts := re.search("[;\t|]", row[0])):
            refuse(place, f"its columns are parted by {parts[0]!r}; save it with commas, numbers as 76.38")
        if names and len(row) != len(names):
            refuse(place, f"{len(row)} cells under {len(names)} columns; give one for each")
        if names:
            yield place, dict(zip(names, row, strict=True))
            continue
        names = [name.strip().casefold() for name in row]
        if twice := [name for name in names if names.count(name) > 1]:
            refuse(place, f"the column {twice[0][:60]!r} stands there twice; rename one")


def csv_lines(name: str, content: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins, without empty ones, which programs put at the end."""
    reader, line = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True), 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as err:
        refuse(f"{name}:{max(1, reader.line_num)}", f"no CSV ({err}); correct its quotes or that line", err)


# --------------------------------------------------------------------------- what is declared

MOST_SEED = 2**63 - 1
#: More lines of problems than this help nobody; the first ones show the pattern.
SHOWN = 20
#: No name and no number is longer.
_CELL = 200
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
#: As in a claim file: a SHA-256, or its first half.
_FINGERPRINT = re.compile(r"[0-9a-f]{32,64}")
_A_FINGERPRINT = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"
#: What some write where a reason is asked for.
_NO_REASON = ("no", "not", "yes", "true", "false", "unknown", "none", "maybe", "i don't know")


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What whoever imports says of the results. Raises `AuditError` for what cannot be meant."""

    by: str = ""
    authors_code: str = ""
    unit: str | None = None
    dataset: str | None = None
    fingerprint: str | None = None
    same_data: str = ""
    other_split: str = ""
    test_size: int = 0
    same_predictions_ok: bool = False
    train_truth: Path | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        for name in ("by", "authors_code", "same_data", "other_split"):
            text = getattr(self, name)
            if not isinstance(text, str):
                raise AuditError(f"{name}={text!r}: say it in a few words")
            try:
                text = visible(" ".join(text.split()))
            except ValueError as err:
                raise AuditError(f"{option(name)}: {err}") from err
            object.__setattr__(self, name, text)
            if name != "by" and text.strip(" .!?").lower() in _NO_REASON:
                how = "no reason; say how you know, as in: the authors' files"
                if name == "authors_code":
                    how = "no code; give its address and commit, or leave it out"
                raise AuditError(f"{option(name)} {text!r} is {how}")
        if self.unit not in (None, "percent", "fraction"):
            units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
            raise AuditError(f"{option('unit')} {self.unit!r} is unknown; add {units}")
        if self.same_data and self.other_split:
            both = f"{option('same_data')} and {option('other_split')}"
            raise AuditError(f"{both} exclude each other; keep the one that is so")
        if self.fingerprint is not None and not _FINGERPRINT.fullmatch(self.fingerprint):
            raise AuditError(f"{option('fingerprint')} {self.fingerprint!r} is none; {_A_FINGERPRINT}")


@dataclass(frozen=True)
class Result:
    """What was imported for one run, all of it checked."""

    experiment: str
    seed: int
    dataset: str  # The paper's name of the data set, or the file's where the paper has none such.
    fingerprint: str | None
    metrics: Mapping[str, float]  # Percent; empty where the run failed.
    sources: tuple[Source, ...]
    unit: str = "percent"  # In which the file gives the values.
    notes: tuple[str, ...] = ()  # Whatever else the file says about the run.
    n_test: int = 0  # Test documents; 0 where the files do not tell.
    documents: str = ""  # Digest of their names and labels, in any order; empty where the files do not tell.
    predictions: Mapping[str, NDArray[Any]] | None = field(default=None, compare=False)

    @property
    def failed(self) -> bool:
        return not self.metrics


class Problems:
    """Collects sentences, each with its place and what to do; what is said of many rows is said once."""

    def __init__(self) -> None:
        self.places: dict[str, list[str]] = {}  # Sentence -> where it holds.

    def add(self, place: str, what: str) -> None:
        self.places.setdefault(what, []).append(place)

    def settle(self) -> None:
        """Raises `ImportFileError` if there is anything to tell: nothing of the import is kept then."""
        lines = [
            f"{places[0]}: {what}" + (f" ({len(places) - 1} more such)" if len(places) > 1 else "")
            for what, places in self.places.items()
        ]
        if lines:
            further = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
            raise ImportFileError([*lines[:SHOWN], *further])


def experiment_of(paper: Paper, name: str, dataset: str) -> str:
    """Id of the experiment that is meant, by its name on that data set. Raises `ValueError` for none."""
    single = paper.single_experiments
    if name in single:
        return name
    if name not in paper.experiments:
        offer = f"name the experiment, or add {option('experiment', 'ID')}"
        offer = known_names(name, single) if name else offer
        raise ValueError(f"{name!r} is no experiment of {paper.paper.key}; {offer}")
    parts = [id for id, one in single.items() if id == f"{name}-{one.on}"]
    meant = [id for id in parts if single[id].on in _datasets_of(paper, dataset)]
    if len(meant) != 1:
        raise ValueError(f"{name!r} is on several data sets; write one of {', '.join(parts)}")
    return meant[0]


def _datasets_of(paper: Paper, name: str) -> list[str]:
    """Ids of the paper's data sets with that id, name or catalogue name, in whatever case. Raises
    `ValueError` for a name that is near one, unless the catalogue has it for another corpus."""
    called = {id: (data.name, id, data.catalogue or "") for id, data in paper.datasets.items()}
    meant = [id for id, names in called.items() if name.casefold() in map(str.casefold, names)]
    offered = [own for names in zip(*called.values(), strict=True) for own in names if own]
    if not meant and (near := nearest(name, offered)):
        others = (own for key, entry in catalogue().entries.items() for own in (key, entry.name))
        if name.casefold() not in map(str.casefold, others):
            what = f"{name!r} is no data set of {paper.paper.key}; did you mean {near!r}?"
            raise ValueError(f"{what} If it is another corpus, give it a name less like that")
    return meant


def dataset_of(paper: Paper, experiment: str, name: str) -> str:
    """The paper's name of the data set, or the one given. Raises `ValueError` where that cannot be."""
    if not name:
        where = f"name it in the column dataset, or add {option('dataset', 'NAME')}"
        raise ValueError(f"no data set is named; {where}")
    on, meant = paper.single_experiments[experiment].on, _datasets_of(paper, name)
    if meant and on not in meant:
        here = f"{experiment!r} is on {paper.datasets[on].name!r} and not on {name!r}"
        raise ValueError(f"{here}; which one was run? correct the other")
    return paper.datasets[on].name if meant else name


def bare(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def sound_seed(seed: int) -> int:
    """The seed. Raises `ValueError` for a number that no generator of random numbers takes."""
    if not 0 <= seed <= MOST_SEED:
        raise ValueError(f"seed {seed} is not from 0 to {MOST_SEED}; number the seeds 0, 1, 2, ...")
    return seed


def from_results(
    paper: Paper,
    paths: Sequence[Path],
    declared: Declared,
    *,
    experiment: str | None = None,
    seeds: Sequence[int] = (),
) -> tuple[Result, ...]:
    """The runs in tables of results; `experiment`, and `seeds` one a file, are of tables that do not say.
    Raises `ImportFileError` with all that is unclear, `AuditError` for a wrong number of seeds."""
    paths, tables = list(dict.fromkeys(paths)), []
    if seeds and len(seeds) != len(paths):
        each = f"{counted(len(paths), 'file')} and {counted(len(seeds), 'seed')}"
        raise AuditError(f"{option('seed')}: {each}; give one for each file, in their order")
    for path, seed in zip(paths, seeds or [None] * len(paths), strict=True):  # type: ignore[list-item]
        stated = {"experiment": experiment, "seed": None if seed is None else str(seed)}
        stated = {name: value for name, value in stated.items() if value is not None}
        wanted = [name for name in wanted_columns(declared) if name not in stated]
        frame, source = read_table(path, wanted)
        if twice := [name for name in stated if name in frame.columns]:
            refuse(path, f"it has a column {twice[0]!r}; leave {option(twice[0])} out")
        tables.append((frame.assign(**stated), source))
    return from_tables(paper, tables, declared)


def wanted_columns(declared: Declared) -> list[str]:
    """The columns that a table has to have."""
    return [name for name in COLUMNS if name != "dataset" or not declared.dataset]


def from_tables(
    paper: Paper, tables: Sequence[tuple[DataFrame, Source]], declared: Declared
) -> tuple[Result, ...]:
    """The same of tables that were read already, as `read_table` and `table_of` give them."""
    import pandas

    problems, read = Problems(), []
    row_of = _reader(paper, declared)
    for frame, source in tables:
        for place, cells in zip(frame.index, frame.to_dict("records"), strict=True):
            try:
                read.append({"place": place, "source": source, **row_of(cells)})
            except ValueError as err:
                problems.add(place, str(err))
    if read:
        rows = pandas.DataFrame(read, dtype=object).astype({"seed": "int64", "value": "float64"})
        rows = _consistent(rows, problems, [data.name for data in paper.datasets.values()])
        _check_units(rows, problems, paper, declared.unit)
    problems.settle()
    unit = declared.unit or "percent"
    groups = rows.sort_values(["experiment", "seed"], kind="stable").groupby(["experiment", "seed"])
    return tuple(
        Result(
            experiment=str(experiment),
            seed=int(seed),
            dataset=mine["dataset"].iloc[0],
            fingerprint=declared.fingerprint,
            metrics={
                metric: float(Decimal(printed) * (100 if unit == "fraction" else 1))
                for metric, printed in zip(mine["metric"], mine["printed"], strict=True)
                if printed != "failed"
            },
            sources=tuple(dict.fromkeys(mine["source"])),
            unit=unit,
        )
        for (experiment, seed), mine in groups
    )


def _reader(paper: Paper, declared: Declared) -> Callable[[Mapping[str, str]], dict[str, Any]]:
    """What reads one row. It raises `ValueError` for what is no name and no number."""

    @cache
    def data_of(name: str, dataset: str) -> tuple[str, str]:
        stated, meant = declared.dataset or "", _datasets_of(paper, dataset)
        if dataset and stated and dataset != stated and not (meant and meant == _datasets_of(paper, stated)):
            other = f"{option('dataset')} {declared.dataset!r}"
            raise ValueError(f"the data set is {dataset!r} here and {other}; drop one")
        dataset = dataset or declared.dataset or ""
        experiment = experiment_of(paper, name, dataset)
        return experiment, dataset_of(paper, experiment, dataset)

    def row_of(cells: Mapping[str, str]) -> dict[str, Any]:
        for name in COLUMNS:
            cell = cells.get(name, "")
            if len(cell) > _CELL:
                raise ValueError(f"{name} has {len(cell)} characters; is this the right column?")
            if not is_visible(cell) or cell.encode("utf-8", "replace").decode() != cell:
                raise ValueError(f"{name} {cell!a} holds characters that cannot be shown; take them out")
        experiment, dataset = data_of(cells["experiment"], cells.get("dataset", ""))
        seed, metric = cells["seed"], cells["metric"]
        if not _SEED.fullmatch(seed):
            raise ValueError(f"seed {seed[:40]!r} is no whole number; number the seeds 0, 1, 2, ...")
        printed = cells["value"]
        failed = printed.casefold() in ("", "failed")
        if not failed and not _NUMBER.fullmatch(printed):
            raise ValueError(f"value {printed[:40]!r} is no number; write it plainly, as 76.38, or failed")
        if metric or not failed:
            sound_metric(metric)
        return {
            "experiment": experiment,
            "dataset": dataset,
            "seed": sound_seed(int(seed.partition(".")[0])),
            "metric": metric,
            "printed": "failed" if failed else printed,
            "value": math.nan if failed else float(printed),
        }

    return row_of


def _consistent(rows: DataFrame, problems: Problems, own: Sequence[str]) -> DataFrame:
    """The rows without those that contradict another one, or stand there twice: these are told. Of two data
    sets the paper's `own` counts, or else that of more rows."""
    counts = rows.groupby(["experiment", "dataset"])["place"].transform("size")
    order = (-counts - len(rows) * rows["dataset"].isin(own)).sort_values(kind="stable").index
    first = rows.loc[order].groupby("experiment")[["dataset", "place"]].transform("first").loc[rows.index]
    other = rows["dataset"] != first["dataset"]
    for row, earlier in zip(rows[other].itertuples(), first[other].itertuples(), strict=True):
        what = f"{row.experiment!r} is on {row.dataset!r} here and on {earlier.dataset!r} at {earlier.place}"
        problems.add(row.place, f"{what}; import the results of one data set only")
    rows, key = rows[~other], ["experiment", "seed", "metric"]
    again = rows.duplicated(key)
    once = rows[~again].set_index(key)
    for row in rows[again].itertuples():
        earlier = once.loc[(row.experiment, row.seed, row.metric)]
        what = f"{row.metric or 'the failure'} of {row.experiment}, seed {row.seed}, is {row.printed} here"
        which = "which one counts? remove the other, or number the seeds of two runs apart"
        problems.add(row.place, f"{what} and {earlier.printed} at {earlier.place}; {which}")
    rows = rows[~again]
    run, failed = [rows["experiment"], rows["seed"]], rows["value"].isna()
    mixed = failed & ~failed.groupby(run).transform("all")
    for row in rows[mixed].drop_duplicates(["experiment", "seed"]).itertuples():
        what = f"{row.experiment!r}, seed {row.seed}, has failed here and has values elsewhere"
        say = "write failed in all its rows, or leave this row out"
        problems.add(row.place, f"{what}; which is it? {say}")
    return rows


def _check_units(rows: DataFrame, problems: Problems, paper: Paper, unit: str | None) -> None:
    """No value is outside its range; one that could be meant in both units is asked about, once a metric."""
    values, highest = rows["value"], 1 if unit == "fraction" else 100
    named = option("unit", "fraction") if highest == 1 else "percent"
    for row in rows[values.notna() & ~values.between(0, highest)].itertuples():
        what = f"{row.metric} {row.printed} lies outside 0 to {highest}, its range in {named}; correct it"
        problems.add(row.place, what)
    if unit is not None:
        return
    cells = [cell for table in paper.table_records() for line in table.rows for cell in line.cells]
    for row in rows[(values > 0) & (values <= 1)].drop_duplicates("metric").itertuples():
        mine = (cell for cell in cells if (cell.experiment, cell.metric) == (row.experiment, row.metric))
        printed = next((cell.printed for cell in mine), None)
        beside = f"the paper prints {printed}" if printed else "below 1 both are possible"
        units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
        what = f"is {row.metric} {row.printed} a percentage or a fraction? {beside}; add {units}"
        problems.add(row.place, what)
