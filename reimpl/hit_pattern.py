"""Which ranks of each document's list hit a true label: three bytes each, from which its metrics follow.

Predictions alone say nothing of single documents, since the truth is not in them; with these arrays P@k, R@k,
RP@k and nDCG@k of every document can be had exactly, up to rank 8, long after the data are gone.

Legend: N documents, K list length.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.metric_names import parse
from reimpl.truth import TruthLike, as_truth, check_lists

#: Of the arrays below; another number is not read.
VERSION = 1
#: Ranks that a byte holds.
RANKS = 8
_MOST_LABELS = np.iinfo(np.uint16).max

Arrays = Mapping[str, NDArray[Any]]


def hit_pattern(top_ids: ArrayLike, truth: TruthLike) -> dict[str, NDArray[Any]]:
    """The arrays to be kept with a run of the given lists (N, K), best first, -1 where a list ended.

        hits             (N,) uint8; bit r is set when the label at rank r + 1 is true (a label twice in a
                         list hits at its first rank only)
        true_labels      (N,) uint16; how many true labels the document has
        documents_sha256 (32,) uint8; SHA-256 of the truth: runs that agree in it were scored on the same
                         documents in the same order
        hits_format      (2,) uint8; version of these arrays, and how many ranks the lists had, 8 at most

    Raises `DataError` for lists or truth that do not fit each other, or a document of 65,536 labels or more.
    """
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
        "hits_format": np.array([VERSION, ranks], dtype=np.uint8),
    }


def is_kept(metric: str) -> bool:
    """Whether the arrays give this metric of each document."""
    try:
        found = parse(metric)
    except ConfigError:
        return False
    return found.family in ("P", "R", "RP", "nDCG") and found.k is not None and found.k <= RANKS


def of_documents(arrays: Arrays, metric: str) -> NDArray[np.float64]:
    """(N,) percent of each document; their mean is the metric, as `reimpl.metrics` gives it.

    Raises `DataError` for a metric that they do not give, or arrays of another version.
    """
    version, ranks = arrays["hits_format"].tolist()
    if version != VERSION:
        raise DataError(f"hits of version {version}, and {VERSION} is read; run again")
    if not is_kept(metric) or (parse(metric).k or 0) > ranks:
        raise DataError(f"{metric} of single documents is not in the hits of {ranks} ranks")
    name, k = parse(metric).family, parse(metric).k or 0
    at = (arrays["hits"][:, None] >> np.arange(k)) & 1  # (N, k)
    labels = arrays["true_labels"].astype(np.int64)
    discount = 1.0 / np.log2(np.arange(k) + 2.0)
    best = np.concatenate(([0.0], np.cumsum(discount)))
    gain = at @ discount if name == "nDCG" else at.sum(axis=1)
    ideal = {
        "P": np.full(len(labels), k),
        "R": np.maximum(labels, 1),
        "RP": np.clip(labels, 1, k),
        "nDCG": best[np.clip(labels, 1, k)],
    }[name]
    percent: NDArray[np.float64] = 100.0 * gain / ideal
    return percent


def copies(tokens: NDArray[Any], offsets: NDArray[Any]) -> NDArray[np.uint32] | None:
    """(N,) for each document the first one with the same tokens; None where no two are equal.

    Document i is `tokens[offsets[i]:offsets[i + 1]]`. Copies of a text are no further documents.
    """
    first: dict[bytes, int] = {}
    ends = offsets.tolist()
    found = [first.setdefault(tokens[ends[i] : ends[i + 1]].tobytes(), i) for i in range(len(ends) - 1)]
    return None if len(first) == len(found) else np.array(found, dtype=np.uint32)
