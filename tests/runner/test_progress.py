"""Bars on a terminal, a line a run elsewhere, and silence where nobody reads."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from audit.runner.plan import Job
from audit.runner.progress import Screen
from audit.runner.resolve import DataRequest
from tests.records import make_run


def job(seed: int) -> Job:
    request = DataRequest(None, "study2022", 9, "random:4", 4, Path("cache"))
    return Job(make_run(seed, None).spec, request, f"words seed {seed}", "cpu", {})


def screen(total: int, *, terminal: bool) -> tuple[Screen, io.StringIO]:
    said = io.StringIO()
    return Screen(total, Console(file=said, force_terminal=terminal, width=100)), said


def test_elsewhere_a_line_a_run_and_nothing_for_runs_that_were_there() -> None:
    listener, said = screen(3, terminal=False)
    with listener:
        listener.ended(job(0), make_run(0, 80.0))  # it was in the store
        listener.began(job(1))
        listener.progress(job(1), 5, 15, 0.5)
        listener.ended(job(1), make_run(1, 81.25, seconds=12.3))
        listener.began(job(2))
        listener.ended(job(2), make_run(2, None, status="failed", reason="the loss became nan [red]"))
    assert said.getvalue().splitlines() == [
        "[2/3] words seed 1: P@1 81.25  (12 s)",
        "[3/3] words seed 2: failed: the loss became nan [red]",
    ]


def test_the_first_run_that_was_made_tells_how_long_the_others_take_and_no_other() -> None:
    """600 s a run: eight others by two processes, of which one is as far as this one."""
    said = io.StringIO()
    listener = Screen(10, Console(file=said, force_terminal=False, width=100), workers=2)
    listener.ended(job(0), make_run(0, 80.0, seconds=9e9))  # it was in the store
    listener.began(job(1))
    listener.ended(job(1), make_run(1, 81.0, seconds=600.0))
    listener.began(job(2))
    listener.ended(job(2), make_run(2, 82.0, seconds=600.0))
    told = [line for line in said.getvalue().splitlines() if "pace" in line]
    assert told == ["about 35 min for the other 8 runs at that pace"]


def test_elsewhere_runs_at_work_are_told_of_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("audit.runner.progress.time.monotonic", lambda: now[0])
    for terminal in (False, True):
        now[0] = 0.0
        listener, said = screen(2, terminal=terminal)
        listener.began(job(0))
        listener.began(job(1))
        for second in range(0, 131, 10):
            now[0] = float(second)
            listener.progress(job(0), second, 200, 0.5)
        told = [] if terminal else ["words seed 0: 30% done, 60 s", "words seed 0: 60% done, 2 min"]
        assert said.getvalue().splitlines() == told
