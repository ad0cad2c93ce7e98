"""The derivation of claims about growth: a line through the logarithms of sizes and costs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from audit.explaining.step import Step, band_steps, doubled, interval_steps, num, percent, tail_step
from audit.judging.case import Case
from audit.judging.growing import judge_complexity
from audit.stats.growth import GrowthTest


def complexity_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.growth`: least squares of log cost on log size, df = sizes - 2."""
    test = judge_complexity(case).test
    if not isinstance(test, GrowthTest):
        return
    sizes = case.claim.details["sizes"]
    x = [math.log(float(sizes[arm.experiment])) for arm in case.arms]
    y = [math.log(min(arm.values)) for arm in case.arms]
    for arm, value in zip(case.arms, y, strict=True):
        yield Step(f"log cost {arm.experiment}", "log of the least over its runs", "", value)
    n, mean_x, mean_y = len(x), math.fsum(x) / len(x), math.fsum(y) / len(y)
    yield Step("mean of log size", "sum x / n", f"({' + '.join(map(num, x))}) / {n}", mean_x)
    yield Step("mean of log cost", "sum y / n", f"({' + '.join(map(num, y))}) / {n}", mean_y)
    spread = math.fsum((a - mean_x) ** 2 for a in x)
    squares = " + ".join(f"({num(a)} - {num(mean_x)})^2" for a in x)
    yield Step("S_xx", "sum (x - mean)^2", squares, spread)
    products = " + ".join(
        f"({num(a)} - {num(mean_x)}) * ({num(b)} - {num(mean_y)})" for a, b in zip(x, y, strict=True)
    )
    yield Step("b", "sum (x - mean)(y - mean) / S_xx", f"({products}) / {num(spread)}", test.slope)
    yield Step("se", "sqrt(sum of squared residuals / (n - 2) / S_xx)", "", test.se)
    yield Step("df", "n - 2", f"{n} - 2", float(test.df))
    for level in (1.0 - 2.0 * case.alpha, 1.0 - case.alpha):
        name = f"{percent(level)} interval"
        yield from interval_steps(name, test.slope, test.se, test.df, level=level)
    off = test.slope - test.claimed
    yield Step("d", "b - e", f"{num(test.slope)} - {num(test.claimed)}", off)
    far = (f"{num(test.margin)} - abs({num(off)})", test.margin - abs(off))
    yield tail_step("p_rep", "P[t >= (D - abs(d)) / se]", far, test.se, test.df)
    over = (f"abs({num(off)}) - {num(test.margin)}", abs(off) - test.margin)
    yield doubled("p_con", "min(1, 2 P[t >= (abs(d) - D) / se])", over, test.se, test.df)
    own = (test.se, float(test.df))
    yield from band_steps(case, (f"abs({num(off)})", abs(off)), own=own, predicted=[own])
