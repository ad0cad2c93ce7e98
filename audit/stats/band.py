"""Where another margin would change a verdict: the margins at which the p-values reach given levels.

The tests are inverted for the margin (duality of tests and intervals, Lehmann and Romano 2005, section 3.5).
Taken alone both levels are the one of the look; among the other claims of a paper they are what these leave
(`threshold`), the others being held fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from audit.stats.decision import Outcome
from audit.stats.student import quantile


@dataclass(frozen=True)
class Band:
    """Margins that give an outcome, in points; None for an end that the kind of test does not have."""

    reproduced_from: float | None = None
    reproduced_up_to: float | None = None
    """0.0 for none."""
    contradicted_from: float | None = None
    contradicted_up_to: float | None = None
    """0.0 for none."""

    def outcome(self, margin: float) -> Outcome:
        """What the test says at `margin`; the ends belong to it."""
        if _between(margin, self.reproduced_from, self.reproduced_up_to):
            return "reproduced"
        if _between(margin, self.contradicted_from, self.contradicted_up_to):
            return "contradicted"
        return "inconclusive"


def _between(margin: float, low: float | None, high: float | None) -> bool:
    if low is None and high is None:
        return False
    return (low is None or margin >= low) and (high is None or 0.0 < margin <= high)


class Margins(Protocol):
    """A test as it depends on its margin."""

    def band(self, reproduce: float, contradict: float) -> Band:
        """The margins at which p_reproduced and p_contradicted are at most these levels."""
        ...


@dataclass(frozen=True)
class Within:
    """Is the size of a difference within the margin? Values, gaps, equivalence, exponents.

    D_R = |d| + t(1 - a) se + h                                       p_rep <= a  iff  D >= D_R
    D_C = max(0, |d| - max over readings of t(1 - a / 2) se_pred - h) p_con <= a  iff  D <= D_C
    """

    distance: float
    """|d|"""
    own: tuple[float, float]
    """(se, df) of p_rep."""
    predicted: Sequence[tuple[float, float]]
    """(se, df) of p_con, once for each reading of the printed spread."""
    half_unit: float = 0.0
    floor: float = 0.0
    """The least margin that is used, whatever is fixed."""

    def band(self, reproduce: float, contradict: float) -> Band:
        luck = max(_t(1.0 - contradict / 2.0, df) * se for se, df in self.predicted)
        se, df = self.own
        start = self.distance + _t(1.0 - reproduce, df) * se + self.half_unit
        end = max(0.0, self.distance - luck - self.half_unit)
        return Band(
            reproduced_from=0.0 if start <= self.floor else start,
            contradicted_up_to=0.0 if end < self.floor else end,
        )


@dataclass(frozen=True)
class NoLoss:
    """Is the difference above minus the margin?

    D_R = max(0, t(1 - a) se - d), D_C = max(0, -d - t(1 - a / 2) se)
    """

    difference: float
    se: float
    df: float

    def band(self, reproduce: float, contradict: float) -> Band:
        return Band(
            reproduced_from=max(0.0, _t(1.0 - reproduce, self.df) * self.se - self.difference),
            contradicted_up_to=max(0.0, -self.difference - _t(1.0 - contradict / 2.0, self.df) * self.se),
        )


@dataclass(frozen=True)
class Exceeds:
    """Is the difference above the margin? Here a small margin reproduces.

    reproduced      up to  d - t(1 - a) se
    contradicted    from |d| + t(1 - a) se on, as far as the printed gap is above 2 D;
                    at every margin where the order is reversed
    """

    difference: float
    se: float
    df: float
    p_reversed: float
    printed_gap: float | None = None

    def band(self, reproduce: float, contradict: float) -> Band:
        up_to = max(0.0, self.difference - _t(1.0 - reproduce, self.df) * self.se)
        if self.p_reversed <= contradict:
            return Band(reproduced_up_to=up_to, contradicted_from=0.0)
        small = abs(self.difference) + _t(1.0 - contradict, self.df) * self.se
        half = (self.printed_gap or 0.0) / 2.0
        if small >= half:
            return Band(reproduced_up_to=up_to, contradicted_up_to=0.0)
        return Band(reproduced_up_to=up_to, contradicted_from=small, contradicted_up_to=half)


def _t(probability: float, df: float) -> float:
    return quantile(min(probability, 1.0), df)
