"""All that is wrong with a claim file, as sentences that say what to do.

pydantic's complaints come first (`sentences`), then what takes two places of the file to see (`problems`; of
the claims, `audit.claims.links`). `sound_part` is what is left of a file without its entries that are wrong:
enough to look for further problems at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from audit.claims import known as claim_known
from audit.claims import links as claim_links
from audit.claims.known import KnownNames
from audit.claims.names import (
    FileNames,
    PlainMapping,
    TableNames,
    column_keys,
    entries,
    mapping,
    repeated,
    sequence,
    text_or_none,
    unknown,
    value_keys,
)
from audit.claims.schema import PATTERNS, no_number
from audit.claims.source import KeyPath, Plain, Problem, Source, is_visible, short
from audit.claims.specifications import MOST, Limit, how_many
from audit.kinds import CLAIM_MODELS, JudgedByMargin
from audit.names import counted, known_names
from audit.stats.printed import COUNTS, printed, printed_count

#: What each type of error asks for.
_WANTED: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
}

_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("of at least", "ge"),
    "less_than_equal": ("of at most", "le"),
}


def sentences(error: ValidationError, paper: type[BaseModel], source: Source) -> Iterator[Problem]:
    """One problem for each complaint that is not the shadow of another."""
    details = error.errors(include_url=False)
    refused = [it["loc"] for it in details]
    for detail in details:
        path, rest = _split(detail["loc"], source.content)
        if source.is_unread(path):
            continue
        size = len(detail["loc"])
        if detail["type"] == "too_short" and any(it[:size] == detail["loc"] != it for it in refused):
            continue  # its items were refused one by one
        yield _sentence(detail, path, rest, paper, source)


def _sentence(
    detail: Mapping[str, Any], path: KeyPath, rest: KeyPath, paper: type[BaseModel], source: Source
) -> Problem:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return Problem((*path, *rest), "this key is missing; add it")
    if kind == "union_tag_not_found":
        return Problem(
            (*path, "kind"), f"this key is missing; add it (known kinds: {', '.join(CLAIM_MODELS)})"
        )
    if kind == "union_tag_invalid":
        return Problem(
            (*path, "kind"), f"unknown kind {context['tag']!r}; {known_names(context['tag'], CLAIM_MODELS)}"
        )
    if kind == "extra_forbidden":
        known = _keys_at(paper, path[:-1], source.content)
        return Problem(path, f"unknown key; {known_names(str(path[-1]), known)}")
    other = f"{_quoted(value, source.spelled.get(path))} does not belong here; see `audit schema claim`"
    return Problem(path, _about_value(kind, value, context, source.spelled.get(path)) or other)


def _about_value(kind: str, value: Plain, context: Mapping[str, Any], spelled: str | None) -> str | None:
    """What is wrong with a value; None for a kind of error that is not ours."""
    if kind in _WANTED:
        return _wrong_type(_WANTED[kind], value, spelled)
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", context["expected"]) or [str(context["expected"])]
        return f"{_quoted(value, spelled)} is not known here; {known_names(str(value), known)}"
    if kind == "string_pattern_mismatch":
        wanted = PATTERNS.get(context["pattern"], f"text that matches {context['pattern']}")
        return f"{_quoted(value, None)} is not of the right form; write {wanted}"
    if kind == "string_too_short":
        return "is empty; write text"
    if kind == "too_short":
        if not value:
            return "is empty; add at least one item"
        least = context["min_length"]
        return f"holds {counted(len(value), 'item')}; name {least} or more"
    if kind in _BOUNDS:
        relation, bound = _BOUNDS[kind]
        return f"{_quoted(value, spelled)} is out of range; write a number {relation} {context[bound]:g}"
    return None


def _wrong_type(wanted: str, value: Plain, spelled: str | None) -> str:
    if wanted == "text" and isinstance(value, int | float) and not isinstance(value, bool) and spelled:
        lost = ": without them 83.50 would be read as 83.5" if isinstance(value, float) else ""
        return f'{short(spelled)} is a bare number; put it in quotes ("{short(spelled)}"){lost}'
    if wanted == "text" and isinstance(value, bool) and spelled:
        return f'{spelled} is not text; put it in quotes ("{spelled}")'
    return f"{_quoted(value, spelled)} is not {wanted}; write {wanted}"


def _quoted(value: Plain, spelled: str | None) -> str:
    """The value as the file has it, short."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return short(spelled if spelled is not None else repr(value))


def _split(location: Sequence[str | int], content: Plain) -> tuple[KeyPath, KeyPath]:
    """The part of pydantic's location that the file has, and the missing rest.

    Names that pydantic puts between (the kind in a union of kinds, `[key]`) are in no file and fall away.
    """
    path: list[str | int] = []
    missing: list[str | int] = []
    for part in location:
        if _holds(content, part):
            content = content[part]
            path.append(part)
        else:
            missing.append(part)
    return tuple(path), tuple(missing[-1:])


def _holds(content: Plain, part: str | int) -> bool:
    if isinstance(content, list):
        return isinstance(part, int) and part < len(content)
    return isinstance(content, dict) and part in content


def _keys_at(model: type[BaseModel], path: KeyPath, content: Plain) -> list[str]:
    """The keys that the schema knows at `path`: walks the models along the file's keys."""
    for part in path:
        content = content[part]
        field = _fields(model).get(part) if isinstance(part, str) else None
        models = list(_models(field.annotation)) if field else []
        if models:
            model = models[0]
        if len(models) > 1 or model in CLAIM_MODELS.values():
            model = CLAIM_MODELS.get(str(content.get("kind")), model) if isinstance(content, dict) else model
    return list(_fields(model))


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models anywhere within a type such as Mapping[str, Table] or tuple[Row, ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


#: What an experiment must name to be run.
_TO_RUN = ("model", "variant", "protocol", "recipe")


def problems(content: PlainMapping, known: KnownNames | None = None) -> list[Problem]:
    """All problems between the parts of the file, and with the known names; in no particular order."""
    names = FileNames(content)
    found = [*_in_margins(names), *claim_links.problems(names), *reading_problems(names)]
    found += claim_known.unknown_names(names, known) if known else ()
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


def reading_problems(names: FileNames) -> Iterator[Problem]:
    """Choices that set nothing or the same, what is open nowhere or is not there, and too large grids."""
    readings = mapping(names.content.get("readings"))
    there = mapping(readings.get("open"))
    for name, entry in there.items():
        yield from _in_choices(("readings", "open", name, "choices"), mapping(mapping(entry).get("choices")))
    used = set[str]()
    for path, entry in entries(names.content, "experiments"):
        listed = [it for it in sequence(entry.get("readings")) if isinstance(it, str)]
        used.update(listed)
        yield from _readings_of(path, entry, there)
        yield from _too_many(path, listed, there, readings.get("limit"))
    for name in there:
        if name not in used:
            text = "is open in no experiment; name it in the readings of one, or drop it"
            yield Problem(("readings", "open", name), text)


def _in_choices(path: KeyPath, choices: PlainMapping) -> Iterator[Problem]:
    """The first is the experiment itself, and no two are the same."""
    held: dict[str, str] = {}
    for index, (name, choice) in enumerate(choices.items()):
        if not isinstance(choice, Mapping):
            continue  # `audit.claims.schema` says so
        if index == 0 and choice:
            text = "is the default, which is the experiment itself; write {} here, and this choice after it"
            yield Problem((*path, name), text)
            continue
        content = repr(_sorted(choice))
        if content in held:
            text = f"sets the same as choice {held[content]!r}; keep one of them"
            yield Problem((*path, name), text)
        held.setdefault(content, str(name))


def _sorted(value: Plain) -> Plain:
    """The same whatever the order of keys; empty keys set nothing."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value) if value[key] != {}}
    return value


def _readings_of(path: KeyPath, entry: PlainMapping, there: PlainMapping) -> Iterator[Problem]:
    listed = sequence(entry.get("readings"))
    yield from repeated(path, "readings", listed)
    keys: dict[str, str] = {}
    for index, name in enumerate(listed):
        yield from unknown((*path, "readings", index), name, "open choice", there)
        choices = mapping(mapping(there.get(str(name))).get("choices"))
        for key in dict.fromkeys(key for choice in choices.values() for key in _keys(mapping(choice))):
            if keys.setdefault(key, str(name)) != name:
                text = f"{name!r} sets {key}, which {keys[key]!r} sets too; make one open choice of the two"
                yield Problem((*path, "readings", index), text)


def _too_many(path: KeyPath, listed: Sequence[str], there: PlainMapping, limit: Plain) -> Iterator[Problem]:
    held = (mapping(mapping(there.get(name)).get("choices")) for name in dict.fromkeys(listed))
    sizes = [len(choices) for choices in held if choices]
    whole: Limit = "full" if limit == "full" else "one_at_a_time"
    if (number := how_many(sizes, whole)) > MOST:
        text = f"makes {counted(number, 'reading')}, and {MOST} are the most; leave some out"
        advice = ", or set limit: one_at_a_time" if whole == "full" else ""
        yield Problem((*path, "readings"), text + advice)


def _keys(choice: PlainMapping) -> Iterator[str]:
    """`config.pooling`, `training.epochs`, `noise`."""
    for section in ("config", "training"):
        yield from (f"{section}.{key}" for key in mapping(choice.get(section)))
    yield from ("noise",) if choice.get("noise") else ()


#: Lists and mappings of the file whose entries stand by themselves.
_PARTS = (
    "missing",
    "datasets",
    "tables",
    "experiments",
    "margins",
    "supersedes",
    "claims",
    "departures",
)


def within(path: KeyPath, places: Collection[KeyPath]) -> bool:
    """Whether something is wrong at `path` or below it."""
    return any(place[: len(path)] == path for place in places)


def sound_part(content: Plain, wrong: Sequence[KeyPath]) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The file without the entries in which something is wrong, and which of its claims are still there.

    Its format and citation are made up where they are wrong: no margin goes by them.
    """
    kept: dict[str, Any] = {}
    for name in _PARTS:
        part = content.get(name) if isinstance(content, Mapping) else None
        if isinstance(part, Mapping):
            kept[name] = {key: it for key, it in part.items() if not within((name, key), wrong)}
        elif isinstance(part, list):
            kept[name] = [it for k, it in enumerate(part) if not within((name, k), wrong)]
    claims = content.get("claims") if isinstance(content, Mapping) else None
    places = [
        k
        for k, _ in enumerate(claims if isinstance(claims, list) else ())
        if not within(("claims", k), wrong)
    ]
    kept |= {"format": 1, "paper": {"key": "unread", "title": "unread"}}
    return kept, tuple(places)
