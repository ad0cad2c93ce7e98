"""Text from outside, made fit to be shown: nothing invisible steers the page, nothing is dropped silently."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

from reports import numbers

#: Control characters, direction overrides and isolates, and halves of surrogate pairs. Plain direction marks
#: (U+200E, U+200F, U+061C) belong to honest Hebrew and Arabic and only act on their neighbours: they stay.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_SLUG_LENGTH = 60

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


class View(SimpleNamespace):
    """What a template shows, by name."""

    def but(self, **others: Any) -> View:
        """The same with some values changed."""
        return View(**{**vars(self), **others})


def visible(text: str) -> str:
    r"""`text` with every steering character written out, e.g. a direction override as `\u202e`.

    An override would turn round the text around it, a lone surrogate could not be written to a file at all.
    """
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def line(text: str, limit: int | None = None) -> str:
    """Text from outside on one line, with what would steer its neighbours written out, cut to `limit`."""
    whole = " ".join(visible(text).split())
    return whole if limit is None else shortened(whole, limit)


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, the last an ellipsis where something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def slug(text: str) -> str:
    """A fragment for deep links: lower case, `P@1` as `p1`, hyphens for the rest. Long texts, and texts that
    keep no letter, end in a digest of the whole, so that two do not share one."""
    plain = re.sub("[^a-z0-9]+", "-", text.lower().replace("@", "")).strip("-")
    if plain and len(plain) <= _SLUG_LENGTH:
        return plain
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[:_SLUG_LENGTH]}-{mark}".lstrip("-")


def unique_slugs(prefix: str, ids: Iterable[str]) -> dict[str, str]:
    """A fragment for each id; a second id with the same fragment gets `-2`, and so on."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for key in dict.fromkeys(ids):
        stem = name = f"{prefix}-{slug(key)}"
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        slugs[key] = name
    return slugs


def moment(iso: str) -> str:
    """`2026-03-01T12:00:30.123+00:00` as `2026-03-01 12:00 UTC`; anything else as it is."""
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?", iso)
    if parts is None:
        return iso
    zone = {"Z": " UTC", "+00:00": " UTC", None: ""}.get(parts[3], f" {parts[3]}")
    return f"{parts[1]} {parts[2]}{zone}"


def plural(number: int, noun: str) -> str:
    """`1 claim`, `1,204 claims`"""
    return f"{numbers.count(number)} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str], *, word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`"""
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def quoted(names: Iterable[str]) -> list[str]:
    """Names as they stand within a sentence."""
    return [f"“{name}”" for name in names]


def capital(text: str) -> str:
    """The first letter large; the rest as it is."""
    return text[:1].upper() + text[1:]


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """The items by key, in the order in which each key first appears."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def joined(*parts: object, by: str = " ") -> str:
    """Those parts that are there."""
    return by.join(str(part) for part in parts if part)
