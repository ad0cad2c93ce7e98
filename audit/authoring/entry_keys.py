"""The keys of an entry of a claim file as its model has them: read from words, and checked one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from audit.claims.schema import Model
from audit.claims.source import Plain, plain
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names

_TRUTH = {**dict.fromkeys(("true", "yes", "y"), True), **dict.fromkeys(("false", "no", "n"), False)}


@dataclass(frozen=True)
class Key:
    """One key of an entry."""

    name: str
    """As the claim file writes it."""
    field: str
    """As the model names it."""
    info: FieldInfo

    @property
    def required(self) -> bool:
        return self.info.is_required()

    @property
    def about(self) -> str:
        """What goes there, from the model's own words."""
        return " ".join((self.info.description or "").split())

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, where there are only some."""
        return tuple(it for it in _literals(self.info.annotation) if isinstance(it, str))

    def value(self, text: str) -> Plain:
        """What the words stand for. Raises `AuditError` where they cannot be of this key's type.

        Lists are written with commas; what has keys of its own as in YAML, `{value: 0.5, why: usual}`.
        """
        type_of: Any = self.info.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(
            Annotated[type_of, *self.info.metadata] if self.info.metadata else type_of
        )
        first: ValidationError | None = None
        for value in self._candidates(text):
            try:
                # JSON's own types, each as what it is: "5" is no number, and 5 is no text
                adapter.validate_python(value, strict=isinstance(value, int | float) or None)
            except ValidationError as err:
                first = first or err
            else:
                return value
        raise self._refused(text, first)

    def _candidates(self, text: str) -> Iterator[Plain]:
        """All that the words could stand for, the likeliest first."""
        if text[:1] in ("[", "{"):
            with suppress(ClaimFileError):
                yield plain(text)
        if text.casefold() in _TRUTH:
            yield _TRUTH[text.casefold()]
        for kind in (int, float):
            with suppress(ValueError):
                yield kind(text)
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if len(parts) > 1:
            yield parts
        yield text
        yield parts

    def _refused(self, text: str, err: ValidationError | None) -> AuditError:
        if self.choices:
            offer = known_names(text, self.choices)
            return AuditError(f"{self.name} {text!r} is not one of its words; {offer}")
        if text[:1] in ("[", "{"):
            try:
                plain(text)
            except ClaimFileError:
                return AuditError(f"{self.name} {text!r} is no YAML; close its brackets and quotes")
        error = err.errors()[0] if err else {"msg": "", "type": ""}
        why = str(error["msg"]).removeprefix("Value error, ")
        form = f"; it is: {self.about}" if error["type"] != "value_error" else ""
        return AuditError(f"{self.name} {text!r} cannot stand there ({why}){form}")


def keys_of(model: type[Model], *, without: Sequence[str] = ()) -> Iterator[Key]:
    """The keys of a model, those that must be there first."""
    keys = [Key(info.alias or name, name, info) for name, info in model.model_fields.items()]
    yield from sorted((it for it in keys if it.name not in without), key=lambda it: not it.required)


def pairs(given: Sequence[str], keys: Mapping[str, Key]) -> dict[str, Plain]:
    """`KEY=VALUE` words as keys of an entry. Raises `AuditError` for other keys, and for one given twice."""
    entry: dict[str, Plain] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise AuditError(f"--set {text!r}: write KEY=VALUE")
        if name not in keys:
            raise AuditError(f"--set {text!r}: there is no key {name!r} here; {known_names(name, keys)}")
        if name in entry:
            raise AuditError(f"--set {name}: it is said twice; say it once, lists with commas")
        entry[name] = keys[name].value(value.strip())
    return entry


def _literals(annotation: Any) -> Iterator[Any]:
    """The words of `Literal[...]`, also within a union; not those within lists."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_origin(annotation) in (Annotated, None) or type(None) in get_args(annotation):
        for part in get_args(annotation):
            yield from _literals(part)
