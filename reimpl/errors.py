"""Errors of data, models and training: one sentence each, saying what, where and what to do. A message names
an option by `option`, and each interface spells it: `column=0` in Python, `--column 0` in a shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

#: Longer lists of names, and ones of more characters, help nobody.
SHOWN, LONGEST = 12, 200
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


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The one that `name` begins, or else one that is spelled much like it, whatever the case."""
    from difflib import get_close_matches  # needed only once something is wrong

    folded = {other.casefold(): other for other in reversed(names)}
    begun = [other for other in folded if name and other.startswith(name.casefold())]
    close = begun[-1:] or get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def known_names(name: str, names: Iterable[str]) -> str:
    """What to offer for a name that is not among `names`: `did you mean 'P@1'? Known: P@1, P@3`."""
    names = list(dict.fromkeys(names))
    if not names:
        return "none is known"
    ends = accumulate(len(other) + 2 for other in names[:SHOWN])
    close, listed = nearest(name, names), first_of(names, max(1, sum(end < LONGEST for end in ends)))
    return f"did you mean {close!r}? Known: {listed}" if close else f"known: {listed}"


def first_of(names: Sequence[str], most: int = 1) -> str:
    """`a`, `a and 2 more`; with `most` 2: `a, b and 1 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


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
