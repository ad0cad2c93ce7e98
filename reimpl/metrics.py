"""Ranking metrics of extreme multi-label classification, from top-k lists and sparse truth.

    P@k      hits / k
    R@k      hits / |y|
    RP@k     hits / min(k, |y|)
    nDCG@k   sum of 1/log2(rank + 1) over hits / the best value of that sum
    PSP@k    sum of inverse propensities of hits / the best value of that sum
    PSnDCG@k the same with both weights

Relevance is binary. A metric is a ratio of two sums over documents, and `PerDocument` keeps both terms of
every document. Public programs agree on all of it for lists without repeats, except on PSnDCG; where they
differ, `Convention` names the choices. All values are in percent. No array is documents x labels.

Legend: N documents, L labels, K list length, y the true labels of a document.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.label_lists import check_lists
from reimpl.metric_names import METRICS, Metric, parse
from reimpl.propensity import inverse_propensity
from reimpl.truth import IntArray, Truth, TruthLike, as_truth

FloatArray = NDArray[np.float64]

__all__ = [
    "CONVENTIONS",
    "METRICS",
    "OURS",
    "Convention",
    "Metric",
    "PerDocument",
    "evaluate",
    "parse",
    "per_instance",
]


@dataclass(frozen=True)
class Convention:
    """The choices on which public programs differ; the defaults are ours."""

    empty: Literal["zero", "skip"] = "zero"
    """A document without labels counts 0 in P, R, RP, nDCG (as in all programs), or is left out."""
    repeats: Literal["once", "each"] = "once"
    """A label twice in a list: a hit at its first rank only, so that nothing exceeds 1, or at each rank."""
    repeats_discounted: Literal["once", "each"] = "once"
    """The same for nDCG and PSnDCG, where yourh counts each although its P and PSP count once."""
    ideal_dcg: Literal["reachable", "all_labels"] = "reachable"
    """Best nDCG sum over min(|y|, k) ranks, or over |y| even if that is more (1 is then out of reach)."""
    psp: Literal["normalised", "sum"] = "normalised"
    """Total over best total (all programs), in [0, 1]; or the plain mean of sum / k (AttentionXML, Eq. 4)."""
    psndcg: Literal["total", "per_document"] = "total"
    """Total over best total (yourh); or both divided per document by its unweighted best sum first (pyxclib,
    napkinXC). They differ at k > 1, by up to 12 points on small problems."""


OURS = Convention()

_EACH = Convention(repeats="each", repeats_discounted="each", psndcg="per_document")

#: By the public program whose values they give.
CONVENTIONS = {
    "ours": OURS,
    "yourh": Convention(repeats_discounted="each"),  # deepxml/evaluation.py
    "pyxclib": _EACH,  # xclib/evaluation/xc_metrics.py
    "napkinxc": _EACH,  # python/napkinxc/metrics.py
    "libmultilabel": OURS,  # linear/metrics.py; takes score rows only, so a list cannot repeat
}


@dataclass(frozen=True)
class PerDocument:
    """One metric of N documents, before the mean: the metric is 100 times sum(gain) / sum(ideal)."""

    gain: FloatArray
    """(N,) what each document reached."""
    ideal: FloatArray
    """(N,) what it could reach: 1 for P, R, RP and nDCG, 0 for a document that does not count."""

    @property
    def mean(self) -> float:
        """Percent; NaN when no document counts (0 / 0, as in every program read)."""
        ideal = float(self.ideal.sum())
        return 100 * float(self.gain.sum()) / ideal if ideal else math.nan

    @property
    def values(self) -> FloatArray:
        """(N,) percent of each document alone, NaN where it does not count. For PSP this has another mean."""
        values: FloatArray = np.full(len(self.gain), math.nan)
        np.divide(100 * self.gain, self.ideal, out=values, where=self.ideal != 0)
        return values


def evaluate(
    top_ids: ArrayLike,
    truth: TruthLike,
    ks: Sequence[int] = (1, 3, 5),
    *,
    train_frequency: ArrayLike | None = None,
    n_train: int | None = None,
    A: float | None = None,
    B: float | None = None,
    convention: Convention = OURS,
) -> dict[str, float]:
    """Every metric at every k, in percent: P@1, ..., nDCG@5, and PSP and PSnDCG when frequencies are given.

    top_ids (N, K) label ids, best first, -1 = list ended; truth as `reimpl.truth.TruthLike`;
    train_frequency (L,) documents of the training set that carry each label, of `n_train` in all, with A and
    B of `reimpl.propensity.propensity_constants`. Raises `DataError` for lists or truth that do not fit each
    other and `ConfigError` for a k that cannot be answered.
    """
    weights = _weights(train_frequency, n_train, A, B)
    scored = _Scored.of(top_ids, truth, ks, weights, convention)
    return {name: each.mean for name, each in _families(scored, ks)}


def per_instance(
    top_ids: ArrayLike,
    truth: TruthLike,
    ks: Sequence[int] = (1, 3, 5),
    *,
    inverse_propensities: ArrayLike | None = None,
    convention: Convention = OURS,
) -> dict[str, PerDocument]:
    """As `evaluate`, with both terms of every document; inverse propensities (L,) are given as they are."""
    weights = None if inverse_propensities is None else np.asarray(inverse_propensities, dtype=np.float64)
    return dict(_families(_Scored.of(top_ids, truth, ks, weights, convention), ks))


def _weights(
    train_frequency: ArrayLike | None, n_train: int | None, A: float | None, B: float | None
) -> FloatArray | None:
    if train_frequency is None:
        return None
    if n_train is None or A is None or B is None:
        # Public programs default to A=.55, B=1.5, and so print wrong values for Amazon-670K unless told.
        raise ConfigError(
            f"PSP needs n_train, A and B beside the frequencies, got {n_train!r}, {A!r} and {B!r}: "
            "take A and B from propensity_constants(data set name)"
        )
    return inverse_propensity(train_frequency, n_train, A=A, B=B)


def _label_weights(weights: FloatArray, truth: Truth) -> FloatArray:
    """(M,) the weight of each true label."""
    if len(weights) <= int(truth.labels.max(initial=-1)) or truth.n_labels not in (None, len(weights)):
        raise DataError(
            f"weights or frequencies of {len(weights)} labels, but the truth has {truth.n_labels or 'more'}; "
            "give one for every label, also for those never seen in training"
        )
    return weights[truth.labels]


@dataclass(frozen=True)
class _Scored:
    """The hits of all lists, from which each metric is one line."""

    truth: Truth
    found: IntArray  # (N, K) place in truth.labels of the label at each rank, -1 where it is not true
    weights: FloatArray | None  # (M,) inverse propensity of each true label
    convention: Convention

    @classmethod
    def of(
        cls,
        top_ids: ArrayLike,
        truth: TruthLike,
        ks: Sequence[int],
        weights: FloatArray | None,
        how: Convention,
    ) -> _Scored:
        known = as_truth(truth, None if weights is None else len(weights))
        ids = check_lists(top_ids, known, ks)
        found = known.find(np.broadcast_to(np.arange(len(ids))[:, None], ids.shape), ids)
        return cls(known, found, None if weights is None else _label_weights(weights, known), how)

    @cached_property
    def discount(self) -> FloatArray:
        """1 / log2(rank + 1) for ranks 1, 2, ... as far as any list or label set goes."""
        longest = max(self.found.shape[1], int(self.truth.counts.max()))
        return np.asarray(1 / np.log2(np.arange(longest) + 2))

    def hits(self, repeats: str) -> NDArray[np.bool_]:
        """(N, K) whether the label at a rank counts as a hit."""
        return self.found >= 0 if repeats == "each" else self.first_hits

    @cached_property
    def first_hits(self) -> NDArray[np.bool_]:
        """(N, K) the same, a label twice in a list counting at its first rank only."""
        hits, seen = self.found >= 0, np.zeros(len(self.truth.labels), dtype=bool)
        for rank in range(hits.shape[1]):  # a document has one label at a rank, so no place comes twice here
            places = self.found[hits[:, rank], rank]
            hits[hits[:, rank], rank] = ~seen[places]
            seen[places] = True
        return hits

    @cached_property
    def n_hits(self) -> IntArray:
        """(N, K) hits among the first 1, 2, ... K."""
        return self.hits(self.convention.repeats).cumsum(axis=1)

    @cached_property
    def dcg(self) -> FloatArray:
        """(N, K) the same, discounted by rank."""
        hits = self.hits(self.convention.repeats_discounted)
        return np.cumsum(hits * self.discount[: hits.shape[1]], axis=1)

    @cached_property
    def best_dcg(self) -> FloatArray:
        """(longest + 1,) the sum of the first 0, 1, 2, ... discounts."""
        return np.concatenate(([0.0], np.cumsum(self.discount)))

    @cached_property
    def counted(self) -> FloatArray:
        """(N,) 1, or 0 for a document that the mean leaves out."""
        skip = self.convention.empty == "skip"
        return self.truth.counts.astype(bool).astype(float) if skip else np.ones(self.truth.size)

    @cached_property
    def weight(self) -> FloatArray:
        """(N, K) inverse propensity of the label at each rank, 0 where it is not true."""
        assert self.weights is not None
        return np.append(self.weights, 0.0)[self.found]  # place -1 reads the 0 at the end

    @cached_property
    def gain(self) -> FloatArray:
        """(N, K) inverse propensities of the hits among the first 1, 2, ... K."""
        return np.cumsum(self.hits(self.convention.repeats) * self.weight, axis=1)

    @cached_property
    def discounted_gain(self) -> FloatArray:
        """(N, K) the same, discounted by rank."""
        hits = self.hits(self.convention.repeats_discounted)
        return np.cumsum(hits * self.weight * self.discount[: hits.shape[1]], axis=1)

    @cached_property
    def by_weight(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Document, rank from 0 and weight of each true label, the heaviest of each document first."""
        assert self.weights is not None
        rows = self.truth.rows
        order = np.lexsort((-self.weights, rows))
        rank = np.arange(len(rows)) - np.repeat(self.truth.offsets[:-1], self.truth.counts)
        return rows, rank, self.weights[order]

    def best_gain(self, k: int, discount: FloatArray | None = None) -> FloatArray:
        """(N,) the most that the first k ranks can hold: the k heaviest true labels in falling order."""
        rows, rank, weight = self.by_weight
        near = rank < k
        gain = weight[near] if discount is None else weight[near] * discount[rank[near]]
        return np.asarray(np.bincount(rows[near], weights=gain, minlength=self.truth.size), dtype=np.float64)


def _families(scored: _Scored, ks: Sequence[int]) -> Iterator[tuple[str, PerDocument]]:
    families = [("P", _p), ("R", _r), ("RP", _rp), ("nDCG", _ndcg)]
    if scored.weights is not None:
        families += [("PSP", _psp), ("PSnDCG", _psndcg)]
    return ((f"{name}@{k}", metric(scored, k)) for name, metric in families for k in ks)


def _p(s: _Scored, k: int) -> PerDocument:
    # Divided by k always: also for a list shorter than k and a document with fewer than k labels.
    return PerDocument(s.n_hits[:, k - 1] / k, s.counted)


def _r(s: _Scored, k: int) -> PerDocument:
    # Without labels there are no hits: 0, not 1 (ASUS-AICS/LibMultiLabel archive PR #351).
    return PerDocument(s.n_hits[:, k - 1] / np.maximum(s.truth.counts, 1), s.counted)


def _rp(s: _Scored, k: int) -> PerDocument:
    # Chalkidis et al. 2019, Eq. 3; as LibMultiLabel linear/metrics.py.
    return PerDocument(s.n_hits[:, k - 1] / np.clip(s.truth.counts, 1, k), s.counted)


def _ndcg(s: _Scored, k: int) -> PerDocument:
    # The ideal counts true labels, never returned ones (elasticsearch PR #154362).
    reach = s.truth.counts if s.convention.ideal_dcg == "all_labels" else np.minimum(s.truth.counts, k)
    return PerDocument(s.dcg[:, k - 1] / s.best_dcg[np.maximum(reach, 1)], s.counted)


def _psp(s: _Scored, k: int) -> PerDocument:
    if s.convention.psp == "sum":
        return PerDocument(s.gain[:, k - 1] / k, s.counted)
    return PerDocument(s.gain[:, k - 1], s.best_gain(k))


def _psndcg(s: _Scored, k: int) -> PerDocument:
    gain, ideal = s.discounted_gain[:, k - 1], s.best_gain(k, s.discount)
    if s.convention.psndcg == "per_document":
        unweighted = s.best_dcg[np.clip(s.truth.counts, 1, k)]
        gain, ideal = gain / unweighted, ideal / unweighted
    return PerDocument(gain, ideal)
