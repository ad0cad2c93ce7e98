"""The keys of an entry of a claim file as its model has them, read from words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from audit.claims.schema import Model
from audit.claims.source import Plain, plain
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names


class Keys:
    """The keys of a model, by the names that the claim file has, those that must be there first."""

    def __init__(self, model: type[Model], *, only: Sequence[str] = (), without: Sequence[str] = ()) -> None:
        held = {it.alias or name: it for name, it in model.model_fields.items()}
        order = sorted(only or held, key=lambda name: not held[name].is_required())
        self.fields: dict[str, FieldInfo] = {name: held[name] for name in order if name not in without}

    def about(self, name: str) -> str:
        """What goes there, from the model's own words."""
        return " ".join((self.fields[name].description or "").split())

    def entry(self, given: Mapping[str, str | None]) -> dict[str, Plain]:
        """The values of the words that are given. Raises `AuditError` for a key that there is not."""
        held = {name: text for name, text in given.items() if text}
        for name in held:
            if name not in self.fields:
                raise AuditError(f"there is no key {name!r} here; {known_names(name, self.fields)}")
        return {name: self.value(name, text) for name, text in held.items()}

    def value(self, name: str, text: str) -> Plain:
        """What the words stand for: YAML, the text itself, or a list with commas, whatever the model takes.

        Raises `AuditError` where it takes none.
        """
        info = self.fields[name]
        kind: Any = info.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[kind, *info.metadata] if info.metadata else kind)
        first: ValidationError | None = None
        for value in _meanings(text):
            try:  # JSON's own types, each as what it is: "5" is no number, and 5 is no text
                adapter.validate_python(value, strict=isinstance(value, int | float) or None)
            except ValidationError as err:
                first = first or err
            else:
                return value
        why = str(first.errors()[0]["msg"]).removeprefix("Value error, ") if first else ""
        raise AuditError(f"{name} {text!r} cannot stand there ({why}); it is: {self.about(name)}")


def _meanings(text: str) -> Iterator[Plain]:
    with suppress(ClaimFileError):
        value = plain(text)
        if not isinstance(value, str):  # of a text, YAML would cut off a comment
            yield value
    yield text
    yield [part.strip() for part in text.split(",") if part.strip()]
