"""The derivation of claims about costs and about steps to a score."""

from __future__ import annotations

import math
from collections.abc import Iterator

from audit.explaining.differences import difference_steps
from audit.explaining.step import Step, doubled, num, percent, quantile_text, tail_step
from audit.judging.case import Case
from audit.judging.measured import TIMES, reaches_of
from audit.stats.convergence import convergence
from audit.stats.difference import welch
from audit.stats.student import quantile


def cost_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.cost`: Welch on the logarithms."""
    cheaper, dearer = case.arms
    if case.plain.scope == "other_data" and case.claim.details.get("quantity") not in TIMES:
        return
    low, high = [math.log(x) for x in cheaper.values], [math.log(x) for x in dearer.values]
    names = (f"log {dearer.experiment}", f"log {cheaper.experiment}")
    yield from difference_steps(high, low, pair=False, names=names)
    it = welch(high, low)
    yield Step("ratio", "exp(d)", f"exp({num(it.value)})", math.exp(it.value))
    if not it.estimated or it.se is None or it.df is None:
        return
    for level, p in ((1.0 - 2.0 * case.alpha, 1.0 - case.alpha), (1.0 - case.alpha, 1.0 - case.alpha / 2.0)):
        half = quantile(p, it.df) * it.se
        for end, sign, value in (("from", "-", it.value - half), ("to", "+", it.value + half)):
            filled = f"exp({num(it.value)} {sign} {quantile_text(p, it.df)} * {num(it.se)})"
            yield Step(
                f"{percent(level)} interval of the ratio, {end}",
                f"exp(d {sign} t se)",
                filled,
                math.exp(value),
            )
    yield tail_step("p_rep", "P[t >= d / se]", (num(it.value), it.value), it.se, it.df)
    over = (f"-({num(it.value)})", -it.value)
    yield doubled("p_con", "min(1, 2 P[t >= -d / se])", over, it.se, it.df)


def convergence_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.convergence`: the log-rank test, exact by all ways to deal the runs to two arms."""
    target = case.claim.details.get("target")
    if target is None:
        return
    found = [reaches_of(arm, case.claim.metric, float(target)) for arm in case.arms]
    if case.pair:
        common = sorted(set.intersection(*map(set, found)))
        found = [{seed: it[seed] for seed in common} for it in found]
    if not all(found):
        return
    faster, slower = found
    for arm, reached in zip(case.arms, found, strict=True):
        for seed, it in reached.items():
            how = "epochs to the score" if it.reached else "epochs, and the score was not reached"
            yield Step(f"{arm.experiment}, seed {seed}", how, "", it.steps)
    test = convergence(list(faster.values()), list(slower.values()), pair=case.pair)
    what = "pairs in which it came first" if case.pair else "runs of the first that reached the score"
    yield Step("O", what, "", test.observed)
    yield Step("E", "what both arms alike would give", "", test.expected)
    how = "by the exact permutation" if test.exact_test else "by the normal approximation"
    if case.pair:
        how = "by the exact sign test"
    yield Step("p_rep", f"P[O - E at least as large], {how}", "", test.p_reproduced or 0.0)
    yield Step("p_con", "min(1, 2 P[O - E at most as large])", "", test.p_contradicted or 0.0)
