"""Tables of results as checked `Result`s. What can be read in two ways is asked about, all in one go."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.load import Paper
from audit.claims.schema import sound_metric
from audit.claims.source import is_visible, visible
from audit.errors import AuditError, ImportFileError, option
from audit.importing.tables import COLUMNS, WANTED, Source, read_table, refuse
from audit.names import counted, first_of, known_names, nearest
from reimpl.data.catalogue import catalogue

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

MOST_SEED, MOST_SEEDS = 2**63 - 1, 1_000
SHOWN = 20  # More lines of problems than this help nobody; the first ones show the pattern.
_ALIKE = 3  # So many lines that differ only in names and numbers.
#: How the note on decided labels begins.
F1_BY = "F1 over "
_CELL = 200  # No name and no number is longer.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
_FINGERPRINT = re.compile(r"[0-9a-f]{32,64}")  # As in a claim file: a SHA-256, or its first half.
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
    train_truth: Path | None = None
    labels: Path | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        for name in ("by", "authors_code", "same_data", "other_split"):
            text = getattr(self, name)
            if not isinstance(text, str):
                raise AuditError(f"{name}={text!r}: describe it in a few words")
            try:
                text = visible(" ".join(text.split()))
            except ValueError as err:
                raise AuditError(f"{option(name)}: {err}") from err
            object.__setattr__(self, name, text)
            if name != "by" and text.strip(" .!?").lower() in _NO_REASON:
                why = "no reason; say how you know, as in: the authors' files"
                code = "no code; give its address and commit, or leave it out"
                raise AuditError(f"{option(name)} {text!r} is {code if name == 'authors_code' else why}")
        if self.unit not in (None, "percent", "fraction"):
            units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
            raise AuditError(f"{option('unit')} {self.unit!r} is unknown; add {units}")
        if self.same_data and self.other_split:
            both = f"{option('same_data')} and {option('other_split')}"
            raise AuditError(f"{both} exclude each other; keep the true one")
        if self.fingerprint is not None and not _FINGERPRINT.fullmatch(self.fingerprint):
            how = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"
            raise AuditError(f"{option('fingerprint')} {self.fingerprint!r} is not a fingerprint; {how}")


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
    documents: str = ""  # Digest of their names and shared labels; empty where the files do not tell.
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
        kinds: dict[str, list[str]] = {}
        for what, places in self.places.items():
            more = f" ({len(places) - 1} more such)" if len(places) > 1 else ""
            kinds.setdefault(re.sub(r"'[^']*'|\d+", "", what), []).append(f"{places[0]}: {what}{more}")
        lines = []
        for alike in kinds.values():
            lines += alike[:_ALIKE]
            lines += [f"and {len(alike) - _ALIKE} more like the last"] if len(alike) > _ALIKE else []
        if lines:
            further = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
            raise ImportFileError([*lines[:SHOWN], *further])


def experiment_of(paper: Paper, name: str, dataset: str) -> str:
    """Id of the experiment that is meant, by its name on that data set. Raises `ValueError` for none."""
    single = paper.single_experiments
    if name in single:
        return name
    if name not in paper.experiments:
        whole = f"{option('experiment', 'ID')} names it for a whole file"
        offer = f"{known_names(name, single)}; {whole}" if name else f"name the experiment; {whole}"
        raise ValueError(f"{name!r} is not an experiment of {paper.paper.key}; {offer}")
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
            what = f"{name!r} is not a data set of {paper.paper.key}; did you mean {near!r}?"
            raise ValueError(f"{what} If it is another corpus, give it a less similar name")
    return meant


def dataset_of(paper: Paper, experiment: str, name: str) -> str:
    """The paper's name of the data set, the experiment's for none, or the one given; or `ValueError`."""
    on = paper.single_experiments[experiment].on
    meant = _datasets_of(paper, name) if name else [on]
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
    Raises `ImportFileError` with all that is unclear in the files, `AuditError` for too few seeds."""
    paths, tables = list(dict.fromkeys(paths)), []
    if seeds and len(seeds) != len(paths):
        each = f"{counted(len(paths), 'file')} and {counted(len(seeds), 'seed')}"
        raise AuditError(f"{option('seed')}: {each}; give one for each file, in their order")
    for path, seed in zip(paths, seeds or [None] * len(paths), strict=True):  # type: ignore[list-item]
        stated = {"experiment": experiment, "seed": None if seed is None else str(seed)}
        stated = {name: value for name, value in stated.items() if value is not None}
        frame, source = read_table(path, [name for name in WANTED if name not in stated])
        for name in (name for name in stated if name in frame.columns):
            known = {*paper.experiments, *paper.single_experiments, ""} if name == "experiment" else None
            if known is None or not known.isdisjoint(frame[name]):  # not only names that a tracker gave
                refuse(path, f"it has a column {name!r}; leave {option(name)} out")
        tables.append((frame.assign(**stated), source))
    return from_tables(paper, tables, declared)


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
        for name, number in rows.groupby("experiment")["seed"].nunique().items():
            if number > MOST_SEEDS:  # each record names all seeds of its import
                what = f"{number:,} seeds of {name!r}; more than {MOST_SEEDS:,} are not taken: is it right?"
                problems.add(tables[0][1].file, what)
    problems.settle()
    unit, unread = declared.unit or "percent", {it: 1 for of, _ in tables for it in of.attrs["not read"]}
    notes = (f"not read: {first_of([*unread], 6)}",) if unread else ()
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
            notes=notes,
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
                raise ValueError(f"{name} {cell!a} contains invisible characters; remove them")
        experiment, dataset = data_of(cells["experiment"], cells.get("dataset", ""))
        seed, metric = cells["seed"], cells["metric"]
        if not _SEED.fullmatch(seed):
            raise ValueError(f"seed {seed[:40]!r} is not a whole number; number the seeds 0, 1, 2, ...")
        printed = cells["value"]
        failed = printed.casefold() in ("", "failed")
        if not failed and not _NUMBER.fullmatch(printed):
            raise ValueError(f"value {printed[:40]!r} is not a number; write it plainly, as 76.38, or failed")
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
        which = "which one counts? remove the other, or give two runs different seeds"
        problems.add(row.place, f"{what} and {earlier.printed} at {earlier.place}; {which}")
    rows = rows[~again]
    run, failed = [rows["experiment"], rows["seed"]], rows["value"].isna()
    mixed = failed & ~failed.groupby(run).transform("all")
    for row in rows[mixed].drop_duplicates(["experiment", "seed"]).itertuples():
        what = f"{row.experiment!r}, seed {row.seed}, failed here and has values elsewhere"
        say = "write failed in all its rows, or remove this row"
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
