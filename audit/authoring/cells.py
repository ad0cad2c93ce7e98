"""What one cell of a table says: a number with its spread and marks, a dash, text, or what cannot be told.

A printed number stays the string that it is. What could be read in two ways is `unclear`, with the reason:
decimal commas, two numbers, numbers in brackets. `Reading` says how the user wants those to be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.authoring.raw import LOWERED, RAISED, STRUCK, Kind, Run
from audit.claim_text import is_visible
from audit.stats.printed import printed

Decimal = Literal["point", "comma"]
Beside = Literal["sd", "mark"]

#: Why a cell with control characters is unclear.
UNSEEN = "holds characters that are not seen, or turn text round; take them out"

#: No number with all that may stand beside it is longer.
_LONGEST = 200
_SIGNS = "-+\N{MINUS SIGN}\N{EN DASH}"
_THIN = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
STARS = "*†‡§¶#★☆⋆↑↓▲▼△▽◦•✓^°"
_NUMBER = rf"[{_SIGNS}]?\s?(?:[0-9][0-9.,'’{_THIN}]*|[.,][0-9]+)\s?%?"
_CELL = re.compile(
    rf"(?P<before>[{re.escape(STARS)}\s]*)(?P<value>{_NUMBER})\s*"
    rf"(?:(?:±|\+/?[-\N{{MINUS SIGN}}])\s*(?P<sd>{_NUMBER}))?\s*"
    rf"(?:(?P<beside>[(\[][^()\[\]]*[)\]]))?(?P<after>[{re.escape(STARS)}\s]*)"
)
_DASH = re.compile(r"[-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}–—―−_]{1,4}|n/?a\.?|/", re.IGNORECASE)
_SEVERAL = re.compile(rf"{_NUMBER}(?:\s*[/|;&]\s*|\s+){_NUMBER}.*")
#: Units of time and of memory; 200K and 300d are parts of names.
_WITH_UNIT = re.compile(
    rf"(?P<value>{_NUMBER})\s?(?P<unit>ms|s|secs?\.?|seconds?|m|mins?\.?|minutes?|h|hrs?\.?|hours?|[kKMGT]i?B)"
)
_GROUPED = re.compile(rf"[1-9][0-9]{{0,2}}(?:[{_THIN}'’][0-9]{{3}})+(?![0-9])")
_RAISED_MARK = re.compile(rf"[{re.escape(STARS)},a-zA-Z\s]{{1,12}}")


@dataclass(frozen=True)
class Reading:
    """How to read what has two readings; None: as neither, it is told."""

    decimal: Decimal | None = None
    beside: Beside | None = None
    """What a number in brackets, or a small one below or above the line, is: a spread, or a mark."""


@dataclass(frozen=True)
class Said:
    """What a cell says; the fields are those of `audit.authoring.raw.RawCell`."""

    kind: Kind
    value: str | None = None
    sd: str | None = None
    marks: tuple[str, ...] = ()
    why: str | None = None
    with_unit: tuple[str, str] | None = None


class _UnclearError(ValueError):
    """The message says why."""


def said(runs: Sequence[Run], reading: Reading) -> Said:
    """What the cell with these characters says."""
    text = " ".join("".join(run.text for run in runs).split())
    if not is_visible(text) or any(unicodedata.category(it) in ("Cc", "Cf") for it in text):
        return Said("unclear", why=UNSEEN)
    if not text:
        return Said("empty")
    if _DASH.fullmatch(text):
        return Said("dash")
    if len(text) > _LONGEST or not any(it.isdigit() for it in text):
        return Said("text")
    try:
        return _number(runs, reading)
    except _UnclearError as err:
        return Said("unclear", why=str(err))


def _number(runs: Sequence[Run], reading: Reading) -> Said:
    line, styles, raised = _on_the_line(runs)
    if not (match := _CELL.fullmatch(line)):
        return _with_unit(line, bool(raised), reading) or _no_number(line, bool(raised))
    marks = [*_styled(styles[match.start("value") : match.end("value")], match["value"])]
    marks += [*match["before"].split(), *match["after"].split()]
    value, sd = _spelled(match["value"], reading), match["sd"] and _spelled(match["sd"], reading)
    beside = [match["beside"][1:-1].strip()] if match["beside"] else []
    beside += [it.strip("()[] ") for it, low in raised if low or not _RAISED_MARK.fullmatch(it)]
    marks += [it for text, low in raised if not low and _RAISED_MARK.fullmatch(text) for it in _parts(text)]
    for text in beside:
        if reading.beside is None:
            raise _UnclearError(f"has {text!r} beside the number; say --beside sd or --beside mark")
        if reading.beside == "mark":
            marks.append(text.replace(" ", "_"))
        elif sd is not None:
            raise _UnclearError(f"has two spreads, {sd!r} and {text!r}; give it with a correction")
        else:
            sd = _spelled(text, reading)
    return Said("number", value, sd, tuple(dict.fromkeys(marks)))


def _on_the_line(runs: Sequence[Run]) -> tuple[str, list[frozenset[str]], list[tuple[str, bool]]]:
    """What is neither raised nor lowered, with the styles of each character; and the rest, with whether it
    is lowered. A spread may be set smaller (75.1 with ±0.2 below): that is told by its sign."""
    characters: list[tuple[str, frozenset[str]]] = []
    apart: list[tuple[str, bool]] = []
    for run in runs:
        small = run.styles & {RAISED, LOWERED}
        text = run.text.strip() if small else run.text
        if small and text and not re.match(r"±|\+/?-|%", text):
            apart.append((text, LOWERED in small))
        else:
            characters += [(it, run.styles) for it in (f" {text}" if small and text else text)]
    if any(STRUCK in styles for it, styles in characters if it.isdigit()):
        raise _UnclearError("is struck out; say what it counts as with a correction")
    before = [" ", *(it for it, _ in characters)]
    kept = [
        (it, styles)
        for (it, styles), last in zip(characters, before, strict=False)
        if not (it + last).isspace()
    ]
    line = "".join(it for it, _ in kept)
    left = len(line) - len(line.lstrip())
    stripped = line.strip()
    return stripped, [styles for _, styles in kept[left : left + len(stripped)]], apart


def _styled(styles: Iterable[frozenset[str]], value: str) -> list[str]:
    """The styles of a number's digits; all have them, or it is not clear what is meant."""
    of_digits = [it - {RAISED, LOWERED} for it, sign in zip(styles, value, strict=True) if sign.isdigit()]
    everywhere = frozenset.intersection(*of_digits)
    if any(it != everywhere for it in of_digits):
        raise _UnclearError("has only some of its digits in bold or another style")
    return sorted(everywhere)


def _parts(text: str) -> list[str]:
    """The marks of one superscript: `a,b` are two."""
    return [it for it in re.split(r"[,\s]+", text) if it]


def _with_unit(line: str, raised: bool, reading: Reading) -> Said | None:
    """`18s` is a text, which may be a number with its unit."""
    match = None if raised else _WITH_UNIT.fullmatch(line)
    if match is None or "%" in match["value"]:
        return None
    try:
        return Said("text", with_unit=(_spelled(match["value"], reading), match["unit"]))
    except _UnclearError:
        return None


def _no_number(line: str, raised: bool) -> Said:
    if _SEVERAL.fullmatch(line):
        raise _UnclearError("holds two numbers; give each a cell of its own")
    if any(it.isdigit() and it not in "0123456789" for it in line):
        raise _UnclearError("has digits that are not 0 to 9; write those")
    if any(it.isalpha() for it in line) or raised:
        return Said("text")
    raise _UnclearError("is no plain number")


def _spelled(number: str, reading: Reading) -> str:
    """The number with the point and the commas that claim files have; the digits are those printed."""
    text = number.strip()
    text = re.sub(rf"(?<=[{_SIGNS}])\s|\s(?=%)", "", text)
    if reading.decimal == "comma":
        text = text.translate({ord(","): ".", ord("."): ","})
    bare = text.rstrip("%").lstrip(_SIGNS)
    if _GROUPED.match(bare):
        text = re.sub(rf"[{_THIN}'’]", ",", text)
    try:
        printed(text)
    except ValueError as err:
        raise _UnclearError(_why_not(number.strip(), reading)) from err
    return text


def _why_not(number: str, reading: Reading) -> str:
    if is_decimal_comma(number) and reading.decimal is None:
        return "has a decimal comma; say --decimal comma, or --decimal point if it has none"
    return "is no printed number: its points, commas or blanks stand where none can"


def is_decimal_comma(text: str) -> bool:
    """Whether a comma can only be a decimal one: 75,1 and 0,751, not 15,449."""
    match = re.search(r"(?<![0-9.,])([0-9]*),([0-9]+)(?![0-9.,])", text)
    return bool(match and (len(match[2]) != 3 or not 1 <= len(match[1]) <= 3 or match[1][:1] == "0"))
