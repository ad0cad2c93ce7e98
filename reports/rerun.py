"""Running it again: the command for all or for one claim, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath

from audit.record import ClaimRecord, ExperimentRecord, Run, Verdict
from reports import digits
from reports.lookup import Lookup
from reports.notes import margins_note
from reports.text import View, listed, moment, plural

COPY = "Copy"
COPIED = "Copied"
MARKED = "Marked: copy with Ctrl+C"
MARGINS = "Margins"
MARGINS_HASH = "Their hash"
FIRST_RUN = "First run began"
SEEDS = "Seeds"
TIME = "Time"
READINGS = "Readings"
FILES = "Imported files, SHA-256"
MEMORY = "Peak memory"
DATA = "Data"
CODE = "Our code"
TOOL = "Tool"
ENVIRONMENT = "Environment"
HARDWARE = "Hardware"
RERUN_NO_RUN = "no run"


def cost(seconds: float, runs: int) -> str:
    """`12.4 min for 9 runs, one after another`"""
    if not runs:
        return RERUN_NO_RUN
    each = "" if runs == 1 else ", one after another"
    return f"{digits.duration(seconds)} for {plural(runs, 'run')}{each}"


def seed_list(numbers: Sequence[int]) -> str:
    """`0, 1, 2`; many that follow each other as `0 to 9`."""
    if len(numbers) > 3 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(str(it) for it in numbers) or digits.ABSENT


def readings(runs: int, seeds: int) -> str:
    """Why there is a command in front of the one that the page was made by."""
    are = "is" if runs == 1 else "are"
    them = "it" if runs == 1 else "them"
    return (
        f"{digits.count(runs)} of the runs {are} of other readings: the first command makes {them}, "
        f"with {plural(seeds, 'seed')} each"
    )


def rerun_code(commits: Sequence[str | None], changed: int, runs: int) -> str:
    """`commit 12f0f591b0; 3 of 9 runs with changes that are in no commit`"""
    known = [it[:10] for it in commits if it]
    said = f"{'commit' if len(known) == 1 else 'commits'} {listed(known)}" if known else "no commit on record"
    if not changed:
        return said
    which = (
        "the one run"
        if runs == 1
        else "all runs"
        if changed == runs
        else f"{digits.count(changed)} of {plural(runs, 'run')}"
    )
    return f"{said}; {which} with changes that are in no commit"


def superseded(mark: str, why: str) -> str:
    return f"Earlier margins {mark} are taken over: {why.rstrip('.')}."


def grown(mark: str, claims: Sequence[str]) -> str:
    """Claims that were stated after runs had begun under earlier margins."""
    was = "was" if len(claims) == 1 else "were"
    names = listed(list(claims))
    return f"{plural(len(claims), 'claim')} {was} added after runs under the margins {mark}: {names}."


def data_line(name: str, recipe: str, fingerprint: str) -> str:
    return f"{name}, recipe {recipe}: {fingerprint}"


def versions(held: Sequence[str]) -> str:
    return "; ".join(held) or "no versions on record"


#: Options of `audit run` that take no value.
SWITCHES = frozenset(
    {
        *("--ids", "--raw", "--tokenised", "--until-settled", "--untuned", "--allow-commands", "--readings"),
        *("--retry-failed", "--no-retry-failed", "--rerun-changed"),
    }
)


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
    parts = narrowed(command, paper, column)
    if parts is None:
        return command
    kept = [it for it in parts if it[0].partition("=")[0] != "--only"]
    return shlex.join(["audit", "run", *flat(kept), "--only", name])


def imports(runs: Iterable[Run], paper: str) -> Iterator[tuple[str, str]]:
    """The `audit import` that each lot of imported runs came by, and its files with their SHA-256.

    Results of one command have one file and one declaration. Predictions have a file a seed, behind which the
    true labels stand.
    """
    lots: dict[str, list[Run]] = {}
    for run in runs:
        held = run.spec.config
        if run.imported and not held.get("command"):
            told = [held.get(it) for it in ("by", "authors_code", "same_data", "other_split", "unit")]
            files = held["sources"] if run.predictions is None else [held["experiment"], *held["sources"][1:]]
            lots.setdefault(repr((told, files, run.data.name, run.data.fingerprint)), []).append(run)
    for lot in lots.values():
        yield _import(lot, paper), "; ".join(dict.fromkeys(_files(lot)))


def _import(lot: Sequence[Run], paper: str) -> str:
    run, held = lot[0], lot[0].spec.config
    declared = {
        "--paper": paper,
        "--dataset": run.data.name,
        "--fingerprint": "" if run.spec.data == "unknown" else run.spec.data,
        "--by": held["by"],
        "--authors-code": held["authors_code"],
        "--same-data": held["same_data"],
        "--other-split": held.get("other_split", ""),
        "--unit": held["unit"],
    }
    files = dict.fromkeys(str(it.spec.config["sources"][0]["file"]) for it in lot)
    words = ["audit", "import", *files, *(word for it in declared.items() if it[1] for word in it)]
    if run.predictions is not None:
        words += ["--experiment", str(held["experiment"])]
        words += [word for it in lot for word in ("--seed", str(it.spec.seed))]
        names = ("--truth", "--train-truth")
        words += [
            word for it in zip(names, held["sources"][1:], strict=False) for word in (it[0], it[1]["file"])
        ]
    return shlex.join(words)


def _files(lot: Iterable[Run]) -> Iterator[str]:
    for run in lot:
        yield from (f"{it['file']}: {it['sha256']}" for it in run.spec.config["sources"])


def narrowed(command: str, paper: str, column: int | None) -> list[tuple[str, ...]] | None:
    """The parts of its `audit run`, with one claim file and one column; None where that cannot be told."""
    try:
        words_of = shlex.split(command)
    except ValueError:
        return None
    if words_of[:2] != ["audit", "run"]:
        return None
    parts = list(_command_parts(words_of[2 : words_of.index("&&")] if "&&" in words_of else words_of[2:]))
    files = [it[0] for it in parts if not it[0].startswith("--")]
    own = [it for it in files if PurePath(it).stem == paper]
    if len(files) > 1 and paper and len(own) != 1:
        return None
    dropped = {it for it in files if own and it not in own}
    kept = [it for it in parts if it[0] not in dropped]
    if column is not None and any(it[0] == "--columns" for it in kept):
        kept = [
            (*it[:1], f"{it[1]}@{column}") if it[0] == "--data" else it for it in kept if it[0] != "--columns"
        ]
    return kept


def flat(parts: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (word for it in parts for word in it)


def _command_parts(words_of: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Claim files, switches, and options with their values."""
    rest = iter(words_of)
    for word in rest:
        if word.startswith("--") and "=" not in word and word not in SWITCHES:
            yield (word, *islice(rest, 1))
        else:
            yield (word,)


def rerun_box(found: Lookup) -> View:
    """The exact command, the data by fingerprint, seeds, time and memory as they were here."""
    runs = _rerun_ours(found.audit.experiments)
    data = dict.fromkeys(data_line(it.data.name, it.data.recipe, it.data.fingerprint) for it in runs)
    held = {run.key: run for it in found.audit.experiments for run in it.runs}
    lots = tuple(imports(held.values(), found.audit.paper.key))
    facts = [
        *((DATA, it) for it in data),
        (SEEDS, seed_list(sorted({it.spec.seed for it in runs}))),
        (TIME, cost(sum(it.seconds for it in runs), len(runs))),
        (MEMORY, _memory(runs)),
        (CODE, _code(runs)),
    ]
    shown = [
        it for it in found.audit.experiments if _rerun_ours([it]) and it.id not in found.same.experiments
    ]
    command = found.audit.command or "audit run"
    whole = _rerun_whole(command, found)
    if whole != command:
        others = _rerun_ours(it for it in found.audit.experiments if it.reading_of)
        seeds = _readings_seeds(found.verdicts.values())
        facts.insert(len(facts) - 3, (READINGS, readings(len(others), seeds)))
    files = [(FILES, it) for _, it in lots]
    return View(
        command=" && ".join([*(it for it, _ in lots), whole]),
        facts=(*files, *(facts if runs else ())),
        experiments=tuple(_rerun_one(it, found, command) for it in shown) if len(shown) > 1 else (),
    )


def _rerun_one(it: ExperimentRecord, found: Lookup, command: str) -> View:
    runs = _rerun_ours([it])
    return View(
        title=found.title(it.id),
        command=only(command, it.reading_of or it.id, paper=found.audit.paper.key),
        seeds=seed_list(sorted(run.spec.seed for run in runs)),
        time=digits.duration(sum(run.seconds for run in runs)),
        memory=_memory(runs),
    )


def _rerun_whole(command: str, found: Lookup) -> str:
    """The command of the page; where readings were run that it does not make, behind one that makes them.

    That one takes what `--readings` does: one claim file, one split column, a number of seeds.
    """
    made = [it for it in found.audit.experiments if it.reading_of and _rerun_ours([it])]
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
    if not any(_rerun_ours([it]) or (it.model and not it.runs) for it in held):
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
    columns = {run.data.split_column for it in found.audit.experiments for run in _rerun_ours([it])}
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


def provenance(found: Lookup) -> View:
    """Margins against runs, the tool, the environment and the machines."""
    audit = found.audit
    runs = _rerun_ours(audit.experiments)
    every = {run.key: run for it in audit.experiments for run in it.runs}.values()
    good = {audit.margins_hash, *audit.margins_grown}
    marks = [(it.margins.get(audit.paper.key), it.imported) for it in every]
    others = sum(mark is not None and mark not in good and not imported for mark, imported in marks)
    begun = min((it.started for it in runs if it.started), default="")
    facts = [
        (MARGINS, _margins(marks, good, audit.margins_hash)),
        (MARGINS_HASH, audit.margins_hash or digits.ABSENT),
        (FIRST_RUN, moment(begun) or RERUN_NO_RUN),
        (TOOL, f"xmtc-audit {audit.tool_version}" if audit.tool_version else digits.ABSENT),
        (ENVIRONMENT, versions(_rerun_each(_versions(it) for it in runs)) if runs else RERUN_NO_RUN),
        (HARDWARE, "; ".join(_rerun_each(it.device for it in runs)) or RERUN_NO_RUN),
    ]
    remarks = [superseded(mark, why) for mark, why in audit.margins_superseded.items()]
    remarks += [grown(mark, claims) for mark, claims in audit.margins_grown.items() if claims]
    return View(mismatch=others > 0, facts=tuple(facts), remarks=tuple(remarks))


def _margins(marks: Sequence[tuple[str | None, bool]], good: set[str], mark: str) -> str:
    """Whether the runs began under the margins that they are judged by."""
    if not mark:
        return digits.ABSENT
    same = sum(it in good for it, _ in marks)
    imported = sum(imported for _, imported in marks)
    return margins_note(mark, same=same, runs=len(marks), imported=imported)


def _rerun_ours(experiments: Iterable[ExperimentRecord]) -> list[Run]:
    """Every run of ours once; imported ones were made by others."""
    held = {run.key: run for it in experiments for run in it.runs if not run.imported}
    return list(held.values())


def _memory(runs: Sequence[Run]) -> str:
    return digits.memory(max((it.peak_memory_bytes for it in runs if it.peak_memory_bytes), default=None))


def _code(runs: Sequence[Run]) -> str:
    commits = list(dict.fromkeys(it.commit for it in runs))
    return rerun_code(commits, sum(bool(it.dirty) for it in runs), len(runs))


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))


def _rerun_each(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(it for it in texts if it))
