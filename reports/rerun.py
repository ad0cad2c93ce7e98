"""Running it again: the command for all or for one claim, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath

from audit.record import Audit, ClaimRecord, ExperimentRecord, Run
from reports import numbers
from reports.lookup import Lookup
from reports.numbers import ABSENT
from reports.text import View, listed, moment, plural

#: Options of `audit run` that take no value.
SWITCHES = (
    *("--ids", "--raw", "--tokenised", "--until-settled", "--untuned", "--allow-commands", "--readings"),
    *("--retry-failed", "--rerun-changed"),
)

Parts = list[tuple[str, ...]]
"""Claim files, switches, and options with their values."""

# --------------------------------------------------------------------------- commands


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
    parts = _narrowed(command, paper, column)
    return command if parts is None else _run(parts, ("--only",), "--only", name)


def _run(parts: Parts, without: Sequence[str], *more: str) -> str:
    kept = (part for part in parts if part[0].partition("=")[0] not in without)
    return shlex.join(["audit", "run", *chain.from_iterable(kept), *more])


def _narrowed(command: str, paper: str, column: int | None) -> Parts | None:
    """The parts of its `audit run`, with one claim file and one column; None where that cannot be told."""
    try:
        every = shlex.split(command)
    except ValueError:
        return None
    if every[:2] != ["audit", "run"]:
        return None
    parts: Parts = []
    rest = iter(every[2 : every.index("&&")] if "&&" in every else every[2:])
    for word in rest:
        valued = word.startswith("--") and "=" not in word and word not in SWITCHES
        parts.append((word, *islice(rest, 1 if valued else 0)))
    files = [part[0] for part in parts if not part[0].startswith("--")]
    own = [file for file in files if PurePath(file).stem == paper]
    if len(files) > 1 and paper and len(own) != 1:
        return None
    parts = [part for part in parts if not (own and part[0] in files and part[0] not in own)]
    if column is not None and any(part[0] == "--columns" for part in parts):
        parts = [(part[0], f"{part[1]}@{column}") if part[0] == "--data" else part for part in parts]
        parts = [part for part in parts if part[0] != "--columns"]
    return parts


def command_of(claim: ClaimRecord, index: Lookup) -> str:
    """The command that runs one claim's experiments alone; empty where none of them can be run here.

    With all readings of what the paper leaves open, where the claim was judged under all of them.
    """
    whole, verdict = index.audit.command, index.verdicts[claim.id]
    can_run = (_ours([record]) or (record.model and not record.runs) for record in index.records(claim))
    if not whole or not any(can_run):
        return ""
    command = only(whole, claim.claim, paper=index.audit.paper.key, column=_column(index))
    if command == whole:
        return ""
    under_all = 0 < len(verdict.readings) == verdict.readings_declared
    return f"{command} --readings" if under_all and "--readings" not in shlex.split(command) else command


def _column(index: Lookup) -> int | None:
    """The split column of which the audit is; None where there are none, or several."""
    columns = {run.data.split_column for run in _ours(index.audit.experiments)}
    return columns.pop() if len(columns) == 1 else None


def _ours(experiments: Iterable[ExperimentRecord]) -> list[Run]:
    """Every run of ours once; imported ones were made by others."""
    every = {run.key: run for experiment in experiments for run in experiment.runs}
    return [run for run in every.values() if not run.imported]


def _with_specifications(command: str, index: Lookup) -> str:
    """The command of the page; with the readings that were run, where it does not make them.

    `--readings` takes one claim file, one split column and a number of seeds.
    """
    parts = _narrowed(command, index.audit.paper.key, _column(index))
    if parts is None or any(part[0] in ("--readings", "--columns") for part in parts):
        return command
    return f"{_run(parts, ('--until-settled',), '--readings')} && {command}"


def _imports(runs: Iterable[Run], paper: str) -> Iterator[tuple[str, str]]:
    """The `audit import` that each lot of imported runs came by, and its files with their SHA-256.

    Results of one command have one file and one declaration. Predictions have a file a seed, behind which the
    true labels stand.
    """
    lots: dict[str, list[Run]] = {}
    for run in runs:
        config = run.spec.config
        if run.imported and not config.get("command"):
            told = [config.get(key) for key in ("by", "authors_code", "same_data", "other_split", "unit")]
            sources = config["sources"]
            files = sources if run.predictions is None else [config["experiment"], *sources[1:]]
            lots.setdefault(repr((told, files, run.data.name, run.data.fingerprint)), []).append(run)
    for lot in lots.values():
        run, config = lot[0], lot[0].spec.config
        fingerprint = "" if run.spec.data == "unknown" else run.spec.data
        options = {"--paper": paper, "--dataset": run.data.name, "--fingerprint": fingerprint}
        said = ("by", "authors_code", "same_data", "other_split", "unit")
        options |= {f"--{name.replace('_', '-')}": config.get(name, "") for name in said}
        pairs = [option for option in options.items() if option[1]]
        if run.predictions is not None:
            pairs.append(("--experiment", str(config["experiment"])))
            pairs += [("--seed", str(run.spec.seed)) for run in lot]
            truths = zip(("--truth", "--train-truth"), config["sources"][1:], strict=False)
            pairs += [(name, source["file"]) for name, source in truths]
        files = dict.fromkeys(str(run.spec.config["sources"][0]["file"]) for run in lot)
        sources = [source for of in lot for source in of.spec.config["sources"]]
        digests = dict.fromkeys(f"{source['file']}: {source['sha256']}" for source in sources)
        yield shlex.join(["audit", "import", *files, *chain.from_iterable(pairs)]), "; ".join(digests)


# --------------------------------------------------------------------------- the box and the provenance


def rerun_box(index: Lookup) -> View:
    """The exact command, the data by fingerprint, seeds, time and memory as they were here; margins and
    versions."""
    audit, runs = index.audit, _ours(index.audit.experiments)
    lots = list(_imports(index.every_run.values(), audit.paper.key))
    command = audit.command or "audit run"
    others = len(_ours(experiment for experiment in audit.experiments if experiment.reading_of))
    all_of_it = _with_specifications(command, index) if others else command
    facts = [("Imported files, SHA-256", lot) for _, lot in lots]
    if runs:
        memory = max((run.peak_memory_bytes for run in runs if run.peak_memory_bytes), default=None)
        seconds = numbers.duration(sum(run.seconds for run in runs))
        data = [run.data for run in runs]
        used = dict.fromkeys(f"{of.name}, recipe {of.recipe}: {of.fingerprint}" for of in data)
        facts += [("Data", text) for text in used]
        facts += [("Seeds", _seed_list(runs))]
        if all_of_it != command:
            said = f"the first command makes the {plural(others, 'run')} of other readings"
            facts.append(("Readings", said))
        facts += [
            ("Time", f"{seconds} for {plural(len(runs), 'run')}, one after another"),
            ("Peak memory", numbers.memory(memory)),
            ("Our code", _code(runs)),
            ("Environment", _each(map(versions_of, runs)) or "not on record"),
            ("Hardware", _each(run.device for run in runs) or numbers.ABSENT),
        ]
    begun = min((run.started for run in runs if run.started), default="")
    facts += [
        ("Margins", margins_of(audit, index.every_run.values())),
        ("Their hash", audit.margins_hash or numbers.ABSENT),
        ("First run began", moment(begun) or "no run"),
        ("Tool", f"xmtc-audit {audit.tool_version}" if audit.tool_version else numbers.ABSENT),
    ]
    facts += [
        ("Earlier margins", f"{mark} are taken over: {why}") for mark, why in audit.margins_superseded.items()
    ]
    for mark, claims in audit.margins_grown.items():
        if claims:
            facts.append(("Claims added after runs", f"under the margins {mark}: {listed(list(claims))}"))
    good = {None, audit.margins_hash, *audit.margins_grown}
    marks = [run.margins.get(audit.paper.key) for run in index.every_run.values() if not run.imported]
    return View(
        command=" && ".join([*(lot for lot, _ in lots), all_of_it]),
        facts=facts,
        mismatch=any(mark not in good for mark in marks),
    )


def _each(texts: Iterable[str | None]) -> str:
    return "; ".join(text for text in dict.fromkeys(texts) if text)


def _seed_list(runs: Iterable[Run]) -> str:
    """`0, 1, 2`; many that follow each other as `0 to 9`."""
    seeds = sorted({run.spec.seed for run in runs})
    if len(seeds) > 3 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _code(runs: Sequence[Run]) -> str:
    """`commit 12f0f591b0; 3 of 9 runs with changes that are in no commit`"""
    known = [commit[:10] for commit in dict.fromkeys(run.commit for run in runs) if commit]
    said = f"commit {listed(known)}" if known else "no commit on record"
    changed = sum(bool(run.dirty) for run in runs)
    number = f"{changed} of {plural(len(runs), 'run')}"
    return f"{said}; {number} with changes that are in no commit" if changed else said


def code_note(index: Lookup) -> str:
    """Whose code the runs are of, by commit or as an import states it, and with how many seeds."""
    runs = _ours(index.audit.experiments)
    imported = [run.spec.config for run in index.every_run.values() if run.imported]
    parts = [f"ours, {_code(runs)}; {plural(len(runs), 'run')} with seeds {_seed_list(runs)}"] if runs else []
    unknown = "not stated to be the authors’"
    stated = dict.fromkeys(str(config.get("authors_code") or unknown) for config in imported)
    parts += [f"{plural(len(imported), 'imported run')}: {listed(list(stated))}"] if imported else []
    return "; ".join(parts)


def versions_of(run: Run) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))


def on_changed_margins(index: Lookup) -> str:
    """That runs had begun under other margins, with the claim file's reasons; empty where none had."""
    paper, earlier = index.audit.paper.key, index.audit.margins_superseded
    marks = dict.fromkeys(run.margins.get(paper, "") for run in index.every_run.values())
    whys = listed([earlier[mark].rstrip(".") for mark in marks if mark in earlier])
    return whys and f"The margins were changed after runs had begun under others: {whys}."


def margins_of(audit: Audit, runs: Iterable[Run], claim: str = "") -> str:
    """Whether the margins, those of one claim where it is named, stood before the runs began; of those
    that were imported nobody knows."""
    every = {run.key: run for run in runs}.values()
    stand = {mark for mark, added in audit.margins_grown.items() if claim not in added}
    same = sum(run.margins.get(audit.paper.key) in (audit.margins_hash, *stand) for run in every)
    imported = sum(run.imported for run in every)
    if not audit.margins_hash:
        return ABSENT
    if not every:
        return f"Margins {audit.margins_hash[:12]}: no run has begun under them."
    some = f"all {len(every)}" if same == len(every) > 1 else f"{same} of {len(every)}"
    fixed = "fixed before the first run; " if same == len(every) and not imported else ""
    older = f"; {imported} came by import and may be older" if imported else ""
    began = "began or were imported" if imported else "began"
    return f"Margins {audit.margins_hash[:12]}: {fixed}{some} runs {began} under them{older}."
