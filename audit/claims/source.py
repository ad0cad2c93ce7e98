"""A claim file as plain data, with the line of each key and item. Of YAML 1.2 we accept mappings with text
keys, lists, text, numbers, true/false and null; no anchors, aliases or tags. Free text is one line of
characters that a terminal shows and does not obey (Unicode TR 36)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from audit.errors import ClaimFileError
from audit.names import short

Plain = Any  # Whatever YAML holds of ours: dict, list, str, int, float, bool, None.
KeyPath = tuple[str | int, ...]

LIMIT_BYTES = 2_000_000  # A paper with ten thousand cells takes about a tenth of it.
LIMIT_DEPTH = 20
_TOO_DEEP = f"nested more than {LIMIT_DEPTH} deep; a claim file needs no more than eight"

#: Plain scalars by the core schema of YAML 1.2 (section 10.3.2): `yes` is text, `true` is not.
_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_TRUTH = re.compile(r"true|True|TRUE|false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
#: What YAML 1.2 does not allow (section 5.1).
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do, at a place of the file."""

    path: KeyPath
    text: str
    line: int | None = None  # None: the line of `path`.


@dataclass
class Source:
    """A claim file that is valid YAML; it may still have many `problems`."""

    name: str  # The file as the user named it.
    content: Plain = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    """Line of the key for a mapping's entry, of the item for a list's."""
    spelled: dict[KeyPath, str] = field(default_factory=dict)
    """The characters in the file of each value that YAML does not read as text: `83.50` behind 83.5."""
    problems: list[Problem] = field(default_factory=list)
    """What is refused as it is written; its value is read all the same, an alias as null."""

    def message(self, problem: Problem) -> str:
        """`file:line: key.path: what, and what to do`: one line that a terminal shows and does not obey."""
        path = self._written(problem.path)
        place = f"{shown(path)}: " if path else ""
        signs = place + short(problem.text, 600)
        text = "".join(s if s.isprintable() else s.encode("unicode_escape").decode() for s in signs)
        return f"{self.name}:{self.line(problem)}: {text}"

    def _written(self, path: KeyPath) -> KeyPath:
        """Without keys that the file gives only as text: `columns[0]` of a column that is just a metric."""
        here = self.content
        for size, part in enumerate(path):
            if isinstance(here, str):
                return path[:size]
            there = isinstance(here, dict) or (isinstance(here, list) and part in range(len(here)))
            here = (here.get(part) if isinstance(here, dict) else here[part]) if there else None
        return path

    def line(self, problem: Problem) -> int:
        """Line of the problem: of its key, or of the nearest parent in the file."""
        path = problem.path
        while path and path not in self.lines:
            path = path[:-1]
        return problem.line or self.lines.get(path, 1)

    def refusal(self, line: int, text: str, path: KeyPath = ()) -> ClaimFileError:
        return ClaimFileError([self.message(one) for one in (*self.problems, Problem(path, text, line))])


def shown(path: KeyPath) -> str:
    """A path as text: `claims[2].where.page`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{short(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def read(path: Path, content: bytes | None = None) -> Source:
    """The file's data and lines (or those of `content`, in its place). Raises `ClaimFileError`."""
    source = Source(str(path))
    if content is None:
        try:
            with path.open("rb") as stream:
                content = stream.read(LIMIT_BYTES + 1)
        except (OSError, ValueError) as err:  # ValueError: a null character in the name
            reason = getattr(err, "strerror", None) or str(err)
            raise ClaimFileError([f"{path}: {reason}; give the path of a claim file (*.yaml)"]) from err
    if len(content) > LIMIT_BYTES:
        what = f"is larger than {LIMIT_BYTES:,} bytes"
        raise source.refusal(1, f"{what}; a claim file has one paper's tables and claims, no data")
    try:
        content = content.removeprefix(b"\xef\xbb\xbf")  # which some editors write
        text = content.decode()
    except UnicodeDecodeError as err:
        line = content.count(b"\n", 0, err.start) + 1
        what = f"byte 0x{content[err.start]:02x} is not UTF-8; save the file as UTF-8"
        raise source.refusal(line, what) from err
    return _parsed(source, text)


def plain(text: str) -> Plain:
    """The data of a mapping or list in YAML; raises `ClaimFileError` for what a claim file may not hold."""
    source = _parsed(Source("text"), f"text: {text}")
    if source.problems:
        raise ClaimFileError([source.message(problem) for problem in source.problems])
    return source.content["text"]


def _parsed(source: Source, text: str) -> Source:
    if bad := _NOT_YAML.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise source.refusal(line, f"character {ord(bad[0])} is not allowed in YAML; remove it")
    events = yaml.parse(text, Loader=yaml.CSafeLoader)
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and source.content is not None:
                what = "a second document starts here (---); give each paper its own file"
                raise source.refusal(_line(event), what)
            if isinstance(event, yaml.NodeEvent):
                source.content = _value(source, events, event, ())
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        why = f"not readable as YAML ({err.problem or err.context})"
        text = f"{why}; check indentation, quotes and brackets here and just above"
        deep = "nesting depth" in str(err.problem)
        raise source.refusal(mark.line + 1, _TOO_DEEP if deep else text) from err
    if not isinstance(source.content, dict):
        lacks = "is empty" if source.content is None else "must hold keys and values"
        raise source.refusal(1, f"the file {lacks}; start it with `format: 1` and `paper:`")
    return source


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _value(source: Source, events: Iterator[Any], event: Any, path: KeyPath) -> Plain:
    """The value that begins with `event`, read to its end."""
    if len(path) > LIMIT_DEPTH:
        raise source.refusal(_line(event), _TOO_DEEP)
    _refuse_anchor_and_tag(source, event, path)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Plain] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            place = (*path, len(items))
            source.lines[place] = _line(event)
            items.append(_value(source, events, event, place))
        return items
    if isinstance(event, yaml.MappingStartEvent):
        entries: dict[str, Plain] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                what = "a key must be text, not a list, mapping or alias; write it out"
                raise source.refusal(_line(event), what, path)
            place = (*path, event.value)
            _refuse_anchor_and_tag(source, event, place)
            if event.value in entries:
                text = f"this key stands twice (first on line {source.lines[place]}); keep one"
                source.problems.append(Problem(place, text, _line(event)))
            source.lines.setdefault(place, _line(event))
            entries.setdefault(event.value, _value(source, events, next(events), place))
        return entries
    return _scalar(source, event, path) if isinstance(event, yaml.ScalarEvent) else None


def _refuse_anchor_and_tag(source: Source, event: Any, path: KeyPath) -> None:
    if event.anchor is not None:
        mark = ("the alias *" if isinstance(event, yaml.AliasEvent) else "the anchor &") + event.anchor
        source.problems.append(Problem(path, f"{mark} is not allowed; write the value out", _line(event)))
    if getattr(event, "tag", None) is not None:
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        text = f"the tag {tag} is not allowed; write plain text, numbers, lists and mappings"
        source.problems.append(Problem(path, text, _line(event)))


def _scalar(source: Source, event: Any, path: KeyPath) -> Plain:
    text: str = event.value
    value: Plain = text
    if event.style:
        return text
    if _NOT_FINITE.fullmatch(text) or (_DECIMAL.fullmatch(text) and math.isinf(float(text))):
        what = f"{short(text)} is not a finite number; write one"
        source.problems.append(Problem(path, what, _line(event)))
        return None
    if _NULL.fullmatch(text):
        value = None
    elif _TRUTH.fullmatch(text):
        value = text.lower() == "true"
    elif _WHOLE.fullmatch(text) and len(text) < 300:  # int() refuses thousands of digits
        value = int(text, 0) if text.startswith(("0o", "0x")) else int(text)
    elif _DECIMAL.fullmatch(text):
        value = float(text)
    if not isinstance(value, str):
        source.spelled[path] = text
    return value


#: C0, DEL, C1, line and paragraph separator, bidirectional embeddings, overrides and isolates: the inside
#: of a character class that Python, Rust and ECMAScript read alike.
UNSEEN = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_UNSEEN = re.compile(f"[{UNSEEN}]")


def visible(text: str) -> str:
    """The text unchanged; raises `ValueError` with invisible characters, escaped, and what to do."""
    if unseen := list(dict.fromkeys(_UNSEEN.findall(text))):
        named = ", ".join(map(ascii, unseen[:5])) + (" and more" if len(unseen) > 5 else "")
        remedy = (
            "write it on one line, or over several lines of the file after >-"
            if set(unseen) <= set("\n\v\f\r\x85\u2028\u2029")
            else "remove tabs and control characters: a terminal obeys or hides them"
        )
        raise ValueError(f"holds {named}; {remedy}")
    return text


def visible_throughout(value: Plain) -> Plain:
    """Plain data unchanged; raises `ValueError` as `visible` does for the first such text or key in it."""
    if isinstance(value, str):
        visible(value)
    elif isinstance(value, Mapping):
        for pair in value.items():
            visible_throughout(pair)
    elif isinstance(value, list | tuple):
        for item in value:
            visible_throughout(item)
    return value


def is_visible(text: str) -> bool:
    return _UNSEEN.search(text) is None
