"""Gap claims, "A is better than B by g": the rule for values, applied to the difference of two arms.

A paper can have its order reproduced and its gap contradicted: those are two claims.

The tests are those of `target` (Schuirmann 1987; Murphy and Myors 1999) with the error of Welch 1947.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.stats.decision import ALPHA
from audit.stats.difference import welch
from audit.stats.printed import Printed
from audit.stats.printed import gap as printed_gap
from audit.stats.sample import sample
from audit.stats.target import Error, TargetTest, around, checked, error, exactly


@dataclass(frozen=True, kw_only=True)
class GapTest(TargetTest):
    """The comparison of our gap with the printed one; `margin` is the one that was used."""

    gap: float
    """Ours: mean of the better arm minus mean of the worse one."""
    claimed: float
    """The printed one."""


def gap_size(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    printed_better: Printed,
    printed_worse: Printed,
    margin: float,
    paper_runs: int = 1,
    paper_sd_ratio: float = 1.0,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> GapTest:
    """Is our gap within the margin of the printed gap g? By the tests of `target`, with Welch's error.

        D = max(margin, |g| / 2)        half a large gap is still the effect that was claimed
        h = h_A + h_B                   both printed numbers are rounded
        se^2      = sA^2 / nA + sB^2 / nB
        se_pred^2 = sA^2 (1/nA + r^2/m) + sB^2 (1/nB + r^2/m)     each arm of the paper is a draw as well

    with r = `paper_sd_ratio`, as in `value`.

    Half of the gap as the margin is the analogue of "small telescopes" (Simonsohn 2015). Fewer than 3 runs in
    an arm never decide, nor do two arms without any spread, unless they are declared `deterministic`.
    Raises ValueError for an empty arm, nan or infinity, a negative margin, or fewer than one paper run.
    """
    checked(margin, paper_runs=paper_runs)
    a, b, d = sample(better), sample(worse), welch(better, worse)
    claimed = printed_gap(printed_better, printed_worse)
    half_unit = printed_better.half_unit + printed_worse.half_unit
    plain = GapTest(
        gap=d.value,
        claimed=float(claimed),
        difference=d.value - float(claimed),
        half_unit=float(half_unit),
        margin=float(max(Fraction(repr(float(margin))), abs(claimed) / 2)),
        se=d.se,
        df=d.df,
        cap=d.cap,
    )
    if deterministic and d.still:
        distance = Fraction(repr(a.mean)) - Fraction(repr(b.mean)) - claimed
        return replace(plain, cap=None, exact=exactly(distance, margin=plain.margin, half_unit=half_unit))
    if not d.estimated or d.se is None or d.df is None:
        return plain
    theirs = paper_sd_ratio**2 / paper_runs
    predicted = error(*((arm.variance * (1.0 / arm.n + theirs), arm.df) for arm in (a, b)))
    floor = abs(float(claimed)) / 2.0
    own = Error(d.se, d.df)
    return around(plain, d.value, own=own, predicted=[predicted], floor=floor, alpha=alpha)
