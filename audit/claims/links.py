"""Do the entries of a file fit together? Names, references, metrics, sources, margins, open choices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from audit.claims.experiments import MOST, how_many
from audit.claims.known import KnownNames, unknown_names
from audit.claims.names import UnresolvedError, cell_of, check_known, is_experiment, row_of
from audit.claims.schema import Misfit, repeated
from audit.claims.source import KeyPath, Problem
from audit.kinds import Claim, JudgedByMargin
from audit.names import counted, known_names
from audit.record import Cell
from audit.stats.printed import printed

if TYPE_CHECKING:
    from audit.claims.load import Paper

#: Headline claims are corrected for among themselves first.
MOST_PRIMARIES = 3


def problems(paper: Paper, known: KnownNames | None = None) -> list[Problem]:
    """All problems between the entries of a file, and with the known names; in no particular order."""
    links = Links(paper)
    parts = (
        links.in_tables,
        links.in_experiments,
        links.in_margins,
        links.in_specifications,
        links.in_claims,
    )
    misfits = [misfit for part in parts for misfit in part()]
    return [*(Problem(*misfit) for misfit in misfits), *(unknown_names(paper, known) if known else ())]


def unmeasurable(paper: Paper) -> Iterator[Problem]:
    """Claims on F1 that runs of ours would be asked for: these make rankings, and decide on no labels."""
    places = [claim.id for claim in paper.claims]
    for claim in paper.claim_records():
        ours = (paper.single_experiments.get(name) for name in claim.experiments)
        if claim.metric.partition("[")[0].endswith("-F1") and any(
            experiment and experiment.never_run is None and experiment.command is None for experiment in ours
        ):
            yield Problem(
                ("claims", places.index(claim.claim), "metric"),
                f"{claim.metric} is not measured by runs here, which rank labels and decide on none: it "
                "needs a threshold or a number of labels; drop the metric, or give results of a program that "
                "decides (command, or unavailable and `audit import`)",
            )


class Links:
    """What hangs on what in one file."""

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
        """A problem where there is a name that is not known."""
        if name is not None and name not in self.known[what]:
            text = f"there is no {what.removeprefix('named ')} {name!r}"
            yield path, f"{text}; {known_names(name, self.known[what])}"

    # ----------------------------------------------------------------------- tables and experiments

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
                cells = [
                    misfit for k in range(len(columns)) for misfit in self._in_cell(place, name, index, k)
                ]
                yield from dict.fromkeys(cells)  # what holds for a whole row is said once

    def _in_cell(self, path: KeyPath, table: str, row: int, column: int) -> Iterator[Misfit]:
        """An experiment on one data set cannot stand behind a number on another."""
        line = self.paper.tables[table].rows[row]
        value, place = line.values[column], (*path, "values", column)
        if value and value.experiment:
            yield from self.unknown((*place, "experiment"), "named experiment", value.experiment)
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

    # ----------------------------------------------------------------------- margins and open choices

    def in_margins(self) -> Iterator[Misfit]:
        """Margins are of tables, of claims that are judged by one, or for all others."""
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
                yield path, f"names a claim of kind {kind}, which is judged without one; drop it"
            elif name not in ("default", *tables, *claims):
                yield path, f"names no table and no claim; {known_names(name, [*tables, *claims])}"

    def in_specifications(self) -> Iterator[Misfit]:
        """What is open nowhere or is not there, set by two open choices, and too large grids."""
        grid = self.paper.readings
        there, limit = (grid.open, grid.limit) if grid else ({}, "full")
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
            if (number := how_many(sizes, limit)) > MOST:
                text = f"makes {counted(number, 'reading')}, and {MOST} are the most; leave some out"
                yield path, f"{text}, or set limit: one_at_a_time" if limit == "full" else text
        used = {thing for experiment in self.paper.experiments.values() for thing in experiment.readings}
        for name in there:
            if name not in used:
                text = "is open in no experiment; name it in the readings of one, or drop it"
                yield ("readings", "open", name), text

    # ----------------------------------------------------------------------- claims

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
        """Each reference leads to a number that can bear the claim, in each metric."""
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
                yield from self._misfits(targets, claim)
        if references and not lost and not metrics:
            text = "this key is missing; add metric: [P@1, ...] or name columns as table.row.column"
            yield ("metric",), text

    def _misfits(self, targets: Sequence[tuple[KeyPath, Cell | str]], claim: Claim) -> Iterator[Misfit]:
        """Why the numbers cannot bear such a claim, or be compared."""
        for place, target in targets:
            yield from ((place, text) for text in _in_target(target, claim))
        if len(targets) < 2 or "among" in claim.references:
            return  # the best level may stand among the others

        def experiment_of(target: Cell | str) -> str | None:
            return target.experiment if isinstance(target, Cell) else target

        (_, first), *others = targets
        on = self.paper.dataset_of(first)
        for place, other in others:
            dataset, experiment = self.paper.dataset_of(other), experiment_of(other)
            if first == other:
                yield place, "names the same cell as the other side; name another one"
            elif on and dataset and on != dataset:
                yield place, f"is on data set {dataset!r}, the other side on {on!r}; name one on that"
            elif experiment and experiment == experiment_of(first):
                yield place, f"is experiment {experiment!r} like the other side; name another experiment"

    def _in_expression(
        self, path: KeyPath, reference: str, metrics: Sequence[str | None]
    ) -> Iterator[Misfit]:
        """The reference of an expression leads to cells; a star stands for all rows, or all metrics."""
        table, row, *column = reference.split(".")
        tables = self.paper.printed
        for metric in metrics:
            try:
                if "*" not in reference and metric is None and not column:
                    text = f"{reference} names no column; add it, or state the claim's metric"
                    raise UnresolvedError(text)
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
    """Why the cell cannot bear a claim of this kind."""
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
                yield f"{what}, too coarse for a claim; drop this metric from the claim"
    if claim.of_one_printed and target.source == "copied":
        origin = target.copied_from or "another paper"
        text = f"{row} is copied from {origin}, and a copied number is not this paper's run"
        yield f"{text}; claim it in the claim file of {origin}, or name a row with source own_run"
    elif claim.of_one_printed and target.source in ("unknown", "stated"):
        yield f"{row} is of unknown source; set source: own_run if the authors ran it, or drop the claim"
    if target.experiment is None:
        yield f"{target.address} has no experiment; give its row experiment or experiments"
