"""Two audits of one paper: verdicts, claims and findings that differ, and what differs behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import Audit, ClaimRecord, Finding, Run, Verdict
from reports import numbers
from reports.exports import md_code, md_escape, md_line
from reports.findings import finding_name, finding_sentence
from reports.lookup import Lookup, lookup
from reports.sentences import ICONS, STATUS_WORDS, status_of
from reports.text import View, joined, line, listed, moment, plural, visible
from reports.verdicts import seeds_text, sentence, subject_of

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


@dataclass(frozen=True)
class Side:
    """One claim in one audit."""

    index: Lookup
    claim: ClaimRecord
    verdict: Verdict

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


# --------------------------------------------------------------------------- what differs behind a verdict


def causes(old: Side, new: Side) -> list[str]:
    """What differs, in words; the tool's version only where nothing else does."""
    every = (*_of_the_claim(old, new), *_of_the_runs(old, new), *_of_the_judge(old, new))
    differing = list(dict.fromkeys(every))
    before, now = (side.index.audit.tool_version or "unknown" for side in (old, new))
    return differing or ([] if before == now else [f"version {now} of this tool, before {before}"])


def _of_the_claim(old: Side, new: Side) -> Iterator[str]:
    fields = [name for it, name in _CLAIM_FIELDS.items() if getattr(old.claim, it) != getattr(new.claim, it)]
    if fields:
        yield f"the claim file states it otherwise: {listed(fields)}"
    before, now = (it.claim.margin.value if it.claim.margin else None for it in (old, new))
    if before != now:
        yield f"a margin of {numbers.margin_size(now)}, before {numbers.margin_size(before)}"
    before, now = old.claim.negligible, new.claim.negligible
    if before != now:
        sizes = f"{numbers.margin_size(now)} count as none, before {numbers.margin_size(before)}"
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
        seeds = (
            seeds_text(it.n, it.attempts) if sum(it.attempts) else "no run"
            for it in (new.verdict, old.verdict)
        )
        yield ", before ".join(seeds)
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
        has, since = ("has", "since") if new.passed else ("has not", "any more")
        yield f"our implementation {has} passed all of its checks {since}"
    raw = [(it.p_reproduced, it.p_contradicted) for it in (before, now)]
    adjusted = [(it.p_reproduced_adjusted, it.p_contradicted_adjusted) for it in (before, now)]
    if raw[0] == raw[1] != (None, None) and adjusted[0] != adjusted[1]:
        yield "the same numbers, but the paper’s other claims came out otherwise"


# --------------------------------------------------------------------------- what changed


def changes(old: Audit, new: Audit) -> View:
    """All that differs between two audits of one paper; claims are known by their ids, findings by theirs.

    `flipped`, `added` and `gone` are claims, as `_change` tells of them; what became contradicted comes
    first. `worse` is whether something is contradicted or inconsistent now that was not.
    """
    before, after = (
        {it.id: Side(index, it, verdict) for it, verdict in zip(audit.claims, audit.verdicts, strict=True)}
        for audit, index in ((old, lookup(old)), (new, lookup(new)))
    )
    both = [(before[name], side) for name, side in after.items() if name in before]
    moved = sum(_stands(*pair) and pair[0].numbers != pair[1].numbers for pair in both)
    flipped = [_change(*pair) for pair in both if not _stands(*pair)]
    flipped.sort(key=lambda it: it.after != "contradicted")
    added = [_change(None, side) for name, side in after.items() if name not in before]
    gone = [_change(side, None) for name, side in before.items() if name not in after]
    findings = _findings(old.findings, new.findings)
    worse = any(it.after == "contradicted" for it in (*flipped, *added)) or any(it.worse for it in findings)
    return View(
        paper=new.paper.title or new.paper.key,
        before=_version(old),
        after=_version(new),
        counts=_counts(len(flipped), len(both), moved, len(added), len(gone)),
        flipped=flipped,
        added=added,
        gone=gone,
        findings=findings,
        worse=worse,
    )


def _stands(old: Side, new: Side) -> bool:
    return status_of(old.verdict) == status_of(new.verdict)


def _version(audit: Audit) -> str:
    """`version 0.1.0, newest run 2026-03-01 12:30 UTC, 175 claims`"""
    newest = moment(audit.created)
    run = f"newest run {newest}" if newest else "no run"
    return f"version {audit.tool_version or 'unknown'}, {run}, {plural(len(audit.claims), 'claim')}"


def _counts(flipped: int, both: int, moved: int, added: int, gone: int) -> str:
    """One line that adds up to the claims of both audits."""
    rest = f"{numbers.count(both - flipped)} that stand, {numbers.count(moved)} rest on other numbers."
    stand = f"Of the {rest}"
    if not both:
        head = "No claim is in both."
    elif not flipped:
        head = f"No verdict changed. {stand if moved else 'All rest on the same numbers.'}"
    else:
        others = "The others rest on the same numbers." if flipped < both else ""
        changed = f"{numbers.count(flipped)} of {plural(both, 'verdict')} changed."
        head = joined(changed, stand if moved else others)
    others_too = [f"{plural(n, 'claim')} {word}" for n, word in ((added, "new"), (gone, "gone")) if n]
    return f"{head} {listed(others_too)}." if others_too else head


def _change(old: Side | None, new: Side | None) -> View:
    """One claim; `before` or `after` is None where it was, or is, not there. The sentence is the newest."""
    side = new or old
    assert side is not None
    before, after = (status_of(it.verdict) if it else None for it in (old, new))
    was = STATUS_WORDS[before].lower() if before else "not there"
    now = f"now {STATUS_WORDS[after].lower()}" if after else "gone"
    behind = ""
    if old and new and before != after:
        behind = f"with {'; '.join(causes(old, new)) or 'nothing on record that explains it'}"
    return View(
        claim=side.claim.id,
        of=side.claim.claim,
        subject=subject_of(side.claim),
        title=side.index.claim_title(side.claim),
        before=before,
        after=after,
        flip=f"{was}, {now}",
        causes=behind,
        sentence=sentence(side.claim, side.index),
    )


def _findings(old: Sequence[Finding], new: Sequence[Finding]) -> list[View]:
    """Those of another result, new ones and gone ones; consistent ones come and go unsaid."""
    before, after = ({finding_name(it): it for it in findings} for findings in (old, new))
    changed = []
    for name in dict.fromkeys([*after, *before]):
        was, now = (them[name].result if name in them else None for them in (before, after))
        if was != now and "inconsistent" in (was, now):
            flip = f"{was or 'not there'}, {f'now {now}' if now else 'gone'}"
            said = finding_sentence(after.get(name) or before[name])
            changed.append(View(id=name, flip=flip, sentence=said, worse=now == "inconsistent"))
    return sorted(changed, key=lambda it: not it.worse)


# --------------------------------------------------------------------------- as text


def changes_text(changes: View) -> str:
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


def changes_markdown(changes: View) -> str:
    """The same with the sentences of the verdicts as they are now."""

    def claim(it: View) -> str:
        causes = f" *{md_escape(it.causes)}.*" if it.causes else ""
        said = f"{md_line(it.title, 200)}. {md_line(it.sentence, 600)}"
        return f"- {md_code(it.claim)} {md_escape(it.flip)}: {said}{causes}"

    def finding(it: View) -> str:
        return f"- {md_code(it.id)} {md_escape(it.flip)}: {md_line(it.sentence, 600)}"

    lines = [
        f"## Changes in the audit of {md_line(changes.paper, 200)}",
        "",
        f"Old: {md_escape(changes.before)}.  ",
        f"New: {md_escape(changes.after)}.",
        "",
        f"**{md_escape(changes.counts)}**",
    ]
    for title, group in (
        ("Other verdicts", changes.flipped),
        ("New claims", changes.added),
        ("Claims that are gone", changes.gone),
    ):
        lines += ["", f"**{title}**", "", *map(claim, group)] if group else []
    if changes.findings:
        lines += ["", "**Printed numbers**", "", *map(finding, changes.findings)]
    return "\n".join(lines) + "\n"
