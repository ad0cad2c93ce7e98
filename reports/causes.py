"""What differs behind one claim between two audits of a paper: seeds, margins, data, runs, the tool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.record import Audit, ClaimRecord, ExperimentRecord, Run, RunSpec, Verdict
from reports import wording
from reports.wording import changes as words


@dataclass(frozen=True)
class Side:
    """One claim in one audit."""

    audit: Audit
    claim: ClaimRecord
    verdict: Verdict

    @property
    def arms(self) -> tuple[ExperimentRecord, ...]:
        records = {it.id: it for it in self.audit.experiments}
        return tuple(records[name] for name in self.claim.experiments if name in records)

    @property
    def runs(self) -> dict[tuple[int, int], Run]:
        """(Arm, seed) -> the run that the verdict rests on."""
        arms = zip(self.arms, self.verdict.seeds, strict=False)
        return {
            (k, run.spec.seed): run
            for k, (arm, seeds) in enumerate(arms)
            for run in arm.runs
            if run.status == "done" and run.spec.seed in seeds
        }

    @property
    def passed(self) -> bool:
        """Whether every model behind it may speak against a claim."""
        models = {model for arm in self.arms for model in arm.models}
        checks = {model: [it.passed for it in self.audit.fidelity if it.model == model] for model in models}
        return all(found and all(found) for found in checks.values())


def causes(old: Side, new: Side) -> tuple[str, ...]:
    """What differs, in words; the tool's version only where nothing else does."""
    found = tuple(
        dict.fromkeys([*_of_the_claim(old, new), *_of_the_runs(old, new), *_of_the_judge(old, new)])
    )
    if found or old.audit.tool_version == new.audit.tool_version:
        return found
    return (words.other_version(new.audit.tool_version, old.audit.tool_version),)


def numbers(verdict: Verdict) -> tuple[object, ...]:
    """What a verdict rests on."""
    given = (verdict.n, verdict.values, verdict.target, verdict.margin)
    return (*given, verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted)


def _of_the_claim(old: Side, new: Side) -> Iterator[str]:
    fields = [it for it in words.CLAIM_FIELDS if getattr(old.claim, it) != getattr(new.claim, it)]
    if fields:
        yield words.stated_otherwise(fields)
    before, now = (_margin(side.claim) for side in (old, new))
    if before != now:
        yield words.other_margin(now, before)
    if old.claim.negligible != new.claim.negligible:
        yield words.other_negligible(new.claim.negligible, old.claim.negligible)


def _of_the_runs(old: Side, new: Side) -> Iterator[str]:
    before, now = old.runs, new.runs
    imported = [any(run.imported for run in runs.values()) for runs in (before, now)]
    if before and now and imported[0] != imported[1]:
        yield words.EVIDENCE[imported[1]]
    content = [{(run.data.name, run.data.fingerprint) for run in runs.values()} for runs in (before, now)]
    if before and now and content[0] != content[1]:
        yield words.other_data(*(sorted({name for name, _ in it}) for it in reversed(content)))
    if old.verdict.seeds != new.verdict.seeds or old.verdict.attempts != new.verdict.attempts:
        yield words.other_seeds(*(_seeds(it.verdict) for it in (new, old)))
    shared = [(before[place], now[place]) for place in before if place in now]
    others = {name for a, b in shared for name in _differing(a.spec, b.spec)} - {"data"}  # said above
    if others:
        yield words.other_runs([name for name in words.SPEC_FIELDS if name in others])
    if any(a.key == b.key and a.metrics != b.metrics for a, b in shared):
        yield words.SAME_RUNS


def _margin(claim: ClaimRecord) -> float | None:
    return None if claim.margin is None else claim.margin.value


def _seeds(verdict: Verdict) -> str:
    return wording.seeds(verdict.n, verdict.attempts) if sum(verdict.attempts) else words.NO_RUN


def _differing(a: RunSpec, b: RunSpec) -> list[str]:
    return [name for name in words.SPEC_FIELDS if getattr(a, name) != getattr(b, name)]


def _of_the_judge(old: Side, new: Side) -> Iterator[str]:
    before, now = old.verdict, new.verdict
    if before.level != now.level:
        yield words.other_level(now.level, before.level)
    if before.readings_declared != now.readings_declared:
        yield words.other_readings(now.readings_declared, before.readings_declared)
    if old.passed != new.passed and "contradicted" in (before.outcome, now.outcome):
        yield words.GATE[new.passed]
    raw = [(it.p_reproduced, it.p_contradicted) for it in (before, now)]
    adjusted = [(it.p_reproduced_adjusted, it.p_contradicted_adjusted) for it in (before, now)]
    if raw[0] == raw[1] != (None, None) and adjusted[0] != adjusted[1]:
        yield words.MULTIPLICITY
