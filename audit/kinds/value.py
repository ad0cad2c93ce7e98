"""A printed number: the metric of an experiment is v, or one experiment is better than another by g.

Notation: d = ours - printed, h half a unit of the printed decimals, D the margin, m runs of the paper behind
the number. Two one-sided tests (Schuirmann 1987) and the minimum-effect test as their mirror (Murphy and
Myors 1999), with the asymmetry of replication and prediction intervals (Spence and Stanley 2016):
*reproduced* is about the number as printed, *contradicted* must survive that it may be one lucky run. h
enters against us both ways: `83.6` may be anything from 83.55 to 83.65.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

from audit.claims.schema import Count, Flag, Reference, Table
from audit.kinds.base import Case, JudgedByMargin, Kind, always, note_arm, note_df, note_difference, untested
from audit.record import Cell
from audit.stats.decision import ALPHA, Route, Step, Steps, Test, Within, exactly, num, percent
from audit.stats.power import Distance, Noise, noise_of
from audit.stats.printed import Printed, gap, printed
from audit.stats.sample import (
    Error,
    SpreadReading,
    error,
    instance_se,
    printed_sds,
    quantile,
    sample,
    small_sample_cap,
)


class ValueClaim(JudgedByMargin):
    """The metric of an experiment has the printed value."""

    references: ClassVar[tuple[str, ...]] = ("of",)
    own_runs_only: ClassVar[bool] = True

    kind: Literal["value"]
    """What sort of statement it is; decides the other keys and the test."""
    of: Reference
    """table.row or table.row.column"""
    runs_behind: Count = 1
    """Runs of the paper behind the printed number."""
    deterministic: Flag = False
    """Every run gives the same number: of imported runs; a model of this toolkit declares it itself."""

    def settings(self) -> dict[str, Any]:
        return {"runs_behind": self.runs_behind, "deterministic": self.deterministic}

    def from_tables(
        self, cells: Sequence[Cell], table: Table | None, every: Iterable[Cell]
    ) -> dict[str, Any]:
        """What its table says of spread and runs, where the claim does not."""
        found: dict[str, Any] = {}
        if table and cells[0].sd is not None:
            found["details"] = {"spread": {"size": cells[0].sd, "reading": table.spread}}
        if table and table.runs and self.runs_behind == 1:
            found["runs_behind"] = table.runs
        return found


class GapClaim(JudgedByMargin):
    """One experiment is better than another by the printed difference."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["gap"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""


class Spread(NamedTuple):
    """The number after the plus-minus sign, and what the paper says it is; None where it does not say."""

    size: Printed
    reading: SpreadReading | None = None


class OtherSplit(NamedTuple):
    """Sizes of the two test sets, when ours is not the paper's."""

    documents_paper: int
    documents_ours: int


# --------------------------------------------------------------------------- the two tests around a number


def around(
    steps: Steps,
    estimate: tuple[str, float],
    off: tuple[str, float],
    *,
    half_unit: float,
    margin: float,
    own: Error,
    predicted: Mapping[str, Error],
    floor: float = 0.0,
    cap: str | None = None,
    alpha: float = ALPHA,
) -> dict[str, Any]:
    """Intervals, p-values and band of a `Test`; of our `estimate` and its distance `off`, each with its
    symbol.

        p_rep = max(P[t >= (D - h + d) / se], P[t >= (D - h - d) / se])
        p_con = min(1, 2 P[t >= (|d| - (D + h)) / se_pred])

    `predicted` is the error of the difference to the paper's own runs, by name for each way to read what the
    paper prints of its spread: contradicted is what every one contradicts, so the largest p counts. `floor`
    is the least margin that is used, whatever was fixed. Intervals and band are at the level of the test, so
    that the three statements about one set of numbers agree: p_con <= alpha where D <= D_C, p_rep <= alpha
    where D >= D_R.
    """
    (name, d), D, h = off, margin, half_unit
    numbers: dict[str, Any] = {name: d, "D": D, "h": h}
    steps.tail("p_low", f"D - h + {name}", D - h + d, *own, **numbers)
    steps.tail("p_high", f"D - h - {name}", D - h - d, *own, **numbers)
    p_reproduced = steps.larger("p_rep", "p_low", "p_high")
    over, distance = f"abs({name}) - (D + h)", abs(d) - (D + h)
    several = len(predicted) > 1
    against = [
        steps.doubled(f"p_con{which}" if several else "p_con", over, distance, *it, by="se_pred", **numbers)
        for which, it in predicted.items()
    ]
    if several:
        steps.note("p_con", "max(p)", max(against), p=against)
    q = 1.0 - alpha / 2.0
    wide = max(predicted.values(), key=lambda it: quantile(q, it.df) * it.se)
    luck = quantile(q, wide.df) * wide.se
    undecided = "within_seed_spread" if abs(d) <= luck else "straddles_margin"
    if min(against) <= alpha < max(against):
        undecided = "ambiguous_spread"
    intervals = steps.intervals(*estimate, *own, alpha=alpha)
    paper = f"{percent(1.0 - alpha)} of the paper's runs"
    steps.interval(paper, *estimate, *wide, level=1.0 - alpha, by="se_pred")
    margins = Within(abs(d), own, tuple(predicted.values()), h, floor)
    if cap is None:
        margins.note(steps, name, d, alpha=alpha, by="se_pred")
    return {
        "se": own.se,
        "df": own.df,
        **intervals,
        "pi95": (estimate[1] - luck, estimate[1] + luck),
        "margins": margins,
        "p_reproduced": p_reproduced,
        "contradictions": (Route(reason="minimum_effect", p=max(against)),),
        "if_undecided": undecided,
    }


def _checked(margin: float, paper_runs: int) -> None:
    if not (math.isfinite(margin) and margin >= 0.0) or paper_runs < 1:
        found = f"{margin!r} and {paper_runs!r}"
        raise ValueError(f"needs a margin of 0 points or more and one run behind the number, got {found}")


# --------------------------------------------------------------------------- value


def value(
    runs: Sequence[float],
    *,
    reported: Printed,
    margin: float,
    paper_runs: int = 1,
    paper_sd_ratio: float = 1.0,
    spread: Spread | None = None,
    noise: tuple[float, float] | None = None,
    deterministic: bool = False,
    other_split: OtherSplit | None = None,
    alpha: float = ALPHA,
) -> Test:
    """Are our runs within the margin D of the printed number? Of the two tests around it at most one can
    reject.

        se      = s sqrt(1/n)             of p_rep
        se_pred = s sqrt(1/n + r^2/m)     of p_con, r = `paper_sd_ratio`

    n = 1 or 2 never decides, unless `noise` gives (s, its degrees of freedom) from other runs. The SD of the
    paper's runs is not known: r says how much larger than ours it may be. On another split the instance noise
    of both test sets enters both variances. Its known variance raises Satterthwaite's degrees of freedom,
    which may outweigh it: a contradiction must then hold for the seeds alone too, so that another split never
    contradicts what the same runs on the paper's own would leave open.

    Where the paper prints v -+ `spread` over its m runs, its own SD s_p takes the place of ours in the
    paper's part: se_pred = sqrt(s^2/n + s_p^2/m), Satterthwaite's degrees of freedom (Welch of summary data).
    Where it does not say what it prints, a contradiction must hold for SD, standard error and 95 % interval
    alike; if it holds for some only, the reason is `ambiguous_spread`.

    Runs that are all equal (s = 0) without being declared `deterministic` are capped as `no_spread`: either
    the metric is too coarse to show what the seed changes, or the seed is not used. Both ways s = 0 is no
    estimate of the noise. Declared, and seen in two runs, equality is what it should be, and the comparison
    is exact, unless the paper's runs do vary. Raises ValueError for no runs, nan or infinity, a negative
    margin, fewer than one paper run, or a spread of fewer than two.
    """
    _checked(margin, paper_runs)
    steps, h = Steps(), float(reported.half_unit)
    ours, v = note_arm(steps, "", runs), float(reported.value)
    d = steps.note("d", "mean - v", ours.mean - v, mean=ours.mean, v=v)
    still = deterministic and ours.sd == 0.0  # None, not 0.0, for one run
    sd, df = noise if noise and not still else (ours.sd, ours.df)
    cap = None if still or noise else small_sample_cap(ours.n, still=ours.sd == 0.0)
    plain = Test(estimate=ours.mean, target=v, margin=margin, sd=sd, cap=cap, steps=steps)
    if still and other_split is None and spread is None:
        distance = Fraction(repr(ours.mean)) - reported.value  # of the shortest decimal form of our value
        return replace(plain, exact=exactly(distance, margin=margin, half_unit=reported.half_unit))
    if sd is None or (sd == 0.0 and not still):
        return plain
    variance, n, m = sd * sd, ours.n, paper_runs
    documents = (_note_documents(steps, ours.mean, v, other_split) if other_split else 0.0, math.inf)
    also = " + v" if other_split else ""
    numbers: dict[str, Any] = {"v": documents[0]} if other_split else {}
    own = error((variance / n, df), documents)
    steps.note("se", f"sqrt(s^2 / n{also})", own.se, s=sd, n=n, **numbers)
    if other_split:
        note_df(steps, "df", (variance / n, df), documents, value=own.df)
    predicted: dict[str, Error] = {}
    for which, parts, pattern, more in _paper_parts(steps, sd, df, n, m, paper_sd_ratio, spread):
        for alone in (False, True) if other_split and not still else (False,):
            every = parts if alone else [*parts, documents]
            name = f"{which}{', of seeds alone' if alone else ''}"
            it = predicted[name] = error(*every)
            steps.note(f"se_pred{name}", f"sqrt({pattern}{'' if alone else also})", it.se, **more, **numbers)
            if len(parts) > 1 or (other_split and not alone):
                note_df(steps, f"df_pred{name}", *(every if other_split else parts), value=it.df)
    tested = around(
        steps,
        ("mean", ours.mean),
        ("d", d),
        half_unit=h,
        margin=margin,
        own=own,
        predicted=predicted,
        cap=cap,
        alpha=alpha,
    )
    if other_split:
        tested["if_undecided"] = "other_split"
    if sd and math.isfinite(own.df):
        prior = 0.0 if noise else ours.df - (n - 1)
        seeds = Noise(sd, own.df, arms=1, prior_df=prior)
        tested["question"] = Distance(d, seeds, margin, h, m, paper_sd_ratio)
    return replace(plain, **tested)


def _paper_parts(
    steps: Steps, sd: float, df: float, n: int, m: int, kappa: float, spread: Spread | None
) -> list[tuple[str, list[tuple[float, float]], str, dict[str, Any]]]:
    """Name, variances, formula and its numbers of the error of prediction, for each reading of the paper's
    spread."""
    if spread is None:
        numbers: dict[str, Any] = {"s": sd, "n": n, "kappa": kappa, "m": m}
        parts = [(sd * sd * (1.0 / n + kappa**2 / m), df)]
        return [("", parts, "s^2 * (1 / n + kappa^2 / m)", numbers)]
    x = f"({num(float(spread.size.value))} + {num(float(spread.size.half_unit))})"
    formulas = {"sd": "x", "se": "x * sqrt(m)", "ci95": "x * sqrt(m) / t(0.975)"}
    found = []
    for reading, theirs in printed_sds(spread.size, m, spread.reading).items():
        which = f", “±” read as {reading}"
        formula = Step("", formulas[reading], theirs, {"x": x, "m": m}, df=m - 1.0)
        says = f"{formula.formula}, x the printed spread and half a unit of its last digit"
        steps.append(Step(f"s_paper{which}", says, theirs, text=partial(getattr, formula, "filled")))
        variances = [(sd * sd / n, df), (theirs * theirs / m, m - 1.0)]
        numbers = {"s": sd, "n": n, "s_paper": theirs, "m": m}
        found.append((which, variances, "s^2 / n + s_paper^2 / m", numbers))
    return found


def _note_documents(steps: Steps, mean: float, v: float, split: OtherSplit) -> float:
    """Variance of the difference that two different test sets add, in points squared."""
    errors = []
    for whose, p, documents in (("paper", v, split.documents_paper), ("ours", mean, split.documents_ours)):
        se = instance_se(p, documents=documents)
        errors.append(steps.note(f"se_documents, {whose}", "sqrt(p * (100 - p) / N)", se, p=p, N=documents))
    both = errors[0] * errors[0] + errors[1] * errors[1]
    return steps.note(
        "v, of both test sets", "se_paper^2 + se_ours^2", both, se_paper=errors[0], se_ours=errors[1]
    )


def _test_value(case: Case) -> Test:
    (arm,), claim = case.arms, case.claim
    reported = printed(claim.printed[0])
    ours, documents = arm.runs[0].data.n_test, case.test_sizes.get(claim.dataset)
    in_percent = all(0.0 <= x <= 100.0 for x in (*arm.values, float(reported.value)))
    known = case.scope == "other_split" and documents and ours > 0 and in_percent
    split = OtherSplit(documents or 0, ours) if known else None
    printed_spread = claim.details.get("spread")
    spread = None
    if printed_spread and claim.runs_behind > 1:
        spread = Spread(printed(printed_spread["size"]), printed_spread.get("reading"))
    test = value(
        arm.values,
        reported=reported,
        margin=case.margin,
        paper_runs=claim.runs_behind,
        paper_sd_ratio=case.kappa,
        spread=spread,
        deterministic=case.deterministic,
        other_split=split,
        alpha=case.alpha,
    )
    badges = []
    if claim.deterministic and not arm.deterministic and len(arm.values) > 1 and test.sd != 0.0:
        badges.append("declared deterministic, but the runs differ")
    if split:
        badges.append("noise of two test sets included")
    test = replace(test, sd=sample(tuple(arm.values)).sd, badges=tuple(badges))
    if case.scope == "other_data" or (case.scope == "other_split" and split is None):
        # the runs are shown, but p-values against a number of other data would mean nothing
        return untested(case.scope, test)
    return test


# --------------------------------------------------------------------------- gap


def gap_size(
    better: Sequence[float],
    worse: Sequence[float],
    *,
    printed_better: Printed,
    printed_worse: Printed,
    margin: float,
    paper_runs: int = 1,
    paper_sd_ratio: float = 1.0,
    deterministic: bool = False,
    alpha: float = ALPHA,
) -> Test:
    """Is our gap within the margin of the printed gap g? By the tests of `around`, with Welch's error.

        D = max(margin, |g| / 2)        half a large gap is still the effect that was claimed
        h = h_A + h_B                   both printed numbers are rounded
        se^2      = sA^2 / nA + sB^2 / nB
        se_pred^2 = sA^2 (1/nA + r^2/m) + sB^2 (1/nB + r^2/m)     each arm of the paper is a draw as well

    with r = `paper_sd_ratio`, as in `value`. Half of the gap as the margin is the analogue of "small
    telescopes" (Simonsohn 2015).
    A paper can have its order reproduced and its gap contradicted: those are two claims.
    Fewer than 3 runs in an arm never decide, nor do two arms without any spread, unless they are declared
    `deterministic`. Raises ValueError as `value`.
    """
    _checked(margin, paper_runs)
    steps = Steps()
    d = note_difference(steps, better, worse)
    claimed, half_unit = (
        gap(printed_better, printed_worse),
        printed_better.half_unit + printed_worse.half_unit,
    )
    g, h, D = float(claimed), float(half_unit), float(max(Fraction(repr(float(margin))), abs(claimed) / 2))
    numbers = {"printed_A": float(printed_better.value), "printed_B": float(printed_worse.value)}
    steps.append(Step("g", "printed_A - printed_B", g, numbers))
    off = steps.note("off", "d - g", d.value - g, d=d.value, g=g)
    steps.note("h", "h_A + h_B", h, h_A=float(printed_better.half_unit), h_B=float(printed_worse.half_unit))
    steps.note("D", "max(margin, abs(g) / 2)", D, margin=float(margin), g=g)
    plain = Test(estimate=d.value, target=g, margin=D, se=d.se, df=d.df, cap=d.cap, steps=steps)
    if deterministic and d.still:
        distance = Fraction(repr(d.first.mean)) - Fraction(repr(d.second.mean)) - claimed
        return replace(plain, cap=None, exact=exactly(distance, margin=D, half_unit=half_unit))
    if d.error is None:
        return plain
    theirs = paper_sd_ratio**2 / paper_runs
    parts = [(arm.variance * (1.0 / arm.n + theirs), arm.df) for arm in (d.first, d.second)]
    predicted = error(*parts)
    steps.note(
        "se_pred",
        "sqrt(s_A^2 * (1 / n_A + kappa^2 / m) + s_B^2 * (1 / n_B + kappa^2 / m))",
        predicted.se,
        s_A=d.first.sd,
        n_A=d.first.n,
        s_B=d.second.sd,
        n_B=d.second.n,
        kappa=paper_sd_ratio,
        m=paper_runs,
    )
    note_df(steps, "df_pred", *parts, value=predicted.df)
    tested = around(
        steps,
        ("d", d.value),
        ("off", off),
        half_unit=h,
        margin=D,
        own=d.error,
        predicted={"": predicted},
        floor=abs(g) / 2.0,
        cap=d.cap,
        alpha=alpha,
    )
    noise = noise_of(d)
    question = Distance(off, noise, D, h, paper_runs, paper_sd_ratio) if noise else None
    return replace(plain, **tested, question=question)


def _test_gap(case: Case) -> Test:
    """The printed difference is about the paper's data; on other documents nothing is judged by it."""
    first, second = map(printed, case.claim.printed)
    test = gap_size(
        *case.values,
        printed_better=first,
        printed_worse=second,
        margin=case.margin,
        paper_runs=case.claim.runs_behind,
        paper_sd_ratio=case.kappa,
        deterministic=case.deterministic,
        alpha=case.alpha,
    )
    test = replace(test, badges=case.without_spread)
    return test if case.scope == "same_data" else untested(case.scope or "other_data", test)


KINDS = (
    Kind(
        model=ValueClaim,
        test=_test_value,
        arms=1,
        of_costs=False,
        under_readings=True,
        of_printed=True,
        of_a_pair=False,
        needs_margin=always,
    ),
    Kind(
        model=GapClaim,
        test=_test_gap,
        arms=2,
        of_costs=False,
        under_readings=True,
        of_printed=True,
        of_a_pair=True,
        needs_margin=always,
    ),
)
