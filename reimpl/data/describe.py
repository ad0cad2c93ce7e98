"""Figures about a corpus as it lies on disk, before any recipe: what papers print in their data tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from reimpl.data.formats.bow import BowDataset
from reimpl.data.histogram import by_powers_of_two
from reimpl.data.identity import Observed, label_means, label_set_of
from reimpl.data.numerals import Numerals
from reimpl.data.opening import open_corpus
from reimpl.data.source import Source, content_of, corpus_of, partition_of
from reimpl.data.tally import Tally, of_documents, of_features


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
    universe: set[str] = set().union(*(tally.label_counts for tally in tallies.values()))
    identity = {
        "content": content_of(contents),
        "partition": partition_of(contents),
        "corpus": corpus_of(contents.values()),
    }
    return _figures(source.name, identity, tallies, universe)


def _of_features(data: BowDataset) -> Mapping[str, Any]:
    names = data.label_names or Numerals(data.n_labels)
    tallies = {split: of_features(part, names) for split, part in data.parts.items()}
    identity = {"content": data.content, "partition": data.partition, "corpus": data.corpus}
    figures = _figures(data.name, identity, tallies, names if isinstance(names, Numerals) else set(names))
    return {
        **figures,
        "features": data.n_features,
        "statistics": {**figures["statistics"], "features": (float(data.n_features),)},
    }


def _figures(
    name: str, identity: Mapping[str, str], tallies: Mapping[str, Tally], universe: set[str] | Numerals
) -> dict[str, Any]:
    train, test = tallies["train"], tallies["test"]
    return {
        "name": name,
        **identity,
        "label_set": universe.digest if isinstance(universe, Numerals) else label_set_of(universe),
        "splits": {split: tally.figures() for split, tally in tallies.items()},
        "labels": len(universe),
        "labels_not_in_train": len(universe) - len(train.label_counts),  # all of which are in it
        "test_labels_not_in_train": len(test.label_counts.keys() - train.label_counts.keys()),
        **{
            f"{split}_texts_in_train": sum(n for text, n in tally.texts.items() if text in train.texts)
            for split, tally in tallies.items()
            if split != "train"
        },
        "statistics": _statistics(tallies, len(universe)),
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
