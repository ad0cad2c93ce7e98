"""Ranking metrics and F1, from top-k lists and sparse truth; relevance is binary, and no array is documents x
labels. P@k = hits / k; R@k = hits / |y|; RP@k = hits / min(k, |y|); nDCG@k, PSP@k, PSnDCG@k: sums of
1/log2(rank + 1), of inverse propensities, of both over hits / the best value of that sum. Each is 100 times a
sum over documents of what was reached over that of what could be. yourh/AttentionXML e2bbbec, pyxclib
5d13086, napkinXC e95fb3f and LibMultiLabel 5cd775a agree on all but PSnDCG: here total over total, as in
yourh. N documents, L labels, K list length, y the true labels of a document, M those of all together."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.metric_names import parse

IntArray = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Truth:
    """The true labels of N documents. Raises `DataError` naming the first invalid document."""

    offsets: IntArray  # (N + 1,), from 0 to M, never falling
    labels: IntArray  # (M,) label ids from 0, as the file has them: never shifted; rising within a document
    n_labels: int | None = None  # L, when known: then an id from L on is an error, here and in a list

    def __post_init__(self) -> None:
        for name in ("offsets", "labels"):
            object.__setattr__(self, name, integers(getattr(self, name), f"true {name}"))
        offsets, labels = self.offsets, self.labels
        flat = offsets.ndim == labels.ndim == 1 and len(offsets) > 0
        if not flat or offsets[0] != 0 or offsets[-1] != len(labels) or (np.diff(offsets) < 0).any():
            raise DataError(f"true labels: offsets must rise from 0 to the number of labels, {len(labels)}")
        outside = (labels < 0) | (labels >= (np.inf if self.n_labels is None else self.n_labels))
        if outside.any():
            at = int(outside.argmax())
            where = f"label id {int(labels[at])} of document {int(self.rows[at])}"
            last = "..." if self.n_labels is None else self.n_labels - 1
            raise DataError(f"true labels: {where} is outside 0 to {last}; give ids of the label list")
        wrong = (np.diff(labels) <= 0) & (np.diff(self.rows) == 0)
        if wrong.any():
            at = int(wrong.argmax())
            has = f"document {int(self.rows[at])} has label {int(labels[at + 1])} after {int(labels[at])}"
            raise DataError(f"true labels: {has}; labels must be sorted, each at most once")

    @classmethod
    def from_csr(cls, matrix: Any) -> Truth:
        """From a scipy sparse matrix (N, L) of zeros and ones; graded relevance is refused (`DataError`)."""
        csr = matrix.tocsr().copy()
        csr.sum_duplicates()  # also sorts the ids of a row
        csr.eliminate_zeros()  # a stored zero is no label
        graded = csr.data[csr.data != 1]
        if len(graded):
            # The metrics here are of binary relevance by definition; taking 3 for "relevant" would report
            # the value of another problem without a word (recommenders-team/recommenders #1749).
            raise DataError(f"true labels: found {graded[0].item()!r}, a label is there (1) or not (0)")
        return cls(csr.indptr, csr.indices, n_labels=int(csr.shape[1]))

    @classmethod
    def from_lists(cls, documents: Iterable[Iterable[int]], n_labels: int | None = None) -> Truth:
        """From one set of label ids per document; for small inputs (a loop over documents)."""
        rows = [sorted(document) for document in documents]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(offsets, np.array([label for row in rows for label in row], dtype=np.int64), n_labels)

    @property
    def size(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def counts(self) -> IntArray:
        """(N,) number of labels of each document."""
        return np.diff(self.offsets)

    @cached_property
    def rows(self) -> IntArray:
        """(M,) the document of each label."""
        return np.repeat(np.arange(self.size), self.counts)

    def find(self, rows: IntArray, ids: IntArray) -> IntArray:
        """Place in `labels` of each (document, label) pair, -1 where the pair is not true. Any shape."""
        base = 1 + max(int(self.labels.max(initial=-1)), int(ids.max(initial=-1)))
        keys = self.rows * base + self.labels  # rises, since documents and labels within them do
        wanted = rows.astype(np.int64) * base + ids
        places = np.searchsorted(keys, wanted.ravel()).reshape(wanted.shape)
        if not len(keys):
            return np.full(wanted.shape, -1)
        true = keys[np.minimum(places, len(keys) - 1)] == wanted
        return np.where(true & (ids >= 0), places, -1)  # an ended list would alias the document before

    def places(self, lists: IntArray) -> IntArray:
        """(N, K) place in `labels` of each id of the lists, -1 where it is not true. A label twice in a list
        is at its first rank only: a hit at each would make metrics exceed 1."""
        places = self.find(np.broadcast_to(np.arange(len(lists))[:, None], lists.shape), lists)
        seen = np.zeros(len(self.labels), dtype=bool)
        for at_rank in places.T:  # a document has one label at a rank, so no place comes twice here
            true = at_rank >= 0
            at_rank[true] = np.where(seen[at_rank[true]], -1, at_rank[true])
            seen[at_rank[at_rank >= 0]] = True
        return places


#: What the metrics accept as truth: `Truth`, a scipy sparse matrix, or (offsets, sorted labels).
TruthLike = Truth | tuple[ArrayLike, ArrayLike] | Any


def as_truth(truth: TruthLike) -> Truth:
    if isinstance(truth, tuple):
        return Truth(np.asarray(truth[0]), np.asarray(truth[1]))
    return truth if isinstance(truth, Truth) else Truth.from_csr(truth)


def integers(values: ArrayLike, what: str) -> IntArray:
    """`values` as whole numbers; an empty array may have any type. Raises `DataError` for others."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{what}: numbers of type {array.dtype}, give whole numbers (label ids from 0)")
    return array.astype(np.int64, copy=False) if array.dtype.kind != "i" else array


def check_lists(top_ids: ArrayLike, truth: Truth, ks: Sequence[int]) -> IntArray:
    """The first max(ks) ids of each list as int64 (N, K), checked. Raises `DataError` or `ConfigError`."""
    ids, L = integers(top_ids, "ranked lists"), truth.n_labels
    if ids.ndim != 2 or len(ids) != truth.size or not truth.size:
        what = f"ranked lists of shape {ids.shape} for {truth.size} documents with true labels"
        raise DataError(f"{what}; give one list for every document, all -1 where nothing was predicted")
    most = min(ids.shape[1], ids.shape[1] if L is None else L)
    for k in ks:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= most:
            # A list cut at K says nothing about rank K + 1: that is not "wrong", it is unknown.
            of = f"lists of length {ids.shape[1]}" + ("" if L is None else f" and {L} labels")
            raise ConfigError(f"metric at k={k!r} of {of}: k must be a whole number from 1 to {most}")
    ids = ids[:, : max(ks)].astype(np.int64, copy=False)
    if L is not None and (high := int(ids.max())) >= L:
        row = int(np.flatnonzero((ids == high).any(axis=1))[0])
        raise DataError(f"ranking of document {row}: label id {high} is outside the {L} labels of the truth")
    if int(ids.min()) < -1 or ((ids[:, :-1] < 0) & (ids[:, 1:] >= 0)).any():
        raise DataError("ranked lists: ids are 0 or above, and after the first -1 (list ended) only -1")
    return ids


FloatArray = NDArray[np.float64]


def evaluate(
    top_ids: ArrayLike, truth: TruthLike, ks: Sequence[int] = (1, 3, 5), *, weights: FloatArray | None = None
) -> dict[str, float]:
    """Every metric at every k, in percent: P@1, ..., nDCG@5, and with weights of labels (L,) PSP and PSnDCG.
    top_ids (N, K) label ids, best first, -1 = list ended. A document without labels counts 0, as in all
    programs. Raises `DataError` and `ConfigError`."""
    known = as_truth(truth)
    places = known.places(check_lists(top_ids, known, ks))
    y, hits = known.counts, places >= 0
    discount = np.asarray(1 / np.log2(np.arange(max(hits.shape[1], int(y.max()))) + 2))
    found, dcg = hits.cumsum(axis=1), np.cumsum(hits * discount[: hits.shape[1]], axis=1)
    reached = {"P": found, "R": found, "RP": found, "nDCG": dcg}
    values = {
        f"{name}@{k}": _percent(gain[:, k - 1] / _ideal(name, y, k), np.ones(known.size))
        for name, gain in reached.items()
        for k in ks
    }
    if weights is not None:
        values |= _propensity_scored(places, known, weights, discount, ks)
    return values


def _ideal(name: str, labels: IntArray, k: int) -> NDArray[Any] | int:
    """The most that a document with so many true labels can reach at k."""
    if name == "P":  # k always: also for a list shorter than k and a document with fewer than k labels
        return k
    if name == "R":  # without labels there are no hits: 0, not 1 (ASUS-AICS/LibMultiLabel archive PR #351)
        return np.maximum(labels, 1)
    filled = np.clip(labels, 1, k)
    if name == "RP":  # Chalkidis et al. 2019, Eq. 3; as LibMultiLabel linear/metrics.py
        return filled
    # the ideal nDCG counts true labels, never returned ones (elasticsearch PR #154362)
    return np.asarray(np.cumsum(1 / np.log2(np.arange(k) + 2))[filled - 1])


def _percent(reached: FloatArray, ideal: FloatArray) -> float:
    total = float(ideal.sum())
    return 100 * float(reached.sum()) / total if total else math.nan


def _propensity_scored(
    places: IntArray, truth: Truth, weights: FloatArray, discount: FloatArray, ks: Sequence[int]
) -> dict[str, float]:
    """PSP and PSnDCG: over the most that k ranks can hold, the heaviest true labels in falling order."""
    if len(weights) <= int(truth.labels.max(initial=-1)) or truth.n_labels not in (None, len(weights)):
        what = f"weights of {len(weights)} labels, but the truth has {truth.n_labels or 'more'}"
        raise DataError(f"{what}; give one for every label, also for those never seen in training")
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


def propensity_constants(dataset: str) -> tuple[float, float]:
    """A and B that the field uses for this data set, by its name in any spelling."""
    return _CONSTANTS.get(re.sub(r"[^a-z0-9]", "", dataset.lower()), DEFAULT_CONSTANTS)


def inverse_propensity(train_frequency: ArrayLike, n_train: int, *, A: float, B: float) -> FloatArray:
    """Inverse propensity (L,) of each label, from how many of the `n_train` training documents carry it (L,).
    Raises `DataError` for a frequency outside 0..n_train, `ConfigError` for A, B or n_train."""
    frequency = integers(train_frequency, "training frequencies")
    if n_train < 1 or not (math.isfinite(A) and A > 0 and math.isfinite(B) and B > 0):
        raise ConfigError(f"propensity with N={n_train!r}, A={A!r}, B={B!r}: all must be above 0")
    if len(frequency) and not 0 <= frequency.min() <= frequency.max() <= n_train:
        what = f"training frequencies from {frequency.min()} to {frequency.max()}"
        raise DataError(f"{what} of {n_train} training documents: count each label once per document")
    C = (math.log(n_train) - 1) * (B + 1) ** A
    return np.asarray(1 + C * (frequency + B) ** -A, dtype=np.float64)


# ------------------------------------------------------------------------------ F1 of label decisions


def label_f1(predicted: TruthLike, truth: TruthLike, n_labels: int | None = None) -> dict[str, float]:
    """Micro-F1, Macro-F1 and Another-Macro-F1 (the F1 of mean precision and mean recall, Opitz and Burst
    2019), in percent, of decided label sets. A label neither predicted nor true counts 0 in the macro means
    (LibMultiLabel 0.10, scikit-learn's zero_division=0). Raises `DataError` unless sizes and L agree."""
    decided, true = as_truth(predicted), as_truth(truth)
    L = n_labels or true.n_labels or decided.n_labels
    if L is None or decided.size != true.size or {decided.n_labels or L, true.n_labels or L} != {L}:
        what = f"F1 of {decided.size} documents and {decided.n_labels} labels"
        raise DataError(f"{what} against {true.size} and {true.n_labels} true: they must agree")
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


# ------------------------------------------------------------------------------ hits of single documents
# Three bytes a document, from which its metrics follow. Predictions alone say nothing of single documents,
# since the truth is not in them; with these arrays P@k, R@k, RP@k and nDCG@k of every document can be had
# exactly, up to rank 8, long after the data are gone.

#: Of the arrays below; another number is not read.
HITS_VERSION = 1
#: Ranks that a byte holds.
RANKS = 8
_MOST_LABELS = np.iinfo(np.uint16).max

Arrays = Mapping[str, NDArray[Any]]


def hit_pattern(top_ids: ArrayLike, truth: TruthLike) -> dict[str, NDArray[Any]]:
    """What is stored with a run of the given lists (N, K): `hits` (N,) uint8, bit r set when the label at
    rank r + 1 is true; `true_labels` (N,) uint16; `documents_sha256` (32,) of the truth, the same for runs on
    the same documents; `hits_format` (2,): version, and how many ranks, 8 at most. Raises `DataError`."""
    known = as_truth(truth)
    ranks = min(RANKS, np.asarray(top_ids).shape[-1])
    ids = check_lists(top_ids, known, (ranks,))
    if known.size and int(known.counts.max()) > _MOST_LABELS:
        raise DataError(f"a document has {int(known.counts.max())} labels; at most {_MOST_LABELS} are kept")
    bits = (known.places(ids) >= 0).astype(np.uint8) << np.arange(ids.shape[1], dtype=np.uint8)
    hits = np.bitwise_or.reduce(bits, axis=1, dtype=np.uint8)
    content = np.concatenate((known.offsets.astype("<i8"), known.labels.astype("<i8"))).tobytes()
    return {
        "hits": hits,
        "true_labels": known.counts.astype(np.uint16),
        "documents_sha256": np.frombuffer(hashlib.sha256(content).digest(), dtype=np.uint8),
        "hits_format": np.array([HITS_VERSION, ranks], dtype=np.uint8),
    }


def is_kept(metric: str) -> bool:
    """Whether the arrays determine this metric of each document."""
    try:
        found = parse(metric)
    except ConfigError:
        return False
    return found.family in ("P", "R", "RP", "nDCG") and found.k is not None and found.k <= RANKS


def of_documents(arrays: Arrays, metric: str) -> FloatArray:
    """(N,) percent of each document; their mean is the metric. Raises `DataError` for another one."""
    version, ranks = arrays["hits_format"].tolist()
    if version != HITS_VERSION:
        raise DataError(f"hits of version {version}, and {HITS_VERSION} is read; run again")
    if not is_kept(metric) or (parse(metric).k or 0) > ranks:
        raise DataError(f"{metric} of single documents is not in the hits of {ranks} ranks")
    name, k = parse(metric).family, parse(metric).k or 0
    at = (arrays["hits"][:, None] >> np.arange(k)) & 1  # (N, k)
    labels = arrays["true_labels"].astype(np.int64)
    discount = 1 / np.log2(np.arange(k) + 2)
    gain = at @ discount if name == "nDCG" else at.sum(axis=1)
    return np.asarray(100.0 * gain / _ideal(name, labels, k), dtype=np.float64)
