"""What takes two places of a claim file to see, but for the claims: `audit.claim_links` has those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit import claim_known, claim_links
from audit.claim_known import KnownNames
from audit.claim_model import KINDS, JudgedByMargin
from audit.claim_names import (
    FileNames,
    PlainMapping,
    TableNames,
    column_keys,
    counted,
    entries,
    mapping,
    repeated,
    sequence,
    text_or_none,
    unknown,
)
from audit.claim_source import KeyPath, Plain, Problem
from audit.names import known_names

#: What an experiment must name to be run.
_TO_RUN = ("model", "variant", "protocol", "recipe")


def problems(content: PlainMapping, known: KnownNames | None = None) -> list[Problem]:
    """All problems between the parts of the file, and with the known names; in no particular order."""
    names = FileNames(content)
    found = [*_in_margins(names), *claim_links.problems(names)]
    found += claim_known.problems(names, known) if known else ()
    for path, entry in entries(content, "tables"):
        found += _in_table(path, entry, names)
    for path, entry in entries(content, "experiments"):
        found += _in_experiment(path, entry, names)
    for path, entry in entries(content, "departures"):
        for index, name in enumerate(sequence(entry.get("experiments"))):
            found += unknown((*path, "experiments", index), name, "experiment", names.experiments)
    return found


# --------------------------------------------------------------------------- tables


def _in_table(path: KeyPath, entry: PlainMapping, names: FileNames) -> Iterator[Problem]:
    columns, rows = sequence(entry.get("columns")), sequence(entry.get("rows"))
    table = names.tables[str(path[-1])]
    yield from unknown((*path, "dataset"), entry.get("dataset"), "data set", names.datasets)
    yield from repeated(path, "columns", [column_keys(column).get("id") for column in columns])
    yield from repeated(path, "rows", [mapping(row).get("id") for row in rows])
    for index, column in enumerate(map(column_keys, columns)):
        place = (*path, "columns", index)
        yield from unknown((*place, "dataset"), column.get("dataset"), "data set", names.datasets)
        if column.get("metric") and column.get("dataset") is None and entry.get("dataset") is None:
            yield Problem(place, "is of no data set; give the table or this column a dataset")
    for index, row in enumerate(rows):
        if isinstance(row, dict):
            yield from _in_row((*path, "rows", index), row, table, len(columns))
            yield from _row_experiments((*path, "rows", index), row, table, names)


def _in_row(path: KeyPath, row: PlainMapping, table: TableNames, columns: int) -> Iterator[Problem]:
    values = row.get("values")
    if isinstance(values, list) and len(values) != columns:
        held, places = counted(len(values), "value"), counted(columns, "column")
        text = f"holds {held} for {places} ({', '.join(table.columns)})"
        yield Problem((*path, "values"), f"{text}; give one a column, null for a dash")
    if row.get("source") == "copied" and row.get("from") is None:
        yield Problem((*path, "from"), "a copied row must name its paper; add from: <key of that paper>")
    if row.get("from") is not None and row.get("source") in ("own_run", "unknown"):
        yield Problem((*path, "from"), "only a copied row names a paper; drop it or set source: copied")


def _row_experiments(
    path: KeyPath, row: PlainMapping, table: TableNames, names: FileNames
) -> Iterator[Problem]:
    by_column = mapping(row.get("experiments"))
    if row.get("experiment") is not None and row.get("experiments") is not None:
        text = "stands beside experiment; keep experiment for the whole row or experiments by column"
        yield Problem((*path, "experiments"), text)
    for column in by_column:
        yield from unknown((*path, "experiments", column), column, "column", table.columns)
    named = {(*path, "experiment"): (row.get("experiment"), list(table.columns))}
    named |= {(*path, "experiments", column): (name, [column]) for column, name in by_column.items()}
    for place, (name, columns) in named.items():
        yield from unknown(place, name, "experiment", names.experiments)
        yield from _other_dataset(place, text_or_none(name), columns, table, names)


def _other_dataset(
    path: KeyPath, experiment: str | None, columns: Sequence[str], table: TableNames, names: FileNames
) -> Iterator[Problem]:
    """An experiment on one data set cannot stand behind a column of another."""
    ran_on = names.dataset_of(experiment) if experiment else None
    for column in columns:
        dataset = table.datasets.get(column) if table.grid.columns.get(column) else None
        if ran_on and dataset and ran_on != dataset:
            text = f"experiment {experiment!r} is on data set {ran_on!r}, column {column!r} on {dataset!r}"
            yield Problem(path, f"{text}; name an experiment on {dataset!r}")
            return


# --------------------------------------------------------------------------- experiments and margins


def _in_experiment(path: KeyPath, entry: PlainMapping, names: FileNames) -> Iterator[Problem]:
    yield from unknown((*path, "dataset"), entry.get("dataset"), "data set", names.datasets)
    given = [key for key in (*_TO_RUN, "config") if entry.get(key) is not None]
    missing = [key for key in _TO_RUN if key not in given]
    if entry.get("unavailable") is not None:
        for key in given:
            text = "stands beside unavailable; drop it, or drop unavailable if the experiment can be run"
            yield Problem((*path, key), text)
    elif missing:
        text = f"lacks {', '.join(missing)}; add what to run, or say in unavailable why it cannot be run"
        yield Problem(path, text)


def _in_margins(names: FileNames) -> Iterator[Problem]:
    margins = mapping(names.content.get("margins"))
    claims = [claim for _, claim in entries(names.content, "claims")]
    kinds = {text_or_none(claim.get("id")): str(claim.get("kind")) for claim in claims}
    if claims and "default" not in margins:
        text = "this key is missing; add {value: 0.5, rule: field, why: ...} or another margin"
        yield Problem(("margins", "default"), text)
    for name in margins:
        yield from _margin_name(name, kinds, names.tables)


def _margin_name(
    name: str, kinds: Mapping[str | None, str], tables: Mapping[str, Plain]
) -> Iterator[Problem]:
    path = ("margins", name)
    if name in kinds and (name in tables or name == "default"):
        yield Problem(path, "names both a claim and a table or the default; give the claim another id")
    elif name in kinds and not issubclass(KINDS.get(kinds[name], JudgedByMargin), JudgedByMargin):
        yield Problem(path, f"names a claim of kind {kinds[name]}, which is judged without one; drop it")
    elif name != "default" and name not in tables and name not in kinds:
        offered = [*tables, *(known for known in kinds if known)]
        yield Problem(path, f"names no table and no claim; {known_names(name, offered)}")
