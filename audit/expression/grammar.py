"""The grammar, by recursive descent; every part is checked for what it stands for as soon as it is read.

sentence   = both { "or" both }
both       = denial { "and" denial }
denial     = "not" denial | comparison
comparison = sum [ relation sum ]
sum        = product { ("+" | "-") product }
product    = signed { ("*" | "/") signed }
signed     = "-" signed | power
power      = atom [ "^" whole number ]
atom       = number | cell | cells | name | function "(" sentence { "," sentence } ")" | "(" sentence ")"
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NoReturn, TypeVar

from audit.expression.errors import ExpressionError
from audit.expression.functions import FUNCTIONS
from audit.expression.parts import DEEPEST, Part, checked, over, too_deep, wanted
from audit.expression.tokens import Token, quoted, tokens
from audit.expression.tree import (
    And,
    Call,
    Cell,
    Cells,
    Comparison,
    Expression,
    Literal,
    Name,
    Negation,
    Not,
    Or,
    Power,
    Product,
    Sum,
)
from audit.expression.words import RELATIONS
from audit.names import known_names

GREATEST_EXPONENT = 64
_RESERVED = ("and", "or", "not")

_T = TypeVar("_T")


def parse(text: str) -> Expression:
    """Reads one sentence over cells, such as `improvement(t5.c.P@1, t5.b.P@1) more than 17`.

    Raises `ExpressionError` at the first thing that cannot be read: with its place, and what to do.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = list(tokens(text))
        self._next = 0
        self._open = 0
        # Not methods, to spare a frame of the stack at each level of nesting.
        self._product = partial(self._operation, "*/", Product, self._signed)
        self._sum = partial(self._operation, "+-", Sum, self._product)
        self._both = partial(self._joined, "and", And, self._denial)
        self._sentence = partial(self._joined, "or", Or, self._both)

    def whole(self) -> Expression:
        if self._at_end():
            raise ExpressionError(0, "the expression is empty", "write a comparison, as in t3.a.P@1 > 50")
        part = self._sentence()
        if not self._at_end():
            self._left_over()
        return Expression(wanted(part, "truth").node)

    # The grammar, from the loosest to the tightest.

    def _joined(self, word: str, join: type[And] | type[Or], inner: Callable[[], Part]) -> Part:
        parts = [inner()]
        while self._take("name", word):
            parts.append(inner())
        if len(parts) == 1:
            return parts[0]
        return over(join(tuple(wanted(part, "truth").node for part in parts)), "truth", *parts)

    def _denial(self) -> Part:
        at = self._token.at
        if not self._take("name", "not"):
            return self._comparison()
        denied = self._nested(at, self._denial)
        return over(Not(wanted(denied, "truth").node), "truth", denied, at=at)

    def _comparison(self) -> Part:
        left = self._sum()
        if self._token.kind != "relation":
            return left
        relation = self._advance().text
        right = self._sum()
        if self._token.kind == "relation":
            self._refuse("two comparisons in a row", "join them with and, as in a > b and b > c")
        sides = wanted(left, "number").node, wanted(right, "number").node
        return over(Comparison(sides[0], relation, sides[1]), "truth", left, right)

    def _operation(self, signs: str, node: type[Sum] | type[Product], inner: Callable[[], Part]) -> Part:
        first = inner()
        rest: list[tuple[str, Part]] = []
        while self._token.kind == "sign" and self._token.text in signs:
            rest.append((self._advance().text, inner()))
        if not rest:
            return first
        parts = [first, *(part for _, part in rest)]
        operands = [wanted(part, "number").node for part in parts]
        signed = zip((sign for sign, _ in rest), operands[1:], strict=True)
        return over(node(operands[0], tuple(signed)), "number", *parts)

    def _signed(self) -> Part:
        at = self._token.at
        if not self._take("sign", "-"):
            return self._power()
        negated = self._nested(at, self._signed)
        return over(Negation(wanted(negated, "number").node), "number", negated, at=at)

    def _power(self) -> Part:
        base = self._atom()
        if not self._take("sign", "^"):
            return base
        wanted(base, "number")
        exponent = self._exponent()
        if self._token.text == "^":
            self._refuse("a power of a power", "put parentheses, as in (a^2)^3")
        return over(Power(base.node, exponent), "number", base)

    def _exponent(self) -> int:
        token = self._token
        if token.kind != "number" or not token.text.isdecimal() or int(token.text) > GREATEST_EXPONENT:
            self._refuse(
                f"{token} is no exponent",
                f"write a whole number from 0 to {GREATEST_EXPONENT}, or use sqrt(x)",
            )
        return int(self._advance().text)

    def _atom(self) -> Part:
        token = self._advance()
        if token.kind == "number":
            return over(Literal(token.text), "number", at=token.at)
        if token.kind == "cell":
            return over(Cell(token.text), "number", at=token.at)
        if token.kind == "cells":
            return over(Cells(token.text), "set", at=token.at)
        if token.kind == "name" and token.text not in _RESERVED:
            return self._call(token) if self._token.text == "(" else _name(token)
        if token.text == "(":
            inside = self._nested(token.at, self._sentence)
            self._close()
            return inside
        raise ExpressionError(
            token.at, f"{token} where a number was to come", "write a cell, a number or a function there"
        )

    # Functions.

    def _call(self, name: Token) -> Part:
        if name.text not in FUNCTIONS:
            raise ExpressionError(
                name.at, f"unknown function {quoted(name.text)}", known_names(name.text, FUNCTIONS)
            )
        self._advance()
        arguments = self._nested(name.at, self._arguments)
        self._close()
        function = FUNCTIONS[name.text]
        wanted = len(function.takes)
        if len(arguments) < wanted or (len(arguments) > wanted and not function.repeats):
            count = f"{wanted} {'argument' if wanted == 1 else 'arguments'}{' or more' * function.repeats}"
            raise ExpressionError(
                name.at, f"{name.text} takes {count}, got {len(arguments)}", f"write {function.form}"
            )
        for index, argument in enumerate(arguments):
            checked(argument, function.argument(index), function.form)
        nodes = tuple(argument.node for argument in arguments)
        return over(Call(name.text, nodes), function.gives, *arguments, at=name.at)

    def _arguments(self) -> list[Part]:
        if self._token.text == ")":
            return []
        arguments = [self._sentence()]
        while self._take("sign", ","):
            arguments.append(self._sentence())
        return arguments

    # Tokens.

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _at_end(self) -> bool:
        return self._token.kind == "end"

    def _advance(self) -> Token:
        token = self._token
        if not self._at_end():
            self._next += 1
        return token

    def _take(self, kind: str, text: str) -> bool:
        if (self._token.kind, self._token.text) != (kind, text):
            return False
        self._next += 1
        return True

    def _nested(self, at: int, inner: Callable[[], _T]) -> _T:
        """Parentheses, functions and signs within one another, so many that no stack overflows."""
        if self._open == DEEPEST:
            too_deep(at)
        self._open += 1
        read = inner()
        self._open -= 1
        return read

    def _close(self) -> None:
        if not self._take("sign", ")"):
            self._refuse(f"{self._token} where ) or an operator was to come", "close the parenthesis")

    def _left_over(self) -> NoReturn:
        token = self._token
        if token.text == ")":
            self._refuse("')' closes nothing", "remove it, or open a parenthesis")
        if token.text == ",":
            self._refuse("',' outside of a function", "join sentences with and")
        offer = known_names(token.text, RELATIONS) if token.kind == "name" else "write one"
        self._refuse(f"{token} where an operator or a comparison was to come", offer)

    def _refuse(self, what: str, advice: str) -> NoReturn:
        raise ExpressionError(self._token.at, what, advice)


def _name(token: Token) -> Part:
    if token.text in FUNCTIONS:
        raise ExpressionError(
            token.at, f"{quoted(token.text)} is a function", f"write {FUNCTIONS[token.text].form}"
        )
    return over(Name(token.text), "number", at=token.at)
