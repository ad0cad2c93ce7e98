"""Many jobs, here and in worker processes: each once, resumed after a kill, failed ones counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.errors import AuditError
from audit.runner import execute as module
from audit.runner.channel import pulses
from audit.runner.engines import local
from audit.runner.execute import running_in
from audit.runner.plan import Job
from audit.storage.runs import Store
from reimpl import xml_cnn
from tests.runner.jobs import Deadly, Heard, carry_out_all, content, make_jobs


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Job]], list[Any]]:
    """What the records of jobs say when nothing comes between."""

    def contents(jobs: Sequence[Job]) -> list[Any]:
        store = Store(tmp_path_factory.mktemp("undisturbed"))
        carry_out_all(jobs, store, Heard(), threads=1)
        return [content(store, job.spec.key) for job in jobs]

    return contents


def contents(store: Store, jobs: Sequence[Job]) -> list[Any]:
    return [content(store, job.spec.key) for job in jobs]


# --------------------------------------------------------------------------- in this process


def test_every_job_is_run_once_and_heard_of(tmp_path: Path, store: Store) -> None:
    jobs, heard = make_jobs(tmp_path, 3), Heard()
    outcome = carry_out_all(jobs, store, heard, threads=1)
    assert list(outcome.runs) == [job.spec.key for job in jobs]
    assert not outcome.interrupted
    assert heard.began_ == heard.ended_ == [0, 1, 2]
    assert heard.waited == []
    assert [done for seed, done in heard.steps if seed == 1 and done % 5 == 0] == [5, 10, 15]


def test_with_all_records_there_no_process_is_started(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = make_jobs(tmp_path, 2)
    carry_out_all(jobs, store, Heard())
    monkeypatch.setattr(module, "_Runs", lambda *_: pytest.fail("workers were started"))
    assert len(carry_out_all(jobs, store, Heard(), workers=2).runs) == 2


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
    outcome = carry_out_all(jobs, store, Heard())
    assert [run.status for run in outcome.runs.values()] == ["done", "failed", "done"]
    heard, again = Heard(), carry_out_all(jobs, store, Heard())
    assert [run.status for run in again.runs.values()] == ["done", "failed", "done"]
    retried = carry_out_all(jobs, store, heard, retry_failed=True)
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
    outcome = carry_out_all(jobs, store, heard, threads=1)
    assert outcome.interrupted and heard.stops == 1
    assert [run.spec.seed for run in outcome.runs.values()] == [0]
    assert heard.began_ == [0, 1]
    assert not carry_out_all(jobs, store, again, threads=1).interrupted
    assert (1, 5) not in again.steps  # the first epoch was not made again
    assert contents(store, jobs) == undisturbed(jobs)


# --------------------------------------------------------------------------- in worker processes


def at_work(store: Store) -> dict[str, int]:
    """Key -> process, of runs that have a checkpoint."""
    told = pulses(running_in(store))
    return {key: pulse.pid for key, pulse in told.items() if store.has_checkpoint(key)}


def when_at_work(store: Store, runs: int, then: Callable[[dict[str, int]], None]) -> threading.Thread:
    """Calls `then`, once, when so many runs are under way."""

    def watch() -> None:
        wait_for(lambda: len(at_work(store)) >= runs)
        then(at_work(store))

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def kill(processes: dict[str, int]) -> None:
    for process in processes.values():
        os.kill(process, signal.SIGKILL)


def test_a_killed_worker_is_replaced_and_its_run_goes_on_from_its_checkpoint(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs, heard = make_jobs(tmp_path, 2, epochs=150), Heard()
    killer = when_at_work(store, 2, kill)
    outcome = carry_out_all(jobs, store, heard, workers=2, threads=1, checkpoint_every=0.0)
    killer.join()
    assert [outcome.runs[job.spec.key].status for job in jobs] == ["done", "done"]
    assert sorted(heard.again_) == [0, 1]
    assert contents(store, jobs) == undisturbed(jobs)


def test_a_run_whose_worker_dies_twice_is_failed_and_the_others_go_on(tmp_path: Path, store: Store) -> None:
    good, deadly = make_jobs(tmp_path, 2)
    deadly = replace(deadly, data=Deadly(**vars(deadly.data), parent=os.getpid()))
    heard = Heard()
    outcome = carry_out_all([deadly, good], store, heard, workers=2)
    run = outcome.runs[deadly.spec.key]
    assert run.status == "failed"
    assert run.reason and run.reason.startswith(
        "its worker process was ended, beside other runs and alone; the"
    )
    assert store.get(run.key) == run
    assert run.data.n_train == 40
    assert not (store.root / "checkpoints" / run.key).exists()
    assert heard.again_ == [deadly.spec.seed]
    assert outcome.runs[good.spec.key].status == "done"


def _exit(*arguments: Any) -> None:
    os._exit(7)


def test_workers_that_cannot_start_are_an_error_and_no_failed_runs(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_begin", _exit)
    with pytest.raises(AuditError, match=r"^worker processes end when they start; --jobs 1 works without"):
        carry_out_all(make_jobs(tmp_path, 2), store, Heard(), workers=2)
    assert list(store.runs()) == []


def test_an_interrupt_reaches_the_workers_and_the_same_call_goes_on(
    tmp_path: Path, store: Store, undisturbed: Any
) -> None:
    jobs = make_jobs(tmp_path, 3, epochs=150)
    interrupter = when_at_work(store, 1, lambda _: os.kill(os.getpid(), signal.SIGINT))
    outcome = carry_out_all(jobs, store, Heard(), workers=2, threads=1, checkpoint_every=0.0)
    interrupter.join()
    assert outcome.interrupted and len(outcome.runs) < 3
    assert list(running_in(store).iterdir()) == []
    heard = Heard()
    assert not carry_out_all(jobs, store, heard, threads=1).interrupted
    assert any((seed, 5) not in heard.steps for seed in range(3))  # that one went on
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
    assert len((tmp_path / "trained").read_text().splitlines()) == 3
    assert contents(store, jobs) == undisturbed(jobs)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


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
    carry_out_all(jobs, store, Heard(), threads=1)
    assert contents(store, jobs) == undisturbed(jobs)
