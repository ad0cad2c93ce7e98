"""The rerun box and the provenance: the command, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from audit.record import ClaimRecord, ExperimentRecord, Run, Verdict
from reports import digits
from reports.lookup import Lookup
from reports.strings import moment
from reports.wording import margins_note
from reports.wording import rerun as words

#: Options of `audit run` that take no value.
SWITCHES = frozenset(
    {
        *("--ids", "--raw", "--tokenised", "--until-settled", "--untuned", "--allow-commands", "--readings"),
        *("--retry-failed", "--no-retry-failed"),
    }
)


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
        command=only(command, it.reading_of or it.id, paper=found.audit.paper.key),
        seeds=words.seeds(sorted(run.spec.seed for run in runs)),
        time=digits.duration(sum(run.seconds for run in runs)),
        memory=_memory(runs),
    )


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


def only(command: str, name: str, *, paper: str = "", column: int | None = None) -> str:
    """The `audit run` of a command for one experiment or claim alone; the whole of one that begins otherwise.

    Of several claim files that of `paper` is kept: the others do not know the name. Of several split columns
    `column`, of which the page is.

    >>> only("audit run you2019 --only bilstm --seeds 3 && audit judge", "xml_cnn")
    'audit run you2019 --seeds 3 --only xml_cnn'
    >>> only("audit run you2019 claims/xun2020.yaml --readings", "blocks", paper="xun2020")
    'audit run claims/xun2020.yaml --readings --only blocks'
    >>> only("audit run wang2019 --data splits --columns 0-9", "rank_ae", column=0)
    'audit run wang2019 --data splits@0 --only rank_ae'
    """
    try:
        words_of = shlex.split(command)
    except ValueError:
        return command
    if words_of[:2] != ["audit", "run"]:
        return command
    parts = list(_parts(words_of[2 : words_of.index("&&")] if "&&" in words_of else words_of[2:]))
    files = [it[0] for it in parts if not it[0].startswith("--")]
    own = [it for it in files if PurePath(it).stem == paper]
    if len(files) > 1 and paper and len(own) != 1:
        return command
    dropped = {it for it in files if own and it not in own}
    kept = [it for it in parts if it[0].partition("=")[0] != "--only" and it[0] not in dropped]
    if column is not None and any(it[0] == "--columns" for it in kept):
        kept = [
            (*it[:1], f"{it[1]}@{column}") if it[0] == "--data" else it for it in kept if it[0] != "--columns"
        ]
    return shlex.join(["audit", "run", *(word for it in kept for word in it), "--only", name])


def _parts(words_of: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Claim files, switches, and options with their values."""
    rest = iter(words_of)
    for word in rest:
        if word.startswith("--") and "=" not in word and word not in SWITCHES:
            yield (word, *islice(rest, 1))
        else:
            yield (word,)


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
