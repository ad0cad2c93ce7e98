"""The margin that one judged number gets: by the rule that the file names, within what the number allows.

A margin may leave its value out where its rule gives one (functions in `audit.stats.margin`):

    digits           half a unit of the printed number; of a comparison, of its numbers together
    half_gap         half of the smallest improvement among the paper's own claims about the table (for a
                     significance claim: among what it calls significant)
    field            0.5 points, 0.2 on 100,000 printed test documents or more
    lenient          1 point
    paper_yardstick  the largest difference of the pairs in `similar`
    none named       the smaller of half_gap and field, at least one unit of the last printed digit

A value that stands there must be that of its rule, but for rounding, or for a single printed number what
`for_printed` makes of it: it is then checked, never replaced. What stands there is what counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from audit.record import Margin
from audit.stats import margin as rules
from audit.stats.printed import Printed, printed

_CAPPED_RULES = ("half_gap", "field")
_SHARE = Fraction(5, 100)
_HUNDREDTH = Fraction(1, 100)


class MarginError(ValueError):
    """What is wrong with a margin, and what to do; `key` is where it says so."""

    def __init__(self, text: str, *, key: str = "value") -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True)
class Given:
    """A margin as the file has it."""

    value: float | None
    rule: str | None
    why: str
    similar: tuple[tuple[str, str], ...] = ()
    """Pairs of printed numbers that the paper calls similar."""


@dataclass(frozen=True)
class Ground:
    """What the rules go by, for one judged number."""

    printed: tuple[str, ...] = ()
    """The claim's numbers."""
    documents: int | None = None
    """Test documents as printed."""
    improvements: tuple[tuple[str, str], ...] = ()
    """Printed numbers, better and worse, of the paper's own claims of improvement in the table."""


def resolve(given: Given, ground: Ground) -> Margin:
    """The margin with its value. Raises `MarginError` for one that its rule does not give, or contradicts."""
    rule, computed = _by_rule(given, ground)
    if given.value is None:
        if computed is None:
            raise MarginError(_needs_a_value(rule))
        return Margin(float(computed), rule, given.why)
    value = Fraction(repr(given.value))
    if computed is not None and not _agrees(given, value, computed, rule) and not _scaled(given, ground):
        documents = ground.documents if rule == "field" else None
        why = f" (of {documents:,} test documents)" if documents else ""
        raise MarginError(
            f"{given.value:g} is not what rule {rule} gives here, {float(computed):g}{why}; "
            "write that, leave the value out, or name the rule it follows"
        )
    return Margin(given.value, rule, given.why)


def _by_rule(given: Given, ground: Ground) -> tuple[str, Fraction | None]:
    """The rule, and the value that it gives; None where it cannot tell."""
    numbers = [printed(text) for text in ground.printed]
    if given.rule is None:
        if given.value is not None:
            raise MarginError("this key is missing: a value follows a rule; add field or another", key="rule")
        rule, value = _default(ground)
        return rule, value
    if given.rule == "digits":
        return given.rule, sum((it.half_unit for it in numbers), Fraction(0)) or None
    if given.rule == "half_gap":
        gaps = _gaps(ground.improvements)
        return given.rule, rules.half_gap(gaps) if gaps else None
    if given.rule == "field":
        known = ground.documents is not None or given.value is None
        return given.rule, rules.field(ground.documents or 0) if known else None
    if given.rule == "lenient":
        return given.rule, rules.LENIENT
    pairs = [(printed(first), printed(second)) for first, second in given.similar]
    try:
        return given.rule, rules.paper_yardstick(pairs) if pairs else None
    except ValueError as err:
        raise MarginError(f"{err}; name other cells", key="similar") from err


@lru_cache(maxsize=64)
def _gaps(improvements: tuple[tuple[str, str], ...]) -> list[tuple[Printed, Printed]]:
    """Of a table; all its claims ask for them."""
    gaps = [(printed(better), printed(worse)) for better, worse in improvements]
    return [(better, worse) for better, worse in gaps if better.value > worse.value]


def _default(ground: Ground) -> tuple[str, Fraction]:
    documents, gaps = ground.documents or 0, _gaps(ground.improvements)
    if ground.printed:
        return rules.default(printed(ground.printed[0]), documents=documents, improvements=gaps)
    found: list[tuple[str, Fraction]] = [("field", rules.field(documents))]
    found += [("half_gap", rules.half_gap(gaps))] if gaps else []
    return min(found, key=lambda it: it[1])


def _agrees(given: Given, value: Fraction, computed: Fraction, rule: str) -> bool:
    """Equal, or for what was halved and rounded, to a unit of its last digit (a hundredth at most)."""
    if rule not in ("half_gap", "paper_yardstick"):
        return value == computed
    decimals = len(repr(given.value).partition(".")[2])
    return abs(value - computed) < min(Fraction(1, 10**decimals), _HUNDREDTH)


def _scaled(given: Given, ground: Ground) -> bool:
    """Whether it is the rule's value within what a single printed number allows, as `audit add` writes it."""
    rule, computed = _by_rule(given, ground)
    if ground.documents is None and rule == "field":
        computed = rules.field(0)
    if len(ground.printed) != 1 or computed is None or given.value is None:
        return False
    plain = Margin(float(computed), rule, "")
    scaled = for_printed(plain, ground.printed[0])
    return scaled != plain and math.isclose(given.value, scaled.value, abs_tol=5e-4)


def _needs_a_value(rule: str) -> str:
    lacks = {
        "half_gap": "no order, gap or significance claim about the table prints an improvement",
        "digits": "the claim names no printed number",
        "paper_yardstick": "no pair is named in similar",
    }
    return f"this key is missing: rule {rule} gives no value here, as {lacks[rule]}; add value"


def for_printed(margin: Margin, text: str) -> Margin:
    """`margin` for the percentage printed as `text`, by the ceiling and the floor of the default rules.

    `audit add` writes it into the file, since nobody sees a margin that stands in none. Near 100 and near 0 a
    margin of points would hold most of the errors or hits there are, so `field` and `half_gap` are capped at
    5 % of what is left, 0.05 * (100 - v), and of what is there, 0.05 * v; then they are raised to one unit of
    the last printed digit (2h), below which rounding alone decides. The other rules give values that somebody
    argued for, and stay.

    >>> for_printed(Margin(0.5, "field", "usual"), "96.10").value
    0.195
    """
    if margin.rule not in _CAPPED_RULES:
        return margin
    number = printed(text)
    wanted = Fraction(str(margin.value))
    cap = max(min(_SHARE * (100 - number.value), _SHARE * number.value), Fraction(0))
    unit = 2 * number.half_unit
    value = max(min(wanted, cap), unit)
    if value == wanted:
        return margin
    reason = (
        "one unit of the last printed digit" if value == unit else f"5 % of what is left or there at {text}"
    )
    return replace(margin, value=float(value), why=f"{reason}, where the margin would be {margin.value:g}")
