"""From p-values to one of three outcomes (Goeman, Solari and Stijnen 2010), with the steps."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from audit.stats.sample import quantile, upper_tail

if TYPE_CHECKING:
    from types import CodeType

    from audit.stats.power import Question

Outcome = Literal["reproduced", "contradicted", "inconclusive"]

#: Level of every test: 5% for "reproduced" though it differs, 5% for "contradicted" though it does not.
ALPHA = 0.05

_SYMBOL = re.compile(r"(?<!\w)[A-Za-z]\w*(?![\w(\[])")
_QUANTILE = re.compile(r"(?<!\w)t\(([\w.]+)\)")
_TAIL = re.compile(r"P\[t >= (.+) / (\w+)\]")
_FILLED_TAIL = re.compile(r"P\[(?:t\((.+?)\)|z) >= (.+?)\]")
_DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]\d+)?")


@dataclass(frozen=True)
class Step:
    """One number of a derivation: `se = sqrt(s^2 / n) = sqrt(0.2371^2 / 3) = 0.1369`. Filled in, a formula
    can be worked out by hand or machine: + - * / ^, sqrt, abs, max, min, exp, `P[t(df) >= x]` and `P[z >= x]`
    for the upper tails of Student's t and the normal distribution, `t(p; df)` and `z(p)` for their quantiles,
    `Holm(p, ...)` for adjusted p-values, `PC(u; p, ...)` for the p of "at least u of these", `L(...)` and
    `Page(...)` for Page's statistic and its exact p."""

    name: str
    pattern: str
    value: float
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """Symbol of the pattern -> what is filled in: a number, several (they are listed), or text."""
    df: float | None = None  # Of the t in the pattern.
    text: Callable[[], str] | None = None  # The filled-in formula where no pattern gives it.

    @property
    def formula(self) -> str:
        return self.pattern.replace(" * ", " ")

    @property
    def filled(self) -> str:
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

    @property
    def printed(self) -> tuple[str, str]:
        """What is filled in and what it comes to, with five digits of each, three of a p-value; with more of
        the first where the line, worked out as printed, would not give the second."""
        filled, digits = self.filled, 3 if "p_" in self.name else 5
        value = f"{self.value:.{digits}g}"
        for kept in () if "([" in filled else (5, 6, 7):  # ranks of runs may hang on any digit
            text = _DECIMAL.sub(lambda number, kept=kept: f"{float(number[0]):.{kept}g}", filled)  # type: ignore[misc]
            if not text or f"{worked_out(text):.{digits}g}" == value:
                return text, value
        return filled, value

    def _filled_in(self, symbol: re.Match[str]) -> str:
        if symbol[0] not in self.numbers:
            return symbol[0]
        value = self.numbers[symbol[0]]
        if isinstance(value, Sequence) and not isinstance(value, str):
            return nums(value)
        text = value if isinstance(value, str) else num(value)
        after_minus = symbol.string[: symbol.start()].rstrip().endswith("-")
        return f"({text})" if after_minus and text.startswith("-") else text

    def __str__(self) -> str:
        parts = dict.fromkeys((self.name, self.formula, self.filled, num(self.value)))
        return " = ".join(part for part in parts if part)


def worked_out(filled: str) -> float:
    """What a filled-in formula comes to; see `Step` for what may stand in it."""
    python = _FILLED_TAIL.sub(lambda tail: f"tail({tail[2]}, 1, {tail[1] or 'inf'})", filled)
    return float(eval(python.replace("^", "**").replace(";", ","), _FUNCTIONS))


def num(x: float) -> str:
    """Eight significant digits, which lose nothing that a reader would see."""
    return f"{x:.8g}"


def nums(values: Sequence[float], between: str = ", ") -> str:
    return between.join(map(num, values))


def percent(share: float, digits: int = 6) -> str:
    """0.9 as `90%`, 0.975 as `97.5%`."""
    return f"{100.0 * share:.{digits}g}%"


class Steps(list[Step]):
    """The steps of one test, in their order. A formula is written once, as text, and worked out from it.

        steps = Steps(alpha=0.05, d=1.66, se=0.2, D=0.5)
        steps.work("p_rep", "P[t >= (d - D) / se]", df=4)       # notes the step, and gives 0.0022

    A symbol is a number that was given, a step before, or `one` and `two`: 1 - alpha and 1 - alpha / 2."""

    def __init__(self, alpha: float = ALPHA, **known: Any) -> None:
        super().__init__()
        self.alpha = alpha
        self.known = {"one": 1.0 - alpha, "two": 1.0 - alpha / 2.0, **known}
        self.label = ""
        """Stands before the names of the steps that follow, and tells them from others of these names."""

    def work(self, name: str, pattern: str, df: float | None = None, **numbers: Any) -> float:
        """The number that `pattern` comes to; `df` of the t in it."""
        known = self.known | numbers if numbers else self.known
        code, symbols, sided = _compiled(pattern)
        used = {symbol: known[symbol] for symbol in symbols}
        value = float(eval(code, _FUNCTIONS, {**used, "df": df} if df is not None else used))
        if sided:  # of formulas too, the probability is shown
            pattern = pattern.replace(f"t({sided})", f"t({num(used[sided])})")
        return self.note(name, pattern, value, df=df, **used)

    def note(
        self,
        name: str,
        pattern: str,
        value: float,
        text: Callable[[], str] | None = None,
        df: float | None = None,
        **numbers: Any,
    ) -> float:
        """A number that was worked out elsewhere; `text` is its formula with numbers, where there is one."""
        self.append(Step(self.label + name, pattern, value, numbers, df, text))
        self.known[name] = value
        return value

    def interval(
        self, name: str, centre: str, sided: str, df: float, *, se: str = "se", scale: str = "{}"
    ) -> tuple[float, float]:
        low, high = (scale.format(f"{centre} {sign} t({sided}) * {se}") for sign in "-+")
        return self.work(f"{name}, from", low, df), self.work(f"{name}, to", high, df)

    def intervals(self, centre: str, df: float, *, of: str = "", scale: str = "{}") -> dict[str, Any]:
        """The intervals that go with the one-sided and with the two-sided test; `scale` as in `exp({})`."""
        return {
            key: self.interval(f"{percent(level)} interval{of}", centre, sided, df, scale=scale)
            for key, level, sided in (
                ("ci90", 1.0 - 2.0 * self.alpha, "one"),
                ("ci95", 1.0 - self.alpha, "two"),
            )
        }

    def tail(self, name: str, distance: str, df: float, se: str = "se", *, doubled: bool = False) -> float:
        """P[t >= distance / se]; `doubled`, min(1, 2 P[t >= distance / se])."""
        plain = distance if distance.lstrip("-").isidentifier() else f"({distance})"
        p = f"P[t >= {plain} / {se}]"
        return self.work(name, f"min(1, 2 * {p})" if doubled else p, df)


@cache
def _compiled(pattern: str) -> tuple[CodeType, tuple[str, ...], str]:
    """The formula as Python, its symbols, and the one that is the probability of a quantile in it, if any."""
    python = _TAIL.sub(r"tail(\1, \2, df)", pattern.replace("^", "**"))
    python = _QUANTILE.sub(r"quantile(\1, df)", python)
    symbols = dict.fromkeys(_SYMBOL.findall(pattern.replace("P[t >=", "[")))
    sided = next((symbol for symbol in ("one", "two") if symbol in symbols), "")
    return compile(python, pattern, "eval"), tuple(symbols), sided


_FUNCTIONS: dict[str, Any] = {"__builtins__": {}, "abs": abs, "max": max, "min": min}
_FUNCTIONS |= {"sqrt": math.sqrt, "exp": math.exp, "tail": upper_tail, "quantile": quantile, "inf": math.inf}
_FUNCTIONS |= {"t": lambda p, df: quantile(p, df), "z": lambda p: quantile(p, math.inf)}
_FUNCTIONS |= {"Holm": lambda *p: holm(p), "PC": lambda u, *p: partial_conjunction(p, at_least=u)}


@dataclass(frozen=True)
class Decision:
    outcome: Outcome
    reason: str  # Reason code, e.g. `tost` or `too_few_seeds`.


@dataclass(frozen=True, kw_only=True)
class Route:
    """One way to contradict a claim: its reason code and its p-value."""

    reason: str
    p: float


@dataclass(frozen=True)
class Band:
    """Margins that give an outcome, in points; None for an end that the kind of test does not have. The test
    inverted for the margin (Lehmann and Romano 2005, section 3.5)."""

    reproduced_from: float | None = None
    reproduced_up_to: float | None = None  # 0.0 for none
    contradicted_from: float | None = None
    contradicted_up_to: float | None = None  # 0.0 for none


@dataclass(frozen=True, kw_only=True)
class Test:
    """What came of the test of one claim: two p-values, or the reason why there is no verdict to be had. The
    null of `p_reproduced` is "they differ by the margin or more", that of `p_contradicted` "by the margin or
    less": one is true, so each has the full level. Rejecting neither is *inconclusive*; so is rejecting both,
    where the nulls leave a region between them (`if_both`, orders)."""

    __test__ = False  # for pytest

    estimate: float | None = None  # A mean, a difference of two means, a ratio, an exponent.
    target: float | None = None  # What is printed or claimed of it.
    margin: float | None = None  # As used.
    sd: float | None = None
    se: float | None = None
    df: float | None = None
    ci90: tuple[float, float] | None = None  # Coverage 1 - 2 alpha: that of the one-sided tests.
    ci95: tuple[float, float] | None = None  # Coverage 1 - alpha.
    pi95: tuple[float, float] | None = None  # Where the mean of the paper's runs would lie.
    medians: tuple[float | None, ...] = ()
    parts: tuple[Any, ...] = ()  # `record.Part` of each comparison that the claim is made of.
    badges: tuple[str, ...] = ()  # Short warnings that belong beside the verdict.
    steps: Sequence[Step] = ()  # How the numbers came about, in order.
    question: Question | None = None  # What it asks of the means; None where seeds cannot be planned.
    untested: str | None = None  # Reason code where the numbers are shown and no test is made of them.

    p_reproduced: float | None = None
    contradictions: tuple[Route, ...] = ()
    """In order of precedence; the first significant one names the reason."""
    cap: str | None = None
    """Reason code that forbids a decision, whatever the p-values: `too_few_seeds`, `no_spread`, ..."""
    exact: Decision | None = None
    """Set where nothing is random: then there are no p-values and no error to share."""
    if_reproduced: str = "tost"
    if_undecided: str = "undecided"
    if_both: str | None = None  # Reason code where both p-values are small; None where they cannot be.
    band: Band | None = None
    """The margins at which the claim, taken alone, would be decided; None for a test without one."""

    @property
    def p_contradicted(self) -> float | None:
        """The smallest p of the routes: they cannot both be likely at one true difference, so no factor."""
        return min((route.p for route in self.contradictions), default=None)

    @property
    def testable(self) -> bool:
        """True when the p-values may decide: only these claims belong to the families of a paper."""
        barred = self.cap or self.exact or self.untested
        return self.p_reproduced is not None and barred is None

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
            # the reason: the first route that stands when its p grows as the least did
            stretch = p_contradicted / raw_contradicted if raw_contradicted > 0.0 else 1.0
            stands = (
                route
                for route in self.contradictions
                if route.p == raw_contradicted or route.p * stretch <= alpha
            )
            return Decision("contradicted", next(stands).reason)
        if min(raw_reproduced, raw_contradicted) <= alpha:
            return Decision("inconclusive", "multiplicity")
        return Decision("inconclusive", self.if_undecided)

    def decide_by(self, reproduce: float, contradict: float, *, alpha: float = ALPHA) -> Decision:
        """Where the raw p-values must reach these levels, which the other claims of the paper leave."""
        raw = (self.p_reproduced, reproduce), (self.p_contradicted, contradict)
        rep, con = (None if p is None else min(1.0, p * alpha / level) for p, level in raw)
        return self.decide(p_reproduced=rep, p_contradicted=con, alpha=alpha)


def exactly(distance: Fraction, *, margin: float, half_unit: Fraction) -> Decision:
    """Without noise, in rational arithmetic: |d| <= D - h is reproduced, |d| > D + h contradicted; the
    rounding decides in between. D = h asks for "the same printed digits": |d| <= h."""
    D, h = Fraction(repr(float(margin))), half_unit
    if abs(distance) <= (h if h == D else D - h):
        return Decision("reproduced", "deterministic")
    if abs(distance) > D + h:
        return Decision("contradicted", "deterministic")
    return Decision("inconclusive", "straddles_margin")


def within(steps: Steps, d: str, own: float, predicted: float, *, se: str = "se", floor: float = 0.0) -> Band:
    """The band of "is the size of `d` within the margin?"; degrees of freedom of both tests, h if known."""
    plus, minus = (" + h", " - h") if steps.known.get("h") else ("", "")
    ends = {"D_R": f"abs({d}) + t(one) * se{plus}", "D_C": f"max(0, abs({d}) - t(two) * {se}{minus})"}
    found = []
    for (name, pattern), df in zip(ends.items(), (own, predicted), strict=True):
        end = steps.work(name, pattern, df)
        if floor and (end <= floor if name == "D_R" else end < floor):
            steps.pop()
            end = steps.note(name, f"0, since the margin in use is {num(floor)} or more", 0.0)
        found.append(end)
    return Band(reproduced_from=found[0], contradicted_up_to=found[1])


# --------------------------------------------------------------------------- families of claims


#: Of a level: adjusted p-values are products, and land beside a level that they mean to reach.
_DUST = 1e-12


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """max over j <= i of (m - j + 1) p_(j), at most 1, p ascending: family-wise, under any dependence."""
    m, running = len(_checked(p_values)), 0.0
    adjusted = [0.0] * m
    for rank, i in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (m - rank) * p_values[i]))
        adjusted[i] = running
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """min over j >= i of (m / j) p_(j), at most 1: the false discovery rate, for independent or positively
    dependent tests (P@1, P@3 and P@5 of the same runs are that)."""
    m, running = len(_checked(p_values)), 1.0
    adjusted = [1.0] * m
    for rank, i in reversed(list(enumerate(sorted(range(m), key=lambda i: p_values[i]), start=1))):
        running = adjusted[i] = min(running, p_values[i] * (m / rank))
    return tuple(adjusted)


def families(p_values: Sequence[float], *, primary: Sequence[bool]) -> tuple[float, ...]:
    """Holm-adjusted p-values where headline claims, declared before the runs, are a family of their own. Each
    family has half of the level, and the whole of it once the other is rejected altogether (Bonferroni split
    with recycling, Bretz et al. 2009): the error of the whole paper is held under any dependence."""
    groups = {flag: [i for i, of in enumerate(primary) if bool(of) is flag] for flag in (True, False)}
    if not all(groups.values()):
        return holm(p_values)
    own = {flag: holm([p_values[i] for i in group]) for flag, group in groups.items()}
    adjusted: dict[int, float] = {}
    for flag, group in groups.items():
        # at half the level, or at all of it where the other is rejected there
        other = 2.0 * max(own[not flag])
        adjusted |= {i: min(1.0, 2.0 * p, max(p, other)) for i, p in zip(group, own[flag], strict=True)}
    return tuple(adjusted[i] for i in range(len(p_values)))


def partial_conjunction(p_values: Sequence[float], *, at_least: int) -> float:
    """p of "fewer than u of the m effects are there": min(1, (m - u + 1) p_(u)), p sorted upwards, 1 <= u <=
    m; valid under any dependence. For u = m it is the largest p."""
    return min(1.0, (len(p_values) - at_least + 1) * sorted(_checked(p_values))[at_least - 1])


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    if not all(0.0 <= p <= 1.0 for p in p_values):  # nan fails it too
        raise ValueError(f"a p-value lies between 0 and 1, got {p_values!r}")
    return p_values


def threshold_bh(others: Sequence[float], *, alpha: float = ALPHA) -> float:
    """The largest p that Benjamini and Hochberg reject beside `others`, which stay as they are: max alpha r /
    m over the r for which r - 1 of the others are at most alpha r / m, m = others + 1."""
    m, ordered = len(others) + 1, sorted(others)
    ranks = (r for r in range(m, 1, -1) if ordered[r - 2] <= alpha * r / m)
    return alpha * next(ranks, 1) / m


def threshold_holm(
    others: Sequence[float], *, primary: Sequence[bool], is_primary: bool, alpha: float = ALPHA
) -> float:
    """The largest p that Holm rejects beside `others`, with `families`: within its own family of m it is
    alpha / (m - j), where Holm rejects j of the others before. `primary` flags `others`."""
    own = sorted(p for p, flag in zip(others, primary, strict=True) if flag == is_primary)
    rest = [p for p, flag in zip(others, primary, strict=True) if flag != is_primary]
    if rest and max(holm(rest)) > alpha / 2.0 * (1.0 + _DUST):
        alpha /= 2.0
    m = len(own) + 1
    before = next((j for j, p in enumerate(own) if p * (m - j) > alpha * (1.0 + _DUST)), m - 1)
    return alpha / (m - before)


def level_of(look: int, *, alpha: float = ALPHA) -> float:
    """Undeclared looks: 4/5 alpha for the first, alpha/5 2^-(k-1) for look k >= 2, alpha in all
    (Bonferroni)."""
    return alpha * 4 / 5 if look == 1 else alpha / 5 * 0.5 ** (look - 1)
