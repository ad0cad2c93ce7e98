"""The language of expressions: its relations and functions, and from a text to its tree and back to text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, partial, reduce
from operator import add, sub
from typing import Any, Literal, NoReturn

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import UnexpectedInput

from audit.errors import AuditError
from audit.expression.interval import Interval, UndefinedError, logarithm, point
from audit.names import counted, known_names, short

#: The end of what fits, from the number named and the unit of its last digit. Rises with the number.
Bound = Callable[[Fraction, Fraction], Fraction]


@dataclass(frozen=True)
class Relation:
    """The values that stand in this relation to a number n; without a bound, all on that side do."""

    meaning: str
    lower: Bound | None = None
    upper: Bound | None = None
    strict: bool = False  # Whether the bounds themselves do not fit.
    near: bool = False  # Whether the bounds are a tenth or a unit of the last digit away, which no text says.
    both_rounded: bool = False  # Whether the unit is that of either side, not of n alone.

    def can_hold(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` fits some value of `n`; the values that fit some n form one interval."""
        above = self.lower is None or self._beyond(x.high, self.lower(n.low, unit))
        below = self.upper is None or self._beyond(self.upper(n.high, unit), x.low)
        return above and below

    def can_fail(self, x: Interval, n: Interval, unit: Fraction) -> bool:
        """Whether some value of `x` does not fit some value of `n`."""
        above = self.lower is None or self._beyond(x.low, self.lower(n.high, unit))
        below = self.upper is None or self._beyond(self.upper(n.low, unit), x.high)
        return not (above and below)

    def _beyond(self, greater: Fraction, less: Fraction) -> bool:
        return greater > less if self.strict else greater >= less


def _itself(n: Fraction, unit: Fraction) -> Fraction:
    return n


def _tenth_below(n: Fraction, unit: Fraction) -> Fraction:
    return n - max(abs(n) / 10, unit)


def _rounded(n: Fraction, unit: Fraction) -> Fraction:
    return n + unit / 2


_ABOVE, _FROM = Relation("above n", lower=_itself, strict=True), Relation("n or above", lower=_itself)
_BELOW, _UP_TO = Relation("below n", upper=_itself, strict=True), Relation("n or below", upper=_itself)
_SAME = "the same number, once both are rounded to as many digits as the coarser one shows"
_ABOUT = "within 10% of n or one unit of its last digit, whichever is more"
_NEARLY = "from 10% below n, or one unit of its last digit if that is more, up to what rounds to n"
#: The table. "Last digit" is that of a number in the expression or of a printed cell; computed numbers and
#: names have none.
RELATIONS: Mapping[str, Relation] = {
    ">": _ABOVE,
    ">=": _FROM,
    "<": _BELOW,
    "<=": _UP_TO,
    "=": Relation(_SAME, lambda n, unit: n - unit / 2, _rounded, both_rounded=True),
    "more than": _ABOVE,
    "at least": _FROM,
    "less than": _BELOW,
    "at most": _UP_TO,
    "about": Relation(_ABOUT, _tenth_below, lambda n, unit: n + max(abs(n) / 10, unit), near=True),
    "nearly": Relation(_NEARLY, _tenth_below, _rounded, near=True),
}

Kind = Literal["number", "set", "truth"]
"""What a part of an expression stands for."""


@dataclass(frozen=True)
class Function:
    """The arguments and result of a function."""

    form: str
    meaning: str
    takes: tuple[Literal["number", "numbers", "cell", "truth"], ...]
    """What each argument must be; `numbers`: a number or a set."""
    readings: Mapping[str, Callable[..., Interval]] = field(default_factory=dict)
    """For functions of numbers alone: by the name of each reading, the function of intervals, in which every
    argument occurs once: then interval arithmetic is exact."""
    gives: Kind = "number"


def _relative_gain(a: Interval, b: Interval) -> Interval:
    return point(100) * (a / b - point(1))


def _total(*x: Interval) -> Interval:
    return reduce(add, x)


def _greatest(*x: Interval) -> Interval:
    return Interval(max(each.low for each in x), max(each.high for each in x))


def _second_greatest(*x: Interval) -> Interval:
    """The second in order: the greatest again where two tie. Raises `UndefinedError` for one number."""
    if len(x) < 2:
        raise UndefinedError("there is no second best of one number")
    return Interval(sorted(each.low for each in x)[-2], sorted(each.high for each in x)[-2])


def _spread(*x: Interval) -> Interval:
    """Greatest minus least, which are two of the numbers: one number alone spans nothing."""
    if len(x) < 2:
        return point(0)
    narrowest = max(Fraction(0), max(each.low for each in x) - min(each.high for each in x))
    lowest = sorted(range(len(x)), key=lambda i: x[i].low)[:2]
    highest = sorted(range(len(x)), key=lambda i: x[i].high)[-2:]
    return Interval(narrowest, max(x[i].high - x[j].low for i in highest for j in lowest if i != j))


def _bottleneck(bytes_of_unit: int, *given: Interval) -> Interval:
    """R of CorNet's blocks, (P - V) / (2V + 1) for P fp32 parameters: Xun et al. (2020), Eq. 2."""
    size_with, size_without, V, blocks = given
    P = (size_with - size_without) * point(Fraction(bytes_of_unit, 4)) / blocks
    two, one = point(2), point(1)
    return ((two * P + one) / (two * V + one) - one) / two


def _many(form: str, meaning: str, function: Callable[..., Interval]) -> Function:
    return Function(form, meaning, ("numbers",), {"": function})


_SIZES = (
    "the R of CorNet's blocks (2VR + R + V) that two model sizes in GB imply, 4 bytes a parameter; "
    "a GB is 10^9 bytes or 2^30, whichever suits the sentence"
)
_GAIN = "100 (a - b) / b, in percent"
_IMPROVEMENT = "gain(a, b) in points or relative_gain(a, b) in percent, whichever suits the sentence"
_RANK = "1 and one more for each cell of another method that is greater; ties share the better place"
_OTHERS = "the cells of all other methods for the same data set and metric in the same table"
_TWO: Any = ("number",) * 2
#: By name, the first ones being those that a message shows. To add one of numbers, add a line.
FUNCTIONS: Mapping[str, Function] = {
    "gain": Function("gain(a, b)", "a - b, in points", _TWO, {"": sub}),
    "relative_gain": Function("relative_gain(a, b)", _GAIN, _TWO, {"": _relative_gain}),
    "improvement": Function(
        "improvement(a, b)", _IMPROVEMENT, _TWO, {"points": sub, "percent": _relative_gain}
    ),
    "mean": _many("mean(x, ...)", "the arithmetic mean", lambda *x: _total(*x) / point(len(x))),
    "sum": _many("sum(x, ...)", "the sum", _total),
    "min": _many("min(x, ...)", "the least", lambda *x: -_greatest(*(-each for each in x))),
    "max": _many("max(x, ...)", "the greatest", _greatest),
    "best": _many("best(x, ...)", "the greatest", _greatest),
    "second_best": _many("second_best(x, ...)", "the second in order", _second_greatest),
    "rank": Function("rank(cell)", _RANK, ("cell",)),
    "others": Function("others(cell)", _OTHERS, ("cell",), gives="set"),
    "group": Function("group(cell)", "the cell itself and its others", ("cell",), gives="set"),
    "count": Function("count(comparison, ...)", "how many of the comparisons hold", ("truth",)),
    "span": _many("span(x, ...)", "the greatest minus the least", _spread),
    "overlap": Function(
        "overlap(x, ...)",
        "whether one value can be all of the numbers, given their rounding",
        ("numbers",),
        gives="truth",
    ),
    "abs": Function("abs(x)", "x without its sign", ("number",), {"": abs}),
    "log2": Function("log2(x)", "the logarithm to base 2", ("number",), {"": logarithm}),
    "bottleneck": Function(
        "bottleneck(size_with, size_without, V, blocks)",
        _SIZES,
        _TWO * 2,
        {"GB": partial(_bottleneck, 10**9), "GiB": partial(_bottleneck, 2**30)},
    ),
}

# --------------------------------------------------------------------------- text and tree

MOST_CHARACTERS = 2000
#: Nodes within one another.
DEEPEST = 50
GREATEST_EXPONENT = 64

# What may not go on after a word: so `5` in `5-3` is no number and `at least` in `at leastwise` no relation.
_ENDS = r"(?![\w.@-])"
_SEGMENT = r"[\w@][\w@-]*"
_WORDED = "|".join(word.replace(" ", r"\s+") for word in RELATIONS if word[0].isalpha())
_GRAMMAR = rf"""
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
?atom: (NUMBER | CELL | CELLS | NAME)         -> leaf
     | NAME "(" (sentence ("," sentence)*)? ")" -> call
     | "(" sentence ")"
RELATION.3: /(?:{_WORDED}){_ENDS}|<=|>=|<|>|=/
NOT.3: /not{_ENDS}/
_OR.3: /or{_ENDS}/
_AND.3: /and{_ENDS}/
NUMBER.2: /(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+){_ENDS}(?:\s?%)?/
CELLS.2: /{_SEGMENT}\.(?:\*(?:\.{_SEGMENT})?|{_SEGMENT}\.\*)(?![\w.@*-])/
CELL.1: /(?![0-9.]+[eE](?:-?[0-9]+)?{_ENDS}){_SEGMENT}(?:\.{_SEGMENT}){{1,2}}{_ENDS}/
NAME: /[A-Za-z][A-Za-z0-9_]*{_ENDS}/
PLUS: "+"
MINUS: /[-\u2212]/
TIMES: "*"
OVER: "/"
CARET: "^"
%ignore /\s+/
"""
_COMMAS = re.compile(rf"(?<![\w.@-])[0-9]{{1,3}}(?:,[0-9]{{3}})+{_ENDS}")
_KINDS: dict[Kind, str] = {"number": "a number", "set": "a set of cells", "truth": "a comparison"}
_TRUTHS = ("comparison", "not", "and", "or")
#: What needs no parentheses within another operation.
_WHOLE = ("number", "cell", "cells", "name", "call", "comparison", "power")


class ExpressionError(AuditError):
    """A text that is no expression, in one sentence: where, what, and what to do."""

    def __init__(self, at: int, what: str, advice: str) -> None:
        super().__init__(f"character {at + 1}: {what}; {advice}")


@dataclass(frozen=True)
class Node:
    """An expression or a part of it; equal to another with the same meaning, whatever the spacing. `op` is
    number, cell, cells, name, call, negation, power, product, sum, comparison, not, and, or. `text` is the
    number, reference, name, function, exponent or relation; of a sum or product, the signs."""

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

    def __str__(self) -> str:
        return written(self)

    def walk(self) -> Iterator[Node]:
        """The node and all under it, from left to right."""
        yield self
        for part in self.parts:
            yield from part.walk()


@lru_cache(maxsize=4096)
def parse(text: str) -> Node:
    """Parse one sentence over cells. Raises `ExpressionError` at the first part that cannot be read."""
    if not text.strip():
        raise ExpressionError(0, "the expression is empty", "write a comparison, as in t3.a.P@1 > 50")
    if len(text) > MOST_CHARACTERS:
        what = f"the expression has {len(text)} characters, more than {MOST_CHARACTERS}"
        raise ExpressionError(MOST_CHARACTERS, what, "split it into several claims")
    if commas := _COMMAS.search(text):
        advice = "write it without them (or, for several arguments, a blank after each comma)"
        raise ExpressionError(commas.start(), f"{quoted(commas[0])} has commas within the number", advice)
    try:
        tree: Any = _parser().parse(text)
    except UnexpectedInput as err:
        _refuse(err, text)
    return _wanted(tree, "truth")


def references(expression: Node) -> tuple[str, ...]:
    """The cells and sets of cells, as written, each once, in their order."""
    return tuple(dict.fromkeys(node.text for node in expression.walk() if node.op in ("cell", "cells")))


def names(expression: Node) -> tuple[str, ...]:
    """The names that the claim must give a number, each once, in their order."""
    return tuple(dict.fromkeys(node.text for node in expression.walk() if node.op == "name"))


def written(node: Node, instead: Callable[[Node], str | None] = lambda node: None) -> str:
    """The text of this tree; a node for which `instead` gives a text is replaced by it."""

    other, parts, text = instead(node), node.parts, node.text
    if other is not None:
        return other

    def part(inner: Node) -> str:
        whole = (inner.op in _WHOLE and inner.op != node.op) or (node.op, inner.op) == ("sum", "product")
        return written(inner, instead) if whole else f"({written(inner, instead)})"

    match node.op:
        case "negation":
            return f"-{part(parts[0])}"
        case "sum" | "product":
            rest = zip(text, parts[1:], strict=True)
            return part(parts[0]) + "".join(f" {sign} {part(each)}" for sign, each in rest)
        case "power":
            return f"{part(parts[0])}^{text}"
        case "call":
            return f"{text}({', '.join(written(each, instead) for each in parts)})"
        case "comparison":
            return f"{written(parts[0], instead)} {text} {written(parts[1], instead)}"
        case "not":
            return f"not {part(parts[0])}"
        case "and" | "or":
            return f" {node.op} ".join(map(part, parts))
    return text


def quoted(text: str) -> str:
    """The text in quotes, cut to fit a message."""
    return repr(short(str(text), 40))


def _refuse(error: UnexpectedInput, text: str) -> NoReturn:
    """Raises an error that says what was expected at the part that cannot be read or does not fit."""
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        word = re.match(r"[\w.@*,-]+|.", text[at:], re.DOTALL)
        advice = "write cells as table.row.column, functions, + - * / ^ with blanks around a minus"
        what = f"{quoted(word[0] if word else '')} has no meaning here"
        raise ExpressionError(at, what, f"{advice}, and comparisons: {', '.join(RELATIONS)}") from None
    assert isinstance(error, UnexpectedToken)
    token, wanted = error.token, error.accepts or set()
    at = len(text) if token.type == "$END" else token.start_pos or 0
    shown = "the end" if token.type == "$END" else quoted(str(token))
    what = f"{shown} cannot stand here"
    advice = "close the parenthesis, or write an operator, a comparison, `and` or `or` before it"
    if "NUMBER" in wanted:
        what, advice = f"{shown} where a number is expected", "write a cell, a number or a function there"
    raise ExpressionError(at, what, advice) from None


class _Build(Transformer[Token, Node]):
    """The tree from the rules of the grammar, checked bottom up while the text is read."""

    def leaf(self, parts: list[Token]) -> Node:
        (token,) = parts
        if token.type == "NAME" and token in FUNCTIONS:
            what, form = f"{quoted(token)} is a function", FUNCTIONS[token].form
            raise ExpressionError(_at(token), what, f"write {form}")
        text = re.sub(r"\s", "", token)
        return Node(token.type.lower(), (), text, _at(token))

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
        sides = [_wanted(part, "number") for part in parts[::2]]
        return _over("comparison", sides, " ".join(parts[1].split()))

    def sum(self, parts: list[Any], op: str = "sum") -> Node:
        signs = "".join(parts[1::2]).replace("\N{MINUS SIGN}", "-")
        return _over(op, [_wanted(part, "number") for part in parts[::2]], signs)

    def product(self, parts: list[Any]) -> Node:
        return self.sum(parts, "product")

    def power(self, parts: list[Any]) -> Node:
        base, _, exponent = parts
        if not exponent.isascii() or not exponent.isdecimal() or int(exponent) > GREATEST_EXPONENT:
            advice = f"write a whole number from 0 to {GREATEST_EXPONENT}"
            raise ExpressionError(_at(exponent), f"{quoted(exponent)} is not an exponent", advice)
        return _over("power", [_wanted(base, "number")], str(int(exponent)))

    def call(self, parts: list[Any]) -> Node:
        name, arguments = parts[0], parts[1:]
        if name not in FUNCTIONS:
            raise ExpressionError(_at(name), f"unknown function {quoted(name)}", known_names(name, FUNCTIONS))
        function, given = FUNCTIONS[name], len(arguments)
        wanted, repeats = len(function.takes), "..." in function.form
        if given < wanted or (given > wanted and not repeats):
            count = f"{counted(wanted, 'argument')}{' or more' * repeats}"
            raise ExpressionError(_at(name), f"{name} takes {count}, got {given}", f"write {function.form}")
        for index, argument in enumerate(arguments):
            takes = function.takes[min(index, wanted - 1)]
            if takes == "cell" and argument.op != "cell":
                what = f"{quoted(written(argument))} is not one cell of a table"
                advice = f"write {function.form} with a cell, as in t3.row.P@1"
                raise ExpressionError(argument.at, what, advice)
            if takes == "truth" or (takes != "cell" and (takes, argument.kind) != ("numbers", "set")):
                _wanted(argument, "truth" if takes == "truth" else "number")
        return _over("call", arguments, str(name), at=_at(name))


def _at(token: Token) -> int:
    return token.start_pos or 0


def _over(op: str, parts: list[Node], text: str = "", *, at: int | None = None) -> Node:
    start = parts[0].at if at is None else at
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > DEEPEST:
        advice = "split the expression, or name one of its parts under given"
        raise ExpressionError(start, f"nested deeper than {DEEPEST}", advice)
    return Node(op, tuple(parts), text, start, depth)


def _wanted(node: Node, kind: Kind) -> Node:
    """The node unchanged; raises `ExpressionError` if it is of another kind."""
    if node.kind != kind:
        what = f"{quoted(written(node))} is {_KINDS[node.kind]} where {_KINDS[kind]} is expected"
        advice = "compare numbers, as in best(...) > 50, and join comparisons with and, or, not"
        raise ExpressionError(node.at, what, advice)
    return node


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual", transformer=_Build(), maybe_placeholders=False)
