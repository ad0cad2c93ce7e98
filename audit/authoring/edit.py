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
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from audit.authoring.rendered import block, indented, rendered
from audit.authoring.spans import Span, spans
from audit.claim import KnownNames, Paper, load
from audit.claim_source import KeyPath, Plain, shown
from audit.errors import AuditError, ClaimFileError
from audit.files import explained, write

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
