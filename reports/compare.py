"""Two audits of one paper: verdicts, claims and findings that differ, and what differs behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import Audit, ClaimRecord, Finding, FindingResult, Run, Verdict
from reports import numbers
from reports.exports import md_code, md_escape, md_line
from reports.findings import finding_name, finding_sentence
from reports.lookup import Lookup, lookup
from reports.sentences import ICONS, STATUS_WORDS, Status, status_of
from reports.text import joined, line, listed, moment, plural, visible
from reports.verdicts import claim_title, seeds_text, sentence, subject_of

#: Fields of a claim, and of what decides a run, as they are said.
_CLAIM_FIELDS = {
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
}
_SPEC_FIELDS = {
    "model": "another model",
    "variant": "another variant",
    "config": "another configuration",
    "protocol": "another protocol",
    "data": "other data",
    "precision": "another precision",
    "revision": "a correction of the model’s code",
}

# --------------------------------------------------------------------------- what differs behind a verdict


@dataclass(frozen=True)
class Side:
    """One claim in one audit."""

    index: Lookup
    claim: ClaimRecord
    verdict: Verdict

    @property
    def status(self) -> Status:
        return status_of(self.verdict)

    @property
    def runs(self) -> dict[tuple[int, int], Run]:
        """(Arm, seed) -> the run that the verdict rests on."""
        arms = zip(self.index.records(self.claim), self.verdict.seeds, strict=False)
        return {
            (k, run.spec.seed): run
            for k, (arm, seeds) in enumerate(arms)
            for run in arm.runs
            if run.status == "done" and run.spec.seed in seeds
        }

    @property
    def passed(self) -> bool:
        """Whether every model behind it may speak against a claim."""
        models = {model for arm in self.index.records(self.claim) for model in arm.models}
        checks = self.index.audit.fidelity
        return models <= {it.model for it in checks} - {it.model for it in checks if not it.passed}

    @property
    def numbers(self) -> tuple[object, ...]:
        """What the verdict rests on."""
        it = self.verdict
        given = (it.n, it.values, it.target, it.margin)
        return (*given, it.p_reproduced_adjusted, it.p_contradicted_adjusted)


def causes(old: Side, new: Side) -> list[str]:
    """What differs, in words; the tool's version only where nothing else does."""
    differing = list(
        dict.fromkeys([*_of_the_claim(old, new), *_of_the_runs(old, new), *_of_the_judge(old, new)])
    )
    before, now = (side.index.audit.tool_version or "unknown" for side in (old, new))
    return differing or ([] if before == now else [f"version {now} of this tool, before {before}"])


def _of_the_claim(old: Side, new: Side) -> Iterator[str]:
    fields = [name for it, name in _CLAIM_FIELDS.items() if getattr(old.claim, it) != getattr(new.claim, it)]
    if fields:
        yield f"the claim file states it otherwise: {listed(fields)}"
    before, now = (None if it.claim.margin is None else it.claim.margin.value for it in (old, new))
    if before != now:
        yield f"a margin of {numbers.margin_size(now)}, before {numbers.margin_size(before)}"
    less, lesser = new.claim.negligible, old.claim.negligible
    if less != lesser:
        sizes = f"{numbers.margin_size(less)} count as none, before {numbers.margin_size(lesser)}"
        yield f"differences up to {sizes}"


def _of_the_runs(old: Side, new: Side) -> Iterator[str]:
    before, now = old.runs, new.runs
    if before and now:
        was, imported = (any(run.imported for run in runs.values()) for runs in (before, now))
        if was != imported:
            yield "imported runs, before ours" if imported else "our runs, before imported ones"
        content = [{(it.data.name, it.data.fingerprint) for it in runs.values()} for runs in (before, now)]
        if content[0] != content[1]:  # the same name on both sides stands for two contents
            old_names, names = (listed(sorted({name for name, _ in it})) for it in content)
            same = f"another content of {names}"
            yield same if names == old_names else f"runs on {names}, before on {old_names}"
    if old.verdict.seeds != new.verdict.seeds or old.verdict.attempts != new.verdict.attempts:
        verdicts = (it.verdict for it in (new, old))
        yield ", before ".join(
            seeds_text(it.n, it.attempts) if sum(it.attempts) else "no run" for it in verdicts
        )
    shared = [(before[place], now[place]) for place in before if place in now]
    others = [
        said
        for name, said in _SPEC_FIELDS.items()
        if any(getattr(a.spec, name) != getattr(b.spec, name) for a, b in shared)
    ]
    if others and others != ["other data"]:  # which is said above
        yield f"other runs of the same seeds: {listed([it for it in others if it != 'other data'])}"
    if any(a.key == b.key and a.metrics != b.metrics for a, b in shared):
        yield "the same runs with other results"


def _of_the_judge(old: Side, new: Side) -> Iterator[str]:
    before, now = old.verdict, new.verdict
    if before.level != now.level:
        yield f"the level of {100.0 * now.level:.3g} %, before {100.0 * before.level:.3g} %"
    if before.readings_declared != now.readings_declared:
        readings = plural(now.readings_declared, "declared reading")
        yield f"{readings} of what the paper leaves open, before {before.readings_declared}"
    if old.passed != new.passed and "contradicted" in (before.outcome, now.outcome):
        has = (
            "has passed all of its checks since"
            if new.passed
            else "has not passed all of its checks any more"
        )
        yield f"our implementation {has}"
    raw = [(it.p_reproduced, it.p_contradicted) for it in (before, now)]
    adjusted = [(it.p_reproduced_adjusted, it.p_contradicted_adjusted) for it in (before, now)]
    if raw[0] == raw[1] != (None, None) and adjusted[0] != adjusted[1]:
        yield "the same numbers, but the paper’s other claims came out otherwise"


# --------------------------------------------------------------------------- what changed


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
    """One finding of another result, new, or gone."""

    id: str
    flip: str
    sentence: str
    worse: bool
    """Inconsistent now, and was not."""


@dataclass(frozen=True)
class Changes:
    """All that differs between two audits."""

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
    both = [(before[name], side) for name, side in after.items() if name in before]
    flipped = [_change(*pair) for pair in both if pair[0].status != pair[1].status]
    moved = sum(was.status == now.status and was.numbers != now.numbers for was, now in both)
    added = tuple(_change(None, side) for name, side in after.items() if name not in before)
    gone = tuple(_change(side, None) for name, side in before.items() if name not in after)
    return Changes(
        paper=new.paper.title or new.paper.key,
        before=_version(old),
        after=_version(new),
        counts=_counts(len(flipped), len(both), moved, len(added), len(gone)),
        flipped=tuple(sorted(flipped, key=lambda it: it.after != "contradicted")),
        added=added,
        gone=gone,
        findings=_findings(old.findings, new.findings),
    )


def _version(audit: Audit) -> str:
    """`version 0.1.0, newest run 2026-03-01 12:30 UTC, 175 claims`"""
    newest = moment(audit.created)
    run = f"newest run {newest}" if newest else "no run"
    return f"version {audit.tool_version or 'unknown'}, {run}, {plural(len(audit.claims), 'claim')}"


def _counts(flipped: int, both: int, moved: int, added: int, gone: int) -> str:
    """One line that adds up to the claims of both audits."""
    stand = (
        f"Of the {numbers.count(both - flipped)} that stand, {numbers.count(moved)} rest on other numbers."
    )
    if not both:
        head = "No claim is in both."
    elif not flipped:
        head = f"No verdict changed. {stand if moved else 'All rest on the same numbers.'}"
    else:
        others = "The others rest on the same numbers." if flipped < both else ""
        changed = f"{numbers.count(flipped)} of {plural(both, 'verdict')} changed."
        head = joined(changed, stand if moved else others)
    rest = [f"{plural(n, 'claim')} {word}" for n, word in ((added, "new"), (gone, "gone")) if n]
    return f"{head} {listed(rest)}." if rest else head


def _sides(audit: Audit) -> dict[str, Side]:
    index = lookup(audit)
    pairs = zip(audit.claims, audit.verdicts, strict=True)
    return {claim.id: Side(index, claim, verdict) for claim, verdict in pairs}


def _change(old: Side | None, new: Side | None) -> Change:
    side = new or old
    assert side is not None
    was = "not there" if old is None else STATUS_WORDS[old.status].lower()
    now = "gone" if new is None else f"now {STATUS_WORDS[new.status].lower()}"
    behind = "; ".join(causes(old, new)) if old and new else ""
    return Change(
        claim=side.claim.id,
        of=side.claim.claim,
        subject=subject_of(side.claim),
        title=claim_title(side.claim, side.index.names(side.claim)),
        before=old.status if old else None,
        after=new.status if new else None,
        flip=f"{was}, {now}",
        causes=f"with {behind or 'nothing on record that explains it'}" if old and new else "",
        sentence=sentence(side.claim, side.index),
    )


def _findings(old: Sequence[Finding], new: Sequence[Finding]) -> tuple[FindingChange, ...]:
    """Those of another result, new ones and gone ones; consistent ones come and go unsaid."""
    before, after = ({finding_name(it): it for it in findings} for findings in (old, new))
    changed = []
    for name in dict.fromkeys([*after, *before]):
        was: FindingResult | None = before[name].result if name in before else None
        now: FindingResult | None = after[name].result if name in after else None
        if was != now and "inconsistent" in (was, now):
            flip = f"{was or 'not there'}, {f'now {now}' if now else 'gone'}"
            said = finding_sentence(after.get(name) or before[name])
            changed.append(FindingChange(name, flip, said, now == "inconsistent"))
    return tuple(sorted(changed, key=lambda it: not it.worse))


# --------------------------------------------------------------------------- as text


def changes_text(changes: Changes) -> str:
    """A line for each claim whose verdict changed and one for what differs behind it, then the rest."""
    lines = [f"{line(changes.paper)}", f"old: {line(changes.before)}", f"new: {line(changes.after)}"]
    lines.append(changes.counts)
    for group in (changes.flipped, changes.added, changes.gone):
        # neighbours that are metrics of one claim, with the same verdict and causes
        for _, members in groupby(group, key=lambda it: (it.of, it.flip, it.causes)):
            it, *others = members
            metrics = line(", ".join(one.subject for one in (it, *others)))
            icons = f"{ICONS[it.before]} → {ICONS[it.after]}"
            lines.append(f"{icons}  {visible(it.of)} ({metrics})  {it.flip}")
            lines += [f"        {visible(it.causes)}"] if it.causes else []
    for finding in changes.findings:
        lines.append(f"{'✗' if finding.worse else ' '}       {visible(finding.id)}  {finding.flip}")
    return "\n".join(lines)


def changes_markdown(changes: Changes) -> str:
    """The same with the sentences of the verdicts as they are now."""

    def claim(it: Change) -> str:
        causes = f" *{md_escape(it.causes)}.*" if it.causes else ""
        said = f"{md_line(it.title, 200)}. {md_line(it.sentence, 600)}"
        return f"- {md_code(it.claim)} {md_escape(it.flip)}: {said}{causes}"

    def finding(it: FindingChange) -> str:
        return f"- {md_code(it.id)} {md_escape(it.flip)}: {md_line(it.sentence, 600)}"

    lines = [
        f"## Changes in the audit of {md_line(changes.paper, 200)}",
        "",
        f"Old: {md_escape(changes.before)}.  ",
        f"New: {md_escape(changes.after)}.",
        "",
        f"**{md_escape(changes.counts)}**",
    ]
    groups: tuple[tuple[str, Sequence[Change]], ...] = (
        ("Other verdicts", changes.flipped),
        ("New claims", changes.added),
        ("Claims that are gone", changes.gone),
    )
    for title, group in groups:
        lines += ["", f"**{title}**", "", *map(claim, group)] if group else []
    if changes.findings:
        lines += ["", "**Printed numbers**", "", *map(finding, changes.findings)]
    return "\n".join(lines) + "\n"
