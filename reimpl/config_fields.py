"""Configurations as plain values, for records and run keys, and what all of them check of their values. A
field that comes after runs were stored is declared with `later` and left out of the values while at its
default, so that stored runs of that model keep their keys."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, field, fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from reimpl.errors import ConfigError

_LATER = "later"


def later(default: Any) -> Any:
    """Default of a dataclass field that came after runs were stored: that which those runs had."""
    return field(default=default, metadata={_LATER: True})


def as_dict(config: Any) -> dict[str, Any]:
    """The fields of a `Config`, without those of `later` that are at their default."""
    idle = {
        it.name for it in fields(config) if _LATER in it.metadata and getattr(config, it.name) == it.default
    }
    return {name: value for name, value in asdict(config).items() if name not in idle}


def as_json(value: Any) -> Any:
    """As JSON holds it: tuples are lists."""
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def is_whole(value: object, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check(config: Any, *, of: str = "", from_zero: Collection[str] = ()) -> None:
    """Raises `ConfigError`, which begins with `of`, for a value that its annotation does not allow, a whole
    number below 1 (0 for `from_zero`), a rate of dropout outside [0, 1). A list of whole numbers becomes a
    tuple."""
    for name, annotation in get_type_hints(type(config)).items():
        value = getattr(config, name)
        union = get_origin(annotation) in (Union, UnionType)
        kinds = get_args(annotation) if union else (annotation,)
        choices = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
        least, wrong = 0 if name in from_zero else 1, ""
        if (value is None and NoneType in kinds) or (isinstance(value, str) and value in choices):
            continue
        if int in kinds and not is_whole(value, least):
            null = ", or null for none" if NoneType in kinds else ""
            wrong = f"a whole number from {least}{null}"
        elif bool in kinds and not isinstance(value, bool):
            wrong = "true or false"
        elif tuple[int, ...] in kinds:
            if not (isinstance(value, list | tuple) and all(is_whole(number, least) for number in value)):
                wrong = f"a list of whole numbers from {least}"
            object.__setattr__(config, name, tuple(value) if isinstance(value, list) else value)
        elif choices and int not in kinds and (float not in kinds or isinstance(value, str)):
            wrong = f"{'a number or ' * (float in kinds)}one of {', '.join(map(repr, choices))}"
        elif name.startswith("dropout") and not (isinstance(value, int | float) and 0 <= value < 1):
            wrong = "a number in [0, 1)"
        if wrong:
            raise ConfigError(f"{of}{name} must be {wrong}, not {value!r}")


def from_json(kind: type, values: Mapping[str, Any], where: str) -> Any:
    """The dataclass of these values, strict: "16" and true are no numbers. Raises `ConfigError` naming the
    key."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"{where} key {place!r}: {first['msg']}, not {first['input']!r}", first["loc"]
        ) from err


class ChangeError(ConfigError):
    """A change of a named protocol that cannot be; `key` is the one at fault, if it is one."""

    def __init__(self, where: str, key: str | None, why: str) -> None:
        super().__init__(f"{where} key {key!r} {why}" if key else why)
        self.key, self.why = key, why


_Base = TypeVar("_Base")


def with_changes(base: _Base, changes: Mapping[str, Any], where: str) -> _Base:
    """A dataclass with some of its fields changed. Raises `ChangeError` naming the key and the value."""
    try:
        changed: _Base = from_json(type(base), {**asdict(base), **changes}, where)  # type: ignore[call-overload]
    except ConfigError as err:
        key = str(err.place[0]) if err.place else None
        value = repr(changes.get(str(key)))
        why = str(err).partition(": ")[2].replace(f", not {value}", "", 1)
        raise ChangeError(where, key, f"cannot be {value}: {why}" if key else str(err)) from err
    return changed
