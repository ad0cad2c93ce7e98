"""What is asked about results beside the other seeds of their experiment: one run or two? misread or so?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.evidence import all_digits
from audit.importing.problems import Problems
from audit.importing.result import Result
from audit.record import Run
from audit.store import Store

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
    for result in (it for it in results if it.predictions is None):
        others = {run.spec.seed: run.metrics for run in staying.get(result.experiment, ())}
        others |= {it.seed: it.metrics for it in results if it.experiment == result.experiment}
        del others[result.seed]
        for metric, value in result.metrics.items():
            beside = _far_from(value, metric, others)
            if beside is not None and (result.experiment, metric) not in asked:
                asked.add((result.experiment, metric))
                problems.add(
                    place_of(result),
                    f"{result.experiment!r}: {metric} is {value:.2f} for seed {result.seed} and "
                    f"{others[beside][metric]:.2f} for seed {beside}; is a decimal point misplaced? correct "
                    "it, or add --outliers-ok if both came out so",
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
                f"({file}) {where}; one run or two? leave one out, or add --same-predictions-ok if "
                "two runs gave them",
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
