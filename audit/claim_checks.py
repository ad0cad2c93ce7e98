"""What takes two places of a claim file to see, but for the claims: `audit.claim_links` has those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit import claim_known, claim_links, claim_reading_checks
from audit.claim_known import KnownNames
from audit.claim_model import no_number
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
    value_keys,
)
from audit.claim_source import KeyPath, Plain, Problem
from audit.claim_text import is_visible
from audit.kinds import CLAIM_MODELS, JudgedByMargin
from audit.names import known_names
from audit.stats.printed import COUNTS, printed, printed_count

#: What an experiment must name to be run.
_TO_RUN = ("model", "variant", "protocol", "recipe")


def problems(content: PlainMapping, known: KnownNames | None = None) -> list[Problem]:
    """All problems between the parts of the file, and with the known names; in no particular order."""
    names = FileNames(content)
    found = [*_in_margins(names), *claim_links.problems(names), *claim_reading_checks.problems(names)]
    found += claim_known.problems(names, known) if known else ()
    for path, entry in entries(content, "datasets"):
        found += _in_dataset(path, entry)
    for path, entry in entries(content, "tables"):
        found += _in_table(path, entry, names)
    for path, entry in entries(content, "experiments"):
        found += _in_experiment(path, entry, names)
    for path, entry in entries(content, "departures"):
        for index, name in enumerate(sequence(entry.get("experiments"))):
            place = (*path, "experiments", index)
            found += unknown(place, name, "experiment", names.named_experiments)
    return found


def _in_dataset(path: KeyPath, entry: PlainMapping) -> Iterator[Problem]:
    """Counts are whole numbers above 0."""
    for name, text in mapping(entry.get("printed")).items():
        if (
            name in COUNTS
            and isinstance(text, str)
            and is_visible(text)
            and not no_number(text, printed_count)
        ):
            number = printed_count(text)
            if number.percent or number.value < 1 or number.value.denominator != 1:
                yield Problem((*path, "printed", name), f"{text!r} is no count; write a whole number above 0")


# --------------------------------------------------------------------------- tables


def _in_table(path: KeyPath, entry: PlainMapping, names: FileNames) -> Iterator[Problem]:
    columns, rows = sequence(entry.get("columns")), sequence(entry.get("rows"))
    table = names.tables[str(path[-1])]
    yield from _in_origin(path, entry)
    yield from unknown((*path, "dataset"), entry.get("dataset"), "data set", names.datasets)
    yield from repeated(path, "columns", [column_keys(column).get("id") for column in columns])
    yield from repeated(path, "rows", [mapping(row).get("id") for row in rows])
    for index, column in enumerate(map(column_keys, columns)):
        place = (*path, "columns", index)
        yield from _in_origin(place, column)
        yield from unknown((*place, "dataset"), column.get("dataset"), "data set", names.datasets)
        yield from unknown(
            (*place, "experiment"), column.get("experiment"), "experiment", names.named_experiments
        )
        everywhere = (entry, *map(mapping, rows))
        if column.get("metric") and not any(it.get("dataset") for it in (column, *everywhere)):
            yield Problem(place, "is of no data set; give the table or this column a dataset")
    for index, row in enumerate(rows):
        if isinstance(row, dict):
            yield from _in_row((*path, "rows", index), row, table, len(columns), names)


def _in_origin(path: KeyPath, entry: PlainMapping) -> Iterator[Problem]:
    if entry.get("source") == "copied" and entry.get("from") is None:
        yield Problem((*path, "from"), "a copied row must name its paper; add from: <key of that paper>")
    if entry.get("from") is not None and isinstance(entry.get("source"), str) and entry["source"] != "copied":
        yield Problem((*path, "from"), "only a copied row names a paper; drop it or set source: copied")


def _in_row(
    path: KeyPath, row: PlainMapping, table: TableNames, columns: int, names: FileNames
) -> Iterator[Problem]:
    values = row.get("values")
    if isinstance(values, list) and len(values) != columns:
        held, places = counted(len(values), "value"), counted(columns, "column")
        text = f"holds {held} for {places} ({', '.join(table.columns)})"
        yield Problem((*path, "values"), f"{text}; give one a column, null for a dash")
    yield from _in_origin(path, row)
    yield from unknown((*path, "dataset"), row.get("dataset"), "data set", names.datasets)
    yield from _row_experiments(path, row, table, names)
    if isinstance(row.get("id"), str) and table.rows.get(row["id"]) is row:
        found = [
            problem
            for index, column in enumerate(table.columns)
            for problem in _in_cell((*path, "values", index), table, str(row["id"]), column, names)
        ]
        yield from dict.fromkeys(found)  # what holds for a whole row is said once


def _in_cell(path: KeyPath, table: TableNames, row: str, column: str, names: FileNames) -> Iterator[Problem]:
    cell = table.cell(row, column)
    if cell.printed is None:
        return
    place = path if isinstance(_held(names.content, path), str) else (*path, "printed")
    yield from _in_origin(path, value_keys(_held(names.content, path)))
    read = printed_count if cell.quantity in COUNTS else printed
    if cell.is_number and is_visible(cell.printed) and (why := no_number(cell.printed, read)):
        yield Problem(place, why)
    if cell.is_number and cell.source is None:
        text = "says nowhere whose run it is; give the row, its column or the table a source"
        yield Problem((*path[:-2], "source"), text)
    unit = table.unit_of(row, column)
    if cell.metric and unit not in ("percent", "fraction"):
        text = f"is of a metric, and in {unit!r}; write unit: percent or unit: fraction"
        yield Problem((*path[:2], "unit"), f"{row}.{column} {text}")
    elif cell.metric and unit == "fraction" and cell.printed and no_number(cell.printed) is None:
        for text in (cell.printed, *([cell.sd] if cell.sd and no_number(cell.sd) is None else [])):
            if not 0 <= printed(text).value <= 1:
                yield Problem(
                    place, f"{text!r} is no fraction of 1; write unit: percent where it is one of 100"
                )
    if cell.metric and cell.dataset:
        yield from _other_dataset(path, table.named_experiment(row, column), cell.dataset, names)


def _other_dataset(path: KeyPath, named: str | None, dataset: str, names: FileNames) -> Iterator[Problem]:
    """An experiment on one data set cannot stand behind a number on another."""
    if named is None or named not in names.named_experiments:
        return
    row = _held(names.content, path[:-2])
    by_column = [key for key, name in mapping(row.get("experiments")).items() if name == named]
    if row.get("experiment") == named:
        place: KeyPath = (*path[:-2], "experiment")
    else:
        place = (*path[:-2], "experiments", by_column[0]) if by_column else path
    if named in names.families:
        if dataset not in names.families[named]:
            known = known_names(dataset, names.families[named])
            yield Problem(place, f"experiment {named!r} is not on data set {dataset!r}; {known}")
    elif (ran_on := names.dataset_of(named)) and ran_on != dataset:
        text = f"experiment {named!r} is on data set {ran_on!r}, the number on {dataset!r}"
        yield Problem(place, f"{text}; name an experiment on {dataset!r}")


def _held(content: Plain, path: KeyPath) -> Plain:
    """What stands at `path`; None where the file is shorter."""
    for part in path:
        if isinstance(part, int):
            items = sequence(content)
            content = items[part] if part < len(items) else None
        else:
            content = mapping(content).get(part)
    return content


def _row_experiments(
    path: KeyPath, row: PlainMapping, table: TableNames, names: FileNames
) -> Iterator[Problem]:
    by_column = mapping(row.get("experiments"))
    if row.get("experiment") is not None and row.get("experiments") is not None:
        text = "stands beside experiment; keep experiment for the whole row or experiments by column"
        yield Problem((*path, "experiments"), text)
    for column in by_column:
        yield from unknown((*path, "experiments", column), column, "column", table.columns)
    named = {(*path, "experiment"): row.get("experiment")}
    named |= {(*path, "experiments", column): name for column, name in by_column.items()}
    for index, value in enumerate(map(value_keys, sequence(row.get("values")))):
        named[(*path, "values", index, "experiment")] = value.get("experiment")
    for place, name in named.items():
        yield from unknown(place, name, "experiment", names.named_experiments)


# --------------------------------------------------------------------------- experiments and margins


def _in_experiment(path: KeyPath, entry: PlainMapping, names: FileNames) -> Iterator[Problem]:
    yield from unknown((*path, "dataset"), entry.get("dataset"), "data set", names.datasets)
    for index, name in enumerate(sequence(entry.get("datasets"))):
        yield from unknown((*path, "datasets", index), name, "data set", names.datasets)
    yield from repeated(path, "datasets", sequence(entry.get("datasets")))
    if (entry.get("dataset") is None) == (entry.get("datasets") is None):
        yield Problem((*path, "dataset"), "name the data set in dataset, or several in datasets")
    changes = ("config", "training", "noise", "tuning", "readings")
    given = [key for key in (*_TO_RUN, *changes) if entry.get(key) is not None]
    missing = [key for key in _TO_RUN if key not in given]
    if entry.get("command") is not None:
        for key in (*given, *(["unavailable"] if entry.get("unavailable") is not None else [])):
            yield Problem((*path, key), "stands beside command, which makes the runs; drop one of them")
    elif entry.get("unavailable") is not None:
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
        yield from _in_margin(("margins", name), mapping(margins[name]))
    for path, claim in entries(names.content, "claims"):
        yield from _in_margin((*path, "margin"), mapping(claim.get("margin")))


def _in_margin(path: KeyPath, margin: PlainMapping) -> Iterator[Problem]:
    if margin.get("value") is not None and "rule" not in margin:
        yield Problem((*path, "rule"), "this key is missing; add it, or drop value for the default rules")
    if margin.get("similar") is not None and margin.get("rule") != "paper_yardstick":
        yield Problem((*path, "similar"), "goes with rule: paper_yardstick alone; drop it or set that rule")


def _margin_name(
    name: str, kinds: Mapping[str | None, str], tables: Mapping[str, Plain]
) -> Iterator[Problem]:
    path = ("margins", name)
    name = name.partition(":")[0]  # of one metric
    if name in kinds and (name in tables or name == "default"):
        yield Problem(path, "names both a claim and a table or the default; give the claim another id")
    elif name in kinds and not issubclass(CLAIM_MODELS.get(kinds[name], JudgedByMargin), JudgedByMargin):
        yield Problem(path, f"names a claim of kind {kinds[name]}, which is judged without one; drop it")
    elif name != "default" and name not in tables and name not in kinds:
        offered = [*tables, *(known for known in kinds if known)]
        yield Problem(path, f"names no table and no claim; {known_names(name, offered)}")
