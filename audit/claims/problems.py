"""What pydantic says of a claim file, as sentences that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from audit.claims.schema import PATTERNS, MisfitError
from audit.claims.source import KeyPath, Plain, Problem, Source, short
from audit.json_errors import wanted
from audit.kinds import KINDS
from audit.names import counted, known_names


def sentences(error: ValidationError, paper: type[BaseModel], source: Source) -> Iterator[Problem]:
    """One problem for each complaint that is not the shadow of another."""
    details = error.errors(include_url=False)
    locations = [detail["loc"] for detail in details]
    refused = {problem.path for problem in source.problems}
    for detail in details:
        size = len(detail["loc"])
        if detail["type"] == "too_short" and any(at[:size] == detail["loc"] != at for at in locations):
            continue  # its items were refused one by one
        for path, text in _sentences(detail, paper, source):
            if path not in refused:
                yield Problem(path, text)


def _sentences(
    detail: Mapping[str, Any], paper: type[BaseModel], source: Source
) -> Iterator[tuple[KeyPath, str]]:
    kind, context = detail["type"], detail.get("ctx", {})
    path, missing = _split(detail["loc"], source.content)
    if isinstance(misfit := context.get("error"), MisfitError):
        yield from (((*path, *place), text) for place, text in misfit.problems)
    elif kind == "missing":
        yield (*path, *missing), "this key is missing; add it"
    elif kind == "union_tag_not_found":
        yield (*path, "kind"), f"this key is missing; add it (known kinds: {', '.join(KINDS)})"
    elif kind == "union_tag_invalid":
        yield (*path, "kind"), f"unknown kind {context['tag']!r}; {known_names(context['tag'], KINDS)}"
    elif kind == "extra_forbidden":
        known = _keys_at(paper, path[:-1], source.content)
        yield path, f"unknown key; {known_names(str(path[-1]), known)}"
    else:
        yield path, _about_value(kind, detail["input"], context, source.spelled.get(path))


def _about_value(kind: str, value: Plain, context: Mapping[str, Any], spelled: str | None) -> str:
    """What is wrong with a value, which the file spells as `spelled` where that is no text."""
    names = {type(None): "nothing (null)", dict: "a mapping", list: "a list"}
    quoted = names.get(type(value)) or short(spelled if spelled is not None else repr(value))
    if kind == "string_type" and spelled and isinstance(value, bool | int | float):
        what = "is not text" if isinstance(value, bool) else "is a bare number"
        lost = ": without them 83.50 would be read as 83.5" if isinstance(value, float) else ""
        return f'{quoted} {what}; put it in quotes ("{quoted}"){lost}'
    if kind.endswith("_type") or kind == "finite_number":
        return f"{quoted} is not {wanted(kind)}; write {wanted(kind)}"
    match kind:
        case "value_error":
            return str(context["error"])
        case "greater_than" | "greater_than_equal" | "less_than_equal":
            bounds = {"gt": "above", "ge": "of at least", "le": "of at most"}
            ((key, bound),) = context.items()
            return f"{quoted} is out of range; write a number {bounds[key]} {bound:g}"
        case "literal_error":
            known = re.findall(r"'([^']*)'", context["expected"]) or [str(context["expected"])]
            return f"{quoted} is not known here; {known_names(str(value), known)}"
        case "string_pattern_mismatch":
            form = PATTERNS.get(context["pattern"], f"text that matches {context['pattern']}")
            return f"{short(repr(value))} is not of the right form; write {form}"
        case "string_too_short":
            return "is empty; write text"
        case "too_short" if not value:
            return "is empty; add at least one item"
        case "too_short":
            return f"holds {counted(len(value), 'item')}; name {context['min_length']} or more"
    return f"{quoted} does not belong here; see `audit schema claim`"


def _split(location: Sequence[str | int], content: Plain) -> tuple[KeyPath, KeyPath]:
    """The part of pydantic's location that the file has, and the missing rest.

    Names that pydantic puts between (the kind in a union of kinds, `[key]`) are in no file and fall away.
    """
    path: list[str | int] = []
    missing: list[str | int] = []
    for part in location:
        in_list = isinstance(content, list) and isinstance(part, int) and part < len(content)
        if in_list or (isinstance(content, dict) and part in content):
            content = content[part]
            path.append(part)
        else:
            missing.append(part)
    return tuple(path), tuple(missing[-1:])


def _keys_at(model: type[BaseModel], path: KeyPath, content: Plain) -> list[str]:
    """The keys that the schema knows at `path`: walks the models along the file's keys."""
    for part in path:
        content = content[part]
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        models = list(_models(fields[part].annotation)) if part in fields else []
        model = models[0] if models else model
        if (len(models) > 1 or model in KINDS.values()) and isinstance(content, dict):
            model = KINDS.get(str(content.get("kind")), model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models anywhere within a type such as Mapping[str, Table] or tuple[Row, ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
