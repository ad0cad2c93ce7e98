"""From p-values to one of three outcomes: reproduced, contradicted, inconclusive.

Partitioning of the line into three hypotheses: Goeman, Solari and Stijnen 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from audit.stats.band import Margins

Outcome = Literal["reproduced", "contradicted", "inconclusive"]

#: Level of every test: 5 % for "reproduced" though it differs, 5 % for "contradicted" though it does not.
ALPHA = 0.05


@dataclass(frozen=True)
class Decision:
    outcome: Outcome
    reason: str
    """Reason code, e.g. `tost` or `too_few_seeds`."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """One way to contradict a claim: its reason code and its p-value."""

    reason: str
    p: float


@dataclass(frozen=True, kw_only=True)
class Decidable:
    """What every test of a claim has: two p-values, or the reason why there is no verdict to be had.

    The hypotheses split the line in three: the null of `p_reproduced` is "they differ by the margin or more",
    that of `p_contradicted` "by the margin or less" (partitioning, Goeman, Solari and Stijnen 2010). One of
    them is true, so the two tests share no error and each has the full level. Rejecting neither is
    *inconclusive*; a difference that is not significant is never *reproduced*. Where the nulls leave a region
    between them (orders) both may be rejected, which is *inconclusive* too: `if_both`.
    """

    p_reproduced: float | None = None
    contradictions: tuple[Route, ...] = ()
    """In order of precedence; the first significant one names the reason."""
    cap: str | None = None
    """Reason code that forbids a decision, whatever the p-values: `too_few_seeds`, `no_spread`, ..."""
    exact: Decision | None = None
    """Set where nothing is random: then there are no p-values and no error to share."""
    if_reproduced: str = "tost"
    if_undecided: str = "undecided"
    if_both: str | None = None
    """Reason code where both p-values are small; None where they cannot be."""
    margins: Margins | None = None
    """How the p-values depend on the margin; None for a test without one."""

    @property
    def p_contradicted(self) -> float | None:
        """The smallest p of the routes: they cannot both be likely at one true difference, so no factor."""
        return min((route.p for route in self.contradictions), default=None)

    @property
    def testable(self) -> bool:
        """True when the p-values may decide: only these claims belong to the families of a paper."""
        return self.cap is None and self.exact is None and self.p_reproduced is not None

    def decide(
        self, *, p_reproduced: float | None = None, p_contradicted: float | None = None, alpha: float = ALPHA
    ) -> Decision:
        """The outcome at level `alpha`, by the adjusted p-values where given, else by the raw ones."""
        if self.exact is not None:
            return self.exact
        raw_reproduced, raw_contradicted = self.p_reproduced, self.p_contradicted
        if self.cap is not None or raw_reproduced is None or raw_contradicted is None:
            return Decision("inconclusive", self.cap or self.if_undecided)
        p_reproduced = raw_reproduced if p_reproduced is None else p_reproduced
        p_contradicted = raw_contradicted if p_contradicted is None else p_contradicted
        if self.if_both and max(raw_reproduced, raw_contradicted) <= alpha:
            return Decision("inconclusive", self.if_both)
        if p_reproduced <= alpha:
            return Decision("reproduced", self.if_reproduced)
        if p_contradicted <= alpha:
            stretch = p_contradicted / raw_contradicted if raw_contradicted > 0.0 else 1.0
            return Decision("contradicted", self._route(stretch, alpha))
        if min(raw_reproduced, raw_contradicted) <= alpha:
            return Decision("inconclusive", "multiplicity")
        return Decision("inconclusive", self.if_undecided)

    def decide_by(self, reproduce: float, contradict: float, *, alpha: float = ALPHA) -> Decision:
        """Where the raw p-values must reach these levels, which the other claims of the paper leave."""
        raw = (self.p_reproduced, reproduce), (self.p_contradicted, contradict)
        rep, con = (None if p is None else min(1.0, p * alpha / level) for p, level in raw)
        return self.decide(p_reproduced=rep, p_contradicted=con, alpha=alpha)

    def _route(self, stretch: float, alpha: float) -> str:
        """The first route that is still significant when its p grows as the smallest one did."""
        best = min(self.contradictions, key=lambda route: route.p)
        return next(
            (r.reason for r in self.contradictions if r is best or r.p * stretch <= alpha), best.reason
        )
