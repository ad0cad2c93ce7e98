"""Content decides whether data are the same; sizes only tell what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from reimpl.data.catalogue import (
    Catalogue,
    Observed,
    catalogue,
    compared,
    observed_of,
    recognise,
)
from reimpl.data.synthetic import synthetic

A, B, D, E = ("a" * 64, "b" * 64, "d" * 64, "e" * 64)
MEANS = {"labels_per_document": (5.14, 5.10), "documents_per_label": (20.08, 24.9)}


def seen(train: float = 100, test: float = 50, labels: float = 7, **more: Any) -> Observed:
    statistics = {"train": (train,), "test": (test,), "labels": (labels,), **more.pop("statistics", {})}
    hashes = {"content": D, "corpus": D, **more}
    return Observed(statistics=statistics, **hashes)


def small(**changes: Any) -> Catalogue:
    """One real corpus with a known content, and one that copies its sizes."""
    sizes = {"train": "100", "test": "50", "labels": "7"}
    entry = {"name": "Real", "about": "-", "formats": [], "raw_text": True, "licence": "unknown"}
    known = {"what": "the split", "content": A, "corpus": B, "sizes": sizes, **changes}
    entries: Mapping[str, Any] = {
        "copy": {
            **entry,
            "stand_in_for": "real",
            "known": [{**known, "content": B, "corpus": A, "partition": None}],
        },
        "real": {**entry, "published": [{"by": ["x2020"], **sizes}], "known": [known]},
    }
    return Catalogue.model_validate({"format": 1, "places": {}, "entries": entries})


OTHER_SPLIT = "real, in another split than the one on record"
UNKNOWN, TRAIN = "the content may differ", "training"
RECOGNISED = [
    ("content", seen(content=A, corpus=B), "real", "real, by content: the split"),
    ("corpus", seen(90, 60, corpus=B), "real", f"{OTHER_SPLIT} (the split)"),
    ("corpus", seen(corpus=B), "real", f"{OTHER_SPLIT}, or in that one in another order (the split)"),
    (
        "sizes",
        seen(),
        "real",
        "sizes of real (as printed by x2020); the content may differ",
    ),
    ("nothing", seen(100, 51), None, "no entry of the catalogue"),
]


@pytest.mark.parametrize(("how", "observed", "key", "sentence"), RECOGNISED)
def test_recognised(how: str, observed: Observed, key: str | None, sentence: str) -> None:
    """By content, then corpus, sizes; what only copies sizes is never known by them."""
    found = recognise(observed, small())
    assert (found.key, found.how, found.sentence) == (key, how, sentence)


def test_the_same_split_in_another_order_is_told_from_another_split_of_the_same_sizes() -> None:
    """Where the partition is on record."""
    reordered = seen(corpus=B, partition=E)
    found = recognise(reordered, small(partition=E))
    again = "real, by content: the split; the documents are in another order"
    assert (found.how, found.sentence) == ("partition", again)
    found = recognise(replace(reordered, partition=D), small(partition=E))
    assert (found.how, found.sentence) == ("corpus", f"{OTHER_SPLIT} (the split)")


def test_one_entry_is_compared_by_its_nearest_version() -> None:
    catalogue = small()
    entries = catalogue.entries
    assert compared(seen(100, 51), "real", entries["real"]).differences == (
        "printed 50 test documents, here 51",
    )
    assert compared(seen(), "copy", entries["copy"]).how == "sizes"


def test_the_made_corpus_is_known_by_content_and_no_other_one_by_its_sizes() -> None:
    data = synthetic()
    assert recognise(observed_of(data), catalogue()).key == "synthetic"
    turned = replace(data, content="")
    assert recognise(observed_of(turned), catalogue()).how == "partition"
    assert recognise(observed_of(replace(turned, partition="")), catalogue()).how == "corpus"
    assert recognise(observed_of(synthetic(seed=1)), catalogue()).key != "synthetic"
