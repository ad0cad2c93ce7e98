"""A step of APLC's loss at Wiki-500K's cluster sizes against the loss of a full output layer.

    python tests/benchmarks/bench_aplc.py [cpu|cuda] [--repeats 2]
    pytest tests/benchmarks/bench_aplc.py -m benchmark -s

Sides: `clusters`, three of 167,000 / 167,000 / 167,069 labels over 768 components (the public code's cuts);
`full`, a linear layer over all 501,069 labels under this project's sparse BCE, which keeps one tensor of
documents x labels; `as the code`, the same clusters with all scores of a visiting document at once and
gradients by autograd. 64 documents of Table 3; 4.87 labels each, drawn so that a fifth of the labels has
three quarters of the mass (Figure 2). A step is loss and backward.

Each side has a process of its own. Time is the best of the repeats, in processor seconds on a CPU
(OMP_NUM_THREADS=1 makes them hold on a busy machine). Memory is the peak of the first step beyond what stood
there before it: gradients of the weights, and beside them what the loss itself needs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from reimpl.label_clusters import ClusterOptions, LabelClusters
from reimpl.losses import bce_mean

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

LABELS, CUTS, FEATURES, DOCUMENTS, PER_DOCUMENT = 501_069, (167_000, 334_000), 768, 64, 4.87
SIDES = ("clusters", "full", "as the code")


def positives(seed: int = 0) -> tuple[Tensor, Tensor]:
    """Documents and labels; label of rank r with a mass in which 20 % of the labels have 75 %."""
    rng = np.random.default_rng(seed)
    # the share u ** (log .2 / log .75) of the ranks has the share u of the mass
    power = np.log(0.2) / np.log(0.75)
    rows = np.repeat(np.arange(DOCUMENTS), rng.poisson(PER_DOCUMENT - 1, DOCUMENTS) + 1)
    cols = (LABELS * rng.random(len(rows)) ** power).astype(np.int64)
    pairs = np.unique(np.stack((rows, cols)), axis=1)
    return torch.from_numpy(pairs[0]), torch.from_numpy(pairs[1])


def step_of(side: str, device: str) -> tuple[nn.Module, Callable[[], Tensor]]:
    """The layer of a side, and a step of it."""
    torch.manual_seed(0)
    x = torch.randn(DOCUMENTS, FEATURES, device=device, requires_grad=True)
    rows, cols = (it.to(device) for it in positives())
    if side == "full":
        layer = nn.Linear(FEATURES, LABELS, device=device)
        return layer, lambda: bce_mean(layer(x), rows, cols)
    options = ClusterOptions(clusters=3, cutoffs=CUTS)
    clusters = LabelClusters(options, features=FEATURES, order=np.arange(LABELS)).to(device)
    if side == "clusters":
        return clusters, lambda: clusters.loss(x, rows, cols)
    return clusters, lambda: as_the_code(clusters, x, rows, cols)


def as_the_code(layer: LabelClusters, x: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """All scores of the documents that visit a tail, by autograd."""
    visits = layer.visits(len(x), rows, cols)
    head = torch.zeros(len(x), layer.sizes[0], device=x.device)
    within = cols < layer.sizes[0]
    head[rows[within], cols[within]] = 1
    sums = F.binary_cross_entropy_with_logits(layer.head(x), head, reduction="none").sum(1)
    units = layer.roots(x)
    sums = sums + (F.softplus(units) * ~visits.visited).sum(1)
    for i, tail in enumerate(layer.tails):
        mine = visits.visited[:, i].nonzero()[:, 0]
        place = visits.visited[:, i].cumsum(0) - 1
        a, b = layer.starts[i + 1 : i + 3]
        within = (cols >= a) & (cols < b)
        truth = torch.zeros(len(mine), b - a, device=x.device)
        truth[place[rows[within]], cols[within] - a] = 1
        p = torch.sigmoid(units[mine, i : i + 1]) * torch.sigmoid(tail.expand(tail.reduced(x[mine])))
        inside = F.binary_cross_entropy(p, truth, reduction="none").sum(1)
        sums = sums.index_add(0, mine, inside)
    return (sums / visits.counts).mean()


def measure(side: str, device: str, repeats: int) -> dict[str, float]:
    """Seconds of a step, megabytes of its peak beyond the weights, and of the weights."""
    layer, step = step_of(side, device)
    weights = sum(p.numel() * p.element_size() for p in layer.parameters())
    gpu = device == "cuda"
    clock = time.perf_counter if gpu else time.process_time
    if gpu:
        torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated() if gpu else _resident()
    value = step()
    value.backward()
    peak = (
        torch.cuda.max_memory_allocated()
        if gpu
        else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    )
    best = float("inf")
    for _ in range(repeats):
        layer.zero_grad()
        began = clock()
        step().backward()
        if gpu:
            torch.cuda.synchronize()
        best = min(best, clock() - began)
    return {
        "seconds": best,
        "peak": (peak - before) / 1e6,
        "beside": (peak - before - weights) / 1e6,
        "weights": weights / 1e6,
        "loss": value.item(),
    }


def _resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _child(side: str, device: str, repeats: int, pipe: multiprocessing.connection.Connection) -> None:
    torch.set_num_threads(1)
    pipe.send(measure(side, device, repeats))


def measured(device: str = "cpu", repeats: int = 2) -> dict[str, dict[str, float]]:
    """Every side in a process of its own, one after another."""
    context, found = multiprocessing.get_context("spawn"), {}
    for side in SIDES:
        here, there = context.Pipe()
        process = context.Process(target=_child, args=(side, device, repeats, there))
        process.start()
        found[side] = here.recv()
        process.join()
        it = found[side]
        print(
            f"{side:12} {it['seconds']:6.2f} s a step; peak {it['peak']:6,.0f} MB beyond "
            f"{it['weights']:,.0f} MB of weights, {it['beside']:,.0f} MB beside their gradients; "
            f"loss {it['loss']:.6f}",
            flush=True,
        )
    ours = found["clusters"]
    for side in SIDES[1:]:
        of = {name: found[side][name] / ours[name] for name in ("seconds", "peak", "beside")}
        print(
            f"{side} / clusters: time {of['seconds']:.2f}, peak {of['peak']:.2f}, "
            f"beside the gradients {of['beside']:.1f}"
        )
    return found


def test_clusters_take_less_time_and_far_less_memory_than_a_full_layer() -> None:
    found = measured()
    ours, full, code = (found[side] for side in SIDES)
    assert ours["loss"] == pytest.approx(code["loss"], rel=1e-5)
    assert ours["seconds"] < full["seconds"] and ours["seconds"] < code["seconds"]
    assert ours["beside"] < full["beside"] / 4 and ours["beside"] < code["beside"] / 4


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("device", nargs="?", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    measured(options.device, options.repeats)


if __name__ == "__main__":
    main()
