"""Where each value of a claim file stands in its text, from the parser's own marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from audit.claim_source import KeyPath


@dataclass
class Span:
    """One value: `text[start:end]`, without the comments and empty lines behind it."""

    start: int
    end: int
    flow: bool
    """Written on the spot: a scalar, or a list or mapping in brackets."""
    children: list[str | int] = field(default_factory=list)
    """Keys or numbers of what it holds, in order."""
    key_column: int = 0
    """Column of its own key; for an item of a list, of the item."""


def spans(text: str) -> dict[KeyPath, Span]:
    """The span of every value by its path. `text` is valid YAML without aliases, as a claim file is."""
    found: dict[KeyPath, Span] = {}
    for path, span in _walk(text):
        found[path] = span
    for path in sorted(found, key=len, reverse=True):  # what holds others ends where the last of them does
        span = found[path]
        if span.children and not span.flow:
            span.end = found[(*path, span.children[-1])].end
    return found


@dataclass
class _Open:
    path: KeyPath
    span: Span
    mapping: bool
    key: Any = None


def _walk(text: str) -> Iterator[tuple[KeyPath, Span]]:
    stack: list[_Open] = []
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        kind = type(event).__name__.removesuffix("Event")
        if kind in ("MappingEnd", "SequenceEnd"):
            closed = stack.pop()
            if closed.span.flow:
                closed.span.end = event.end_mark.index
        elif kind in ("MappingStart", "SequenceStart", "Scalar"):
            if stack and stack[-1].mapping and stack[-1].key is None:
                stack[-1].key = event
                continue
            key_end = _after_key(text, stack[-1].key) if stack and stack[-1].mapping else 0
            path, column = _place(stack, event)
            flow = kind == "Scalar" or bool(event.flow_style)
            start, end = event.start_mark.index, event.end_mark.index
            if (
                kind == "Scalar" and start == end
            ):  # nothing stands there: the parser's mark is that of what comes next
                start = end = key_end
            elif kind == "Scalar" and event.style in ("|", ">"):
                end = len(text[:end].rstrip())
            span = Span(start, end, flow, key_column=column)
            yield path, span
            if kind != "Scalar":
                stack.append(_Open(path, span, kind == "MappingStart"))


def _after_key(text: str, key: Any) -> int:
    """Behind the colon of a key."""
    return text.index(":", key.end_mark.index) + 1


def _place(stack: list[_Open], event: Any) -> tuple[KeyPath, int]:
    """Path of the value that begins, and the column of its key; the key is used up."""
    if not stack:
        return (), 0
    parent = stack[-1]
    if not parent.mapping:
        number = len(parent.span.children)
        parent.span.children.append(number)
        return (*parent.path, number), event.start_mark.column
    key, parent.key = parent.key, None
    parent.span.children.append(key.value)
    return (*parent.path, key.value), key.start_mark.column
