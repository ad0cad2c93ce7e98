"""Text from outside, made fit to be shown: nothing invisible steers the page, nothing is dropped silently."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from reports import digits

#: Control characters, direction overrides and isolates, and halves of surrogate pairs. Plain direction marks
#: (U+200E, U+200F, U+061C) belong to honest Hebrew and Arabic and only act on their neighbours: they stay.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 60


def visible(text: str) -> str:
    r"""`text` with every steering character written out, e.g. a direction override as `\u202e`.

    An override would turn round the text around it, a lone surrogate could not be written to a file at all.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, the last an ellipsis where something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def slug(text: str) -> str:
    """A fragment for deep links: lower case, `P@1` as `p1`, hyphens for the rest.

    Long texts, and texts that keep no letter, end in a digest of the whole, so that two do not share one.

    >>> slug("sweep-ruins-kim:P@1")
    'sweep-ruins-kim-p1'
    """
    plain = _NOT_SLUG.sub("-", text.lower().replace("@", "")).strip("-")
    if plain and len(plain) <= _SLUG_LENGTH:
        return plain
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[:_SLUG_LENGTH]}-{mark}".lstrip("-")


def moment(iso: str) -> str:
    """`2026-03-01T12:00:30.123+00:00` as `2026-03-01 12:00 UTC`; anything else as it is."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?", iso)
    if found is None:
        return iso
    zone = {"Z": " UTC", "+00:00": " UTC", None: ""}.get(found[3], f" {found[3]}")
    return f"{found[1]} {found[2]}{zone}"


def plural(number: int, noun: str) -> str:
    """`1 claim`, `1,204 claims`"""
    return f"{digits.count(number)} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str], *, word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`"""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def capital(text: str) -> str:
    """The first letter large; the rest as it is."""
    return text[:1].upper() + text[1:]


def line(text: str) -> str:
    """Text from outside on one line, with what would steer its neighbours written out."""
    return " ".join(visible(text).split())


class View(SimpleNamespace):
    """What a template shows, by name: texts that are ready, and the views of its parts."""

    def but(self, **others: Any) -> View:
        """The same with some values changed."""
        return View(**{**vars(self), **others})
