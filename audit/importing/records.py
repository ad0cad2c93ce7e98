"""Checked results into the store, each as a run: all or, where one is unclear, none.

Asked about beside the other seeds of the experiment: the same results twice, and values far from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

_JUDGED = (
    "{result.experiment!r}, seed {result.seed}, was judged in {root} already, and a value that is replaced "
    f"after its verdict is a second look at the same seeds; import all results into a "
    f"new {option('store')}, and say why"
)
#: Values that are so many times another are asked about: a misplaced decimal point gives about ten.
_TIMES = 8.0
#: Percent; below it a misplaced point is no more than the last digit.
_SMALL = 1.0

Lists = Mapping[str, NDArray[Any]]
Others = Mapping[int, Mapping[str, float]]
"""Seed -> metric -> percent."""


def check_values(results: Sequence[Result], staying: Mapping[str, Sequence[Run]], problems: Problems) -> None:
    """One question for each metric of an experiment with a value far from those of the other seeds.

    Predictions are scored here, so their values cannot have been misread.
    """
    asked = set()
    own: dict[str, dict[int, Mapping[str, float]]] = {}
    for result in results:
        own.setdefault(result.experiment, {})[result.seed] = result.metrics
    for result in (it for it in results if it.predictions is None):
        known = {run.spec.seed: run.metrics for run in staying.get(result.experiment, ())}
        others = {**known, **own[result.experiment]}
        del others[result.seed]
        for metric, value in result.metrics.items():
            beside = _far_from(value, metric, others)
            if beside is not None and (result.experiment, metric) not in asked:
                asked.add((result.experiment, metric))
                problems.add(
                    place_of(result),
                    f"{result.experiment!r}: {metric} is {value:.2f} for seed {result.seed} and "
                    f"{others[beside][metric]:.2f} for seed {beside}; is a decimal point misplaced? correct "
                    f"it, or add {option('outliers_ok', True)} if both came out so",
                )


def _far_from(value: float, metric: str, others: Others) -> int | None:
    """The seed in the middle of the others where the value is far from their median; else None."""
    known = {seed: held[metric] for seed, held in others.items() if metric in held}
    if not known:
        return None
    middle = median(known.values())
    low, high = sorted((value, middle))
    if high < max(_SMALL, _TIMES * low):
        return None
    return min(known, key=lambda seed: (abs(known[seed] - middle), seed))


def same_results(
    results: Sequence[Result], staying: Mapping[str, Sequence[Run]], store: Store
) -> dict[tuple[str, int], tuple[int, str]]:
    """Experiment and seed of results that another seed has too, and that seed with the file it is from.

    Of predictions the labels of every document are compared, in their order, as far as the shorter lists go.
    Scores are not: they change when a program is told to write others of the same run. Of values all must be
    equal in all digits, and there must be more digits than are printed.
    """
    found = _same_values(results, staying)
    seen: dict[str, list[tuple[int, str, Lists]]] = {}
    for result in (it for it in results if it.predictions is not None):
        assert result.predictions is not None
        name = result.experiment
        earlier = seen.setdefault(name, list(_stored(staying.get(name, ()), store)))
        for seed, file, lists in earlier:
            if _alike(lists, result.predictions):
                found[name, result.seed] = seed, file
                break
        earlier.append((result.seed, result.sources[0].file, result.predictions))
    return found


def _same_values(
    results: Sequence[Result], staying: Mapping[str, Sequence[Run]]
) -> dict[tuple[str, int], tuple[int, str]]:
    found: dict[tuple[str, int], tuple[int, str]] = {}
    seen = {
        (name, values): (run.spec.seed, str(run.spec.config["sources"][0]["file"]))
        for name, runs in staying.items()
        for run in runs
        if (values := all_digits(run.metrics))
    }
    for result in results:
        values = all_digits(result.metrics) if result.predictions is None else None
        if values and (first := seen.get((result.experiment, values))):
            found[result.experiment, result.seed] = first
        elif values:
            seen[result.experiment, values] = result.seed, result.sources[0].file
    return found


def ask_about_results(
    results: Sequence[Result], found: Mapping[tuple[str, int], tuple[int, str]], problems: Problems
) -> None:
    for result in results:
        if (alike := found.get((result.experiment, result.seed))) is not None:
            seed, file = alike
            what, where = ("values", "in all digits")
            if result.predictions is not None:
                what, where = "predictions", "for all documents"
            problems.add(
                result.sources[0].file,
                f"the {what} of {result.experiment!r}, seed {result.seed}, are those of seed {seed} "
                f"({file}) {where}; one run or two? leave one out, or add "
                f"{option('same_predictions_ok', True)} if two runs gave them",
            )


def _stored(runs: Sequence[Run], store: Store) -> Iterable[tuple[int, str, Lists]]:
    for run in runs:
        lists = store.predictions(run.key)
        if lists is not None and {"ids", "label_names", "documents"} <= set(lists):
            yield run.spec.seed, str(run.spec.config["sources"][0]["file"]), lists


def _alike(one: Lists, two: Lists) -> bool:
    """Whether both have the same documents, and for each the same labels best first."""
    length = min(one["ids"].shape[1], two["ids"].shape[1])
    if sorted(one["documents"].tolist()) != sorted(two["documents"].tolist()):
        return False
    return bool(np.array_equal(_named(one, length), _named(two, length)))


def _named(lists: Lists, length: int) -> NDArray[np.str_]:
    """(N, length) names of labels, empty after the end of a list, by the names of the documents."""
    names = np.append(lists["label_names"], "")  # id -1 is the last one
    order = np.argsort(lists["documents"], kind="stable")
    return np.asarray(names[lists["ids"][order, :length]])


def place_of(result: Result) -> str:
    """The files it is from."""
    return ", ".join(it.file for it in result.sources)


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
        held = counting((run for run in store.runs(problems=[]) if run.imported), paper.paper.key)
        judged = Ledger(store.root, paper.paper.key).judged()
        seeds, same, fresh, problems = _seeds(results), [], [], Problems()
        for result in results:
            old = held.get((result.experiment, result.seed), [])
            if len(old) == 1 and not _differences(old[0], result, declared):
                same.append(old[0])
                continue
            fresh.append(result)
            if old and not replacing:
                problems.add(place_of(result), _clash(old[0], result, declared, store.root))
            elif old and judged:
                problems.add(place_of(result), _JUDGED.format(root=store.root, result=result))
        staying = _staying(held, fresh)
        alike = same_results(fresh, staying, store)
        now = datetime.now(UTC).isoformat(timespec="seconds")  # of all: they are one lot
        added = []
        for it in fresh:
            same_as, _ = alike.get(_key(it), (None, ""))
            run = run_of(it, seeds[it.experiment], paper, declared, held.get(_key(it), []), same_as=same_as)
            added.append((replace(run, finished=now), it.predictions))
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
    return Run(
        key=spec.key,
        spec=spec,
        status="failed" if result.failed else "done",
        data=DataInfo(
            result.dataset,
            spec.data,
            "the command's own" if command else "as imported",
            n_train=0,
            n_test=result.n_test or declared.test_size,
            n_labels=0,
        ),
        metrics=dict(result.metrics),
        reason="as the imported file says" if result.failed else None,
        device="not recorded",
        margins={key: paper.margins_hash, **first_look},
        notes=result.notes,
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
        (option("by"), held.by, declared.by, bool(declared.by)),
        (option("authors_code"), held.authors_code, declared.authors_code, bool(declared.authors_code)),
        (option("same_data"), held.same_data, declared.same_data, bool(declared.same_data)),
        (option("other_split"), held.other_split, declared.other_split, bool(declared.other_split)),
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
        f"which one counts? add {option('replace', True)} to put these in its place (the "
        "old record stays, and is named)"
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
                f"{option('replace', True)}",
            )


def _data_of(run: Run) -> tuple[str, str, bool, bool]:
    it = Provenance.of(run)
    return run.data.name, run.data.fingerprint, bool(it.same_data), bool(it.other_split)


def _said(run: Run) -> str:
    it = Provenance.of(run)
    stated = ", stated to be the paper's own" if it.same_data else ""
    stated += ", stated to be another split" if it.other_split else ""
    return f"{run.data.name!r}, fingerprint {run.data.fingerprint[:12]}{stated}"
