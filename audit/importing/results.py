"""Tables of results, with the columns experiment, dataset, metric, seed and value, as checked `Result`s.

Nothing is guessed: what can be read in two ways is asked about, and all questions come in one go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.load import Paper
from audit.claims.schema import is_metric
from audit.claims.source import is_visible
from audit.errors import option
from audit.importing.result import FINGERPRINT, WHAT_A_FINGERPRINT_IS, Declared, Problems, Result, Source
from audit.importing.table import COLUMNS, read_table
from audit.names import known_names
from reimpl.metric_names import METRICS

if TYPE_CHECKING:
    from pandas import DataFrame

#: As `audit run` allows; more is another column under the name of seed.
MOST_SEEDS = 1000
MOST_SEED = 2**63 - 1
#: No name and no number is longer; a longer text of a column that we do not know is cut.
_CELL = 200
_KNOWN = (*COLUMNS, "fingerprint")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEED = re.compile(r"[+-]?\d+(\.0+)?", re.ASCII)
_NO_VALUES = ("", "nan", "inf", "infinity", "none", "null", "na", "n/a")


class UnclearNameError(ValueError):
    """A name that leads nowhere, or to several places; the message says what to write."""


def experiment_of(paper: Paper, name: str, dataset: str) -> str:
    """Id of the one experiment that is meant. Raises `UnclearNameError`, offering the known names.

    The name of an experiment on several data sets is enough where the data set says which one.
    """
    single = paper.single_experiments
    if name in single:
        return name
    if name not in paper.experiments:
        offer = f"name the experiment, or add {option('experiment', 'ID')}"
        offer = known_names(name, single) if name else offer
        raise UnclearNameError(f"{name!r} is no experiment of {paper.paper.key}; {offer}")
    parts = [id for id, it in single.items() if id == f"{name}-{it.on}"]
    meant = [id for id in parts if single[id].on in _datasets_of(paper, dataset)]
    if len(meant) != 1:
        raise UnclearNameError(f"{name!r} is on several data sets; write one of {', '.join(parts)}")
    return meant[0]


def _datasets_of(paper: Paper, name: str) -> list[str]:
    """Ids of the paper's data sets with that id, name or catalogue name, in whatever case."""
    return [
        id
        for id, it in paper.datasets.items()
        if name.casefold() in map(str.casefold, (id, it.name, it.catalogue or ""))
    ]


def dataset_of(paper: Paper, experiment: str, name: str) -> str:
    """The data set's name as the paper has it, or as it was given where the paper knows none such.

    Raises `UnclearNameError` for none, and for one of the paper's that the experiment is not on.
    """
    if not name:
        where = f"name it in the column dataset, or add {option('dataset', 'NAME')}"
        raise UnclearNameError(f"no data set is named; {where}")
    on, meant = paper.single_experiments[experiment].on, _datasets_of(paper, name)
    if meant and on not in meant:
        here = f"{experiment!r} is on {paper.datasets[on].name!r} and not on {name!r}"
        raise UnclearNameError(f"{here}; which one was run? correct the other")
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
    for frame, source in tables:
        row_of = _reader(paper, declared, source)
        for place, cells in zip(frame.index, frame.to_dict("records"), strict=True):
            try:
                read.append({"place": place, **row_of(cells)})
            except ValueError as err:
                problems.add(place, str(err))
    if read:
        rows = pandas.DataFrame(read, dtype=object).astype({"seed": "int64", "value": "float64"})
        rows = _one_data_set(rows, problems)
        rows = _once(rows, problems)
        _check_runs(rows, problems)
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


def _reader(paper: Paper, declared: Declared, source: Source) -> Any:
    """What reads one row. It raises `ValueError` for what is no name and no number."""

    @cache
    def data_of(name: str, given: str) -> tuple[str, str]:
        if given and declared.dataset and given != declared.dataset:
            said = f"{option('dataset')} {declared.dataset!r}"
            raise ValueError(f"the data set is {given!r} here and {said}; drop one")
        dataset = given or declared.dataset or ""
        experiment = experiment_of(paper, name, dataset)
        return experiment, dataset_of(paper, experiment, dataset)

    def row_of(cells: Mapping[str, str]) -> dict[str, Any]:
        for name in _KNOWN:
            cell = cells.get(name, "")
            if len(cell) > _CELL:
                raise ValueError(f"{name} has {len(cell)} characters; is this the right column?")
            if not is_visible(cell) or _encodable(cell) != cell:
                raise ValueError(f"{name} {cell!a} holds characters that cannot be shown; take them out")
        experiment, dataset = data_of(cells["experiment"], cells.get("dataset", ""))
        fingerprint, seed, metric = cells.get("fingerprint", ""), cells["seed"], cells["metric"]
        if fingerprint and not FINGERPRINT.fullmatch(fingerprint):
            raise ValueError(f"fingerprint {fingerprint[:80]!r} is none; {WHAT_A_FINGERPRINT_IS}")
        if fingerprint and declared.fingerprint not in (None, fingerprint):
            another = f"another than {option('fingerprint')} says; drop one"
            raise ValueError(f"the fingerprint is {fingerprint!r}, {another}")
        if not _SEED.fullmatch(seed):
            raise ValueError(f"seed {seed[:40]!r} is no whole number; number the seeds 0, 1, 2, ...")
        printed = _printed(cells["value"])
        if not is_metric(metric) and (metric or printed is not None):
            k = metric.partition("@")[2]
            known = [f"{it}@{k if k.isdecimal() else 5}" if with_k else it for it, with_k in METRICS.items()]
            raise ValueError(f"metric {metric!r} is unknown; {known_names(metric, known)}")
        return {
            "experiment": experiment,
            "dataset": dataset,
            "fingerprint": fingerprint or declared.fingerprint or "",
            "seed": sound_seed(int(seed.partition(".")[0])),
            "metric": metric,
            "printed": printed or "failed",
            "value": float(printed or "nan"),
            "source": source,
            "notes": [_note(name, it) for name, it in cells.items() if name and name not in _KNOWN and it],
        }

    return row_of


def _printed(text: str) -> str | None:
    """The number as it is written; None for a failed run. Raises `ValueError` for neither."""
    if text.casefold() in ("", "failed"):
        return None
    if text.casefold().lstrip("+-") in _NO_VALUES:
        raise ValueError(f"{text!r} is no value; did the run fail? then write failed there")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"value {text[:40]!r} is no number; write it plainly, as 76.38, or failed")
    return text


def _note(name: str, said: str) -> str:
    """What a column that we do not know says of a run, on one line that can be shown."""
    text = _encodable(f"{name}: {said}"[:_CELL])
    return " ".join("".join(sign if is_visible(sign) else "?" for sign in text).split())


def _encodable(text: str) -> str:
    """With a question mark for each half of a surrogate pair, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


# --------------------------------------------------------------------------- once all rows are known


def _one_data_set(rows: DataFrame, problems: Problems) -> DataFrame:
    """The rows without those on other data than the first row of their experiment, which are told."""
    first = rows.groupby("experiment")[["dataset", "fingerprint", "place"]].transform("first")
    other = (rows["dataset"] != first["dataset"]) | (rows["fingerprint"] != first["fingerprint"])
    for row, of in zip(rows[other].itertuples(), first[other].itertuples(), strict=True):
        here, there = (
            f"{it.dataset!r}" + (f" ({it.fingerprint[:12]})" if it.fingerprint else "") for it in (row, of)
        )
        what = f"{row.experiment!r} is on {here} here and on {there} at {of.place}"
        problems.add(row.place, f"{what}; import the results of one data set only")
    return rows[~other]


def _once(rows: DataFrame, problems: Problems) -> DataFrame:
    """The rows without those whose value of a metric and seed stands in another, which are told."""
    key = ["experiment", "seed", "metric"]
    again = rows.duplicated(key)
    first = rows[~again].set_index(key)
    for row in rows[again].itertuples():
        of = first.loc[(row.experiment, row.seed, row.metric)]
        what = f"{row.metric or 'the failure'} of {row.experiment}, seed {row.seed}, stands at {of.place} too"
        which = f"with {of.printed} there and {row.printed} here; which one counts? remove the other"
        if row.printed == of.printed or row.value == of.value:
            which = "with the same value; one run or two? remove one row, or number the seeds apart"
        problems.add(row.place, f"{what}, {which}")
    return rows[~again]


def _check_runs(rows: DataFrame, problems: Problems) -> None:
    """An experiment has a limited number of seeds, and a run has failed in all its metrics or in none."""
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


def _check_units(rows: DataFrame, problems: Problems, paper: Paper, unit: str | None) -> None:
    """No value is outside its range; one that could be meant in both units is asked about, once a metric."""
    values, highest = rows["value"], 1 if unit == "fraction" else 100
    said = option("unit", "fraction") if highest == 1 else "percent"
    for row in rows[values.notna() & ~values.between(0, highest)].itertuples():
        what = f"{row.metric} {row.printed} lies outside 0 to {highest}, its range in {said}; correct it"
        problems.add(row.place, what)
    if unit is not None:
        return
    most = rows.groupby("metric")["value"].max()
    for row in rows[(values > 0) & (values <= 1)].drop_duplicates("metric").itertuples():
        cells = (cell for table in paper.table_records() for of in table.rows for cell in of.cells)
        mine = (it for it in cells if (it.experiment, it.metric) == (row.experiment, row.metric))
        printed = next((it.printed for it in mine), None)
        beside = f"the paper prints {printed}" if printed else "below 1 both are possible"
        if most[row.metric] > 1:
            top = values[rows["metric"] == row.metric].idxmax()
            beside = f"other values of {row.metric} go up to {rows.loc[top, 'printed']}"
        units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
        what = f"is {row.metric} {row.printed} a percentage or a fraction? {beside}; add {units}"
        problems.add(row.place, what)
