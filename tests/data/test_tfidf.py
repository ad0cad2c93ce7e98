"""tf-idf of whole documents, against scikit-learn's `TfidfVectorizer` and by hand."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data.dataset import Dataset
from reimpl.data.prepare import prepare
from reimpl.data.text import ATTENTIONXML
from tests.data.corpora import corpus
from tests.data.sources import Made, texts

vectorizers = pytest.importorskip("sklearn.feature_extraction.text")


def made(source: Made | Path, recipe: Any = "bow", length: int = 2) -> Dataset:
    rng = np.random.default_rng(0)
    return prepare(source, recipe=recipe, length=length, vectors="random:2", rng=rng)


def dense(data: Dataset, split: str) -> np.ndarray:
    features = data.splits[split].features
    assert features is not None
    return features.toarray()


def test_by_hand() -> None:
    """Two training documents: `bb` in both weighs 1, `aa` in one ln(3/2) + 1; then unit length."""
    data = made(texts(["aa bb bb", "bb"], ["aa new", "new"]))
    assert data.vocabulary == ("aa", "bb")
    rare = log(3 / 2) + 1
    norm = sqrt(rare**2 + 4)
    np.testing.assert_allclose(dense(data, "train"), [[rare / norm, 2 / norm], [0, 1]], rtol=1e-6)
    np.testing.assert_allclose(dense(data, "test"), [[1, 0], [0, 0]], rtol=1e-6)
    # 2 of the 3 test words have no column, and there are no tokens
    assert data.counts["test.unknown_word_share"] == 2 / 3
    assert (data.train.longest, len(data.train.tokens), data.counts["train.truncated"]) == (0, 0, 0)


@pytest.mark.parametrize("recipe", ["attentionxml", "cornet"])
def test_attentionxml_weighs_whole_documents_a_column_a_word(tmp_path: Path, recipe: str) -> None:
    """Words behind the cut have weights too, column = token id; CorNet has no tree and no features."""
    data = made(corpus(tmp_path / "toy"), recipe, length=1)
    if recipe == "cornet":
        assert data.train.features is None
        return
    vectorizer = vectorizers.TfidfVectorizer(analyzer=ATTENTIONXML)
    expected = vectorizer.fit_transform(["the cat sat", "the dog 12 sat", "The bird"]).toarray()
    column = {word: n for n, word in enumerate(data.vocabulary)}
    order = [column[word] for word in vectorizer.get_feature_names_out()]
    np.testing.assert_allclose(dense(data, "train")[:, order], expected, rtol=1e-6)
    assert not dense(data, "train")[:, :2].any()
    assert data.train.longest == 1
