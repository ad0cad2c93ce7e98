"""The state of an unfinished run on disk: whole or not there, with torch's generators in it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch

from reimpl.errors import ReimplError

_Taken = TypeVar("_Taken")


class CheckpointError(ReimplError):
    """The state of an unfinished run cannot be read; the run has to begin again."""


def save(path: Path, content: Mapping[str, Any], device: torch.device) -> str | None:
    """Write `content` (tensors, numbers, strings) and the generators' states beside `path`, then rename.

    Returns None, or the kind of error that kept it from being written; the older file then stays.
    """
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
def load(path: Path, device: torch.device) -> Iterator[dict[str, Any]]:
    """The content for a block that takes it over; then the generators go on where they were.

    Whatever is wrong with the file, or with what the block finds in it, is a `CheckpointError`.
    """
    try:
        content = torch.load(path, map_location=device, weights_only=True)
        yield content
        torch.set_rng_state(content["torch_rng"].cpu())
        if content["cuda_rng"] is not None and device.type == "cuda":
            torch.cuda.set_rng_state(content["cuda_rng"].cpu(), device)
    except Exception as problem:
        raise CheckpointError(
            f"checkpoint {str(path)!r} cannot be read ({type(problem).__name__}); delete it to begin again"
        ) from problem


def read(path: Path | None, take: Callable[[dict[str, Any]], _Taken]) -> _Taken | None:
    """What `take` makes of the content; None where there is nothing that can be read."""
    try:
        if path is not None:
            with load(path, torch.device("cpu")) as content:
                return take(content)
    except CheckpointError:
        pass
    return None
