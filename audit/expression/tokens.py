"""From the text of an expression to its words, numbers and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from audit.expression.errors import ExpressionError
from audit.expression.words import RELATIONS

Kind = Literal["number", "cell", "cells", "name", "relation", "sign", "end"]

MOST_CHARACTERS = 2000
_MOST_QUOTED = 40


@dataclass(frozen=True)
class Token:
    """One word, number or sign, and where it stands."""

    kind: Kind
    text: str
    at: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else quoted(self.text)


# What may go on after a word: so `5` in `5-3` is no number and `at least` in `at leastwise` no relation.
_ENDS = r"(?![\w.@-])"
_WORDED = "|".join(word.replace(" ", r"\s+") for word in RELATIONS if word[0].isalpha())
_TOKEN = re.compile(
    rf"""
      (?P<blank>\s+)
    | (?P<commas>[0-9]{{1,3}}(?:,[0-9]{{3}})+{_ENDS})
    | (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+){_ENDS}(?:\s?%)?)
    | (?P<relation>(?:{_WORDED}){_ENDS}|<=|>=|<|>|=)
    | (?P<word>[\w.@](?:[\w.@-]|(?<=\.)\*)*)          # a star only right after a dot: t3.*.P@1
    | (?P<sign>[-\u2212+*/^(),])
    """,
    re.VERBOSE,
)
_SEGMENT = re.compile(r"[\w@][\w@-]*|\*")
_EXPONENT = re.compile(r"[0-9.]+[eE](?:-?[0-9]+)?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NO_NUMBERS = ("nan", "inf", "infinity")

#: What to write for a character that is none of the language.
_INSTEAD = {
    "\N{EN DASH}": "write - with a blank on both sides for a minus",
    "\N{EM DASH}": "write - with a blank on both sides for a minus",
    "\N{MULTIPLICATION SIGN}": "write * to multiply",
    "\N{MIDDLE DOT}": "write * to multiply",
    "\N{DIVISION SIGN}": "write / to divide",
    "\N{GREATER-THAN OR EQUAL TO}": "write >=",
    "\N{LESS-THAN OR EQUAL TO}": "write <=",
    "\N{ALMOST EQUAL TO}": "write about",
    "~": "write about",
    "!": "write not (a = b)",
    "%": "it may stand only after a number, as in 12%",
    "'": "write references and numbers without quotes",
    '"': "write references and numbers without quotes",
    "[": "write parentheses ( )",
    "{": "write parentheses ( )",
}


def tokens(text: str) -> Iterator[Token]:
    """The tokens and an `end`; raises `ExpressionError` at the first thing that is none."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(
            MOST_CHARACTERS,
            f"the expression has {len(text)} characters, more than {MOST_CHARACTERS}",
            "split it into several claims",
        )
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(
                at,
                f"{text[at]!r} has no meaning here",
                _INSTEAD.get(text[at], "write cells, numbers, functions, + - * / ^ and comparisons only"),
            )
        if match.lastgroup != "blank":
            yield _token(str(match.lastgroup), match[0], at)
        at = match.end()
    yield Token("end", "", at)


def quoted(text: str) -> str:
    """In quotes, and not longer than a message bears."""
    return repr(text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 3]}...")


def _token(group: str, text: str, at: int) -> Token:
    if group == "commas":
        raise ExpressionError(
            at,
            f"{quoted(text)} has commas within the number",
            f"write {text.replace(',', '')} (or, for several arguments, a blank after each comma)"
            if len(text) <= _MOST_QUOTED
            else "write it without them",
        )
    if group == "number":
        return Token("number", re.sub(r"\s", "", text), at)
    if group == "relation":
        return Token("relation", " ".join(text.split()), at)
    if group == "sign":
        return Token("sign", "-" if text == "\N{MINUS SIGN}" else text, at)
    return _word(text, at)


def _word(text: str, at: int) -> Token:
    """A reference or a name; most of what is neither lacks its blanks around a minus."""
    segments = text.split(".")
    if len(segments) == 1 and _NAME.fullmatch(text) and text.casefold() not in _NO_NUMBERS:
        return Token("name", text, at)
    formed = len(segments) in (2, 3) and all(_SEGMENT.fullmatch(segment) for segment in segments)
    if formed and not _EXPONENT.fullmatch(
        text
    ):  # 1.5e+3 is a number to its writer, though 1.5e could be a row
        return _reference(text, segments, at)
    raise ExpressionError(at, f"{quoted(text)} is no number, cell or name", _remedy(text, segments))


def _reference(text: str, segments: list[str], at: int) -> Token:
    stars = segments.count("*")
    if segments[0] == "*" or stars > 1:
        raise ExpressionError(
            at, f"{quoted(text)} names no table and no one row or column", "write t3.*.P@1 or t3.row.*"
        )
    return Token("cells" if stars else "cell", text, at)


def _remedy(text: str, segments: list[str]) -> str:
    if text.casefold() in _NO_NUMBERS:
        return "write a finite number"
    if _EXPONENT.fullmatch(text):
        return "write the number without an exponent, or as 5 * 10^3"
    if "-" in text:
        return "put a blank on both sides of a minus"
    if re.fullmatch(r"[0-9.]+", text):
        return "write a number as 17 or 0.5"
    if text[0].isdigit() and len(segments) == 1:
        return "put an operator or a blank after the number; names begin with a letter"
    if len(segments) > 1:
        return "write a cell as table.row.column, or table.row where the claim names a metric"
    return "names have letters (a to z), digits and _ only, and begin with a letter"
