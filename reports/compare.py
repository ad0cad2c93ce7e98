"""Two audits of one paper: verdicts, claims and findings that differ, and what differs behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import Audit, ClaimRecord, ExperimentRecord, Finding, FindingResult, Run, RunSpec, Verdict
from reports import digits
from reports.exports import md_code, md_escape
from reports.fields import field_seeds, subject_of
from reports.findings import finding_sentence
from reports.lookup import lookup
from reports.text import line, listed, moment, plural, shortened, visible
from reports.verdicts import claim_title, sentence
from reports.words import ICONS, STATUS_WORDS, Status, status_of

FLIPPED = "Other verdicts"
ADDED = "New claims"
GONE = "Claims that are gone"
CHANGED_FINDINGS = "Printed numbers"
NO_CHANGE = "No verdict changed."
CHANGED_NO_RUN = "no run"
NO_CAUSE = "nothing on record that explains it"
SAME_RUNS = "the same runs with other results"
MULTIPLICITY = "the same numbers, but the paper’s other claims came out otherwise"
CHANGED_GATE = {
    True: "our implementation has passed all of its checks since",
    False: "our implementation has not passed all of its checks any more",
}
EVIDENCE = {True: "imported runs, before ours", False: "our runs, before imported ones"}
#: Fields of a claim, and of what decides a run, as they are said.
CLAIM_FIELDS = {
    "kind": "its kind",
    "metric": "its metric",
    "cells": "the cells it is about",
    "printed": "the printed number",
    "experiments": "its experiments",
    "dataset": "its data set",
    "expect": "its formula",
    "details": "its details",
    "deterministic": "whether it is deterministic",
    "runs_behind": "the paper’s runs behind a number",
    "paired": "whether its runs are paired",
}
SPEC_FIELDS = {
    "model": "another model",
    "variant": "another variant",
    "config": "another configuration",
    "protocol": "another protocol",
    "data": "other data",
    "precision": "another precision",
    "revision": "a correction of the model’s code",
}


def stated_otherwise(fields: Sequence[str]) -> str:
    return f"the claim file states it otherwise: {listed([CLAIM_FIELDS[name] for name in fields])}"


def other_margin(now: float | None, before: float | None) -> str:
    return f"a margin of {digits.margin_size(now)}, before {digits.margin_size(before)}"


def other_negligible(now: float, before: float) -> str:
    return f"differences up to {digits.margin_size(now)} count as none, before {digits.margin_size(before)}"


def other_data(now: Sequence[str], before: Sequence[str]) -> str:
    """The same name on both sides stands for two contents."""
    if list(now) == list(before):
        return f"another content of {listed(now)}"
    return f"runs on {listed(now) or 'no data'}, before on {listed(before) or 'no data'}"


def other_seeds(now: str, before: str) -> str:
    return f"{now}, before {before}"


def other_runs(fields: Sequence[str]) -> str:
    how = listed([SPEC_FIELDS[name] for name in fields]) or "other settings"
    return f"other runs of the same seeds: {how}"


def other_level(now: float, before: float) -> str:
    return f"the level of {100.0 * now:.3g} %, before {100.0 * before:.3g} %"


def other_readings(now: int, before: int) -> str:
    return f"{plural(now, 'declared reading')} of what the paper leaves open, before {before}"


def other_version(now: str, before: str) -> str:
    return f"version {now or 'unknown'} of this tool, before {before or 'unknown'}"


def version_line(version: str, newest_run: str, claims: int) -> str:
    """`version 0.1.0, newest run 2026-03-01 12:30 UTC, 175 claims`"""
    run = f"newest run {newest_run}" if newest_run else "no run"
    return f"version {version or 'unknown'}, {run}, {plural(claims, 'claim')}"


def flip(before: Status | None, after: Status | None) -> str:
    """`inconclusive, now reproduced`"""
    was = "not there" if before is None else STATUS_WORDS[before].lower()
    now = "gone" if after is None else f"now {STATUS_WORDS[after].lower()}"
    return f"{was}, {now}"


def finding_flip(before: FindingResult | None, after: FindingResult | None) -> str:
    return f"{before or 'not there'}, {f'now {after}' if after else 'gone'}"


def changed_counts(*, flipped: int, both: int, moved: int, added: int, gone: int) -> str:
    """One line that adds up to the claims of both audits."""
    if not both:
        head = "No claim is in both."
    elif not flipped:
        head = f"{NO_CHANGE} {_moved(moved, both) or 'All rest on the same numbers.'}"
    else:
        verdicts = plural(both, "verdict")
        others = "The others rest on the same numbers." if flipped < both else ""
        stand = _moved(moved, both - flipped) or others
        head = f"{digits.count(flipped)} of {verdicts} changed. {stand}".strip()
    rest = [
        f"{plural(number, 'claim')} {word}" for number, word in ((added, "new"), (gone, "gone")) if number
    ]
    return f"{head} {listed(rest)}.".strip() if rest else head


def _moved(moved: int, of: int) -> str:
    """Of the verdicts that stand, those whose numbers are others; empty where there are none."""
    if not moved:
        return ""
    return f"Of the {digits.count(of)} that stand, {digits.count(moved)} rest on other numbers."


def with_these(causes: Sequence[str]) -> str:
    return f"with {'; '.join(causes) or NO_CAUSE}"


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
    return (other_version(new.audit.tool_version, old.audit.tool_version),)


def numbers_of(verdict: Verdict) -> tuple[object, ...]:
    """What a verdict rests on."""
    given = (verdict.n, verdict.values, verdict.target, verdict.margin)
    return (*given, verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted)


def _of_the_claim(old: Side, new: Side) -> Iterator[str]:
    fields = [it for it in CLAIM_FIELDS if getattr(old.claim, it) != getattr(new.claim, it)]
    if fields:
        yield stated_otherwise(fields)
    before, now = (_causes_margin(side.claim) for side in (old, new))
    if before != now:
        yield other_margin(now, before)
    if old.claim.negligible != new.claim.negligible:
        yield other_negligible(new.claim.negligible, old.claim.negligible)


def _of_the_runs(old: Side, new: Side) -> Iterator[str]:
    before, now = old.runs, new.runs
    imported = [any(run.imported for run in runs.values()) for runs in (before, now)]
    if before and now and imported[0] != imported[1]:
        yield EVIDENCE[imported[1]]
    content = [{(run.data.name, run.data.fingerprint) for run in runs.values()} for runs in (before, now)]
    if before and now and content[0] != content[1]:
        yield other_data(*(sorted({name for name, _ in it}) for it in reversed(content)))
    if old.verdict.seeds != new.verdict.seeds or old.verdict.attempts != new.verdict.attempts:
        yield other_seeds(*(_causes_seeds(it.verdict) for it in (new, old)))
    shared = [(before[place], now[place]) for place in before if place in now]
    others = {name for a, b in shared for name in _differing(a.spec, b.spec)} - {"data"}  # said above
    if others:
        yield other_runs([name for name in SPEC_FIELDS if name in others])
    if any(a.key == b.key and a.metrics != b.metrics for a, b in shared):
        yield SAME_RUNS


def _causes_margin(claim: ClaimRecord) -> float | None:
    return None if claim.margin is None else claim.margin.value


def _causes_seeds(verdict: Verdict) -> str:
    return field_seeds(verdict.n, verdict.attempts) if sum(verdict.attempts) else CHANGED_NO_RUN


def _differing(a: RunSpec, b: RunSpec) -> list[str]:
    return [name for name in SPEC_FIELDS if getattr(a, name) != getattr(b, name)]


def _of_the_judge(old: Side, new: Side) -> Iterator[str]:
    before, now = old.verdict, new.verdict
    if before.level != now.level:
        yield other_level(now.level, before.level)
    if before.readings_declared != now.readings_declared:
        yield other_readings(now.readings_declared, before.readings_declared)
    if old.passed != new.passed and "contradicted" in (before.outcome, now.outcome):
        yield CHANGED_GATE[new.passed]
    raw = [(it.p_reproduced, it.p_contradicted) for it in (before, now)]
    adjusted = [(it.p_reproduced_adjusted, it.p_contradicted_adjusted) for it in (before, now)]
    if raw[0] == raw[1] != (None, None) and adjusted[0] != adjusted[1]:
        yield MULTIPLICITY


@dataclass(frozen=True)
class Change:
    """One claim that came out otherwise, is new, or is gone."""

    claim: str
    of: str
    """Id in the claim file, which the changes of its metrics share."""
    subject: str
    """The metric, or what stands in its place."""
    title: str
    before: Status | None
    """None where it was not there."""
    after: Status | None
    flip: str
    """`inconclusive, now reproduced`"""
    causes: str
    """`with 5 seeds, before 3 seeds`; empty for what is new or gone."""
    sentence: str
    """The verdict as it is now, or as it was for a claim that is gone."""


@dataclass(frozen=True)
class FindingChange:
    id: str
    flip: str
    sentence: str
    worse: bool
    """Inconsistent now, and was not."""


@dataclass(frozen=True)
class Changes:
    paper: str
    before: str
    after: str
    counts: str
    flipped: tuple[Change, ...]
    """What became contradicted comes first."""
    added: tuple[Change, ...]
    gone: tuple[Change, ...]
    findings: tuple[FindingChange, ...]

    @property
    def worse(self) -> bool:
        """Whether something is contradicted or inconsistent now that was not."""
        claims = any(it.after == "contradicted" for it in (*self.flipped, *self.added))
        return claims or any(it.worse for it in self.findings)


def changes(old: Audit, new: Audit) -> Changes:
    """The two are of one paper; claims are known by their ids, findings by theirs."""
    before, after = _sides(old), _sides(new)
    both = [name for name in after if name in before]
    flipped = [
        _change(before[name], after[name]) for name in both if _status(before[name]) != _status(after[name])
    ]
    flipped.sort(key=lambda it: it.after != "contradicted")
    names = {it.claim for it in flipped}
    moved = sum(
        name not in names and numbers_of(before[name].verdict) != numbers_of(after[name].verdict)
        for name in both
    )
    added = tuple(_change(None, side) for name, side in after.items() if name not in before)
    gone = tuple(_change(side, None) for name, side in before.items() if name not in after)
    return Changes(
        paper=new.paper.title or new.paper.key,
        before=version_line(old.tool_version, moment(old.created), len(old.claims)),
        after=version_line(new.tool_version, moment(new.created), len(new.claims)),
        counts=changed_counts(
            flipped=len(flipped), both=len(both), moved=moved, added=len(added), gone=len(gone)
        ),
        flipped=tuple(flipped),
        added=added,
        gone=gone,
        findings=_changes_findings(old.findings, new.findings),
    )


def _sides(audit: Audit) -> dict[str, Side]:
    return {
        claim.id: Side(audit, claim, verdict)
        for claim, verdict in zip(audit.claims, audit.verdicts, strict=True)
    }


def _status(side: Side) -> Status:
    return status_of(side.verdict)


def _change(old: Side | None, new: Side | None) -> Change:
    side = new or old
    assert side is not None
    found = lookup(side.audit)
    before, after = (None if it is None else _status(it) for it in (old, new))
    return Change(
        claim=side.claim.id,
        of=side.claim.claim,
        subject=subject_of(side.claim),
        title=claim_title(side.claim, found.names(side.claim)),
        before=before,
        after=after,
        flip=flip(before, after),
        causes=with_these(causes(old, new)) if old and new else "",
        sentence=sentence(side.claim, found),
    )


def _changes_findings(old: Sequence[Finding], new: Sequence[Finding]) -> tuple[FindingChange, ...]:
    """Those of another result, new ones and gone ones; consistent ones come and go unsaid."""
    before, after = _by_id(old), _by_id(new)
    found = []
    for name in dict.fromkeys([*after, *before]):
        was, now = before.get(name), after.get(name)
        results = (was.result if was else None, now.result if now else None)
        said = now or was
        if results[0] != results[1] and "inconsistent" in results and said is not None:
            worse = results[1] == "inconsistent"
            flip = finding_flip(*results)
            found.append(FindingChange(name, flip, finding_sentence(said), worse))
    return tuple(sorted(found, key=lambda it: not it.worse))


def _by_id(findings: Sequence[Finding]) -> Mapping[str, Finding]:
    return {it.id or f"{it.check}: {' '.join(it.cells)}": it for it in findings}


_DIFF_LONGEST = 600


def changes_text(changes: Changes) -> str:
    """A line for each claim whose verdict changed and one for what differs behind it, then the rest."""
    return "\n".join(_terminal(changes))


def _terminal(changes: Changes) -> Iterator[str]:
    yield f"{line(changes.paper)}\nold: {line(changes.before)}\nnew: {line(changes.after)}\n{changes.counts}"
    for it, metrics in _together(changes.flipped):
        yield f"{_icons(it)}  {visible(it.of)} ({metrics})  {it.flip}\n        {visible(it.causes)}"
    for group in (changes.added, changes.gone):
        for it, metrics in _together(group):
            yield f"{_icons(it)}  {visible(it.of)} ({metrics})  {it.flip}"
    for finding in changes.findings:
        yield f"{'✗' if finding.worse else ' '}       {visible(finding.id)}  {finding.flip}"


def _together(changes: Sequence[Change]) -> Iterator[tuple[Change, str]]:
    """Neighbours that are metrics of one claim, with the same verdict and causes: the first, and all."""
    for _, group in groupby(changes, key=lambda it: (it.of, it.flip, it.causes)):
        members = list(group)
        yield members[0], line(", ".join(it.subject for it in members))


def _icons(change: Change) -> str:
    """`◐ → ✓`"""
    return f"{ICONS[change.before]} → {ICONS[change.after]}"


def changes_markdown(changes: Changes) -> str:
    """The same with the sentences of the verdicts as they are now."""
    parts = [
        f"## Changes in the audit of {md_escape(shortened(line(changes.paper), 200))}",
        "",
        f"Old: {md_escape(changes.before)}.  ",
        f"New: {md_escape(changes.after)}.",
        "",
        f"**{md_escape(changes.counts)}**",
        *_list(FLIPPED, [_flipped(it) for it in changes.flipped]),
        *_list(ADDED, [_diff_one(it) for it in changes.added]),
        *_list(GONE, [_diff_one(it) for it in changes.gone]),
        *_list(CHANGED_FINDINGS, [_diff_finding(it.id, it.flip, it.sentence) for it in changes.findings]),
    ]
    return "\n".join(parts) + "\n"


def _list(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"**{title}**", "", *items] if items else []


def _flipped(it: Change) -> str:
    return f"{_diff_one(it)} *{md_escape(line(it.causes))}.*"


def _diff_one(it: Change) -> str:
    said = md_escape(shortened(line(it.sentence), _DIFF_LONGEST))
    return f"- {md_code(it.claim)} {md_escape(it.flip)}: {md_escape(shortened(line(it.title), 200))}. {said}"


def _diff_finding(name: str, flip: str, sentence: str) -> str:
    return f"- {md_code(name)} {md_escape(flip)}: {md_escape(shortened(line(sentence), _DIFF_LONGEST))}"
