"""Errors of data, models and training: one sentence each, saying what, where and what to do. A message names
an option by `option`, and each interface spells it: `column=0` in Python, `--column 0` in a shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

#: Private characters of Unicode, which no message has otherwise.
_OPTION = re.compile("\ue000([a-z_]+)\ue001([^\ue002]*)\ue002")

Spelling = Callable[[str, str], str]
"""Name of an option and its value, which may be empty -> how it is written."""


def option(name: str, value: object = "") -> str:
    """An option, with or without a value, for a message."""
    return f"\ue000{name}\ue001{value}\ue002"


def spelled(text: str, spelling: Spelling) -> str:
    """The message with its options as this interface writes them."""
    return _OPTION.sub(lambda it: spelling(it[1], it[2]), text)


def in_python(name: str, value: str) -> str:
    """As a keyword; only the name if there is no value. A hint (`_name`) is for interfaces that know it."""
    if name.startswith("_"):
        return ""
    return f"{name}={value}" if value else name


class ReimplError(Exception):
    """Base of every error of this package for the user; `message` has its options in the neutral form."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return spelled(self.message, in_python)


class DataError(ReimplError):
    """A corpus, a vector file or a prepared data set that cannot be read; names file and line."""


class ConfigError(ReimplError):
    """An impossible configuration; `place` leads to the key, as in ("base_config", "maps")."""

    def __init__(self, why: str, place: Iterable[str | int] = ()) -> None:
        super().__init__(why)
        self.place = tuple(place)
