"""Tests of audit.stats.instance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audit.stats.instance import instance_se, satterthwaite
from tests.stats import golden


@golden.cases("instance_se")
def test_binomial_error_in_points(case: dict[str, Any]) -> None:
    se = instance_se(case["inputs"]["p1"], documents=case["inputs"]["N"])
    golden.check(case, se_points=se, half95=1.959963985 * se)


@pytest.mark.parametrize(("percent", "documents"), [(-0.1, 10), (100.1, 10), (math.nan, 10), (50.0, 0)])
def test_what_is_no_share_of_documents_is_refused(percent: float, documents: int) -> None:
    with pytest.raises(ValueError, match="the binomial error needs"):
        instance_se(percent, documents=documents)


def test_the_ends_of_the_scale_have_no_error() -> None:
    assert instance_se(100.0, documents=3865) == 0.0
    assert instance_se(0.0, documents=3865) == 0.0


def test_the_error_of_precision_at_five_is_no_larger_than_the_formula() -> None:
    """P@5 of a document is 0, 1/5, ..., 1: whatever the mixture, its variance is at most p (1 - p)."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        share = rng.dirichlet(np.full(6, 0.3))
        hits = rng.choice(6, size=400, p=share) / 5
        measured = 100 * hits.std() / math.sqrt(400)
        assert measured <= instance_se(100 * float(hits.mean()), documents=400) + 1e-9


def test_satterthwaite_by_hand() -> None:
    """(1 + 3)^2 / (1/2 + 9/4) = 16 / 2.75."""
    assert satterthwaite(((1.0, 2.0), (3.0, 4.0))) == pytest.approx(16 / 2.75)


def test_a_known_part_has_infinite_degrees_of_freedom() -> None:
    """(1 + 1)^2 / (1/2)."""
    assert satterthwaite(((1.0, 2.0), (1.0, math.inf))) == pytest.approx(8.0)
    assert satterthwaite(((0.0, 2.0), (1.0, math.inf))) == math.inf
    assert satterthwaite(((0.0, 2.0), (0.0, 3.0))) == math.inf
    assert satterthwaite(((0.0, 2.0), (5.0, 3.0))) == pytest.approx(3.0)
    assert satterthwaite(((1e-200, 2.0), (1e-200, 2.0))) == pytest.approx(4.0)
