"""Honest tables: documents with labels and rankings at random, their metrics rounded as papers print them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.stats.printed import Printed, printed
from reimpl import metrics
from reimpl.metrics import Truth

RANKS = 5


def first_labels(counts: NDArray[np.int64]) -> Truth:
    """Documents that have the labels 0, 1, ... up to their number of labels."""
    labels = [np.arange(count) for count in counts]
    return Truth(np.concatenate([[0], np.cumsum(counts)]), np.concatenate([np.arange(0), *labels]))


@dataclass(frozen=True)
class Honest:
    """One row that some documents do give."""

    values: Mapping[str, Printed]
    label_counts: Mapping[int, int]
    """Number of labels -> test documents, up to 5 for 5 or more."""


def honest_row(
    rng: np.random.Generator, *, documents: int, decimals: int, label_free: bool = False, mixed: bool = False
) -> Honest:
    """P@k and nDCG@k for k of 1..5 of one system, by the metrics of this project. `mixed`: each number has
    its own decimals, up to `decimals`. Documents without labels count 0, if any."""
    low = 0 if label_free else 1
    labels = low + rng.poisson(rng.choice([0.3, 1.0, 3.0, 12.0]), size=documents)
    if rng.random() < 0.2:
        labels = np.maximum(labels, RANKS)
    truth = first_labels(labels)
    quality = rng.beta(*rng.choice([0.3, 1.0, 4.0], size=2), size=(documents, RANKS))
    wanted = rng.random((documents, RANKS)) < quality * rng.choice([0.1, 0.7, 1.0])
    right = wanted & (np.cumsum(wanted, axis=1) <= labels[:, None])
    # a right rank takes the next of the document's labels, a wrong one a label that nobody has
    top = np.where(right, np.cumsum(right, axis=1) - 1, 1000 + np.arange(RANKS))
    means = metrics.evaluate(top, truth, ks=(1, 2, 3, 4, 5))
    chosen = {name: value for name, value in means.items() if name.startswith(("P@", "nDCG@"))}
    digits = rng.integers(1, decimals + 1, size=len(chosen)) if mixed else [decimals] * len(chosen)
    values = {
        name: printed(f"{value:.{digit}f}")
        for (name, value), digit in zip(chosen.items(), digits, strict=True)
    }
    counts = Counter(min(int(count), RANKS) for count in labels)
    return Honest(values, {RANKS: 0, **counts})
