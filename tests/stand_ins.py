"""What stands in for training and for the fidelity gate, so that commands take no time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reimpl.fidelity
from audit.runner import execute
from reimpl.fidelity import Check
from reimpl.training import Result


def pass_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its checks have tests of their own; on one core, since so small networks are slower on two."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(reimpl.fidelity, "check", lambda model: (Check(model, "sizes", True, "as printed"),))


def train_at_once(
    monkeypatch: pytest.MonkeyPatch, value: Callable[[Any, Any], float], *, seconds: float = 1.0
) -> None:
    """A job on its data gives `value(job, data)` as P@1, half of it as P@3, and took so many seconds."""

    def train(job: Any, data: Any, *_: Any) -> Result:
        shape, p_at_1 = (data.test.size, 1), value(job, data)
        ids, scores = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        return Result({"P@1": p_at_1, "P@3": p_at_1 / 2}, (), seconds, None, 9, ids, scores)

    monkeypatch.setattr(execute, "train_job", train)
