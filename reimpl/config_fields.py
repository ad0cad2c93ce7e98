"""Configurations as plain values, for records and run keys, and what all of them check of their values.

A run's key is a digest of its configuration, so a field that a `Config` gains would give every stored run of
that model another key. Such a field is declared with `later`, and is left out of the values while it is at
its default: runs from before it are found again.

Importing this module does not import torch.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, field, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

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


def is_size(value: object) -> bool:
    """Whether it is a whole number from 1; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def check_sizes(config: Any, *names: str, optional: Collection[str] = ()) -> None:
    """Raises `ConfigError` for a field that is no whole number from 1; those of `optional` may be None."""
    for name in (*names, *optional):
        value = getattr(config, name)
        if not is_size(value) and not (name in optional and value is None):
            null = ", or null for none" if name in optional else ""
            raise ConfigError(f"{name} must be a whole number from 1{null}, not {value!r}")


def check_dropout(config: Any, *names: str) -> None:
    """Raises `ConfigError` for a field that is no share in [0, 1)."""
    for name in names:
        rate = getattr(config, name)
        if not (isinstance(rate, int | float) and 0 <= rate < 1):
            raise ConfigError(f"{name} must be a number in [0, 1), not {rate!r}")


def check_choices(config: Any, *, of: str = "") -> None:
    """Raises `ConfigError`, which begins with `of`, for a field that is none of its choices or no bool.

    A misspelt choice would otherwise build another network, or train in another way, under this name.
    """
    for name, kind in get_type_hints(type(config)).items():
        value = getattr(config, name)
        if get_origin(kind) is Literal and value not in get_args(kind):
            known = ", ".join(map(repr, get_args(kind)))
            raise ConfigError(f"{of}{name} must be one of {known}, not {value!r}")
        if kind is bool and not isinstance(value, bool):
            raise ConfigError(f"{of}{name} must be true or false, not {value!r}")


#: By pydantic's names of errors, without their ends.
_KINDS = {
    "int": "a whole number without quotes, as 10",
    "float": "a number without quotes, as 0.5",
    "bool": "true or false",
    "string": "a text",
    "list": "a list, as [1, 2]",
    "tuple": "a list, as [1, 2]",
    "dict": "keys with values",
}


def wanted(kind: str) -> str:
    """`; give a whole number ...` by pydantic's name of the error, as `int_type`; empty where it says all.

    >>> wanted("bool_type")
    '; give true or false'
    """
    name = kind.removesuffix("_type").removesuffix("_parsing").removesuffix("_from_float")
    return f"; give {_KINDS[name]}" if name in _KINDS else ""


class ChangeError(ConfigError):
    """A change of a named protocol that a claim file asks for, under `training` or `tuning`, and cannot be.

    `key` is the one at fault; None where several do not go together.
    """

    def __init__(self, where: str, key: str | None, why: str) -> None:
        super().__init__(f"{where} key {key!r} {why}" if key else why)
        self.key, self.why = key, why


_Held = TypeVar("_Held")


def with_changes(base: _Held, changes: Mapping[str, Any], where: str) -> _Held:
    """A dataclass with some of its fields changed, as JSON and strict: "16" and true are no numbers.

    Raises `ChangeError` naming the key and the value.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        text = json.dumps({**asdict(base), **changes}, default=str)  # type: ignore[call-overload]
        changed: _Held = TypeAdapter(type(base)).validate_json(text, strict=True)
    except ValidationError as err:
        first = err.errors()[0]
        key = str(first["loc"][0])
        why = f"cannot be {changes.get(key)!r}: {first['msg']}{wanted(first['type'])}"
        raise ChangeError(where, key, why) from err
    except ConfigError as err:
        raise ChangeError(where, None, str(err)) from err
    return changed
