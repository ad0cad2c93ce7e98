"""The machine of a run: kinds of arithmetic, memory, a file for an unfinished run."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar
from zipfile import ZipFile

import torch

from reimpl.errors import ReimplError

Precision = Literal["float32", "tf32", "bf16"]
CPU = torch.device("cpu")
_Taken = TypeVar("_Taken")


@contextlib.contextmanager
def numeric_mode(precision: Precision) -> Iterator[None]:
    """float32 means float32 on a GPU too, and in those parts that a run in bfloat16 leaves in it."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]


def is_out_of_memory(problem: BaseException) -> bool:
    said = ("can't allocate memory", "out of memory", "ALLOC_FAILED")  # the CPU's, CUDA's and its libraries'
    kinds = (MemoryError, torch.OutOfMemoryError)
    return isinstance(problem, kinds) or any(words in str(problem) for words in said)


def reset_peak_memory(device: torch.device = CPU) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    elif sys.platform == "linux":
        # A worker runs many runs; 5 resets the kernel's high-water mark so that each has its own.
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def peak_memory(device: torch.device = CPU) -> int | None:
    """Bytes: what the allocator held on a GPU, the process's high-water mark on the CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, StopIteration, ValueError):
            lines = Path("/proc/self/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return None


# ---------------------------------------------------------------------------------------------- checkpoints
# Whole or not there, with torch's generators in them.


class CheckpointError(ReimplError):
    """The file is not a state of this run: it is damaged, or of other data; the run must begin again."""


def save_checkpoint(path: Path, content: Mapping[str, Any], device: torch.device) -> str | None:
    """Write content and generators beside `path`, then rename. Returns the kind of error, if any."""
    generators = {
        "torch_rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
    }
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        torch.save({**content, **generators}, temporary)
        temporary.replace(path)
    except (OSError, RuntimeError) as problem:  # torch reports a full disk as a RuntimeError
        return type(problem).__name__
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return None


@contextlib.contextmanager
def load_checkpoint(path: Path, device: torch.device) -> Iterator[dict[str, Any]]:
    """The content, on the host, for a block that uses it; then the generators continue. Raises
    `CheckpointError`; errors of disk, memory or device say nothing about the file and pass through."""
    try:
        with ZipFile(path) as file:  # torch reads on over bits that have changed
            if file.testzip() is not None:
                raise ValueError("its checksums are wrong")
        content = torch.load(path, map_location="cpu", weights_only=True)
        yield content
        torch.set_rng_state(content["torch_rng"])
        if content["cuda_rng"] is not None and device.type == "cuda":
            torch.cuda.set_rng_state(content["cuda_rng"], device)
    except Exception as problem:
        # of a file that was cut off torch looks for places before its beginning
        refused = isinstance(problem, OSError) and problem.errno != errno.EINVAL
        if refused or is_out_of_memory(problem) or "CUDA error" in str(problem):
            raise
        why = f"is not a readable state of this run ({type(problem).__name__})"
        raise CheckpointError(f"checkpoint {str(path)!r} {why}") from problem


def read_checkpoint(path: Path | None, take: Callable[[dict[str, Any]], _Taken]) -> _Taken | None:
    """The result of `take` on the content; None if there is no file, or a damaged one."""
    with contextlib.suppress(FileNotFoundError, CheckpointError):
        if path is not None:
            with load_checkpoint(path, torch.device("cpu")) as content:
                return take(content)
    return None
