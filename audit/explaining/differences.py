"""The derivation of claims about two experiments: their difference, and what it is held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.explaining.step import (
    Step,
    band_steps,
    doubled,
    interval_steps,
    mean_and_sd,
    num,
    percent,
    quantile_text,
    tail_step,
)
from audit.judging.case import Case, aligned
from audit.stats.difference import Difference, paired, welch
from audit.stats.printed import gap, printed
from audit.stats.sample import sample
from audit.stats.student import quantile
from audit.stats.target import error


def difference_of(first: Sequence[float], second: Sequence[float], *, pair: bool) -> Difference:
    return paired(first, second) if pair else welch(first, second)


def difference_steps(
    first: Sequence[float], second: Sequence[float], *, pair: bool, names: tuple[str, str] = ("A", "B")
) -> Iterator[Step]:
    """Means, SDs, d, se and df, by Welch or of the pairs."""
    a, b, d = sample(first), sample(second), difference_of(first, second, pair=pair)
    if pair:
        gaps = [x - y for x, y in zip(first, second, strict=True)]
        yield from mean_and_sd("of the pairs' differences", gaps)
    else:
        yield from mean_and_sd(names[0], first)
        yield from mean_and_sd(names[1], second)
        filled = f"{num(a.mean)} - {num(b.mean)}"
        yield Step("d", f"mean {names[0]} - mean {names[1]}", filled, d.value)
    if d.se is None or d.df is None or not d.estimated:
        return
    if pair:
        sd = sample(gaps).sd or 0.0
        yield Step("se", "s / sqrt(n)", f"{num(sd)} / sqrt({len(gaps)})", d.se)
        yield Step("df", "n - 1", f"{len(gaps)} - 1", d.df)
        return
    va, vb = a.variance / a.n, b.variance / b.n
    filled = f"sqrt({num(a.sd or 0.0)}^2 / {a.n} + {num(b.sd or 0.0)}^2 / {b.n})"
    yield Step("se", f"sqrt(s {names[0]}^2 / n + s {names[1]}^2 / n)", filled, d.se)
    yield freedom("df", "v = s^2 / n", [(va, a.df), (vb, b.df)], d.df)


def freedom(name: str, where: str, parts: Sequence[tuple[float, float]], value: float) -> Step:
    """Satterthwaite's degrees of freedom of a sum of (variance, df)."""
    total = " + ".join(num(variance) for variance, _ in parts)
    below = " + ".join(f"{num(variance)}^2 / {num(df)}" for variance, df in parts)
    return Step(name, f"(sum v)^2 / sum (v^2 / df), {where}", f"({total})^2 / ({below})", value)


def _arms(case: Case) -> tuple[Sequence[float], Sequence[float]] | None:
    found = aligned(case)
    return (found[1][0], found[1][1]) if found else None


def _intervals(case: Case, d: float, se: float, df: float) -> Iterator[Step]:
    for level in (1.0 - 2.0 * case.alpha, 1.0 - case.alpha):
        for step in interval_steps(f"{percent(level)} interval", d, se, df, level=level):
            yield Step(step.name, step.formula.replace("mean", "d"), step.filled, step.value)


def order_steps(case: Case, *, above: float = 0.0) -> Iterator[Step]:
    """As `audit.stats.order`, and with `above` (the margin) as `audit.stats.significant`."""
    arms = _arms(case)
    if arms is None:
        return
    yield from difference_steps(*arms, pair=case.pair)
    it = difference_of(*arms, pair=case.pair)
    if not it.estimated or it.se is None or it.df is None:
        return
    d, se, df = it.value, it.se, it.df
    yield from _intervals(case, d, se, df)
    none, gap_printed = above or case.claim.negligible, case.printed_gap
    if above:
        over = (f"{num(d)} - {num(above)}", d - above)
        yield tail_step("p_rep", "P[t >= (d - D) / se]", over, se, df)
    else:
        yield tail_step("p_rep", "P[t >= d / se]", (num(d), d), se, df)
    reverse = doubled("p_reversed", "min(1, 2 P[t >= -d / se])", (f"-({num(d)})", -d), se, df)
    yield reverse
    small_printed = gap_printed is not None and gap_printed <= 2.0 * none
    if small_printed or (above and gap_printed is None):
        yield Step("p_con", "p_reversed", num(reverse.value), reverse.value)
        return
    if not above:
        over = (f"{num(none)} - {num(d)}", none - d)
        yield doubled("p_con", "min(1, 2 P[t >= (d0 - d) / se])", over, se, df)
        return
    sides = [
        tail_step("", "", (f"{num(none)} {sign} {num(d)}", none + way * d), se, df)
        for sign, way in (("+", 1.0), ("-", -1.0))
    ]
    small = Step(
        "p_negligible (the printed gap is above 2 D)",
        "max(P[t >= (D + d) / se], P[t >= (D - d) / se])",
        f"max({sides[0].filled}, {sides[1].filled})",
        max(side.value for side in sides),
    )
    yield small
    both = (reverse.value, small.value)
    yield Step("p_con", "min(p_reversed, p_negligible)", f"min({num(both[0])}, {num(both[1])})", min(both))


def significant_steps(case: Case) -> Iterator[Step]:
    yield from order_steps(case, above=case.margin)
    arms = _arms(case)
    it = difference_of(*arms, pair=case.pair) if arms else None
    if it is not None and it.estimated and it.se is not None and it.df is not None:
        yield from _band_of_significant(case, it.value, it.se, it.df)


def equivalent_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.equivalence`: TOST, or one side of it for "no loss"."""
    arms = _arms(case)
    if arms is None:
        return
    yield from difference_steps(*arms, pair=case.pair)
    it = difference_of(*arms, pair=case.pair)
    if not it.estimated or it.se is None or it.df is None:
        return
    d, se, df, D = it.value, it.se, it.df, case.margin
    yield from _intervals(case, d, se, df)
    low = tail_step("p_low", "P[t >= (D + d) / se]", (f"{num(D)} + {num(d)}", D + d), se, df)
    if case.claim.details.get("no_loss"):
        yield Step("p_rep", low.formula, low.filled, low.value)
        over = (f"-({num(d)}) - {num(D)}", -d - D)
        yield doubled("p_con", "min(1, 2 P[t >= (-d - D) / se])", over, se, df)
        yield from _band_of_no_loss(case, d, se, df)
        return
    high = tail_step("p_high", "P[t >= (D - d) / se]", (f"{num(D)} - {num(d)}", D - d), se, df)
    yield from (low, high)
    larger = max(low.value, high.value)
    yield Step("p_rep", "max(p_low, p_high)", f"max({num(low.value)}, {num(high.value)})", larger)
    over = (f"abs({num(d)}) - {num(D)}", abs(d) - D)
    yield doubled("p_con", "min(1, 2 P[t >= (abs(d) - D) / se])", over, se, df)
    yield from band_steps(case, (f"abs({num(d)})", abs(d)), own=(se, df), predicted=[(se, df)])


def _band_of_no_loss(case: Case, d: float, se: float, df: float) -> Iterator[Step]:
    if case.needed is None:
        return
    p, q = 1.0 - case.alpha, 1.0 - case.alpha / 2.0
    up, wide = quantile(p, df) * se - d, -d - quantile(q, df) * se
    filled = f"max(0, {quantile_text(p, df)} * {num(se)} - {num(d)})"
    yield Step("D_R", f"max(0, t({num(p)}) se - d)", filled, max(0.0, up))
    filled = f"max(0, -({num(d)}) - {quantile_text(q, df)} * {num(se)})"
    yield Step("D_C", f"max(0, -d - t({num(q)}) se)", filled, max(0.0, wide))


def _band_of_significant(case: Case, d: float, se: float, df: float) -> Iterator[Step]:
    """Up to which margin it exceeds it; from which on it counts as none (if it is not reversed)."""
    if case.needed is None:
        return
    p = 1.0 - case.alpha
    filled = f"max(0, {num(d)} - {quantile_text(p, df)} * {num(se)})"
    up = max(0.0, d - quantile(p, df) * se)
    yield Step("reproduced up to D", f"max(0, d - t({num(p)}) se)", filled, up)
    filled = f"abs({num(d)}) + {quantile_text(p, df)} * {num(se)}"
    small = abs(d) + quantile(p, df) * se
    yield Step("negligible from D on", f"abs(d) + t({num(p)}) se", filled, small)


def gap_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.gap`: the rule for values on the difference."""
    arms = _arms(case)
    if arms is None:
        return
    yield from difference_steps(*arms, pair=False)
    it, (a, b) = difference_of(*arms, pair=False), map(sample, arms)
    first, second = map(printed, case.claim.printed)
    g, h = float(gap(first, second)), float(first.half_unit + second.half_unit)
    D, off = max(case.margin, abs(g) / 2.0), it.value - g
    yield Step("g", "printed A - printed B", f"{num(float(first.value))} - {num(float(second.value))}", g)
    yield Step("off", "d - g", f"{num(it.value)} - {num(g)}", off)
    yield Step("h", "h_A + h_B", f"{num(float(first.half_unit))} + {num(float(second.half_unit))}", h)
    yield Step("D", "max(margin, abs(g) / 2)", f"max({num(case.margin)}, abs({num(g)}) / 2)", D)
    if not it.estimated or it.se is None or it.df is None:
        return
    d, se, df, m = it.value, it.se, it.df, case.claim.runs_behind
    yield from _intervals(case, d, se, df)
    if case.plain.scope != "same_data":
        return
    kappa = case.kappa
    parts = [(arm.variance * (1.0 / arm.n + kappa**2 / m), arm.df) for arm in (a, b)]
    predicted = error(*parts)
    inside = " + ".join(f"{num(arm.sd or 0.0)}^2 * (1 / {arm.n} + {num(kappa)}^2 / {m})" for arm in (a, b))
    formula = "sqrt(s A^2 (1 / n + kappa^2 / m) + s B^2 (1 / n + kappa^2 / m))"
    yield Step("se_pred", formula, f"sqrt({inside})", predicted.se)
    yield freedom("df_pred", "v = s^2 (1 / n + kappa^2 / m)", parts, predicted.df)
    low = tail_step(
        "p_low", "P[t >= (D - h + off) / se]", (f"{num(D)} - {num(h)} + {num(off)}", D - h + off), se, df
    )
    high = tail_step(
        "p_high", "P[t >= (D - h - off) / se]", (f"{num(D)} - {num(h)} - {num(off)}", D - h - off), se, df
    )
    yield from (low, high)
    larger = max(low.value, high.value)
    yield Step("p_rep", "max(p_low, p_high)", f"max({num(low.value)}, {num(high.value)})", larger)
    over = (f"abs({num(off)}) - ({num(D)} + {num(h)})", abs(off) - (D + h))
    yield doubled("p_con", "min(1, 2 P[t >= (abs(off) - (D + h)) / se_pred])", over, *predicted)
    text, floor = (f"abs({num(off)})", abs(off)), abs(g) / 2.0
    yield from band_steps(case, text, own=(se, df), predicted=[predicted], h=h, floor=floor)
