"""Convolution with max pooling at the study's full size: our backward pass against torch's dense one.

python tests/benchmarks/bench_layers.py [cpu|cuda]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from reimpl import layers

# documents, positions, channels, maps, window, stride, pools
SHAPES = [
    (256, 500, 300, 128, 8, 1, 1),
    (256, 500, 300, 128, 8, 1, 4),
    (256, 300, 500, 128, 8, 1, 4),
    (16, 500, 50, 1024, 8, 1, 1),
    (32, 96, 32, 16, 8, 1, 1),
]


def seconds(step: Callable[[], Tensor], repeats: int, device: str) -> float:
    """Best of `repeats` forward and backward passes."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        step().backward()  # type: ignore[no-untyped-call]
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    return best


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    for B, T, C, maps, k, stride, pools in SHAPES:
        B = B if device == "cuda" else min(B, 32)
        x = torch.randn(B, T, C, device=device, requires_grad=True)
        weight = torch.randn(maps, C, k, device=device, requires_grad=True)

        def dense(x=x, weight=weight, stride=stride, pools=pools) -> Tensor:  # type: ignore[no-untyped-def]
            return F.adaptive_max_pool1d(F.conv1d(x.transpose(1, 2), weight, stride=stride), pools).sum()

        def ours(x=x, weight=weight, stride=stride, pools=pools) -> Tensor:  # type: ignore[no-untyped-def]
            return layers.conv_max_pool(x, weight, None, pools=pools, stride=stride).sum()

        a, b = seconds(dense, 10, device), seconds(ours, 10, device)
        print(
            f"{device} B={B} T={T} C={C} F={maps} k={k} stride={stride} pools={pools}: "
            f"dense {a * 1e3:.2f} ms, ours {b * 1e3:.2f} ms, ratio {a / b:.2f}"
        )


if __name__ == "__main__":
    main()
