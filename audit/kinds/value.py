"""A printed number: the metric of an experiment is v, or one experiment is better than another by g.
Notation: d = ours - printed, h half a unit of the printed decimals, D the margin, m runs of the paper behind
the number. Two one-sided tests (Schuirmann 1987), and the minimum-effect test as their mirror (Murphy and
Myors 1999): *reproduced* is about the number as printed, *contradicted* must survive that it may be one lucky
run (Spence and Stanley 2016). h enters against us both ways."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from audit.claims.schema import Count, Flag, Reference, Table
from audit.kinds.base import KIND, Better, Case, JudgedByMargin, note_arm, note_df, note_difference, untested
from audit.record import Cell
from audit.stats.decision import ALPHA, Route, Steps, Test, exactly, percent, within
from audit.stats.power import Distance, Noise, noise_of
from audit.stats.printed import Printed, gap, printed
from audit.stats.sample import (
    SPREADS,
    Error,
    SpreadReading,
    error,
    instance_se,
    quantile,
    sample,
    small_sample_cap,
)

#: The number after the plus-minus sign, and what the paper says it is; None where it does not say.
Spread = tuple[Printed, SpreadReading | None]


class ValueClaim(JudgedByMargin):
    """The metric of an experiment has the printed value."""

    references = ("of",)
    arms = 1
    of_printed = True
    of_one_printed = True
    under_specifications = True

    kind: Literal["value"] = KIND
    of: Reference
    """table.row or table.row.column"""
    runs_behind: Count = 1
    """Runs of the paper behind the printed number."""
    deterministic: Flag = False
    """Every run gives the same number: of imported runs; a model of this toolkit declares it itself."""

    def settings(self) -> dict[str, Any]:
        return {"runs_behind": self.runs_behind, "deterministic": self.deterministic}

    def from_tables(self, cells: Sequence[Cell], table: Table | None, each: Iterable[Cell]) -> dict[str, Any]:
        """What its table says of spread and runs, where the claim does not."""
        found: dict[str, Any] = {}
        if table and cells[0].sd is not None:
            found["details"] = {"spread": {"size": cells[0].sd, "reading": table.spread}}
        if table and table.runs and self.runs_behind == 1:
            found["runs_behind"] = table.runs
        return found

    @staticmethod
    def judge(case: Case) -> Test:
        (arm,), claim = case.arms, case.claim
        reported = printed(claim.printed[0])
        sizes = case.test_sizes.get(claim.dataset, 0), arm.runs[0].data.n_test  # theirs and ours
        in_percent = all(0.0 <= x <= 100.0 for x in (*arm.values, float(reported.value)))
        split = sizes if case.scope == "other_split" and min(sizes) > 0 and in_percent else None
        after = claim.details.get("spread") if claim.runs_behind > 1 else None
        test = value(
            arm.values,
            reported=reported,
            margin=case.margin,
            paper_runs=claim.runs_behind,
            paper_sd_ratio=case.kappa,
            spread=(printed(after["size"]), after.get("reading")) if after else None,
            other_split=split,
            deterministic=case.deterministic,
            alpha=case.alpha,
        )
        badges = ("noise of two test sets included",) if split else ()
        if claim.deterministic and not arm.deterministic and len(arm.values) > 1 and test.sd != 0.0:
            badges = ("declared deterministic, but the runs differ", *badges)
        test = replace(test, sd=sample(tuple(arm.values)).sd, badges=badges)
        if case.scope == "other_data" or (case.scope == "other_split" and split is None):
            # the runs are shown, but p-values against a number of other data would mean nothing
            return untested(case.scope, test)
        return test


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
    other_split: tuple[int, int] | None = None,
    alpha: float = ALPHA,
) -> Test:
    """Are our runs within the margin D of the printed number? Of the two tests around it at most one can
    reject.

        se      = s sqrt(1/n)             of p_rep
        se_pred = s sqrt(1/n + r^2/m)     of p_con, r = `paper_sd_ratio`: the SD of the paper's runs over ours
        se_pred = sqrt(s^2/n + s_p^2/m)   where the paper prints v -+ `spread` over its m runs, two or more

    n = 1 or 2 never decides, unless `noise` gives (s, its degrees of freedom) from other runs. On another
    split the instance noise of both test sets enters both variances; as it may raise the degrees of freedom,
    a contradiction must then hold for the seeds alone too. Where the paper does not say what `spread` is, it
    must hold for SD, standard error and 95 % interval alike, else the reason is `ambiguous_spread`. Equal
    runs of a `deterministic` model are compared exactly, others are capped as `no_spread`. Raises ValueError
    for no runs, nan or infinity."""
    h, v, m = float(reported.half_unit), float(reported.value), paper_runs
    steps = Steps(alpha, D=margin, h=h, v=v)
    ours = note_arm(steps, "", runs)
    d, n = steps.work("d", "mean - v"), ours.n
    still = deterministic and ours.sd == 0.0  # None, not 0.0, for one run
    sd, df = noise if noise and not still else (ours.sd, ours.df)
    cap = None if still or noise else small_sample_cap(n, still=ours.sd == 0.0)
    plain = Test(estimate=ours.mean, target=v, margin=margin, sd=sd, cap=cap, steps=steps)
    if still and other_split is None and spread is None:
        distance = Fraction(repr(ours.mean)) - reported.value  # of the shortest decimal form of our value
        return replace(plain, exact=exactly(distance, margin=margin, half_unit=reported.half_unit))
    if sd is None or (sd == 0.0 and not still):
        return plain
    variance, theirs = sd * sd, paper_sd_ratio**2 / m
    steps.known |= {"s": sd, "n": n, "m": m, "kappa": paper_sd_ratio}
    documents, also = (0.0, math.inf), ""
    if other_split:
        sizes = ("paper", v, other_split[0]), ("ours", ours.mean, other_split[1])
        for whose, p, size in sizes:
            # few documents near 0 or 100 hide their noise: Agresti and Coull (1998) add 2 of each kind
            wide = (size * p + 200.0) / (size + 4), size + 4
            p, size = max((p, size), wide, key=lambda of: instance_se(of[0], documents=of[1]))
            steps.known[f"se_{whose}"] = se = instance_se(p, documents=size)
            steps.note(f"se_documents, {whose}", "sqrt(p * (100 - p) / N)", se, p=p, N=size)
        documents = steps.work("v, of both test sets", "se_paper^2 + se_ours^2"), math.inf
        steps.known["v"], also = documents[0], " + v"
    own = error((variance / n, df), documents)
    steps.work("se", f"sqrt(s^2 / n{also})")
    if other_split:
        note_df(steps, "df", (variance / n, df), documents, value=own.df)
    # each reading of the paper's spread: its name, and formula and variances of the error of prediction
    readings = {"": ("s^2 * (1 / n + kappa^2 / m)", [(variance * (1.0 / n + theirs), df)])}
    if spread is not None:
        readings, x, h_x = {}, float(spread[0].value), float(spread[0].half_unit)
        for reading in SPREADS if spread[1] is None else (spread[1],):
            which = f", “±” read as {reading}"
            s_paper = steps.work(f"s_paper{which}", SPREADS[reading], m - 1.0, x=x, h_x=h_x)
            parts = [(variance / n, df), (s_paper * s_paper / m, m - 1.0)]
            readings[which] = "s^2 / n + s_paper^2 / m", parts
    predicted: dict[str, Error] = {}
    for which, (pattern, parts) in readings.items():
        for alone in (False, True) if other_split and not still else (False,):
            every = parts if alone else [*parts, documents]
            name = f"{which}{', of seeds alone' if alone else ''}"
            predicted[name] = error(*every)
            formula = f"sqrt({pattern}{'' if alone else also})"
            steps.work(f"se_pred{name}", formula, s_paper=steps.known.get(f"s_paper{which}"))
            if len(parts) > 1 or (other_split and not alone):
                estimated = every if other_split else parts
                note_df(steps, f"df_pred{name}", *estimated, value=predicted[name].df)
    tested = around(steps, "mean", "d", own=own, predicted=predicted, cap=cap)
    if other_split:
        tested["if_undecided"] = "other_split"
    if sd and math.isfinite(own.df):
        seeds = Noise(sd, own.df, arms=1, prior_df=0.0 if noise else ours.df - (n - 1))
        tested["question"] = Distance(d, seeds, margin, h, theirs)
    return replace(plain, **tested)


def around(
    steps: Steps,
    estimate: str,
    off: str,
    *,
    own: Error,
    predicted: Mapping[str, Error],
    floor: float = 0.0,
    cap: str | None = None,
) -> dict[str, Any]:
    """Intervals, p-values and band of a `Test`; `estimate` and `off` name our number and its distance.

        p_rep = max(P[t >= (D - h + d) / se], P[t >= (D - h - d) / se])
        p_con = min(1, 2 P[t >= (|d| - (D + h)) / se_pred])
        D_R   = |d| + t(1 - a) se + h                                        p_rep <= a  iff  D >= D_R
        D_C   = max(0, |d| - max over readings of t(1 - a / 2) se_pred - h)  p_con <= a  iff  D <= D_C

    `steps` know D, h, se and se_pred. `predicted` is the error of the difference to the paper's own runs, for
    each way to read its spread: the largest p counts. `floor` is the least margin that is used."""
    steps.known["se"], against = own.se, []
    steps.tail("p_low", f"D - h + {off}", own.df)
    steps.tail("p_high", f"D - h - {off}", own.df)
    p_reproduced = steps.work("p_rep", "max(p_low, p_high)")
    for which, theirs in predicted.items():
        steps.known["se_pred"], name = theirs.se, f"p_con{which}" if len(predicted) > 1 else "p_con"
        against.append(steps.tail(name, f"abs({off}) - (D + h)", theirs.df, "se_pred", doubled=True))
    if len(predicted) > 1:
        steps.note("p_con", "max(p)", max(against), p=against)
    two = steps.known["two"]
    wide = max(predicted.values(), key=lambda theirs: quantile(two, theirs.df) * theirs.se)
    steps.known["se_pred"] = wide.se
    lucky = abs(steps.known[off]) <= quantile(two, wide.df) * wide.se
    undecided = "within_seed_spread" if lucky else "straddles_margin"
    if min(against) <= steps.alpha < max(against):
        undecided = "ambiguous_spread"
    intervals = steps.intervals(estimate, own.df)
    of_theirs = f"{percent(1.0 - steps.alpha)} of the paper's runs"
    pi95 = steps.interval(of_theirs, estimate, "two", wide.df, se="se_pred")
    band = within(steps, off, own.df, wide.df, se="se_pred", floor=floor)
    if cap is not None:  # a band that decides nothing is not shown
        del steps[-2:]
    return {
        "se": own.se,
        "df": own.df,
        **intervals,
        "pi95": pi95,
        "band": band,
        "p_reproduced": p_reproduced,
        "contradictions": (Route(reason="minimum_effect", p=max(against)),),
        "if_undecided": undecided,
    }


class GapClaim(Better, JudgedByMargin):
    """One experiment is better than another by the printed difference."""

    of_printed = True

    kind: Literal["gap"] = KIND

    def from_tables(self, cells: Sequence[Cell], table: Table | None, each: Iterable[Cell]) -> dict[str, Any]:
        """The runs behind both numbers, where one table says it."""
        same = len({cell.address.split(".")[0] for cell in cells}) == 1
        return {"runs_behind": table.runs} if table and table.runs and same else {}

    @staticmethod
    def judge(case: Case) -> Test:
        """Is our gap within the margin of the printed gap g? By the tests of `around`, with Welch's error.

            D = max(margin, |g| / 2)    half a large gap is still the claimed effect (Simonsohn 2015)
            h = h_A + h_B               both printed numbers are rounded
            se_pred^2 = sA^2 (1/nA + r^2/m) + sB^2 (1/nB + r^2/m)    the paper's arms are draws as well

        The printed difference is about the paper's data: runs on other data are not judged by it."""
        test = _gap(case)
        test = replace(test, badges=case.without_spread)
        return test if case.scope == "same_data" else untested(case.scope or "other_data", test)


def _gap(case: Case) -> Test:
    first, second = map(printed, case.claim.printed)
    claimed, half_unit, m = gap(first, second), first.half_unit + second.half_unit, case.claim.runs_behind
    g, h, margin = float(claimed), float(half_unit), float(case.margin)
    D, theirs = float(max(Fraction(repr(margin)), abs(claimed) / 2)), case.kappa**2 / m
    steps = Steps(case.alpha, margin=margin, kappa=case.kappa, m=m)
    d = note_difference(steps, *case.values)
    A, B = float(first.value), float(second.value)
    steps.note("g", "printed_A - printed_B", g, printed_A=A, printed_B=B)
    off = steps.work("off", "d - g")
    steps.note("h", "h_A + h_B", h, h_A=float(first.half_unit), h_B=float(second.half_unit))
    steps.note("D", "max(margin, abs(g) / 2)", D, margin=margin, g=g)
    plain = Test(estimate=d.value, target=g, margin=D, se=d.se, df=d.df, cap=d.cap, steps=steps)
    a, b = d.first, d.second
    if case.deterministic and d.still:
        distance = Fraction(repr(a.mean)) - Fraction(repr(b.mean)) - claimed
        return replace(plain, cap=None, exact=exactly(distance, margin=D, half_unit=half_unit))
    if d.error is None:
        return plain
    pattern = "sqrt(s_A^2 * (1 / n_A + kappa^2 / m) + s_B^2 * (1 / n_B + kappa^2 / m))"
    steps.work("se_pred", pattern, s_A=a.sd, n_A=a.n, s_B=b.sd, n_B=b.n)
    predicted = error(*d.parts(theirs))
    note_df(steps, "df_pred", *d.parts(theirs), value=predicted.df)
    half = abs(g) / 2.0
    tested = around(steps, "d", "off", own=d.error, predicted={"": predicted}, floor=half, cap=d.cap)
    return replace(plain, **tested, question=Distance(off, noise_of(d), D, h, theirs))
