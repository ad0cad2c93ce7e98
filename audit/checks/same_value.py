"""Whether two printed numbers can be one number, and whether one is above the other as printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.stats.printed import Printed

Comparison = Literal[">", ">=", "<", "<="]


def meet(first: Printed, second: Printed) -> bool:
    """Whether some number is printed as both: 83.6 and 83.60 can be one number, 56.11 and 56.21 cannot.

    For the same method, metric and data set in two places; for P@1 and nDCG@1 of one row, which are both the
    share of documents whose first label is right (but see `first_rank`).
    """
    (low1, high1), (low2, high2) = first.interval, second.interval
    return low1 <= high2 and low2 <= high1


def same_count(first: Printed, second: Printed) -> bool:
    """Whether two counts may be one: 3,000 may be 2,987 rounded, and 3,866 is not 3,865."""
    rounded = min(first.decimals, second.decimals) < 0
    return first.value == second.value or (rounded and meet(first, second))


def apart(first: Printed, second: Printed) -> Fraction:
    """How far apart the printed values are, without sign."""
    return abs(first.value - second.value)


def holds(first: Printed, comparison: Comparison, second: Printed) -> bool:
    """The comparison of the values as printed: a reader sees no other digits, so a tie is not above."""
    by_sign = (first.value > second.value) - (first.value < second.value)
    return by_sign in {">": (1,), ">=": (1, 0), "<": (-1,), "<=": (-1, 0)}[comparison]


def exceptions(
    pairs: Iterable[tuple[str, Printed, Printed]], comparison: Comparison = ">"
) -> tuple[str, ...]:
    """Names of the pairs for which the comparison does not hold as printed.

    A sentence "a is better than b everywhere" allows none; "but in one case" allows one.
    """
    return tuple(name for name, first, second in pairs if not holds(first, comparison, second))


@dataclass(frozen=True)
class FirstRank:
    """P@1 and nDCG@1 of one system in percent, by a convention for test documents without labels."""

    precision: Fraction
    ndcg: Fraction


def first_rank(
    hits: int, *, documents: int, label_free: int
) -> Mapping[Literal["zero", "one", "skip"], FirstRank]:
    """P@1 and nDCG@1 if documents without labels count 0, count 1 in nDCG, or are left out of both.

    By `zero` (pyxclib) and `skip` the two are the same number; by `one` they are not, nor where only one of
    the two metrics skips. Raises ValueError unless 0 <= hits <= documents - label_free and one has labels.
    """
    labelled = documents - label_free
    if not 0 <= hits <= labelled or labelled == 0 or label_free < 0:
        raise ValueError(
            f"needs hits of 0..(documents - label_free), got {hits!r}, {documents!r} and {label_free!r}"
        )
    zero, skip = Fraction(100 * hits, documents), Fraction(100 * hits, labelled)
    return {
        "zero": FirstRank(zero, zero),
        "one": FirstRank(zero, Fraction(100 * (hits + label_free), documents)),
        "skip": FirstRank(skip, skip),
    }
