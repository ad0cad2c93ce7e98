"""Checked results into the store, each as a run: all or, where one is unclear, none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from audit.claims.load import Paper
from audit.errors import StoreError, option
from audit.importing.results import F1_BY, Declared, Problems, Result
from audit.judging.evidence import OF_DOCUMENTS, UNKNOWN, Provenance, counting
from audit.record import DataInfo, Run, digest
from audit.storage.manifest import Ledger
from audit.storage.runs import PUT_WAIT, Store

Staying = Mapping[str, Sequence[Run]]  # Experiment -> its runs in the store that are not replaced.


class Kept(NamedTuple):
    """What an import came to."""

    added: tuple[Run, ...]
    same: tuple[Run, ...]  # Runs that were in the store already, with the same values.


def keep(
    results: Sequence[Result], store: Store, paper: Paper, declared: Declared, *, replacing: bool = False
) -> Kept:
    """Write the results as sealed runs; those that are there already, with the same values, are left alone.
    With `replacing` a result takes the place of another one of the same seed, whose record stays and is
    named; not once anything was judged: that would be a look that nobody counts. Raises `ImportFileError`
    with all that is unclear, before the first record is written, and `StoreError`."""
    key, problems = paper.paper.key, Problems()
    with store.claim(digest(["import", key]), wait=PUT_WAIT) as claim:
        if not claim.held:
            raise StoreError(f"{store.root}: another import has run for {PUT_WAIT:.0f} s; let it finish")
        there = counting((run for run in store.runs(problems=[]) if run.imported), key)
        judged = Ledger(store.root, key).judged()
        same, fresh = list[Run](), dict[tuple[str, int], Result]()
        for result in results:
            old = there.get((result.experiment, result.seed), [])
            differences = _differences(old[0], result, declared) if old else []
            if len(old) == 1 and not differences:
                same.append(old[0])
                continue
            fresh[result.experiment, result.seed] = result
            if not old or (replacing and not judged):
                continue
            what = f"{result.experiment!r}, seed {result.seed}, "
            if judged:
                what += f"was already judged in {store.root}, with {' and '.join(differences)}: a second "
                what += f"look at the same seeds; import all results into a new {option('store')}"
            else:
                what += f"is already in {store.root}, from {Provenance.of(old[0]).from_files} and with "
                what += f"{' and '.join(differences)}; which one counts? add {option('replace', True)} to "
                what += "use these instead (the old record is kept and named)"
            problems.add(", ".join(source.file for source in result.sources), what)
        staying: dict[str, list[Run]] = {}
        for (experiment, seed), runs in there.items():
            if (experiment, seed) not in fresh:
                staying.setdefault(experiment, []).append(runs[0])
        now = datetime.now(UTC).isoformat(timespec="seconds")  # of all: they are one lot
        added = []
        for place, result in fresh.items():
            seeds = tuple(sorted({one.seed for one in results if one.experiment == result.experiment}))
            run = run_of(result, seeds, paper, declared, there.get(place, []))
            added.append(replace(run, finished=now))
        _check_data(added, staying, problems)
        problems.settle()
        lists = [result.predictions for result in fresh.values()]
        try:
            kept = tuple(
                store.put(run, predictions=own, durable=False) for run, own in zip(added, lists, strict=True)
            )
        except StoreError as err:
            raise StoreError(f"{err}; not all was imported: the same command imports the rest") from err
        if hasattr(os, "sync"):
            os.sync()  # one wait for thousands of files
        Ledger(store.root, key).note_settled(run.spec for run in (*kept, *same))
    return Kept(kept, tuple(same))


def run_of(
    result: Result,
    seeds: tuple[int, ...],
    paper: Paper,
    declared: Declared,
    old: Sequence[Run],
    *,
    command: str = "",
) -> Run:
    """The run as it is recorded, in place of the `old` ones; `command`: digest of what made it here."""
    key = paper.paper.key
    spec = Provenance(
        paper=key,
        experiment=result.experiment,
        files=tuple((source.file, source.sha256) for source in result.sources),
        by=declared.by,
        authors_code=declared.authors_code,
        same_data=declared.same_data,
        other_split=declared.other_split,
        unit=result.unit,
        seeds=seeds,
        replaces=tuple(run.key for run in old),
        command=command,
    ).spec(seed=result.seed, fingerprint=result.fingerprint)
    # Whoever replaces has seen the numbers before: the margins stay those of the first look at them.
    first_look = old[0].margins if old else {}
    how, n_test = "the command's own" if command else "as imported", result.n_test or declared.test_size
    if result.documents:
        how = OF_DOCUMENTS + result.documents
    return Run(
        key=spec.key,
        spec=spec,
        status="failed" if result.failed else "done",
        data=DataInfo(result.dataset, spec.data, how, n_train=0, n_test=n_test, n_labels=0),
        metrics=dict(result.metrics),
        reason="as the imported file says" if result.failed else None,
        device="not recorded",
        margins={key: paper.margins_hash, **first_look},
        notes=result.notes,
    )


def _differences(old: Run, result: Result, declared: Declared) -> list[str]:
    """What the record says otherwise than the result: values, data, or anything that is declared."""
    if old.status == "done" and result.failed:
        return ["values"]
    changed = [name for name in result.metrics if old.metrics.get(name) != result.metrics[name]]
    fewer = sorted(set(old.metrics) - set(result.metrics))
    pairs: list[tuple[str, Any, Any]] = [("data set", old.data.name, result.dataset)]
    pairs += [("fingerprint", old.data.fingerprint, result.fingerprint or UNKNOWN)]
    pairs += [("number of test documents", old.data.n_test, declared.test_size or old.data.n_test)]
    for name in ("by", "authors_code", "same_data", "other_split"):
        before = getattr(Provenance.of(old), name)
        pairs += [(option(name), before, getattr(declared, name) or before)]
    f1, f1_here = (next((it for it in of.notes if it.startswith(F1_BY)), "none") for of in (old, result))
    pairs += [(option("threshold"), f1, f1_here)]
    values = [f"other values of {', '.join(changed)}"] if changed else []
    values += [f"further metrics ({', '.join(fewer)})"] if fewer else []
    return values + [f"another {of} ({it!r} there, {here!r} here)" for of, it, here in pairs if it != here]


def _check_data(added: Sequence[Run], staying: Staying, problems: Problems) -> None:
    """All runs of an experiment are of one data set, and are declared to be the paper's own or are not."""

    def data_of(run: Run) -> str:
        provenance = Provenance.of(run)
        stated = ", stated to be the paper's own" if provenance.same_data else ""
        stated += ", stated to be another split" if provenance.other_split else ""
        return f"{run.data.name!r}, fingerprint {run.data.fingerprint}{stated}"

    for name, run in {Provenance.of(run).experiment: run for run in added}.items():
        other = min(staying.get(name, ()), key=lambda run: run.spec.seed, default=None)
        if other is not None and data_of(other) != data_of(run):
            what = f"{name!r}, seed {other.spec.seed}, is in the store with other data than these"
            both = f"{data_of(other)} there, {data_of(run)} here"
            anew = f"import all its seeds again, with one declaration and {option('replace', True)}"
            problems.add(Provenance.of(run).files[0][0], f"{what} ({both}); {anew}")
