"""Checked results into the store, each as a run: all or, where one is unclear, none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from audit.claim import Paper
from audit.claim_names import counted
from audit.errors import StoreError
from audit.files import sync_all
from audit.imported import UNKNOWN, Provenance, counting
from audit.importing.beside import ask_about_results, check_values, place_of, same_results
from audit.importing.declared import Declared
from audit.importing.problems import Problems
from audit.importing.result import Result
from audit.manifest import note_settled
from audit.record import DataInfo, Run, digest
from audit.store import PUT_WAIT, Predictions, Store


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
        seeds, same, fresh, problems = _seeds(results), [], [], Problems()
        for result in results:
            old = held.get((result.experiment, result.seed), [])
            if len(old) == 1 and not _differences(old[0], result, declared):
                same.append(old[0])
                continue
            fresh.append(result)
            if old and not replacing:
                problems.add(place_of(result), _clash(old[0], result, declared, store.root))
        staying = _staying(held, fresh)
        alike = same_results(fresh, staying, store)
        now = datetime.now(UTC).isoformat(timespec="seconds")  # of all: they are one lot
        added = [
            (
                _run(
                    it,
                    seeds[it.experiment],
                    paper,
                    declared,
                    held.get(_key(it), []),
                    alike.get(_key(it)),
                    now,
                ),
                it.predictions,
            )
            for it in fresh
        ]
        _check_data([run for run, _ in added], [run for runs in held.values() for run in runs], problems)
        if not declared.same_predictions_ok:
            ask_about_results(fresh, alike, problems)
        if not declared.outliers_ok:
            check_values(fresh, staying, problems)
        problems.settle()
        kept = _put(added, store)
        note_settled(store.root, paper.paper.key, (run.spec for run in (*kept, *same)))
    return Kept(kept, tuple(same))


def _key(result: Result) -> tuple[str, int]:
    return result.experiment, result.seed


def _staying(held: Mapping[tuple[str, int], list[Run]], fresh: Sequence[Result]) -> dict[str, list[Run]]:
    """Experiment -> the runs that are in the store and that none of the fresh results stands in for."""
    replaced = {_key(it) for it in fresh}
    found: dict[str, list[Run]] = {}
    for (experiment, seed), runs in held.items():
        if (experiment, seed) not in replaced:
            found.setdefault(experiment, []).append(runs[0])
    return found


def _put(added: Sequence[tuple[Run, Predictions | None]], store: Store) -> tuple[Run, ...]:
    """All of them, or none: what was written of an import that cannot be finished is taken back."""
    kept: list[Run] = []
    try:
        for run, predictions in added:
            kept.append(store.put(run, predictions=predictions, durable=False))
        sync_all()
    except BaseException as err:
        left = _taken_back(kept, store)
        if not isinstance(err, StoreError):
            raise
        told = "nothing of this import was kept"
        if left:
            told = f"{left} of {counted(len(added), 'run')} went in, and the same command completes them"
        raise StoreError(f"{err}; {told}") from err
    return tuple(kept)


def _taken_back(kept: Sequence[Run], store: Store) -> int:
    """How many could not be."""
    left = 0
    for run in kept:
        try:
            store.take_back(run)
        except StoreError:
            left += 1
    return left


def _seeds(results: Sequence[Result]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for it in results:
        found.setdefault(it.experiment, set()).add(it.seed)
    return {name: tuple(sorted(seeds)) for name, seeds in found.items()}


def _run(
    result: Result,
    seeds: tuple[int, ...],
    paper: Paper,
    declared: Declared,
    old: Sequence[Run],
    alike: tuple[int, str] | None,
    now: str,
) -> Run:
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
        same_lists_as=None if alike is None else alike[0],
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
        finished=now,
    )


def _differences(old: Run, result: Result, declared: Declared) -> list[str]:
    """What the record says otherwise than the result: values, data, or anything that is declared."""
    changed = [name for name in result.metrics if old.metrics.get(name) != result.metrics[name]]
    fewer = sorted(set(old.metrics) - set(result.metrics))
    if old.status == "done" and result.failed:
        return ["values"]
    found = [f"other values of {', '.join(changed)}"] if changed else []
    found += [f"further metrics ({', '.join(fewer)})"] if fewer else []
    held = Provenance.of(old)
    for name, there, here, said in (
        ("data set", old.data.name, result.dataset, True),
        ("fingerprint", old.data.fingerprint, result.fingerprint or UNKNOWN, True),
        ("--by", held.by, declared.by, bool(declared.by)),
        ("--authors-code", held.authors_code, declared.authors_code, bool(declared.authors_code)),
        ("--same-data", held.same_data, declared.same_data, bool(declared.same_data)),
        ("--other-split", held.other_split, declared.other_split, bool(declared.other_split)),
        ("number of test documents", str(old.data.n_test), str(declared.test_size), bool(declared.test_size)),
    ):
        if said and there != here:
            found.append(f"another {name} ({_brief(there)} there, {_brief(here)} here)")
    return found


def _brief(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...") if text else "none"


def _clash(old: Run, result: Result, declared: Declared, root: Path) -> str:
    files = ", ".join(file for file, _ in Provenance.of(old).files)
    differs = " and ".join(_differences(old, result, declared))
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
