"""Tests of audit.stats.bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audit.stats.bootstrap import replicated_means


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def hits(seeds: int, documents: int, share: float, seed: int) -> Any:
    """P@1 of each document, in points, of systems that agree on what is hard."""
    hard = generator(99).random(documents)  # the same documents for all systems
    return 100.0 * (hard + 0.1 * generator(seed).standard_normal((seeds, documents)) < share)


A, B = hits(3, 200, 0.75, 1), hits(3, 200, 0.70, 2)


def test_one_draw_of_documents_serves_all_systems_and_seeds() -> None:
    """A copy of a system gets the same means; each replicate is the mean over one list of documents."""
    means = replicated_means([A, B, A], rng=generator(), replicates=50)
    assert np.array_equal(means[:, 0], means[:, 2])
    rng = generator()
    for row in means:
        drawn = rng.integers(200, size=200)
        assert row[:2] == pytest.approx([A[:, drawn].mean(), B[:, drawn].mean()])


def gaps(first: Any, second: Any, **options: Any) -> Any:
    """Replicates of the difference of two systems."""
    means = replicated_means([first, second], rng=generator(), **options)
    return means[:, 0] - means[:, 1]


def test_pairing_takes_the_difficulty_of_documents_out() -> None:
    of_documents = A.mean(axis=0) - B.mean(axis=0)
    assert gaps(A, B, replicates=500).std() == pytest.approx(of_documents.std() / math.sqrt(200), rel=0.1)


def test_copies_of_documents_are_no_more_documents_where_they_are_a_cluster() -> None:
    """Each document four times: without clusters the error would be half as large."""
    four_a, four_b, ids = np.repeat(A, 4, axis=1), np.repeat(B, 4, axis=1), np.repeat(np.arange(200), 4)
    once = gaps(A, B, replicates=400)
    assert gaps(four_a, four_b, replicates=400, clusters=ids) == pytest.approx(once)
    assert gaps(four_a, four_b, replicates=400).std() == pytest.approx(once.std() / 2, rel=0.15)


def test_a_drawn_cluster_brings_all_its_documents() -> None:
    """Clusters of 1 and 3 documents: the mean is over the documents drawn, by hand for each draw of two."""
    x, ids = np.array([[0.0, 100.0, 40.0, 70.0]]), ["b", "a", "b", "b"]
    means = replicated_means([x], rng=generator(), replicates=200, clusters=ids)
    a, b, mixed = 100.0, 110.0 / 3, 210.0 / 4
    assert {round(float(m), 9) for m in means[:, 0]} == {round(v, 9) for v in (a, b, mixed)}


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        ([], {}, "seeds x the same documents"),
        ([np.ones((2, 3)), np.ones((2, 4))], {}, "seeds x the same documents"),
        ([np.ones(3)], {}, "seeds x the same documents"),
        ([np.ones((2, 0))], {}, "seeds x the same documents"),
        ([np.full((2, 3), np.nan)], {}, "a finite value"),
        ([np.ones((2, 3))], {"replicates": 0}, "at least one replicate, got 0"),
        ([np.ones((2, 3))], {"clusters": [1, 2]}, "a cluster for each of 3 documents"),
    ],
)
def test_what_cannot_be_resampled_is_refused(systems: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replicated_means(systems, rng=generator(), **options)
