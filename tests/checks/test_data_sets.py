"""Statistics of a data set against each other, and P@k against the labels that there are."""

from __future__ import annotations

import pytest

from audit.checks.identities import above_labels, readings, statistics
from audit.stats.printed import printed
from tests.checks.made import Of, data_set, paper, results, table


def balance(**printed: str) -> list[str]:
    return results(statistics(paper(datasets=[data_set(**printed)])))


#: 5.32 x 15,449 / 3,956 = 20.776; with the 3,865 test documents, 25.97; these alone, 5.198.
EURLEX = {"train": "15,449", "test": "3,865", "labels": "3,956", "labels_per_document": "5.32"}


@pytest.mark.parametrize(
    ("documents_per_label", "result"),
    [
        ("20.78", "consistent"),
        ("25.97", "consistent"),  # all documents
        ("5.20", "consistent"),  # the test documents
        ("5.19", "consistent"),
        ("5.18", "inconsistent"),  # ..5.185, and 5.315 x 3,865 / 3,956 = 5.193
    ],
)
def test_labels_a_document_and_documents_a_label_count_the_same_pairs(
    documents_per_label: str, result: str
) -> None:
    assert balance(**EURLEX, documents_per_label=documents_per_label) == [result]


# --------------------------------------------------------------------------- more hits than labels


def above(metric: str, text: str | Of, mean: str | None, documents: str = "1,000,000,000,000") -> list[str]:
    printed = {"test": documents} | ({} if mean is None else {"labels_per_document": mean})
    return results(above_labels(paper(table([metric], {"a": [text]}), datasets=[data_set(**printed)])))


#: A mean of 2.0 labels is up to 2.1 if it was cut: at most 42 % of the first five are right, and a tenth more
#: if the test documents have more labels than those that were counted: 46.2.
@pytest.mark.parametrize(
    ("metric", "text", "mean", "accused"),
    [
        ("P@5", "40.00", "2.0", False),
        ("P@5", "46.21", "2.0", True),
        ("P@5", "46", "2.0", False),
        ("P@3", "77.01", "2.0", True),
        ("P@1", "100.00", "0.5", True),
        ("nDCG@5", "99.00", "2.0", False),  # divided by what the labels allow
    ],
)
def test_more_hits_than_labels_there_cannot_be(
    metric: str, text: str, mean: str | None, accused: bool
) -> None:
    assert above(metric, text, mean) == (["inconsistent"] if accused else [])


@pytest.mark.parametrize(
    ("texts", "over", "labels"),
    [
        # Wang et al., Wiki10: 18.64 x 14,146 / 30,938 = 8.52, printed 9; over all documents it is 12.5
        (("18.64", "9", "30,938", "14,146", "6,616"), ["train"], "all"),
        # Wang et al., Delicious: 19.03 x (12,920 + 3,185) / 983 = 311.8, printed 312; training ones give 250
        (("19.03", "312", "983", "12,920", "3,185"), ["train+test"], "all"),
        # You et al., EUR-Lex: 5.30 x 15,449 / 20.79 = 3,938 of 3,956 labels; no set of documents gives all
        (("5.30", "20.79", "3,956", "15,449", "3,865"), ["train", "test"], "occurring"),
        # even the 3,865 test documents alone have more pairs than 2 a label
        (("5.30", "2.0", "3,956", "15,449", "3,865"), [], "all"),
    ],
)
def test_statistics_are_counted_over_the_documents_that_they_fit(
    texts: tuple[str, ...], over: list[str], labels: str
) -> None:
    names = ("labels_per_document", "documents_per_label", "labels", "train", "test")
    found = readings({name: printed(text) for name, text in zip(names, texts, strict=True)})
    assert [it.documents for it in found if it.labels == labels] == over
