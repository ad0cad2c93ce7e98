"""Figures about a corpus as it lies on disk, before any recipe: what papers print in their data tables.

What is found in a corpus of texts is kept beside its preparations, and the next look reads no text:

    CACHE/figures/KEY.json   named by a digest of the source's bytes and of how they are read
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import astuple, dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from reimpl.data.dataset import IntArray, offsets_of
from reimpl.data.formats import BowDataset
from reimpl.data.formats.bow import BowSplit
from reimpl.data.identity import Observed, label_means, label_set_of
from reimpl.data.opening import open_corpus
from reimpl.data.source import ContentHash, Document, Source, content_of, corpus_of, partition_of
from reimpl.data.storage import MEMORY, digest_of, read_checked, remembered, with_digest, write_whole
from reimpl.data.strata import Strata, by_share, by_threshold

#: Counts up when `describe` finds more than before, or something else.
FIGURES_VERSION = 1
#: Labels without names are their numbers; of more than this no digest is made, which would fill the memory.
MOST_DIGESTED = 4_000_000

_BINS = ("label_frequencies", "lengths")
#: Eighths of a character cell, from one to eight.
_EIGHTHS = "▏▎▍▌▋▊▉█"


def describe(source: Source | BowDataset | Path) -> Mapping[str, Any]:
    """Sizes of each split and how the splits hang together; words are runs between white space.

    Keys: `name`, `content`, `partition` and `corpus` (identities, as those of `Dataset`), `label_set`,
    `splits` (split -> figures, see `Tally.figures`), `labels` (of all splits together; of features, as the
    corpus declares), `labels_not_in_train`, `test_labels_not_in_train`, and for test (and dev)
    `..._texts_in_train`: documents whose text (or features) stand in train as well; `statistics` (by the
    names of the papers' tables, in each way of counting, the usual one first), `label_frequencies` (bins of
    documents a label in train) and `lengths` (bins of words, or features, a document, all splits). Raises
    `DataError` as the reader does.
    """
    if isinstance(source, Path):
        source = open_corpus(source)
    if isinstance(source, BowDataset):
        return _of_features(source)
    tallies = {split: of_documents(source.documents(split)) for split in source.splits}
    contents = {split: tally.content for split, tally in tallies.items() if tally.content}
    labels: set[str] = set().union(*(tally.label_counts for tally in tallies.values()))
    identity = {
        "content": content_of(contents),
        "partition": partition_of(contents),
        "corpus": corpus_of(contents.values()),
    }
    return _figures(source.name, identity, tallies, len(labels), label_set_of(labels))


def _of_features(data: BowDataset) -> Mapping[str, Any]:
    tallies = {split: of_features(part, data.label_names) for split, part in data.parts.items()}
    identity = {"content": data.content, "partition": data.partition, "corpus": data.corpus}
    few = data.label_names is not None or data.n_labels <= MOST_DIGESTED
    label_set = label_set_of(data.label_names or map(str, range(data.n_labels))) if few else ""
    figures = _figures(data.name, identity, tallies, data.n_labels, label_set)
    return {
        **figures,
        "features": data.n_features,
        "statistics": {**figures["statistics"], "features": (float(data.n_features),)},
    }


def _figures(
    name: str, identity: Mapping[str, str], tallies: Mapping[str, Tally], n_labels: int, label_set: str
) -> dict[str, Any]:
    train, test = tallies["train"], tallies["test"]
    return {
        "name": name,
        **identity,
        "label_set": label_set,
        "splits": {split: tally.figures() for split, tally in tallies.items()},
        "labels": n_labels,
        "labels_not_in_train": n_labels - len(train.label_counts),  # all of which are in it
        "test_labels_not_in_train": len(test.label_counts.keys() - train.label_counts.keys()),
        **{
            f"{split}_texts_in_train": sum(n for text, n in tally.texts.items() if text in train.texts)
            for split, tally in tallies.items()
            if split != "train"
        },
        "statistics": _statistics(tallies, n_labels),
        "label_frequencies": by_powers_of_two(train.label_counts.values()),
        "lengths": by_powers_of_two(chain.from_iterable(tally.lengths for tally in tallies.values())),
    }


def observed_in(figures: Mapping[str, Any]) -> Observed:
    """What `describe` found, to be held against the catalogue and the papers."""
    return Observed(
        figures["content"],
        figures["corpus"],
        figures["label_set"],
        figures["statistics"],
        figures["partition"],
    )


def _statistics(tallies: Mapping[str, Tally], n_labels: int) -> dict[str, tuple[float, ...]]:
    """The columns of the papers' tables of data sets."""
    return {
        **{split: (float(tally.documents),) for split, tally in tallies.items()},
        "labels": (float(n_labels),),
        **label_means([(sum(tally.labels), tally.documents) for tally in tallies.values()], n_labels),
        **(_words(tallies) if tallies["train"].unit == "words" else {}),
    }


def _words(tallies: Mapping[str, Tally]) -> dict[str, tuple[float, ...]]:
    totals = {split: (sum(tally.lengths), tally.documents) for split, tally in tallies.items()}
    means = {split: total / documents for split, (total, documents) in totals.items()}
    overall = sum(total for total, _ in totals.values()) / sum(documents for _, documents in totals.values())
    return {
        "words_per_document": (means["train"], overall),
        "words_per_document_train": (means["train"],),
        "words_per_document_test": (means["test"],),
    }


# --------------------------------------------------------------------------- one pass over a split


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
        tally.texts[_text_digest(document.text.encode())] += 1
    return tally


def of_features(split: BowSplit, names: Sequence[str] | None) -> Tally:
    """Counts of documents that are features; labels without `names` are called by their numbers."""
    ids, frequencies = np.unique(split.label_ids, return_counts=True)  # as long as what occurs, not as L
    called = [names[number] if names else str(number) for number in ids.tolist()]
    return Tally(
        unit="features",
        labels=np.diff(split.label_offsets).tolist(),
        lengths=np.diff(split.offsets).tolist(),
        label_counts=Counter(dict(zip(called, frequencies.tolist(), strict=True))),
        texts=Counter(
            _text_digest(split.indices[start:stop].tobytes() + split.values[start:stop].tobytes())
            for start, stop in pairwise(split.offsets.tolist())
        ),
    )


def _text_digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


# --------------------------------------------------------------------------- head and tail

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
    rows, n_labels = (
        _label_rows_of_features(corpus) if isinstance(corpus, BowDataset) else _label_rows_of_texts(corpus)
    )
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


def _label_rows_of_features(corpus: BowDataset) -> tuple[dict[str, Rows], int]:
    return {split: (it.label_ids, it.label_offsets) for split, it in corpus.parts.items()}, corpus.n_labels


def _label_rows_of_texts(corpus: Source) -> tuple[dict[str, Rows], int]:
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


# --------------------------------------------------------------------------- histograms


@dataclass(frozen=True)
class Bin:
    """How many values lie from `low` to `high`, both included."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        """`4-7`, or `0` for a bin of one value."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}-{self.high:,}"


def by_powers_of_two(values: Iterable[int]) -> tuple[Bin, ...]:
    """Bins 0, 1, 2-3, 4-7, ... from the smallest value to the largest, empty ones between included.

    >>> [(bin.label, bin.count) for bin in by_powers_of_two([1, 5, 6])]
    [('1', 1), ('2-3', 0), ('4-7', 2)]
    """
    # the number of binary digits names the bin: 0 for 0, 1 for 1, 2 for 2 and 3, ...
    counts = Counter(value.bit_length() for value in values)
    if not counts:
        return ()
    return tuple(
        Bin(1 << (bits - 1) if bits else 0, (1 << bits) - 1 if bits else 0, counts[bits])
        for bits in range(min(counts), max(counts) + 1)
    )


def bars(bins: Sequence[Bin], *, width: int = 40) -> Iterator[str]:
    """A line a bin; the fullest bin is `width` cells long, and what is not empty is never without a bar."""
    most = max((it.count for it in bins), default=0)
    wide = max((len(it.label) for it in bins), default=0)
    for it in bins:
        eighths = -(-it.count * width * 8 // most) if most else 0  # rounded up
        bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
        yield f"{it.label:>{wide}}  {bar} {it.count:,}" if it.count else f"{it.label:>{wide}}  0"


# --------------------------------------------------------------------------- kept for the next look


@dataclass(frozen=True)
class KeptFigures:
    """The figures of one corpus, as it is now, if they were found before."""

    path: Path

    def read(self, name: str) -> Mapping[str, Any] | None:
        """As `describe` gave them, under the `name` that the corpus has now; None where there are none."""
        try:
            text = read_checked(self.path)
            if text is None:
                return None
            figures = json.loads(text)
        except (OSError, ValueError):
            return None
        statistics = {key: tuple(readings) for key, readings in figures["statistics"].items()}
        bins = {key: tuple(Bin(*it) for it in figures[key]) for key in _BINS}
        return {**figures, "name": name, "statistics": statistics, **bins}

    def keep(self, figures: Mapping[str, Any]) -> None:
        """For the next time, in one step; where nothing can be written they are found anew."""
        bins = {key: [astuple(it) for it in figures[key]] for key in _BINS}
        text = json.dumps({**figures, **bins})
        with suppress(OSError):
            write_whole(self.path, with_digest(text))


def kept_figures(source: Source, cache: Path) -> KeptFigures:
    """Where those of a source are. Call it before `describe`: what changes meanwhile has another name.

    Raises `DataError` where the source cannot be read.
    """
    # what comes to nothing leaves no folder behind
    memory = remembered(cache / MEMORY) if cache.is_dir() else nullcontext()
    with memory:
        key = digest_of(json.dumps([FIGURES_VERSION, source.digest()]))[:32]
    return KeptFigures(cache / "figures" / f"{key}.json")
