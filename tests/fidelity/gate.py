"""Which stored cases and which tests of this folder a planted mistake turns red."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from reimpl import fidelity

#: A stored case by its name, or a test.
Seer = str | Callable[[], Any]


def blind(model: str, seers: Iterable[Seer]) -> list[Seer]:
    """Those that do not see the mistake: stored cases that pass, tests that do not raise."""
    cases = dict(fidelity._collect(model))  # type: ignore[arg-type]
    with torch.random.fork_rng(devices=[]):
        return [seer for seer in seers if _passes(cases[seer] if isinstance(seer, str) else seer)]


def _passes(test: Callable[[], Any]) -> bool:
    try:
        test()
    except Exception:
        return False
    return True
