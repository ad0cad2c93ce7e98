"""Figures of a corpus, worked by hand."""

from __future__ import annotations

import json
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.describe import describe, observed_in
from reimpl.data.identity import differences, observed_of
from reimpl.data.prepare import prepare
from tests.data.corpora import corpus, write
from tests.shared import shared


def test_by_hand(tmp_path: Path) -> None:
    """Two splits of a few lines: every figure."""
    train = ["a b a\tone two three", "a\tone", "\t", "b\tone", "a\tfour"]
    test = ["a c\tone", "\tone two three", "c d\tnew text"]
    figures = describe(corpus(tmp_path / "toy", train, test))
    assert figures["name"] == "toy"
    assert figures["splits"]["train"] == {
        "documents": 5,
        "labels": 2,
        "labels_a_document": 5 / 5,
        "most_labels_a_document": 2,
        "documents_a_label": 5 / 2,
        "labels_with_at_most_5_documents": 2,
        "words_a_document": 6 / 5,
        "median_words": 1.0,
        "most_words": 3,
        "without_labels": 1,
        "without_words": 1,
        "repeated_labels": 1,
        "labels_like_lists": 0,
        "texts_met_before": 1,
    }
    assert figures["splits"]["test"]["labels_a_document"] == 4 / 3
    assert (figures["labels"], figures["labels_not_in_train"], figures["test_labels_not_in_train"]) == (
        4,
        2,
        2,
    )
    assert figures["test_texts_in_train"] == 2
    assert "dev_texts_in_train" not in figures


def test_dev_is_described_too(tmp_path: Path) -> None:
    """A dev split has its own figures; its labels are none of test's."""
    folder = corpus(tmp_path)
    write(folder / "dev.txt.gz", ["z\tthe cat sat"])
    figures = describe(folder)
    assert figures["splits"]["dev"]["documents"] == 1
    assert figures["dev_texts_in_train"] == 1
    assert (figures["labels_not_in_train"], figures["test_labels_not_in_train"]) == (2, 1)


def test_figures_are_plain_and_name_the_content(tmp_path: Path) -> None:
    """They can be written as JSON, and the content is that of the prepared corpus."""
    folder = corpus(tmp_path)
    figures = json.loads(json.dumps(describe(folder), allow_nan=False, default=asdict))
    rng = np.random.default_rng(0)
    prepared = prepare(folder, recipe="study2022", length=9, vectors="random:2", rng=rng)
    assert figures["content"] == prepared.content
    assert figures["corpus"] == prepared.corpus
    assert figures["partition"] == prepared.partition != ""
    assert figures["label_set"] == observed_of(prepared).label_set


def test_statistics_of_the_papers_tables_by_hand(tmp_path: Path) -> None:
    """4 + 2 documents, 3 labels: 5 labels given in train, 8 in all; 6 words in train, 9 in all."""
    train = ["a b\tone two three", "a\tone", "a\t", "b\tone two"]
    test = ["a c\tone", "a\tone two"]
    figures = describe(corpus(tmp_path, train, test))
    assert figures["statistics"] == {
        "train": (4.0,),
        "test": (2.0,),
        "labels": (3.0,),
        "labels_per_document": (5 / 4, 8 / 6),
        "documents_per_label": (5 / 3, 8 / 3),
        "words_per_document": (6 / 4, 9 / 6),
        "words_per_document_train": (6 / 4,),
        "words_per_document_test": (3 / 2,),
    }
    assert [astuple(it) for it in figures["label_frequencies"]] == [(2, 3, 2)]
    assert [astuple(it) for it in figures["lengths"]] == [(0, 0, 1), (1, 1, 2), (2, 3, 3)]


def test_what_was_described_is_held_against_print(tmp_path: Path) -> None:
    """The mean that is printed for all documents agrees, another one is named."""
    observed = observed_in(describe(corpus(tmp_path, ["a b\tx", "a\tx"], ["a\tx"])))
    assert differences({"labels_per_document": "1.33", "labels": "2"}, observed) == ()
    assert differences({"labels_per_document": "1.40"}, observed) == (
        "printed 1.40 labels a document, here 1.50",
    )


def test_a_corpus_without_labels_is_described(tmp_path: Path) -> None:
    """Describing does not ask for labels; no figure is divided by zero."""
    figures = describe(corpus(tmp_path, ["\tx"], ["\ty"]))
    assert figures["splits"]["train"]["documents_a_label"] == 0.0


@pytest.mark.parametrize("name", ["reuters21578", "ohsumed"])
def test_real_corpora_have_their_published_figures(name: str) -> None:
    """Sizes, labels and mean lengths of two public corpora, counted elsewhere."""
    folder = shared(f"data/{name}")
    expected = json.loads((folder / "stats.json").read_text())
    figures = describe(folder)["splits"]
    for split in ("train", "test"):
        assert figures[split]["documents"] == expected[split]["docs"]
        assert figures[split]["labels_a_document"] == pytest.approx(expected[split]["mean_labels"], abs=6e-4)
        assert figures[split]["words_a_document"] == pytest.approx(expected[split]["mean_words"], abs=0.06)
