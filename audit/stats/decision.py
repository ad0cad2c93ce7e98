"""From p-values to one of three outcomes, the margins at which they turn, and the steps that led to them.

Partitioning of the line into three hypotheses: Goeman, Solari and Stijnen 2010.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol

from audit.stats.sample import quantile, upper_tail

if TYPE_CHECKING:
    from audit.stats.power import Question

Outcome = Literal["reproduced", "contradicted", "inconclusive"]

#: Level of every test: 5 % for "reproduced" though it differs, 5 % for "contradicted" though it does not.
ALPHA = 0.05


# --------------------------------------------------------------------------- steps


@dataclass(frozen=True)
class Step:
    """One number of a derivation: `se = sqrt(s^2 / n) = sqrt(0.2371^2 / 3) = 0.1369`.

    The formula is a pattern whose symbols are filled in from `numbers`. Filled in it can be worked out by
    hand or machine: + - * / ^, sqrt, abs, max, min, exp, `P[t(df) >= x]` and `P[z >= x]` for the upper tails
    of Student's t and the normal distribution, `t(p; df)` and `z(p)` for their quantiles, `Holm(p, ...)` for
    adjusted p-values, `PC(u; p, ...)` for the p of "at least u of these", `L(...)` and `Page(...)` for Page's
    statistic and its exact p, `Bin(n; k)` for P[Bin(n, 1/2) <= k].
    """

    name: str
    pattern: str
    value: float
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """Symbol of the pattern -> a number, several (they are listed), or text; empty where nothing is to be
    filled."""
    df: float | None = None
    """Of the t in the pattern."""
    text: Callable[[], str] | None = None
    """The filled-in formula where no pattern gives it."""

    @property
    def formula(self) -> str:
        return self.pattern.replace(" * ", " ")

    @property
    def filled(self) -> str:
        """Empty where there is no such expression."""
        if self.text is not None:
            return self.text()
        if not self.numbers:
            return ""
        filled = _SYMBOL.sub(self._filled_in, self.pattern)
        if self.df is None:
            return filled
        normal = math.isinf(self.df)
        filled = _QUANTILE.sub(r"z(\1)" if normal else rf"t(\1; {num(self.df)})", filled)
        return filled.replace("P[t >=", "P[z >=" if normal else f"P[t({num(self.df)}) >=")

    def _filled_in(self, symbol: re.Match[str]) -> str:
        if symbol[0] not in self.numbers:
            return symbol[0]
        text = _shown(self.numbers[symbol[0]])
        after_minus = symbol.string[: symbol.start()].rstrip().endswith("-")
        return f"({text})" if after_minus and text.startswith("-") else text

    def __str__(self) -> str:
        parts = dict.fromkeys((self.name, self.formula, self.filled, num(self.value)))
        return " = ".join(part for part in parts if part)


_SYMBOL = re.compile(r"(?<!\w)[A-Za-z]\w*(?![\w(\[])")
_QUANTILE = re.compile(r"(?<!\w)t\(([0-9.]+)\)")


def _grouped(expression: str) -> str:
    return expression if expression.lstrip("-").isidentifier() else f"({expression})"


def num(x: float) -> str:
    """Eight significant digits, which lose nothing that a reader would see."""
    return f"{x:.8g}"


def percent(share: float) -> str:
    """0.9 as `90 %`, 0.975 as `97.5 %`."""
    return f"{100.0 * share:.6g} %"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return num(value) if isinstance(value, int | float) else ", ".join(map(num, value))


class Steps(list[Step]):
    """The steps of one test, in their order; each call notes one and gives its number back."""

    def note(
        self,
        name: str,
        pattern: str,
        value: float,
        *,
        df: float | None = None,
        text: Callable[[], str] | None = None,
        **numbers: Any,
    ) -> float:
        self.append(Step(name, pattern, value, numbers, df, text))
        return value

    def tail(
        self, name: str, distance: str, value: float, se: float, df: float, *, by: str = "se", **numbers: Any
    ) -> float:
        """P[t >= distance / se], `value` the distance."""
        numbers |= {by: se}
        return self.note(
            name, f"P[t >= {_grouped(distance)} / {by}]", upper_tail(value, se, df), df=df, **numbers
        )

    def doubled(
        self, name: str, distance: str, value: float, se: float, df: float, *, by: str = "se", **numbers: Any
    ) -> float:
        """min(1, 2 P[t >= distance / se])."""
        p = min(1.0, 2.0 * upper_tail(value, se, df))
        return self.note(
            name, f"min(1, 2 * P[t >= {_grouped(distance)} / {by}])", p, df=df, **numbers | {by: se}
        )

    def larger(self, name: str, first: str, second: str) -> float:
        """The larger of two numbers that were noted before."""
        values: dict[str, Any] = {
            it: next(step.value for step in reversed(self) if step.name == it) for it in (first, second)
        }
        return self.note(name, f"max({first}, {second})", max(values.values()), **values)

    def interval(
        self, name: str, symbol: str, centre: float, se: float, df: float, *, level: float, by: str = "se"
    ) -> tuple[float, float]:
        """Both ends of centre -+ t se, of coverage `level`."""
        p = 0.5 + level / 2.0
        half = quantile(p, df) * se
        numbers: dict[str, Any] = {symbol: centre, by: se}
        low = self.note(f"{name}, from", f"{symbol} - t({num(p)}) * {by}", centre - half, df=df, **numbers)
        return low, self.note(
            f"{name}, to", f"{symbol} + t({num(p)}) * {by}", centre + half, df=df, **numbers
        )

    def intervals(self, symbol: str, centre: float, se: float, df: float, *, alpha: float) -> dict[str, Any]:
        """The intervals that go with the one-sided and with the two-sided test at `alpha`."""
        levels = {"ci90": 1.0 - 2.0 * alpha, "ci95": 1.0 - alpha}
        return {
            key: self.interval(f"{percent(it)} interval", symbol, centre, se, df, level=it)
            for key, it in levels.items()
        }


# --------------------------------------------------------------------------- outcomes


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
class Test:
    """What came of the test of one claim: two p-values, or the reason why there is no verdict to be had.

    The hypotheses split the line in three: the null of `p_reproduced` is "they differ by the margin or more",
    that of `p_contradicted` "by the margin or less" (partitioning, Goeman, Solari and Stijnen 2010). One of
    them is true, so the two tests share no error and each has the full level. Rejecting neither is
    *inconclusive*; a difference that is not significant is never *reproduced*. Where the nulls leave a region
    between them (orders) both may be rejected, which is *inconclusive* too: `if_both`.
    """

    __test__ = False  # for pytest

    estimate: float | None = None
    """A mean, a difference of two means, a ratio, an exponent: what the kind is about."""
    target: float | None = None
    """What is printed or claimed of it."""
    margin: float | None = None
    """As used."""
    sd: float | None = None
    se: float | None = None
    df: float | None = None
    ci90: tuple[float, float] | None = None
    """Coverage 1 - 2 alpha: the interval of the one-sided tests at this level."""
    ci95: tuple[float, float] | None = None
    """Coverage 1 - alpha."""
    pi95: tuple[float, float] | None = None
    """Where the mean of the paper's runs would lie."""
    medians: tuple[float | None, ...] = ()
    parts: tuple[Any, ...] = ()
    """`record.Part` of each comparison that the claim is made of."""
    badges: tuple[str, ...] = ()
    """Short warnings that belong beside the verdict."""
    steps: Sequence[Step] = ()
    """How the numbers came about, in order."""
    question: Question | None = None
    """What the test asks of the means, for its power; None where seeds cannot be planned."""
    untested: str | None = None
    """Reason code where the numbers are shown and no test is made of them."""

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
        return (
            self.cap is None
            and self.exact is None
            and self.p_reproduced is not None
            and self.untested is None
        )

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


# --------------------------------------------------------------------------- bands of margins


@dataclass(frozen=True)
class Band:
    """Margins that give an outcome, in points; None for an end that the kind of test does not have.

    The tests are inverted for the margin (duality of tests and intervals, Lehmann and Romano 2005, section
    3.5).
    """

    reproduced_from: float | None = None
    reproduced_up_to: float | None = None
    """0.0 for none."""
    contradicted_from: float | None = None
    contradicted_up_to: float | None = None
    """0.0 for none."""


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

    def note(self, steps: Steps, d: str, signed: float, *, alpha: float, by: str = "se") -> None:
        """D_R and D_C; `d` is the symbol of the difference, `signed` its value, `by` that of the second
        error."""
        band, q = self.band(alpha, alpha), 1.0 - alpha / 2.0
        se, df = self.own
        plus, minus = (" + h", " - h") if self.half_unit else ("", "")
        numbers: dict[str, Any] = {d: signed, "h": self.half_unit}
        low = f"0, since the margin in use is {num(self.floor)} or more"
        if band.reproduced_from:
            pattern = f"abs({d}) + t({num(1.0 - alpha)}) * se{plus}"
            steps.note("D_R", pattern, band.reproduced_from, df=df, se=se, **numbers)
        else:
            steps.note("D_R", low, 0.0)
        wide, wide_df = max(self.predicted, key=lambda it: quantile(q, it[1]) * it[0])
        if self.floor and not band.contradicted_up_to:
            steps.note("D_C", low, 0.0)
        else:
            pattern = f"max(0, abs({d}) - t({num(q)}) * {by}{minus})"
            steps.note("D_C", pattern, band.contradicted_up_to or 0.0, df=wide_df, **numbers | {by: wide})


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
