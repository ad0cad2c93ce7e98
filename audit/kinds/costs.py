"""What runs cost: less time or memory, growth with a size, and fewer steps to a score. Costs by Welch's t on
logarithms (Schuirmann 1987); growth by least squares on logarithms (Goldsmith, Aiken and Wilkerson 2007);
steps to a score by the log-rank test (Mantel 1966)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from audit.claims.schema import Misfit, Name, Points, Quantity, Reference, Text
from audit.claims.source import KeyPath
from audit.judging.evidence import COUNTED, Arm, settings
from audit.kinds.base import KIND, Case, Claim, Constant, Symbol, formula_misfits, note_difference, untested
from audit.kinds.pair import direction
from audit.names import counted
from audit.record import Run
from audit.stats.decision import ALPHA, Route, Steps, Test, within
from audit.stats.sample import DECIDING_SEEDS, small_sample_cap

#: Costs that are times, which two machines do not have alike.
TIMES = ("training_time", "prediction_time")
_BYTES_A_NUMBER = 4

#: A logarithmic factor adds 0.1 to 0.15 to the slope over 1.2 decades: n and n log n are not told apart.
MARGIN = 0.15
FEWEST_SIZES = 5
FEWEST_DECADES = 1.2

#: So many ways to deal the runs to two arms are enumerated, 10 seeds against 10; of more so many are drawn.
MOST_DEALS = 200_000


class CostClaim(Claim):
    """One experiment needs less time or memory than another."""

    references = ("cheaper", "dearer")
    needs_metric = False
    arms = 2
    of_costs = True
    comparison = "rises"

    kind: Literal["cost"] = KIND
    cheaper: Reference
    """Cell or experiment that needs less"""
    dearer: Reference | None = None
    """Cell or experiment that needs more; left out if the paper only states the cost of the first."""
    quantity: Quantity
    """The cost: training_time, prediction_time, model_size or parameters."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"quantity": self.quantity}}

    @staticmethod
    def obstacle(case: Case) -> str | None:
        return "absolute_cost" if len(case.arms) == 1 else None

    @staticmethod
    def judge(case: Case) -> Test:
        """Welch's t on the logarithms: d = mean log dearer - mean log cheaper; the estimate is exp(d).

        reproduced      iff P[t >= d / se] <= alpha        (`cheaper`)
        contradicted    iff 2 P[t <= d / se] <= alpha      (`reversed`)"""
        quantity = case.claim.details["quantity"]
        if quantity in TIMES and _on_several_machines(case):
            return untested("different_machines")
        if quantity in COUNTED and case.scope == "other_data":  # other labels and words: another network
            return untested("other_data")
        steps, (low, high) = Steps(case.alpha), ([math.log(x) for x in values] for values in case.values)
        d = note_difference(steps, high, low, names=(f"log {case.names[1]}", f"log {case.names[0]}"))
        plain = Test(
            estimate=steps.work("ratio", "exp(d)"), badges=(f"ratio of {quantity}",), cap=d.cap, steps=steps
        )
        if quantity in COUNTED and d.still:
            exact = direction(d.value, weighty=False, reason="cheaper")  # equal costs are not "less"
            return replace(plain, cap=None, exact=exact)
        if d.error is None:
            return plain
        df = d.error.df
        intervals = steps.intervals("d", df, of=" of the ratio", scale="exp({})")
        p_reproduced = steps.tail("p_rep", "d", df)
        p_reversed = steps.tail("p_con", "-d", df, doubled=True)
        return replace(
            plain,
            df=df,
            **intervals,
            p_reproduced=p_reproduced,
            contradictions=(Route(reason="reversed", p=p_reversed),),
            if_reproduced="cheaper",
        )


class ConvergenceClaim(Claim):
    """One experiment needs fewer steps than another to the same score."""

    references = ("faster", "slower")
    arms = 2

    kind: Literal["convergence"] = KIND
    faster: Reference
    """Cell or experiment that needs fewer steps"""
    slower: Reference
    """Cell or experiment that needs more steps"""
    target: Points | None = None
    """The target validation score; without it the claim is not judged."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"target": self.target}}

    @staticmethod
    def judge(case: Case) -> Test:
        """Steps to the score that the claim file fixes; runs that never reach it stay in, as censored."""
        target = case.claim.details.get("target")
        if target is None:
            return untested("no_target_score")
        steps, badges = Steps(), []
        reaches = [_reaches(arm, case.claim.metric, float(target)) for arm in case.arms]
        for arm, reached in zip(case.arms, reaches, strict=True):
            if len(reached) < len(arm.runs):
                badges.append(f"{arm.experiment}: a curve in {len(reached)} of {len(arm.runs)} runs")
            for seed, reach in reached.items():
                how = "epochs to the score" if reach.reached else "epochs, and the score was not reached"
                steps.note(f"{arm.experiment}, seed {seed}", how, reach.steps)
        if not all(reaches):
            return untested("not_measured", badges=badges)
        test = convergence(*([of[seed] for seed in sorted(of)] for of in reaches))
        medians = ("not reached" if at is None else f"{round(at, 2):g}" for at in test.medians)
        badges.append(f"median epochs to {target:g}: {' and '.join(medians)}")
        return replace(test, target=float(target), badges=tuple(badges), steps=[*steps, *test.steps])


class ComplexityClaim(Claim):
    """Time or memory grows with some size by a power."""

    references = ()  # It names experiments by their size.
    arms = None
    needs_metric = False
    of_costs = True

    kind: Literal["complexity"] = KIND
    of: Text
    """What grows: an operation count, a time, a size."""
    grows_with: Text
    """The size that varies, as in L, the number of labels."""
    exponent: Annotated[float, Field(strict=True, ge=0, le=4)]
    """The power; logarithmic factors are not counted."""
    operations: Text | None = None
    """What is counted, as an expression in n (that size) and constants; without it nothing is tested."""
    given: Mapping[Symbol, Constant] = {}
    """Constants of the expression by name."""
    sizes: Mapping[Name, Points] | None = None
    """Experiments that differ in that size alone, each with its size: five or more, over 1.2 decades."""
    quantity: Literal["training_time", "parameters", "model_size"] = "training_time"
    """The cost of their runs that grows, if there are sizes."""

    def misfits(self) -> Iterator[Misfit]:
        """Growth is seen over sizes that differ, far enough apart."""
        yield from super().misfits()
        if self.operations is not None:
            yield from formula_misfits(("operations",), self.operations, ["n", *self.given])
        if self.sizes is None:
            return
        sizes = self.sizes.values()
        if len(sizes) < FEWEST_SIZES:
            text = f"names {counted(len(sizes), 'size')}; a power needs at least {FEWEST_SIZES}"
            yield ("sizes",), text
        if len(set(sizes)) < len(sizes):
            yield ("sizes",), "two experiments have one size; name one for each size"
        decades = math.log10(max(sizes) / min(sizes)) if sizes else 0.0
        if decades < FEWEST_DECADES - 1e-6:
            text = f"span {decades:.2f} decades; a power needs at least {FEWEST_DECADES}"
            yield ("sizes",), f"{text}, as from 1000 to 16000"

    def named(self) -> Iterator[tuple[KeyPath, str, str]]:
        for name in self.sizes or ():
            yield ("sizes", name), "experiment", name

    def settings(self) -> dict[str, Any]:
        details: dict[str, Any] = {"of": self.of, "grows_with": self.grows_with, "exponent": self.exponent}
        if self.operations is not None:
            details |= {"operations": self.operations, "given": dict(self.given)}
        if self.sizes is None:
            return {"details": details}
        sizes = dict(sorted(self.sizes.items(), key=lambda pair: pair[1]))
        return {"details": details | {"sizes": sizes, "quantity": self.quantity}, "experiments": tuple(sizes)}

    @staticmethod
    def obstacle(case: Case) -> str | None:
        details = case.claim.details
        if details.get("sizes"):
            return None
        return "counted_exactly" if details.get("operations") else "no_sizes"

    @staticmethod
    def judge(case: Case) -> Test:
        """The slope of log cost on log size: of times, the least of three runs or more on one machine."""
        details, counts = case.claim.details, case.claim.details["quantity"] in COUNTED
        if not _one_size_grows(case) or (counts and any(len(set(values)) > 1 for values in case.values)):
            return untested("not_one_size")
        if not counts and _on_several_machines(case):
            return untested("different_machines")
        if not counts and min(map(len, case.values)) < DECIDING_SEEDS:
            return untested("too_few_seeds")
        if len(case.arms) < 3:
            return untested("too_few_sizes")
        sizes, costs = [float(details["sizes"][name]) for name in case.names], list(map(min, case.values))
        exponent = float(details["exponent"])
        return growth(sizes, costs, exponent=exponent, names=case.names, alpha=case.alpha)


def measured(run: Run, quantity: str) -> float | None:
    """What a run cost, above 0; None if its record does not have it."""
    parameters = float(run.parameters or 0)
    costs = {
        "training_time": run.seconds,
        "prediction_time": run.prediction_seconds or 0.0,
        "parameters": parameters,
        "model_size": parameters * _BYTES_A_NUMBER,
    }
    value = costs.get(quantity, 0.0)
    return value if value > 0.0 and math.isfinite(value) else None


def _on_several_machines(case: Case) -> bool:
    return len({(run.device, run.threads) for arm in case.arms for run in arm.runs}) > 1


class Reach(NamedTuple):
    """One run: the steps after which it had the score, or had not when it ended (censored)."""

    steps: float
    reached: bool = True


def steps_to(curve: Sequence[tuple[float, float]], target: float) -> Reach:
    """The first (step, score) of `curve` whose score is at least `target`; else censored at the last step."""
    reached = (Reach(step) for step, score in curve if score >= target)
    return next(reached, Reach(curve[-1][0], reached=False))


def convergence(faster: Sequence[Reach], slower: Sequence[Reach]) -> Test:
    """Log-rank test of the steps; runs that were cut off stay in, as longer than their budget.

        a_i = reached_i - sum_{t <= t_i} d_t / n_t            d_t reach the score at t of n_t still running
        O - E = sum of a_i over the faster arm                positive when it is faster
        p = share of all ways to deal the runs to two arms of these sizes with O - E at least as large

    Reproduced one-sided, contradicted (`reversed`) two-sided; three against three reach 1/20 at best."""
    import numpy as np

    both = [*faster, *slower]
    notes, events = Steps(), _events(both)
    reached = float(sum(run.reached for run in faster))
    observed = notes.note("O", "runs of the first that reached the score", reached)
    hazard = [math.fsum(d / n for t, d, n in events if t <= run.steps) for run in both]
    expected, size = math.fsum(hazard[: len(faster)]), len(faster)
    scores = np.array([run.reached - h for run, h in zip(both, hazard, strict=True)])
    if exact := math.comb(len(both), size) <= MOST_DEALS:
        sums = np.fromiter(map(sum, combinations(scores.tolist(), size)), float)
    else:
        rng = np.random.default_rng(0)
        sums = np.fromiter((rng.permutation(scores)[:size].sum() for _ in range(MOST_DEALS)), float)
        sums[0] = scores[:size].sum()  # what was seen is one of them: no p is 0 (Phipson and Smyth 2010)
    p_faster = float(np.mean(sums >= observed - expected - 1e-9))
    p_slower = float(np.mean(sums <= observed - expected + 1e-9))
    notes.note("E", "expected if both sides were alike", expected)
    how = "by the exact permutation" if exact else f"by {MOST_DEALS:,} permutations"
    notes.note("p_rep", f"P[O - E at least as large], {how}", p_faster)
    p_reversed = notes.note("p_con", "min(1, 2 P[O - E at most as large])", min(1.0, 2.0 * p_slower))
    cap = small_sample_cap(min(len(faster), len(slower)), still=False)
    return Test(
        medians=(median(faster), median(slower)),
        p_reproduced=p_faster,
        contradictions=(Route(reason="reversed", p=p_reversed),),
        cap=cap or (None if any(run.reached for run in both) else "never_reached"),
        if_reproduced="faster",
        steps=notes,
    )


def median(runs: Sequence[Reach]) -> float | None:
    """The first step at which the Kaplan-Meier share of runs still without the score is 1/2 or less."""
    left = 1.0
    for step, reaching, running in _events(runs):
        left *= 1.0 - reaching / running
        if left <= 0.5 + 1e-12:
            return step
    return None


def _events(runs: Sequence[Reach]) -> list[tuple[float, int, int]]:
    """(step, runs that reach the score there, runs still going just before) for each step with one."""
    steps = sorted({run.steps for run in runs if run.reached})
    return [
        (t, sum(r.reached and r.steps == t for r in runs), sum(r.steps >= t for r in runs)) for t in steps
    ]


def _reaches(arm: Arm, metric: str, target: float) -> dict[int, Reach]:
    """By seed, for each run whose curve has the validation metric at growing epochs, or parts of epochs."""
    found = {}
    for run in arm.runs:
        points = [point for point in run.curve if metric in point and "epoch" in point]
        curve = [(point["epoch"], point[metric]) for point in points]
        if curve and all(before < after for (before, _), (after, _) in pairwise(curve)):
            found[run.spec.seed] = steps_to(curve, target)
    return found


def local_slopes(x: Sequence[float], y: Sequence[float]) -> tuple[float, ...]:
    """Slopes between neighbours, on logarithms: a curve that bends shows here."""
    return tuple((d - b) / (c - a) for (a, b), (c, d) in pairwise(zip(x, y, strict=True)))


def growth(
    sizes: Sequence[float],
    costs: Sequence[float],
    *,
    exponent: float,
    margin: float = MARGIN,
    names: Sequence[str] = (),
    alpha: float = ALPHA,
) -> Test:
    """Least squares of log cost on log size, df = n - 2, and the two tests on its slope b, d = b - e.

        p_rep = max(P[t >= (D + d) / se], P[t >= (D - d) / se])
        p_con = min(1, 2 P[t >= (|d| - D) / se])

    Three different sizes are the least; fewer than 5 or less than 1.2 decades decide nothing. Nor do slower
    costs contradict if c0 + c1 n^e fits them: larger sizes may grow as claimed. Raises ValueError for what is
    not above 0."""
    points = sorted(zip(sizes, costs, strict=True))
    if not all(0.0 < value < math.inf for point in points for value in point):
        raise ValueError(f"growth needs sizes and costs above 0, got {sizes!r} and {costs!r}")
    steps = Steps(alpha, e=exponent, D=margin)
    for name, value in zip(names, costs, strict=False):
        steps.note(f"log cost {name}", "log of the least over its runs", math.log(value))
    x, y = [math.log(size) for size, _ in points], [math.log(value) for _, value in points]
    n, fit = len(x), linear_regression(x, y)
    residuals = math.fsum((b - fit.slope * a - fit.intercept) ** 2 for a, b in zip(x, y, strict=True))
    spread = math.fsum((a - fmean(x)) ** 2 for a in x)
    df = steps.note("df", "n - 2", n - 2.0, n=n)
    slope = steps.note("b", "sum (x - mean)(y - mean) / sum (x - mean)^2", float(fit.slope))
    se = math.sqrt(residuals / max(1, n - 2) / spread)
    steps.note("se", "sqrt(sum of squared residuals / (n - 2) / sum (x - mean)^2)", se)
    intervals = steps.intervals("b", df)
    steps.work("d", "b - e")
    p_reproduced = steps.tail("p_rep", "D - abs(d)", df)
    p_far = steps.tail("p_con", "abs(d) - D", df, doubled=True)
    decades = (x[-1] - x[0]) / math.log(10.0)
    # 1,000 to 15,849 are 1.2 decades but for rounding
    narrow = decades < FEWEST_DECADES - 1e-6 or (
        p_far <= alpha and _beside_a_fixed(points, exponent, residuals)
    )
    cap = "too_few_sizes" if n < FEWEST_SIZES else "too_narrow" if narrow else None
    local = ", ".join(f"{step:.2f}" for step in local_slopes(x, y))
    return Test(
        estimate=slope,
        target=exponent,
        margin=margin,
        se=se,
        df=df,
        **intervals,
        band=within(steps, "d", df, df) if cap is None else None,
        p_reproduced=p_reproduced,
        contradictions=(Route(reason="minimum_effect", p=p_far),),
        cap=cap,
        if_undecided="straddles_margin",
        badges=(f"{n} sizes over {decades:.2f} decades", f"local exponents {local}"),
        steps=steps,
    )


def _beside_a_fixed(points: Sequence[tuple[float, float]], exponent: float, residuals: float) -> bool:
    """Whether c0 + c1 n^e, c0 and c1 above 0, fits the costs about as well as a power with those squared
    residuals of its logarithms: at most F(0.95; n - 2, n - 2) times these. Least relative squares."""
    import numpy as np
    from scipy import special

    sizes, costs = np.array(points).T
    terms = np.stack([1.0 / costs, sizes**exponent / costs], axis=1)
    parts = np.linalg.lstsq(terms, np.ones(len(points)))[0]
    if parts.min() <= 0.0:
        return False
    most = float(special.fdtri(len(points) - 2, len(points) - 2, 0.95))
    return float((np.log(terms @ parts) ** 2).sum()) <= most * residuals


def _one_size_grows(case: Case) -> bool:
    """Whether our runs differ in one setting alone, as the claim says; imports tell no settings."""
    ours = [
        (arm.experiment, {**settings(run), "data": run.spec.data})
        for arm in case.arms
        for run in arm.runs
        if not run.imported
    ]
    names = {name for _, of in ours for name in of}
    changed = [name for name in sorted(names) if len({repr(of.get(name)) for _, of in ours}) > 1]
    if not changed or changed == ["data"]:
        return True
    ratios = []
    for name, of in ours:
        setting = of.get(changed[0])
        if not isinstance(setting, int | float) or isinstance(setting, bool) or setting <= 0:
            return False
        ratios.append(setting / case.claim.details["sizes"][name])
    return len(changed) == 1 and all(math.isclose(ratio, ratios[0], rel_tol=1e-9) for ratio in ratios)
