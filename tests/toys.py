"""Tiny corpora and protocols for the tests of training and of the runner."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from reimpl.data.dataset import Dataset, Split
from reimpl.protocol import Protocol
from reimpl.training import Result

#: Words of the toy corpora: padding first.
WORDS = 12


def split_of(lengths: list[int], labels: list[list[int]], *, seed: int = 0) -> Split:
    """Documents of these lengths, of random words from 1 up, with these labels."""
    rng = np.random.default_rng(seed)
    return Split.from_lists([rng.integers(1, WORDS, n).tolist() for n in lengths], labels)


def topics(n: int, *, n_labels: int = 6, longest: int = 9, seed: int = 0) -> Split:
    """n documents of 1 to `longest` words with 1 or 2 labels each, all random."""
    rng = np.random.default_rng(seed)
    labels = [
        rng.choice(n_labels, min(n_labels, rng.integers(1, 3)), replace=False).tolist() for _ in range(n)
    ]
    return split_of(rng.integers(1, longest + 1, n).tolist(), labels, seed=seed)


def toy_data(
    n_train: int = 23, n_test: int = 11, n_labels: int = 6, n_dev: int = 0, **changes: Any
) -> Dataset:
    """A data set that trains in milliseconds; the padding row is zero and frozen."""
    vectors = np.random.default_rng(7).normal(0, 0.5, (WORDS, 4)).astype(np.float32)
    vectors[0] = 0
    parts: dict[str, Any] = {
        "name": "toy",
        "preprocessing": "toy",
        "fingerprint": "toy",
        "train": topics(n_train, n_labels=n_labels, seed=1),
        "test": topics(n_test, n_labels=n_labels, seed=2),
        "dev": topics(n_dev, n_labels=n_labels, seed=3) if n_dev else None,
        "labels": tuple(f"label{i}" for i in range(n_labels)),
        "vocabulary": ("<pad>", *(f"word{i}" for i in range(1, WORDS))),
        "vectors": vectors,
        "padding_id": 0,
        "padding_trainable": False,
    }
    return Dataset(**{**parts, **changes})


def toy_protocol(**changes: Any) -> Protocol:
    """Three epochs of batches of 5."""
    parts: dict[str, Any] = {"name": "toy", "epochs": 3, "batch_size": 5, "length": 9, "learning_rate": 0.01}
    return Protocol(**{**parts, **changes})


def stopping(*at: int) -> Callable[[], bool]:
    """A `Watch.stop` that says yes at these calls, counted from 0."""
    calls = count()
    return lambda: next(calls) in at


def same(one: Result, other: Result) -> bool:
    """Whether two results agree in every bit but the time they took."""
    curves = [[{k: v for k, v in row.items() if k != "seconds"} for row in it.curve] for it in (one, other)]
    assert one.top_ids is not None and other.top_ids is not None
    assert one.top_scores is not None and other.top_scores is not None
    return (
        (one.metrics, curves[0], one.notes) == (other.metrics, curves[1], other.notes)
        and one.top_ids.tobytes() == other.top_ids.tobytes()
        and one.top_scores.tobytes() == other.top_scores.tobytes()
    )
