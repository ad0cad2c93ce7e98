"""The rerun box and the provenance: the command, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audit.record import ClaimRecord, ExperimentRecord, Run, Verdict
from reports import digits
from reports.lookup import Lookup
from reports.rerun_command import flat, imports, narrowed, only
from reports.strings import moment
from reports.wording import margins_note
from reports.wording import rerun as words


@dataclass(frozen=True)
class Rerun:
    """One experiment: its command, and what its runs took here."""

    title: str
    command: str
    seeds: str
    time: str
    memory: str


@dataclass(frozen=True)
class RerunBox:
    command: str
    facts: tuple[tuple[str, str], ...]
    experiments: tuple[Rerun, ...]


@dataclass(frozen=True)
class Provenance:
    """What the verdicts rest on, and whether something does not fit."""

    mismatch: bool
    """Whether runs began under other margins than those they are judged by."""
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]


def rerun_box(found: Lookup) -> RerunBox:
    """The exact command, the data by fingerprint, seeds, time and memory as they were here."""
    runs = _ours(found.audit.experiments)
    data = dict.fromkeys(words.data(it.data.name, it.data.recipe, it.data.fingerprint) for it in runs)
    held = {run.key: run for it in found.audit.experiments for run in it.runs}
    lots = tuple(imports(held.values(), found.audit.paper.key))
    facts = [
        *((words.DATA, it) for it in data),
        (words.SEEDS, words.seeds(sorted({it.spec.seed for it in runs}))),
        (words.TIME, words.cost(sum(it.seconds for it in runs), len(runs))),
        (words.MEMORY, _memory(runs)),
        (words.CODE, _code(runs)),
    ]
    shown = [it for it in found.audit.experiments if _ours([it]) and it.id not in found.same.experiments]
    command = found.audit.command or "audit run"
    whole = _whole(command, found)
    if whole != command:
        others = _ours(it for it in found.audit.experiments if it.reading_of)
        seeds = _readings_seeds(found.verdicts.values())
        facts.insert(len(facts) - 3, (words.READINGS, words.readings(len(others), seeds)))
    files = [(words.FILES, it) for _, it in lots]
    return RerunBox(
        command=" && ".join([*(it for it, _ in lots), whole]),
        facts=(*files, *(facts if runs else ())),
        experiments=tuple(_one(it, found, command) for it in shown) if len(shown) > 1 else (),
    )


def _one(it: ExperimentRecord, found: Lookup, command: str) -> Rerun:
    runs = _ours([it])
    return Rerun(
        title=found.title(it.id),
        command=only(command, it.reading_of or it.id, paper=found.audit.paper.key),
        seeds=words.seeds(sorted(run.spec.seed for run in runs)),
        time=digits.duration(sum(run.seconds for run in runs)),
        memory=_memory(runs),
    )


def _whole(command: str, found: Lookup) -> str:
    """The command of the page; where readings were run that it does not make, behind one that makes them.

    That one takes what `--readings` does: one claim file, one split column, a number of seeds.
    """
    made = [it for it in found.audit.experiments if it.reading_of and _ours([it])]
    seeds = _readings_seeds(found.verdicts.values())
    if not made or not seeds:
        return command
    parts = narrowed(command, found.audit.paper.key, _column(found))
    if parts is None or any(it[0] in ("--readings", "--columns") for it in parts):
        return command
    kept = [it for it in parts if it[0].partition("=")[0] not in ("--seeds", "--until-settled")]
    first = shlex.join(["audit", "run", *flat(kept), "--seeds", str(seeds), "--readings"])
    return f"{first} && {command}"


def _readings_seeds(verdicts: Iterable[Verdict]) -> int:
    """The fewest seeds of a reading, of claims first of which all readings were run; 0 where none was."""
    held = [it for it in verdicts if it.readings]
    whole = [it for it in held if len(it.readings) == it.readings_declared]
    return min((n for it in whole or held for reading in it.readings for n in reading.n), default=0)


def of_claim(claim: ClaimRecord, found: Lookup) -> str:
    """The command that runs one claim's experiments alone; empty where none of them can be run here.

    With all readings of what the paper leaves open, where the claim was judged under several.
    """
    held = [found.experiments[name] for name in claim.experiments if name in found.experiments]
    if not any(_ours([it]) or (it.model and not it.runs) for it in held):
        return ""
    whole = found.audit.command
    narrowed = only(whole, claim.claim, paper=found.audit.paper.key, column=_column(found))
    if not whole or narrowed == whole:
        return ""
    return _with_readings(narrowed, found.verdicts.get(claim.id))


def before_only(found: Lookup) -> str:
    """What the commands of all single claims begin with; empty where they have none."""
    whole = found.audit.command
    narrowed = only(whole, "x", paper=found.audit.paper.key, column=_column(found))
    return narrowed.removesuffix("--only x") if narrowed not in ("", whole) else ""


def _column(found: Lookup) -> int | None:
    """The split column of which the audit is; None where there are none, or several."""
    columns = {run.data.split_column for it in found.audit.experiments for run in _ours([it])}
    return columns.pop() if len(columns) == 1 else None


def _with_readings(command: str, verdict: Verdict | None) -> str:
    """The command, so that it makes all readings again; those first, with fewer seeds where they had fewer.

    The last command is the one that the verdicts are of.
    """
    words_of = shlex.split(command)
    if verdict is None or not 0 < len(verdict.readings) == verdict.readings_declared:
        return command
    if "--readings" in words_of:
        return command
    seeds = min((n for it in verdict.readings for n in it.n), default=0)
    at = words_of.index("--seeds") + 1 if "--seeds" in words_of[:-1] else 0
    if not at or not seeds or words_of[at] == str(seeds):
        return f"{command} --readings"
    return f"{shlex.join([*words_of[:at], str(seeds), *words_of[at + 1 :], '--readings'])} && {command}"


def provenance(found: Lookup) -> Provenance:
    """Margins against runs, the tool, the environment and the machines."""
    audit = found.audit
    runs = _ours(audit.experiments)
    every = {run.key: run for it in audit.experiments for run in it.runs}.values()
    good = {audit.margins_hash, *audit.margins_grown}
    marks = [(it.margins.get(audit.paper.key), it.imported) for it in every]
    others = sum(mark is not None and mark not in good and not imported for mark, imported in marks)
    begun = min((it.started for it in runs if it.started), default="")
    facts = [
        (words.MARGINS, _margins(marks, good, audit.margins_hash)),
        (words.MARGINS_HASH, audit.margins_hash or digits.ABSENT),
        (words.FIRST_RUN, moment(begun) or words.NO_RUN),
        (words.TOOL, f"xmtc-audit {audit.tool_version}" if audit.tool_version else digits.ABSENT),
        (words.ENVIRONMENT, words.versions(_each(_versions(it) for it in runs)) if runs else words.NO_RUN),
        (words.HARDWARE, "; ".join(_each(it.device for it in runs)) or words.NO_RUN),
    ]
    remarks = [words.superseded(mark, why) for mark, why in audit.margins_superseded.items()]
    remarks += [words.grown(mark, claims) for mark, claims in audit.margins_grown.items() if claims]
    return Provenance(others > 0, tuple(facts), tuple(remarks))


def _margins(marks: Sequence[tuple[str | None, bool]], good: set[str], mark: str) -> str:
    """Whether the runs began under the margins that they are judged by."""
    if not mark:
        return digits.ABSENT
    same = sum(it in good for it, _ in marks)
    imported = sum(imported for _, imported in marks)
    return margins_note(mark, same=same, runs=len(marks), imported=imported)


def _ours(experiments: Iterable[ExperimentRecord]) -> list[Run]:
    """Every run of ours once; imported ones were made by others."""
    held = {run.key: run for it in experiments for run in it.runs if not run.imported}
    return list(held.values())


def _memory(runs: Sequence[Run]) -> str:
    return digits.memory(max((it.peak_memory_bytes for it in runs if it.peak_memory_bytes), default=None))


def _code(runs: Sequence[Run]) -> str:
    commits = list(dict.fromkeys(it.commit for it in runs))
    return words.code(commits, sum(bool(it.dirty) for it in runs), len(runs))


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))


def _each(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(it for it in texts if it))
