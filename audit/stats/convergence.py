"""Convergence claims, "A needs fewer steps than B": steps to a score that some runs never reach.

The log-rank test of Mantel 1966, which keeps censored runs; of pairs the sign test (Fisher 1935).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from audit.stats.decision import Decidable, Route
from audit.stats.mcnemar import mcnemar
from audit.stats.sample import small_sample_cap
from audit.stats.student import upper_tail

#: So many ways to deal the runs to two arms are enumerated: 10 seeds against 10.
MOST_DEALS = 200_000


@dataclass(frozen=True)
class Reach:
    """One run: the steps after which it had the score, or had not when it ended (censored)."""

    steps: float
    reached: bool = True


class Outcomes(NamedTuple):
    observed: float
    expected: float
    p_faster: float
    """One-sided."""
    p_slower: float
    exact: bool


def steps_to(curve: Sequence[tuple[float, float]], target: float) -> Reach:
    """The first (step, score) of `curve` whose score is at least `target`; else censored at the last step.

    Scores that are nan reach nothing. Raises ValueError for an empty curve, or steps that do not grow.
    """
    steps = [step for step, _ in curve]
    if not steps or any(b <= a for a, b in pairwise(steps)):
        raise ValueError(f"a validation curve needs points with growing steps, got {list(curve)!r}")
    return next((Reach(step) for step, score in curve if score >= target), Reach(steps[-1], reached=False))


@dataclass(frozen=True, kw_only=True)
class ConvergenceTest(Decidable):
    observed: float
    """Runs of the faster arm that reached the score (of pairs: that came first)."""
    expected: float
    """The number to expect if both arms were alike."""
    reached: tuple[int, int]
    medians: tuple[float | None, float | None]
    """Kaplan-Meier median steps of each arm; None where half of it never reached the score."""
    exact_test: bool
    """By enumeration, else by the normal approximation."""


def convergence(faster: Sequence[Reach], slower: Sequence[Reach], *, pair: bool = False) -> ConvergenceTest:
    """Log-rank test (Mantel 1966) of the steps; runs that were cut off stay in, as longer than their budget.

        a_i = reached_i - sum_{t <= t_i} d_t / n_t            d_t reach the score at t of n_t still running
        O - E = sum of a_i over the faster arm                positive when it is faster
        p = share of all ways to deal the runs to two arms of these sizes with O - E at least as large

    The permutation is exact where both arms have the same budget of steps; beyond 10 against 10 the normal
    approximation with the hypergeometric variance takes its place. With `pair` it is the log-rank test
    stratified by pair, which is the exact sign test of who came first (a pair of which that is not known, or
    a tie, says nothing). Reproduced one-sided, contradicted (`reversed`) two-sided. Fewer than 3 runs an arm
    never decide; three against three reach 1/20 at best, and pairs need five.
    Raises ValueError for an empty arm, pairs of unequal arms, or steps that are not finite and at least 0.
    """
    both = [*faster, *slower]
    if not faster or not slower or not all(math.isfinite(r.steps) and r.steps >= 0.0 for r in both):
        raise ValueError(f"convergence needs two arms with finite steps, got {faster!r} and {slower!r}")
    if pair and len(faster) != len(slower):
        raise ValueError(f"pairs need two arms of one length, got {len(faster)} and {len(slower)}")
    found = (_by_pairs if pair else _by_arms)(faster, slower)
    reached = (sum(r.reached for r in faster), sum(r.reached for r in slower))
    cap = small_sample_cap(min(len(faster), len(slower)), still=False)
    return ConvergenceTest(
        observed=found.observed,
        expected=found.expected,
        reached=reached,
        medians=(median(faster), median(slower)),
        exact_test=found.exact,
        p_reproduced=found.p_faster,
        contradictions=(Route(reason="reversed", p=min(1.0, 2.0 * found.p_slower)),),
        cap=cap or (None if any(reached) else "never_reached"),
        if_reproduced="faster",
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


def _by_arms(faster: Sequence[Reach], slower: Sequence[Reach]) -> Outcomes:
    if math.comb(len(faster) + len(slower), len(faster)) > MOST_DEALS:
        return _approximate(faster, slower)
    both = [*faster, *slower]
    events = _events(both)
    hazard = [math.fsum(d / n for t, d, n in events if t <= run.steps) for run in both]
    scores = [run.reached - h for run, h in zip(both, hazard, strict=True)]
    observed, expected = float(sum(run.reached for run in faster)), math.fsum(hazard[: len(faster)])
    p_faster, p_slower = _permuted(scores, len(faster), observed - expected)
    return Outcomes(observed, expected, p_faster, p_slower, exact=True)


def _approximate(faster: Sequence[Reach], slower: Sequence[Reach]) -> Outcomes:
    """V = sum of d (n - d) / (n - 1) (n_A / n) (n_B / n), hypergeometric for each event."""
    events = [(d, n, sum(run.steps >= t for run in faster) / n) for t, d, n in _events([*faster, *slower])]
    observed = float(sum(run.reached for run in faster))
    expected = math.fsum(d * share for d, _, share in events)
    variance = math.fsum(d * (n - d) / (n - 1) * share * (1.0 - share) for d, n, share in events if n > 1)
    se, excess = math.sqrt(variance), observed - expected
    p_faster, p_slower = upper_tail(excess, se, math.inf), upper_tail(-excess, se, math.inf)
    return Outcomes(observed, expected, p_faster, p_slower, exact=False)


def _permuted(scores: Sequence[float], size: int, excess: float) -> tuple[float, float]:
    """Shares of the choices of `size` scores whose sum is at least, and at most, `excess`."""
    import numpy as np  # not at the top, as scipy in `student`

    deals = math.comb(len(scores), size)
    chosen = np.fromiter(chain.from_iterable(combinations(range(len(scores)), size)), np.intp, deals * size)
    sums = np.asarray(scores)[chosen.reshape(deals, size)].sum(axis=1)
    return float(np.mean(sums >= excess - 1e-9)), float(np.mean(sums <= excess + 1e-9))


def _by_pairs(faster: Sequence[Reach], slower: Sequence[Reach]) -> Outcomes:
    first = sum(_before(a, b) for a, b in zip(faster, slower, strict=True))
    last = sum(_before(b, a) for a, b in zip(faster, slower, strict=True))
    p_faster, p_slower = mcnemar(first, last).p_greater, mcnemar(last, first).p_greater
    return Outcomes(float(first), (first + last) / 2.0, p_faster, p_slower, exact=True)


def _before(a: Reach, b: Reach) -> bool:
    """a reached the score, and b had not by then."""
    return a.reached and (a.steps < b.steps or (a.steps == b.steps and not b.reached))
