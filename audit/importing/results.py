"""Tables of results, with the columns experiment, dataset, metric, seed and value, as checked `Result`s.

Nothing is guessed: what can be read in two ways is asked about, and all questions come in one go.
"""

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
from audit.claims.schema import is_metric
from audit.claims.source import is_visible, visible
from audit.errors import AuditError, ImportFileError, option
from audit.importing.table import COLUMNS, Source, read_table
from audit.names import known_names
from reimpl.metric_names import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

#: As `audit run` allows; more is another column under the name of seed.
MOST_SEEDS = 1000
MOST_SEED = 2**63 - 1
#: More lines of problems than this help nobody; the first ones show the pattern.
SHOWN = 20
#: No name and no number is longer; a longer text of a column that we do not know is cut.
_CELL = 200
_KNOWN = (*COLUMNS, "fingerprint")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
_NO_VALUES = ("", "nan", "inf", "infinity", "none", "null", "na", "n/a")
#: As in a claim file: a SHA-256, or its first half.
_FINGERPRINT = re.compile(r"[0-9a-f]{32,64}")
_A_FINGERPRINT = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"
#: What some write where a reason is asked for.
_NO_REASON = (
    *("no", "not", "yes", "true", "false", "unknown", "none", "maybe", "i do not know", "i don't know"),
)


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
    propensity: str = ""
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
        if self.propensity and self.train_truth is None:
            training = option("train_truth", "FILE")
            raise AuditError(f"{option('propensity')} goes with {training}; add it, or leave both out")
        self.constants  # noqa: B018  read once, so that what is no pair of numbers is told

    @property
    def constants(self) -> tuple[float, float] | None:
        """A and B of the propensities; None for those of the data set's name."""
        if not self.propensity:
            return None
        try:
            a, b = (float(part) for part in self.propensity.split(","))
        except ValueError:
            a = b = math.nan
        if not (a > 0 and b > 0 and math.isfinite(a + b)):
            what = "give A and B, numbers above 0, as in 0.55,1.5"
            raise AuditError(f"{option('propensity')} {self.propensity!r}: {what}")
        return a, b


@dataclass(frozen=True)
class Result:
    """What was imported for one run, all of it checked."""

    experiment: str
    seed: int
    dataset: str
    """The paper's name of the data set, or the file's where the paper has none such."""
    fingerprint: str | None
    metrics: Mapping[str, float]
    """Percent; empty where the run failed."""
    sources: tuple[Source, ...]
    unit: str = "percent"
    """In which the file gives the values."""
    notes: tuple[str, ...] = ()
    """Whatever else the file says about the run."""
    n_test: int = 0
    """Test documents; 0 where the files do not tell."""
    documents: str = ""
    """Digest of their names and labels, in any order; empty where the files do not tell."""
    predictions: Mapping[str, NDArray[Any]] | None = field(default=None, compare=False)

    @property
    def failed(self) -> bool:
        return not self.metrics


class Problems:
    """Collects sentences, each with its place and what to do; what is said of many rows is said once."""

    def __init__(self) -> None:
        self.places: dict[str, list[str]] = {}
        """Sentence -> where it holds."""

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


# --------------------------------------------------------------------------- names


def experiment_of(paper: Paper, name: str, dataset: str) -> str:
    """Id of the one experiment that is meant. Raises `ValueError`, offering the known names.

    The name of an experiment on several data sets is enough where the data set says which one.
    """
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
    """Ids of the paper's data sets with that id, name or catalogue name, in whatever case."""
    return [
        id
        for id, data in paper.datasets.items()
        if name.casefold() in map(str.casefold, (id, data.name, data.catalogue or ""))
    ]


def dataset_of(paper: Paper, experiment: str, name: str) -> str:
    """The data set's name as the paper has it, or as it was given where the paper knows none such.

    Raises `ValueError` for none, and for one of the paper's that the experiment is not on.
    """
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


# --------------------------------------------------------------------------- results


def from_results(paper: Paper, paths: Sequence[Path], declared: Declared) -> tuple[Result, ...]:
    """The runs in tables of results, by experiment and seed.

    Raises `ImportFileError` with everything that is unclear in any of the files.
    """
    tables = [read_table(path, wanted_columns(declared)) for path in dict.fromkeys(paths)]
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
        rows = _consistent(rows, problems)
        _check_units(rows, problems, paper, declared.unit)
    problems.settle()
    unit = declared.unit or "percent"
    groups = rows.sort_values(["experiment", "seed"], kind="stable").groupby(["experiment", "seed"])
    return tuple(
        Result(
            experiment=str(experiment),
            seed=int(seed),
            dataset=mine["dataset"].iloc[0],
            fingerprint=mine["fingerprint"].iloc[0] or None,
            metrics={
                metric: float(Decimal(printed) * (100 if unit == "fraction" else 1))
                for metric, printed in zip(mine["metric"], mine["printed"], strict=True)
                if printed != "failed"
            },
            sources=tuple(dict.fromkeys(mine["source"])),
            unit=unit,
            notes=tuple(dict.fromkeys(note for notes in mine["notes"] for note in notes)),
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

    def encodable(text: str) -> str:
        """With a question mark for each half of a surrogate pair, which JSON can hold and UTF-8 cannot."""
        return text.encode("utf-8", "replace").decode()

    def note(name: str, cell: str) -> str:
        """What a column that we do not know says of a run, on one line that can be shown."""
        text = encodable(f"{name}: {cell}"[:_CELL])
        return " ".join("".join(sign if is_visible(sign) else "?" for sign in text).split())

    def row_of(cells: Mapping[str, str]) -> dict[str, Any]:
        for name in _KNOWN:
            cell = cells.get(name, "")
            if len(cell) > _CELL:
                raise ValueError(f"{name} has {len(cell)} characters; is this the right column?")
            if not is_visible(cell) or encodable(cell) != cell:
                raise ValueError(f"{name} {cell!a} holds characters that cannot be shown; take them out")
        experiment, dataset = data_of(cells["experiment"], cells.get("dataset", ""))
        fingerprint, seed, metric = cells.get("fingerprint", ""), cells["seed"], cells["metric"]
        if fingerprint and not _FINGERPRINT.fullmatch(fingerprint):
            raise ValueError(f"fingerprint {fingerprint[:80]!r} is none; {_A_FINGERPRINT}")
        if fingerprint and declared.fingerprint not in (None, fingerprint):
            another = f"another than {option('fingerprint')} says; drop one"
            raise ValueError(f"the fingerprint is {fingerprint!r}, {another}")
        if not _SEED.fullmatch(seed):
            raise ValueError(f"seed {seed[:40]!r} is no whole number; number the seeds 0, 1, 2, ...")
        printed = cells["value"]
        failed = printed.casefold() in ("", "failed")
        if not failed and printed.casefold().lstrip("+-") in _NO_VALUES:
            raise ValueError(f"{printed!r} is no value; did the run fail? then write failed there")
        if not failed and not _NUMBER.fullmatch(printed):
            raise ValueError(f"value {printed[:40]!r} is no number; write it plainly, as 76.38, or failed")
        if not is_metric(metric) and (metric or not failed):
            k = metric.partition("@")[2]
            known = [f"{m}@{k if k.isdecimal() else 5}" if with_k else m for m, with_k in METRICS.items()]
            raise ValueError(f"metric {metric!r} is unknown; {known_names(metric, known)}")
        return {
            "experiment": experiment,
            "dataset": dataset,
            "fingerprint": fingerprint or declared.fingerprint or "",
            "seed": sound_seed(int(seed.partition(".")[0])),
            "metric": metric,
            "printed": "failed" if failed else printed,
            "value": math.nan if failed else float(printed),
            "notes": [note(name, cell) for name, cell in cells.items() if name not in ("", *_KNOWN) and cell],
        }

    return row_of


def _consistent(rows: DataFrame, problems: Problems) -> DataFrame:
    """The rows without those that contradict an earlier one, or stand there twice: these are told.

    An experiment is on one data set, a value of a metric and seed stands there once, an experiment has a
    limited number of seeds, and a run has failed in all its metrics or in none.
    """
    first = rows.groupby("experiment")[["dataset", "fingerprint", "place"]].transform("first")
    other = (rows["dataset"] != first["dataset"]) | (rows["fingerprint"] != first["fingerprint"])
    for row, earlier in zip(rows[other].itertuples(), first[other].itertuples(), strict=True):
        here, there = (
            f"{one.dataset!r}" + (f" ({one.fingerprint[:12]})" if one.fingerprint else "")
            for one in (row, earlier)
        )
        what = f"{row.experiment!r} is on {here} here and on {there} at {earlier.place}"
        problems.add(row.place, f"{what}; import the results of one data set only")
    rows, key = rows[~other], ["experiment", "seed", "metric"]
    again = rows.duplicated(key)
    once = rows[~again].set_index(key)
    for row in rows[again].itertuples():
        earlier = once.loc[(row.experiment, row.seed, row.metric)]
        what = f"{row.metric or 'the failure'} of {row.experiment}, seed {row.seed}, stands at"
        which = f"with {earlier.printed} there and {row.printed} here; which one counts? remove the other"
        if row.printed == earlier.printed or row.value == earlier.value:
            which = "with the same value; one run or two? remove one row, or number the seeds apart"
        problems.add(row.place, f"{what} {earlier.place} too, {which}")
    rows = rows[~again]
    seeds = rows.groupby("experiment")["seed"].nunique()
    for experiment in seeds.index[seeds > MOST_SEEDS]:
        place = rows.loc[(rows["experiment"] == experiment).idxmax(), "place"]
        problems.add(place, f"{experiment!r} has more than {MOST_SEEDS} seeds; is seed the column?")
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
        top = values[rows["metric"] == row.metric].idxmax()
        if values[top] > 1:
            beside = f"other values of {row.metric} go up to {rows.loc[top, 'printed']}"
        units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
        what = f"is {row.metric} {row.printed} a percentage or a fraction? {beside}; add {units}"
        problems.add(row.place, what)
