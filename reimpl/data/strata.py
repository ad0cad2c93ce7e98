"""Head and tail: labels grouped by how often they occur in training, and what is right in each group
(percent). Of its labels within the first k ranks: hits / (k N), which add up to P@k; hits / places with its
labels; hits / true ones; and the mean F1 of those predicted or true. 0 / 0 is None for a stratum and 0 for a
label alone. N test documents, L labels, K list length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from reimpl.data.dataset import IntArray
from reimpl.errors import ConfigError, DataError

#: Labels that hold half of all positives are the head, those of the last fifth the tail.
SHARES = (Fraction(1, 2), Fraction(4, 5))
NAMES = ("head", "torso", "tail")


@dataclass(frozen=True, eq=False)
class Strata:
    """L labels in groups, the most frequent first."""

    names: tuple[str, ...]
    of_label: IntArray  # int64 (L,): which stratum each label is in
    rule: str  # How the groups were made, in words

    @property
    def sizes(self) -> IntArray:
        """int64 (strata,): labels in each."""
        return np.bincount(self.of_label, minlength=len(self.names))


def by_share(frequency: ArrayLike) -> Strata:
    """The fewest most frequent labels that hold half of all positives, then up to four fifths, and the rest.
    `frequency` (L,): training documents of each label; ties by rising id. A label goes to the first stratum
    that is not yet full, so that one may be empty."""
    counts = _counts(frequency)
    order = np.lexsort((np.arange(len(counts)), -counts))
    before = np.cumsum(counts[order]) - counts[order]
    # exactly: in floating point 0.07 of 100 is more than 7, and would ask for one label too many
    full = [math.ceil(share * int(counts.sum())) for share in SHARES]
    of_label = np.empty(len(counts), dtype=np.int64)
    of_label[order] = np.searchsorted(full, before, side="right")
    rule = ", ".join(f"{100 * float(share):g} %" for share in SHARES)
    return Strata(NAMES, of_label, f"by share of all training labels: {rule}")


@dataclass(frozen=True)
class StratumScore:
    """What the first k ranks of all lists came to in one stratum; values in percent, None for 0 / 0."""

    name: str
    k: int
    labels: int  # Labels in the stratum
    true: int  # Labels of test documents that are in it
    share_of_precision: float  # Its part of P@k
    precision: float | None  # Of its places, those that are right
    recall: float | None  # Of its true labels, those that were found
    macro_f1: float | None  # Mean over its labels that are predicted or true


def scores_of_hits(
    top_ids: ArrayLike, hits: ArrayLike, true: ArrayLike, strata: Strata, *, k: int
) -> tuple[StratumScore, ...]:
    """Of top_ids (N, K) best first, -1 = list ended; hits (N,) uint8 as `reimpl.metrics` makes it; true (L,)
    documents that have each label. Raises `DataError` for arrays that do not fit each other and `ConfigError`
    for k beyond K."""
    L, ids, bits = len(strata.of_label), np.asarray(top_ids), np.asarray(hits)
    of_label = _counts(true)
    if ids.ndim != 2 or bits.shape != (len(ids),) or len(of_label) != L or (ids.size and ids.max() >= L):
        raise DataError("strata: lists, hits and labels are not of one data set")
    if not 1 <= k <= min(ids.shape[1], 8):
        raise ConfigError(f"strata: k is {k!r}; the lists are kept with their first {min(ids.shape[1], 8)}")
    ids = ids[:, :k]
    right = ids[((bits[:, None] >> np.arange(k)) & 1).astype(bool)]
    rows = np.broadcast_to(np.arange(len(ids))[:, None], ids.shape)[ids >= 0]
    predicted = np.unique(rows * L + ids[ids >= 0]) % max(L, 1)  # a label twice in a list once
    counts = np.stack((np.bincount(right, minlength=L), np.bincount(predicted, minlength=L), of_label))
    scores = []
    for stratum, name in enumerate(strata.names):
        mine = counts[:, strata.of_label == stratum]
        n_hits, n_predicted, n_true = mine.sum(axis=1).tolist()
        own_hits, own_predicted, own_true = mine[:, mine[1] + mine[2] > 0]
        score = StratumScore(
            name=name,
            k=k,
            labels=mine.shape[1],
            true=n_true,
            share_of_precision=100 * n_hits / (k * len(ids)),
            precision=100 * n_hits / n_predicted if n_predicted else None,
            recall=100 * n_hits / n_true if n_true else None,
            macro_f1=float(100 * (2 * own_hits / (own_predicted + own_true)).mean())
            if len(own_true)
            else None,
        )
        scores.append(score)
    return tuple(scores)


def _counts(frequency: ArrayLike) -> IntArray:
    counts = np.asarray(frequency)
    if counts.ndim != 1 or (counts.size and (counts.dtype.kind not in "iu" or counts.min() < 0)):
        raise DataError("strata: give the training documents of each label, whole numbers from 0")
    return counts.astype(np.int64)
