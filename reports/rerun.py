"""Running it again: the command, what it needs, and what the verdicts rest on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from audit.record import Audit, ExperimentRecord, Run
from reports import numbers
from reports.lookup import Lookup
from reports.numbers import ABSENT
from reports.text import View, listed, moment, plural


def _ours(experiments: Iterable[ExperimentRecord]) -> list[Run]:
    """Every run of ours once; imported ones were made by others."""
    every = {run.key: run for experiment in experiments for run in experiment.runs}
    return [run for run in every.values() if not run.imported]


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
    facts = [("Imported files, SHA-256", lot) for _, lot in lots]
    if runs:
        memory = max((run.peak_memory_bytes for run in runs if run.peak_memory_bytes), default=None)
        seconds = numbers.duration(sum(run.seconds for run in runs))
        data = [run.data for run in runs]
        environments = [
            ", ".join(f"{name} {of}" for name, of in sorted(run.versions.items())) for run in runs
        ]
        used = dict.fromkeys(f"{of.name}, recipe {of.recipe}: {of.fingerprint}" for of in data)
        facts += [("Data", text) for text in used]
        facts += [("Seeds", _seed_list(runs))]
        if others := len(_ours(experiment for experiment in audit.experiments if experiment.reading)):
            facts.append(("Readings", f"--readings makes the {plural(others, 'run')} of other readings"))
        facts += [
            ("Time", f"{seconds} for {plural(len(runs), 'run')}, one after another"),
            ("Peak memory", numbers.memory(memory)),
            ("Our code", _code(runs)),
            ("Environment", "; ".join(dict.fromkeys(filter(None, environments))) or "not on record"),
            ("Hardware", "; ".join(dict.fromkeys(run.device for run in runs)) or numbers.ABSENT),
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
        command=" && ".join([*(lot for lot, _ in lots), audit.command or "audit run"]),
        facts=facts,
        mismatch=any(mark not in good for mark in marks),
    )


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
