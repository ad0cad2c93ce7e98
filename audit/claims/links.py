"""Checks the entries of a file against each other: references, metrics, sources, margins. A reference is
`table.row`, `table.row.column` or an experiment; a metric picks the column."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import MOST, Experiment
from audit.claims.schema import Misfit, repeated
from audit.claims.source import KeyPath, Problem
from audit.kinds.base import Claim, JudgedByMargin
from audit.names import OTHER_MODELS, counted, known_names
from audit.record import Cell, TableRecord
from audit.stats.printed import printed

if TYPE_CHECKING:
    from audit.claims.load import Paper

Tables = Mapping[str, TableRecord]

#: Headline claims are corrected for among themselves first.
MOST_PRIMARIES = 3


class UnresolvedError(Exception):
    """A reference to nothing, or to several cells; the message gives the names that exist."""


def is_experiment(reference: str) -> bool:
    return "." not in reference


def check_known(what: str, name: str, known: Collection[str], *, of: str = "there is") -> None:
    """Raises `UnresolvedError` unless the name is among the known ones."""
    if name not in known:
        raise UnresolvedError(f"{of} no {what} {name!r}; {known_names(name, known)}")


def row_of(reference: str, tables: Tables) -> list[Cell]:
    """The cells of `table.row`; `row` may be an experiment of the table. Raises `UnresolvedError`."""
    name, row, *_ = reference.split(".")
    check_known("table", name, tables)
    rows = {line.id: line.cells for line in tables[name].rows}
    if row in rows:
        return list(rows[row])
    cells = [cell for line in rows.values() for cell in line if cell.experiment == row]
    if not cells:
        check_known("row", row, rows, of=f"table {name!r} has")
    return cells


def cell_of(reference: str, metric: str | None, tables: Tables) -> Cell:
    """The cell of `reference`; `metric` (or a quantity) picks a column. Raises `UnresolvedError`."""
    cells = row_of(reference, tables)
    table, row, *column = reference.split(".")
    if column:
        columns, rows = ([line.id for line in lines] for lines in (tables[table].columns, tables[table].rows))
        check_known("column", column[0], columns, of=f"table {table!r} has")
        check_known("row", row, rows, of=f"table {table!r} has")
        (cell,) = (cell for cell in cells if cell.address == reference)
        if metric is not None and of_what(cell) != metric:
            what = f"column {table}.{column[0]} holds {of_what(cell) or 'no metric'}"
            raise UnresolvedError(f"{what}, not {metric}; name another")
        return cell
    fitting = [cell for cell in cells if of_what(cell) == metric]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        there = dict.fromkeys(of_what(cell) for line in tables[table].rows for cell in line.cells)
        offer = ", ".join(filter(None, there)) or "none"
        raise UnresolvedError(f"table {table!r} has no column of metric {metric!r}; it has {offer}")
    choice = " or ".join(cell.address for cell in fitting)
    raise UnresolvedError(f"table {table!r} has several columns of {metric}; name one: {choice}")


def of_what(cell: Cell) -> str | None:
    return cell.metric or cell.quantity


def metrics_of(references: Iterable[str], stated: Sequence[str] | None, tables: Tables) -> tuple[str, ...]:
    """The metrics that a claim is about: those stated, or else those of the cells that it names."""
    if stated is not None:
        return tuple(stated)
    named: dict[str, None] = {}
    for reference in references:
        if reference.count(".") == 2:
            try:
                metric = of_what(cell_of(reference, None, tables))
            except UnresolvedError:
                continue
            named |= {metric: None} if metric else {}
    return tuple(named)


# --------------------------------------------------------------------------- entries against each other


def problems(paper: Paper, known: KnownNames | None = None) -> list[Problem]:
    """All problems between the entries of a file, and with the known names; in no particular order."""
    links = Links(paper)
    parts = links.in_tables, links.in_experiments, links.in_margins, links.in_specifications, links.in_claims
    misfits = [misfit for part in parts for misfit in part()]
    return [*(Problem(*misfit) for misfit in misfits), *(unknown_names(paper, known) if known else ())]


class Links:
    """How the entries of one file refer to each other."""

    def __init__(self, paper: Paper) -> None:
        self.paper, experiments = paper, paper.single_experiments
        self.known: Mapping[str, Collection[str]] = {
            "data set": paper.datasets,
            "table": paper.tables,
            "experiment": experiments,
            # what a cell or a departure may name
            "named experiment": dict.fromkeys([*paper.experiments, *experiments]),
            "method": dict.fromkeys(one.method for one in experiments.values() if one.method),
            "open choice": paper.readings.open if paper.readings else {},
        }

    def unknown(self, path: KeyPath, what: str, name: str | None) -> Iterator[Misfit]:
        if name is not None and name not in self.known[what]:
            text = f"there is no {what.removeprefix('named ')} {name!r}"
            yield path, f"{text}; {known_names(name, self.known[what])}"

    def in_tables(self) -> Iterator[Misfit]:
        for name, table in self.paper.tables.items():
            path: KeyPath = ("tables", name)
            yield from self.unknown((*path, "dataset"), "data set", table.dataset)
            columns = [((*path, "columns", k), column) for k, column in enumerate(table.columns)]
            rows = [((*path, "rows", k), row) for k, row in enumerate(table.rows)]
            for place, subject in (*columns, *rows):
                yield from self.unknown((*place, "dataset"), "data set", subject.dataset)
                yield from self.unknown((*place, "experiment"), "named experiment", subject.experiment)
            for index, (place, row) in enumerate(rows):
                for column, experiment in (row.experiments or {}).items():
                    where = (*place, "experiments", column)
                    yield from self.unknown(where, "named experiment", experiment)
                cells = [it for k in range(len(columns)) for it in self._in_cell(place, name, index, k)]
                yield from dict.fromkeys(cells)  # what holds for a whole row is said once

    def _in_cell(self, path: KeyPath, table: str, row: int, column: int) -> Iterator[Misfit]:
        line = self.paper.tables[table].rows[row]
        value, place = line.values[column], (*path, "values", column)
        fields = self.paper.tables[table].cell(row, column)
        name, dataset = fields["experiment"], fields["dataset"]
        if value is None or not fields["metric"] or dataset not in self.paper.datasets:
            return
        if line.experiment == name:
            place = (*path, "experiment")
        elif by_column := [key for key, other in (line.experiments or {}).items() if other == name]:
            place = (*path, "experiments", by_column[0])
        whole, single = self.paper.experiments.get(name), self.paper.single_experiments.get(name)
        if whole and whole.datasets and dataset not in whole.datasets:
            known = known_names(dataset, whole.datasets)
            yield place, f"experiment {name!r} is not on data set {dataset!r}; {known}"
        elif single and single.dataset in self.paper.datasets and single.dataset != dataset:
            text = f"experiment {name!r} is on data set {single.dataset!r}, the number on {dataset!r}"
            yield place, f"{text}; name an experiment on {dataset!r}"

    def in_experiments(self) -> Iterator[Misfit]:
        for name, experiment in self.paper.experiments.items():
            path: KeyPath = ("experiments", name)
            yield from self.unknown((*path, "dataset"), "data set", experiment.dataset)
            for index, dataset in enumerate(experiment.datasets or ()):
                yield from self.unknown((*path, "datasets", index), "data set", dataset)
        for place, departure in enumerate(self.paper.departures):
            for index, name in enumerate(departure.experiments or ()):
                path = ("departures", place, "experiments", index)
                yield from self.unknown(path, "named experiment", name)

    def in_margins(self) -> Iterator[Misfit]:
        claims, tables = {claim.id: claim for claim in self.paper.claims}, self.paper.tables
        if claims and "default" not in self.paper.margins:
            text = "this key is missing; add {value: 0.5, rule: field, why: ...} or another margin"
            yield ("margins", "default"), text
        for key in self.paper.margins:
            path, name = ("margins", key), key.partition(":")[0]  # of one metric
            if name in claims and (name in tables or name == "default"):
                yield path, "names both a claim and a table or the default; give the claim another id"
            elif name in claims and not isinstance(claims[name], JudgedByMargin):
                kind = claims[name].kind
                yield path, f"names a claim of kind {kind}, which needs no margin; drop it"
            elif name not in ("default", *tables, *claims):
                yield path, f"names no table and no claim; {known_names(name, [*tables, *claims])}"

    def in_specifications(self) -> Iterator[Misfit]:
        """Settings that are open nowhere or do not exist, that two choices set, and too large grids."""
        grid = self.paper.readings
        there, full = (grid.open, grid.limit == "full") if grid else ({}, True)
        for name, experiment in self.paper.experiments.items():
            path: KeyPath = ("experiments", name, "readings")
            yield from repeated(path, experiment.readings)
            keys: dict[str, str] = {}
            for index, thing in enumerate(experiment.readings):
                yield from self.unknown((*path, index), "open choice", thing)
                choices = there[thing].choices.values() if thing in there else ()
                for key in dict.fromkeys(key for choice in choices for key in choice.changed_keys()):
                    if keys.setdefault(key, thing) != thing:
                        text = f"{thing!r} sets {key}, which {keys[key]!r} sets too"
                        yield (*path, index), f"{text}; make one open choice of the two"
            sizes = [len(there[thing].choices) for thing in experiment.readings if thing in there]
            number = math.prod(sizes) if full else 1 + sum(size - 1 for size in sizes)
            if number > MOST:
                text = f"makes {counted(number, 'reading')}, and {MOST} are the most; leave some out"
                yield path, f"{text}, or set limit: one_at_a_time" if full else text
        used = {thing for experiment in self.paper.experiments.values() for thing in experiment.readings}
        for name in there:
            if name not in used:
                text = "no experiment lists it; add it to the readings of one, or drop it"
                yield ("readings", "open", name), text

    def in_claims(self) -> Iterator[Misfit]:
        """Problems of the claims with each other and with the tables; some come once for each metric."""
        claims = self.paper.claims
        yield from repeated(("claims",), [claim.id for claim in claims])
        primaries = [index for index, claim in enumerate(claims) if claim.primary]
        for index in primaries[MOST_PRIMARIES:]:
            text = f"{len(primaries)} claims are primary; keep the {MOST_PRIMARIES} headline claims"
            yield ("claims", index, "primary"), text
        for index, claim in enumerate(claims):
            path: KeyPath = ("claims", index)
            for place, what, name in claim.named():
                if what == "cell":
                    yield from self._in_expression((*path, *place), name, claim.metric or (None,))
                else:
                    yield from self.unknown((*path, *place), what, name)
            yield from (((*path, *place), text) for place, text in self._in_references(claim))

    def _in_references(self, claim: Claim) -> Iterator[Misfit]:
        """Checks that each reference leads to a number that fits the claim, in each metric."""
        references, lost = dict(claim.places()), False
        metrics: Sequence[str | None] = self.paper.metrics_of(claim)
        if not claim.needs_metric:
            metrics = (getattr(claim, "quantity", None),)
        for metric in metrics or (None,):
            targets: list[tuple[KeyPath, Cell | str]] = []
            for place, reference in references.items():
                try:
                    if metric is None and reference.count(".") == 1:
                        row_of(reference, self.paper.printed)
                    elif is_experiment(reference):
                        check_known("experiment", reference, self.known["experiment"])
                        targets.append((place, reference))
                    else:  # as it is printed
                        targets.append((place, cell_of(reference, metric, self.paper.printed)))
                except UnresolvedError as err:
                    lost = True
                    yield place, str(err)
            if metrics and claim.needs_metric:
                yield from ((place, text) for place, target in targets for text in _in_target(target, claim))
                if len(targets) > 1 and "among" not in claim.references:  # where the best stands among others
                    yield from self._in_pair(*targets)
        if references and not lost and not metrics:
            text = "this key is missing; add metric: [P@1, ...] or name columns as table.row.column"
            yield ("metric",), text

    def _in_pair(
        self, side: tuple[KeyPath, Cell | str], *others: tuple[KeyPath, Cell | str]
    ) -> Iterator[Misfit]:
        first = side[1]
        on, mine = self.paper.dataset_of(first), first.experiment if isinstance(first, Cell) else first
        for place, other in others:
            dataset = self.paper.dataset_of(other)
            experiment = other.experiment if isinstance(other, Cell) else other
            if first == other:
                yield place, "names the same cell as the other side; name another one"
            elif on and dataset and on != dataset:
                yield place, f"is on data set {dataset!r}, the other side on {on!r}; name one on that"
            elif experiment and experiment == mine:
                yield place, f"is experiment {experiment!r} like the other side; name another experiment"

    def _in_expression(
        self, path: KeyPath, reference: str, metrics: Sequence[str | None]
    ) -> Iterator[Misfit]:
        """Checks that the reference of an expression leads to cells; a star is all rows or all metrics."""
        table, row, *column = reference.split(".")
        tables = self.paper.printed
        for metric in metrics:
            try:
                if "*" not in reference and metric is None and not column:
                    raise UnresolvedError(f"{reference} names no column; add it, or state the claim's metric")
                if "*" not in reference:
                    cell_of(reference, None if column else metric, tables)
                    continue
                if row != "*":
                    row_of(reference, tables)
                check_known("table", table, tables)
                if column:
                    columns = [line.id for line in tables[table].columns]
                    check_known("column", column[0], ["*", *columns], of=f"table {table!r} has")
            except UnresolvedError as err:
                yield path, str(err)


def _in_target(target: Cell | str, claim: Claim) -> Iterator[str]:
    if isinstance(target, str):
        if claim.of_one_printed:
            yield f"{target!r} is an experiment, and this claim is about a printed number; name its cell"
        return
    row = target.address.rpartition(".")[0]
    if target.printed is None:
        yield f"{target.address} prints no number (null); drop this metric from the claim"
    elif target.metric and target.unit == "fraction":
        for text in filter(None, (target.printed, target.sd)):
            if printed(text).decimals < 2:
                what = f"{target.address} prints {text!r}, a fraction with fewer than two decimals"
                yield f"{what}, too coarse to judge; drop this metric from the claim"
    if claim.of_one_printed and target.source == "copied":
        origin = target.copied_from or "another paper"
        text = f"{row} is copied from {origin}, so it is not this paper's run"
        yield f"{text}; claim it in the claim file of {origin}, or name a row with source own_run"
    elif claim.of_one_printed and target.source in ("unknown", "stated"):
        yield f"{row} is of unknown source; set source: own_run if the authors ran it, or drop the claim"
    if target.experiment is None:
        yield f"{target.address} has no experiment; give its row experiment or experiments"


# --------------------------------------------------------------------------- names from outside the file

Fault = tuple[str | None, str] | None
"""What is wrong: the key, if it is one, and a sentence."""


@dataclass(frozen=True)
class KnownNames:
    """What experiments may name."""

    models: Mapping[str, Sequence[str] | None]
    """Each model with its variants; None where they are not known without loading the model."""
    protocols: Sequence[str]
    recipes: Sequence[str]
    training: Callable[[str, Mapping[str, Any]], Fault] = lambda protocol, changes: None
    """What is wrong with these changes of that protocol; None for nothing."""
    tuning: Callable[[str | None, Any], Fault] = lambda model, settings: None
    """The same for how a model's settings are tuned."""
    config: Callable[[str, str | None, Mapping[str, Any]], tuple[KeyPath, str] | None] = lambda *_: None
    """The same of a model, a variant and keys that differ, with the path from the experiment. It may load the
    model; where it is left out, configurations are not looked at."""


def names_here(*, configs: bool = False) -> KnownNames:
    """Names found without loading torch; with `configs`, the configuration of each experiment is built as a
    run does it, which loads torch for a file with an experiment that runs here."""
    from reimpl.data.preprocessing import PREPROCESSINGS
    from reimpl.models import config_problem, known_models, known_variants
    from reimpl.protocol import PROTOCOLS, problem, tuning_problem

    models = {name: known_variants(name) for name in known_models()}
    names = KnownNames(models, tuple(PROTOCOLS), tuple(PREPROCESSINGS), problem, tuning_problem)
    return replace(names, config=config_problem) if configs else names


def unknown_names(paper: Paper, known: KnownNames) -> Iterator[Problem]:
    """Each unknown name of a model, variant, protocol or recipe, and each impossible setting of them."""
    in_choices: dict[Problem, None] = {}  # each once, for all experiments
    for name, experiment in paper.experiments.items():
        own = [*_in_training(experiment, known), *_in_config(experiment, known)]
        for place, text in (*_in_names(experiment, known), *own):
            yield Problem(("experiments", name, *place), text)
        for thing in experiment.readings:
            opened = paper.readings.open.get(thing) if paper.readings else None
            for choice_name, choice in opened.choices.items() if opened else ():
                changed = choice.applied(experiment)
                config = _in_config(changed, known) if choice.config else ()
                for place, text in (*_in_training(changed, known), *config):
                    if (place, text) not in own:
                        path = ("readings", "open", thing, "choices", choice_name, *place)
                        in_choices[Problem(path, text)] = None
    yield from in_choices


def _in_names(experiment: Experiment, known: KnownNames) -> Iterator[Misfit]:
    model, variant = experiment.model, experiment.variant
    for key, names in (("model", known.models), ("protocol", known.protocols), ("recipe", known.recipes)):
        name = getattr(experiment, key)
        if name and name not in names:
            more = f"; {OTHER_MODELS}" if key == "model" else ""
            yield (key,), f"there is no {key} {name!r}; {known_names(name, names)}{more}"
    variants = known.models.get(model or "")  # of an unknown model nothing more is said
    if variant and variants is not None and variant not in variants:
        yield ("variant",), f"model {model!r} has no variant {variant!r}; {known_names(variant, variants)}"
    if experiment.tuning is not None:
        fault = known.tuning(model, experiment.tuning.model_dump(exclude_unset=True))
        if fault is not None:
            yield ("tuning", *filter(None, fault[:1])), fault[1]


def _in_config(experiment: Experiment, known: KnownNames) -> Iterator[Misfit]:
    """Problems of what is run with these keys; none if its model or variant is unknown, or nothing is run."""
    model, variant = experiment.model, experiment.variant
    variants = known.models.get(model or "", ())
    if model and variant and (variants is None or variant in variants):
        fault = known.config(model, variant, experiment.config)
        yield from [fault] if fault else []


def _in_training(experiment: Experiment, known: KnownNames) -> Iterator[Misfit]:
    protocol, changes = experiment.protocol or "", experiment.training
    if changes and protocol in known.protocols and (fault := known.training(protocol, changes)):
        yield ("training", *filter(None, fault[:1])), fault[1]
