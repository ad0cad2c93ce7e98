"""What pydantic says of a claim file, as sentences that say what to do; and what is left without the entries
in which something is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from audit.claims.schema import PATTERNS, MisfitError
from audit.claims.source import KeyPath, Plain, Problem, Source, short
from audit.kinds import CLAIM_MODELS
from audit.names import counted, known_names

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
    told = {it.path for it in source.problems}
    for detail in details:
        size = len(detail["loc"])
        if detail["type"] == "too_short" and any(it[:size] == detail["loc"] != it for it in refused):
            continue  # its items were refused one by one
        for path, text in _sentences(detail, paper, source):
            if path not in told:
                yield Problem(path, text)


def _sentences(
    detail: Mapping[str, Any], paper: type[BaseModel], source: Source
) -> Iterator[tuple[KeyPath, str]]:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    path, rest = _split(detail["loc"], source.content)
    spelled = source.spelled.get(path)
    if isinstance(misfit := context.get("error"), MisfitError):
        for place, text in misfit.problems:
            yield (*path, *place), text
    elif kind == "missing":
        yield (*path, *rest), "this key is missing; add it"
    elif kind == "union_tag_not_found":
        yield (*path, "kind"), f"this key is missing; add it (known kinds: {', '.join(CLAIM_MODELS)})"
    elif kind == "union_tag_invalid":
        yield (*path, "kind"), f"unknown kind {context['tag']!r}; {known_names(context['tag'], CLAIM_MODELS)}"
    elif kind == "extra_forbidden":
        known = _keys_at(paper, path[:-1], source.content)
        yield path, f"unknown key; {known_names(str(path[-1]), known)}"
    else:
        other = f"{_quoted(value, spelled)} does not belong here; see `audit schema claim`"
        yield path, _about_value(kind, value, context, spelled) or other


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


@dataclass(frozen=True)
class SoundPart:
    """A file without the entries in which something is wrong."""

    content: dict[str, Any]
    """Its format and citation are made up: nothing that is looked at goes by them."""
    places: Mapping[str, Sequence[int]]
    """For each list of the file, where those that are left stand in it."""
    absent: frozenset[str]
    """Names of the others, in whatever section."""

    def problems(self, found: Sequence[Problem]) -> Iterator[Problem]:
        """Problems of this part at their places in the file."""
        for it in found:
            section, *rest = it.path
            if rest and isinstance(rest[0], int):
                rest[0] = self.places[str(section)][rest[0]]
            yield replace(it, path=(section, *rest))


def sound_part(content: Plain, wrong: Sequence[KeyPath]) -> SoundPart:
    """What is left, given the places where something is wrong."""
    part: dict[str, Any] = {"format": 1, "paper": {"key": "unread", "title": "unread"}}
    places: dict[str, list[int]] = {}
    absent: set[str] = set()
    broken = {path[:2] for path in wrong}
    for section in ("datasets", "tables", "experiments", "margins", "claims", "departures"):
        entries = content.get(section)
        if isinstance(entries, dict):
            part[section] = {key: it for key, it in entries.items() if (section, key) not in broken}
            absent |= entries.keys() - part[section].keys()
        elif isinstance(entries, list):
            places[section] = [k for k in range(len(entries)) if (section, k) not in broken]
            part[section] = [entries[k] for k in places[section]]
            lost = (it for k, it in enumerate(entries) if k not in places[section] and isinstance(it, dict))
            absent |= {str(it.get("id")) for it in lost}
    if any(path[:1] == ("readings",) for path in wrong):
        absent.add("readings")
    else:
        part["readings"] = content.get("readings")
    return SoundPart(part, places, frozenset(absent))
