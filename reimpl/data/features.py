"""Corpora of features as data sets for models: documents of no words, each with its row of weights."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from scipy import sparse

from reimpl.data.dataset import Dataset, Split
from reimpl.data.formats.bow import BowDataset, BowSplit
from reimpl.errors import DataError

#: Counts up when the same corpus gives other arrays than before.
FEATURES_VERSION = 1
#: What stands as `Dataset.recipe`: the weights are those of the corpus.
GIVEN = "features as given"


def dataset_of(corpus: BowDataset) -> Dataset:
    """The corpus with its weights as they come; no document is dropped, also without labels or features.

    Raises `DataError` where there is no label to learn.
    """
    if not len(corpus.train.label_ids):
        raise DataError(f"{corpus.name}: no training document has a label; give a corpus with labels")
    choices = json.dumps([FEATURES_VERSION, corpus.content, corpus.n_features, corpus.n_labels])
    splits = {name: _split(part, corpus.n_features) for name, part in corpus.parts.items()}
    return Dataset(
        name=corpus.name,
        recipe=GIVEN,
        fingerprint=hashlib.sha256(choices.encode()).hexdigest(),
        content=corpus.content,
        corpus=corpus.corpus,
        partition=corpus.partition,
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=corpus.label_names or tuple(map(str, range(corpus.n_labels))),
        vocabulary=("",),  # there are no words; the one row is what an empty document is padded with
        vectors=np.zeros((1, 1), dtype=np.float32),
        padding_id=0,
        padding_trainable=False,
        counts={**corpus.counts, **_counts(corpus)},
        notes=(*corpus.notes, *_notes(corpus)),
    )


def has_words(data: Dataset) -> bool:
    """Whether there are texts to read, however short."""
    return bool(len(data.train.tokens)) or data.train.features is None


def _split(part: BowSplit, n_features: int) -> Split:
    return Split(
        tokens=np.empty(0, dtype=np.int32),
        offsets=np.zeros(part.size + 1, dtype=np.int64),
        label_ids=part.label_ids,
        label_offsets=part.label_offsets,
        features=part.features(n_features),
    )


def words_as_features(split: Split, vocabulary: int) -> sparse.csr_matrix:
    """float32 (N, V): how often each document has each word that was kept of it."""
    ones = np.ones(len(split.tokens), dtype=np.float32)
    counted = sparse.csr_matrix(
        (ones, split.tokens, split.offsets), shape=(split.size, vocabulary), copy=True
    )
    counted.sum_duplicates()
    return counted


def _unlabelled(part: BowSplit) -> int:
    return int((np.diff(part.label_offsets) == 0).sum())


def _counts(corpus: BowDataset) -> dict[str, float]:
    counts: dict[str, float] = {"features": corpus.n_features, "labels": corpus.n_labels}
    for name, part in corpus.parts.items():
        counts[f"{name}.documents"] = part.size
        counts[f"{name}.unlabelled_kept"] = _unlabelled(part)
        counts[f"{name}.mean_features"] = len(part.indices) / max(part.size, 1)
    return counts


def _notes(corpus: BowDataset) -> tuple[str, ...]:
    bare = {name: _unlabelled(part) for name, part in corpus.parts.items()}
    return tuple(f"{name}: {count} documents without labels kept." for name, count in bare.items() if count)
