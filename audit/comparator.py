"""Claims and evidence to verdicts: what the runs say about each claim, all claims of a paper taken together.

The statistics are in `audit.stats`; how each kind of claim uses them is in `audit.judging`. Reason codes
beside those of the tests:

    not_run, run_failed             no value to judge by
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
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from audit.evidence import (
    Arm,
    Priors,
    about_code,
    about_gone,
    badges,
    barred,
    gather,
    of_one_kind,
    one_test,
    priors_of,
    same_test_set,
    share_runs,
    worst_scope,
)
from audit.imported import may_be_older
from audit.judging import JUDGES, Case, Judged
from audit.judging.case import badged, with_band
from audit.judging.growing import why_no_growth
from audit.judging.measured import measured
from audit.judging.readings import UnderReading, begun, default_alone, headline, together, under
from audit.readings import Departures, declared, experiment_id, within
from audit.record import ClaimRecord, ExperimentRecord, Readings, Verdict
from audit.stats.decision import ALPHA, Decidable, Outcome
from audit.stats.multiplicity import benjamini_hochberg, families
from audit.stats.target import KAPPA
from audit.stats.threshold import threshold_bh, threshold_holm

#: Kinds that name exactly so many experiments; the others name two or more.
_ARMS = {"value": 1, "order": 2, "gap": 2, "equivalent": 2, "significant": 2, "cost": 2, "convergence": 2}
#: Kinds that are about what runs cost, not about what they score.
_OF_COSTS = ("cost", "complexity")
#: Kinds that are judged under the default reading alone.
_ABOUT_RUNS = (*_OF_COSTS, "convergence")
_WITH_MARGIN = ("value", "gap", "equivalent", "significant")
#: Kinds that hold our mean against a printed number, which has a scatter of its own.
_OF_PRINTED = ("value", "gap")
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
    was run, and decided only where all agree: `audit.judging.readings` has the rule and its error.
    """
    priors = priors_of(claims, experiments, test_sizes or {})
    rules = _Rules(claims, experiments, fidelity, margins, test_sizes or {}, readings, alpha, priors)
    family = rules.family()
    whole = rules.in_family([it for it, _ in family])
    own = replace(rules, priors={}).outcomes()
    alike = replace(rules, kappa=1.0).outcomes()
    return tuple(
        rules.robust(k, verdict, family, whole, own=own[k], alike=alike[k])
        for k, verdict in enumerate(rules.verdicts(family))
    )


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
    kappa: float = KAPPA

    def in_family(self, judged: Sequence[Judged]) -> _Family:
        return _Family.of(self.claims, judged, self.experiments)

    def judge(self, claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> Judged:
        case = case_of(claim, experiments, test_sizes=self.test_sizes, alpha=self.alpha, priors=self.priors)
        return _judge(replace(case, kappa=self.kappa), self.margins)

    def family(self) -> list[tuple[Judged, tuple[UnderReading, ...]]]:
        """Each claim by its test, that of all readings where there are several, and by each of these."""
        return [self.tested(claim) for claim in self.claims]

    def tested(self, claim: ClaimRecord) -> tuple[Judged, tuple[UnderReading, ...]]:
        judged, several = self.judge(claim, self.experiments), self.under_readings(claim)
        return (replace(judged, test=together(several, judged.test)) if several else judged), several

    def verdicts(self, family: Sequence[tuple[Judged, tuple[UnderReading, ...]]]) -> list[Verdict]:
        judged = [it for it, _ in family]
        settled = list(self.settled(judged))
        for k, (_, several) in enumerate(family):
            each = [(it.reading, self.in_place(k, it, judged)) for it in several if it.was_run]
            settled[k] = headline(settled[k], each, len(several)) if each else settled[k]
        return [self.noted(claim, it) for claim, it in zip(self.claims, settled, strict=True)]

    def outcomes(self) -> list[Outcome]:
        return [it.outcome for it in self.verdicts(self.family())]

    def grid(self, claim: ClaimRecord) -> tuple[Departures, ...]:
        """The declared readings of a claim about scores; none where nothing is open."""
        return () if claim.kind in _ABOUT_RUNS else declared(self.readings, claim.experiments)

    def under_readings(self, claim: ClaimRecord) -> tuple[UnderReading, ...]:
        """Every declared reading, the default first; none where no other was run."""
        grid = self.grid(claim)
        if self.readings is None or not begun(grid, claim, self.experiments, self.readings):
            return ()
        return tuple(
            UnderReading(it, self.judge(claim, under(it, claim, self.experiments, self.readings)))
            for it in grid
        )

    def settled(self, judged: Sequence[Judged]) -> Iterator[Verdict]:
        """Each with its outcome among the others."""
        adjusted = self.in_family(judged).adjusted([it.test for it in judged])
        for claim, it, ps in zip(self.claims, judged, adjusted, strict=True):
            yield self._settle(claim, it, ps, self.experiments)

    def in_place(self, k: int, held: UnderReading, family: Sequence[Judged]) -> Verdict:
        """The verdict of one reading of claim `k`, in its place among the paper's other claims."""
        with_it = [*family[:k], held.judged, *family[k + 1 :]]
        ps = self.in_family(family).adjusted([it.test for it in with_it], only=k)[k]
        assert self.readings is not None
        seen = under(held.reading, self.claims[k], self.experiments, self.readings)
        return self._settle(self.claims[k], held.judged, ps, seen)

    def robust(
        self,
        k: int,
        verdict: Verdict,
        family: Sequence[tuple[Judged, tuple[UnderReading, ...]]],
        whole: _Family,
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
        test = family[k][0].test
        if verdict.outcome == "inconclusive" or test is None or not test.testable:
            return verdict
        needed = whole.needed(k, [it.test for it, _ in family], alpha=self.alpha)
        claim = self.claims[k]
        spread = claim.details.get("spread") and claim.runs_behind > 1
        printed_alone = claim.kind in _OF_PRINTED and not spread
        if verdict.outcome == "contradicted" and printed_alone:
            verdict = replace(verdict, kappa=self._vanishes(claim, needed[1]))
        makers = list(self._makers(claim, verdict, needed))
        return badged(verdict, f"hangs on one seed: {' or '.join(makers)}") if makers else verdict

    def _vanishes(self, claim: ClaimRecord, needed: float) -> float | None:
        """The kappa from which on the claim is no longer contradicted, by bisection; p grows with it."""

        def stands(kappa: float) -> bool:
            test = replace(self, kappa=kappa).tested(claim)[0].test
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
        if claim.kind in _ABOUT_RUNS or min(verdict.n, default=0) < _ONE_SEED_FROM:
            return
        for name, seeds in zip(claim.experiments, verdict.seeds, strict=True):
            record = self.experiments[name]
            for seed in seeds:
                rest = replace(record, runs=tuple(run for run in record.runs if run.spec.seed != seed))
                test = replace(self, experiments={**self.experiments, name: rest}).tested(claim)[0].test
                if test is None or test.decide_by(*needed, alpha=self.alpha).outcome != verdict.outcome:
                    yield f"seed {seed} of {name}"

    def _settle(
        self,
        claim: ClaimRecord,
        judged: Judged,
        ps: tuple[float | None, float | None],
        experiments: Mapping[str, ExperimentRecord],
    ) -> Verdict:
        arms = [experiments[name] for name in claim.experiments if name in experiments]
        bar = barred(arms, self.fidelity) if judged.test else None
        return _settle(judged, *ps, bar=bar, alpha=self.alpha)

    def noted(self, claim: ClaimRecord, verdict: Verdict) -> Verdict:
        """With what must be said of readings that were not run, or were declared after the runs."""
        grid = declared(self.readings, claim.experiments)
        if not grid:
            return verdict
        if not verdict.readings:
            runs = [r for name in claim.experiments if (it := self.experiments.get(name)) for r in it.runs]
            return default_alone(verdict, len(grid), imported=any(run.imported for run in runs))
        late = self._declared_late(claim, grid)
        return badged(verdict, "readings declared after the runs had begun") if late else verdict

    def _declared_late(self, claim: ClaimRecord, grid: Sequence[Departures]) -> bool:
        """Whether runs of the claim began when the readings of their experiment were not yet on record."""
        if self.margins is None or self.readings is None:
            return False
        paper, grown = self.margins.paper, self.margins.grown
        for name in claim.experiments:
            keys = {experiment_id(name, within(it, self.readings.of.get(name, ()))) for it in grid}
            runs = (run for key in keys if key in self.experiments for run in self.experiments[key].runs)
            if any(f"readings:{name}" in grown.get(run.margins.get(paper, ""), ()) for run in runs):
                return True
        return False


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
        same = [
            one_test(claim, it.verdict, _p_values(it.test), experiments)
            for claim, it in zip(claims, judged, strict=True)
        ]
        primary = {key for claim, key in zip(claims, same, strict=True) if claim.primary}
        return cls([key in primary for key in same], same)

    def tested(
        self, tests: Sequence[Decidable | None], only: int | None
    ) -> dict[str, tuple[int, float, float]]:
        """Of each test that could be made one claim, `only` before others, and its two p-values."""
        order = range(len(tests)) if only is None else (only, *range(len(tests)))
        found: dict[str, tuple[int, float, float]] = {}
        for i in order:
            test = tests[i]
            if test is not None and test.testable:
                found.setdefault(self.same[i], (i, test.p_reproduced or 0.0, test.p_contradicted or 0.0))
        return found

    def adjusted(
        self, tests: Sequence[Decidable | None], only: int | None = None
    ) -> list[tuple[float | None, float | None]]:
        """(p_reproduced, p_contradicted) of each claim, adjusted over all tests that could be made.

        Holm over the contradictions (any dependence), primaries first: the others count only once every
        primary is contradicted, or at half of the level. Benjamini-Hochberg over all reproductions.
        """
        family = self.tested(tests, only)
        reproduced = benjamini_hochberg([p for _, p, _ in family.values()])
        contradicted = families(
            [p for _, _, p in family.values()],
            primary=[self.primary[i] for i, _, _ in family.values()],
        )
        pairs = dict(zip(family, zip(reproduced, contradicted, strict=True), strict=True))
        return [
            pairs[key] if test is not None and test.testable else (None, None)
            for key, test in zip(self.same, tests, strict=True)
        ]

    def needed(self, k: int, tests: Sequence[Decidable | None], *, alpha: float) -> tuple[float, float]:
        """The largest p to reproduce and to contradict claim `k`, the other tests being as they are."""
        others = [it for key, it in self.tested(tests, k).items() if key != self.same[k]]
        return (
            threshold_bh([p for _, p, _ in others], alpha=alpha),
            threshold_holm(
                [p for _, _, p in others],
                primary=[self.primary[i] for i, _, _ in others],
                is_primary=self.primary[k],
                alpha=alpha,
            ),
        )


def _p_values(test: Decidable | None) -> tuple[float | None, float | None]:
    return (test.p_reproduced, test.p_contradicted) if test is not None else (None, None)


def _settle(
    judged: Judged,
    p_reproduced: float | None,
    p_contradicted: float | None,
    *,
    bar: str | None,
    alpha: float,
) -> Verdict:
    """The verdict by the test; `bar` is the reason for which the runs may not contradict, if any."""
    if judged.test is None:
        return judged.verdict
    decision = judged.test.decide(p_reproduced=p_reproduced, p_contradicted=p_contradicted, alpha=alpha)
    outcome, reason = decision.outcome, decision.reason
    if outcome == "contradicted" and bar:
        outcome, reason = "inconclusive", bar
    return replace(
        judged.verdict,
        outcome=outcome,
        reason=reason,
        barred=bar,
        p_reproduced=judged.test.p_reproduced,
        p_contradicted=judged.test.p_contradicted,
        p_reproduced_adjusted=p_reproduced,
        p_contradicted_adjusted=p_contradicted,
    )


# --------------------------------------------------------------------------- one claim


def _judge(case: Case, margins: MarginsNow | None) -> Judged:
    claim = case.claim
    warnings, changed = _margin_warnings(claim, case.arms, margins)
    case = case.badge(*warnings)
    records = list({arm.experiment: arm.record for arm in case.arms if arm.record is not None}.values())
    gone = about_gone(records)
    case = case.badge(*gone, *about_code(records))
    obstacle = _obstacle(claim, case.arms)
    if obstacle is not None:
        lost = gone and all(arm.record and arm.record.gone for arm in case.arms if arm.lacks)
        return Judged(replace(case.plain, reason="runs_gone" if lost and obstacle == "not_run" else obstacle))
    judged = JUDGES[claim.kind](case)
    judged = replace(judged, verdict=with_band(judged.verdict, judged.test, alpha=case.alpha))
    if gone and (judged.test is not None or judged.verdict.outcome != "inconclusive"):
        return Judged(replace(judged.verdict, outcome="inconclusive", reason="runs_gone"))
    return Judged(replace(judged.verdict, reason="margins_changed")) if changed else judged


def case_of(
    claim: ClaimRecord,
    experiments: Mapping[str, ExperimentRecord],
    *,
    test_sizes: Mapping[str, int] | None = None,
    alpha: float = ALPHA,
    priors: Priors | None = None,
) -> Case:
    """The claim with its arms, and the verdict as far as it is known before anything is tested."""
    cost = measured if claim.kind in _OF_COSTS else None
    priors = None if cost or claim.deterministic else priors
    arms = tuple(
        gather(
            name,
            experiments,
            metric=_metric(claim, name),
            cost=cost,
            priors=priors,
            deterministic=claim.deterministic,
            test_sizes=test_sizes or {},
        )
        for name in claim.experiments
    )
    plain = Verdict(
        claim=claim.id,
        outcome="inconclusive",
        reason="",
        level=alpha,
        scope=worst_scope(arms),
        n=tuple(len(arm.runs) for arm in arms),
        attempts=tuple(arm.attempts for arm in arms),
        values=tuple(tuple(arm.measured) for arm in arms),
        seeds=tuple(arm.seeds for arm in arms),
        badges=badges(arms),
        scatter=tuple(arm.scatter for arm in arms if arm.values) if cost is None else (),
    )
    return Case(claim, arms, plain, experiments, test_sizes or {}, alpha, priors=priors or {})


def _metric(claim: ClaimRecord, experiment: str) -> str:
    """The claim's metric or quantity; where it is about several, the first the experiment is named for."""
    if claim.kind in _OF_COSTS:
        return str(claim.details.get("quantity", ""))
    lines = claim.details.get("lines", ())
    named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
    return claim.metric or next(named, "")


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


def _compared(claim: ClaimRecord, arms: Sequence[Arm]) -> list[Sequence[Arm]]:
    """The arms that are compared with each other: of dominance, those of a line.

    One corpus may stand in for several data sets, and is then the same in several lines.
    """
    if claim.kind != "dominance":
        return [arms]
    lines = [{line["winner"], *line["rivals"]} for line in claim.details["lines"]]
    return [[arm for arm in arms if arm.experiment in line] for line in lines]


def _obstacle(claim: ClaimRecord, arms: Sequence[Arm]) -> str | None:
    """Reason code why the claim cannot be judged at all, or None."""
    if claim.kind not in JUDGES:
        return "kind_not_judged"
    if claim.kind == "complexity" and (why := why_no_growth(claim)):
        return why
    if claim.kind == "cost" and len(arms) == 1:
        return "absolute_cost"
    lacking = {arm.lacks for arm in arms}
    wanted = _ARMS.get(claim.kind)
    if claim.kind == "dominance" and None in lacking:
        lacking = {None}  # its lines are judged one by one
    if "other_data" in lacking:
        return "other_data"
    if "not_run" in lacking or (len(arms) != wanted if wanted else len(arms) < 2):
        return "not_run"
    if "run_failed" in lacking:
        return "run_failed"
    if "not_measured" in lacking:
        return "not_measured"
    # the best level of a sweep may stand among the others; elsewhere a name that stands twice is a mistake
    distinct = list({arm.experiment: arm for arm in arms}.values()) if claim.kind == "optimum" else arms
    if any(share_runs(compared) for compared in _compared(claim, distinct)):
        return "same_runs"
    if not of_one_kind(arms):
        return "mixed_evidence"
    if not same_test_set(arms):
        return "different_data"
    if claim.kind != "value" and any(arm.raw for arm in arms):
        return "no_spread"  # beside another arm's, no spread would count as a very small one
    if claim.kind in ("value", "gap") and len(claim.printed) < len(arms):
        return "no_printed_number"
    needed = claim.kind in _WITH_MARGIN or claim.details.get("strength") == "among_best"
    fixed = claim.margin is not None and claim.margin.value > 0.0
    return "no_margin" if needed and not fixed else None
