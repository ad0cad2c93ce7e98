"""What is sound in a claim file that has problems: enough to look for further ones at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from audit.claim_source import KeyPath, Plain

#: Lists and mappings of the file whose entries stand by themselves.
_PARTS = (
    "missing",
    "datasets",
    "tables",
    "experiments",
    "margins",
    "supersedes",
    "claims",
    "departures",
)


def within(path: KeyPath, places: Collection[KeyPath]) -> bool:
    """Whether something is wrong at `path` or below it."""
    return any(place[: len(path)] == path for place in places)


def sound_part(content: Plain, wrong: Sequence[KeyPath]) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The file without the entries in which something is wrong, and which of its claims are still there.

    Its format and citation are made up where they are wrong: no margin goes by them.
    """
    kept: dict[str, Any] = {}
    for name in _PARTS:
        part = content.get(name) if isinstance(content, Mapping) else None
        if isinstance(part, Mapping):
            kept[name] = {key: it for key, it in part.items() if not within((name, key), wrong)}
        elif isinstance(part, list):
            kept[name] = [it for k, it in enumerate(part) if not within((name, k), wrong)]
    claims = content.get("claims") if isinstance(content, Mapping) else None
    places = [
        k
        for k, _ in enumerate(claims if isinstance(claims, list) else ())
        if not within(("claims", k), wrong)
    ]
    kept |= {"format": 1, "paper": {"key": "unread", "title": "unread"}}
    return kept, tuple(places)
