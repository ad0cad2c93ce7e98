"""Split fingerprint: which number of test documents a table's P@1 can have come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from audit.checks.grid import hits
from audit.checks.rounding import Rounding
from audit.stats.printed import Printed


@dataclass(frozen=True)
class Fingerprint:
    """One candidate number of test documents against all numbers."""

    documents: int
    feasible: int
    """Numbers that so many documents can give."""
    of: int
    infeasible: tuple[str, ...]
    """The other numbers, as printed."""
    chance_p: float
    """Chance that a wrong number of documents does as well or better."""
    adjusted_p: float
    """The same for the best of all candidates at most (Bonferroni)."""


def fingerprint(
    numbers: Iterable[Printed],
    candidates: Sequence[int],
    *,
    k: int = 1,
    rounding: Rounding = "nearest",
    scale: int = 100,
) -> tuple[Fingerprint, ...]:
    """Each candidate against all `numbers`, which are P@k of several systems on one test set.

    What is printed twice counts once: a copy tells no more than the number. A wrong test size N meets a
    number with d decimals by chance with probability kN/(scale 10^d), so that chance_p is the binomial tail
    P[Bin(R, kN/(scale 10^d)) >= feasible] where all R numbers have the same d.
    Raises ValueError for a candidate below 1.
    """
    distinct = list({(number.value, number.decimals): number for number in numbers}.values())
    found = []
    for documents in candidates:
        each = [hits(number, documents=documents, k=k, rounding=rounding, scale=scale) for number in distinct]
        feasible = sum(it.feasible for it in each)
        chance = tail([1 - it.power for it in each], feasible)
        found.append(
            Fingerprint(
                documents=documents,
                feasible=feasible,
                of=len(distinct),
                infeasible=tuple(
                    number.text for number, it in zip(distinct, each, strict=True) if not it.feasible
                ),
                chance_p=float(chance),
                adjusted_p=float(min(Fraction(1), len(candidates) * chance)),
            )
        )
    return tuple(found)


def tail(chances: Sequence[Fraction], at_least: int) -> Fraction:
    """P[at least so many of independent events happen], exactly; the binomial tail where all chances are one.

    The number of events has the generating function prod (1 - p + p x), multiplied out in whole numbers.
    """
    ways = [1]
    for p in chances:
        miss, hit = p.denominator - p.numerator, p.numerator
        ways = [miss * same + hit * one_less for same, one_less in zip([*ways, 0], [0, *ways], strict=True)]
    return Fraction(sum(ways[at_least:]), prod(p.denominator for p in chances))
