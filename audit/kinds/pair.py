"""Two experiments in one metric: better, as good as, significantly better.

Welch's t (Welch 1947); equivalence by two one-sided tests (Schuirmann 1987), the minimum-effect test as their
mirror (Murphy and Myors 1999). Fewer than 3 runs in an arm never decide, nor do two arms without any spread,
unless they are declared `deterministic`: then the difference is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from audit.claims.schema import Flag, Points, Reference, Text
from audit.kinds.base import Case, Claim, JudgedByMargin, Kind, always, never, note_difference
from audit.stats.decision import ALPHA, Decision, Exceeds, NoLoss, Route, Steps, Test, Within, num
from audit.stats.power import Direction, Distance, noise_of
from audit.stats.sample import SAME, Difference, quantile, upper_tail


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


def _plain(
    d: Difference, steps: Steps, *, margin: float | None = None, exact: Decision | None = None
) -> Test:
    """The difference without p-values: nothing is random, or an arm gives no variance."""
    if exact is not None:
        return Test(estimate=d.value, margin=margin, se=0.0, exact=exact, steps=steps)
    return Test(estimate=d.value, margin=margin, se=d.se, df=d.df, cap=d.cap, steps=steps)


# --------------------------------------------------------------------------- order


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
    Raises ValueError for an empty arm, nan or infinity, or a negative `negligible`.
    """
    if not (math.isfinite(negligible) and negligible >= 0.0):
        raise ValueError(f"a negligible difference is a number of points, at least 0, got {negligible!r}")
    steps = Steps()
    d = note_difference(steps, better, worse)
    least = 0.0 if printed_gap is not None and printed_gap <= 2.0 * negligible else negligible
    if deterministic and d.still:
        return _plain(d, steps, exact=_exact_order(d.value, least=least))
    if d.error is None:
        return _plain(d, steps)
    value, (se, df) = d.value, d.error
    intervals = steps.intervals("d", value, se, df, alpha=alpha)
    p_reproduced = steps.tail("p_rep", "d", value, se, df, d=value)
    p_reversed = steps.doubled("p_reversed", "-d", -value, se, df, d=value)
    routes = [Route(reason="reversed", p=p_reversed)]
    if least:
        p_least = steps.doubled("p_con", "d0 - d", least - value, se, df, d0=least, d=value)
        routes.append(Route(reason="negligible", p=p_least))
    else:
        steps.note("p_con", "p_reversed", p_reversed, p_reversed=p_reversed)
    small = d.cap is None and value > 0.0 and _within(value, negligible, se, df) <= alpha
    noise = noise_of(d)
    return Test(
        estimate=value,
        target=printed_gap,
        se=se,
        df=df,
        **intervals,
        p_reproduced=p_reproduced,
        contradictions=tuple(routes),
        cap=d.cap,
        if_reproduced="direction",
        if_both="negligible_gain",
        badges=("difference negligible",) if small else (),
        question=Direction(value, noise, floor=least) if noise else None,
        steps=steps,
    )


def _within(d: float, margin: float, se: float, df: float) -> float:
    """TOST p of a difference within `margin`."""
    return max(upper_tail(margin + d, se, df), upper_tail(margin - d, se, df))


def _exact_order(d: float, *, least: float) -> Decision:
    if d > SAME:
        small = d < least - SAME
        return Decision("inconclusive", "negligible_gain") if small else Decision("reproduced", "direction")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    # no difference at all does not contradict a paper that prints a negligible one
    return Decision("contradicted", "negligible") if least else Decision("inconclusive", "undecided")


def _test_order(case: Case) -> Test:
    test = order(
        *case.values,
        printed_gap=case.printed_gap,
        negligible=case.claim.negligible,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    return _of_case(case, test)


def _of_case(case: Case, test: Test, *badges: str) -> Test:
    return replace(test, target=case.printed_gap, badges=(*case.without_spread, *test.badges, *badges))


# --------------------------------------------------------------------------- significant


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
    first, the margin the second. Of deterministic arms the difference itself is compared with D.
    Raises ValueError as `order`, and for a margin that is not above 0.
    """
    if not margin > 0.0:
        raise ValueError(f"a margin is above 0, got {margin!r}")
    steps = Steps()
    d = note_difference(steps, better, worse)
    weighty = printed_gap is not None and printed_gap > 2.0 * margin
    if deterministic and d.still:
        return _plain(d, steps, margin=margin, exact=_exactly_above(d.value, margin, weighty=weighty))
    if d.error is None:
        return _plain(d, steps, margin=margin)
    value, (se, df) = d.value, d.error
    numbers: dict[str, Any] = {"d": value, "D": margin}
    intervals = steps.intervals("d", value, se, df, alpha=alpha)
    p_reproduced = steps.tail("p_rep", "d - D", value - margin, se, df, **numbers)
    p_reversed = steps.doubled("p_reversed", "-d", -value, se, df, d=value)
    routes = [Route(reason="reversed", p=p_reversed)]
    if weighty:
        steps.tail("p_above", "D + d", margin + value, se, df, **numbers)
        steps.tail("p_below", "D - d", margin - value, se, df, **numbers)
        p_small = steps.larger("p_negligible", "p_above", "p_below")
        routes.append(Route(reason="negligible", p=p_small))
        both: dict[str, Any] = {"p_reversed": p_reversed, "p_negligible": p_small}
        steps.note("p_con", "min(p_reversed, p_negligible)", min(both.values()), **both)
    else:
        steps.note("p_con", "p_reversed", p_reversed, p_reversed=p_reversed)
    margins = Exceeds(value, se, df, p_reversed, printed_gap)
    if d.cap is None:
        p, half = num(1.0 - alpha), quantile(1.0 - alpha, df) * se
        up_to = max(0.0, value - half)
        steps.note("reproduced up to D", f"max(0, d - t({p}) * se)", up_to, df=df, d=value, se=se)
        steps.note("negligible from D on", f"abs(d) + t({p}) * se", abs(value) + half, df=df, d=value, se=se)
    noise = noise_of(d)
    question = (
        Direction(value, noise, bar=margin, printed_gap=printed_gap, negligible=margin) if noise else None
    )
    return Test(
        estimate=value,
        target=printed_gap,
        margin=margin,
        se=se,
        df=df,
        **intervals,
        p_reproduced=p_reproduced,
        contradictions=tuple(routes),
        cap=d.cap,
        if_reproduced="exceeds_margin",
        margins=margins,
        question=question,
        steps=steps,
    )


def _exactly_above(d: float, margin: float, *, weighty: bool) -> Decision:
    if d > margin + SAME:
        return Decision("reproduced", "direction")
    if d > SAME:
        return Decision("inconclusive", "straddles_margin")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    return Decision("contradicted", "negligible") if weighty else Decision("inconclusive", "undecided")


def _test_significant(case: Case) -> Test:
    """What the table alone could support is told by a check beside it."""
    test = significant(
        *case.values,
        margin=case.margin,
        printed_gap=case.printed_gap,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    return _of_case(
        case, test, *(() if case.claim.details.get("test") else ("no test is named in the paper",))
    )


# --------------------------------------------------------------------------- equivalent


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
    the margin itself included. Raises ValueError for an empty arm, nan or infinity, or a negative margin.
    """
    if not (math.isfinite(margin) and margin >= 0.0):
        raise ValueError(f"a margin is a finite number of points, at least 0, got {margin!r}")
    steps = Steps()
    d = note_difference(steps, left, right)
    if deterministic and d.still:
        # 64.4 - 63.9 is 0.5000000000000071 in floating point
        kept = d.value >= -margin - SAME and (no_loss or d.value <= margin + SAME)
        exact = Decision("reproduced" if kept else "contradicted", "deterministic")
        return _plain(d, steps, margin=margin, exact=exact)
    if d.error is None:
        return _plain(d, steps, margin=margin)
    value, (se, df) = d.value, d.error
    numbers: dict[str, Any] = {"d": value, "D": margin}
    intervals = steps.intervals("d", value, se, df, alpha=alpha)
    noise = noise_of(d)
    common: dict[str, Any] = {
        "estimate": value,
        "margin": margin,
        "se": se,
        "df": df,
        **intervals,
        "cap": d.cap,
        "if_undecided": "straddles_margin",
        "steps": steps,
    }
    if no_loss:
        p_reproduced = steps.tail("p_rep", "D + d", margin + value, se, df, **numbers)
        p_loss = steps.doubled("p_con", "-d - D", -value - margin, se, df, **numbers)
        lost = NoLoss(value, se, df)
        if d.cap is None:
            band, p, q = lost.band(alpha, alpha), num(1.0 - alpha), num(1.0 - alpha / 2.0)
            ends: dict[str, Any] = {"d": value, "se": se}
            steps.note("D_R", f"max(0, t({p}) * se - d)", band.reproduced_from or 0.0, df=df, **ends)
            steps.note("D_C", f"max(0, -d - t({q}) * se)", band.contradicted_up_to or 0.0, df=df, **ends)
        return Test(
            **common,
            p_reproduced=p_reproduced,
            contradictions=(Route(reason="loss", p=p_loss),),
            if_reproduced="no_loss",
            margins=lost,
            question=Direction(value, noise, bar=-margin, floor=-margin) if noise else None,
        )
    steps.tail("p_low", "D + d", margin + value, se, df, **numbers)
    steps.tail("p_high", "D - d", margin - value, se, df, **numbers)
    p_reproduced = steps.larger("p_rep", "p_low", "p_high")
    p_far = steps.doubled("p_con", "abs(d) - D", abs(value) - margin, se, df, **numbers)
    margins = Within(abs(value), d.error, (d.error,))
    if d.cap is None:
        margins.note(steps, "d", value, alpha=alpha)
    return Test(
        **common,
        p_reproduced=p_reproduced,
        contradictions=(Route(reason="minimum_effect", p=p_far),),
        margins=margins,
        question=Distance(value, noise, margin) if noise else None,
    )


def _test_equivalent(case: Case) -> Test:
    test = equivalence(
        *case.values,
        margin=case.margin,
        no_loss=bool(case.claim.details.get("no_loss")),
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    return _of_case(case, test)


def _pair(model: type[Claim], test: Any, needs_margin: Any) -> Kind:
    return Kind(
        model=model,
        test=test,
        arms=2,
        of_costs=False,
        under_readings=True,
        of_printed=False,
        of_a_pair=True,
        needs_margin=needs_margin,
    )


KINDS = (
    _pair(OrderClaim, _test_order, never),
    _pair(EquivalentClaim, _test_equivalent, always),
    _pair(SignificantClaim, _test_significant, always),
)
