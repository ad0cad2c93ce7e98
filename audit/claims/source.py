"""A claim file as plain data, with the line on which each key and item stands.

Claim files are data: of YAML 1.2 we take mappings with text keys, lists, text, numbers, true/false and null.
Anchors, aliases, tags and several documents are refused, since a reader with the paper open could not check
them line by line. libyaml gives the events. Nesting is bounded and aliases are never followed, so that
neither can exhaust the machine.

Free text is one line of characters that a terminal shows and does not obey: an escape in `says` would colour,
move or blank what stands beside it, and a bidirectional control would show the words in another order than
that of the file (Unicode TR 36).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml

from audit.errors import ClaimFileError

#: Whatever YAML holds of ours: dict, list, str, int, float, bool, None.
Plain = Any
KeyPath = tuple[str | int, ...]

LIMIT_BYTES = 2_000_000
"""A paper with ten thousand cells takes about a tenth of it."""
LIMIT_DEPTH = 20
_TOO_DEEP = f"nested more than {LIMIT_DEPTH} deep; a claim file needs no more than eight"

_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_TRUTH = re.compile(r"true|True|TRUE|false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
#: What YAML 1.2 does not allow (section 5.1).
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
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
    return _source(name, _text(path, name))


def plain(text: str) -> Plain:
    """The data of a mapping or list in YAML; raises `ClaimFileError` for what a claim file may not hold."""
    source = _source("text", f"held: {text}")
    if source.problems:
        raise ClaimFileError([source.message(problem) for problem in source.problems])
    return source.content["held"]


def _source(name: str, text: str) -> Source:
    source = Source(name)
    try:
        _Builder(source, _events(text)).build()
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
class _Builder:
    """Turns the parser's events into `source.content`."""

    source: Source
    events: Iterator[Any]

    def build(self) -> None:
        next(self.events)  # the stream begins
        event = next(self.events)
        if isinstance(event, yaml.DocumentStartEvent):
            self.source.content = self._value(next(self.events), ())
            next(self.events)  # the document ends
            event = next(self.events)
        if isinstance(event, yaml.DocumentStartEvent):
            raise _Stop(_line(event), "a second document starts here (---); one file holds one paper")
        if not isinstance(self.source.content, dict):
            lacks = "is empty" if self.source.content is None else "must hold keys and values"
            raise _Stop(1, f"the file {lacks}; start it with `format: 1` and `paper:`")

    def _value(self, event: Any, path: KeyPath) -> Plain:
        if len(path) > LIMIT_DEPTH:
            raise _Stop(_line(event), _TOO_DEEP)
        self._refuse_anchor_and_tag(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        return self._scalar(event, path) if isinstance(event, yaml.ScalarEvent) else None

    def _sequence(self, path: KeyPath) -> list[Plain]:
        items: list[Plain] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            place = (*path, len(items))
            self.source.lines[place] = _line(event)
            items.append(self._value(event, place))
        return items

    def _mapping(self, path: KeyPath) -> dict[str, Plain]:
        held: dict[str, Plain] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                key_is = "a key must be text, not a list, mapping or alias; write it out"
                raise _Stop(_line(event), key_is, path)
            place = (*path, event.value)
            self._refuse_anchor_and_tag(event, place)
            if event.value not in held:
                self.source.lines[place] = _line(event)
                held[event.value] = self._value(next(self.events), place)
                continue
            text = f"this key stands twice (first on line {self.source.lines[place]}); keep one"
            self.source.problems.append(Problem(place, text, _line(event)))
            _Builder(Source(""), self.events)._value(next(self.events), place)  # read past
        return held

    def _refuse_anchor_and_tag(self, event: Any, path: KeyPath) -> None:
        """Notes them; the value is read all the same, so that nothing else is said to be missing."""
        refused = []
        if event.anchor is not None:
            mark = ("the alias *" if isinstance(event, yaml.AliasEvent) else "the anchor &") + event.anchor
            refused.append(f"{mark} is not allowed; write the value out")
        if getattr(event, "tag", None) is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            refused.append(f"the tag {tag} is not allowed; write plain text, numbers, lists and mappings")
        self.source.problems += [Problem(path, text, _line(event)) for text in refused]
        if refused and path:
            self.source.unread.add(path)

    def _scalar(self, event: Any, path: KeyPath) -> Plain:
        text: str = event.value
        if event.style:
            return text
        if _NOT_FINITE.fullmatch(text) or (_DECIMAL.fullmatch(text) and math.isinf(float(text))):
            wrong = f"{short(text)} is not a finite number; write one"
            self.source.problems.append(Problem(path, wrong, _line(event)))
            self.source.unread.add(path)
            return None
        value = _resolved(text)
        if not isinstance(value, str):
            self.source.spelled[path] = text
        return value


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


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
    if bad := _NOT_YAML.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise _Stop(line, f"character {ord(bad[0])!r} is not allowed in YAML; remove it")
    try:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        rest = [*text.split("\n")[mark.line : mark.line + 1], ""][0][mark.column :]
        raise _Stop(mark.line + 1, _complaint(str(err.problem or err.context), rest[:1])) from err


#: What libyaml says -> what is wrong, and what to do, in the words of whoever writes the file.
_COMPLAINTS: Mapping[str, str] = {
    "cannot start any token": "no text begins with {sign}; put text that does in quotes",
    "mapping values are not allowed": (
        "a colon where no key can end; put text that holds a colon and a space in quotes"
    ),
    "unknown escape character": (
        r"the backslash in double quotes begins no character code; write \\ for a backslash, or use single "
        "quotes"
    ),
    "invalid Unicode character": r"\u or \U stands for no character there; write the character itself",
    "unexpected end of stream": "the file ends within quotes; close those that were opened above",
    "unexpected document indicator": "--- stands within quotes that are open; close them above",
    "did not find expected key": (
        "the indentation changes in the middle, or text follows a closing quote; indent alike what belongs "
        "together"
    ),
    "did not find expected '-'": "the indentation changes in the middle; indent alike what belongs together",
    "did not find expected ','": "brackets lack a comma or their end; check them here and just above",
}


def _complaint(problem: str, sign: str) -> str:
    if "nesting depth" in problem:
        return _TOO_DEEP
    if "cannot start any token" in problem and sign == "\t":
        return "not readable as YAML: a tab stands where text should begin; indent with spaces"
    for what, words in _COMPLAINTS.items():
        if what in problem:
            return f"not readable as YAML: {words.replace('{sign}', sign)}"
    return "not readable as YAML: check indentation, quotes and brackets here and just above"


_Plain = TypeVar("_Plain")

#: C0, DEL, C1, line and paragraph separator, bidirectional embeddings, overrides and isolates: the inside
#: of a character class that Python, Rust and ECMAScript read alike.
UNSEEN = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"

_UNSEEN = re.compile(f"[{UNSEEN}]")
_LINE_ENDS = frozenset("\n\v\f\r\x85\u2028\u2029")
_MOST_SHOWN = 5


def visible(text: str) -> str:
    """The text itself; raises `ValueError` naming the characters, escaped, and what to do about them."""
    unseen = list(dict.fromkeys(_UNSEEN.findall(text)))
    if not unseen:
        return text
    shown = ", ".join(ascii(character) for character in unseen[:_MOST_SHOWN])
    more = f" and {len(unseen) - _MOST_SHOWN} more" if len(unseen) > _MOST_SHOWN else ""
    raise ValueError(f"holds {shown}{more}; {_remedy(unseen)}")


def visible_throughout(value: _Plain) -> _Plain:
    """Plain data itself; raises `ValueError` as `visible` does for the first such text or key in it."""
    if isinstance(value, str):
        visible(value)
    elif isinstance(value, Mapping):
        for key, held in value.items():
            visible_throughout(key)
            visible_throughout(held)
    elif isinstance(value, list | tuple):
        for held in value:
            visible_throughout(held)
    return value


def is_visible(text: str) -> bool:
    return _UNSEEN.search(text) is None


def _remedy(unseen: list[str]) -> str:
    if all(character in _LINE_ENDS for character in unseen):
        return "write it on one line, or over several lines of the file after >-"
    if unseen == ["\t"]:
        return "write a blank for the tab"
    return "take out control characters: a terminal obeys or hides them"
