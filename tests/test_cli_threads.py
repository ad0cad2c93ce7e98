"""How many threads a process computes with."""

from __future__ import annotations

import os

import pytest

from audit.pipeline.suite import threads_of


@pytest.mark.parametrize(
    ("cores", "workers", "asked", "threads"),
    [
        (8, 2, None, 4),
        (2, 3, None, 1),
        (None, 1, None, 1),
        (8, 1, "3", 3),  # another's job has the other cores
        (8, 4, "3", 2),
        (8, 1, "0", 8),
        (8, 1, "many", 8),
    ],
)
def test_a_process_takes_its_share_of_the_cores_and_no_more_than_the_user_gives(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, workers: int, asked: str | None, threads: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if asked is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert threads_of(workers) == threads
