"""Two audits of one paper: verdicts, claims and findings that differ, and what differs behind them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from audit.record import Audit, Run
from reports import numbers
from reports.findings import finding_name, finding_sentence
from reports.lookup import Lookup
from reports.sentences import ICONS, STATUS_WORDS, seeds_text, subject_of
from reports.text import View, line, listed, moment, plural, visible

#: Fields of a claim, and of what decides a run, that are compared.
_CLAIM_FIELDS = (
    *("kind", "metric", "cells", "printed", "experiments", "dataset", "expect", "details", "deterministic"),
    *("runs_behind", "negligible"),
)
_SPEC_FIELDS = ("model", "variant", "config", "protocol", "precision", "revision")

# --------------------------------------------------------------------------- what differs behind a verdict


def facts_of(audit: Audit) -> dict[str, dict[str, Any]]:
    """By claim id, what stands behind its verdict; facts under `said` are said as they are."""
    index, checks = Lookup(audit), audit.fidelity
    sound = {check.model for check in checks} - {check.model for check in checks if not check.passed}
    facts = {}
    for claim in audit.claims:
        verdict = index.verdicts[claim.id]
        arms = zip(index.records(claim), verdict.seeds, strict=False)
        facts[claim.id] = {
            "claim": claim,
            "index": index,
            "status": index.status(claim),
            "verdict": verdict,
            "runs": {  # (arm, seed) -> the run that the verdict rests on
                (k, run.spec.seed): run
                for k, (arm, seeds) in enumerate(arms)
                for run in arm.runs
                if run.status == "done" and run.spec.seed in seeds
            },
            "passed": {model for arm in index.records(claim) for model in arm.models} <= sound,
            "rests on": (
                *(verdict.n, verdict.values, verdict.target, verdict.margin),
                *(verdict.p_reproduced_adjusted, verdict.p_contradicted_adjusted),
            ),
            "said": {
                "": seeds_text(verdict.n, verdict.attempts) if sum(verdict.attempts) else "no run",
                "a margin of": numbers.margin_size(claim.margin.value if claim.margin else None),
                "the level of": f"{100.0 * verdict.level:.3g}%",
                "declared readings of what the paper leaves open:": str(verdict.readings_declared),
            },
        }
    return facts


def causes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs, in words; the tool's version only where nothing else does."""
    stated = [[getattr(side["claim"], field) for field in _CLAIM_FIELDS] for side in (old, new)]
    fields = [name for name, was, now in zip(_CLAIM_FIELDS, *stated, strict=True) if was != now]
    said = [f"the claim file states it otherwise ({listed(fields)})"] if fields else []
    said += _of_the_runs(old["runs"], new["runs"])
    texts = [(name, old["said"][name], text) for name, text in new["said"].items()]
    said += [f"{name} {text}, before {was}".strip() for name, was, text in texts if was != text]
    before, now = old["verdict"], new["verdict"]
    if old["passed"] != new["passed"] and "contradicted" in (before.outcome, now.outcome):
        has, since = ("has", "since") if new["passed"] else ("has not", "any more")
        said.append(f"our implementation {has} passed all of its checks {since}")
    raw = [(side.p_reproduced, side.p_contradicted) for side in (before, now)]
    adjusted = [(side.p_reproduced_adjusted, side.p_contradicted_adjusted) for side in (before, now)]
    if raw[0] == raw[1] != (None, None) and adjusted[0] != adjusted[1]:
        said.append("the same numbers, but another correction for the paper’s other claims")
    versions = [side["index"].audit.tool_version or "unknown" for side in (old, new)]
    if not said and versions[0] != versions[1]:
        said.append(f"version {versions[1]} of this tool, before {versions[0]}")
    return said


def _of_the_runs(before: Mapping[Any, Run], now: Mapping[Any, Run]) -> list[str]:
    said = []
    if before and now:
        was, imported = (any(run.imported for run in runs.values()) for runs in (before, now))
        if was != imported:
            said.append("imported runs, before ours" if imported else "our runs, before imported ones")
        content = [{(run.data.name, run.data.fingerprint) for run in runs.values()} for runs in (before, now)]
        if content[0] != content[1]:  # the same name on both sides stands for two contents
            old_names, names = (listed(sorted({name for name, _ in contents})) for contents in content)
            same = f"another content of {names}"
            said.append(same if names == old_names else f"runs on {names}, before on {old_names}")
    shared = [(before[place], now[place]) for place in before if place in now]
    specs = [(a.spec, b.spec) for a, b in shared]
    others = [name for name in _SPEC_FIELDS if any(getattr(a, name) != getattr(b, name) for a, b in specs)]
    if others:
        what = f"other runs of the same seeds (another {listed(others)})"
        if all(run.imported for of in shared for run in of):
            what = "other imported numbers"
            if all(a.metrics == b.metrics for a, b in shared):
                pairs = [(a.config, b.config) for a, b in specs]
                told = {key for a, b in pairs for key in {*a, *b} if a.get(key) != b.get(key)}
                what = f"the same imported numbers, declared otherwise ({listed(sorted(told))})"
        said.append(what)
    if any(a.key == b.key and a.metrics != b.metrics for a, b in shared):
        said.append("the same runs with other results")
    return said


# --------------------------------------------------------------------------- what changed


def changes(old: Audit, new: Audit) -> View:
    """All that differs between two audits of one paper; claims are known by their ids, findings by theirs.
    `flipped`, `added` and `gone` are claims, as `_change` tells of them; what became contradicted comes
    first. `worse` is whether something is contradicted or inconsistent now that was not."""
    before, after = facts_of(old), facts_of(new)
    both = [(before[name], side) for name, side in after.items() if name in before]
    stand = [pair for pair in both if pair[0]["status"] == pair[1]["status"]]
    moved = sum(was["rests on"] != now["rests on"] for was, now in stand)
    flipped = [_change(was, now) for was, now in both if was["status"] != now["status"]]
    flipped.sort(key=lambda change: change.after != "contradicted")
    added = [_change(None, side) for name, side in after.items() if name not in before]
    gone = [_change(side, None) for name, side in before.items() if name not in after]
    findings = _findings(old, new)
    worse = any(change.after == "contradicted" for change in (*flipped, *added))
    worse = worse or any(finding.worse for finding in findings)
    changed = f"{len(flipped)} of {plural(len(both), 'verdict')} changed"
    more = f"{plural(len(added), 'judgement')} new, {len(gone)} gone" if added or gone else ""
    counts = f"{changed}; {moved} of the others have other values or p-values{more and '; ' + more}."
    return View(
        paper=new.paper.title or new.paper.key,
        before=_version(old),
        after=_version(new),
        counts=counts,
        flipped=flipped,
        added=added,
        gone=gone,
        findings=findings,
        worse=worse,
    )


def _version(audit: Audit) -> str:
    """`version 0.1.0, newest run 2026-03-01 12:30 UTC, 175 judgements`"""
    newest = moment(audit.created)
    run = f"newest run {newest}" if newest else "no run"
    return f"version {audit.tool_version or 'unknown'}, {run}, {plural(len(audit.claims), 'judgement')}"


def _change(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> View:
    """One claim; `before` or `after` is None where it was, or is, not there. The sentence is the newest."""
    side: Mapping[str, Any] = new or old or {}
    before, after = (side["status"] if side else None for side in (old, new))
    was = STATUS_WORDS[before].lower() if before else "not there"
    now = f"now {STATUS_WORDS[after].lower()}" if after else "gone"
    told = "; ".join(causes(old, new)) or "nothing on record explains it" if old and new else ""
    behind = told and f"with {told}"
    claim, index = side["claim"], side["index"]
    return View(
        claim=claim.id,
        of=claim.claim,
        subject=subject_of(claim),
        title=index.claim_title(claim),
        before=before,
        after=after,
        flip=f"{was}, {now}",
        causes=behind,
        sentence=index.sentence(claim),
    )


def _findings(old: Audit, new: Audit) -> list[View]:
    """Those of another result, new ones and gone ones; consistent ones come and go unsaid."""
    before, after = ({finding_name(finding): finding for finding in audit.findings} for audit in (old, new))
    changed = []
    for name in dict.fromkeys([*after, *before]):
        was, now = (them[name].result if name in them else None for them in (before, after))
        if was != now and "inconsistent" in (was, now):
            flip = f"{was or 'not there'}, {f'now {now}' if now else 'gone'}"
            said = finding_sentence(after.get(name) or before[name])
            changed.append(View(id=name, flip=flip, sentence=said, worse=now == "inconsistent"))
    return sorted(changed, key=lambda finding: not finding.worse)


def changes_text(changes: View) -> str:
    """A line for each claim whose verdict changed and one for what differs behind it, then the rest."""
    lines = [f"{line(changes.paper)}", f"old: {line(changes.before)}", f"new: {line(changes.after)}"]
    lines.append(changes.counts)
    for group in (changes.flipped, changes.added, changes.gone):
        # neighbours that are metrics of one claim, with the same verdict and causes
        for _, members in groupby(group, key=lambda change: (change.of, change.flip, change.causes)):
            first, *others = members
            metrics = line(", ".join(change.subject for change in (first, *others)))
            icons = f"{ICONS[first.before]} → {ICONS[first.after]}"
            lines.append(f"{icons}  {visible(first.of)} ({metrics})  {first.flip}")
            lines += [f"        {visible(first.causes)}"] if first.causes else []
    for finding in changes.findings:
        lines.append(f"{'✗' if finding.worse else ' '}       {visible(finding.id)}  {finding.flip}")
    return "\n".join(lines)
