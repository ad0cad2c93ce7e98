"""Rank-AE's ranking loss against binary cross-entropy on the same logits; time and memory up to 10^6 labels.

    python tests/benchmarks/bench_ranking_loss.py [cpu|cuda]
    pytest tests/benchmarks/bench_ranking_loss.py -m benchmark -s

Forward and backward. Both sides do their repeats in turn and the best counts, in processor seconds on the
CPU. Memory is that of the process (or of the GPU's allocator), by which a first pass raises it.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from reimpl.losses import bce_mean, ranking_loss

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

BATCH, LABELS, POSITIVES, MARGIN = 256, 4_000, 5, 0.5
#: Labels of the series, at a batch of 16.
SERIES = (10_000, 100_000, 1_000_000)

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def ranking(scores: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    LP, LN = ranking_loss(scores, rows, cols, margin=MARGIN)
    return (LP + LN).mean()


def batch(documents: int, labels: int, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Random scores and `POSITIVES` positives a document, spread evenly."""
    torch.manual_seed(0)
    scores = torch.randn(documents, labels, device=device, requires_grad=True)
    rows = torch.arange(documents, device=device).repeat_interleave(POSITIVES)
    cols = (torch.arange(len(rows), device=device) * 7919) % labels
    return scores, rows, cols


def seconds(losses: list[Loss], scores: Tensor, rows: Tensor, cols: Tensor, repeats: int) -> list[float]:
    """Best of each, in turn."""
    best = [float("inf")] * len(losses)
    clock = time.perf_counter if scores.is_cuda else time.process_time
    for _ in range(repeats):
        for i, loss in enumerate(losses):
            scores.grad = None
            began = clock()
            loss(scores, rows, cols).backward()  # type: ignore[no-untyped-call]
            if scores.is_cuda:
                torch.cuda.synchronize()
            best[i] = min(best[i], clock() - began)
    return best


def extra_bytes(loss: Loss, scores: Tensor, rows: Tensor, cols: Tensor) -> int:
    """By how much one forward and backward pass raises the most that was ever held, the gradient included."""
    scores.grad = None
    before = most_held(scores)
    loss(scores, rows, cols).backward()  # type: ignore[no-untyped-call]
    return most_held(scores) - before


def most_held(scores: Tensor) -> int:
    """Bytes: of the whole process, or of the GPU's allocator."""
    if scores.is_cuda:
        return torch.cuda.max_memory_allocated()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(device: str = "cpu") -> tuple[float, list[tuple[int, float, float]]]:
    """Ratio to BCE, and of each L of the series nanoseconds and bytes a score."""
    bce, ours = seconds([bce_mean, ranking], *batch(BATCH, LABELS, device), repeats=20)
    print(
        f"{device} B={BATCH} L={LABELS}: BCE {bce * 1e3:.2f} ms, ranking {ours * 1e3:.2f} ms, "
        f"ratio {ours / bce:.2f}"
    )
    series = []
    for labels in SERIES:
        data = batch(16, labels, device)
        held = extra_bytes(ranking, *data)
        (took,) = seconds([ranking], *data, repeats=5)
        size = data[0].numel()
        series.append((labels, took / size * 1e9, held / size))
        print(
            f"{device} B=16 L={labels:,}: {took * 1e3:.2f} ms, {took / size * 1e9:.2f} ns and "
            f"{held / size:.1f} bytes a score"
        )
    return ours / bce, series


def test_the_ranking_loss_costs_about_what_cross_entropy_does_and_grows_linearly() -> None:
    ratio, series = measure()
    assert ratio < 1.5
    assert max(held for _, _, held in series) < 16  # a few arrays of the scores' size, whatever L
    assert series[-1][1] < 4 * series[0][1]  # beyond the caches each score costs more, but not with L


if __name__ == "__main__":
    measure(*sys.argv[1:])
