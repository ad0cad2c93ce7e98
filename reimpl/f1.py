"""Micro and macro F1 of label decisions, counted label by label.

Legend: N documents, L labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reimpl.errors import DataError
from reimpl.truth import IntArray, TruthLike, as_truth


@dataclass(frozen=True)
class LabelCounts:
    """Per label (L,): documents with a right decision for it, predicted to have it, and having it."""

    hits: IntArray
    predicted: IntArray
    true: IntArray

    def f1(self) -> dict[str, float]:
        """Micro-F1, Macro-F1 and Another-Macro-F1 in percent.

        A label that is neither predicted nor true counts 0 in the macro means (LibMultiLabel 0.10
        linear/metrics.py, scikit-learn's zero_division=0).
        Another-Macro-F1 is the F1 of mean precision and mean recall (Opitz and Burst 2019).
        """
        hits, predicted, true = self.hits, self.predicted, self.true
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
