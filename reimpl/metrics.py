"""Ranking metrics and F1 of extreme multi-label classification, from top-k lists and sparse truth.

    P@k      hits / k
    R@k      hits / |y|
    RP@k     hits / min(k, |y|)
    nDCG@k   sum of 1/log2(rank + 1) over hits / the best value of that sum
    PSP@k    sum of inverse propensities of hits / the best value of that sum
    PSnDCG@k the same with both weights

Relevance is binary. A metric is 100 times a sum over documents of what each reached, over the sum of what
it could reach: 1 for P, R, RP and nDCG. Public programs (yourh/AttentionXML e2bbbec, kunaldahiya/pyxclib
5d13086, mwydmuch/napkinXC e95fb3f, ntumlgroup/LibMultiLabel 5cd775a) agree on all of it for lists without
repeats, but on PSnDCG: here it is total over total, as in yourh; pyxclib and napkinXC first divide each
document by its unweighted best sum. No array is documents x labels.

Legend: N documents, L labels, K list length, y the true labels of a document.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.truth import IntArray, Truth, TruthLike, as_truth, check_lists, integers

FloatArray = NDArray[np.float64]


def evaluate(
    top_ids: ArrayLike,
    truth: TruthLike,
    ks: Sequence[int] = (1, 3, 5),
    *,
    weights: FloatArray | None = None,
    skip_empty: bool = False,
) -> dict[str, float]:
    """Every metric at every k, in percent: P@1, ..., nDCG@5, and with weights of labels PSP and PSnDCG.

    top_ids (N, K) label ids, best first, -1 = list ended; truth as `reimpl.truth.TruthLike`; weights (L,)
    of `inverse_propensity`. A document without labels counts 0 in P, R, RP and nDCG (as in all programs),
    or with `skip_empty` not at all. Raises `DataError` for lists or truth that do not fit each other and
    `ConfigError` for a k that cannot be answered. NaN where nothing counts (0 / 0, as in every program).
    """
    known = as_truth(truth)
    places = known.places(check_lists(top_ids, known, ks))
    y, hits = known.counts, places >= 0
    counted = (y > 0).astype(np.float64) if skip_empty else np.ones(known.size)
    discount = np.asarray(1 / np.log2(np.arange(max(hits.shape[1], int(y.max()))) + 2))
    best = np.concatenate(([0.0], np.cumsum(discount)))  # of 0, 1, 2, ... hits
    found, dcg = hits.cumsum(axis=1), np.cumsum(hits * discount[: hits.shape[1]], axis=1)
    families: dict[str, Callable[[int], FloatArray]] = {
        # Divided by k always: also for a list shorter than k and a document with fewer than k labels.
        "P": lambda k: found[:, k - 1] / k,
        # Without labels there are no hits: 0, not 1 (ASUS-AICS/LibMultiLabel archive PR #351).
        "R": lambda k: found[:, k - 1] / np.maximum(y, 1),
        # Chalkidis et al. 2019, Eq. 3; as LibMultiLabel linear/metrics.py.
        "RP": lambda k: found[:, k - 1] / np.clip(y, 1, k),
        # The ideal counts true labels, never returned ones (elasticsearch PR #154362).
        "nDCG": lambda k: dcg[:, k - 1] / best[np.clip(y, 1, k)],
    }
    values = {f"{name}@{k}": _percent(of(k), counted) for name, of in families.items() for k in ks}
    if weights is not None:
        values |= _propensity_scored(places, known, weights, discount, ks)
    return values


def _percent(reached: FloatArray, ideal: FloatArray) -> float:
    total = float(ideal.sum())
    return 100 * float(reached.sum()) / total if total else math.nan


def _propensity_scored(
    places: IntArray, truth: Truth, weights: FloatArray, discount: FloatArray, ks: Sequence[int]
) -> dict[str, float]:
    """PSP and PSnDCG: over the most that k ranks can hold, the heaviest true labels in falling order."""
    if len(weights) <= int(truth.labels.max(initial=-1)) or truth.n_labels not in (None, len(weights)):
        raise DataError(
            f"weights or frequencies of {len(weights)} labels, but the truth has {truth.n_labels or 'more'}; "
            "give one for every label, also for those never seen in training"
        )
    of_true = weights[truth.labels]
    at_rank = np.append(of_true, 0.0)[places]  # (N, K); place -1 reads the 0 at the end
    heaviest = of_true[np.lexsort((-of_true, truth.rows))]
    rank = np.arange(len(truth.labels)) - np.repeat(truth.offsets[:-1], truth.counts)

    def percent(k: int, share: FloatArray) -> float:
        near = rank < k
        ideal: FloatArray = np.bincount(
            truth.rows[near], heaviest[near] * share[rank[near]], minlength=truth.size
        ).astype(np.float64)
        return _percent(np.cumsum(at_rank * share[: at_rank.shape[1]], axis=1)[:, k - 1], ideal)

    families = {"PSP": np.ones_like(discount), "PSnDCG": discount}
    return {f"{name}@{k}": percent(k, share) for name, share in families.items() for k in ks}


# ------------------------------------------------------------------------------- inverse propensities
# How much more a rarely seen label counts (Jain et al., KDD 2016, Eq. 2): 1 + C (freq + B)^-A with
# C = (ln N - 1) (B + 1)^A. N is the number of training documents, those without labels included
# (yourh deepxml/evaluation.py, pyxclib xclib/evaluation/xc_metrics.py, napkinXC python/napkinxc/metrics.py).

#: A and B of every data set that has none of its own.
DEFAULT_CONSTANTS = (0.55, 1.5)
_WIKIPEDIA, _AMAZON = (0.5, 0.4), (0.6, 2.6)
#: A and B by data set name, letters and digits only. Whole names, never prefixes: AmazonCat-13K has the
#: default values, not Amazon's (kunaldahiya/pyxclib #7, where the maintainer corrected himself).
_CONSTANTS = {
    "amazon670k": _AMAZON,
    "amazon3m": _AMAZON,
    "wiki500k": _WIKIPEDIA,
    "wikipedia500k": _WIKIPEDIA,
    "wikilshtc": _WIKIPEDIA,
    "wikilshtc325k": _WIKIPEDIA,
}


class PropensityWarning(UserWarning):
    """Inverse propensities below 1: labels would count for less than one hit."""


def propensity_constants(dataset: str) -> tuple[float, float]:
    """A and B that the field uses for this data set, by its name in any spelling.

    >>> propensity_constants("Amazon-670K"), propensity_constants("AmazonCat-13K")
    ((0.6, 2.6), (0.55, 1.5))
    """
    return _CONSTANTS.get(re.sub(r"[^a-z0-9]", "", dataset.lower()), DEFAULT_CONSTANTS)


def inverse_propensity(train_frequency: ArrayLike, n_train: int, *, A: float, B: float) -> FloatArray:
    """Inverse propensity of each label, from how many of the `n_train` training documents carry it.

    train_frequency (L,) -> (L,) float64; A and B as in `propensity_constants` (public programs default to .55
    and 1.5, and so print wrong values for Amazon-670K unless told). Warns for n_train < 3: below e, C is
    negative and weights fall under 1. Raises `DataError` for a frequency outside 0..n_train, `ConfigError`
    for A, B or n_train.
    """
    frequency = integers(train_frequency, "training frequencies")
    if n_train < 1 or not (math.isfinite(A) and A > 0 and math.isfinite(B) and B > 0):
        raise ConfigError(f"propensity with N={n_train!r}, A={A!r}, B={B!r}: all must be above 0")
    if len(frequency) and not 0 <= frequency.min() <= frequency.max() <= n_train:
        raise DataError(
            f"training frequencies from {frequency.min()} to {frequency.max()} of {n_train} training "
            "documents: count each label once per document, and all documents in N"
        )
    if n_train < 3:
        warnings.warn(
            f"{n_train} training documents make inverse propensities below 1", PropensityWarning, stacklevel=2
        )
    C = (math.log(n_train) - 1) * (B + 1) ** A
    return np.asarray(1 + C * (frequency + B) ** -A, dtype=np.float64)


# ------------------------------------------------------------------------------ F1 of label decisions


def label_f1(predicted: TruthLike, truth: TruthLike, n_labels: int | None = None) -> dict[str, float]:
    """Micro-F1, Macro-F1 and Another-Macro-F1, in percent, of decided label sets against true ones.

    A label that is neither predicted nor true counts 0 in the macro means (LibMultiLabel 0.10
    linear/metrics.py, scikit-learn's zero_division=0). Another-Macro-F1 is the F1 of mean precision and mean
    recall (Opitz and Burst 2019). Raises `DataError` unless sizes and L agree.
    """
    decided, true = as_truth(predicted), as_truth(truth)
    L = n_labels or true.n_labels or decided.n_labels
    if L is None or decided.size != true.size or {decided.n_labels or L, true.n_labels or L} != {L}:
        raise DataError(
            f"F1 of {decided.size} documents and {decided.n_labels} labels predicted against "
            f"{true.size} and {true.n_labels} true: they must agree, and the number of labels be known"
        )
    right = decided.labels[true.find(decided.rows, decided.labels) >= 0]
    hits, guessed, of_true = (np.bincount(ids, minlength=L) for ids in (right, decided.labels, true.labels))
    precision, recall = _mean_ratio(hits, guessed), _mean_ratio(hits, of_true)
    both = precision + recall
    return {
        "Micro-F1": 100 * _mean_ratio(2 * hits.sum(keepdims=True), (guessed + of_true).sum(keepdims=True)),
        "Macro-F1": 100 * _mean_ratio(2 * hits, guessed + of_true),
        "Another-Macro-F1": 100 * (2 * precision * recall / both if both else 0.0),
    }


def _mean_ratio(part: IntArray, whole: IntArray) -> float:
    # 0 / 0 is 0: no decision was needed and none was right.
    ratio = part / np.maximum(whole, 1)
    return float(ratio.mean()) if len(ratio) else 0.0
