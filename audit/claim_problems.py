"""pydantic's complaints about a claim file, as sentences that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from audit.claim_model import PATTERNS
from audit.claim_names import counted
from audit.claim_source import KeyPath, Plain, Problem, Source, short
from audit.kinds import CLAIM_MODELS
from audit.names import known_names

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
    other = f"{_quoted(value, source.spelled.get(path))} does not belong here; see `audit validate --schema`"
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
