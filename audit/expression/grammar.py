"""From the text of an expression to its tree, checked for what each part stands for, and back to text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NoReturn

from lark import Lark, Token, Transformer, UnexpectedToken
from lark.lexer import Lexer

from audit.errors import AuditError
from audit.expression.functions import FUNCTIONS, Argument, Kind
from audit.expression.words import RELATIONS
from audit.names import known_names

MOST_CHARACTERS = 2000
#: Nodes, or parentheses, within one another.
DEEPEST = 50
GREATEST_EXPONENT = 64
_MOST_QUOTED = 40

_GRAMMAR = """
?start: sentence
?sentence: both (_OR both)*
?both: denial (_AND denial)*
?denial: NOT denial                 -> negation
       | comparison
?comparison: sum [RELATION sum]
?sum: product ((PLUS|MINUS) product)*
?product: signed ((TIMES|OVER) signed)*
?signed: MINUS signed               -> negation
       | power
?power: atom [CARET NUMBER]
?atom: (NUMBER | CELL | CELLS | NAME)                -> leaf
     | NAME _OPEN (sentence (_COMMA sentence)*)? _CLOSE  -> call
     | _OPEN sentence _CLOSE
%declare _OR _AND NOT RELATION PLUS MINUS TIMES OVER CARET NUMBER CELL CELLS NAME _OPEN _CLOSE _COMMA
"""
_SIGNS = {
    "+": "PLUS", "-": "MINUS", "\N{MINUS SIGN}": "MINUS", "*": "TIMES", "/": "OVER", "^": "CARET",
    "(": "_OPEN", ")": "_CLOSE", ",": "_COMMA",
}  # fmt: skip
_WORDS = {"or": "_OR", "and": "_AND", "not": "NOT"}

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

_MINUS = "write - with a blank on both sides for a minus"
#: What to write for a character that is none of the language.
_INSTEAD = {
    "\N{EN DASH}": _MINUS,
    "\N{EM DASH}": _MINUS,
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
#: What to do where something of one kind stands and another is wanted.
_REMEDIES: dict[tuple[Kind, Kind], str] = {
    ("set", "number"): "take one number of it, as in mean(...), max(...) or best(...)",
    ("set", "truth"): "take one number of it, as in best(...), and compare that, as in best(...) > 50",
    ("number", "truth"): "compare it with something, as in ... at least 5",
    ("truth", "number"): "compare numbers, and join comparisons with and, or, not",
}
_KINDS: dict[Kind, str] = {"number": "a number", "set": "a set of cells", "truth": "a comparison"}
_TRUTHS = ("comparison", "not", "and", "or")
#: How tightly each operation binds; what is not listed needs no parentheses.
_BINDING = {"or": 1, "and": 2, "not": 3, "comparison": 4, "sum": 5, "product": 6, "negation": 7, "power": 8}


class ExpressionError(AuditError):
    """A text that is no expression, in one sentence: where, what, and what to do."""

    def __init__(self, at: int, what: str, advice: str) -> None:
        self.at = at
        """Index into the text; the message counts characters from 1."""
        self.what = what
        self.advice = advice
        super().__init__(f"character {at + 1}: {what}; {advice}")


@dataclass(frozen=True)
class Node:
    """One part of an expression.

    `op` is number, cell, cells, name, call, negation, power, product, sum, comparison, not, and, or. `text`
    is the number, reference, name, function, exponent or relation; of a sum or product, flat so that a
    long one is not deep, the signs before all parts but the first.
    """

    op: str
    parts: tuple[Node, ...] = ()
    text: str = ""
    at: int = field(default=0, compare=False)
    depth: int = field(default=1, compare=False)

    @property
    def kind(self) -> Kind:
        if self.op == "call":
            return FUNCTIONS[self.text].gives
        return "truth" if self.op in _TRUTHS else "set" if self.op == "cells" else "number"

    def walk(self) -> Iterator[Node]:
        """The node and all under it, from left to right."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Expression:
    """A sentence that was read; equal to another if it says the same, however it is spaced."""

    sentence: Node

    def __str__(self) -> str:
        return written(self.sentence)


def parse(text: str) -> Expression:
    """Reads one sentence over cells, such as `improvement(t5.c.P@1, t5.b.P@1) more than 17`.

    Raises `ExpressionError` at the first thing that cannot be read: with its place, and what to do.
    """
    if not text.strip():
        raise ExpressionError(0, "the expression is empty", "write a comparison, as in t3.a.P@1 > 50")
    if len(text) > MOST_CHARACTERS:
        what = f"the expression has {len(text)} characters, more than {MOST_CHARACTERS}"
        raise ExpressionError(MOST_CHARACTERS, what, "split it into several claims")
    try:
        tree: Any = _parser().parse(text)
    except UnexpectedToken as err:
        _refuse(err, len(text))
    return Expression(_wanted(tree, "truth"))


def references(expression: Expression) -> tuple[str, ...]:
    """The cells and sets of cells, as written, each once, in their order."""
    return tuple(
        dict.fromkeys(node.text for node in expression.sentence.walk() if node.op in ("cell", "cells"))
    )


def names(expression: Expression) -> tuple[str, ...]:
    """The names that the claim must give a number, each once, in their order."""
    return tuple(dict.fromkeys(node.text for node in expression.sentence.walk() if node.op == "name"))


def written(node: Node, instead: Callable[[Node], str | None] = lambda node: None) -> str:
    """The text that reads as this tree; where `instead` gives a text for a node, that stands there."""

    def part(inner: Node, least: int) -> str:
        text = written(inner, instead)
        return f"({text})" if _BINDING.get(inner.op, 9) < least else text

    other, parts, text = instead(node), node.parts, node.text
    if other is not None:
        return other
    match node.op:
        case "negation":
            return f"-{part(parts[0], 7)}"
        case "sum" | "product":
            least = 6 if node.op == "sum" else 7
            rest = zip(text, parts[1:], strict=True)
            return part(parts[0], least) + "".join(f" {sign} {part(each, least)}" for sign, each in rest)
        case "power":
            return f"{part(parts[0], 9)}^{text}"
        case "call":
            return f"{text}({', '.join(part(each, 0) for each in parts)})"
        case "comparison":
            return f"{part(parts[0], 5)} {text} {part(parts[1], 5)}"
        case "not":
            return f"not {part(parts[0], 3)}"
        case "and" | "or":
            return f" {node.op} ".join(part(each, 3 if node.op == "and" else 2) for each in parts)
    return text


def quoted(text: str) -> str:
    """In quotes, and not longer than a message bears."""
    return repr(str(text) if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 3]}...")


class _Tokens(Lexer):
    """Words, numbers and signs; raises `ExpressionError` at the first thing that is none."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
        text, at, opened = str(data), 0, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                other = "write cells, numbers, functions, + - * / ^ and comparisons only"
                raise ExpressionError(at, f"{text[at]!r} has no meaning here", _INSTEAD.get(text[at], other))
            opened = _depth(opened + (match[0] == "(") - (match[0] == ")"), at)
            if match.lastgroup != "blank":
                yield _token(str(match.lastgroup), match[0], at)
            at = match.end()


def _token(group: str, text: str, at: int) -> Token:
    if group == "commas":
        short = f"write {text.replace(',', '')} (or, for several arguments, a blank after each comma)"
        advice = short if len(text) <= _MOST_QUOTED else "write it without them"
        raise ExpressionError(at, f"{quoted(text)} has commas within the number", advice)
    if group == "number":
        return Token("NUMBER", re.sub(r"\s", "", text), at)
    if group == "relation":
        return Token("RELATION", " ".join(text.split()), at)
    if group == "sign":
        return Token(_SIGNS[text], "-" if _SIGNS[text] == "MINUS" else text, at)
    segments = text.split(".")
    if len(segments) == 1 and _NAME.fullmatch(text) and text.casefold() not in _NO_NUMBERS:
        return Token(_WORDS.get(text, "NAME"), text, at)
    formed = len(segments) in (2, 3) and all(_SEGMENT.fullmatch(segment) for segment in segments)
    if not formed or _EXPONENT.fullmatch(
        text
    ):  # 1.5e+3 is a number to its writer, though 1.5e could be a row
        raise ExpressionError(at, f"{quoted(text)} is no number, cell or name", _remedy(text, segments))
    stars = segments.count("*")
    if segments[0] == "*" or stars > 1:
        what = f"{quoted(text)} names no table and no one row or column"
        raise ExpressionError(at, what, "write t3.*.P@1 or t3.row.*")
    return Token("CELLS" if stars else "CELL", text, at)


def _remedy(text: str, segments: list[str]) -> str:
    """Most of what is neither a reference nor a name lacks its blanks around a minus."""
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


def _refuse(error: UnexpectedToken, end: int) -> NoReturn:
    """Says of a token that cannot stand where it stands what was to come there."""
    token, accepted = error.token, error.accepts or set()
    at = end if token.type == "$END" else token.start_pos or 0
    shown = "the end" if token.type == "$END" else quoted(str(token))
    what, advice = f"{shown} where an operator or a comparison was to come", "write one"
    if accepted == {"NUMBER"}:
        what, advice = _no_exponent(shown)
    elif "NUMBER" in accepted:
        what, advice = f"{shown} where a number was to come", "write a cell, a number or a function there"
    elif token.type == "RELATION":
        what, advice = "two comparisons in a row", "join them with and, as in a > b and b > c"
    elif token.type == "CARET":
        what, advice = "a power of a power", "put parentheses, as in (a^2)^3"
    elif "_CLOSE" in accepted:
        what, advice = f"{shown} where ) or an operator was to come", "close the parenthesis"
    elif token.type == "_CLOSE":
        what, advice = "')' closes nothing", "remove it, or open a parenthesis"
    elif token.type == "_COMMA":
        what, advice = "',' outside of a function", "join sentences with and"
    elif token.type == "NAME":
        advice = known_names(str(token), RELATIONS)
    raise ExpressionError(at, what, advice) from None


def _no_exponent(shown: str) -> tuple[str, str]:
    return (
        f"{shown} is no exponent",
        f"write a whole number from 0 to {GREATEST_EXPONENT}, or use sqrt(x)",
    )


class _Build(Transformer[Token, Node]):
    """The tree from the rules of the grammar, checked bottom up while the text is read."""

    def leaf(self, parts: list[Token]) -> Node:
        (token,) = parts
        if token.type == "NAME" and token in FUNCTIONS:
            raise ExpressionError(
                _at(token), f"{quoted(token)} is a function", f"write {FUNCTIONS[token].form}"
            )
        return Node(token.type.lower(), (), str(token), _at(token))

    def sentence(self, parts: list[Node]) -> Node:
        return _over("or", [_wanted(part, "truth") for part in parts])

    def both(self, parts: list[Node]) -> Node:
        return parts[0] if len(parts) == 1 else _over("and", [_wanted(part, "truth") for part in parts])

    def negation(self, parts: list[Any]) -> Node:
        sign, node = parts
        denied = sign.type == "NOT"
        inner = _wanted(node, "truth" if denied else "number")
        return _over("not" if denied else "negation", [inner], at=_at(sign))

    def comparison(self, parts: list[Any]) -> Node:
        left, relation, right = parts
        return _over("comparison", [_wanted(left, "number"), _wanted(right, "number")], str(relation))

    def sum(self, parts: list[Any], op: str = "sum") -> Node:
        return _over(op, [_wanted(part, "number") for part in parts[::2]], "".join(parts[1::2]))

    def product(self, parts: list[Any]) -> Node:
        return self.sum(parts, "product")

    def power(self, parts: list[Any]) -> Node:
        base, _, exponent = parts
        if not exponent.isdecimal() or int(exponent) > GREATEST_EXPONENT:
            raise ExpressionError(_at(exponent), *_no_exponent(quoted(exponent)))
        return _over("power", [_wanted(base, "number")], str(int(exponent)))

    def call(self, parts: list[Any]) -> Node:
        name, arguments = parts[0], parts[1:]
        if name not in FUNCTIONS:
            raise ExpressionError(_at(name), f"unknown function {quoted(name)}", known_names(name, FUNCTIONS))
        function, given = FUNCTIONS[name], len(arguments)
        wanted = len(function.takes)
        if given < wanted or (given > wanted and not function.repeats):
            count = f"{wanted} {'argument' if wanted == 1 else 'arguments'}{' or more' * function.repeats}"
            raise ExpressionError(_at(name), f"{name} takes {count}, got {given}", f"write {function.form}")
        for index, argument in enumerate(arguments):
            _argument(argument, function.takes[min(index, wanted - 1)], function.form)
        return _over("call", arguments, str(name), at=_at(name))


def _at(token: Token) -> int:
    return token.start_pos or 0


def _over(op: str, parts: list[Node], text: str = "", *, at: int | None = None) -> Node:
    """A node over its parts; begins where it is said to, or else with the first part."""
    start = parts[0].at if at is None else at
    depth = 1 + max((part.depth for part in parts), default=0)
    return Node(op, tuple(parts), text, start, _depth(depth, start))


def _depth(depth: int, at: int) -> int:
    if depth > DEEPEST:
        advice = "split the expression, or name a part of it under given"
        raise ExpressionError(at, f"nested deeper than {DEEPEST}", advice)
    return depth


def _wanted(node: Node, kind: Kind) -> Node:
    """The node itself; raises `ExpressionError` if it stands for something else."""
    if node.kind != kind:
        what = f"{quoted(written(node))} is {_KINDS[node.kind]} where {_KINDS[kind]} is wanted"
        raise ExpressionError(node.at, what, _REMEDIES[node.kind, kind])
    return node


def _argument(node: Node, wanted: Argument, form: str) -> None:
    if wanted == "cell" and node.op != "cell":
        what = f"{quoted(written(node))} is not one cell of a table"
        raise ExpressionError(node.at, what, f"write {form} with a cell, as in t3.row.P@1")
    if wanted == "truth" or (wanted != "cell" and not (wanted == "numbers" and node.kind == "set")):
        _wanted(node, "truth" if wanted == "truth" else "number")


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer=_Tokens, transformer=_Build(), maybe_placeholders=False)
