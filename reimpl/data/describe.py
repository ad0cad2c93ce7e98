"""Figures about a corpus as it lies on disk, before any recipe: what papers print in their data tables."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from reimpl.data.histogram import by_powers_of_two
from reimpl.data.identity import Observed, label_means, label_set_of
from reimpl.data.prepare import as_source
from reimpl.data.source import ContentHash, Source, content_of, corpus_of


@dataclass
class _Tally:
    """What one pass over a split counts; texts are kept as digests only."""

    labels: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    label_counts: Counter[str] = field(default_factory=Counter)
    texts: Counter[bytes] = field(default_factory=Counter)
    content: ContentHash = field(default_factory=ContentHash)
    duplicate_labels: int = 0

    def figures(self) -> dict[str, Any]:
        """Plain numbers of the split."""
        n = len(self.words)
        frequencies = self.label_counts.values()
        return {
            "documents": n,
            "labels": len(frequencies),
            "labels_a_document": sum(self.labels) / n,
            "most_labels_a_document": max(self.labels),
            "documents_a_label": sum(frequencies) / len(frequencies) if frequencies else 0.0,
            "labels_with_at_most_5_documents": sum(count <= 5 for count in frequencies),
            "words_a_document": sum(self.words) / n,
            "median_words": float(median(self.words)),
            "most_words": max(self.words),
            "without_labels": self.labels.count(0),
            "without_words": self.words.count(0),
            "repeated_labels": self.duplicate_labels,
            "texts_met_before": n - len(self.texts),
        }


def describe(source: Source | Path) -> Mapping[str, Any]:
    """Sizes of each split and how the splits hang together; words are runs between white space.

    Keys: `name`, `content` and `corpus` (identities, as `Dataset.content` and `.corpus`), `label_set`,
    `splits` (split -> figures, see `_Tally.figures`), `labels` (of all splits together),
    `labels_not_in_train`, `test_labels_not_in_train`, and for test (and dev) `..._texts_in_train`: documents
    whose text stands in train as well; `statistics` (by the names of the papers' tables, in each way of
    counting, the usual one first), `label_frequencies` (bins of documents a label in train) and `lengths`
    (bins of words a document, all splits). Raises `DataError` as the reader does.
    """
    source = as_source(source)
    tallies = {split: _tally(source, split) for split in source.splits}
    train, test = tallies["train"], tallies["test"]
    universe = set().union(*(tally.label_counts for tally in tallies.values()))
    return {
        "name": source.name,
        "content": content_of({split: tally.content for split, tally in tallies.items()}),
        "corpus": corpus_of(tally.content for tally in tallies.values()),
        "label_set": label_set_of(universe),
        "splits": {split: tally.figures() for split, tally in tallies.items()},
        "labels": len(universe),
        "labels_not_in_train": len(universe - train.label_counts.keys()),
        "test_labels_not_in_train": len(test.label_counts.keys() - train.label_counts.keys()),
        **{
            f"{split}_texts_in_train": sum(n for text, n in tally.texts.items() if text in train.texts)
            for split, tally in tallies.items()
            if split != "train"
        },
        "statistics": _statistics(tallies, len(universe)),
        "label_frequencies": by_powers_of_two(train.label_counts.values()),
        "lengths": by_powers_of_two(length for tally in tallies.values() for length in tally.words),
    }


def observed_in(figures: Mapping[str, Any]) -> Observed:
    """What `describe` found, to be held against the catalogue and the papers."""
    return Observed(figures["content"], figures["corpus"], figures["label_set"], figures["statistics"])


def _statistics(tallies: Mapping[str, _Tally], n_labels: int) -> dict[str, tuple[float, ...]]:
    """The columns of the papers' tables of data sets."""
    words = {split: sum(tally.words) / len(tally.words) for split, tally in tallies.items()}
    all_words = [length for tally in tallies.values() for length in tally.words]
    return {
        **{split: (float(len(tally.words)),) for split, tally in tallies.items()},
        "labels": (float(n_labels),),
        **label_means([(sum(tally.labels), len(tally.labels)) for tally in tallies.values()], n_labels),
        "words_per_document": (words["train"], sum(all_words) / len(all_words)),
        "words_per_document_train": (words["train"],),
        "words_per_document_test": (words["test"],),
    }


def _tally(source: Source, split: str) -> _Tally:
    tally = _Tally()
    for document in source.documents(split):
        tally.content.add(document)
        distinct = set(document.labels)
        tally.labels.append(len(distinct))
        tally.duplicate_labels += len(document.labels) - len(distinct)
        tally.label_counts.update(distinct)
        tally.words.append(len(document.text.split()))
        tally.texts[hashlib.blake2b(document.text.encode(), digest_size=16).digest()] += 1
    return tally
