"""Value claims, "the metric is v": are our runs within the margin D of the printed number?

Notation: x_1..x_n our runs, mean and SD s (n - 1), dbar = mean - v, h half a unit of v's last decimal, m runs
of the paper behind v. TOST is Schuirmann 1987; the minimum-effect test is its mirror (Murphy and Myors 1999).
h enters against us both ways: `83.6` may be anything from 83.55 to 83.65.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.stats.decision import Decidable, Decision, Route
from audit.stats.instance import OtherSplit, instance_se, satterthwaite
from audit.stats.printed import Printed
from audit.stats.sample import PooledSD, sample, small_sample_cap
from audit.stats.student import interval, quantile, upper_tail


@dataclass(frozen=True, kw_only=True)
class ValueTest(Decidable):
    """The comparison of a mean over seeds with a printed number; None where one run gives no estimate."""

    n: int
    mean: float
    difference: float
    """dbar = mean - v."""
    half_unit: float
    margin: float
    sd: float | None = None
    se: float | None = None
    """Of the mean over seeds, and over documents too on another split."""
    df: float | None = None
    ci90: tuple[float, float] | None = None
    """Of the mean; the one that TOST compares with v -+ (D - h)."""
    ci95: tuple[float, float] | None = None
    pi95: tuple[float, float] | None = None
    """Where the mean of m further runs would lie."""
    reproduced_from: float | None = None
    """D_R: the smallest margin at which this test says reproduced."""
    contradicted_up_to: float | None = None
    """D_C: the largest margin at which this test says contradicted; 0.0 for none."""


def value(
    runs: Sequence[float],
    *,
    reported: Printed,
    margin: float,
    paper_runs: int = 1,
    pooled: PooledSD | None = None,
    deterministic: bool = False,
    other_split: OtherSplit | None = None,
) -> ValueTest:
    """Two tests around a printed number, of which at most one can reject.

        p_rep = max(P[t >= (D - h + dbar) / se], P[t >= (D - h - dbar) / se])    se = s sqrt(1/n)
        p_con = min(1, 2 P[t >= (|dbar| - (D + h)) / se_pred])                   se_pred = s sqrt(1/n + 1/m)

    The asymmetry is meant: *reproduced* is about the number as printed, *contradicted* must survive that the
    paper's number may be one lucky run. n = 1 or 2 never decides unless a usable `pooled` SD replaces s.
    On another split the instance noise of both test sets enters both variances.

    Runs that are all equal (s = 0) without being declared `deterministic` are capped as `no_spread`: either
    the metric is too coarse to show what the seed changes, or the seed is not used. Both ways s = 0 is no
    estimate of the noise, and with it either test would be infinitely sure of anything. Declared, and seen in
    two runs, equality is what it should be, and the comparison is exact.

    Raises ValueError for no runs, nan or infinity, a negative margin, or fewer than one paper run.
    """
    if not (math.isfinite(margin) and margin >= 0.0):
        raise ValueError(f"a margin is a finite number of points, at least 0, got {margin!r}")
    if paper_runs < 1:
        raise ValueError(f"a printed number has at least one run behind it, got {paper_runs!r}")
    ours = sample(runs)
    pool = pooled if pooled is not None and pooled.usable else None
    steady = deterministic and ours.sd == 0.0  # None, not 0.0, for one run
    plain = ValueTest(
        n=ours.n,
        mean=ours.mean,
        difference=ours.mean - float(reported.value),
        half_unit=float(reported.half_unit),
        margin=margin,
        sd=pool.sd if pool else ours.sd,
        cap=None if steady or pool else small_sample_cap(ours.n, still=ours.sd == 0.0),
    )
    if steady and other_split is None:
        return replace(plain, exact=_exact(ours.mean, reported=reported, margin=margin))
    if plain.sd is None or (plain.sd == 0.0 and not steady):
        return plain
    documents = _instance_variance(ours.mean, reported=reported, split=other_split)
    tested = _tests(plain, plain.sd, pool.df if pool else ours.df, documents=documents, paper_runs=paper_runs)
    return replace(tested, if_undecided="other_split") if other_split else tested


def _tests(plain: ValueTest, sd: float, df_sd: float, *, documents: float, paper_runs: int) -> ValueTest:
    """`plain` with its intervals and p-values; `documents` is the instance variance of the difference."""
    mean, d, h, D = plain.mean, plain.difference, plain.half_unit, plain.margin
    se, df = _error(sd * sd / plain.n, df_sd, documents)
    se_pred, df_pred = _error(sd * sd * (1.0 / plain.n + 1.0 / paper_runs), df_sd, documents)
    p_contradicted = min(1.0, 2.0 * upper_tail(abs(d) - (D + h), se_pred, df_pred))
    luck = quantile(0.975, df_pred) * se_pred
    return replace(
        plain,
        se=se,
        df=df,
        ci90=interval(mean, se, df, level=0.90),
        ci95=interval(mean, se, df, level=0.95),
        pi95=(mean - luck, mean + luck),
        reproduced_from=abs(d) + quantile(0.95, df) * se + h,
        contradicted_up_to=max(0.0, abs(d) - luck - h),
        p_reproduced=max(upper_tail(D - h + d, se, df), upper_tail(D - h - d, se, df)),
        contradictions=(Route(reason="minimum_effect", p=p_contradicted),),
        if_undecided="within_seed_spread" if abs(d) <= luck else "straddles_margin",
    )


def _exact(mean: float, *, reported: Printed, margin: float) -> Decision:
    """Without noise: |d| <= D - h is reproduced, |d| > D + h contradicted; the rounding decides in between.

    D = h asks for "the same printed digits": |d| <= h, our value lies in the rounding interval of v. Rational
    arithmetic on the shortest decimal form of our value, so that "on the margin" is on the margin.
    """
    distance = abs(Fraction(repr(mean)) - reported.value)
    D, h = Fraction(repr(float(margin))), reported.half_unit
    if distance <= (h if h == D else D - h):
        return Decision("reproduced", "deterministic")
    if distance > D + h:
        return Decision("contradicted", "deterministic")
    return Decision("inconclusive", "straddles_margin")


def _instance_variance(mean: float, *, reported: Printed, split: OtherSplit | None) -> float:
    """Variance of the difference that two different test sets add, in points squared."""
    if split is None:
        return 0.0
    paper = instance_se(float(reported.value), documents=split.documents_paper)
    ours = instance_se(mean, documents=split.documents_ours)
    return paper * paper + ours * ours


def _error(seeds: float, df: float, documents: float) -> tuple[float, float]:
    """Standard error and degrees of freedom of two variances, the second of which is known."""
    return math.sqrt(seeds + documents), satterthwaite(((seeds, df), (documents, math.inf)))
