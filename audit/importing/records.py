"""Checked results into the store, each as a run: all or, where one is unclear, none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from audit.claim import Paper
from audit.errors import StoreError
from audit.imported import UNKNOWN, Provenance, counting
from audit.importing.declared import Declared
from audit.importing.problems import Problems
from audit.importing.result import Result
from audit.record import DataInfo, Run, digest
from audit.store import PUT_WAIT, Store


@dataclass(frozen=True)
class Kept:
    """What an import came to."""

    added: tuple[Run, ...]
    same: tuple[Run, ...]
    """Runs that were in the store already, with the same values."""


def keep(
    results: Sequence[Result], store: Store, paper: Paper, declared: Declared, *, replacing: bool = False
) -> Kept:
    """Write the results as sealed runs; those that are there already, with the same values, are left alone.

    With `replacing` a result takes the place of another one of the same seed, whose record stays and is
    named. Everything is checked before the first record is written. Raises `ImportFileError` with all that
    is unclear beside what the store holds, `StoreError` when it cannot be read or written.
    """
    with store.claim(digest(["import", paper.paper.key]), wait=PUT_WAIT) as claim:
        if not claim.held:
            raise StoreError(
                f"{store.root}: another import has been at work for {PUT_WAIT:.0f} s; let it finish"
            )
        held = counting((run for run in store.runs(problems=[]) if run.imported), paper.paper.key)
        seeds = _seeds(results)
        added, same, problems = [], [], Problems()
        for result in results:
            old = held.get((result.experiment, result.seed), [])
            if len(old) == 1 and _says_the_same(old[0], result, declared):
                same.append(old[0])
                continue
            if old and not replacing:
                problems.add(_place(result), _clash(old[0], result, store.root))
            run = _run(result, seeds[result.experiment], paper, declared, old)
            added.append((run, result.predictions))
        _check_data([run for run, _ in added], [run for runs in held.values() for run in runs], problems)
        problems.settle()
        kept = tuple(store.put(run, predictions=predictions) for run, predictions in added)
    return Kept(kept, tuple(same))


def _seeds(results: Sequence[Result]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for it in results:
        found.setdefault(it.experiment, set()).add(it.seed)
    return {name: tuple(sorted(seeds)) for name, seeds in found.items()}


def _run(result: Result, seeds: tuple[int, ...], paper: Paper, declared: Declared, old: Sequence[Run]) -> Run:
    key = paper.paper.key
    spec = Provenance(
        paper=key,
        experiment=result.experiment,
        files=tuple((it.file, it.sha256) for it in result.sources),
        by=declared.by,
        authors_code=declared.authors_code,
        same_data=declared.same_data,
        other_split=declared.other_split,
        unit=result.unit,
        seeds=seeds,
        replaces=tuple(run.key for run in old),
    ).spec(seed=result.seed, fingerprint=result.fingerprint)
    # Whoever replaces has seen the numbers before: the margins stay those of the first look at them.
    first_look = old[0].margins if old else {}
    return Run(
        key=spec.key,
        spec=spec,
        status="failed" if result.failed else "done",
        data=DataInfo(
            result.dataset,
            spec.data,
            "as imported",
            n_train=0,
            n_test=result.n_test or declared.test_size,
            n_labels=0,
        ),
        metrics=dict(result.metrics),
        reason="as the imported file says" if result.failed else None,
        device="not recorded",
        margins={key: paper.margins_hash, **first_look},
        notes=result.notes,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _says_the_same(old: Run, result: Result, declared: Declared) -> bool:
    """The same values of the same data, and nothing declared that the record does not hold."""
    held = Provenance.of(old)
    return (
        dict(old.metrics) == dict(result.metrics)
        and (old.data.name, old.data.fingerprint) == (result.dataset, result.fingerprint or UNKNOWN)
        and declared.by in ("", held.by)
        and declared.authors_code in ("", held.authors_code)
        and declared.same_data in ("", held.same_data)
        and declared.other_split in ("", held.other_split)
        and declared.test_size in (0, old.data.n_test)
    )


def _clash(old: Run, result: Result, root: Path) -> str:
    files = ", ".join(file for file, _ in Provenance.of(old).files)
    changed = [name for name in result.metrics if old.metrics.get(name) != result.metrics[name]]
    differs = f"other values of {', '.join(changed)}" if changed else "another provenance"
    if old.status == "done" and result.failed:
        differs = "values"
    elif set(old.metrics) - set(result.metrics) and not changed:
        differs = f"further metrics ({', '.join(sorted(set(old.metrics) - set(result.metrics)))})"
    return (
        f"{result.experiment!r}, seed {result.seed}, is in {root} already, from {files} and with {differs}; "
        "which one counts? add --replace to put these in its place (the old record stays, and is named)"
    )


def _check_data(added: Sequence[Run], held: Sequence[Run], problems: Problems) -> None:
    """All runs of an experiment are of one data set, and are declared to be the paper's own or are not."""
    gone = {key for run in added for key in Provenance.of(run).replaces}
    staying: dict[str, Run] = {}
    for run in sorted(held, key=lambda run: run.spec.seed):
        if run.key not in gone:
            staying.setdefault(Provenance.of(run).experiment, run)
    for run in {Provenance.of(run).experiment: run for run in added}.values():
        it = Provenance.of(run)
        other = staying.get(it.experiment)
        if other is not None and _data_of(other) != _data_of(run):
            problems.add(
                it.files[0][0],
                f"{it.experiment!r}, seed {other.spec.seed}, is in the store with other data than these "
                f"({_said(other)} there, {_said(run)} here); import all its seeds anew, declared alike, with "
                "--replace",
            )


def _data_of(run: Run) -> tuple[str, str, bool, bool]:
    it = Provenance.of(run)
    return run.data.name, run.data.fingerprint, bool(it.same_data), bool(it.other_split)


def _said(run: Run) -> str:
    it = Provenance.of(run)
    stated = ", stated to be the paper's own" if it.same_data else ""
    stated += ", stated to be another split" if it.other_split else ""
    return f"{run.data.name!r}, fingerprint {run.data.fingerprint[:12]}{stated}"


def _place(result: Result) -> str:
    return ", ".join(it.file for it in result.sources)
