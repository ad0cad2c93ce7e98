"""Claims of "significantly better": the order holds, and the difference is more than the margin.

A test against a minimum effect instead of none: Murphy and Myors 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.stats.band import Exceeds
from audit.stats.decision import ALPHA
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
    test = order(
        better,
        worse,
        printed_gap=printed_gap,
        negligible=margin,
        pair=pair,
        deterministic=deterministic,
        alpha=alpha,
    )
    if test.exact is not None and test.exact.outcome == "reproduced" and test.difference <= margin + SAME:
        return replace(test, exact=replace(test.exact, outcome="inconclusive", reason="straddles_margin"))
    if test.p_reproduced is None or test.se is None or test.df is None or test.p_reversed is None:
        return test
    difference = paired(better, worse) if pair else welch(better, worse)
    margins = Exceeds(test.difference, test.se, test.df, test.p_reversed, printed_gap)
    above = difference.above(margin)
    return replace(test, p_reproduced=above, if_reproduced="exceeds_margin", margins=margins)
