"""What experiments get right of frequent and of rare labels, from what their runs kept: a description.

Runs keep their lists, which ranks hit a true label, and how many documents have each label in training and in
test. From these follow, of the labels that make up half of all positives in training, of those up to 80 % and
of the rest (`reimpl.data.strata`): their part of P@k, precision, recall and macro-F1 among the first k. Older
runs, and imported ones, have none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from audit.errors import StoreError
from audit.judging.documents import with_instances
from audit.record import Audit, ExperimentRecord, LabelStrata, StratumResult
from audit.storage.runs import Store
from reimpl.data.strata import StratumScore, by_share, scores_of_hits
from reimpl.errors import ReimplError

#: The cut at which strata are scored; fewer where the lists are shorter.
K = 5

Arrays = Mapping[str, NDArray[Any]]
Predictions = Callable[[str], Arrays | None]


def with_predictions(audit: Audit, store: Store) -> Audit:
    """The audit with all that the predictions in `store` say beside its verdicts: documents, and strata."""
    return with_strata(with_instances(audit, store), store)


def with_strata(audit: Audit, store: Store) -> Audit:
    """The audit with the strata of all experiments whose runs kept their labels in `store`.

    Files that are gone or changed since are passed over: no verdict rests on them.
    """

    def read(key: str) -> Arrays | None:
        with suppress(StoreError):
            return store.predictions(key)
        return None

    found = (label_strata(it, read) for it in audit.experiments)
    return replace(audit, strata=tuple(it for it in found if it is not None))


def label_strata(experiment: ExperimentRecord, predictions: Predictions) -> LabelStrata | None:
    """The strata of one experiment, means over its runs; None where none kept what it takes."""
    runs = [run for run in experiment.runs if run.status == "done" and not run.imported]
    held = [it for run in runs if (it := _of_run(predictions(run.key))) is not None]
    if not held or len({(rule, scores[0].k, _sizes(scores)) for rule, scores in held}) > 1:
        return None
    rule, first = held[0]
    every = [scores for _, scores in held]
    return LabelStrata(experiment.id, first[0].k, rule, len(every), tuple(_results(every)))


def _of_run(arrays: Arrays | None) -> tuple[str, tuple[StratumScore, ...]] | None:
    if arrays is None:
        return None
    with suppress(KeyError, ReimplError, ValueError):
        strata = by_share(arrays["label_train"])
        k = min(K, int(arrays["hits_format"][1]))
        return strata.rule, scores_of_hits(arrays["ids"], arrays["hits"], arrays["label_test"], strata, k=k)
    return None


def _sizes(scores: Sequence[StratumScore]) -> tuple[tuple[int, int], ...]:
    return tuple((it.labels, it.true) for it in scores)


def _results(runs: Sequence[Sequence[StratumScore]]) -> Iterator[StratumResult]:
    given = sum(it.true for it in runs[0])
    for scores in zip(*runs, strict=True):
        first = scores[0]
        yield StratumResult(
            name=first.name,
            labels=first.labels,
            positives=first.true,
            share=100 * first.true / given if given else 0.0,
            share_of_precision=sum(it.share_of_precision for it in scores) / len(scores),
            precision=_mean([it.precision for it in scores]),
            recall=_mean([it.recall for it in scores]),
            macro_f1=_mean([it.macro_f1 for it in scores]),
        )


def _mean(values: Sequence[float | None]) -> float | None:
    """Over the runs in which there was something to divide by."""
    there = [it for it in values if it is not None]
    return sum(there) / len(there) if there else None
