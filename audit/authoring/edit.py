"""Changes to a claim file that leave every other character of it alone.

    file = ClaimFile.open(Path("claims/chen2022.yaml"))
    file.put(("tables", "t9"), {"where": {"label": "Table 9"}, ...})
    file.append(("claims",), {"id": "a", "kind": "value", ...})
    file.replace(("tables", "t9", "transcription", "verified_by"), "A. Reader")
    print(file.diff())
    file.save()

What is new is rendered as YAML and set into the text where the parser says that its neighbours end: to dump
the whole file anew would lose its comments. The loader reads the new text before it replaces the old one.
"""

from __future__ import annotations

import difflib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from audit.claim import KnownNames, Paper, load
from audit.claim_source import KeyPath, Plain, shown
from audit.errors import AuditError, ClaimFileError
from audit.files import explained, write


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


#: A mapping or list of this many characters still stands on one line.
ONE_LINE = 110


def rendered(value: Plain, *, flow: bool = False) -> str:
    """YAML text of plain data, without a line end after it; with `flow`, on one line.

    Text that could be read as anything else is quoted: printed numbers stay the strings they are.
    """
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, dict | list | tuple):
        return json.dumps(value)
    if flow or _is_short(value):
        if isinstance(value, dict):
            held = (f"{_text(str(key))}: {rendered(it, flow=True)}" for key, it in value.items())
            return f"{{{', '.join(held)}}}"
        return f"[{', '.join(rendered(it, flow=True) for it in value)}]"
    if isinstance(value, dict):
        return "\n".join(_entry(_text(str(key)), it) for key, it in value.items())
    return "\n".join("  - " + indented(rendered(it), 4)[4:] for it in value)


def _entry(key: str, value: Plain) -> str:
    text = rendered(value)
    on_line = not isinstance(value, dict | list | tuple) or text[:1] in "[{"
    by = 0 if isinstance(value, list | tuple) else 2  # a list is indented as it is rendered
    return f"{key}: {text}" if on_line else f"{key}:\n{indented(text, by)}"


def block(held: Plain) -> str:
    """One entry of a mapping or list on lines of its own, its value in whatever way reads best."""
    if isinstance(held, dict):
        return "\n".join(_entry(_text(str(key)), it) for key, it in held.items())
    return "\n".join("- " + indented(rendered(it), 2)[2:] for it in held)


def indented(text: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else line for line in text.split("\n"))


def _text(text: str) -> str:
    """Quoted where YAML could take it for something else, or where brackets around it could."""
    plain = text.replace("@", "").replace("-", "").replace("_", "")
    words = plain.replace(" ", "").replace(".", "")
    safe = words.isalnum() and text[0].isalpha() and text.isascii() and text == text.strip()
    reserved = text.casefold() in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    if safe and not reserved:
        return text
    quoted: str = yaml.dump(text, default_style='"', allow_unicode=True, width=float("inf"))
    return quoted.rstrip("\n")


def _is_short(value: Plain) -> bool:
    """Whether it reads well on one line: no nested lists of mappings, and not long."""
    if isinstance(value, dict | list | tuple) and not value:
        return True
    held = list(value.values()) if isinstance(value, dict) else list(value)
    deep = any(isinstance(it, dict) and any(isinstance(x, dict | list) for x in it.values()) for it in held)
    return not deep and _length(value) <= ONE_LINE


def _length(value: Plain) -> int:
    if isinstance(value, dict):
        return sum(len(str(key)) + 4 + _length(held) for key, held in value.items())
    if isinstance(value, list | tuple):
        return sum(2 + _length(held) for held in value)
    return len(str(value)) + 2


#: What a claim file begins with for editors that know the schema of YAML files.
SCHEMA_LINE = "# yaml-language-server: $schema="


@dataclass
class ClaimFile:
    """A valid claim file and the changes that are to be made to it; nothing is written before `save`."""

    path: Path
    paper: Paper
    """As it was read."""
    old: str
    """Its text as it was read."""
    known: KnownNames | None = None
    text: str = field(default="")
    """Its text with the changes so far."""

    @classmethod
    def open(cls, path: Path, *, known: KnownNames | None = None) -> ClaimFile:
        """Read a file that is to be changed. Raises `ClaimFileError` with all that is wrong in it already."""
        paper = load(path, known=known)
        with explained(path):
            text = path.read_bytes().decode()
        return cls(path, paper, text, known, text)

    # ------------------------------------------------------------------ the changes

    def put(self, place: KeyPath, value: Plain) -> None:
        """Add a key with its value. Raises `AuditError` where the key stands already: nothing is replaced.

        The mapping that is to hold it is there already, or is a part of the file (`tables`, `claims`, ...).
        """
        self._change(lambda editor: editor.put(place, value))

    def append(self, place: KeyPath, item: Plain) -> None:
        """Add an item to the end of the list at `place`."""
        self._change(lambda editor: editor.append(place, item))

    def replace(self, place: KeyPath, value: Plain) -> None:
        """Write another value under a key that is there, or for an item of a list."""
        self._change(lambda editor: editor.replace(place, value))

    def _change(self, change: Callable[[_Editor], str]) -> None:
        mark = "\ufeff" if self.text.startswith("\ufeff") else ""
        text = self.text.removeprefix(mark)
        windows = "\r\n" in text
        changed = change(_Editor(text.replace("\r\n", "\n"), str(self.path)))
        self.text = mark + (changed.replace("\n", "\r\n") if windows else changed)

    # ------------------------------------------------------------------ the result

    def diff(self) -> str:
        """The changes as a unified diff, for a person to look at; empty where there are none."""
        old, new = (it.replace("\r\n", "\n").splitlines() for it in (self.old, self.text))
        lines = difflib.unified_diff(old, new, str(self.path), f"{self.path} (new)", lineterm="")
        return "\n".join(lines)

    def check(self) -> Paper:
        """The new text by the loader, before it is written.

        Raises `ClaimFileError`: the loader's lines, which count in the new text, after one that says so.
        """
        return checked(self.path, self.text, known=self.known)

    def save(self) -> Paper:
        """Check, and put the new text in the place of the old one, in one step.

        Raises `ClaimFileError` as `check` does, and `AuditError` where another program changed the file.
        """
        paper = self.check()
        with explained(self.path):
            if self.path.read_bytes() != self.old.encode():
                raise AuditError(
                    f"{self.path}: it was changed by another program meanwhile; give the command again"
                )
            write(self.path.resolve(), self.text.encode())
        self.old = self.text
        return paper


def checked(path: Path, text: str, *, known: KnownNames | None = None) -> Paper:
    """The paper that `text` holds as the content of `path`, read by the loader from a file beside it."""
    trial = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with explained(path):
            trial.write_bytes(text.encode())
        return load(trial, known=known)
    except ClaimFileError as err:
        lines = [f"{path}{line.removeprefix(str(trial))}" for line in err.problems]
        first = f"{path}: not changed, since it would not be valid then; the lines are those it would have"
        raise ClaimFileError([first, *lines]) from err
    finally:
        with suppress(OSError):
            trial.unlink(missing_ok=True)


def create(path: Path, text: str, *, known: KnownNames | None = None) -> Paper:
    """Write a new claim file that the loader takes. Raises `AuditError` where there is a file already."""
    if path.exists() or path.is_symlink():
        raise AuditError(f"{path}: there is such a file, and it is kept; choose another name")
    paper = checked(path, text, known=known)
    trial = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    with explained(path):
        write(trial, text.encode())
        try:
            os.link(trial, path)  # fails where a file came to be meanwhile, which a rename would replace
        except FileExistsError as err:
            raise AuditError(f"{path}: there is such a file, and it is kept; choose another name") from err
        finally:
            trial.unlink(missing_ok=True)
    return paper


# --------------------------------------------------------------------------- text


class _Editor:
    """One change to a text with line ends \\n."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text if text.endswith("\n") else text + "\n"
        self.name = name
        self.spans = spans(self.text)

    def put(self, place: KeyPath, value: Plain) -> str:
        *above, key = place
        if place in self.spans:
            raise AuditError(
                f"{self.name}: {shown(place)} is there already, and is kept; choose another name"
            )
        if not above:
            return self._new_part(str(key), value)
        if len(above) == 1 and tuple(above) not in self.spans:
            return self._new_part(str(above[0]), {key: value})
        return self._into(self._held(tuple(above)), {key: value})

    def append(self, place: KeyPath, item: Plain) -> str:
        if len(place) == 1 and place not in self.spans:
            return self._new_part(str(place[0]), [item])
        return self._into(self._held(place), [item])

    def replace(self, place: KeyPath, value: Plain) -> str:
        span = self._held(place)
        if span.flow:
            blank = " " if span.start == span.end else ""
            return self._with(span.start, span.end, blank + rendered(value, flow=True))
        column = span.start - self._line_start(span.start)
        if not isinstance(value, dict | list | tuple):
            raise AuditError(f"{self.name}: {shown(place)} holds several lines; replace them one by one")
        return self._with(span.start, span.end, indented(block(value), column).lstrip(" "))

    def _held(self, place: KeyPath) -> Span:
        if place not in self.spans:
            raise AuditError(f"{self.name}: there is no {shown(place)}; add it first")
        return self.spans[place]

    def _into(self, span: Span, held: Plain) -> str:
        """With one more entry at the end of a mapping or list."""
        if span.flow and not span.children:
            comment = self.text.find("\n", span.end)
            lines = indented(block(held), span.key_column + 2)
            head = self.text[: span.start].rstrip(" ") + self.text[span.end : comment]
            return f"{head}\n{lines}{self.text[comment:]}"
        if span.flow:
            inner = rendered(held, flow=True)[1:-1]
            end = self._end_of_last(span)
            return self._with(end, end, f", {inner}")
        column = span.start - self._line_start(span.start)
        line_end = self.text.find("\n", max(span.end - 1, span.start))
        return self._with(line_end, line_end, "\n" + indented(block(held), column))

    def _end_of_last(self, span: Span) -> int:
        path = next(path for path, it in self.spans.items() if it is span)
        return self.spans[(*path, span.children[-1])].end

    def _new_part(self, name: str, value: Plain) -> str:
        """A part of the file, after the last of those that the schema has before it."""
        order = list(Paper.model_fields)
        before = [it for it in order[: order.index(name)] if (it,) in self.spans]
        end = self.text.find("\n", self.spans[(before[-1],)].end - 1)
        return self._with(end, end, f"\n\n{block({name: value})}")

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _with(self, start: int, end: int, new: str) -> str:
        return self.text[:start] + new + self.text[end:]
