"""The two tests around a printed target, shared by value and gap claims.

Notation: d = ours - printed, h half a unit of the printed decimals, D the margin. TOST is Schuirmann 1987;
the minimum-effect test is its mirror (Murphy and Myors 1999). h enters against us both ways: `83.6` may be
anything from 83.55 to 83.65.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

from audit.stats.band import Within
from audit.stats.decision import ALPHA, Decidable, Decision, Route
from audit.stats.instance import satterthwaite
from audit.stats.student import interval, quantile, upper_tail

KAPPA = 2.0
"""SD of the paper's runs over that of ours, where the paper prints no spread: its number also carries what
our seeds do not vary (settings, checkpoint, the run that was reported). Bouthillier et al. 2021, "Accounting
for Variance in Machine Learning Benchmarks"."""


@dataclass(frozen=True, kw_only=True)
class TargetTest(Decidable):
    """The comparison of an estimate with a printed target; None where one run gives no estimate of error."""

    difference: float
    """d = ours - printed."""
    half_unit: float
    margin: float
    se: float | None = None
    """Of our estimate: over seeds, and over documents too on another split."""
    df: float | None = None
    ci90: tuple[float, float] | None = None
    """Of our estimate, coverage 1 - 2 alpha; the one that TOST compares with the target -+ (D - h)."""
    ci95: tuple[float, float] | None = None
    """Coverage 1 - alpha."""
    pi95: tuple[float, float] | None = None
    """Where the mean of the m runs of the paper would lie."""
    reproduced_from: float | None = None
    """D_R: the smallest margin at which this test says reproduced."""
    contradicted_up_to: float | None = None
    """D_C: the largest margin at which this test says contradicted; 0.0 for none."""


Test = TypeVar("Test", bound=TargetTest)


class Error(NamedTuple):
    se: float
    df: float


def error(*parts: tuple[float, float]) -> Error:
    """Standard error and degrees of freedom of a sum of (variance, degrees of freedom) parts."""
    return Error(math.sqrt(math.fsum(variance for variance, _ in parts)), satterthwaite(parts))


def around(
    plain: Test,
    estimate: float,
    *,
    own: Error,
    predicted: Sequence[Error],
    floor: float = 0.0,
    alpha: float = ALPHA,
) -> Test:
    """`plain` with intervals, p-values and bands; `estimate` is our value, whose distance is d.

        p_rep = max(P[t >= (D - h + d) / se], P[t >= (D - h - d) / se])
        p_con = min(1, 2 P[t >= (|d| - (D + h)) / se_pred])

    `predicted` is the error of the difference to the paper's own runs, once for each way to read what the
    paper prints of its spread: contradicted is what every reading contradicts, so the largest p counts.
    `floor` is the least margin that is used, whatever was fixed. Intervals and band are at the level of the
    test, so that the three statements about one set of numbers agree: p_con <= alpha where D <= D_C,
    p_rep <= alpha where D >= D_R.
    """
    d, h, D = plain.difference, plain.half_unit, plain.margin
    p_contradicted = [min(1.0, 2.0 * upper_tail(abs(d) - (D + h), *it)) for it in predicted]
    luck = max(quantile(1.0 - alpha / 2.0, it.df) * it.se for it in predicted)
    undecided = "within_seed_spread" if abs(d) <= luck else "straddles_margin"
    if min(p_contradicted) <= alpha < max(p_contradicted):
        undecided = "ambiguous_spread"
    margins = Within(abs(d), own, tuple(predicted), h, floor)
    band = margins.band(alpha, alpha)
    return replace(
        plain,
        se=own.se,
        df=own.df,
        ci90=interval(estimate, *own, level=1.0 - 2.0 * alpha),
        ci95=interval(estimate, *own, level=1.0 - alpha),
        pi95=(estimate - luck, estimate + luck),
        reproduced_from=band.reproduced_from,
        contradicted_up_to=band.contradicted_up_to,
        margins=margins,
        p_reproduced=max(upper_tail(D - h + d, *own), upper_tail(D - h - d, *own)),
        contradictions=(Route(reason="minimum_effect", p=max(p_contradicted)),),
        if_undecided=undecided,
    )


def exactly(distance: Fraction, *, margin: float, half_unit: Fraction) -> Decision:
    """Without noise: |d| <= D - h is reproduced, |d| > D + h contradicted; the rounding decides in between.

    D = h asks for "the same printed digits": |d| <= h, our value lies in the rounding interval of the target.
    Rational arithmetic, so that "on the margin" is on the margin.
    """
    D, h = Fraction(repr(float(margin))), half_unit
    if abs(distance) <= (h if h == D else D - h):
        return Decision("reproduced", "deterministic")
    if abs(distance) > D + h:
        return Decision("contradicted", "deterministic")
    return Decision("inconclusive", "straddles_margin")


def checked(margin: float, *, paper_runs: int) -> None:
    """Raises ValueError for a negative or infinite margin, or fewer than one paper run."""
    if not (math.isfinite(margin) and margin >= 0.0):
        raise ValueError(f"a margin is a finite number of points, at least 0, got {margin!r}")
    if paper_runs < 1:
        raise ValueError(f"a printed number has at least one run behind it, got {paper_runs!r}")
