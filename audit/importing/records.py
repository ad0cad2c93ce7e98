"""Checked results into the store, each as a run: all or, where one is unclear, none.

Asked about beside the other seeds of the experiment: the same results twice, and values far from theirs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.claims.load import Paper
from audit.errors import StoreError, option
from audit.importing.result import Declared, Problems, Result
from audit.judging.evidence import all_digits
from audit.judging.imported import UNKNOWN, Provenance, counting
from audit.names import counted
from audit.record import DataInfo, Run, digest
from audit.storage.files import sync_all
from audit.storage.manifest import Ledger, note_settled
from audit.storage.runs import PUT_WAIT, Predictions, Store

#: Values that are so many times another are asked about: a misplaced decimal point gives about ten.
_TIMES = 8.0
#: Percent; below it a misplaced point is no more than the last digit.
_SMALL = 1.0

Lists = Mapping[str, NDArray[Any]]
Runs = Mapping[tuple[str, int], Sequence[Run]]
"""Experiment and seed -> its runs in the store."""


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
    named; not once anything was judged, as a seed that is exchanged after a verdict is a look that nobody
    counts. Everything is checked before the first record is written. Raises `ImportFileError` with all that
    is unclear beside what the store holds, `StoreError` when it cannot be read or written.
    """
    with store.claim(digest(["import", paper.paper.key]), wait=PUT_WAIT) as claim:
        if not claim.held:
            raise StoreError(
                f"{store.root}: another import has been at work for {PUT_WAIT:.0f} s; let it finish"
            )
        held: Runs = counting((run for run in store.runs(problems=[]) if run.imported), paper.paper.key)
        judged = Ledger(store.root, paper.paper.key).judged()
        seeds: dict[str, set[int]] = {}
        same, fresh, problems = list[Run](), dict[tuple[str, int], Result](), Problems()
        for result in results:
            seeds.setdefault(result.experiment, set()).add(result.seed)
            old = held.get((result.experiment, result.seed), [])
            if len(old) == 1 and not _differences(old[0], result, declared):
                same.append(old[0])
                continue
            fresh[result.experiment, result.seed] = result
            if old and not replacing:
                problems.add(_place_of(result), _clash(old[0], result, declared, store.root))
            elif old and judged:
                problems.add(
                    _place_of(result),
                    f"{result.experiment!r}, seed {result.seed}, was judged in {store.root} already, and a "
                    "value that is replaced after its verdict is a second look at the same seeds; import all "
                    f"results into a new {option('store')}, and say why",
                )
        staying: dict[str, list[Run]] = {}
        for (experiment, seed), runs in held.items():
            if (experiment, seed) not in fresh:
                staying.setdefault(experiment, []).append(runs[0])
        alike = _same_results(list(fresh.values()), staying, store)
        now = datetime.now(UTC).isoformat(timespec="seconds")  # of all: they are one lot
        added = [
            replace(
                run_of(
                    result,
                    tuple(sorted(seeds[result.experiment])),
                    paper,
                    declared,
                    held.get(key, []),
                    same_as=alike[key][0] if key in alike else None,
                ),
                finished=now,
            )
            for key, result in fresh.items()
        ]
        _check_data(added, staying, problems)
        if not declared.same_predictions_ok:
            _ask_about_results(fresh, alike, problems)
        if not declared.outliers_ok:
            _ask_about_values(list(fresh.values()), staying, problems)
        problems.settle()
        kept = _put(added, [it.predictions for it in fresh.values()], store)
        note_settled(store.root, paper.paper.key, (run.spec for run in (*kept, *same)))
    return Kept(kept, tuple(same))


def _place_of(result: Result) -> str:
    """The files it is from."""
    return ", ".join(it.file for it in result.sources)


def _put(added: Sequence[Run], predictions: Sequence[Predictions | None], store: Store) -> tuple[Run, ...]:
    """All of them, or none: what was written of an import that cannot be finished is taken back."""
    kept: list[Run] = []
    try:
        for run, lists in zip(added, predictions, strict=True):
            kept.append(store.put(run, predictions=lists, durable=False))
        sync_all()
    except BaseException as err:
        left = 0
        for run in kept:
            try:
                store.take_back(run)
            except StoreError:
                left += 1
        if not isinstance(err, StoreError):
            raise
        told = "nothing of this import was kept"
        if left:
            told = f"{left} of {counted(len(added), 'run')} went in, and the same command completes them"
        raise StoreError(f"{err}; {told}") from err
    return tuple(kept)


def run_of(
    result: Result,
    seeds: tuple[int, ...],
    paper: Paper,
    declared: Declared,
    old: Sequence[Run],
    *,
    same_as: int | None = None,
    command: str = "",
) -> Run:
    """The run as it is recorded, in place of the `old` ones; `command`: digest of what made it here."""
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
        same_lists_as=same_as,
        command=command,
    ).spec(seed=result.seed, fingerprint=result.fingerprint)
    # Whoever replaces has seen the numbers before: the margins stay those of the first look at them.
    first_look = old[0].margins if old else {}
    how, n_test = "the command's own" if command else "as imported", result.n_test or declared.test_size
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


# --------------------------------------------------------------------------- beside what the store holds


def _differences(old: Run, result: Result, declared: Declared) -> list[str]:
    """What the record says otherwise than the result: values, data, or anything that is declared."""
    changed = [name for name in result.metrics if old.metrics.get(name) != result.metrics[name]]
    fewer = sorted(set(old.metrics) - set(result.metrics))
    if old.status == "done" and result.failed:
        return ["values"]
    found = [f"other values of {', '.join(changed)}"] if changed else []
    found += [f"further metrics ({', '.join(fewer)})"] if fewer else []
    held, data = Provenance.of(old), old.data
    pairs = {"data set": (data.name, result.dataset)}
    pairs["fingerprint"] = data.fingerprint, result.fingerprint or UNKNOWN
    for name in ("by", "authors_code", "same_data", "other_split"):
        if here := getattr(declared, name):
            pairs[option(name)] = getattr(held, name), here
    if declared.test_size:
        pairs["number of test documents"] = str(data.n_test), str(declared.test_size)
    for name, (there, here) in pairs.items():
        if there != here:
            found.append(f"another {name} ({_brief(there)} there, {_brief(here)} here)")
    return found


def _brief(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...") if text else "none"


def _clash(old: Run, result: Result, declared: Declared, root: Path) -> str:
    files = ", ".join(file for file, _ in Provenance.of(old).files)
    differs = " and ".join(_differences(old, result, declared))
    return (
        f"{result.experiment!r}, seed {result.seed}, is in {root} already, from {files} and with {differs}; "
        f"which one counts? add {option('replace', True)} to put these in its place (the "
        "old record stays, and is named)"
    )


def _check_data(added: Sequence[Run], staying: Mapping[str, Sequence[Run]], problems: Problems) -> None:
    """All runs of an experiment are of one data set, and are declared to be the paper's own or are not."""

    def data_of(run: Run) -> tuple[str, str, bool, bool]:
        held = Provenance.of(run)
        return run.data.name, run.data.fingerprint, bool(held.same_data), bool(held.other_split)

    def said(run: Run) -> str:
        held = Provenance.of(run)
        stated = ", stated to be the paper's own" if held.same_data else ""
        stated += ", stated to be another split" if held.other_split else ""
        return f"{run.data.name!r}, fingerprint {run.data.fingerprint[:12]}{stated}"

    for name, run in {Provenance.of(run).experiment: run for run in added}.items():
        other = min(staying.get(name, ()), key=lambda run: run.spec.seed, default=None)
        if other is not None and data_of(other) != data_of(run):
            problems.add(
                Provenance.of(run).files[0][0],
                f"{name!r}, seed {other.spec.seed}, is in the store with other data than these "
                f"({said(other)} there, {said(run)} here); import all its seeds anew, declared alike, with "
                f"{option('replace', True)}",
            )


def _ask_about_values(
    results: Sequence[Result], staying: Mapping[str, Sequence[Run]], problems: Problems
) -> None:
    """One question for each metric of an experiment with a value far from those of the other seeds.

    Predictions are scored here, so their values cannot have been misread.
    """
    asked = set()
    values: dict[tuple[str, str], dict[int, float]] = {}
    """Experiment and metric -> seed -> percent."""
    known = [(name, run.spec.seed, run.metrics) for name, runs in staying.items() for run in runs]
    for name, seed, metrics in (*known, *((it.experiment, it.seed, it.metrics) for it in results)):
        for metric, value in metrics.items():
            values.setdefault((name, metric), {})[seed] = value
    for result in (it for it in results if it.predictions is None):
        for metric, value in result.metrics.items():
            of = values[result.experiment, metric]
            others = {seed: other for seed, other in of.items() if seed != result.seed}
            middle = median(others.values()) if others else value
            low, high = sorted((value, middle))
            if high < max(_SMALL, _TIMES * low) or not others or (result.experiment, metric) in asked:
                continue
            asked.add((result.experiment, metric))
            beside = min(others, key=lambda seed: (abs(others[seed] - middle), seed))
            problems.add(
                _place_of(result),
                f"{result.experiment!r}: {metric} is {value:.2f} for seed {result.seed} and "
                f"{others[beside]:.2f} for seed {beside}; is a decimal point misplaced? correct "
                f"it, or add {option('outliers_ok', True)} if both came out so",
            )


def _same_results(
    results: Sequence[Result], staying: Mapping[str, Sequence[Run]], store: Store
) -> dict[tuple[str, int], tuple[int, str]]:
    """Experiment and seed of results that another seed has too, and that seed with the file it is from.

    Of predictions the labels of every document are compared, in their order, as far as the shorter lists go.
    Scores are not: they change when a program is told to write others of the same run. Of values all must be
    equal in all digits, and there must be more digits than are printed.
    """
    found: dict[tuple[str, int], tuple[int, str]] = {}
    seen: dict[tuple[str, bool], list[tuple[int, str, Any]]] = {}
    for result in results:
        scored = result.predictions is not None
        key = result.experiment, scored
        if key not in seen:
            seen[key] = [
                (
                    run.spec.seed,
                    Provenance.of(run).files[0][0],
                    store.predictions(run.key) if scored else all_digits(run.metrics),
                )
                for run in staying.get(result.experiment, ())
            ]
        own = result.predictions if scored else all_digits(result.metrics)
        same: Callable[[Any, Any], bool] = _alike if scored else operator.eq
        for seed, file, other in seen[key] if own else ():
            if other and same(own, other):
                found[result.experiment, result.seed] = seed, file
                break
        else:
            seen[key].append((result.seed, result.sources[0].file, own))
    return found


def _alike(one: Lists, two: Lists) -> bool:
    """Whether both have the same documents, and for each the same labels best first."""
    if not {"ids", "label_names", "documents"} <= set(two):
        return False
    length = min(one["ids"].shape[1], two["ids"].shape[1])
    if sorted(one["documents"].tolist()) != sorted(two["documents"].tolist()):
        return False

    def named(lists: Lists) -> NDArray[np.str_]:
        """(N, length) names of labels, empty after the end of a list, by the names of the documents."""
        names = np.append(lists["label_names"], "")  # id -1 is the last one
        order = np.argsort(lists["documents"], kind="stable")
        return np.asarray(names[lists["ids"][order, :length]])

    return bool(np.array_equal(named(one), named(two)))


def _ask_about_results(
    results: Mapping[tuple[str, int], Result],
    alike: Mapping[tuple[str, int], tuple[int, str]],
    problems: Problems,
) -> None:
    for key, (seed, file) in alike.items():
        result = results[key]
        what, where = ("values", "in all digits")
        if result.predictions is not None:
            what, where = "predictions", "for all documents"
        problems.add(
            result.sources[0].file,
            f"the {what} of {result.experiment!r}, seed {result.seed}, are those of seed {seed} "
            f"({file}) {where}; one run or two? leave one out, or add "
            f"{option('same_predictions_ok', True)} if two runs gave them",
        )
