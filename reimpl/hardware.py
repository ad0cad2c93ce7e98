"""What differs between devices: kinds of arithmetic, memory and its want."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import torch

Precision = Literal["float32", "tf32", "bf16"]


@contextlib.contextmanager
def numeric_mode(precision: Precision) -> Iterator[None]:
    """float32 means float32 on a GPU too: TF32 is used only where the record says so."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest" if precision == "float32" else "high")
    torch.backends.cudnn.allow_tf32 = precision != "float32"
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]


def is_out_of_memory(problem: BaseException) -> bool:
    """Whether torch or one of its libraries says that memory does not suffice."""
    said = ("can't allocate memory", "out of memory", "ALLOC_FAILED")  # the CPU's, CUDA's and its libraries'
    return isinstance(problem, torch.OutOfMemoryError) or any(words in str(problem) for words in said)


def reset_peak_memory(device: torch.device) -> None:
    """Begin to measure the peak anew, where the system can."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    elif sys.platform == "linux":
        # A worker runs many runs; 5 resets the kernel's high-water mark so that each has its own.
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def peak_memory(device: torch.device) -> int | None:
    """Bytes: what the allocator held on a GPU, the process's high-water mark on the CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, StopIteration, ValueError):
            lines = Path("/proc/self/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return None
