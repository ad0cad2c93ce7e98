"""One number of a derivation: its formula, the formula with its numbers filled in, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.judging.case import Case
from audit.stats.moderated import Moderated
from audit.stats.sample import Sample, sample
from audit.stats.student import interval, quantile, upper_tail


@dataclass(frozen=True)
class Step:
    """`se = s / sqrt(n) = 0.2371 / sqrt(3) = 0.1369`

    `filled` can be worked out by hand or machine: + - * / ^, sqrt, abs, max, min, exp, `P[t(df) >= x]` and
    `P[z >= x]` for the upper tails of Student's t and the normal distribution, `t(p; df)` and `z(p)` for
    their quantiles, `Holm(p, ...)` for adjusted p-values, `PC(u; p, ...)` for the p of "at least u of these",
    `L(...)` and `Page(...)` for Page's statistic and its exact p, `Bin(n; k)` for P[Bin(n, 1/2) <= k]. Empty
    where there is no such expression.
    """

    name: str
    formula: str
    filled: str
    value: float

    def __str__(self) -> str:
        parts = dict.fromkeys((self.name, self.formula, self.filled, num(self.value)))
        return " = ".join(part for part in parts if part)


def num(x: float) -> str:
    """Eight significant digits, which lose nothing that a reader would see."""
    return f"{x:.8g}"


def tail(distance: str, df: float) -> str:
    """`P[t(2) >= 1.5 / 0.3]`; the normal distribution where the degrees of freedom are infinite."""
    return f"P[z >= {distance}]" if math.isinf(df) else f"P[t({num(df)}) >= {distance}]"


def tail_step(name: str, formula: str, over: tuple[str, float], se: float, df: float) -> Step:
    """P[t >= distance / se], the distance with its numbers filled in and its value."""
    filled, distance = over
    return Step(name, formula, tail(f"({filled}) / {num(se)}", df), upper_tail(distance, se, df))


def doubled(name: str, formula: str, over: tuple[str, float], se: float, df: float) -> Step:
    """min(1, 2 P[t >= distance / se])."""
    one = tail_step(name, formula, over, se, df)
    return Step(name, formula, f"min(1, 2 * {one.filled})", min(1.0, 2.0 * one.value))


def quantile_text(probability: float, df: float) -> str:
    return f"z({num(probability)})" if math.isinf(df) else f"t({num(probability)}; {num(df)})"


def mean_and_sd(of: str, values: Sequence[float]) -> Iterator[Step]:
    """Mean, and from two values on SD, of one arm; `of` tells the arms apart and may be empty."""
    found = sample(tuple(values))
    name = f" {of}" if of else ""
    total = " + ".join(map(num, values))
    yield Step(f"mean{name}", "sum x / n", f"({total}) / {found.n}", found.mean)
    if found.sd is not None:
        squares = " + ".join(f"({num(x)} - {num(found.mean)})^2" for x in values)
        filled = f"sqrt(({squares}) / {found.n - 1})"
        yield Step(f"s{name}", "sqrt(sum (x - mean)^2 / (n - 1))", filled, found.sd)
        if isinstance(values, Moderated):
            yield _moderated(name, values, found)


def _moderated(name: str, values: Moderated, own: Sample) -> Step:
    """v0 is the common variance on the scale of this arm."""
    prior, d = values.prior, own.n - 1
    common = prior.variance * prior.scale(own.mean)
    filled = f"({num(prior.df)} * {num(common)} + {d} * {num(own.sd or 0.0)}^2) / ({num(prior.df)} + {d})"
    formula = "sqrt((d0 v0 + (n - 1) s^2) / (d0 + n - 1)), in the place of s from here on"
    return Step(f"s~{name}", formula, f"sqrt({filled})", sample(values).sd or 0.0)


def interval_steps(name: str, centre: float, se: float, df: float, *, level: float) -> Iterator[Step]:
    """Both ends of centre -+ t se."""
    p = 0.5 + level / 2.0
    low, high = interval(centre, se, df, level=level)
    for end, sign, value in (("from", "-", low), ("to", "+", high)):
        yield Step(
            f"{name}, {end}",
            f"mean {sign} t({num(p)}) se",
            f"{num(centre)} {sign} {quantile_text(p, df)} * {num(se)}",
            value,
        )


def percent(share: float) -> str:
    """0.9 as `90 %`, 0.975 as `97.5 %`."""
    return f"{100.0 * share:.6g} %"


def band_steps(
    case: Case,
    distance: tuple[str, float],
    *,
    own: tuple[float, float],
    predicted: Sequence[tuple[float, float]],
    h: float = 0.0,
    floor: float = 0.0,
) -> Iterator[Step]:
    """D_R and D_C: from which margin on the test says reproduced, and up to which contradicted.

    `distance` is |d| with its text, `own` and `predicted` are (se, df).
    """
    text, size = distance
    more, less = (f" + {num(h)}", f" - {num(h)}") if h else ("", "")
    if case.needed is None:  # no test may decide it
        return
    p, q = 1.0 - case.alpha, 1.0 - case.alpha / 2.0
    se, df = own
    step = Step(
        "D_R",
        f"abs(d) + t({num(p)}) se" + (" + h" if h else ""),
        f"{text} + {quantile_text(p, df)} * {num(se)}{more}",
        size + quantile(p, df) * se + h,
    )
    yield _above(step, floor, reached=step.value > floor)
    wide, wide_df = max(predicted, key=lambda it: quantile(q, it[1]) * it[0])
    step = Step(
        "D_C",
        f"max(0, abs(d) - t({num(q)}) {'se_pred - h' if h else 'se'})",
        f"max(0, {text} - {quantile_text(q, wide_df)} * {num(wide)}{less})",
        max(0.0, size - quantile(q, wide_df) * wide - h),
    )
    yield _above(step, floor, reached=step.value >= floor)


def _above(step: Step, floor: float, *, reached: bool) -> Step:
    """0 where the margin in use is never as small."""
    formula = f"0, since the margin in use is {num(floor)} or more"
    return step if reached else Step(step.name, formula, "", 0.0)
