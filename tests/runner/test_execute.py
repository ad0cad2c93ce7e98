"""Many jobs, here and in worker processes: each once, resumed after a kill, failed ones counted."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.errors import AuditError
from audit.runner import execute as module
from audit.runner import workers as worker_processes
from audit.runner.execute import execute
from audit.runner.plan import Job
from audit.storage.runs import Store
from reimpl import xml_cnn
from tests.runner.jobs import Deadly, Heard, content, make_jobs


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Job]], list[Any]]:
    """What the records of jobs say when nothing comes between."""

    def contents(jobs: Sequence[Job]) -> list[Any]:
        store = Store(tmp_path_factory.mktemp("undisturbed"))
        execute(jobs, store, Heard(), threads=1)
        return [content(store, job.spec.key) for job in jobs]

    return contents


def contents(store: Store, jobs: Sequence[Job]) -> list[Any]:
    return [content(store, job.spec.key) for job in jobs]


# --------------------------------------------------------------------------- in this process


def test_every_job_is_run_once_and_heard_of(tmp_path: Path, store: Store) -> None:
    jobs, heard = make_jobs(tmp_path, 3), Heard()
    outcome = execute(jobs, store, heard, threads=1)
    assert list(outcome.runs) == [job.spec.key for job in jobs]
    assert not outcome.interrupted
    assert heard.began_ == heard.ended_ == [0, 1, 2]
    assert heard.waited == []
    assert [(seed, done) for seed, done in heard.steps if seed == 1 and done % 5 == 0] == [
        (1, 5),
        (1, 10),
        (1, 15),
    ]


def test_with_all_records_there_no_process_is_started(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = make_jobs(tmp_path, 2)
    execute(jobs, store, Heard())
    monkeypatch.setattr(module, "_Runs", lambda *_: pytest.fail("workers were started"))
    assert len(execute(jobs, store, Heard(), workers=2).runs) == 2


def test_failed_seeds_are_kept_and_counted_and_retried_on_demand(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = make_jobs(tmp_path, 3)
    build, calls = xml_cnn.build, iter(range(9))

    def second_fails(*arguments: Any, **parts: Any) -> Any:
        if next(calls) == 1:
            raise ZeroDivisionError("seed 1")
        return build(*arguments, **parts)

    monkeypatch.setattr(xml_cnn, "build", second_fails)
    outcome = execute(jobs, store, Heard())
    assert [run.status for run in outcome.runs.values()] == ["done", "failed", "done"]
    heard, again = Heard(), execute(jobs, store, Heard())
    assert [run.status for run in again.runs.values()] == ["done", "failed", "done"]
    retried = execute(jobs, store, heard, retry_failed=True)
    assert heard.began_ == [1]
    assert {run.status for run in retried.runs.values()} == {"done"}


def test_an_interrupt_stops_at_the_next_step_and_the_same_call_goes_on(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs = make_jobs(tmp_path, 3)

    def interrupt(job: Job, done: int, total: int) -> None:
        if (job.spec.seed, done) == (1, 10):
            os.kill(os.getpid(), signal.SIGINT)

    heard, again = Heard(interrupt), Heard()
    outcome = execute(jobs, store, heard, threads=1)
    assert outcome.interrupted and heard.stops == 1
    assert [run.spec.seed for run in outcome.runs.values()] == [0]
    assert heard.began_ == [0, 1]
    assert not execute(jobs, store, again, threads=1).interrupted
    assert (1, 5) not in again.steps  # the first epoch was not made again
    assert contents(store, jobs) == undisturbed(jobs)


# --------------------------------------------------------------------------- in worker processes


def workers() -> list[int]:
    return [process.pid for process in multiprocessing.active_children() if process.pid]


def test_a_killed_worker_is_replaced_and_its_run_goes_on_from_its_checkpoint(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs = make_jobs(tmp_path, 2, epochs=40)
    killed: dict[int, int] = {}

    def kill_once(job: Job, done: int, total: int) -> None:
        if done >= 50 and not killed:
            killed.update(dict.fromkeys(workers(), done))
            for process in list(killed):
                os.kill(process, signal.SIGKILL)

    heard = Heard(kill_once)
    outcome = execute(jobs, store, heard, workers=2, threads=1, checkpoint_every=0.0)
    assert len(killed) == 2
    assert [outcome.runs[job.spec.key].status for job in jobs] == ["done", "done"]
    assert len(heard.began_) > 2
    assert contents(store, jobs) == undisturbed(jobs)
    # The run that was watched was beyond its tenth epoch; no epoch before that was made again.
    watched = next(seed for seed, done in heard.steps if done >= 50)
    steps = [done for seed, done in heard.steps if seed == watched]
    assert steps == sorted(steps) and steps.count(5) == 1


def test_a_run_whose_worker_dies_twice_is_failed_and_the_others_go_on(tmp_path: Path, store: Store) -> None:
    good, deadly = make_jobs(tmp_path, 2)
    deadly = replace(deadly, data=Deadly(**vars(deadly.data), parent=os.getpid()))
    heard = Heard()
    outcome = execute([deadly, good], store, heard, workers=2)
    run = outcome.runs[deadly.spec.key]
    assert run.status == "failed"
    assert run.reason == (
        "its process ended with signal 9, 2 times; the system ends processes short of memory so"
    )
    assert store.get(run.key) == run
    assert run.data.n_train == 40
    assert not (store.root / "checkpoints" / run.key).exists()
    assert heard.began_.count(1) == 2
    assert outcome.runs[good.spec.key].status == "done"


def _exit(*arguments: Any) -> None:
    os._exit(7)


def test_workers_that_cannot_start_are_an_error_and_no_failed_runs(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "_begin", _exit)
    with pytest.raises(AuditError, match=r"^worker processes end with exit code 7 as they start"):
        execute(make_jobs(tmp_path, 2), store, Heard(), workers=2)
    assert list(store.runs()) == []
    assert workers() == []


def test_an_interrupt_reaches_the_workers_and_the_same_call_goes_on(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs = make_jobs(tmp_path, 3, epochs=60)
    interrupted: list[int] = []

    def interrupt(job: Job, done: int, total: int) -> None:
        if done == 50 and not interrupted:
            interrupted.append(job.spec.seed)
            os.kill(os.getpid(), signal.SIGINT)

    outcome = execute(jobs, store, Heard(interrupt), workers=2, threads=1)
    assert outcome.interrupted and not outcome.runs
    assert workers() == []
    heard = Heard()
    assert not execute(jobs, store, heard, threads=1).interrupted
    assert (interrupted[0], 5) not in heard.steps
    assert contents(store, jobs) == undisturbed(jobs)


# --------------------------------------------------------------------------- several commands


def command(root: Path, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    script = Path(__file__).with_name("command.py")
    return subprocess.Popen(
        [sys.executable, str(script), str(root), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def test_two_commands_on_one_store_run_nothing_twice_and_both_end_with_everything(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs = make_jobs(tmp_path, 3, epochs=20)
    both = [command(tmp_path, store.root, 3, workers, 20) for workers in (1, 2)]
    answers = [answer(process) for process in both]
    assert [found["records"] for found in answers] == [[0, 1, 2], [0, 1, 2]]
    trained = [seed for found in answers for seed in found["trained"]]
    assert sorted(trained) == [0, 1, 2]
    assert contents(store, jobs) == undisturbed(jobs)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return time.monotonic() - began


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_when_the_parent_is_killed_its_workers_stop_and_a_new_command_goes_on(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    """kill -9: no orphan goes on burning the CPU, none writes a failed record or a traceback."""
    jobs = make_jobs(tmp_path, 2, epochs=150)
    first = command(tmp_path, store.root, 2, 2, 150)
    checkpoints = [store.root / "checkpoints" / job.spec.key / "state.pt" for job in jobs]
    wait_for(lambda: any(path.exists() for path in checkpoints))
    family = children(first.pid)
    assert len(family) >= 2
    first.kill()
    _, err = first.communicate(timeout=60)  # returns when the last of the family closes its end
    wait_for(lambda: not any(map(alive, family)), 10)
    assert "Traceback" not in err
    assert list(store.runs()) == []
    assert any(path.exists() for path in checkpoints)
    execute(jobs, store, Heard(), threads=1)
    assert contents(store, jobs) == undisturbed(jobs)
