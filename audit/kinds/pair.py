"""Two experiments in one metric: better, as good as, significantly better.

Welch's t (Welch 1947); equivalence by two one-sided tests (Schuirmann 1987), the minimum-effect test as their
mirror (Murphy and Myors 1999). Fewer than 3 runs in an arm never decide, nor do two arms without any spread,
unless they are declared `deterministic`: then the difference is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from audit.claims.schema import Flag, Points, Reference, Text
from audit.kinds.base import Case, Claim, JudgedByMargin, Kind, always, note_difference
from audit.kinds.value import within
from audit.stats.decision import ALPHA, Band, Decision, Route, Steps, Test
from audit.stats.power import Direction, Distance, noise_of
from audit.stats.sample import SAME, Difference, upper_tail


class OrderClaim(Claim):
    """One experiment is better than another."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["order"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""
    negligible: Points = 0.1
    """A difference within this many points counts as none."""

    def settings(self) -> dict[str, Any]:
        return {"negligible": self.negligible}


class EquivalentClaim(JudgedByMargin):
    """Two experiments are as good as each other, within a margin: the size the paper treats as similar."""

    references: ClassVar[tuple[str, ...]] = ("left", "right")

    kind: Literal["equivalent"]
    """What sort of statement it is; decides the other keys and the test."""
    left: Reference
    """table.row or table.row.column"""
    right: Reference
    """table.row or table.row.column"""
    no_loss: Flag = False
    """Only says that the left one is not worse; it may be better."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"no_loss": True} if self.no_loss else {}}


class SignificantClaim(JudgedByMargin):
    """One experiment is significantly better than another."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["significant"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""
    test: Text | None = None
    """The test that the paper names; null where it names none."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"test": self.test}}


def _test(d: Difference, steps: Steps, **more: Any) -> Test:
    """With the numbers of the difference; without more, one that has no p-values."""
    of_difference = {"estimate": d.value, "se": d.se, "df": d.df, "cap": d.cap}
    return Test(**{**of_difference, "margin": steps.known.get("D"), "steps": steps, **more})


def _exact(d: Difference, steps: Steps, decision: Decision) -> Test:
    """Nothing is random: there are no p-values, and no error."""
    return _test(d, steps, se=0.0, df=None, cap=None, exact=decision)


def order(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    printed_gap: float | None = None,
    negligible: float = 0.1,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> Test:
    """The direction of a difference.

        p_rep = P[t >= d / se]                       small iff better at all
        p_con = min(1, 2 P[t >= (d0 - d) / se])      small iff better by less than d0, or worse

        reproduced (direction)               p_rep is small, and p_con is not
        inconclusive (negligible_gain)       both are small: better, by a size that hardly matters
        contradicted (reversed, negligible)  p_con is small, and p_rep is not; reversed where worse than 0
        inconclusive                         neither

    d0 = `negligible` points, or 0 where the paper itself prints a gap of no more than twice that. Confirming
    is one-sided, contradicting two-sided: accusing is harder.
    Raises ValueError for an empty arm, nan or infinity.
    """
    least = 0.0 if printed_gap is not None and printed_gap <= 2.0 * negligible else negligible
    steps = Steps(alpha, d0=least)
    d = note_difference(steps, better, worse)
    if deterministic and d.still:
        return _exact(d, steps, _exact_order(d.value, least))
    if d.error is None:
        return _test(d, steps)
    value, (se, df) = d.value, d.error
    intervals = steps.intervals("d", df)
    p_reproduced = steps.tail("p_rep", "d", df)
    routes = [Route(reason="reversed", p=steps.doubled("p_reversed", "-d", df))]
    if least:
        routes.append(Route(reason="negligible", p=steps.doubled("p_con", "d0 - d", df)))
    else:
        steps.work("p_con", "p_reversed")
    inside = max(upper_tail(negligible + value, se, df), upper_tail(negligible - value, se, df))  # TOST
    small = d.cap is None and value > 0.0 and inside <= alpha
    noise = noise_of(d)
    return _test(
        d,
        steps,
        **intervals,
        p_reproduced=p_reproduced,
        contradictions=tuple(routes),
        if_reproduced="direction",
        if_both="negligible_gain",
        badges=("difference negligible",) if small else (),
        question=Direction(value, noise, floor=least) if noise else None,
    )


def _exact_order(d: float, least: float) -> Decision:
    if d > SAME:
        small = d < least - SAME
        return Decision("inconclusive", "negligible_gain") if small else Decision("reproduced", "direction")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    # no difference at all does not contradict a paper that prints a negligible one
    return Decision("contradicted", "negligible") if least else Decision("inconclusive", "undecided")


def _test_order(case: Case) -> Test:
    more: dict[str, Any] = {"printed_gap": case.printed_gap, "negligible": case.claim.negligible}
    return _of_case(case, order(*case.values, **more, deterministic=case.deterministic, alpha=case.alpha))


def _of_case(case: Case, test: Test, *badges: str) -> Test:
    return replace(test, target=case.printed_gap, badges=(*case.without_spread, *test.badges, *badges))


def significant(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    margin: float,
    printed_gap: float | None = None,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> Test:
    """The order test whose null hypothesis is "better by the margin D or less", instead of "not better".

        reproduced     iff one-sided P[t >= (d - D) / se] <= alpha      (`exceeds_margin`)
        contradicted   iff the order is reversed, or (printed gap > 2 D) the difference lies within -+ D

    A paper that calls a difference significant says that it is there and that it matters; seeds decide the
    first, the margin the second. Here a small margin reproduces, one up to d - t(1 - a) se; from |d| + t(1 -
    a) se on a margin contradicts, as far as the printed gap is above 2 D. Of deterministic arms the
    difference itself is compared with D. Raises ValueError as `order`.
    """
    steps = Steps(alpha, D=margin)
    d = note_difference(steps, better, worse)
    weighty = printed_gap is not None and printed_gap > 2.0 * margin
    if deterministic and d.still:
        return _exact(d, steps, _exactly_above(d.value, margin, weighty))
    if d.error is None:
        return _test(d, steps)
    df = d.error.df
    intervals = steps.intervals("d", df)
    p_reproduced = steps.tail("p_rep", "d - D", df)
    p_reversed = steps.doubled("p_reversed", "-d", df)
    routes = [Route(reason="reversed", p=p_reversed)]
    if weighty:
        steps.tail("p_above", "D + d", df)
        steps.tail("p_below", "D - d", df)
        routes.append(Route(reason="negligible", p=steps.work("p_negligible", "max(p_above, p_below)")))
        steps.work("p_con", "min(p_reversed, p_negligible)")
    else:
        steps.work("p_con", "p_reversed")
    band = Band()
    if d.cap is None:
        up_to = steps.work("reproduced up to D", "max(0, d - t(one) * se)", df)
        small, half = (
            steps.work("negligible from D on", "abs(d) + t(one) * se", df),
            (printed_gap or 0.0) / 2.0,
        )
        band = Band(reproduced_up_to=up_to, contradicted_up_to=0.0)
        if p_reversed <= alpha:
            band = Band(reproduced_up_to=up_to, contradicted_from=0.0)
        elif small < half:
            band = Band(reproduced_up_to=up_to, contradicted_from=small, contradicted_up_to=half)
    noise, dwarfed = noise_of(d), margin if weighty else None
    return _test(
        d,
        steps,
        **intervals,
        p_reproduced=p_reproduced,
        contradictions=tuple(routes),
        if_reproduced="exceeds_margin",
        band=band,
        question=Direction(d.value, noise, bar=margin, small=dwarfed) if noise else None,
    )


def _exactly_above(d: float, margin: float, weighty: bool) -> Decision:
    if d > margin + SAME:
        return Decision("reproduced", "direction")
    if d > SAME:
        return Decision("inconclusive", "straddles_margin")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    return Decision("contradicted", "negligible") if weighty else Decision("inconclusive", "undecided")


def _test_significant(case: Case) -> Test:
    """What the table alone could support is told by a check beside it."""
    more: dict[str, Any] = {"margin": case.margin, "printed_gap": case.printed_gap}
    test = significant(*case.values, **more, deterministic=case.deterministic, alpha=case.alpha)
    unnamed = () if case.claim.details.get("test") else ("no test is named in the paper",)
    return _of_case(case, test, *unnamed)


def equivalence(
    left: Sequence[float],
    right: Sequence[float],
    *,
    margin: float,
    no_loss: bool = False,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> Test:
    """Two one-sided tests within -+ D; with `no_loss` one of them: left is not worse, and may be better by
    any amount.

        p_rep = max(P[t >= (D + d) / se], P[t >= (D - d) / se])    small iff the inner interval is inside -+ D
        p_con = min(1, 2 P[t >= (|d| - D) / se])                   small iff the outer one is outside -+ D

        no loss: p_rep = P[t >= (D + d) / se], p_con = min(1, 2 P[t >= (-d - D) / se])

    The inner interval has the coverage 1 - 2 alpha, the outer one 1 - alpha. "Not significantly different" is
    not "similar": the former is what few seeds give for anything. Of deterministic arms |d| <= D is exact,
    the margin itself included. Raises ValueError for an empty arm, nan or infinity.
    """
    steps = Steps(alpha, D=margin)
    d = note_difference(steps, left, right)
    if deterministic and d.still:  # 64.4 - 63.9 is 0.5000000000000071 in floating point
        kept = d.value >= -margin - SAME and (no_loss or d.value <= margin + SAME)
        return _exact(d, steps, Decision("reproduced" if kept else "contradicted", "deterministic"))
    if d.error is None:
        return _test(d, steps)
    value, df = d.value, d.error.df
    intervals, noise = steps.intervals("d", df), noise_of(d)
    if no_loss:
        p_reproduced = steps.tail("p_rep", "D + d", df)
        route = Route(reason="loss", p=steps.doubled("p_con", "-d - D", df))
        question: Any = Direction(value, noise, bar=-margin, floor=-margin) if noise else None
    else:
        steps.tail("p_low", "D + d", df)
        steps.tail("p_high", "D - d", df)
        p_reproduced = steps.work("p_rep", "max(p_low, p_high)")
        route = Route(reason="minimum_effect", p=steps.doubled("p_con", "abs(d) - D", df))
        question = Distance(value, noise, margin) if noise else None
    band = Band()
    if d.cap is None and no_loss:
        start = steps.work("D_R", "max(0, t(one) * se - d)", df)
        band = Band(start, contradicted_up_to=steps.work("D_C", "max(0, -d - t(two) * se)", df))
    elif d.cap is None:
        band = within(steps, "d", df, df)
    return _test(
        d,
        steps,
        **intervals,
        p_reproduced=p_reproduced,
        contradictions=(route,),
        if_reproduced="no_loss" if no_loss else "tost",
        if_undecided="straddles_margin",
        band=band,
        question=question,
    )


def _test_equivalent(case: Case) -> Test:
    more: dict[str, Any] = {"margin": case.margin, "no_loss": bool(case.claim.details.get("no_loss"))}
    return _of_case(
        case, equivalence(*case.values, **more, deterministic=case.deterministic, alpha=case.alpha)
    )


_PAIR: dict[str, Any] = {"arms": 2, "under_readings": True, "of_a_pair": True}

KINDS = (
    Kind(model=OrderClaim, test=_test_order, **_PAIR),
    Kind(model=EquivalentClaim, test=_test_equivalent, needs_margin=always, **_PAIR),
    Kind(model=SignificantClaim, test=_test_significant, needs_margin=always, **_PAIR),
)
