"""Claims and evidence to verdicts: what the runs say about each claim, all claims of a paper taken together.

    compare                   all claims, three times: as they are; without moderated variances; with the
      |                       paper's runs scattering as ours do. The two others only qualify the first
      Judgement.verdicts      outcomes among the other claims (Family.adjusted, then _settle)
      |  Judgement.judge      one claim: case_of -> obstacle, or the kind's own test (_judge)
      Judgement.robust        what a decided verdict hangs on: its spread, or a single seed

A claim is judged anew under each specification ("reading") of what the paper leaves open, and decided only
where all agree. Some specification is the paper's, and nobody knows which: each verdict is at the full level
(intersection-union: Berger 1982), and the p-values of all together are the largest. With these a claim stands
in the family of its paper's other claims; a single specification is adjusted there in its claim's place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from audit.claims.experiments import Departures, declared, experiment_id
from audit.judging.evidence import (
    Arm,
    Evidence,
    Provenance,
    about_code,
    about_gone,
    badges,
    barred,
    passed,
    same_test_set,
    worst_scope,
)
from audit.kinds import KINDS, Case
from audit.kinds.costs import measured
from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    Outcome,
    Specifications,
    SpecificationVerdict,
    Verdict,
    canonical_json,
    comparable_metric,
)
from audit.stats.decision import (
    ALPHA,
    Band,
    Route,
    Test,
    benjamini_hochberg,
    families,
    threshold_bh,
    threshold_holm,
)
from audit.stats.power import KAPPA

#: From so many seeds on, those that remain without one of them may decide.
_ONE_SEED_FROM = 4

Experiments = Mapping[str, ExperimentRecord]
PValues = tuple[float | None, float | None]  # To reproduce and to contradict; None where there is no test.
#: Under a specification that was not run, both are taken for small: none is shown.
NOT_RUN: PValues = (0.0, 0.0)
#: p-values of a claim among the others, to reproduce and to contradict; None where no test could be made.
InFamily = tuple[float, float] | None


@dataclass(frozen=True)
class MarginsNow:
    """The margins that the claim file fixes now, to be held against those that the runs began under."""

    paper: str
    hash: str
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Hashes that the claim file declares as superseded, with the reason."""
    grown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Hashes of which every claim stands as it was -> claims that were added since."""

    @classmethod
    def of(cls, audit: Audit) -> MarginsNow:
        return cls(audit.paper.key, audit.margins_hash, audit.margins_superseded, audit.margins_grown)

    def warnings(self, claim: ClaimRecord, arms: Sequence[Arm]) -> tuple[tuple[str, ...], bool]:
        """Badges about margins that the runs did not begin under, and whether that forbids a verdict."""
        runs = [run for arm in arms for run in arm.runs]
        marks = [run.margins.get(self.paper) for run in runs]
        before = {mark for mark in marks if mark is not None} - {self.hash}
        before -= set(self.grown) - set(self.earlier)
        undeclared = before - set(self.earlier)
        made_elsewhere = (
            mark == self.hash and run.imported and not Provenance.of(run).command
            for run, mark in zip(runs, marks, strict=True)
        )
        notes = ["margins not on record before the runs"] if None in marks else []
        if any(made_elsewhere):
            notes.append("imported after the margins were fixed; the runs themselves may be older")
        if stated_late(claim, {arm.experiment: arm.record for arm in arms if arm.record}, self):
            notes.append("stated after the runs")
        notes += [f"margins changed after the runs, which began under {mark}" for mark in sorted(undeclared)]
        notes += [f"new audit of older runs: {self.earlier[mark]}" for mark in sorted(before - undeclared)]
        return tuple(notes), bool(undeclared)


def stated_late(claim: ClaimRecord, experiments: Experiments, margins: MarginsNow | None) -> bool:
    """Whether runs that it rests on began before the claim file had it, and no new audit is declared."""
    if margins is None:
        return False
    runs = (run for name in claim.experiments if name in experiments for run in experiments[name].runs)
    marks = {run.margins.get(margins.paper, "") for run in runs} - set(margins.earlier)
    return any(claim.id in margins.grown.get(mark, ()) for mark in marks)


def compare(
    claims: Sequence[ClaimRecord],
    experiments: Experiments,
    *,
    fidelity: Mapping[str, bool],
    margins: MarginsNow | None = None,
    test_sizes: Mapping[str, int] | None = None,
    specifications: Specifications | None = None,
    alpha: float = ALPHA,
) -> tuple[Verdict, ...]:
    """One verdict for each of a paper's claims, in their order. `fidelity` says for each model whether it
    passed its own checks, without which nothing is contradicted; `margins` are held against the run records;
    `test_sizes` are the printed numbers of test documents."""
    evidence = Evidence.of(claims, experiments, test_sizes)
    rules = Judgement(claims, evidence, fidelity, margins, specifications, alpha)
    own = replace(rules, evidence=replace(evidence, priors={})).verdicts()
    alike = replace(rules, kappa=1.0).verdicts()
    three = zip(rules.verdicts(), own, alike, strict=True)
    return tuple(rules.robust(k, of, own=a.outcome, alike=b.outcome) for k, (of, a, b) in enumerate(three))


def judge_of(audit: Audit) -> Callable[[Experiments, float], tuple[Verdict, ...]]:
    """How the audit's claims are judged, with its own gate, margins and test sizes."""
    return lambda experiments, level: compare(
        audit.claims,
        experiments,
        fidelity=passed(audit.fidelity),
        margins=MarginsNow.of(audit),
        test_sizes=audit.test_sizes,
        specifications=audit.readings,
        alpha=level,
    )


def case_of(claim: ClaimRecord, evidence: Evidence, *, alpha: float = ALPHA, kappa: float = KAPPA) -> Case:
    """The claim with its arms."""
    kind, lines = KINDS.get(claim.kind), claim.details.get("lines", ())
    cost = measured if kind and kind.of_costs else None

    def metric_of(experiment: str) -> str:  # where a claim is about several: the first it is named for
        named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
        return str(claim.details.get("quantity", "")) if cost else claim.metric or next(named, "")

    arms = tuple(
        evidence.arm(name, metric_of(name), cost=cost, deterministic=claim.deterministic)
        for name in claim.experiments
    )
    return Case(claim, arms, worst_scope(arms), evidence.arm, evidence.test_sizes, alpha, kappa)


def obstacle(case: Case) -> str | None:
    """Reason code why the claim cannot be tested at all, or None."""
    claim, arms, kind = case.claim, case.arms, KINDS.get(case.claim.kind)
    if kind is None or not kind.by_runs:
        return "kind_not_judged"
    if why := kind.obstacle(case):
        return why
    lacking = {arm.lacks for arm in arms}
    if kind.by_parts and None in lacking:
        lacking = {None}
    if len(arms) != kind.arms if kind.arms else len(arms) < 2:
        lacking.add("not_run")
    lacks = [why for why in ("other_data", "not_run", "run_failed", "not_measured") if why in lacking]
    groups = [[run.key for arm in group for run in arm.runs] for group in kind.compared(case)]
    obstacles: dict[str, bool] = {
        **dict.fromkeys(lacks, True),
        "same_runs": any(len(set(keys)) < len(keys) for keys in groups),
        # ours and imported ones: two programs differ in more than the claim
        "mixed_evidence": len({run.imported for arm in arms for run in arm.runs}) > 1,
        "different_data": not same_test_set(arms),
        "no_printed_number": kind.of_printed and len(claim.printed) < len(arms),
        "no_margin": kind.needs_margin(claim.details) and not (claim.margin and claim.margin.value > 0.0),
    }
    return next((reason for reason, stands in obstacles.items() if stands), None)


@dataclass(frozen=True)
class Judged:
    """A claim with all its numbers but no outcome yet, and the test that will give one."""

    verdict: Verdict
    experiments: Experiments  # That it rests on.
    test: Test | None = None  # None where the reason in `verdict` is final.
    specification: Departures = field(default_factory=dict)
    specifications: tuple[Judged, ...] = ()
    """Under each declared one, the default first; empty if only the default was run. The test is of all."""

    @property
    def was_run(self) -> bool:
        return self.test is not None or self.verdict.reason != "not_run"

    @property
    def in_family(self) -> InFamily:
        if self.verdict.reason == "runs_gone":
            return 1.0, 1.0
        p, q = self.p_values
        if self.test is None or not self.test.testable or p is None or q is None:
            return None
        each = [one.p_values if one.was_run else NOT_RUN for one in self.specifications]
        return standing(p, q, self.verdict.level, each)

    @property
    def p_values(self) -> PValues:
        return (self.test.p_reproduced, self.test.p_contradicted) if self.test else (None, None)


def _judge(case: Case, evidence: Evidence, margins: MarginsNow | None) -> Judged:
    claim, arms, kind = case.claim, case.arms, KINDS.get(case.claim.kind)
    warnings, changed = margins.warnings(claim, arms) if margins else ((), False)
    records = list({arm.experiment: arm.record for arm in arms if arm.record is not None}.values())
    gone = about_gone(records)
    verdict = Verdict(
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
        scatter=() if kind and kind.of_costs else tuple(arm.scatter for arm in arms if arm.values),
    )
    test, why = None, obstacle(case)
    if why is None:
        test = KINDS[claim.kind].judge(case)
        shared = ("estimate", "target", "margin", "sd", "se", "ci90", "ci95", "pi95", "medians", "parts")
        numbers: dict[str, Any] = {name: getattr(test, name) for name in shared}
        if test.band is not None and test.testable:
            numbers |= {f"margin_{name}": end for name, end in vars(test.band).items()}
        df = test.df if test.df is not None and math.isfinite(test.df) else None  # JSON has no infinity
        verdict = replace(verdict, **numbers, df=df, badges=(*verdict.badges, *test.badges))
        many_failed = any(arm.failed > len(arm.runs) for arm in arms)
        why = "margins_changed" if changed and test.untested else test.untested
        why = why or ("runs_gone" if gone else "most_failed" if many_failed else None)
        why = why or ("margins_changed" if changed else None)
    elif why == "not_run" and gone and all(arm.record and arm.record.gone for arm in arms if arm.lacks):
        why = "runs_gone"
    if why is not None:
        return Judged(replace(verdict, reason=why), evidence.experiments)
    return Judged(verdict, evidence.experiments, test)


def standing(p: float, q: float, level: float, each: Iterable[PValues] = ()) -> tuple[float, float]:
    """p-values of a test in its family; `each` are those under its specifications. Where both are small (a
    gain, but a negligible one), or under a specification that was not run, nothing is reproduced, and the 1
    keeps Benjamini and Hochberg from counting a discovery that is not made."""
    for small, large in ((p, q), *each):
        if small is not None and large is not None and max(small, large) <= level:
            return 1.0, q
    return p, q


def _badged(verdict: Verdict, *texts: str) -> Verdict:
    return replace(verdict, badges=(*verdict.badges, *texts))


@dataclass(frozen=True)
class Family:
    """All claims of a paper, in which the same test of the very same runs counts once. Claims stated after
    the runs may have been chosen by them: they are no part of the others' family, and theirs is all claims.
    Claims whose runs are gone stay in it, with a p of 1."""

    same: Sequence[str]  # Of each claim, what those have in common that are one test.
    primary: Sequence[bool]  # Whether it or one that is the same test is primary.
    late: Sequence[bool]  # Whether it was stated after the runs.
    ps: Sequence[InFamily]

    @classmethod
    def of(
        cls,
        claims: Sequence[ClaimRecord],
        verdicts: Iterable[tuple[Verdict, PValues, InFamily]],
        experiments: Experiments,
        margins: MarginsNow | None,
    ) -> Family:
        """Of each claim its values, its own p-values, and those that stand in the family."""
        same, ps = [], []
        for claim, (verdict, p_values, stands) in zip(claims, verdicts, strict=True):
            runs = [
                sorted(run.key for run in experiments[name].runs) or name if name in experiments else name
                for name in claim.experiments
            ]
            printed = claim.printed if KINDS[claim.kind].of_printed else ()
            margin, values = claim.margin.value if claim.margin else None, list(map(list, verdict.values))
            asks = [claim.kind, runs, comparable_metric(claim), values, margin, printed, *p_values]
            same.append(canonical_json(asks))
            ps.append(stands)
        primary = {key for claim, key in zip(claims, same, strict=True) if claim.primary}
        late = [stated_late(claim, experiments, margins) for claim in claims]
        return cls(same, [key in primary for key in same], late, ps)

    def once(self, *, late: bool, only: int | None = None) -> dict[str, tuple[float, float, bool]]:
        """p-values, and whether it is primary, of each test in the family of a claim; `only` goes first."""
        tests: dict[str, tuple[float, float, bool]] = {}
        for i in (*(() if only is None else (only,)), *range(len(self.ps))):
            if (both := self.ps[i]) is not None and (late or not self.late[i]):
                tests.setdefault(self.same[i], (*both, self.primary[i]))
        return tests

    def adjusted(self, only: int | None = None) -> list[PValues]:
        """(p_reproduced, p_contradicted) of each claim: Holm over the contradictions, primaries first
        (`families`), Benjamini-Hochberg over all reproductions."""
        pairs: dict[bool, dict[str, PValues]] = {}
        for late in set(self.late):
            once = self.once(late=late, only=only)
            ps, qs, primary = zip(*once.values(), strict=True) if once else ((), (), ())
            both = zip(benjamini_hochberg(ps), families(qs, primary=primary), strict=True)
            pairs[late] = dict(zip(once, both, strict=True))
        return [
            (None, None) if both is None else pairs[late][key]
            for key, late, both in zip(self.same, self.late, self.ps, strict=True)
        ]

    def others(self, k: int) -> list[tuple[float, float, bool]]:
        """The tests that stand beside claim `k`."""
        return [test for key, test in self.once(late=self.late[k]).items() if key != self.same[k]]

    def needed(self, k: int, *, alpha: float) -> tuple[float, float]:
        """The largest p to reproduce and to contradict claim `k`, the other tests being as they are."""
        others = self.others(k)
        ps, qs, primary = zip(*others, strict=True) if others else ((), (), ())
        contradict = threshold_holm(qs, primary=primary, is_primary=self.primary[k], alpha=alpha)
        return threshold_bh(ps, alpha=alpha), contradict


def family_of(
    audit: Audit, verdicts: Sequence[Verdict], experiments: Experiments, not_shown: Iterable[str] = ()
) -> Family:
    """Of the claims as judged by these experiments; those open for a reason in `not_shown` have a p of 1."""
    found: list[tuple[Verdict, PValues, InFamily]] = []
    for verdict in verdicts:
        both = p, q = verdict.p_reproduced, verdict.p_contradicted
        stands: InFamily = (1.0, 1.0) if verdict.reason in {"runs_gone", *not_shown} else None
        if verdict.p_reproduced_adjusted is not None and p is not None and q is not None:
            each = [(reading.p_reproduced, reading.p_contradicted) for reading in verdict.readings]
            each += [NOT_RUN] * (verdict.readings_declared - len(each) if each else 0)
            stands = standing(p, q, verdict.level, each)
        found.append((verdict, both, stands))
    return Family.of(audit.claims, found, experiments, MarginsNow.of(audit))


@dataclass(frozen=True)
class Judgement:
    """What all claims of one judgement share."""

    claims: Sequence[ClaimRecord]
    evidence: Evidence
    fidelity: Mapping[str, bool]
    margins: MarginsNow | None = None
    grid: Specifications | None = None  # What the paper leaves open.
    alpha: float = ALPHA
    kappa: float = KAPPA

    @cached_property
    def judged(self) -> list[Judged]:
        return [self.judge(claim) for claim in self.claims]

    @cached_property
    def family(self) -> Family:
        found = ((judged.verdict, judged.p_values, judged.in_family) for judged in self.judged)
        return Family.of(self.claims, found, self.evidence.experiments, self.margins)

    def judge(self, claim: ClaimRecord, records: Experiments | None = None) -> Judged:
        """A claim by its test, over all specifications if there are several; `records` replace others."""
        evidence = self.evidence
        if records:
            evidence = replace(evidence, experiments={**evidence.experiments, **records})
        judged, several = self._by(claim, evidence), self._by_specification(claim, evidence)
        if several:
            judged = replace(judged, test=_together(several, judged.test), specifications=several)
        return judged

    def _by(self, claim: ClaimRecord, evidence: Evidence) -> Judged:
        case = case_of(claim, evidence, alpha=self.alpha, kappa=self.kappa)
        return _judge(case, evidence, self.margins)

    def verdicts(self) -> list[Verdict]:
        """Each claim with its outcome among the others."""
        family, found = self.family, []
        adjusted = family.adjusted()
        for k, (claim, judged) in enumerate(zip(self.claims, self.judged, strict=True)):
            verdict = self._settle(claim, judged, adjusted[k])
            if run := [one for one in judged.specifications if one.was_run]:
                settled = []
                for one in run:  # in its place among the paper's other claims
                    ps = [*family.ps[:k], one.in_family, *family.ps[k + 1 :]]
                    among = replace(family, ps=ps).adjusted(only=k)
                    settled.append(self._settle(claim, one, among[k]))
                verdict = _headline(verdict, run, settled, len(judged.specifications))
            found.append(self._noted(claim, verdict))
        return found

    def _settle(self, claim: ClaimRecord, judged: Judged, adjusted: PValues) -> Verdict:
        """The verdict by the test; where the runs may not contradict, the reason for that."""
        test, verdict = judged.test, judged.verdict
        if test is None:
            return verdict
        records = {name: judged.experiments[name] for name in claim.experiments if name in judged.experiments}
        bar = barred(records.values(), self.fidelity)
        decision = test.decide(p_reproduced=adjusted[0], p_contradicted=adjusted[1], alpha=self.alpha)
        outcome, reason = decision.outcome, decision.reason
        if outcome == "contradicted" and bar:
            outcome, reason = "inconclusive", bar
        if outcome == "reproduced" and len(claim.experiments) > 1:
            untuned = (name for name, record in records.items() if "untuned" in (record.short or ()))
            verdict = _badged(verdict, *(f"{name}: not tuned, though the paper tunes" for name in untuned))
        return replace(
            verdict,
            outcome=outcome,
            reason=reason,
            barred=bar,
            p_reproduced=test.p_reproduced,
            p_contradicted=test.p_contradicted,
            p_reproduced_adjusted=adjusted[0],
            p_contradicted_adjusted=adjusted[1],
        )

    def _by_specification(self, claim: ClaimRecord, evidence: Evidence) -> tuple[Judged, ...]:
        """Under every declared one, the default first; none where no other was run, for any arm."""
        kind, records = KINDS.get(claim.kind), evidence.experiments
        if self.grid is None or kind is None or not kind.under_specifications:
            return ()
        grid = [(one, self._keys(claim, one)) for one in declared(self.grid, claim.experiments)]
        others = {key for _, keys in grid[1:] for key in keys.values()} - set(claim.experiments)
        if not any(key in records and records[key].runs for key in others):
            return ()
        found = []
        for one, keys in grid:
            changed = {name: key for name, key in keys.items() if key != name}
            mine = {name: record for name, record in records.items() if name not in changed}
            mine |= {name: replace(records[key], id=name) for name, key in changed.items() if key in records}
            judged = self._by(claim, replace(evidence, experiments=mine))
            found.append(replace(judged, specification=one))
        return tuple(found)

    def _keys(self, claim: ClaimRecord, specification: Departures) -> dict[str, str]:
        """What each of the claim's experiments is called under it."""
        of = self.grid.of if self.grid else {}
        return {name: experiment_id(name, specification, of.get(name, ())) for name in claim.experiments}

    def _noted(self, claim: ClaimRecord, verdict: Verdict) -> Verdict:
        """With what must be said of specifications that were not run."""
        grid, records = declared(self.grid, claim.experiments), self.evidence.experiments
        if not grid or verdict.readings:
            return verdict
        # none but the default was run; imported runs that may contradict are of the authors' code, which
        # leaves nothing open
        runs = [run for name in claim.experiments if name in records for run in records[name].runs]
        shown = replace(verdict, readings_declared=len(grid))
        if len(grid) > 1 and not any(run.imported for run in runs):
            shown = replace(shown, barred=shown.barred or "some_readings")
            if shown.outcome == "contradicted":
                shown = replace(shown, outcome="inconclusive", reason="some_readings")
        alone = f"the default reading alone, of {len(grid)} declared"
        return _badged(shown, alone) if min(verdict.n, default=0) > 0 else shown

    def robust(self, k: int, verdict: Verdict, *, own: Outcome, alike: Outcome) -> Verdict:
        """With what the verdict hangs on: moderation (`own` is the outcome without), the scatter of the
        paper's runs (`alike`: if they scatter as ours do), a single seed."""
        if any(scatter.moderated is not None for scatter in verdict.scatter):
            verdict = replace(verdict, by_own_spread=own)
        if verdict.outcome == "inconclusive" and alike == "contradicted":
            return replace(verdict, reason="hangs_on_spread")
        claim, test = self.claims[k], self.judged[k].test
        if verdict.outcome == "inconclusive" or test is None or not test.testable:
            return verdict
        needed, kind = self.family.needed(k, alpha=self.alpha), KINDS[claim.kind]
        # their SD is taken from ours; where the paper prints its own, or ours is 0, kappa changes nothing
        by_ours = claim.runs_behind == 1 or not claim.details.get("spread")
        by_ours = by_ours and any(scatter.sd for scatter in verdict.scatter)
        if verdict.outcome == "contradicted" and kind.of_printed and by_ours:
            verdict = replace(verdict, kappa=self._vanishes(claim, needed[1]))
        if not kind.under_specifications or min(verdict.n, default=0) < _ONE_SEED_FROM:
            return verdict
        makers = []  # single runs without which the claim is decided otherwise; all else as it is
        for name, seeds in zip(claim.experiments, verdict.seeds, strict=True):
            record = self.evidence.experiments[name]
            for seed in seeds:
                rest = replace(record, runs=tuple(run for run in record.runs if run.spec.seed != seed))
                test = self.judge(claim, {name: rest}).test
                if test is None or test.decide_by(*needed, alpha=self.alpha).outcome != verdict.outcome:
                    makers.append(f"seed {seed} of {name}")
        told = f"decided otherwise without one of these runs: {', '.join(makers)}"
        return _badged(verdict, told) if makers else verdict

    def _vanishes(self, claim: ClaimRecord, needed: float) -> float:
        """The kappa from which on the claim is no longer contradicted, by bisection; p grows with it."""

        def stands(kappa: float) -> bool:
            p = replace(self, kappa=kappa).judge(claim).p_values[1]
            return p is not None and p <= needed

        low, high = self.kappa, 2.0 * self.kappa
        while stands(high):
            low, high = high, 2.0 * high
        while high - low > 0.002 * high:
            middle = (low + high) / 2.0
            low, high = (middle, high) if stands(middle) else (low, middle)
        return low


def _together(several: Sequence[Judged], default: Test | None) -> Test | None:
    """The test of the intersection: its p-values are the largest over the specifications that were run."""
    tests = [one.test for one in several if one.was_run]
    if default is None or not tests:
        return default
    known = []
    for test in tests:
        if test and test.exact is not None and test.cap is None:
            outcome = test.exact.outcome
            known.append((float(outcome != "reproduced"), float(outcome != "contradicted")))
        elif test and test.cap is None and test.p_reproduced is not None and test.p_contradicted is not None:
            known.append((test.p_reproduced, test.p_contradicted))
    if len(known) < len(tests):
        caps = [test.cap for test in tests if test and test.cap]
        cap = default.cap or next(iter(caps), None) or "ambiguous_description"
        return replace(default, p_reproduced=None, contradictions=(), cap=cap, exact=None)
    if all(test is not None and test.exact is not None for test in tests):
        return default
    reasons = [route.reason for route in default.contradictions] or [default.if_undecided]
    return replace(
        default,
        p_reproduced=max(p for p, _ in known),
        contradictions=(Route(reason=reasons[0], p=max(q for _, q in known)),),
        cap=None,
        exact=None,
        band=None,
    )


def _headline(default: Verdict, run: Sequence[Judged], settled: Sequence[Verdict], number: int) -> Verdict:
    """The verdict of all specifications: the default's if all were run and agree, else inconclusive."""
    shared = [entry.name for entry in fields(SpecificationVerdict)][1:]  # all but the specification itself
    verdicts = tuple(
        SpecificationVerdict(dict(of.specification), **{name: getattr(verdict, name) for name in shared})
        for of, verdict in zip(run, settled, strict=True)
    )
    ends: dict[str, Any] = {}
    for name in (f"margin_{entry.name}" for entry in fields(Band)):
        values = [getattr(verdict, name) for verdict in settled]
        narrowest = max if name.endswith("from") else min
        ends[name] = None if None in values else narrowest(values)
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    shown = replace(default, readings=verdicts, readings_declared=number, **ends)
    if len(outcomes) > 1:
        shown = replace(shown, outcome="inconclusive", reason="ambiguous_description")
    elif len(verdicts) < number and outcomes["inconclusive"] == 0:
        shown = replace(shown, outcome="inconclusive", reason="some_readings")
    return _badged(shown, about_specifications(outcomes, number))


def about_specifications(outcomes: Mapping[Outcome, int], number: int) -> str:
    """`all 13 readings reproduced`, `12 of 13 readings run: 9 reproduced, 3 inconclusive`."""
    run = sum(outcomes.values())
    order: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
    counts = ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in order if outcomes.get(outcome))
    if run < number:
        return f"{run} of {number} readings run: {counts}"
    if len(outcomes) == 1:
        return f"all {number} readings {next(iter(outcomes))}"
    return f"{number} readings: {counts}"
