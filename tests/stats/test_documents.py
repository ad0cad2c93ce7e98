"""Noise of test documents, and shares of claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.proportion import proportion_confint

from audit.stats.documents import mcnemar, replicated_means, wilson
from tests.stats import golden


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


def test_a_drawn_cluster_brings_all_its_documents() -> None:
    """Clusters of 1 and 3 documents: the mean is over the documents drawn, by hand for each draw of two."""
    x, ids = np.array([[0.0, 100.0, 40.0, 70.0]]), ["b", "a", "b", "b"]
    means = replicated_means([x], rng=generator(), replicates=200, clusters=ids)
    a, b, mixed = 100.0, 110.0 / 3, 210.0 / 4
    assert {round(float(m), 9) for m in means[:, 0]} == {round(v, 9) for v in (a, b, mixed)}


@golden.cases("mcnemar_exact")
def test_mcnemar(case: dict[str, Any]) -> None:
    golden.check(case, p_two_sided=mcnemar(case["inputs"]["b"], case["inputs"]["c"]))


@given(b=st.integers(0, 80), c=st.integers(0, 80))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    theirs = their_mcnemar([[7, b], [c, 9]], exact=True)
    assert mcnemar(b, c) == pytest.approx(theirs.pvalue if b + c else 1.0, rel=1e-9)


@golden.cases("share_reproduced")
def test_share_of_reproduced_claims(case: dict[str, Any]) -> None:
    of = case["inputs"]["reproduced"], case["inputs"]["decided"]
    assert golden.close(list(wilson(*of)), case["expected"]["wilson95"], case["tol"])


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (0, 5), (7, 10), (5, 5), (60, 200)])
def test_it_is_that_of_statsmodels(successes: int, trials: int) -> None:
    theirs = proportion_confint(successes, trials, method="wilson")
    assert wilson(successes, trials) == pytest.approx(theirs, abs=1e-9)
