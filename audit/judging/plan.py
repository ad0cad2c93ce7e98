"""The derivation of a verdict; what would settle an open one, in seeds and time by the run records."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Literal, NamedTuple

from audit.judging.evidence import COUNTED, Evidence
from audit.judging.looks import at_look, furthest, next_level
from audit.judging.verdicts import case_of, family_of, judge_of, obstacle
from audit.kinds import KINDS
from audit.record import (
    LEFT_OUT,
    NOT_IN_STORE,
    NOT_YET,
    Audit,
    ClaimRecord,
    ExperimentRecord,
    Look,
    Settling,
    Verdict,
)
from audit.stats.decision import ALPHA, Step
from audit.stats.power import FULL, NONE, Levels, Needed, Question, Several
from audit.stats.sample import DECIDING_SEEDS

#: Of these no more is to be told than that seeds are to be had.
_MERELY_NOT_RUN = (NOT_YET, LEFT_OUT, NOT_IN_STORE)

#: Reasons of *inconclusive* that further seeds can lift.
_SEEDS_HELP = frozenset({
    "not_run", "no_variance_estimate", "too_few_seeds", "within_seed_spread", "straddles_margin",
    "ambiguous_spread", "hangs_on_spread", "undecided", "multiplicity", "tied", "partly_run", "undone",
})  # fmt: skip

#: sentences.toml
TEXTS = tomllib.loads((files("audit.judging") / "sentences.toml").read_text(encoding="utf-8"))
_OBSTACLES: Mapping[str, str] = TEXTS["obstacles"]
HOPELESS: Mapping[str, str] = TEXTS["hopeless"]


@dataclass(frozen=True)
class RunTime:
    seconds: float
    device: Literal["CPU", "GPU"]
    similar: bool = False  # By other experiments, since an experiment has no runs of its own.

    def __str__(self) -> str:
        """`40 s on a CPU`, `12 min on a CPU`, `0.4 h on a GPU`: by the clock, one run after another."""
        if self.seconds < 90.0:
            return f"{max(1, round(self.seconds))} s on a {self.device}"
        if self.seconds < 1200.0:
            return f"{round(self.seconds / 60.0)} min on a {self.device}"
        hours = self.seconds / 3600.0
        return f"{hours:.1f} h on a {self.device}" if hours < 100.0 else f"{hours:,.0f} h on a {self.device}"


class RunTimes:
    """Mean seconds a run of each experiment."""

    def __init__(self, experiments: Iterable[ExperimentRecord]) -> None:
        self.experiments = {record.id: record for record in experiments}
        self.own: dict[str, RunTime] = {}
        for name, record in self.experiments.items():
            timed = [run for run in record.runs if run.status == "done" and run.seconds > 0.0]
            if timed:
                device: Literal["CPU", "GPU"] = "CPU" if timed[-1].device.startswith("cpu") else "GPU"
                self.own[name] = RunTime(sum(run.seconds for run in timed) / len(timed), device)

    def of(self, runs: Mapping[str, int]) -> RunTime | None:
        """Of so many runs of each experiment; None where nothing was ever run."""
        each = [(self._a_run(name), number) for name, number in runs.items() if number > 0]
        if not each or not self.own:
            return None
        return RunTime(
            sum(time.seconds * number for time, number in each),
            max(time.device for time, _ in each),  # GPU where one is
            similar=any(time.similar for time, _ in each),
        )

    def _a_run(self, experiment: str) -> RunTime:
        """Of the experiment itself, else of those most like it: same model and data set, same model, any."""
        if experiment in self.own or not self.own:
            return self.own.get(experiment, RunTime(0.0, "CPU"))
        record = self.experiments.get(experiment)

        def alike(name: str) -> tuple[bool, bool]:
            other = self.experiments[name]
            same = record is not None and other.model == record.model
            return same, same and other.dataset == getattr(record, "dataset", None)

        most = max(map(alike, self.own))
        like = [time for name, time in self.own.items() if alike(name) == most]
        devices = sorted((time.device for time in like), reverse=True)
        usual = max(devices, key=devices.count)  # GPU where both are as frequent
        return RunTime(sum(time.seconds for time in like) / len(like), usual, similar=True)


@dataclass(frozen=True)
class Outlook:
    """What it would take to settle one open claim."""

    claim: str
    kind: str
    reason: str  # Reason code of the verdict as it is.
    seeds_now: Mapping[str, int]  # Experiment -> seeds that count.
    reproduce: Needed = NONE
    contradict: Needed = NONE
    seeds: int | None = None  # An arm, those already run included: for 80 %, whichever way it goes.
    first: bool = False  # Nothing can be said of it before `seeds` seeds.
    time: RunTime | None = None  # Of the runs that are missing; None where nothing tells.
    part: str | None = None  # The comparison that decides how many.
    why_not: str | None = None  # Code or sentence: why there is no number of seeds.
    question: Question | None = field(default=None, compare=False)
    levels: Levels = FULL
    imported: bool = False  # Whether it rests on imported runs, which no command of ours adds to.

    @property
    def missing(self) -> Mapping[str, int]:
        """Experiment -> runs that are still to be had."""
        return {name: max(0, (self.seeds or 0) - n) for name, n in self.seeds_now.items()}

    @property
    def by_seeds(self) -> bool:
        """Whether more seeds are any use at all; how much, `chance` tells."""
        return self.reason in _SEEDS_HELP and self.why_not in (None, *_OBSTACLES)

    def chance(self, seeds: int) -> float | None:
        """To be decided with `seeds` seeds an arm, if all is as it is now; None where that is not known."""
        if self.question is None or self.first:
            return None
        return self.question.chance(seeds, self.levels)


def outlooks(audit: Audit, *, alpha: float | None = None, only: str | None = None) -> tuple[Outlook, ...]:
    """One per inconclusive claim, in order, or for the `only` one; `alpha` is that of the next look."""
    experiments = {record.id: record for record in audit.experiments}
    if audit.looks:
        experiments = at_look(experiments, audit.looks, furthest(audit.looks))
    evidence = Evidence.of(audit.claims, experiments, audit.test_sizes)
    alpha = next_level(audit.looks) if alpha is None else alpha
    times, found = RunTimes(audit.experiments), []
    family = family_of(audit, audit.verdicts, experiments, _SEEDS_HELP)
    for k, (claim, verdict) in enumerate(zip(audit.claims, audit.verdicts, strict=True)):
        if verdict.outcome == "inconclusive" and only in (None, claim.id):
            outlook = _outlook(claim, verdict, evidence, Levels(*family.needed(k, alpha=alpha)))
            records = [experiments[name] for name in claim.experiments if name in experiments]
            imported = any(run.imported for record in records for run in record.runs)
            time = times.of(outlook.missing) if outlook.seeds and not imported else None
            found.append(replace(outlook, time=time, imported=imported))
    return tuple(found)


def _outlook(claim: ClaimRecord, verdict: Verdict, evidence: Evidence, levels: Levels) -> Outlook:
    records = [evidence.experiments.get(name) for name in claim.experiments]
    seeds = {
        name: n
        for name, n, record in zip(claim.experiments, verdict.n, records, strict=False)
        if not (record and record.runs and record.deterministic)
    }
    reachable = levels._replace(contradict=0.0) if verdict.barred else levels
    plain = Outlook(claim.id, claim.kind, verdict.reason, seeds, levels=reachable)
    if verdict.reason not in _SEEDS_HELP:
        return replace(plain, why_not=verdict.reason)
    kind = KINDS[claim.kind]
    if kind.of_costs and kind.arms is None and verdict.p_reproduced_adjusted is not None:
        return replace(plain, why_not="needs_sizes")
    if why := _cannot_run(claim, evidence.experiments):
        return replace(plain, why_not=why)
    # of what was never planned for a corpus, with neither runs nor a configuration, nothing is known
    planned_for = [record for record in records if record and (record.runs or record.config)]
    counted = bool(kind.of_costs and kind.arms) and claim.details.get("quantity") in COUNTED
    if (kind.of_printed or counted) and any(record.scope == "other_data" for record in planned_for):
        return replace(plain, why_not="other_data")
    if min(seeds.values(), default=DECIDING_SEEDS) < DECIDING_SEEDS:
        return replace(plain, seeds=DECIDING_SEEDS, first=True)
    case = case_of(claim, evidence)
    question = None if obstacle(case) else kind.judge(case).question
    if question is None:
        return replace(plain, why_not="no_rule")
    planned = question.plan(levels)
    if verdict.barred:
        planned = replace(planned, contradict=NONE)
    why_not = planned.obstacle if planned.holds or not verdict.barred else verdict.barred
    if why_not == "no_number_of_our_seeds" and not kind.of_printed:
        why_not = "no_number_of_seeds"
    return replace(
        plain,
        reproduce=planned.reproduce,
        contradict=planned.contradict,
        # at least one more than there are: what is open is not settled by what there is
        seeds=None if planned.fewest is None else max(planned.fewest, min(seeds.values()) + 1),
        part=question.weakest if isinstance(question, Several) else None,
        why_not=why_not,
        question=question,
    )


def _cannot_run(claim: ClaimRecord, experiments: Mapping[str, ExperimentRecord]) -> str | None:
    """Why an experiment of the claim can have no runs, or None."""
    if not claim.experiments:
        return "it names no experiment"
    for name in claim.experiments:
        record = experiments.get(name)
        if record is None:
            return f"there is no experiment {name!r}"
        if record.not_run and not record.config and record.not_run not in _MERELY_NOT_RUN:
            begins = "cannot be run" if record.unavailable else "not run"
            return f"{begins}: {record.not_run.rstrip('.')}"
    return None


def settling(audit: Audit) -> dict[str, Settling]:
    """By claim, the cheapest first; at the level of the look that is to come."""
    return {
        outlook.claim: Settling(
            text=sentence(outlook),
            reproduce=outlook.reproduce,
            contradict=outlook.contradict,
            seeds=outlook.seeds,
            missing=dict(outlook.missing) if outlook.seeds is not None else {},
            seconds=outlook.time.seconds if outlook.time else None,
            device=outlook.time.device if outlook.time else None,
        )
        for outlook in sorted(outlooks(audit), key=cost)
    }


def cost(outlook: Outlook) -> tuple[bool, bool, float, int]:
    """Without a number of seeds last, without a known time before them."""
    seconds = outlook.time.seconds if outlook.time else 0.0
    return outlook.seeds is None, outlook.time is None, seconds, sum(outlook.missing.values())


def sentence(outlook: Outlook) -> str:
    """`6 seeds, 0.4 h on a GPU`, or why there is no such number."""
    why, imported, time = outlook.why_not, outlook.imported, outlook.time
    if why is not None:
        return _OBSTACLES.get(why) or HOPELESS.get(why) or why
    if imported and outlook.reason == "not_run":  # what the imported program would have to add
        return f"the metric was not imported for every side: import it for {DECIDING_SEEDS} seeds or more"
    part = f" (hardest comparison: {outlook.part})" if outlook.part else ""
    if imported:
        by = "run the additional ones with the program whose results were imported"
        return f"{outlook.seeds} seeds; {by}{part}"
    if outlook.first:
        similar = " by similar experiments" if time and time.similar else ""
        return f"{DECIDING_SEEDS} seeds first, {f'about {time}{similar}' if time else 'time not known'}"
    return f"{outlook.seeds} seeds, {time or 'time not known'}{part}"


def seeds_needed(outlook: Outlook) -> str:
    """`3 seeds now, 25 to reproduce it (31 for 90% power), 3 min on a CPU`."""
    now = " and ".join(str(n) for n in dict.fromkeys(outlook.seeds_now.values())) or "0"
    parts = [f"{now} seed{'' if now == '1' else 's'} now"]
    for word, needed in (("reproduce", outlook.reproduce), ("contradict", outlook.contradict)):
        more = "more than 100" if needed.seeds_90 is None else needed.seeds_90
        parts += [f"{needed.seeds_80} to {word} it ({more} for 90% power)"] if needed.seeds_80 else []
    parts += [f"{outlook.seeds} needed first"] if outlook.first else []
    parts += [] if outlook.imported else [str(outlook.time or "time not known")]
    return ", ".join(parts) + (f"; hardest comparison: {outlook.part}" if outlook.part else "")


# --------------------------------------------------------------------------- how a verdict came about


class Place(NamedTuple):
    """One p-value among those of the family."""

    raw: float
    adjusted: float
    rank: int  # 1 for the smallest.
    of: int  # So many are ranked: all, or of contradictions the primary ones or the others.
    threshold: float  # The largest raw p that would do, the others being as they are.


class AmongOthers(NamedTuple):
    """All tests of a paper that could be made, of which this is one; the same of the same runs is one."""

    size: int
    primaries: int
    reproduced: Place
    contradicted: Place


@dataclass(frozen=True)
class Derivation:
    claim: ClaimRecord
    verdict: Verdict
    look: Look | None  # That gave the verdict; None where none is on record.
    level: float
    experiments: Mapping[str, ExperimentRecord]  # As they stood at the look.
    steps: tuple[Step, ...]
    family: AmongOthers | None  # None for a claim of no family: not tested, capped, or exact.


def derivation(audit: Audit, claim: str) -> Derivation:
    """Of the claim with that id (`claimid:metric`). Raises ValueError for an id that there is not."""
    k = [record.id for record in audit.claims].index(claim)
    record, verdict = audit.claims[k], audit.verdicts[k]
    experiments, judge = {of.id: of for of in audit.experiments}, judge_of(audit)
    look, level, records, verdicts = None, ALPHA, experiments, audit.verdicts
    for taken in audit.looks:  # the first that decided the claim, or that of most seeds
        seen = at_look(experiments, audit.looks, taken)
        judged = judge(seen, taken.level)
        decided = judged[k].outcome != "inconclusive"
        if decided or taken == furthest(audit.looks):
            look, level, records, verdicts = taken, taken.level, seen, judged
        if decided:
            break
    evidence = Evidence.of(audit.claims, records, audit.test_sizes)
    case = case_of(record, evidence, alpha=level)
    tested = () if obstacle(case) else KINDS[record.kind].judge(case).steps
    steps = {str(step): step for step in tested}  # arms stand in several parts
    family = _family(audit, k, verdicts, records, level)
    return Derivation(record, verdict, look, level, records, tuple(steps.values()), family)


def _family(
    audit: Audit, k: int, verdicts: Sequence[Verdict], records: Mapping[str, ExperimentRecord], level: float
) -> AmongOthers | None:
    family, own = family_of(audit, verdicts, records), verdicts[k]
    if (mine := family.ps[k]) is None or own.p_reproduced_adjusted is None:
        return None
    others, needed = family.others(k), family.needed(k, alpha=level)
    adjusted = own.p_reproduced_adjusted, own.p_contradicted_adjusted or 0.0
    ranked = others, [other for other in others if other[2] == family.primary[k]]
    reproduced, contradicted = (
        Place(mine[i], adjusted[i], 1 + sum(it[i] < mine[i] for it in of), 1 + len(of), needed[i])
        for i, of in enumerate(ranked)
    )
    primaries = family.primary[k] + sum(primary for _, _, primary in others)
    return AmongOthers(1 + len(others), primaries, reproduced, contradicted)
