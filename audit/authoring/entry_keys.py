"""The keys of an entry of a claim file as its model has them: read from words, and checked one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from audit.claim_model import Model
from audit.claim_source import Plain, plain
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names

_YES, _NO = ("true", "yes", "y"), ("false", "no", "n")


@dataclass(frozen=True)
class Key:
    """One key of an entry."""

    model: type[Model]
    name: str
    """As the claim file writes it."""
    field: str
    """As the model names it."""
    schema: Mapping[str, Any]
    """Its JSON Schema, with what it refers to written out."""

    @property
    def required(self) -> bool:
        return self.model.model_fields[self.field].is_required()

    @property
    def about(self) -> str:
        """What goes there, from the model's own words."""
        said = self.model.model_fields[self.field].description or ""
        return " ".join(said.split())

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, where there are only some."""
        return tuple(it for schema in self._ways for it in schema.get("enum", ()) if isinstance(it, str))

    @property
    def _ways(self) -> list[Mapping[str, Any]]:
        return list(self.schema.get("anyOf", [self.schema]))

    @cached_property
    def _types(self) -> set[str]:
        return {str(it.get("type", "string" if "enum" in it else "any")) for it in self._ways}

    def value(self, text: str) -> Plain:
        """What the words stand for. Raises `AuditError` where they cannot be of this key's type.

        Lists are written with commas; what has keys of its own as in YAML, `{value: 0.5, why: usual}`.
        """
        if text[:1] in "[{" and self._types & {"array", "object", "any"}:
            value = _from_yaml(self.name, text)
        elif "array" in self._types:
            parts = [it.strip() for it in text.split(",") if it.strip()]
            value = parts[0] if len(parts) == 1 and "string" in self._types else parts
        else:
            value = self._simple(text)
        self._check(value, text)
        return value

    def _simple(self, text: str) -> Plain:
        for kind, read in (("boolean", _truth), ("integer", int), ("number", float)):
            if kind in self._types:
                try:
                    return read(text)
                except ValueError:
                    pass
        return text

    def _check(self, value: Plain, text: str) -> None:
        held = self.model.model_fields[self.field]
        if self.choices and value not in self.choices:
            raise AuditError(
                f"{self.name} {text!r} is not one of its words; {known_names(text, self.choices)}"
            )
        try:
            of: Any = Annotated[held.annotation, *held.metadata] if held.metadata else held.annotation
            TypeAdapter(of).validate_python(value)
        except ValidationError as err:
            why = str(err.errors()[0]["msg"]).removeprefix("Value error, ")
            form = f"; it is: {self.about}" if err.errors()[0]["type"] != "value_error" else ""
            raise AuditError(f"{self.name} {text!r} cannot stand there ({why}){form}") from err


def keys_of(model: type[Model], *, without: Sequence[str] = ()) -> Iterator[Key]:
    """The keys of a model, those that must be there first."""
    schema = model.model_json_schema(by_alias=True)
    names = {held.alias or field: field for field, held in model.model_fields.items()}
    keys = [
        Key(model, name, names[name], _resolved(of, schema.get("$defs", {})))
        for name, of in schema["properties"].items()
        if name not in without
    ]
    yield from sorted(keys, key=lambda it: not it.required)


def pairs(given: Sequence[str], keys: Mapping[str, Key]) -> dict[str, Plain]:
    """`KEY=VALUE` words as keys of an entry. Raises `AuditError` for other keys, and for one given twice."""
    held: dict[str, Plain] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise AuditError(f"--set {text!r}: write KEY=VALUE")
        if name not in keys:
            raise AuditError(f"--set {text!r}: there is no key {name!r} here; {known_names(name, keys)}")
        if name in held:
            raise AuditError(f"--set {name}: it is said twice; say it once, lists with commas")
        held[name] = keys[name].value(value.strip())
    return held


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """With references to definitions written out, one level deep."""
    ways = [_of(it, definitions) for it in schema.get("anyOf", [schema])]
    flat = [inner for it in ways for inner in it.get("anyOf", [it])]
    return {"anyOf": [it for it in flat if it.get("type") != "null"]}


def _of(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = str(schema.get("$ref", ""))
    found: Mapping[str, Any] = definitions.get(reference.rpartition("/")[2], schema)
    return found


def _truth(text: str) -> bool:
    if text.casefold() not in (*_YES, *_NO):
        raise ValueError(text)
    return text.casefold() in _YES


def _from_yaml(name: str, text: str) -> Plain:
    try:
        return plain(text)
    except ClaimFileError as err:
        raise AuditError(f"{name} {text!r} is no YAML; close its brackets and quotes") from err
