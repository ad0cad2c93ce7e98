"""Tables of results, with the columns experiment, dataset, metric, seed and value, as checked `Result`s.

Nothing is guessed: what can be read in two ways is asked about, and all questions come in one go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import SequenceMatcher
from pathlib import Path

from audit.claims.load import Paper
from audit.claims.schema import is_metric
from audit.errors import option
from audit.importing.result import FINGERPRINT, WHAT_A_FINGERPRINT_IS, Declared, Problems, Result, Source
from audit.importing.table import (
    COLUMNS,
    OPTIONAL,
    Row,
    TableFile,
    Value,
    check_cells,
    note_of,
    seed_of,
    value_of,
)
from audit.names import known_names
from reimpl.metric_names import METRICS

#: Share of characters in common, beyond which two names may be spellings of one: EURLEX57K is .8 of EUR-Lex.
_ALIKE = 0.75


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
        offer = (
            known_names(name, single) if name else f"name the experiment, or add {option('experiment', 'ID')}"
        )
        raise UnclearNameError(f"{name!r} is no experiment of {paper.paper.key}; {offer}")
    parts = [id for id, it in single.items() if id == f"{name}-{it.on}"]
    meant = [id for id in parts if single[id].on in datasets_of(paper, dataset)]
    if len(meant) != 1:
        raise UnclearNameError(f"{name!r} is on several data sets; write one of {', '.join(parts)}")
    return meant[0]


def datasets_of(paper: Paper, name: str) -> list[str]:
    """Ids of the paper's data sets with that id, name or catalogue name, in whatever case."""
    wanted = name.casefold()
    return [
        id
        for id, it in paper.datasets.items()
        if wanted in (id.casefold(), it.name.casefold(), (it.catalogue or "").casefold())
    ]


def dataset_of(paper: Paper, experiment: str, name: str, *, other: bool = False, column: bool = True) -> str:
    """The data set's name as the paper has it, or as it was given where the paper knows none such.

    Raises `UnclearNameError` for none, for one of the paper's that the experiment is not on, and for a name
    that is much like one of the paper's, unless `other` says that it is another one. `column` tells whether
    the files have a column for it.
    """
    if not name:
        where = "name it in the column dataset, or add" if column else "add"
        raise UnclearNameError(f"no data set is named; {where} {option('dataset', 'NAME')}")
    on, meant = paper.single_experiments[experiment].on, datasets_of(paper, name)
    if not meant and not other and (like := much_like(paper, name)):
        raise UnclearNameError(
            f"{name!r} is no data set of {paper.paper.key}, and {like!r} is one; which was it? write that "
            f"name, or add {option('other_dataset', True)} if it was another one"
        )
    if not meant:
        return name
    if on not in meant:
        raise UnclearNameError(
            f"{experiment!r} is on {paper.datasets[on].name!r} and not on {name!r}; which one was run? "
            "correct the other"
        )
    return paper.datasets[on].name


def much_like(paper: Paper, name: str) -> str | None:
    """The paper's name of a data set that looks like another spelling of this one."""
    wanted = bare(name)
    for id, it in paper.datasets.items():
        for known in (it.name, it.catalogue or "", id):
            if known and SequenceMatcher(None, wanted, bare(known)).ratio() >= _ALIKE:
                return it.name
    return None


def bare(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(it for it in name.casefold() if it.isalnum())


#: As `audit run` allows; more is another column under the name of seed.
MOST_SEEDS = 1000


@dataclass
class _Gathered:
    """One run as far as it was read."""

    values: dict[str, tuple[Value, str]] = field(default_factory=dict)
    """Metric -> value and the place it stands at; a failure may stand under no metric."""
    sources: dict[Path, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)


@dataclass
class _Data:
    """The data set of an experiment, and the place that said so first."""

    name: str
    fingerprint: str | None
    place: str


class _Reading:
    """All rows of an import."""

    def __init__(self, paper: Paper, declared: Declared) -> None:
        self.paper, self.declared, self.problems = paper, declared, Problems()
        self.runs: dict[tuple[str, int], _Gathered] = {}
        self.data: dict[str, _Data] = {}
        self.seeds: Counter[str] = Counter()

    def take(self, row: Row, path: Path) -> None:
        try:
            check_cells(row)
            key, metric, value = self._key(row), self._metric(row), value_of(row)
        except ValueError as err:
            self.problems.add(row.place, str(err))
            return
        if key not in self.runs:
            self._count(key[0], row)
        run = self.runs.setdefault(key, _Gathered())
        if metric in run.values:
            self.problems.add(row.place, _twice(key, metric, value, *run.values[metric]))
            return
        run.values[metric] = value, row.place
        run.sources[path] = None
        for name, text in row.cells.items():
            if name not in (*COLUMNS, *OPTIONAL) and name and text:
                run.notes[note_of(name, text)] = None

    def _count(self, experiment: str, row: Row) -> None:
        self.seeds[experiment] += 1
        if self.seeds[experiment] > MOST_SEEDS:
            self.problems.add(
                row.place, f"{experiment!r} has more than {MOST_SEEDS} seeds; is seed the column?"
            )
            self.problems.settle()

    def _key(self, row: Row) -> tuple[str, int]:
        given = row.cells.get("dataset", "")
        if given and self.declared.dataset and given != self.declared.dataset:
            raise ValueError(
                f"the data set is {given!r} here and {option('dataset')} {self.declared.dataset!r}; drop one"
            )
        name = given or self.declared.dataset or ""
        experiment = experiment_of(self.paper, row.cells["experiment"], name)
        dataset = dataset_of(self.paper, experiment, name, other=self.declared.other_dataset)
        data = _Data(dataset, self._fingerprint(row), row.place)
        first = self.data.setdefault(experiment, data)
        if (first.name, first.fingerprint) != (data.name, data.fingerprint):
            raise ValueError(
                f"{experiment!r} is on {_data(data)} here and on {_data(first)} at {first.place}; import "
                "the results of one data set only"
            )
        return experiment, seed_of(row)

    def _fingerprint(self, row: Row) -> str | None:
        given = row.cells.get("fingerprint") or None
        if given and not FINGERPRINT.fullmatch(given):
            raise ValueError(f"fingerprint {given[:80]!r} is none; {WHAT_A_FINGERPRINT_IS}")
        if given and self.declared.fingerprint not in (None, given):
            raise ValueError(
                f"the fingerprint is {given!r}, another than {option('fingerprint')} says; drop one"
            )
        return given or self.declared.fingerprint

    def _metric(self, row: Row) -> str:
        name = row.cells["metric"]
        if is_metric(name) or (not name and value_of(row) is None):
            return name
        k = name.partition("@")[2]
        known = [f"{it}@{k if k.isdecimal() else 5}" if with_k else it for it, with_k in METRICS.items()]
        raise ValueError(f"metric {name!r} is unknown; {known_names(name, known)}")

    # ------------------------------------------------------------------ once all rows are known

    def check(self) -> None:
        for (experiment, seed), run in self.runs.items():
            values = [value for value, _ in run.values.values()]
            if None in values and any(value is not None for value in values):
                place = next(place for value, place in run.values.values() if value is None)
                self.problems.add(
                    place,
                    f"{experiment!r}, seed {seed}, has failed here and has values elsewhere; which is it? "
                    "write failed in all its rows, or leave this row out",
                )
        self._check_units()

    def _check_units(self) -> None:
        """A number that could be meant in both units is asked about, once for each metric."""
        asked = set()
        most = self._largest()
        for (experiment, _), run in self.runs.items():
            for metric, (value, place) in run.values.items():
                if value is None:
                    continue
                highest = 1 if self.declared.unit == "fraction" else 100
                if not 0 <= value <= highest:
                    unit = option("unit", "fraction") if highest == 1 else "percent"
                    self.problems.add(
                        place,
                        f"{metric} {value} lies outside 0 to {highest}, its range in {unit}; correct it",
                    )
                elif self.declared.unit is None and 0 < value <= 1 and metric not in asked:
                    asked.add(metric)
                    self.problems.add(place, self._which_unit(experiment, metric, value, most[metric]))

    def _largest(self) -> Mapping[str, Decimal]:
        most: dict[str, Decimal] = {}
        for run in self.runs.values():
            for metric, (value, _) in run.values.items():
                if value is not None:
                    most[metric] = max(value, most.get(metric, value))
        return most

    def _which_unit(self, experiment: str, metric: str, value: Decimal, most: Decimal) -> str:
        printed = _printed(self.paper, experiment, metric)
        beside = f"the paper prints {printed}" if printed else "below 1 both are possible"
        if most > 1:
            beside = f"other values of {metric} go up to {most}"
        units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
        return f"is {metric} {value} a percentage or a fraction? {beside}; add {units}"

    def results(self, sources: Mapping[Path, Source]) -> Iterable[Result]:
        unit = self.declared.unit or "percent"
        for (experiment, seed), run in sorted(self.runs.items()):
            data = self.data[experiment]
            yield Result(
                experiment=experiment,
                seed=seed,
                dataset=data.name,
                fingerprint=data.fingerprint,
                metrics={
                    m: _percent(value, unit) for m, (value, _) in run.values.items() if value is not None
                },
                sources=tuple(sources[path] for path in run.sources),
                unit=unit,
                notes=tuple(run.notes),
            )


def from_results(paper: Paper, paths: Sequence[Path], declared: Declared) -> tuple[Result, ...]:
    """The runs in tables of results, by experiment and seed.

    Raises `ImportFileError` with everything that is unclear in any of the files.
    """
    reading = _Reading(paper, declared)
    sources: dict[Path, Source] = {}
    for path in dict.fromkeys(paths):
        file = TableFile(path)
        for row in file.rows(wanted=wanted_columns(declared)):
            reading.take(row, path)
        sources[path] = file.source
    return _settled(reading, sources)


def from_rows(paper: Paper, rows: Iterable[Row], declared: Declared, *, source: Source) -> tuple[Result, ...]:
    """The same of rows that are in memory, all of one source. Raises `ImportFileError`."""
    reading, path = _Reading(paper, declared), Path(source.file)
    for row in rows:
        reading.take(row, path)
    return _settled(reading, {path: source})


def wanted_columns(declared: Declared) -> list[str]:
    """The columns that a table has to have."""
    return [name for name in COLUMNS if name != "dataset" or not declared.dataset]


def _settled(reading: _Reading, sources: Mapping[Path, Source]) -> tuple[Result, ...]:
    reading.check()
    reading.problems.settle()
    return tuple(reading.results(sources))


def _twice(key: tuple[str, int], metric: str, value: Value, first: Value, place: str) -> str:
    what = f"{metric or 'the failure'} of {key[0]}, seed {key[1]}, stands at {place} too"
    if value == first:
        return f"{what}, with the same value; one run or two? remove one row, or number the seeds apart"
    here, there = ("failed" if it is None else it for it in (value, first))
    return f"{what}, with {there} there and {here} here; which one counts? remove the other"


def _data(data: _Data) -> str:
    return f"{data.name!r}" + (f" ({data.fingerprint[:12]})" if data.fingerprint else "")


def _printed(paper: Paper, experiment: str, metric: str) -> str | None:
    cells = (cell for table in paper.table_records() for row in table.rows for cell in row.cells)
    return next((c.printed for c in cells if c.experiment == experiment and c.metric == metric), None)


def _percent(value: Decimal, unit: str) -> float:
    return float(value * 100 if unit == "fraction" else value)
