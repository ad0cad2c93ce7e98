"""Claims of "significantly better": the order holds, and the difference is more than the margin.

A test against a minimum effect instead of none: Murphy and Myors 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.stats.band import Exceeds
from audit.stats.decision import ALPHA, Decision, Route
from audit.stats.difference import paired, welch
from audit.stats.order import OrderTest, order
from audit.stats.sample import SAME


def significant(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    margin: float,
    printed_gap: float | None = None,
    pair: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> OrderTest:
    """The order test whose null hypothesis is "better by the margin D or less", instead of "not better".

        reproduced     iff one-sided P[t >= (d - D) / se] <= alpha      (`exceeds_margin`)
        contradicted   iff the order is reversed, or (printed gap > 2 D) the difference lies within -+ D

    A paper that calls a difference significant says that it is there and that it matters; seeds decide the
    first, the margin the second. Of deterministic arms the difference itself is compared with D.
    Raises ValueError as `order`, and for a margin that is not above 0.
    """
    if not margin > 0.0:
        raise ValueError(f"a margin is above 0, got {margin!r}")
    test = order(better, worse, negligible=margin, pair=pair, deterministic=deterministic, alpha=alpha)
    weighty = printed_gap is not None and printed_gap > 2.0 * margin
    if test.exact is not None:
        return replace(test, exact=_exact(test.difference, margin, weighty=weighty))
    if test.p_reproduced is None or test.se is None or test.df is None or test.p_reversed is None:
        return test
    difference = paired(better, worse) if pair else welch(better, worse)
    margins = Exceeds(test.difference, test.se, test.df, test.p_reversed, printed_gap)
    above = difference.above(margin)
    routes = [Route(reason="reversed", p=test.p_reversed)]
    if weighty and test.p_negligible is not None:
        routes.append(Route(reason="negligible", p=test.p_negligible))
    return replace(
        test,
        p_reproduced=above,
        contradictions=tuple(routes),
        if_reproduced="exceeds_margin",
        if_both=None,
        margins=margins,
    )


def _exact(d: float, margin: float, *, weighty: bool) -> Decision:
    if d > margin + SAME:
        return Decision("reproduced", "direction")
    if d > SAME:
        return Decision("inconclusive", "straddles_margin")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    return Decision("contradicted", "negligible") if weighty else Decision("inconclusive", "undecided")
