"""Weighted words: which matrix, which weights, and batches cut out of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from reimpl.batching import word_weights
from reimpl.data.dataset import Dataset, Split
from reimpl.errors import ConfigError
from tests.toys import toy_data

X = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 4], [1, 1, 1, 1]], dtype=np.float32)


def featured(test: Any = X) -> Dataset:
    def part(matrix: Any) -> Split:
        bare = Split.from_lists([[]] * len(matrix), [[0]] * len(matrix))
        return replace(bare, features=sparse.csr_matrix(matrix))

    return toy_data(train=part(X), test=part(test))


def matrix(data: Dataset, weights: Any = "given", *, texts: bool = False, normalise: bool = False) -> Any:
    return word_weights(data, weights, texts=texts, normalise=normalise).of(data.test).toarray()


@pytest.mark.parametrize("normalise", [False, True])
def test_tfidf_is_scikit_learns_with_the_training_documents_counted(normalise: bool) -> None:
    test = np.array([[1, 0, 2, 0], [0, 3, 0, 0]], dtype=np.float32)
    theirs = TfidfTransformer(norm="l2" if normalise else None).fit(X).transform(sparse.csr_matrix(test))
    assert matrix(featured(test), "tfidf", normalise=normalise) == pytest.approx(theirs.toarray(), abs=1e-6)


def test_weights_are_not_weighed_again() -> None:
    """A corpus of tf-idf weights, as a file has them or the recipe `bow` makes them."""
    with pytest.raises(
        ConfigError, match=r"weigh twice, since .* 'toy' are weights already \(0.5 is not a count"
    ):
        matrix(
            replace(featured(), train=replace(featured().train, features=sparse.csr_matrix(X / 2))), "tfidf"
        )
