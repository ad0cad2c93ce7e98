"""Value claims, "the metric is v": are our runs within the margin D of the printed number?

Notation: x_1..x_n our runs, mean and SD s (n - 1), dbar = mean - v, h half a unit of v's last decimal, m runs
of the paper behind v. The tests are those of `target`.

The asymmetry of the two errors is that of replication and prediction intervals (Spence and Stanley 2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.stats.decision import ALPHA
from audit.stats.instance import OtherSplit, instance_se
from audit.stats.printed import Printed
from audit.stats.sample import sample, small_sample_cap
from audit.stats.spread import Spread
from audit.stats.target import TargetTest, around, checked, error, exactly

INFINITE = float("inf")


@dataclass(frozen=True, kw_only=True)
class ValueTest(TargetTest):
    """The comparison of a mean over seeds with a printed number; None where one run gives no estimate."""

    n: int
    mean: float
    sd: float | None = None


def value(
    runs: Sequence[float],
    *,
    reported: Printed,
    margin: float,
    paper_runs: int = 1,
    paper_sd_ratio: float = 1.0,
    spread: Spread | None = None,
    noise: tuple[float, float] | None = None,
    deterministic: bool = False,
    other_split: OtherSplit | None = None,
    alpha: float = ALPHA,
) -> ValueTest:
    """Two tests around a printed number, of which at most one can reject (formulas in `target.around`).

        se      = s sqrt(1/n)             of p_rep
        se_pred = s sqrt(1/n + r^2/m)     of p_con, r = `paper_sd_ratio`

    The asymmetry is meant: *reproduced* is about the number as printed, *contradicted* must survive that the
    paper's number may be one lucky run. n = 1 or 2 never decides, unless `noise` gives (s, its degrees of
    freedom) from other runs. The SD of the paper's runs is not known: r says how much larger than ours it may
    be.
    On another split the instance noise of both test sets enters both variances. Its known variance raises
    Satterthwaite's degrees of freedom, which may outweigh it: a contradiction must then hold for the seeds
    alone too, so that another split never contradicts what the same runs on the paper's own would leave open.

    Where the paper prints v -+ `spread` over its m runs, its own SD s_p takes the place of ours in the
    paper's part: se_pred = sqrt(s^2/n + s_p^2/m), Satterthwaite's degrees of freedom (Welch of summary data).
    Where it does not say what it prints, a contradiction must hold for SD, standard error and 95 % interval
    alike; if it holds for some only, the reason is `ambiguous_spread`.

    Runs that are all equal (s = 0) without being declared `deterministic` are capped as `no_spread`: either
    the metric is too coarse to show what the seed changes, or the seed is not used. Both ways s = 0 is no
    estimate of the noise, and with it either test would be infinitely sure of anything. Declared, and seen in
    two runs, equality is what it should be, and the comparison is exact, unless the paper's runs do vary.

    Raises ValueError for no runs, nan or infinity, a negative margin, fewer than one paper run, or a spread
    of fewer than two.
    """
    checked(margin, paper_runs=paper_runs)
    ours = sample(runs)
    steady = deterministic and ours.sd == 0.0  # None, not 0.0, for one run
    sd, df = noise if noise and not steady else (ours.sd, ours.df)
    plain = ValueTest(
        n=ours.n,
        mean=ours.mean,
        difference=ours.mean - float(reported.value),
        half_unit=float(reported.half_unit),
        margin=margin,
        sd=sd,
        cap=None if steady or noise else small_sample_cap(ours.n, still=ours.sd == 0.0),
    )
    if steady and other_split is None and spread is None:
        distance = Fraction(repr(ours.mean)) - reported.value  # of the shortest decimal form of our value
        return replace(plain, exact=exactly(distance, margin=margin, half_unit=reported.half_unit))
    if sd is None or (sd == 0.0 and not steady):
        return plain
    variance = sd * sd
    documents = (_instance_variance(ours.mean, reported=reported, split=other_split), INFINITE)
    if spread is None:
        seeds = [[(variance * (1.0 / ours.n + paper_sd_ratio**2 / paper_runs), df)]]
    else:
        sds = spread.sds(paper_runs).values()
        seeds = [[(variance / ours.n, df), (theirs * theirs / paper_runs, paper_runs - 1)] for theirs in sds]
    predicted = [error(*parts, documents) for parts in seeds]
    if other_split and not steady:
        predicted += [error(*parts) for parts in seeds]
    own = error((variance / ours.n, df), documents)
    tested = around(plain, ours.mean, own=own, predicted=predicted, alpha=alpha)
    return replace(tested, if_undecided="other_split") if other_split else tested


def _instance_variance(mean: float, *, reported: Printed, split: OtherSplit | None) -> float:
    """Variance of the difference that two different test sets add, in points squared."""
    if split is None:
        return 0.0
    paper = instance_se(float(reported.value), documents=split.documents_paper)
    ours = instance_se(mean, documents=split.documents_ours)
    return paper * paper + ours * ours
