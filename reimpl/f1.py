"""Micro and macro F1 of label decisions at a threshold, counted label by label.

A label is predicted where its score is strictly above the threshold. Counts of separate batches add up, so
that scores can come in chunks; memory is a few numbers per label.

Legend: N documents, L labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reimpl.errors import DataError
from reimpl.label_lists import nan_message
from reimpl.truth import IntArray, Truth, TruthLike, as_truth


@dataclass(frozen=True)
class LabelCounts:
    """Per label (L,): documents with a right decision for it, predicted to have it, and having it."""

    hits: IntArray
    predicted: IntArray
    true: IntArray

    def __add__(self, other: LabelCounts) -> LabelCounts:
        return LabelCounts(self.hits + other.hits, self.predicted + other.predicted, self.true + other.true)

    def f1(self, absent: Literal["zero", "skip"] = "zero") -> dict[str, float]:
        """Micro-F1, Macro-F1 and Another-Macro-F1 in percent.

        A label that is neither predicted nor true counts 0 in the macro means (LibMultiLabel 0.10
        linear/metrics.py, scikit-learn's zero_division=0), or is left out (`absent="skip"`).
        Another-Macro-F1 is the F1 of mean precision and mean recall (Opitz and Burst 2019).
        """
        keep = (self.predicted + self.true > 0) | (absent == "zero")
        hits, predicted, true = self.hits[keep], self.predicted[keep], self.true[keep]
        macro_precision, macro_recall = _mean_ratio(hits, predicted), _mean_ratio(hits, true)
        both = macro_precision + macro_recall
        micro = _mean_ratio(2 * hits.sum(keepdims=True), (predicted + true).sum(keepdims=True))
        return {
            "Micro-F1": 100 * micro,
            "Macro-F1": 100 * _mean_ratio(2 * hits, predicted + true),
            "Another-Macro-F1": 100 * (2 * macro_precision * macro_recall / both if both else 0.0),
        }


def _mean_ratio(part: IntArray, whole: IntArray) -> float:
    # 0 / 0 is 0: no decision was needed and none was right.
    ratio = part / np.maximum(whole, 1)
    return float(ratio.mean()) if len(ratio) else 0.0


def above_threshold(scores: Any, threshold: float) -> Truth:
    """The labels that a scipy sparse score matrix (N, L) puts strictly above `threshold`.

    Raises `DataError` for NaN and for a threshold below 0, where what is not stored would count too.
    """
    if not threshold >= 0:
        raise DataError(
            f"threshold {threshold!r} on sparse scores: labels that are not stored score 0 and would all be "
            "above it; give dense chunks to count_scores"
        )
    chosen = scores.tocsr().copy()
    if (nan := np.flatnonzero(np.isnan(chosen.data))).size:
        raise DataError(nan_message(int(np.searchsorted(chosen.indptr, nan[0], side="right")) - 1))
    chosen.sum_duplicates()
    chosen.data = (chosen.data > threshold).astype(np.int8)
    return Truth.from_csr(chosen)


def count_labels(predicted: TruthLike, truth: TruthLike, n_labels: int | None = None) -> LabelCounts:
    """Counts of decided label sets against true ones. Raises `DataError` unless sizes and L agree."""
    decided, true = as_truth(predicted, n_labels), as_truth(truth, n_labels)
    L = n_labels or true.n_labels or decided.n_labels
    if L is None or decided.size != true.size or {decided.n_labels or L, true.n_labels or L} != {L}:
        raise DataError(
            f"F1 of {decided.size} documents and {decided.n_labels} labels predicted against "
            f"{true.size} and {true.n_labels} true: they must agree, and the number of labels be known"
        )
    hits = decided.labels[true.find(decided.rows, decided.labels) >= 0]
    return LabelCounts(*(np.bincount(ids, minlength=L) for ids in (hits, decided.labels, true.labels)))


def count_scores(chunks: Iterable[NDArray[Any]], truth: TruthLike, threshold: float = 0.5) -> LabelCounts:
    """Counts from dense score chunks (n, L) that together are the N documents, in order.

    Raises `DataError` for NaN, for chunks of unequal width and when there are not N rows in all.
    """
    true = as_truth(truth)
    total: LabelCounts | None = None
    done = 0
    for scores in chunks:
        if np.isnan(scores).any():
            raise DataError(nan_message(done + int(np.isnan(scores).any(axis=1).argmax())))
        here = true.part(done, done + len(scores))
        rows, ids = np.nonzero(scores > threshold)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(scores)))))
        counts = count_labels(Truth(offsets, ids), here, scores.shape[1])
        total, done = counts if total is None else total + counts, done + len(scores)
    if total is None or done != true.size:
        raise DataError(f"scores of {done} documents for {true.size} documents with true labels")
    return total
