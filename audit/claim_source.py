"""A claim file as plain data, with the line on which each key and item stands.

Claim files are data: of YAML 1.2 we take mappings with text keys, lists, text, numbers, true/false and null.
Anchors, aliases, tags and several documents are refused, since a reader with the paper open could not check
them line by line. The parser's events are read in one loop without recursion, so that neither deep nesting
nor repeated aliases can exhaust the machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.errors import ClaimFileError

#: Whatever YAML holds of ours: dict, list, str, int, float, bool, None.
Plain = Any
KeyPath = tuple[str | int, ...]

LIMIT_BYTES = 2_000_000
"""A paper with ten thousand cells takes about a tenth of it."""
LIMIT_DEPTH = 20

_DROPPED: KeyPath = (-1,)
"""Path of what is read past: the value of a key that stood already."""

_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_TRUTH = re.compile(r"true|True|TRUE|false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do, at a place of the file."""

    path: KeyPath
    text: str
    line: int | None = None
    """None: the line of `path`."""


@dataclass
class Source:
    """A claim file that could be read as YAML; `problems` may still be many."""

    name: str
    """The file as the user named it."""
    content: Plain = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    """Line of the key for a mapping's entry, of the item for a list's."""
    spelled: dict[KeyPath, str] = field(default_factory=dict)
    """The characters in the file of each value that YAML does not read as text: `83.50` behind 83.5."""
    problems: list[Problem] = field(default_factory=list)
    unread: set[KeyPath] = field(default_factory=set)
    """Places that are refused as they are written (aliases, tags): what their value lacks is no news."""

    def message(self, problem: Problem) -> str:
        """`file:line: key.path: what, and what to do`."""
        place = f"{shown(problem.path)}: " if problem.path else ""
        return f"{self.name}:{self.line(problem)}: {_printable(place + short(problem.text, 600))}"

    def line(self, problem: Problem) -> int:
        """Line of the problem: of its key, or else of the nearest parent in the file."""
        if problem.line is not None:
            return problem.line
        path = problem.path
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def is_unread(self, path: KeyPath) -> bool:
        return any(path[:size] in self.unread for size in range(1, len(path) + 1))


def shown(path: KeyPath) -> str:
    """`claims[2].where.page`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{short(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def short(text: str, most: int = 80) -> str:
    """The text, cut where it would fill the screen."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _printable(text: str) -> str:
    """The text on one line, with an escape for what a terminal would obey or not show."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def read(path: Path) -> Source:
    """The file's data and lines; raises `ClaimFileError` where no data can be had at all."""
    name = str(path)
    text = _text(path, name)
    source = Source(name)
    try:
        _Builder(source).build(text)
    except _Stop as stop:
        raise ClaimFileError(
            [source.message(problem) for problem in (*source.problems, stop.problem)]
        ) from stop.__cause__
    return source


def _text(path: Path, name: str) -> str:
    """The file's characters. The parser passes over a byte order mark, which some editors write."""
    try:
        if not path.exists():
            raise ClaimFileError([f"{name}: there is no such file; give the path of a claim file"])
        if not path.is_file():
            raise ClaimFileError([f"{name}: is not a file; give the path of one claim file (*.yaml)"])
        with path.open("rb") as stream:
            content = stream.read(LIMIT_BYTES + 1)
    except (OSError, ValueError) as err:  # ValueError: a null character in the name
        reason = getattr(err, "strerror", None) or str(err)
        raise ClaimFileError([f"{name}: cannot be read ({reason}); check the path and its rights"]) from err
    if len(content) > LIMIT_BYTES:
        what = f"is larger than {LIMIT_BYTES:,} bytes"
        raise ClaimFileError([f"{name}:1: {what}; a claim file holds one paper's tables and claims, no data"])
    return _decoded(content, name)


def _decoded(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ClaimFileError([f"{name}:1: is UTF-16; save the file as UTF-8"])
    try:
        return content.decode()
    except UnicodeDecodeError as err:
        line = content.count(b"\n", 0, err.start) + 1
        byte = content[err.start]
        raise ClaimFileError(
            [f"{name}:{line}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"]
        ) from err


class _Stop(Exception):  # noqa: N818 - ends the reading, it is not shown
    def __init__(self, line: int, text: str, path: KeyPath = ()) -> None:
        self.problem = Problem(path, text, line)
        super().__init__(text)


@dataclass
class _Frame:
    """A mapping or list that is being read."""

    path: KeyPath
    container: dict[str, Plain] | list[Plain]
    key: str | None = None
    """Key that waits for its value."""
    key_path: KeyPath = ()


class _Builder:
    """Turns the parser's events into `source.content`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.frames: list[_Frame] = []
        self.documents = 0

    def build(self, text: str) -> None:
        for event in _events(text):
            self._take(event)
        if self.documents == 0 or self.source.spelled.get(()) == "":
            raise _Stop(1, "the file is empty; start it with `format: 1` and `paper:`")
        if not isinstance(self.source.content, dict):
            raise _Stop(1, "the file must hold keys and values; start it with `format: 1` and `paper:`")

    def _take(self, event: Any) -> None:
        kind = type(event).__name__.removesuffix("Event")
        line = event.start_mark.line + 1
        if kind == "Scalar" and _SURROGATE.search(event.value):
            raise _Stop(
                line, r"half a surrogate pair (\ud800 to \udfff) is no character; write the character"
            )
        if kind == "DocumentStart":
            self._document(line)
        elif kind in ("MappingEnd", "SequenceEnd"):
            self.frames.pop()
        elif kind in ("MappingStart", "SequenceStart", "Scalar", "Alias"):
            if self._waits_for_key():
                self._key(event, kind, line)
            else:
                self._value(event, kind, line)

    def _document(self, line: int) -> None:
        self.documents += 1
        if self.documents > 1:
            raise _Stop(line, "a second document starts here (---); one file holds one paper")

    def _waits_for_key(self) -> bool:
        return (
            bool(self.frames) and isinstance(self.frames[-1].container, dict) and self.frames[-1].key is None
        )

    def _key(self, event: Any, kind: str, line: int) -> None:
        frame = self.frames[-1]
        if kind != "Scalar":
            raise _Stop(line, "a key must be text, not a list, mapping or alias; write it out", frame.path)
        self._refuse_anchor_and_tag(event, (*frame.path, event.value), line)
        assert isinstance(frame.container, dict)
        frame.key, frame.key_path = event.value, (*frame.path, event.value)
        if frame.path[:1] == _DROPPED:
            return
        if event.value in frame.container:
            first = self.source.lines[frame.key_path]
            text = f"this key stands twice (first on line {first}); keep one"
            self.source.problems.append(Problem(frame.key_path, text, line))
            frame.key_path = _DROPPED
        else:
            self.source.lines[frame.key_path] = line

    def _value(self, event: Any, kind: str, line: int) -> None:
        path = self._path_of_value(line)
        self._refuse_anchor_and_tag(event, path, line)
        value: Plain = None
        if kind == "Scalar":
            value = self._scalar(event, path, line)
        elif kind in ("MappingStart", "SequenceStart"):
            value = {} if kind == "MappingStart" else []
        self._store(value, path)
        if kind in ("MappingStart", "SequenceStart"):
            self._open(path, value, line)

    def _path_of_value(self, line: int) -> KeyPath:
        if not self.frames:
            return ()
        frame = self.frames[-1]
        if isinstance(frame.container, dict):
            return frame.key_path
        path = _DROPPED if frame.path[:1] == _DROPPED else (*frame.path, len(frame.container))
        self.source.lines.setdefault(path, line)
        return path

    def _store(self, value: Plain, path: KeyPath) -> None:
        if not self.frames:
            self.source.content = value
            return
        frame = self.frames[-1]
        if isinstance(frame.container, list):
            frame.container.append(value)
            return
        assert frame.key is not None
        if path[:1] != _DROPPED:
            frame.container[frame.key] = value
        frame.key = None

    def _open(self, path: KeyPath, container: dict[str, Plain] | list[Plain], line: int) -> None:
        if len(self.frames) == LIMIT_DEPTH:
            raise _Stop(line, f"nested more than {LIMIT_DEPTH} deep; a claim file needs no more than eight")
        self.frames.append(_Frame(path, container))

    def _refuse_anchor_and_tag(self, event: Any, path: KeyPath, line: int) -> None:
        """Notes them; the value is read all the same, so that nothing else is said to be missing."""
        refused = []
        if getattr(event, "anchor", None) is not None:
            alias = type(event).__name__ == "AliasEvent"
            mark = ("the alias *" if alias else "the anchor &") + str(event.anchor)
            refused.append(f"{mark} is not allowed; write the value out")
        if getattr(event, "tag", None) is not None:
            tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
            refused.append(f"the tag {tag} is not allowed; write plain text, numbers, lists and mappings")
        where = () if path[:1] == _DROPPED else path
        self.source.problems += [Problem(where, text, line) for text in refused]
        if refused and where:
            self.source.unread.add(where)

    def _scalar(self, event: Any, path: KeyPath, line: int) -> Plain:
        text: str = event.value
        if event.style is not None:
            return text
        if _NOT_FINITE.fullmatch(text) or (_DECIMAL.fullmatch(text) and math.isinf(float(text))):
            return self._refuse(path, f"{short(text)} is not a finite number; write one", line)
        value = _resolved(text)
        if not isinstance(value, str):
            self.source.spelled[path] = text
        return value

    def _refuse(self, path: KeyPath, text: str, line: int) -> None:
        """Notes that the value at `path` cannot be read."""
        if path[:1] == _DROPPED:
            return
        self.source.problems.append(Problem(path, text, line))
        self.source.unread.add(path)


def _resolved(text: str) -> Plain:
    """A plain scalar by the core schema of YAML 1.2 (section 10.3.2): `yes` is text, `true` is not."""
    if _NULL.fullmatch(text):
        return None
    if _TRUTH.fullmatch(text):
        return text.lower() == "true"
    if _WHOLE.fullmatch(text):
        digits = text.lstrip("+-")
        if digits.startswith(("0o", "0x")):
            return int(digits, 0)
        return int(text) if len(digits) < 300 else float(text)  # int() refuses thousands of digits
    return float(text) if _DECIMAL.fullmatch(text) else text


def _events(text: str) -> Iterator[Any]:
    """The parser's events, its complaints as `_Stop`."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        raise _Stop(mark.line + 1 if mark else 1, _complaint(str(err.problem or err.context))) from err
    except (ValueError, OverflowError) as err:  # of the parser itself, for \U00110000
        line = next((n for n, it in enumerate(text.splitlines(), 1) if _BEYOND.search(it)), 1)
        raise _Stop(line, r"\U stands for no character above 10ffff; write the character itself") from err
    except YAMLError as err:  # a character that YAML does not allow
        position = getattr(err, "position", 0)
        line = text.count("\n", 0, position) + 1
        character = getattr(err, "character", "?")
        code = ord(character) if isinstance(character, str) and len(character) == 1 else character
        raise _Stop(line, f"character {code!r} is not allowed in YAML; remove it") from err


_BEYOND = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")

#: What the parser says -> what is wrong, and what to do, in the words of whoever writes the file.
_COMPLAINTS: Mapping[str, str] = {
    "'\\t'": "a tab stands where text should begin; indent with spaces",
    "cannot start any token": "no text begins with {}; put text that does in quotes",
    "mapping values are not allowed here": (
        "a colon where no key can end; put text that holds a colon and a space in quotes"
    ),
    "unknown escape character": r"\{} stands for nothing; write \\ for a backslash, or use single quotes",
    "<stream end>": "the file ends within a list, a mapping or brackets; close what is open just above",
    "end of stream": "the file ends within quotes; close those that were opened above",
    "document separator": "--- stands within quotes that are open; close them above",
    "<block end>": (
        "the indentation changes in the middle, or text follows a closing quote; indent alike what belongs "
        "together"
    ),
    "expected ',' or": "brackets lack a comma or their end; check them here and just above",
}


def _complaint(problem: str) -> str:
    for sign, words in _COMPLAINTS.items():
        if sign in problem:
            named = re.search(r"character '(.+?)'", problem)
            return f"not readable as YAML: {words.format(named[1] if named else 'this character')}"
    return "not readable as YAML: check indentation, quotes and brackets here and just above"
