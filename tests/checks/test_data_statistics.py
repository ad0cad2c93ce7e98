"""Labels per document and documents per label, by each way of counting."""

from __future__ import annotations

import numpy as np
import pytest

from audit.checks.data_statistics import Reading, readings
from audit.stats.printed import printed


def of(per_document: str, per_label: str, labels: str, train: str, **others: str) -> tuple[Reading, ...]:
    return readings(
        labels_per_document=printed(per_document),
        documents_per_label=printed(per_label),
        labels=printed(labels),
        train=printed(train),
        **{name: printed(text) for name, text in others.items()},
    )


def counted(found: tuple[Reading, ...], labels: str = "all") -> list[str]:
    return [it.documents for it in found if it.labels == labels]


def test_statistics_over_training_documents() -> None:
    """Wang et al., Wiki10: 18.64 x 14,146 / 30,938 = 8.52, printed 9; over all documents it is 12.5."""
    assert counted(of("18.64", "9", "30,938", "14,146", test="6,616")) == ["train"]


def test_statistics_over_all_documents() -> None:
    """Wang et al., Delicious: 19.03 x (12,920 + 3,185) / 983 = 311.8, printed 312; training ones give 250."""
    found = of("19.03", "312", "983", "12,920", test="3,185")
    assert counted(found) == ["train+test"]
    (span,) = (it.documents_per_label for it in found if it.labels == "all")
    assert float(span.low) == pytest.approx(19.025 * 16_104 / 983.5, rel=1e-9)
    assert float(span.high) == pytest.approx(19.035 * 16_106 / 982.5, rel=1e-9)


def test_labels_that_never_occur() -> None:
    """You et al., EUR-Lex: 5.30 x 15,449 / 20.79 = 3,938 of 3,956 labels; no set of documents gives all."""
    found = of("5.30", "20.79", "3,956", "15,449", test="3,865")
    assert counted(found) == []
    assert "train" in counted(found, "occurring")
    needed = next(it.labels_needed for it in found if it.documents == "train")
    assert needed.low < 3938.4 < needed.high < 3956


def test_a_validation_set_may_count_too() -> None:
    """10 labels x 100 documents of 80 + 10 + 10, over 50 labels."""
    found = of("10.0", "20.0", "50", "80", test="10", validation="10")
    assert "train+validation+test" in counted(found)
    assert counted(of("10.0", "18.0", "50", "80", test="5", validation="10"))[0] == "train+validation"


def test_more_labels_than_there_are_fit_no_reading() -> None:
    """Even the 3,865 test documents alone have more pairs than 2 a label."""
    assert of("5.30", "2.0", "3,956", "15,449", test="3,865") == ()


def test_a_slip_in_the_labels_a_document_leaves_only_labels_that_do_not_occur() -> None:
    assert counted(of("1.03", "312", "983", "12,920", test="3,185")) == []


def test_honest_statistics_always_fit() -> None:
    """Random collections, counted over train, test or all, with or without labels that do not occur."""
    rng = np.random.default_rng(6)
    for trial in range(300):
        documents, labels = int(rng.integers(5, 400)), int(rng.integers(2, 300))
        held = rng.random((documents, labels)) < rng.uniform(0.01, 0.3)
        held[0] = True  # each label occurs in the training documents, the first of which has all
        train = int(rng.integers(1, documents))
        part = {0: held, 1: held[:train], 2: held[train:]}[trial % 3]
        if not part.any():
            continue
        columns = labels if rng.random() < 0.5 else int(part.any(axis=0).sum())
        digits = int(rng.integers(0, 4))
        per_document, per_label = part.sum() / len(part), part.sum() / columns
        texts = [f"{per_document:.{digits}f}", f"{per_label:.{digits}f}"]
        if any(float(text) == 0 for text in texts):
            continue
        found = of(*texts, str(labels), str(train), test=str(documents - train))
        wanted = {0: "train+test", 1: "train", 2: "test"}[trial % 3]
        assert wanted in counted(found) if columns == labels else wanted in [it.documents for it in found]


def test_what_may_be_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        of("0.0", "312", "983", "12,920")
