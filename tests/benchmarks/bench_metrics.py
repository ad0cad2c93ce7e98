"""Metrics: time and memory against scikit-learn's `ndcg_score` and LibMultiLabel 0.10 on the same input.

    pytest tests/benchmarks/bench_metrics.py -m benchmark -s

prints one table and asserts values, never times. Two inputs are told apart: "lists" are top-5 lists that are
there already, "scores" are dense rows of scores, whose best five must be found first. All programs get the
same chunks in turn. Dense rows of 150,000 documents do not fit: those lines are measured on fewer documents
(column "measured") and scaled to 150,000. The other programs take dense 0/1 truth; making it from CSR is part
of their time, as it is in LibMultiLabel's own evaluation loop. Set XMTC_BENCH_SCORES to the number of scores
(documents x labels) to measure on, 80,000,000 unless told. Programs that cannot be imported are left out, and
the last lines say so.
"""

from __future__ import annotations

import importlib
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from reimpl.metrics import evaluate
from reimpl.truth import Truth

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

DOCUMENTS = 150_000
SCORES = int(os.environ.get("XMTC_BENCH_SCORES", "80_000_000"))
CHUNK_SCORES = 20_000_000  # 80 MB of float32 scores at a time
NAMES = [f"{family}@{k}" for family in ("P", "R", "RP", "nDCG") for k in (1, 3, 5)]

Values = dict[str, float]
Chunk = tuple[np.ndarray, csr_matrix]


@dataclass
class Row:
    """One line of the table."""

    L: int
    given: str
    who: str
    measured: int
    seconds: float  # for 150,000 documents
    peak_mb: float | None
    values: Values = field(repr=False)


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
        self.measured = min(DOCUMENTS, max(self.step, SCORES // self.L))

    def chunks(self) -> Iterator[Chunk]:
        """Random float32 scores with the true labels lifted, and their truth, a chunk at a time."""
        rng = np.random.default_rng(1)
        for start in range(0, self.measured, self.step):
            truth = self.matrix[start : min(start + self.step, self.measured)]
            scores = rng.random((truth.shape[0], self.L), dtype=np.float32)
            rows, ids = truth.nonzero()
            scores[rows, ids] += rng.random(len(rows), dtype=np.float32)
            yield scores, truth


# ------------------------------------------------------------------ the programs


def ours(problem: Problem) -> Values:
    return evaluate(problem.lists, problem.truth)


def ours_with_psp(problem: Problem) -> Values:
    return evaluate(
        problem.lists, problem.truth, train_frequency=problem.frequency, n_train=490_000, A=0.6, B=2.6
    )


def ours_from_tensors(scores: np.ndarray, truth: csr_matrix) -> Values:
    import torch

    from reimpl import topk

    return evaluate(topk.top_k(torch.from_numpy(scores), 5)[1].numpy(), truth)


def scikit_learn(scores: np.ndarray, truth: csr_matrix) -> Values:
    from sklearn.metrics import ndcg_score

    # ignore_ties is its fast way; the default visits document by document.
    return {"nDCG@5": 100 * ndcg_score(truth.toarray(), scores, k=5, ignore_ties=True)}


def lml_lists(problem: Problem) -> Values:
    linear = importlib.import_module("libmultilabel.linear.metrics")
    metrics = linear.get_metrics([name.replace("nDCG", "NDCG") for name in NAMES], problem.L)
    for start in range(0, problem.measured, problem.step):
        stop = min(start + problem.step, problem.measured)
        truth = problem.matrix[start:stop].toarray()
        for metric in metrics.metrics.values():  # what its update() does once it has sorted the scores
            metric.update_argsort(problem.lists[start:stop, ::-1], truth)
    return {name.replace("NDCG", "nDCG"): 100 * float(value) for name, value in metrics.compute().items()}


def lml_linear(scores: np.ndarray, truth: csr_matrix) -> Values:
    linear = importlib.import_module("libmultilabel.linear.metrics")
    names = [name.replace("nDCG", "NDCG") for name in NAMES]
    values = linear.compute_metrics(scores, truth.toarray(), names)
    return {name.replace("NDCG", "nDCG"): 100 * float(value) for name, value in values.items()}


def lml_nn(scores: np.ndarray, truth: csr_matrix) -> Values:
    import torch

    metrics = importlib.import_module("libmultilabel.nn.metrics").get_metrics(0.5, NAMES, scores.shape[1])
    metrics.update(torch.from_numpy(scores), torch.from_numpy(truth.toarray()).int())
    return {name: 100 * float(value) for name, value in metrics.compute().items()}


# ------------------------------------------------------------------ measuring


def _peak(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def of_lists(problem: Problem, who: str, call: Callable[[Problem], Values], measured: int) -> Row:
    """Best of three where it is quick, else one; NumPy's memory at its highest, above what was given."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        values = call(problem)
        seconds.append(time.perf_counter() - start)
        if seconds[-1] > 5:
            break
    scaled = min(seconds) * DOCUMENTS / measured
    return Row(problem.L, "lists", who, measured, scaled, _peak(lambda: call(problem)), values)


def of_scores(problem: Problem, calls: dict[str, Callable[..., Values]]) -> list[Row]:
    """Each program on each chunk in turn, so that all see the same machine."""
    seconds, peaks = dict.fromkeys(calls, 0.0), dict.fromkeys(calls, 0.0)
    sums: dict[str, Values] = {who: {} for who in calls}
    for number, (scores, truth) in enumerate(problem.chunks()):
        for who, call in calls.items():
            if number == 0:
                peaks[who] = _peak(lambda: call(scores, truth))  # noqa: B023 - called at once
            start = time.perf_counter()
            values = call(scores, truth)
            seconds[who] += time.perf_counter() - start
            for name, value in values.items():
                sums[who][name] = sums[who].get(name, 0.0) + value * len(scores) / problem.measured
    scale = DOCUMENTS / problem.measured
    return [
        Row(problem.L, "scores", who, problem.measured, seconds[who] * scale, peaks[who], sums[who])
        for who in calls
    ]


def _importable(name: str, notes: list[str]) -> bool:
    try:
        importlib.import_module(name)
    except ImportError as problem:
        notes.append(f"left out: {name} cannot be imported ({problem})")
        return False
    return True


def _table(rows: list[Row]) -> str:
    lines = [
        f"{'labels':>7}  {'given':6}  {'program':38}  "
        f"{'measured':>8}  {'s/150k':>8}  {'x ours':>7}  {'peak MB':>7}"
    ]
    base: dict[tuple[int, str], float] = {}
    for row in rows:
        first = base.setdefault((row.L, row.given), row.seconds)
        lines.append(
            f"{row.L:>7,}  {row.given:6}  {row.who:38}  {row.measured:>8,}  {row.seconds:>8.2f}  "
            f"{row.seconds / first:>7.1f}  {row.peak_mb:>7.0f}"
        )
    return "\n".join(lines)


def test_metrics_against_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """All programs give equal values; the table says what that costs them."""
    notes: list[str] = []
    lml = _importable("libmultilabel.linear.metrics", notes)
    nn = lml and _importable("libmultilabel.nn.metrics", notes)
    from_scores = {"ours: top_k + 12 metrics *": ours_from_tensors}
    if _importable("sklearn", notes):
        from_scores["scikit-learn ndcg_score: 1 metric"] = scikit_learn
    if lml:
        from_scores["LibMultiLabel linear: 12 metrics"] = lml_linear
    if nn:
        from_scores["LibMultiLabel nn: 12 metrics *"] = lml_nn
    rows: list[Row] = []
    for L in (4_000, 670_000):
        problem = Problem(L)
        rows.append(of_lists(problem, "ours: 12 metrics", ours, DOCUMENTS))
        rows.append(of_lists(problem, "ours: 18 metrics, with PSP and PSnDCG", ours_with_psp, DOCUMENTS))
        if lml:
            rows.append(
                of_lists(problem, "LibMultiLabel linear, given lists: 12", lml_lists, problem.measured)
            )
        scored = of_scores(problem, from_scores)
        rows += scored
        for row in scored[1:]:
            for name, value in row.values.items():
                assert value == pytest.approx(scored[0].values[name], abs=1e-3), (row.who, name)
    with capsys.disabled():
        print(f"\n{_table(rows)}\n* memory of torch is not counted", *notes, sep="\n")
