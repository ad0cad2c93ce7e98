"""Two experiments in one metric: better, as good as, significantly better. Welch 1947; equivalence by two
one-sided tests (Schuirmann 1987), the minimum-effect test as their mirror (Murphy and Myors 1999). Fewer than
3 runs in an arm never decide, nor do two arms without any spread, unless their models are deterministic: then
the difference is exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from audit.claims.schema import Flag, Points, Reference, Text
from audit.kinds.base import KIND, Better, Case, JudgedByMargin, note_difference
from audit.stats.decision import Band, Decision, Outcome, Route, Steps, Test, within
from audit.stats.power import Direction, Distance, noise_of
from audit.stats.sample import SAME, Difference, upper_tail


def _test(case: Case, d: Difference, steps: Steps, *, badges: Sequence[str] = (), **more: Any) -> Test:
    """With the numbers of the difference; without more, one that has no p-values."""
    numbers = {"estimate": d.value, "se": d.se, "df": d.df, "cap": d.cap, "target": case.printed_gap}
    shown = (*case.without_spread, *badges)
    return Test(**{**numbers, "margin": steps.known.get("D"), "badges": shown, "steps": steps, **more})


def _exact(case: Case, d: Difference, steps: Steps, exact: Decision, badges: Sequence[str] = ()) -> Test:
    return _test(case, d, steps, badges=badges, se=0.0, df=None, cap=None, exact=exact)


def direction(d: float, *, above: float = 0.0, weighty: bool, reason: str = "direction") -> Decision:
    """Reproduced above a margin; no difference at all contradicts one that the paper gives weight."""
    if d > above + SAME:
        return Decision("reproduced", reason)
    if d > SAME:
        return Decision("inconclusive", "straddles_margin")
    if d < -SAME:
        return Decision("contradicted", "reversed")
    return Decision("contradicted", "negligible") if weighty else Decision("inconclusive", "undecided")


class OrderClaim(Better):
    """One experiment is better than another."""

    kind: Literal["order"] = KIND
    negligible: Points = 0.1
    """Differences of at most this many points count as none."""

    def settings(self) -> dict[str, Any]:
        return {"negligible": self.negligible}

    @staticmethod
    def judge(case: Case) -> Test:
        """The direction of a difference; d0 = `negligible` points, or 0 where the paper prints at most twice
        that.

        p_rep = P[t >= d / se]                       small iff better at all
        p_con = min(1, 2 P[t >= (least - d) / se])   small iff better by less than that, or worse

        reproduced (direction)               p_rep is small, and p_con is not
        inconclusive (negligible_gain)       both are small: better, by a size that hardly matters
        contradicted (reversed, negligible)  p_con is small, and p_rep is not; reversed where worse than 0"""
        gap, negligible = case.printed_gap, case.claim.negligible
        least = 0.0 if gap is not None and gap <= 2.0 * negligible else negligible
        steps = Steps(case.alpha, least=least)
        d = note_difference(steps, *case.values)
        value = d.value
        if case.deterministic and d.still:
            if SAME < value < least - SAME:
                return _exact(case, d, steps, Decision("inconclusive", "negligible_gain"))
            return _exact(case, d, steps, direction(value, weighty=bool(least)))
        if d.error is None:
            return _test(case, d, steps)
        se, df = d.error
        intervals = steps.intervals("d", df)
        p_reproduced = steps.tail("p_rep", "d", df)
        routes = [Route(reason="reversed", p=steps.tail("p_reversed", "-d", df, doubled=True))]
        if least:
            routes.append(Route(reason="negligible", p=steps.tail("p_con", "least - d", df, doubled=True)))
        else:
            steps.work("p_con", "p_reversed")
        inside = max(upper_tail(negligible + value, se, df), upper_tail(negligible - value, se, df))  # TOST
        small = d.cap is None and value > 0.0 and inside <= case.alpha
        return _test(
            case,
            d,
            steps,
            **intervals,
            p_reproduced=p_reproduced,
            contradictions=tuple(routes),
            if_reproduced="direction",
            if_both="negligible_gain",
            badges=("difference negligible",) if small else (),
            question=Direction(value, noise_of(d), floor=least),
        )


class SignificantClaim(Better, JudgedByMargin):
    """One experiment is significantly better than another."""

    kind: Literal["significant"] = KIND
    test: Text | None = None
    """The test that the paper names; null where it names none."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"test": self.test}}

    @staticmethod
    def judge(case: Case) -> Test:
        """The order test whose null hypothesis is "better by the margin D or less", instead of "not better".

            reproduced     iff one-sided P[t >= (d - D) / se] <= alpha      (`exceeds_margin`)
            contradicted   iff the order is reversed, or (printed gap > 2 D) the difference lies within -+ D
                           and is not shown to be above 0
            inconclusive   (`negligible_gain`) where it is within -+ D and above 0: as of an order

        Here a small margin reproduces, one up to d - t(1 - a) se; from |d| + t(1 - a) se on a margin
        contradicts. Of deterministic arms d itself is above 0 or not."""
        badges = () if case.claim.details.get("test") else ("no test is named in the paper",)
        margin, gap = case.margin, case.printed_gap or 0.0
        steps, weighty = Steps(case.alpha, D=margin), gap > 2.0 * margin
        d = note_difference(steps, *case.values)
        if case.deterministic and d.still:
            if weighty and SAME < d.value < margin - SAME:
                return _exact(case, d, steps, Decision("inconclusive", "negligible_gain"), badges)
            return _exact(case, d, steps, direction(d.value, above=margin, weighty=weighty), badges)
        if d.error is None:
            return _test(case, d, steps, badges=badges)
        df = d.error.df
        intervals = steps.intervals("d", df)
        p_reproduced = steps.tail("p_rep", "d - D", df)
        p_reversed = steps.tail("p_reversed", "-d", df, doubled=True)
        routes, undecided = [Route(reason="reversed", p=p_reversed)], "undecided"
        better = steps.tail("p_order", "d", df) <= case.alpha
        if weighty:
            steps.tail("p_above", "D + d", df)
            steps.tail("p_below", "D - d", df)
            p_negligible = steps.work("p_negligible", "max(p_above, p_below)")
            if not better:
                routes.append(Route(reason="negligible", p=p_negligible))
            elif p_negligible <= case.alpha:
                undecided = "negligible_gain"
        steps.work("p_con", "min(p_reversed, p_negligible)" if routes[1:] else "p_reversed")
        band = Band()
        if d.cap is None:
            up_to = steps.work("reproduced up to D", "max(0, d - t(one) * se)", df)
            small, half = steps.work("negligible from D on", "abs(d) + t(one) * se", df), gap / 2.0
            ends = (small, half) if small < half and not better else (None, 0.0)
            band = Band(None, up_to, *((0.0, None) if p_reversed <= case.alpha else ends))
        return _test(
            case,
            d,
            steps,
            **intervals,
            p_reproduced=p_reproduced,
            contradictions=tuple(routes),
            if_reproduced="exceeds_margin",
            if_undecided=undecided,
            badges=badges,
            band=band,
            question=Direction(d.value, noise_of(d), bar=margin, small=margin if weighty else None),
        )


class EquivalentClaim(JudgedByMargin):
    """Two experiments are as good as each other, within a margin: the size the paper treats as similar."""

    references = ("left", "right")
    arms = 2
    of_a_pair = True
    under_specifications = True
    comparison = "similar"

    kind: Literal["equivalent"] = KIND
    left: Reference
    """table.row or table.row.column"""
    right: Reference
    """table.row or table.row.column"""
    no_loss: Flag = False
    """Whether it claims only that the left one is not worse; it may be better."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"no_loss": True} if self.no_loss else {}}

    @staticmethod
    def judge(case: Case) -> Test:
        """Two one-sided tests within -+ D; with `no_loss` one of them: left is not worse.

            p_rep = max(P[t >= (D + d) / se], P[t >= (D - d) / se])    small iff the inner interval is in -+ D
            p_con = min(1, 2 P[t >= (|d| - D) / se])                   small iff the outer one is outside -+ D

            no loss: p_rep = P[t >= (D + d) / se], p_con = min(1, 2 P[t >= (-d - D) / se])

        "Not significantly different" is not "similar". Of deterministic arms |d| <= D is exact."""
        margin, no_loss = case.margin, bool(case.claim.details.get("no_loss"))
        steps = Steps(case.alpha, D=margin)
        d = note_difference(steps, *case.values)
        if case.deterministic and d.still:  # 64.4 - 63.9 is 0.5000000000000071 in floating point
            kept = d.value >= -margin - SAME and (no_loss or d.value <= margin + SAME)
            outcome: Outcome = "reproduced" if kept else "contradicted"
            return _exact(case, d, steps, Decision(outcome, "deterministic"))
        if d.error is None:
            return _test(case, d, steps)
        df, band = d.error.df, Band()
        question: Direction | Distance = Distance(d.value, noise_of(d), margin)
        intervals = steps.intervals("d", df)
        if no_loss:
            question = Direction(d.value, noise_of(d), bar=-margin, floor=-margin)
            p_reproduced = steps.tail("p_rep", "D + d", df)
            route = Route(reason="loss", p=steps.tail("p_con", "-d - D", df, doubled=True))
            if d.cap is None:
                start = steps.work("D_R", "max(0, t(one) * se - d)", df)
                band = Band(start, contradicted_up_to=steps.work("D_C", "max(0, -d - t(two) * se)", df))
        else:
            steps.tail("p_low", "D + d", df)
            steps.tail("p_high", "D - d", df)
            p_reproduced = steps.work("p_rep", "max(p_low, p_high)")
            route = Route(reason="minimum_effect", p=steps.tail("p_con", "abs(d) - D", df, doubled=True))
            band = within(steps, "d", df, df) if d.cap is None else band
        return _test(
            case,
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
