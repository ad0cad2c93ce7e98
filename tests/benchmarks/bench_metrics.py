"""Metrics: time and memory against scikit-learn's `ndcg_score` and LibMultiLabel 0.10 on the same input.

    pytest tests/benchmarks/bench_metrics.py -m benchmark -s

prints one table and asserts values, never times. The first lines are of top-5 lists that are there already,
those with * and of scikit-learn of dense rows of scores, whose best five must be found first. Dense rows of
150,000 documents do not fit: they are measured on fewer (column "documents") and scaled. The other programs
take dense 0/1 truth; making it from CSR is part of their time, as it is in LibMultiLabel's own evaluation
loop, which is left out where it is not installed.
"""

from __future__ import annotations

import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from reimpl.metrics import Truth, evaluate, inverse_propensity

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

DOCUMENTS = 150_000
CHUNK_SCORES = 20_000_000  # 80 MB of float32 scores at a time
NAMES = [f"{family}@{k}" for family in ("P", "R", "RP", "nDCG") for k in (1, 3, 5)]

Values = dict[str, float]


@dataclass
class Problem:
    """A test set with L labels: Zipf-like labels, about five a document, and lists with some of them in."""

    L: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.L)
        rows = np.repeat(np.arange(DOCUMENTS), rng.poisson(5, DOCUMENTS))
        keys = np.unique(rows * self.L + (rng.random(len(rows)) ** 3 * self.L).astype(np.int64))
        counts = np.bincount(keys // self.L, minlength=DOCUMENTS)
        self.truth = Truth(np.concatenate(([0], np.cumsum(counts))), keys % self.L, self.L)
        self.matrix = csr_matrix(
            (np.ones(len(keys), np.int8), self.truth.labels, self.truth.offsets), shape=(DOCUMENTS, self.L)
        )
        self.lists = (rng.random((DOCUMENTS, 5)) ** 3 * self.L).astype(np.int64)
        for rank in (0, 2):
            full = np.flatnonzero(counts > rank)
            self.lists[full, rank] = self.truth.labels[self.truth.offsets[full] + rank]
        self.lists += np.arange(5)  # a list seldom has a label twice; LibMultiLabel counts it twice
        self.lists = np.where(self.lists < self.L, self.lists, np.arange(5))
        self.frequency = rng.integers(0, 1000, self.L)
        self.step = max(1, CHUNK_SCORES // self.L)

    def chunk(self) -> tuple[np.ndarray, csr_matrix]:
        """Random float32 scores of some documents with the true labels lifted, and their truth."""
        rng = np.random.default_rng(1)
        truth = self.matrix[: self.step]
        scores = rng.random((truth.shape[0], self.L), dtype=np.float32)
        rows, ids = truth.nonzero()
        scores[rows, ids] += rng.random(len(rows), dtype=np.float32)
        return scores, truth


def ours(problem: Problem) -> Values:
    return evaluate(problem.lists, problem.truth)


def ours_with_psp(problem: Problem) -> Values:
    return evaluate(
        problem.lists, problem.truth, weights=inverse_propensity(problem.frequency, 490_000, A=0.6, B=2.6)
    )


def ours_from_tensors(scores: np.ndarray, truth: csr_matrix) -> Values:
    import torch

    from reimpl.batching import top_k

    return evaluate(top_k(torch.from_numpy(scores), 5)[1].numpy(), truth)


def scikit_learn(scores: np.ndarray, truth: csr_matrix) -> Values:
    from sklearn.metrics import ndcg_score

    # ignore_ties is its fast way; the default visits document by document.
    return {"nDCG@5": 100 * ndcg_score(truth.toarray(), scores, k=5, ignore_ties=True)}


def lml_lists(problem: Problem) -> Values:
    linear = importlib.import_module("libmultilabel.linear.metrics")
    metrics = linear.get_metrics([name.replace("nDCG", "NDCG") for name in NAMES], problem.L)
    for start in range(0, DOCUMENTS, problem.step):
        stop = min(start + problem.step, DOCUMENTS)
        truth = problem.matrix[start:stop].toarray()
        for metric in metrics.metrics.values():  # what its update() does once it has sorted the scores
            metric.update_argsort(problem.lists[start:stop, ::-1], truth)
    return {name.replace("NDCG", "nDCG"): 100 * float(value) for name, value in metrics.compute().items()}


def best(call: Callable[..., Values], *given: Any) -> tuple[Values, float, float]:
    """The values, seconds (best of three where it is quick, else one), and MB of NumPy at the highest."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        values = call(*given)
        seconds.append(time.perf_counter() - start)
        if seconds[-1] > 5:
            break
    tracemalloc.start()
    call(*given)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return values, min(seconds), peak


def test_metrics_against_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """All programs give equal values; the table says what that costs them."""
    lists = {"ours: 12 metrics": ours, "ours: 18 metrics, with PSP and PSnDCG": ours_with_psp}
    if importlib.util.find_spec("libmultilabel"):
        lists["LibMultiLabel linear, given lists: 12"] = lml_lists
    scored = {
        "ours: top_k + 12 metrics *": ours_from_tensors,
        "scikit-learn ndcg_score: 1 metric": scikit_learn,
    }
    table = [f"{'labels':>7}  {'program':38}  {'documents':>9}  {'s/150k':>8}  {'peak MB':>7}"]
    for L in (4_000, 670_000):
        problem = Problem(L)
        scores, truth = problem.chunk()
        found = [(who, DOCUMENTS, best(call, problem)) for who, call in lists.items()]
        found += [(who, len(scores), best(call, scores, truth)) for who, call in scored.items()]
        for who, documents, (_, seconds, peak) in found:
            rate = seconds * DOCUMENTS / documents
            table.append(f"{L:>7,}  {who:38}  {documents:>9,}  {rate:>8.2f}  {peak:>7.0f}")
        for same in (found[: len(lists)], found[len(lists) :]):
            expected = same[0][2][0]
            for who, _, (values, _, _) in same[1:]:
                for name in set(values) & set(expected):
                    assert values[name] == pytest.approx(expected[name], abs=1e-3), (who, name)
    with capsys.disabled():
        print("\n" + "\n".join(table) + "\n* memory of torch is not counted")
