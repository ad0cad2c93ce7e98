"""Runs as Slurm tasks, by submitit's executor that starts them on this machine. python -m pytest -m cluster
tests/runner/test_slurm.py"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.runner.execute import Outcome, running_in
from audit.storage.runs import Store
from tests.runner.jobs import Heard, carry_out_all, check_undisturbed, make_jobs, trouble
from tests.runner.test_execute import wait_for

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
pytest.importorskip("submitit", reason="needs the extra slurm")

LONG = 600  # Epochs of a run that takes some seconds.


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # tasks import this folder, too
    return Store(tmp_path / "store")


def on(jobs: Any, store: Store, heard: Heard, **how: Any) -> Outcome:
    how = {"resources": "cluster=local", "workers": None, "threads": 1, **how}
    return carry_out_all(jobs, store, heard, on="slurm", **how)


def test_a_task_whose_time_is_over_is_queued_again_and_its_run_goes_on(tmp_path: Path, store: Store) -> None:
    """No checkpoint is written in the first minute but for the one after the signal."""
    (job,), heard = make_jobs(tmp_path, epochs=LONG), Heard()
    key = job.spec.key

    def take_away(at_work: dict[str, int]) -> bool:
        before = store.has_checkpoint(key)
        os.kill(at_work[key], signal.SIGUSR2)
        wait_for(lambda: not Path(f"/proc/{at_work[key]}").exists())
        return store.has_checkpoint(key) and store.get(key) is None and not before

    with trouble(store, 1, take_away) as went_on:
        outcome = on([job], store, heard)
    assert went_on == [True] and not outcome.interrupted
    assert heard.again_ == [] and list(outcome.runs) == [key]
    told = "".join(path.read_text() for path in (running_in(store) / "slurm").glob("*_log.out"))
    assert told.count("Requeued job") == 1
    check_undisturbed(tmp_path, store, [job])


def test_a_run_whose_task_is_killed_is_made_once_more_alone(tmp_path: Path, store: Store) -> None:
    jobs, heard = make_jobs(tmp_path, 2, epochs=LONG), Heard()
    with trouble(store, 1, lambda at_work: os.kill(min(at_work.values()), signal.SIGKILL)):
        outcome = on(jobs, store, heard)
    assert len(outcome.runs) == 2 and len(heard.again_) == 1
    check_undisturbed(tmp_path, store, jobs)


def test_an_interrupt_reaches_the_tasks_and_the_same_call_goes_on(tmp_path: Path, store: Store) -> None:
    jobs = make_jobs(tmp_path, 2, epochs=LONG)
    with trouble(store, 1, lambda _: os.kill(os.getpid(), signal.SIGINT)):
        outcome = on(jobs, store, Heard())
    assert outcome.interrupted and outcome.runs == {}
    assert any(store.has_checkpoint(job.spec.key) for job in jobs)
    assert len(on(jobs, store, Heard()).runs) == 2
    check_undisturbed(tmp_path, store, jobs)
