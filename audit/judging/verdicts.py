"""Claims and evidence to verdicts: what the runs say about each claim, all claims of a paper taken together.

How a claim of each kind is tested is in `audit.kinds`. Reason codes beside those of the tests:

    not_run, run_failed             no value to judge by
    most_failed                     more seeds of an arm failed than gave a value: which do is no chance
    same_runs, different_data       two arms that cannot be compared
    mixed_evidence                  an arm of our runs against one of imported runs
    other_data, other_split         a printed number is not about the data that was run
    unverified_reimplementation     a contradiction, but the model has not passed its own checks
    unverified_import               a contradiction, but the runs are not stated to be of the authors' code
    stand_in                        a contradiction, but on other data than the paper's
    reduced_protocol                a contradiction, but by another protocol than the paper's
    untuned                         a contradiction, but with settings that were not sought as the paper does
    runs_gone                       runs that were on record are not there any more
    margins_changed                 the runs began under other margins, and no new audit was declared
    no_margin, no_printed_number    the claim does not say what to judge by
    no_target_score                 a convergence claim without the score that counts
    not_measured, different_machines    the run records do not hold what a claim about costs needs
    too_many_levels                 a sweep longer than Page's test is worked out for
    partly_run                      not all comparisons of a dominance claim were made, and none breaks it
    place_always_held               "among the best k" of no more than k methods
    absolute_cost                   how much one system needs, which is a matter of its data and machine
    no_sizes                        a growth claim for which no experiments of growing size are named
    counted_exactly                 the same, whose operations `audit check` counts
    not_one_size                    experiments of growing size that differ in more than that size
    ambiguous_description           the declared readings of what the paper leaves open do not agree
    some_readings                   those that were run agree, or contradict, and not all were run
    hangs_on_spread                 contradicted if the paper's runs scatter as ours, and not if twice as much
    kind_not_judged                 no rule for this kind of claim

Readings. A claim is judged anew under each reading of what the paper leaves open, all of its arms under the
same one. The headline decides only what every declared reading decides alike. Some reading is the paper's,
and nobody knows which: "reproduced under all readings" is the intersection of one verdict a reading, each at
the full level, and false only if the verdict under the paper's reading is false too (intersection-union test:
Berger 1982). No correction is made for the number of readings, since none is picked. The p-values of the
intersection are the largest over the readings. With these a claim stands in the family of its paper's other
claims; a single reading is adjusted there in its claim's place. As both adjustments grow with a claim's own
p, the intersection of the verdicts and the verdict by the largest p are one and the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from audit.claims.specifications import Departures, declared, experiment_id, within
from audit.judging.evidence import (
    Arm,
    Cache,
    Priors,
    about_code,
    about_gone,
    badges,
    barred,
    gather,
    of_one_kind,
    priors_of,
    same_test_set,
    share_runs,
    worst_scope,
)
from audit.judging.imported import may_be_older
from audit.kinds import KINDS, Case
from audit.kinds.costs import measured
from audit.record import (
    ClaimRecord,
    ExperimentRecord,
    Outcome,
    Readings,
    ReadingVerdict,
    Verdict,
    canonical_json,
    comparable_metric,
)
from audit.stats.decision import ALPHA, Route, Test
from audit.stats.families import benjamini_hochberg, families, threshold_bh, threshold_holm
from audit.stats.power import KAPPA

#: From so many seeds on, those that remain without one of them may decide.
_ONE_SEED_FROM = 4


@dataclass(frozen=True)
class MarginsNow:
    """The margins that the claim file fixes now, to be held against those that the runs began under."""

    paper: str
    hash: str
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Hashes that the claim file declares as superseded, with the reason."""
    grown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Hashes of which every claim stands as it was -> claims that were added since."""


def compare(
    claims: Sequence[ClaimRecord],
    experiments: Mapping[str, ExperimentRecord],
    *,
    fidelity: Mapping[str, bool],
    margins: MarginsNow | None = None,
    test_sizes: Mapping[str, int] | None = None,
    readings: Readings | None = None,
    alpha: float = ALPHA,
) -> tuple[Verdict, ...]:
    """One verdict for each of a paper's claims, in their order.

    `fidelity` says for each model whether it passed its own checks; without that a contradiction is not
    given out. `margins` are held against the run records: a margin is worth what it was before the runs.
    `test_sizes` gives the number of test documents that the paper prints for a data set; evidence of another
    split needs it, and stays inconclusive without. A claim with `readings` is judged under each of them that
    was run, and decided only where all agree.
    """
    sizes, cache = test_sizes or {}, Cache()
    priors = priors_of(claims, experiments, sizes, cache)
    rules = _Rules(claims, experiments, fidelity, margins, sizes, readings, alpha, priors, cache)
    tests = rules.tests()
    family = _Family.of(claims, [it.judged for it in tests], experiments)
    own = [it.outcome for it in replace(rules, priors={}).verdicts()]
    alike = [it.outcome for it in replace(rules, kappa=1.0).verdicts()]
    return tuple(
        rules.robust(k, verdict, tests, family, own=own[k], alike=alike[k])
        for k, verdict in enumerate(rules.verdicts(tests))
    )


# --------------------------------------------------------------------------- one claim by its test


@dataclass(frozen=True)
class Judged:
    """A verdict with all its numbers but no outcome yet, and the test that will give one."""

    verdict: Verdict
    test: Test | None = None
    """None where the reason in `verdict` is final."""


def case_of(
    claim: ClaimRecord,
    experiments: Mapping[str, ExperimentRecord],
    *,
    test_sizes: Mapping[str, int] | None = None,
    alpha: float = ALPHA,
    kappa: float = KAPPA,
    priors: Priors | None = None,
    cache: Cache | None = None,
) -> Case:
    """The claim with its arms."""
    kind, sizes = KINDS.get(claim.kind), test_sizes or {}
    cost = measured if kind and kind.of_costs else None
    arms = tuple(
        gather(
            name,
            experiments,
            metric=str(claim.details.get("quantity", "")) if cost else _metric(claim, name),
            cost=cost,
            priors=None if cost or claim.deterministic else priors,
            deterministic=claim.deterministic,
            test_sizes=sizes,
            cache=cache,
        )
        for name in claim.experiments
    )

    def arm(name: str, metric: str) -> Arm:
        return gather(name, experiments, metric=metric, priors=priors, test_sizes=sizes, cache=cache)

    return Case(claim, arms, worst_scope(arms), arm, sizes, alpha, kappa)


def _metric(claim: ClaimRecord, experiment: str) -> str:
    """The claim's metric; where it is about several, the first that the experiment is named for."""
    lines = claim.details.get("lines", ())
    named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
    return claim.metric or next(named, "")


def obstacle(case: Case) -> str | None:
    """Reason code why the claim cannot be tested at all, or None."""
    claim, arms, kind = case.claim, case.arms, KINDS.get(case.claim.kind)
    if kind is None or kind.test is None:
        return "kind_not_judged"
    if why := kind.obstacle(case):
        return why
    lacking = {arm.lacks for arm in arms}
    if kind.by_parts and None in lacking:
        lacking = {None}
    wrong_number = len(arms) != kind.arms if kind.arms else len(arms) < 2
    for reason in ("other_data", "not_run", "run_failed", "not_measured"):
        if reason in lacking or (reason == "not_run" and wrong_number):
            return reason
    if any(share_runs(group) for group in kind.compared(case)):
        return "same_runs"
    if not of_one_kind(arms):
        return "mixed_evidence"
    if not same_test_set(arms):
        return "different_data"
    if kind.arms != 1 and any(arm.raw for arm in arms):
        return "no_spread"  # beside another arm's, no spread would count as a very small one
    if kind.of_printed and len(claim.printed) < len(arms):
        return "no_printed_number"
    fixed = claim.margin is not None and claim.margin.value > 0.0
    return "no_margin" if kind.needs_margin(claim) and not fixed else None


def test_of(case: Case) -> Test:
    """The test of a claim to which nothing is an obstacle."""
    test = KINDS[case.claim.kind].test
    assert test is not None
    return test(case)


def _judge(case: Case, margins: MarginsNow | None) -> Judged:
    claim, arms = case.claim, case.arms
    warnings, changed = _margin_warnings(claim, arms, margins)
    records = list({arm.experiment: arm.record for arm in arms if arm.record is not None}.values())
    gone = about_gone(records)
    scores = claim.kind not in KINDS or not KINDS[claim.kind].of_costs
    plain = Verdict(
        claim=claim.id,
        outcome="inconclusive",
        reason="",
        level=case.alpha,
        scope=case.scope,
        n=tuple(len(arm.runs) for arm in arms),
        attempts=tuple(arm.attempts for arm in arms),
        values=tuple(tuple(arm.measured) for arm in arms),
        seeds=tuple(arm.seeds for arm in arms),
        badges=(*badges(arms), *warnings, *gone, *about_code(records)),
        scatter=tuple(arm.scatter for arm in arms if arm.values) if scores else (),
    )
    if why := obstacle(case):
        lost = gone and all(arm.record and arm.record.gone for arm in arms if arm.lacks)
        return Judged(replace(plain, reason="runs_gone" if lost and why == "not_run" else why))
    test = test_of(case)
    verdict = _with_numbers(plain, test, case.alpha)
    if test.untested:
        return Judged(replace(verdict, reason="margins_changed" if changed else test.untested))
    if gone:
        return Judged(replace(verdict, reason="runs_gone"))
    if any(arm.failed > len(arm.runs) for arm in arms):
        return Judged(replace(verdict, reason="most_failed"))
    return Judged(replace(verdict, reason="margins_changed")) if changed else Judged(verdict, test)


def _with_numbers(plain: Verdict, test: Test, alpha: float) -> Verdict:
    """With the test's numbers, and where another margin would change the verdict, the claim taken alone."""
    shared = ("estimate", "target", "margin", "sd", "se", "ci90", "ci95", "pi95", "medians", "parts")
    numbers: dict[str, Any] = {name: getattr(test, name) for name in shared}
    if test.margins is not None and test.testable:
        band = test.margins.band(alpha, alpha)
        numbers |= {f"margin_{it.name}": getattr(band, it.name) for it in fields(band)}
    df = test.df if test.df is not None and math.isfinite(test.df) else None  # JSON has no infinity
    return replace(plain, **numbers, df=df, badges=(*plain.badges, *test.badges))


def _margin_warnings(
    claim: ClaimRecord, arms: Sequence[Arm], margins: MarginsNow | None
) -> tuple[tuple[str, ...], bool]:
    """Badges about margins that the runs did not begin under, and whether that forbids a verdict."""
    if margins is None:
        return (), False
    runs = [run for arm in arms for run in arm.runs]
    before = {run.margins[margins.paper] for run in runs if margins.paper in run.margins} - {margins.hash}
    added = {mark for mark in before if claim.id in margins.grown.get(mark, ())}
    before -= set(margins.grown) - set(margins.earlier)
    undeclared = before - set(margins.earlier)
    unrecorded = any(margins.paper not in run.margins for run in runs)
    notes = ["margins not on record before the runs"] if unrecorded else []
    if any(may_be_older(run) and run.margins.get(margins.paper) == margins.hash for run in runs):
        notes.append("imported after the margins were fixed; the runs may be older")
    if added - set(margins.earlier):
        notes.append("stated after the runs")
    notes += [f"margins changed after the runs, which began under {it}" for it in sorted(undeclared)]
    notes += [f"new audit of older runs: {margins.earlier[it]}" for it in sorted(before - undeclared)]
    return tuple(notes), bool(undeclared)


def _badged(verdict: Verdict, *texts: str) -> Verdict:
    return replace(verdict, badges=(*verdict.badges, *texts))


# --------------------------------------------------------------------------- all claims of a paper


@dataclass(frozen=True)
class _UnderReading:
    """The claim with the runs of one reading."""

    reading: Departures
    judged: Judged
    experiments: Mapping[str, ExperimentRecord]

    @property
    def was_run(self) -> bool:
        return self.judged.test is not None or self.judged.verdict.reason != "not_run"


@dataclass(frozen=True)
class _Tested:
    """A claim by its test, that of all readings where there are several, and by each of these."""

    judged: Judged
    several: tuple[_UnderReading, ...]

    @property
    def test(self) -> Test | None:
        return self.judged.test


@dataclass(frozen=True)
class _Rules:
    """What all claims of one judgement share."""

    claims: Sequence[ClaimRecord]
    experiments: Mapping[str, ExperimentRecord]
    fidelity: Mapping[str, bool]
    margins: MarginsNow | None
    test_sizes: Mapping[str, int]
    readings: Readings | None
    alpha: float
    priors: Priors
    cache: Cache
    kappa: float = KAPPA

    def tests(self) -> list[_Tested]:
        return [self.tested(claim) for claim in self.claims]

    def judge(self, claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> Judged:
        case = case_of(
            claim,
            experiments,
            test_sizes=self.test_sizes,
            alpha=self.alpha,
            kappa=self.kappa,
            priors=self.priors,
            cache=self.cache,
        )
        return _judge(case, self.margins)

    def tested(self, claim: ClaimRecord) -> _Tested:
        judged, several = self.judge(claim, self.experiments), self.under_readings(claim)
        return _Tested(replace(judged, test=_together(several, judged.test)) if several else judged, several)

    def verdicts(self, tests: Sequence[_Tested] | None = None) -> list[Verdict]:
        """Each claim with its outcome among the others."""
        tests = self.tests() if tests is None else tests
        judged = [it.judged for it in tests]
        adjusted = _Family.of(self.claims, judged, self.experiments).adjusted([it.test for it in judged])
        found = []
        for k, (claim, it) in enumerate(zip(self.claims, tests, strict=True)):
            verdict = self._settle(claim, it.judged, adjusted[k], self.experiments)
            each = [(one.reading, self._in_place(k, one, judged)) for one in it.several if one.was_run]
            verdict = _headline(verdict, each, len(it.several)) if each else verdict
            found.append(self._noted(claim, verdict))
        return found

    def _settle(
        self,
        claim: ClaimRecord,
        judged: Judged,
        adjusted: tuple[float | None, float | None],
        experiments: Mapping[str, ExperimentRecord],
    ) -> Verdict:
        """The verdict by the test; where the runs may not contradict, the reason for that."""
        test = judged.test
        if test is None:
            return judged.verdict
        bar = barred([experiments[name] for name in claim.experiments if name in experiments], self.fidelity)
        p_reproduced, p_contradicted = adjusted
        decision = test.decide(p_reproduced=p_reproduced, p_contradicted=p_contradicted, alpha=self.alpha)
        outcome, reason = decision.outcome, decision.reason
        if outcome == "contradicted" and bar:
            outcome, reason = "inconclusive", bar
        verdict = judged.verdict
        if outcome == "reproduced" and len(claim.experiments) > 1:
            short = {it: experiments[it].short or () for it in claim.experiments if it in experiments}
            untuned = [
                f"{name}: not tuned, though the paper tunes" for name in short if "untuned" in short[name]
            ]
            verdict = _badged(verdict, *untuned)
        return replace(
            verdict,
            outcome=outcome,
            reason=reason,
            barred=bar,
            p_reproduced=test.p_reproduced,
            p_contradicted=test.p_contradicted,
            p_reproduced_adjusted=p_reproduced,
            p_contradicted_adjusted=p_contradicted,
        )

    # ----------------------------------------------------------------- readings

    def under_readings(self, claim: ClaimRecord) -> tuple[_UnderReading, ...]:
        """Every declared reading, the default first; none where no other was run, for any arm."""
        kind, readings = KINDS.get(claim.kind), self.readings
        if readings is None or kind is None or not kind.under_readings:
            return ()
        grid = declared(readings, claim.experiments)
        others = {key for it in grid[1:] for key in self._keys(claim, it)} - set(claim.experiments)
        if not any(key in self.experiments and self.experiments[key].runs for key in others):
            return ()
        seen = [(it, self._under(it, claim)) for it in grid]
        return tuple(
            _UnderReading(it, self.judge(claim, experiments), experiments) for it, experiments in seen
        )

    def _keys(self, claim: ClaimRecord, reading: Departures) -> list[str]:
        """What the claim's experiments are called under a reading."""
        of = self.readings.of if self.readings else {}
        return [experiment_id(name, within(reading, of.get(name, ()))) for name in claim.experiments]

    def _under(self, reading: Departures, claim: ClaimRecord) -> dict[str, ExperimentRecord]:
        """The experiments, with those of the claim as they were run under a reading, or left out if not
        run."""
        found = dict(self.experiments)
        for name, key in dict(zip(claim.experiments, self._keys(claim, reading), strict=True)).items():
            if key != name:
                found.pop(name, None)
                if key in self.experiments:
                    found[name] = replace(self.experiments[key], id=name)
        return found

    def _in_place(self, k: int, it: _UnderReading, family: Sequence[Judged]) -> Verdict:
        """The verdict of one reading of claim `k`, in its place among the paper's other claims."""
        with_it = [*family[:k], it.judged, *family[k + 1 :]]
        tests = [one.test for one in with_it]
        ps = _Family.of(self.claims, family, self.experiments).adjusted(tests, only=k)[k]
        return self._settle(self.claims[k], it.judged, ps, it.experiments)

    def _noted(self, claim: ClaimRecord, verdict: Verdict) -> Verdict:
        """With what must be said of readings that were not run, or were declared after the runs."""
        grid = declared(self.readings, claim.experiments)
        if not grid:
            return verdict
        if not verdict.readings:
            runs = [r for name in claim.experiments if (it := self.experiments.get(name)) for r in it.runs]
            return _default_alone(verdict, len(grid), imported=any(run.imported for run in runs))
        late = "readings declared after the runs had begun"
        return _badged(verdict, late) if self._declared_late(claim, grid) else verdict

    def _declared_late(self, claim: ClaimRecord, grid: Sequence[Departures]) -> bool:
        """Whether runs of the claim began when the readings of their experiment were not yet on record."""
        if self.margins is None:
            return False
        paper, grown = self.margins.paper, self.margins.grown
        return any(
            f"readings:{name}" in grown.get(run.margins.get(paper, ""), ())
            for it in grid
            for name, key in zip(claim.experiments, self._keys(claim, it), strict=True)
            if key in self.experiments
            for run in self.experiments[key].runs
        )

    # ----------------------------------------------------------------- what a verdict hangs on

    def robust(
        self,
        k: int,
        verdict: Verdict,
        tests: Sequence[_Tested],
        family: _Family,
        *,
        own: Outcome,
        alike: Outcome,
    ) -> Verdict:
        """With what the verdict hangs on: moderation, the scatter of the paper's runs, a single seed.

        `own` is the outcome without moderation, `alike` that if the paper's runs scatter as ours do.
        """
        if any(it.moderated is not None for it in verdict.scatter):
            verdict = replace(verdict, by_own_spread=own)
        if verdict.outcome == "inconclusive" and alike == "contradicted":
            return replace(verdict, reason="hangs_on_spread")
        claim, test = self.claims[k], tests[k].test
        if verdict.outcome == "inconclusive" or test is None or not test.testable:
            return verdict
        needed = family.needed(k, [it.test for it in tests], alpha=self.alpha)
        printed_spread = claim.details.get("spread") and claim.runs_behind > 1
        if verdict.outcome == "contradicted" and KINDS[claim.kind].of_printed and not printed_spread:
            verdict = replace(verdict, kappa=self._vanishes(claim, needed[1]))
        makers = list(self._makers(claim, verdict, needed))
        return _badged(verdict, f"hangs on one seed: {' or '.join(makers)}") if makers else verdict

    def _vanishes(self, claim: ClaimRecord, needed: float) -> float:
        """The kappa from which on the claim is no longer contradicted, by bisection; p grows with it."""

        def stands(kappa: float) -> bool:
            test = replace(self, kappa=kappa).tested(claim).test
            return test is not None and test.p_contradicted is not None and test.p_contradicted <= needed

        low, high = self.kappa, 2.0 * self.kappa
        while stands(high):
            low, high = high, 2.0 * high
        while high - low > 0.002 * high:
            middle = (low + high) / 2.0
            low, high = (middle, high) if stands(middle) else (low, middle)
        return low

    def _makers(self, claim: ClaimRecord, verdict: Verdict, needed: tuple[float, float]) -> Iterator[str]:
        """`seed 3 of e`: single runs without which the claim is decided otherwise; all else as it is."""
        if not KINDS[claim.kind].under_readings or min(verdict.n, default=0) < _ONE_SEED_FROM:
            return
        for name, seeds in zip(claim.experiments, verdict.seeds, strict=True):
            record = self.experiments[name]
            for seed in seeds:
                rest = replace(record, runs=tuple(run for run in record.runs if run.spec.seed != seed))
                test = replace(self, experiments={**self.experiments, name: rest}).tested(claim).test
                if test is None or test.decide_by(*needed, alpha=self.alpha).outcome != verdict.outcome:
                    yield f"seed {seed} of {name}"


# --------------------------------------------------------------------------- the family


def one_test(
    claim: ClaimRecord,
    verdict: Verdict,
    p_values: tuple[float | None, float | None],
    experiments: Mapping[str, ExperimentRecord],
) -> str:
    """Claims with this in common are one test: they ask the same of the very same runs."""
    runs = [
        sorted(run.key for run in experiments[name].runs) or name if name in experiments else name
        for name in claim.experiments
    ]
    printed = claim.printed if KINDS[claim.kind].of_printed else ()
    margin = claim.margin.value if claim.margin else None
    values = [list(it) for it in verdict.values]
    return canonical_json([claim.kind, runs, comparable_metric(claim), values, margin, printed, *p_values])


@dataclass(frozen=True)
class _Family:
    """All claims of a paper, in which the same test of the very same runs counts once."""

    primary: Sequence[bool]
    """Of each claim, whether it or one that is the same test is primary."""
    same: Sequence[str]
    """Of each claim, what those have in common that are one test."""

    @classmethod
    def of(
        cls,
        claims: Sequence[ClaimRecord],
        judged: Sequence[Judged],
        experiments: Mapping[str, ExperimentRecord],
    ) -> _Family:
        tests = [(it.test.p_reproduced, it.test.p_contradicted) if it.test else (None, None) for it in judged]
        same = [
            one_test(claim, it.verdict, ps, experiments)
            for claim, it, ps in zip(claims, judged, tests, strict=True)
        ]
        primary = {key for claim, key in zip(claims, same, strict=True) if claim.primary}
        return cls([key in primary for key in same], same)

    def tested(
        self, tests: Sequence[Test | None], only: int | None = None
    ) -> dict[str, tuple[int, float, float]]:
        """Of each test that could be made one claim, `only` before others, and its two p-values."""
        found: dict[str, tuple[int, float, float]] = {}
        for i in (*(() if only is None else (only,)), *range(len(tests))):
            test = tests[i]
            if test is not None and test.testable:
                found.setdefault(self.same[i], (i, test.p_reproduced or 0.0, test.p_contradicted or 0.0))
        return found

    def adjusted(
        self, tests: Sequence[Test | None], only: int | None = None
    ) -> list[tuple[float | None, float | None]]:
        """(p_reproduced, p_contradicted) of each claim, adjusted over all tests that could be made.

        Holm over the contradictions (any dependence), primaries first: the others count only once every
        primary is contradicted, or at half of the level. Benjamini-Hochberg over all reproductions.
        """
        family = self.tested(tests, only)
        reproduced = benjamini_hochberg([p for _, p, _ in family.values()])
        primary = [self.primary[i] for i, _, _ in family.values()]
        contradicted = families([p for _, _, p in family.values()], primary=primary)
        pairs = dict(zip(family, zip(reproduced, contradicted, strict=True), strict=True))
        return [
            pairs[key] if test is not None and test.testable else (None, None)
            for key, test in zip(self.same, tests, strict=True)
        ]

    def needed(self, k: int, tests: Sequence[Test | None], *, alpha: float) -> tuple[float, float]:
        """The largest p to reproduce and to contradict claim `k`, the other tests being as they are."""
        others = [it for key, it in self.tested(tests, k).items() if key != self.same[k]]
        return thresholds(
            [(p, q, self.primary[i]) for i, p, q in others], is_primary=self.primary[k], alpha=alpha
        )


def thresholds(
    others: Sequence[tuple[float, float, bool]], *, is_primary: bool, alpha: float
) -> tuple[float, float]:
    """The largest p to reproduce and to contradict beside `others`, each with both p and whether it is
    primary."""
    return (
        threshold_bh([p for p, _, _ in others], alpha=alpha),
        threshold_holm(
            [q for _, q, _ in others],
            primary=[flag for _, _, flag in others],
            is_primary=is_primary,
            alpha=alpha,
        ),
    )


# --------------------------------------------------------------------------- all readings of a claim


def _together(several: Sequence[_UnderReading], default: Test | None) -> Test | None:
    """The test of the intersection: its p-values are the largest over the readings that were run.

    Where some reading cannot be tested there is no largest one: it has no p-values, is capped, and so belongs
    to no family. A reading in which nothing is random has the p-values 0 and 1.
    """
    tests = [it.judged.test for it in several if it.was_run]
    if default is None or not tests:
        return default
    pairs = [_p_values(test) for test in tests]
    lacking = [test for test, pair in zip(tests, pairs, strict=True) if pair is None]
    if lacking:
        cap = next((test.cap for test in lacking if test is not None and test.cap), None)
        cap = default.cap or cap or "ambiguous_description"
        return replace(default, p_reproduced=None, contradictions=(), cap=cap, exact=None)
    if all(test is not None and test.exact is not None for test in tests):
        return default
    known = [pair for pair in pairs if pair is not None]
    reasons = [route.reason for route in default.contradictions] or [default.if_undecided]
    return replace(
        default,
        p_reproduced=max(p for p, _ in known),
        contradictions=(Route(reason=reasons[0], p=max(p for _, p in known)),),
        cap=None,
        exact=None,
        margins=None,
    )


def _p_values(test: Test | None) -> tuple[float, float] | None:
    if test is None or test.cap is not None:
        return None
    if test.exact is not None:
        return float(test.exact.outcome != "reproduced"), float(test.exact.outcome != "contradicted")
    if test.p_reproduced is None or test.p_contradicted is None:
        return None
    return test.p_reproduced, test.p_contradicted


def _headline(default: Verdict, found: Sequence[tuple[Departures, Verdict]], number: int) -> Verdict:
    """The verdict of all readings: that of the default where they agree and all were run, else inconclusive.

    `found` are the verdicts of the readings that were run, of `number` declared. Where all of them are
    inconclusive the default's reason stands.
    """
    shared = [it.name for it in fields(ReadingVerdict)][1:]  # all but the reading itself
    verdicts = tuple(
        ReadingVerdict(dict(reading), **{name: getattr(it, name) for name in shared}) for reading, it in found
    )
    outcomes = Counter(it.outcome for it in verdicts)
    shown = replace(default, readings=verdicts, readings_declared=number)
    shown = _with_common_band(shown, [it for _, it in found])
    if len(outcomes) > 1:
        shown = replace(shown, outcome="inconclusive", reason="ambiguous_description")
    elif len(verdicts) < number and outcomes["inconclusive"] == 0:
        shown = replace(shown, outcome="inconclusive", reason="some_readings")
    return _badged(shown, about_readings(outcomes, number))


def about_readings(outcomes: Mapping[Outcome, int], number: int) -> str:
    """`all 13 readings reproduced`, `12 of 13 readings run: 9 reproduced, 3 inconclusive`."""
    run = sum(outcomes.values())
    order: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
    counts = ", ".join(f"{outcomes[it]} {it}" for it in order if outcomes.get(it))
    if run < number:
        return f"{run} of {number} readings run: {counts}"
    if len(outcomes) == 1:
        return f"all {number} readings {next(iter(outcomes))}"
    return f"{number} readings: {counts}"


def _default_alone(verdict: Verdict, number: int, *, imported: bool) -> Verdict:
    """The verdict where none but the default reading was run: it says so, and contradicts nothing.

    Imported runs that may contradict are of the authors' code, which leaves nothing open.
    """
    shown = replace(verdict, readings_declared=number)
    if not imported and number > 1:
        shown = replace(shown, barred=shown.barred or "some_readings")
        if shown.outcome == "contradicted":
            shown = replace(shown, outcome="inconclusive", reason="some_readings")
    run = bool(verdict.n) and min(verdict.n) > 0
    return _badged(shown, f"the default reading alone, of {number} declared") if run else shown


def _with_common_band(verdict: Verdict, found: Sequence[Verdict]) -> Verdict:
    """The margins that would give the outcome under every reading; None where a reading has no such end."""
    ends: dict[str, Any] = {}
    for name, of in (
        ("reproduced_from", max),
        ("reproduced_up_to", min),
        ("contradicted_from", max),
        ("contradicted_up_to", min),
    ):
        values = [getattr(it, f"margin_{name}") for it in found]
        ends[f"margin_{name}"] = None if None in values or not values else of(values)
    return replace(verdict, **ends)
