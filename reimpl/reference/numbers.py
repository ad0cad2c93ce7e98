"""Stored numbers of the public code, and how close ours come to them; imports no torch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Test = Callable[[], str]


class MismatchError(Exception):
    """A number of ours departs from its reference; one sentence saying which, by how much."""


_STORED = resources.files("reimpl.reference") / "stored"


def manifest(model: str) -> Mapping[str, Any]:
    """What is stored of a model: the cases, with source and tolerance."""
    content: Mapping[str, Any] = json.loads((_STORED / model / "manifest.json").read_text("utf-8"))
    return content


def arrays(model: str, file: str) -> dict[str, Array]:
    with (_STORED / model / file).open("rb") as stream, np.load(stream) as stored:
        return {name: stored[name] for name in stored.files}


def close(name: str, ours: npt.ArrayLike, reference: npt.ArrayLike, *, tolerance: float) -> float:
    """Largest |ours - reference| / max(1, max |reference|). Raises `MismatchError` beyond `tolerance`."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if a.shape != b.shape:
        raise MismatchError(f"{name} has shape {a.shape}, not {b.shape}")
    if a.size == 0:
        raise MismatchError(f"{name} is empty, so nothing was compared")
    gap = float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(b))))
    if not gap <= tolerance:  # NaN fails too
        raise MismatchError(f"{name} differs by {gap:.1e}, more than {tolerance:.0e}")
    return gap


def close_after_step(
    name: str,
    ours: Array,
    reference: Array,
    *,
    before: Array,
    gradient: Array,
    decay: float = 0.0,
    tolerance: float = 2e-6,
) -> float:
    """Weights after a first step of Adam, lr g / (|g| + small), where it is determined: largest |ours -
    reference|. Where g is rounding noise it goes either way, so only entries with |g| >= 1e-6 are compared.
    Where g is 0 the weight must not have moved at all; a decay moves it as it does in the reference."""
    if not ours.shape == reference.shape == before.shape == gradient.shape:
        raise MismatchError(f"{name} has shape {ours.shape}, not {reference.shape}")
    if not decay and not np.array_equal(ours[gradient == 0], before[gradient == 0]):
        raise MismatchError(f"{name} moves entries that have no gradient")
    clear = (np.abs(gradient) >= 1e-6) | ((gradient == 0) if decay else False)
    gap = float(np.max(np.abs(ours - reference), where=clear, initial=0.0))
    if not gap <= tolerance:
        raise MismatchError(f"{name} differs by {gap:.1e} after one step, more than {tolerance:.0e}")
    return gap
