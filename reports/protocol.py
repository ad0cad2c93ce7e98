"""What was run: on which data, and the record of every run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from audit.record import Run, Scope
from reports import digits, wording
from reports.lookup import Lookup
from reports.wording import named


@dataclass(frozen=True)
class RunRow:
    anchor: str
    key: str
    experiments: str
    names: tuple[str, ...]
    """Of all of them, where `experiments` does not tell; empty where it does."""
    seed: str
    status: str
    device: str
    seconds: str
    memory: str
    code: str


@dataclass(frozen=True)
class ScopeNote:
    """Runs on data of one sort; the fingerprints stand under “Rerun”."""

    scope: Scope
    word: str
    means: str
    made: tuple[str, ...]
    """How many runs, on which corpus, for which data sets of the paper."""


def scope_notes(found: Lookup) -> tuple[ScopeNote, ...]:
    """What each sort of data allows, with the data sets of the paper that it is or stands for."""
    keys: dict[str, set[str]] = defaultdict(set)
    datasets: dict[str, dict[str, None]] = defaultdict(dict)
    places: dict[str, tuple[Scope, Run]] = {}
    for experiment in found.audit.experiments:
        for run in experiment.runs:
            place = f"{experiment.scope}|{run.data.fingerprint}|{_stated(run)}"
            keys[place].add(run.key)
            datasets[place][experiment.dataset] = None
            places.setdefault(place, (experiment.scope, run))
    made: dict[tuple[Scope, str], list[str]] = defaultdict(list)
    for place, (scope, run) in places.items():
        told = wording.scope_made(runs=len(keys[place]), data=_data(run), datasets=tuple(datasets[place]))
        made[scope, _stated(run)].append(told)
    return tuple(
        ScopeNote(
            scope,
            wording.SCOPE_WORDS[scope],
            wording.scope_means(scope, stated=stated, split_known=found.audit.splits is None),
            tuple(runs),
        )
        for (scope, stated), runs in made.items()
    )


def _stated(run: Run) -> str:
    """Why imported runs are said to be on the paper's own data; empty where nobody has to say so."""
    return str(run.spec.config.get("same_data") or "") if run.imported else ""


def _data(run: Run) -> str:
    data = run.data
    if run.imported:
        return wording.imported_data(data.name, fingerprint=data.fingerprint[:12])
    test, labels = wording.plural(data.n_test, "test document"), wording.plural(data.n_labels, "label")
    return f"“{data.name}” ({digits.count(data.n_train)} training and {test}, {labels})"


def run_rows(found: Lookup) -> tuple[RunRow, ...]:
    """Every run once, in the order of the experiments, then by seed."""
    used: dict[str, list[str]] = {}
    runs: dict[str, Run] = {}
    for experiment in found.audit.experiments:
        for run in found.runs(experiment.id):
            runs.setdefault(run.key, run)
            used.setdefault(run.key, []).append(found.title(experiment.id))
    return tuple(_row(run, used[key], found.run_anchors[key]) for key, run in runs.items())


def _row(run: Run, titles: list[str], anchor: str) -> RunRow:
    return RunRow(
        anchor=anchor,
        key=run.key,
        experiments=named.heading(titles),
        names=named.untold(titles),
        seed=str(run.spec.seed),
        status="done" if run.status == "done" else wording.seed_note(run.status, run.reason),
        device=run.device + (f", {wording.plural(run.threads, 'thread')}" if run.threads else ""),
        seconds=digits.ABSENT if run.imported and not run.seconds else digits.duration(run.seconds),
        memory=digits.memory(run.peak_memory_bytes),
        code=(run.commit or digits.ABSENT)[:10] + (" + changes" if run.dirty else ""),
    )


def version_notes(runs: Iterable[Run]) -> tuple[str, ...]:
    """The versions the runs were made with, each set of them once with its number of runs."""
    sets: dict[str, int] = defaultdict(int)
    for run in {run.key: run for run in runs}.values():
        text = ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))
        sets[text or "no versions on record"] += 1
    return tuple(f"{wording.plural(number, 'run')}: {text}" for text, number in sets.items())
