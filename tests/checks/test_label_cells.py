"""The sorts of documents and their metrics, against the metrics' code and hand-worked discounts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from audit.checks.label_cells import UNIT, cells, is_modelled, metric_bounds
from reimpl.hit_pattern import hit_pattern, of_documents
from tests.checks.honest import first_labels

NAMES = [f"{family}@{k}" for family in ("P", "nDCG") for k in range(1, 6)]


def ranking(right: Sequence[bool]) -> list[int]:
    """Label ids by rank: the next of 0, 1, ... where it is right, else one that nobody has."""
    return [sum(right[:rank]) if hit else 100 + rank for rank, hit in enumerate(right)]


def test_there_are_111_sorts_of_documents_with_labels() -> None:
    by_labels = [sum(cell.labels == labels for cell in cells()) for labels in range(6)]
    assert by_labels == [1, 6, 16, 26, 31, 32]


@pytest.mark.parametrize("metric", NAMES)
def test_every_bound_holds_the_metric_and_is_close(metric: str) -> None:
    """Summed here from the definition in double precision, the first five of at most five labels."""
    family, k = metric.split("@")
    discounts = [1 / math.log2(rank + 2) for rank in range(int(k))]
    for cell, (low, high) in zip(cells(), metric_bounds(metric), strict=True):
        right = cell.right[: int(k)]
        if family == "P":
            value = sum(right) / int(k)
        else:
            gained = sum(d for d, hit in zip(discounts, right, strict=True) if hit)
            value = gained / sum(discounts[: cell.labels]) if cell.labels else 0.0
        assert low <= high and high - low <= 16
        assert low / UNIT == pytest.approx(value, abs=1e-15)


def test_they_are_the_metrics_of_this_project_and_of_public_programs() -> None:
    """One document a cell: its labels are 0, 1, ...; a list holds one of them where it is right."""
    top = [ranking(cell.right) for cell in cells()]
    truth = first_labels(np.array([cell.labels for cell in cells()]))
    hits = hit_pattern(np.array(top), truth)
    for metric in NAMES:
        expected = [100 * low / UNIT for low, _ in metric_bounds(metric)]
        assert of_documents(hits, metric).tolist() == pytest.approx(expected)


def test_no_bound_misses_the_discount_by_a_hair() -> None:
    """nDCG@2 of 5 labels with the first rank right is 1 / (1 + 1/log2 3) = log2 3 / (1 + log2 3).

    log2 3 = 1.5849625007211561814537389439478165 (OEIS A020857).
    """
    log = Fraction("1.5849625007211561814537389439478165")
    place = next(
        i for i, cell in enumerate(cells()) if cell.labels == 5 and cell.right == (True, *[False] * 4)
    )
    low, high = metric_bounds("nDCG@2")[place]
    assert low <= log / (1 + log) * UNIT <= high


def test_all_right_is_exactly_one_and_nothing_right_exactly_nothing() -> None:
    for metric in NAMES:
        for cell, ends in zip(cells(), metric_bounds(metric), strict=True):
            if not any(cell.right):
                assert ends == (0, 0)
            if all(cell.right):
                assert ends == (UNIT, UNIT)


def test_documents_without_labels_count_nothing_or_one_in_ndcg() -> None:
    assert cells()[0].labels == 0
    assert metric_bounds("nDCG@3")[0] == metric_bounds("P@3", "one")[0] == (0, 0)
    assert metric_bounds("nDCG@3", "one")[0] == (UNIT, UNIT)
    assert metric_bounds("nDCG@3", "one")[1:] == metric_bounds("nDCG@3")[1:]


@pytest.mark.parametrize("metric", ["P@0", "P@6", "nDCG@10", "PSP@1", "R@5", "N@3", "P@1 "])
def test_other_metrics_are_refused(metric: str) -> None:
    assert not is_modelled(metric)
    with pytest.raises(ValueError, match="not '"):
        metric_bounds(metric)
