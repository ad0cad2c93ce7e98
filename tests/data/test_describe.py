"""Figures of a corpus, worked by hand: sizes, head and tail, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

from reimpl.data.describe import describe
from tests.data.corpora import corpus, write


def test_texts_by_hand(tmp_path: Path) -> None:
    """Two splits of a few lines: every figure; a label written twice counts once."""
    train = ["a b a\tone two three", "a\tone", "\t", "b\tone", "a\tfour"]
    test = ["a c\tone", "\tone two three", "c d\tnew text"]
    figures = describe(corpus(tmp_path / "toy", train, test))
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
    assert (figures["name"], figures["labels"], figures["labels_not_in_train"]) == ("toy", 4, 2)
    assert (figures["test_labels_not_in_train"], figures["test_texts_in_train"]) == (2, 2)
    assert figures["statistics"] == {
        "train": (5.0,),
        "test": (3.0,),
        "labels": (4.0,),
        "labels_per_document": (5 / 5, 9 / 8),
        "documents_per_label": (5 / 4, 9 / 4),
        "words_per_document": (6 / 5, 12 / 8),
        "words_per_document_train": (6 / 5,),
        "words_per_document_test": (6 / 3,),
    }
    write(tmp_path / "toy" / "dev.txt.gz", ["z\tone"])
    with_dev = describe(tmp_path / "toy")
    assert (with_dev["splits"]["dev"]["documents"], with_dev["dev_texts_in_train"]) == (1, 1)
    assert (with_dev["labels_not_in_train"], with_dev["test_labels_not_in_train"]) == (3, 2)
    assert (
        describe(corpus(tmp_path / "bare", ["\tx"], ["\ty"]))["splits"]["train"]["documents_a_label"] == 0.0
    )
