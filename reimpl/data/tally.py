"""What one pass over a split counts: of documents with text, or of documents that are features."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from reimpl.data.formats.bow import BowSplit
from reimpl.data.source import ContentHash, Document


@dataclass
class Tally:
    """Counts of one split; texts (or rows of features) are kept as digests only."""

    unit: str = "words"
    """What a document is made of: `words` or `features`."""
    labels: list[int] = field(default_factory=list)
    """Distinct labels of each document."""
    lengths: list[int] = field(default_factory=list)
    """Words, or features that are not zero, of each document."""
    label_counts: Counter[str] = field(default_factory=Counter)
    texts: Counter[bytes] = field(default_factory=Counter)
    content: ContentHash | None = None
    duplicate_labels: int = 0

    @property
    def documents(self) -> int:
        """N"""
        return len(self.labels)

    def figures(self) -> dict[str, Any]:
        """Plain numbers of the split."""
        n, unit = self.documents, self.unit
        frequencies = self.label_counts.values()
        return {
            "documents": n,
            "labels": len(frequencies),
            "labels_a_document": sum(self.labels) / n,
            "most_labels_a_document": max(self.labels),
            "documents_a_label": sum(frequencies) / len(frequencies) if frequencies else 0.0,
            "labels_with_at_most_5_documents": sum(count <= 5 for count in frequencies),
            f"{unit}_a_document": sum(self.lengths) / n,
            f"median_{unit}": float(median(self.lengths)),
            f"most_{unit}": max(self.lengths),
            "without_labels": self.labels.count(0),
            f"without_{unit}": self.lengths.count(0),
            "repeated_labels": self.duplicate_labels,
            "labels_like_lists": self._like_lists(),
            "texts_met_before": n - len(self.texts),
        }

    def _like_lists(self) -> int:
        """Labels that look as if commas parted several: `a,b` alone in its document, or `a,` beside `b`."""
        alone = max(self.labels) <= 1
        return sum(n for name, n in self.label_counts.items() if "," in (name if alone else name[-1:]))


def of_documents(documents: Iterable[Document]) -> Tally:
    """Counts of texts, in one pass; words are runs between white space."""
    content = ContentHash()
    tally = Tally(content=content)
    for document in documents:
        content.add(document)
        distinct = set(document.labels)
        tally.labels.append(len(distinct))
        tally.duplicate_labels += len(document.labels) - len(distinct)
        tally.label_counts.update(distinct)
        tally.lengths.append(len(document.text.split()))
        tally.texts[_digest(document.text.encode())] += 1
    return tally


def of_features(split: BowSplit, names: Sequence[str]) -> Tally:
    """Counts of documents that are features; `names` are those of the labels by id."""
    ids, frequencies = np.unique(split.label_ids, return_counts=True)  # as long as what occurs, not as L
    return Tally(
        unit="features",
        labels=np.diff(split.label_offsets).tolist(),
        lengths=np.diff(split.offsets).tolist(),
        label_counts=Counter({names[i]: n for i, n in zip(ids.tolist(), frequencies.tolist(), strict=True)}),
        texts=Counter(
            _digest(split.indices[start:stop].tobytes() + split.values[start:stop].tobytes())
            for start, stop in pairwise(split.offsets.tolist())
        ),
    )


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
