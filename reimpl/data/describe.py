"""Statistics of a corpus on disk, unprocessed: what papers print in their data tables."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reimpl.data.catalogue import Observed, label_means
from reimpl.data.dataset import Dataset
from reimpl.data.formats import open_corpus
from reimpl.data.numbering import ContentHash, TextSource, identities, line_of


def describe(source: TextSource | Dataset | Path) -> Mapping[str, Any]:
    """Sizes of each split, what test and train share, and `statistics` by the names of the papers' tables, in
    every way of counting, the usual one first. Words are separated by white space. Raises `DataError`."""
    corpus = open_corpus(source) if isinstance(source, Path) else source
    if isinstance(corpus, Dataset):
        tallies = {split: _count_features(corpus, split) for split in corpus.splits}
        identity = {name: getattr(corpus, name) for name in ("content", "partition", "corpus")}
        n_labels = corpus.n_labels
    else:
        contents = {split: ContentHash() for split in corpus.splits}
        tallies = {split: _count_texts(corpus, split, content) for split, content in contents.items()}
        identity = identities(contents)
        n_labels = len(set().union(*(tally.label_counts for tally in tallies.values())))
    names = set().union(*(tally.label_counts for tally in tallies.values()))
    forms = Counter(" ".join(unicodedata.normalize("NFKC", name).split()).casefold() for name in names)
    train, test = tallies["train"], tallies["test"]
    figures: dict[str, Any] = {
        "name": corpus.name,
        **identity,
        "splits": {split: tally.figures() for split, tally in tallies.items()},
        "labels": n_labels,
        "labels_not_in_train": n_labels - len(train.label_counts),  # all of which are among the labels
        "labels_that_differ_in_form_only": sum(count for count in forms.values() if count > 1),
        "test_labels_not_in_train": len(test.label_counts.keys() - train.label_counts.keys()),
        **{
            f"{split}_texts_in_train": sum(n for text, n in tally.texts.items() if text in train.texts)
            for split, tally in tallies.items()
            if split != "train"
        },
        "statistics": _statistics(tallies, n_labels),
    }
    if isinstance(corpus, Dataset) and corpus.train.features is not None:
        figures["features"] = corpus.train.features.shape[1]
        figures["statistics"]["features"] = (float(figures["features"]),)
    return figures


def observed_in(figures: Mapping[str, Any]) -> Observed:
    """The result of `describe` in a form to compare with the catalogue and the papers."""
    names = ("content", "corpus", "statistics", "partition")
    return Observed(*(figures[name] for name in names))


class _Tally(NamedTuple):
    """Counts of one split; texts (or rows of features) are kept as digests only."""

    unit: str  # what a document is made of: `words` or `features`
    labels: list[int]  # distinct labels of each document
    lengths: list[int]  # words, or features that are not zero, of each document
    label_counts: Counter[str]
    texts: Counter[bytes]
    repeated_labels: int = 0

    def figures(self) -> dict[str, Any]:
        n, unit, frequencies = len(self.labels), self.unit, self.label_counts.values()
        # `a,b` alone in its document, or `a,` beside `b`: as if commas parted several labels
        alone = max(self.labels) <= 1
        like_lists = sum(n for name, n in self.label_counts.items() if "," in (name if alone else name[-1:]))
        return {
            "documents": n,
            "labels": len(frequencies),
            "labels_a_document": sum(self.labels) / n,
            "most_labels_a_document": max(self.labels),
            "documents_a_label": sum(frequencies) / len(frequencies) if frequencies else 0.0,
            "labels_with_at_most_5_documents": sum(count <= 5 for count in frequencies),
            f"{unit}_a_document": sum(self.lengths) / n,
            f"median_{unit}": float(np.median(self.lengths)),
            f"most_{unit}": max(self.lengths),
            "without_labels": self.labels.count(0),
            f"without_{unit}": self.lengths.count(0),
            "repeated_labels": self.repeated_labels,
            "labels_like_lists": like_lists,
            "texts_met_before": sum(self.texts.values()) - len(self.texts),
        }


def _statistics(tallies: Mapping[str, _Tally], n_labels: int) -> dict[str, tuple[float, ...]]:
    sizes = {split: len(tally.labels) for split, tally in tallies.items()}
    statistics = {
        **{split: (float(size),) for split, size in sizes.items()},
        "labels": (float(n_labels),),
        **label_means([(sum(tally.labels), len(tally.labels)) for tally in tallies.values()], n_labels),
    }
    if tallies["train"].unit == "words":
        words = {split: sum(tally.lengths) for split, tally in tallies.items()}
        train = words["train"] / sizes["train"]
        statistics["words_per_document"] = (train, sum(words.values()) / sum(sizes.values()))
        statistics["words_per_document_train"] = (train,)
        statistics["words_per_document_test"] = (words["test"] / sizes["test"],)
    return statistics


def _count_texts(source: TextSource, split: str, content: ContentHash) -> _Tally:
    labels, lengths, label_counts, texts, repeated = [], [], Counter[str](), Counter[bytes](), 0
    for document in source.documents(split):
        text = document.text.encode()
        content.add([line_of(document.labels, text)])
        distinct = set(document.labels)
        labels.append(len(distinct))
        repeated += len(document.labels) - len(distinct)
        label_counts.update(distinct)
        lengths.append(len(document.text.split()))
        if lengths[-1]:  # empty documents are no copies of each other
            texts[hashlib.blake2b(text, digest_size=16).digest()] += 1
    return _Tally("words", labels, lengths, label_counts, texts, repeated)


def _count_features(data: Dataset, split: str) -> _Tally:
    part, x = data.splits[split], data.splits[split].features
    assert x is not None
    ids, frequencies = np.unique(part.label_ids, return_counts=True)  # as long as what occurs, not as L
    names = [data.labels[label] for label in ids.tolist()]
    spans = pairwise(x.indptr.tolist())
    rows = (x.indices[a:b].tobytes() + x.data[a:b].tobytes() for a, b in spans)
    texts = Counter(hashlib.blake2b(row, digest_size=16).digest() for row in rows if row)
    label_counts = Counter(dict(zip(names, frequencies.tolist(), strict=True)))
    labels, lengths = np.diff(part.label_offsets).tolist(), np.diff(x.indptr).tolist()
    return _Tally("features", labels, lengths, label_counts, texts)
