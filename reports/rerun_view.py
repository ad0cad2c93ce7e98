"""The rerun box and the provenance: the command, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audit.record import ExperimentRecord, Run
from reports import digits
from reports.lookup import Lookup
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
    facts = [
        *((words.DATA, it) for it in data),
        (words.SEEDS, words.seeds(sorted({it.spec.seed for it in runs}))),
        (words.TIME, words.cost(sum(it.seconds for it in runs), len(runs))),
        (words.MEMORY, _memory(runs)),
        (words.CODE, _code(runs)),
    ]
    shown = [it for it in found.audit.experiments if _ours([it]) and it.id not in found.same.experiments]
    command = found.audit.command or "audit run"
    return RerunBox(
        command=command,
        facts=tuple(facts) if runs else (),
        experiments=tuple(_one(it, found, command) for it in shown) if len(shown) > 1 else (),
    )


def _one(it: ExperimentRecord, found: Lookup, command: str) -> Rerun:
    runs = _ours([it])
    return Rerun(
        title=found.title(it.id),
        command=only(command, it.reading_of or it.id),
        seeds=words.seeds(sorted(run.spec.seed for run in runs)),
        time=digits.duration(sum(run.seconds for run in runs)),
        memory=_memory(runs),
    )


def only(command: str, experiment: str) -> str:
    """The `audit run` of a command for one experiment alone; the whole of one that begins otherwise.

    >>> only("audit run you2019 --only bilstm --seeds 3 && audit judge", "xml_cnn")
    'audit run you2019 --seeds 3 --only xml_cnn'
    """
    try:
        words_of = shlex.split(command)
    except ValueError:
        return command
    if words_of[:2] != ["audit", "run"]:
        return command
    kept: list[str] = []
    for word in words_of[: words_of.index("&&")] if "&&" in words_of else words_of:
        if kept and kept[-1] == "--only":
            kept.pop()
        elif not word.startswith("--only="):
            kept.append(word)
    return shlex.join([*kept, "--only", experiment])


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
