"""Head and tail of a corpus as it lies on disk: labels, documents and positives of each stratum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from reimpl.data.dataset import IntArray, offsets_of
from reimpl.data.formats.bow import BowDataset
from reimpl.data.source import Source
from reimpl.data.strata import Strata, by_share, by_threshold

#: Label ids of all documents, one after another, and the offsets (N+1,).
Rows: TypeAlias = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class StratumSize:
    """One stratum; the mappings are by split."""

    name: str
    labels: int
    documents: Mapping[str, int]
    """That have at least one of its labels: a document may be of several strata."""
    positives: Mapping[str, int]
    """Labels of documents that are of it."""
    share: Mapping[str, float]
    """Of all positives of the split, in percent."""


@dataclass(frozen=True)
class StrataSizes:
    """A way to group the labels, and what is in each group."""

    rule: str
    strata: tuple[StratumSize, ...]


def strata_sizes(corpus: Source | BowDataset) -> tuple[StrataSizes, ...]:
    """By share of the positives, and by training documents a label; one more pass over a corpus of texts.

    Labels that stand in no training document are in the last stratum. Raises `DataError` as the reader does.
    """
    rows, n_labels = _of_features(corpus) if isinstance(corpus, BowDataset) else _of_texts(corpus)
    frequency = np.bincount(rows["train"][0], minlength=n_labels)
    return tuple(
        StrataSizes(strata.rule, tuple(_sizes(strata, rows)))
        for strata in (by_share(frequency), by_threshold(frequency))
    )


def _sizes(strata: Strata, rows: Mapping[str, Rows]) -> Iterator[StratumSize]:
    of = {split: strata.of_label[ids] for split, (ids, _) in rows.items()}
    document = {split: np.repeat(np.arange(len(o) - 1), np.diff(o)) for split, (_, o) in rows.items()}
    for number, (name, labels) in enumerate(zip(strata.names, strata.sizes.tolist(), strict=True)):
        positives = {split: int((it == number).sum()) for split, it in of.items()}
        yield StratumSize(
            name,
            labels,
            {split: len(np.unique(document[split][it == number])) for split, it in of.items()},
            positives,
            {split: 100 * positives[split] / max(len(it), 1) for split, it in of.items()},
        )


def _of_features(corpus: BowDataset) -> tuple[dict[str, Rows], int]:
    return {split: (it.label_ids, it.label_offsets) for split, it in corpus.parts.items()}, corpus.n_labels


def _of_texts(corpus: Source) -> tuple[dict[str, Rows], int]:
    """Ids by the names' order, as preparation has them."""
    numbers: dict[str, int] = {}
    met: dict[str, tuple[list[int], list[int]]] = {}
    for split in corpus.splits:
        ids, sizes = met[split] = ([], [])
        for document in corpus.documents(split):
            distinct = set(document.labels)
            ids += [numbers.setdefault(name, len(numbers)) for name in distinct]
            sizes.append(len(distinct))
    ranks = np.empty(len(numbers), dtype=np.int64)
    ranks[[numbers[name] for name in sorted(numbers)]] = np.arange(len(numbers))
    found: dict[str, Rows] = {
        split: (ranks[np.array(ids, dtype=np.int64)], offsets_of(sizes))
        for split, (ids, sizes) in met.items()
    }
    return found, len(numbers)
