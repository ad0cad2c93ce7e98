"""Head and tail: labels grouped by how often they occur in training, and what is right in each group.

From top-k lists and truth, for the labels of a stratum and the first k ranks:

    share of P@k   hits / (k N): over the strata these add up to P@k
    precision      hits / places of the lists that hold one of its labels
    recall         hits / true labels of test documents that are its labels
    macro          unweighted means over its labels of precision, recall and F1 of each label alone

P@k of rankings of the stratum's labels alone would need the scores of all labels, and is another number.
0 / 0 is None for a stratum (nothing was asked or said) and 0 for a label alone, as in `reimpl.f1`; labels
that are neither predicted nor true are left out of the macro means. All values are percent.

Legend: N test documents, L labels, K list length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from reimpl.data.dataset import BoolArray, IntArray
from reimpl.errors import ConfigError, DataError
from reimpl.f1 import LabelCounts
from reimpl.label_lists import check_lists
from reimpl.truth import Truth, TruthLike, as_truth

#: Labels that hold half of all positives are the head, those of the last fifth the tail.
SHARES = (0.5, 0.8)
#: Fewer than 5 training documents, fewer than 50, and the rest.
EDGES = (5, 50)


@dataclass(frozen=True, eq=False)
class Strata:
    """L labels in groups, the most frequent first."""

    names: tuple[str, ...]
    of_label: IntArray
    """int64 (L,): which stratum each label is in."""
    frequency: IntArray
    """int64 (L,): training documents that have it."""
    rule: str
    """How the groups were made, in words."""

    @property
    def sizes(self) -> IntArray:
        """int64 (strata,): labels in each."""
        return np.bincount(self.of_label, minlength=len(self.names))


def by_share(frequency: ArrayLike, shares: Sequence[float] = SHARES) -> Strata:
    """The fewest most frequent labels that hold `shares[0]` of all positives, then up to `shares[1]`, ...

    Two shares make head, torso and tail, one makes head and tail. Equally frequent labels are taken by rising
    id; a label goes to the first stratum that is not yet full, so that a stratum may be empty.
    Raises `ConfigError` for shares that do not rise from 0 to 1, `DataError` for frequencies that are none.

    >>> by_share([1, 6, 1, 2], [0.5]).of_label.tolist()
    [1, 0, 1, 1]
    """
    counts = _counts(frequency)
    _check_rising(shares, "shares")
    if not all(0 < it < 1 for it in shares):
        raise ConfigError(f"strata: shares must lie between 0 and 1, not {list(shares)!r}")
    order = np.lexsort((np.arange(len(counts)), -counts))
    before = np.concatenate(([0], np.cumsum(counts[order])[:-1])) if len(counts) else counts
    # Exactly: in floating point 0.07 of 100 is more than 7, and would ask for one label too many.
    full = [math.ceil(Fraction(str(share)) * int(counts.sum())) for share in shares]
    of_label = np.empty(len(counts), dtype=np.int64)
    of_label[order] = np.searchsorted(full, before, side="right")
    rule = ", ".join(f"{100 * it:g} %" for it in shares)
    return Strata(_names(len(shares) + 1), of_label, counts, f"by share of all training labels: {rule}")


def by_threshold(frequency: ArrayLike, edges: Sequence[int] = EDGES) -> Strata:
    """By training documents a label: the tail has fewer than `edges[0]`, and so on upwards.

    Raises as `by_share`.

    >>> by_threshold([0, 4, 5, 50], [5, 50]).of_label.tolist()
    [2, 2, 1, 0]
    """
    counts = _counts(frequency)
    _check_rising(edges, "edges")
    above = np.searchsorted(np.asarray(edges), counts, side="right")
    ranges = [f"under {edges[0]}", *(f"{a} to {b - 1}" for a, b in pairwise(edges))]
    rule = ", ".join([*ranges, f"{edges[-1]} and more"])
    return Strata(
        _names(len(edges) + 1), len(edges) - above, counts, f"by training documents a label: {rule}"
    )


@dataclass(frozen=True)
class StratumScore:
    """What the first k ranks of all lists came to in one stratum; values in percent."""

    name: str
    k: int
    labels: int
    """Labels in the stratum."""
    true: int
    """Labels of test documents that are in it."""
    predicted: int
    """Places of the lists that hold one of them."""
    hits: int
    share_of_precision: float
    """Its part of P@k."""
    precision: float | None
    """Of its places, those that are right; None where there are none."""
    recall: float | None
    """Of its true labels, those that were found; None where there are none."""
    macro_precision: float | None
    """Mean over its labels that are predicted or true; None where there are none."""
    macro_recall: float | None
    macro_f1: float | None


def scores(top_ids: ArrayLike, truth: TruthLike, strata: Strata, *, k: int) -> tuple[StratumScore, ...]:
    """What each stratum came to; top_ids (N, K) best first, -1 = list ended; a label twice counts once.

    Raises `DataError` for lists or truth that do not fit each other and `ConfigError` for k beyond K.
    """
    L = len(strata.of_label)
    known = as_truth(truth, L)
    if known.n_labels != L:
        raise DataError(
            f"strata of {L} labels, but the truth has {known.n_labels}; take both of one data set"
        )
    return _scores(_label_counts(check_lists(top_ids, known, (k,)), known, L), strata, k, known.size)


def scores_of_hits(
    top_ids: ArrayLike, hits: ArrayLike, true: ArrayLike, strata: Strata, *, k: int
) -> tuple[StratumScore, ...]:
    """The same of what is kept with a run: its lists, which ranks hit, and documents that have each label.

    hits (N,) uint8 as `reimpl.hit_pattern` makes it, k at most its ranks; true (L,). Raises `DataError` for
    arrays that do not fit each other and `ConfigError` for k beyond K.
    """
    L, ids, bits = len(strata.of_label), np.asarray(top_ids), np.asarray(hits)
    of_label = _counts(true)
    if ids.ndim != 2 or bits.shape != (len(ids),) or len(of_label) != L or (ids.size and ids.max() >= L):
        raise DataError("strata: lists, hits and labels are not of one data set")
    if not 1 <= k <= min(ids.shape[1], 8):
        raise ConfigError(f"strata: k is {k!r}; the lists are kept with their first {min(ids.shape[1], 8)}")
    ids = ids[:, :k]
    right = ids[((bits[:, None] >> np.arange(k)) & 1).astype(bool)]
    predicted = _pairs(ids, L) % max(L, 1)
    counts = LabelCounts(np.bincount(right, minlength=L), np.bincount(predicted, minlength=L), of_label)
    return _scores(counts, strata, k, len(ids))


def _scores(counts: LabelCounts, strata: Strata, k: int, documents: int) -> tuple[StratumScore, ...]:
    return tuple(
        _score(name, k, k * documents, _of(counts, strata.of_label == stratum))
        for stratum, name in enumerate(strata.names)
    )


def _label_counts(ids: IntArray, truth: Truth, L: int) -> LabelCounts:
    """Per label: hits, lists that have it, documents that have it."""
    rows, labels = np.divmod(_pairs(ids, L), max(L, 1))
    right = truth.find(rows, labels) >= 0
    every = (labels[right], labels, truth.labels)
    return LabelCounts(*(np.bincount(it, minlength=L) for it in every))


def _pairs(ids: IntArray, L: int) -> IntArray:
    """Row * L + label of every place, a label twice in a list once."""
    rows = np.broadcast_to(np.arange(len(ids))[:, None], ids.shape)[ids >= 0]
    pairs: IntArray = np.unique(rows * L + ids[ids >= 0])
    return pairs


def _of(counts: LabelCounts, mask: BoolArray) -> LabelCounts:
    return LabelCounts(counts.hits[mask], counts.predicted[mask], counts.true[mask])


def _score(name: str, k: int, places: int, counts: LabelCounts) -> StratumScore:
    hits, predicted, true = (int(it.sum()) for it in (counts.hits, counts.predicted, counts.true))
    seen = _of(counts, counts.predicted + counts.true > 0)
    return StratumScore(
        name=name,
        k=k,
        labels=len(counts.hits),
        true=true,
        predicted=predicted,
        hits=hits,
        share_of_precision=100 * hits / places,
        precision=100 * hits / predicted if predicted else None,
        recall=100 * hits / true if true else None,
        macro_precision=_macro(seen.hits, seen.predicted),
        macro_recall=_macro(seen.hits, seen.true),
        macro_f1=_macro(2 * seen.hits, seen.predicted + seen.true),
    )


def _macro(part: IntArray, whole: IntArray) -> float | None:
    return float(100 * (part / np.maximum(whole, 1)).mean()) if len(part) else None


def _names(n: int) -> tuple[str, ...]:
    if n == 2:
        return ("head", "tail")
    return ("head", "torso", "tail") if n == 3 else tuple(f"stratum {i + 1}" for i in range(n))


def _counts(frequency: ArrayLike) -> IntArray:
    counts = np.asarray(frequency)
    if counts.ndim != 1 or (counts.size and (counts.dtype.kind not in "iu" or counts.min() < 0)):
        raise DataError("strata: give the training documents of each label, whole numbers from 0")
    return counts.astype(np.int64)


def _check_rising(values: Sequence[float], what: str) -> None:
    if not len(values) or any(not a < b for a, b in pairwise(values)):
        raise ConfigError(f"strata: {what} must rise, and be at least one, not {list(values)!r}")
