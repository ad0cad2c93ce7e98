"""Many jobs -> their records: one after another here, or in worker processes.

Workers talk to the parent over one pipe each, so that a worker that is killed takes nothing with it: its job
goes to another one, from its last checkpoint. On the first interrupt the runs write a checkpoint and stop.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from audit.errors import AuditError, option
from audit.record import Run
from audit.runner.carry_out import HeldElsewhere, Means, Stopped, carry_out, failed, stands
from audit.runner.plan import Job
from audit.storage.runs import Store

#: A worker that dies at the same job this many times has its run recorded as failed.
_LIVES = 2
_POLL = 0.2


class Listener(Protocol):
    """Who is told how the suite goes on."""

    def began(self, job: Job) -> None: ...
    def progress(self, job: Job, done: int, total: int, loss: float | None) -> None: ...
    def ended(self, job: Job, run: Run) -> None: ...
    def waiting(self, job: Job) -> None: ...
    def stopping(self) -> None: ...


@dataclass
class Outcome:
    """Records by key, and whether the suite was interrupted."""

    runs: dict[str, Run] = field(default_factory=dict)
    interrupted: bool = False


def execute(
    jobs: Sequence[Job],
    store: Store,
    listener: Listener,
    *,
    workers: int = 1,
    threads: int | None = None,
    retry_failed: bool = False,
    rerun_changed: bool = False,
    checkpoint_every: float = 60.0,
) -> Outcome:
    """Have every job's record: those in the store at once, the others by running them.

    Raises `StoreError` when records cannot be read or written.
    """
    means = Means(store, threads, retry_failed, rerun_changed, checkpoint_every)
    outcome = Outcome()
    open_jobs = []
    for job in jobs:
        run = store.get(job.spec.key)
        if run and stands(run, job, means):
            outcome.runs[job.spec.key] = run
            listener.ended(job, run)
        else:
            open_jobs.append(job)
    if not open_jobs:
        return outcome
    with _interrupts(listener.stopping) as stop:
        if workers <= 1 or len(open_jobs) == 1:
            held = _here(open_jobs, means, listener, outcome, stop)
        else:
            held = _Workers(min(workers, len(open_jobs)), means, listener, outcome, stop).run(open_jobs)
        _await_others(held, means, listener, outcome, stop)
    return outcome


@contextmanager
def _interrupts(heard: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C (or SIGTERM) sets; a second one ends the process as usual.

    `heard` is called at once: a step, or an evaluation, may take a while to come to its end.
    """
    stop = threading.Event()
    before = {}

    def handle(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        with suppress(OSError):
            heard()

    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _here(
    jobs: Sequence[Job], means: Means, listener: Listener, outcome: Outcome, stop: threading.Event
) -> list[Job]:
    """Carries the jobs out in this process; returns those that another process holds."""
    held = []
    for job in jobs:
        if stop.is_set():
            outcome.interrupted = True
            break
        listener.began(job)
        try:
            run = carry_out(job, means, progress=_bound(listener, job), stop=stop.is_set)
        except HeldElsewhere:
            held.append(job)
        except Stopped:
            outcome.interrupted = True
        else:
            outcome.runs[job.spec.key] = run
            listener.ended(job, run)
    return held


def _bound(listener: Listener, job: Job) -> Callable[[int, int, float | None], None]:
    return lambda done, total, loss: listener.progress(job, done, total, loss)


def _await_others(
    held: Sequence[Job], means: Means, listener: Listener, outcome: Outcome, stop: threading.Event
) -> None:
    """Waits for runs that another process holds, and takes over those whose process died."""
    patient = replace(means, wait=1.0)
    for job in held:
        listener.waiting(job)
        while job.spec.key not in outcome.runs and not stop.is_set():
            held_still = _here([job], patient, listener, outcome, stop)
            if not held_still:
                break
    outcome.interrupted |= stop.is_set()


# --------------------------------------------------------------------------- worker processes


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    job: Job | None = None
    ready: bool = False
    """Whether it came as far as asking for work."""


class _Workers:
    def __init__(
        self, n: int, means: Means, listener: Listener, outcome: Outcome, stop: threading.Event
    ) -> None:
        self.means, self.listener, self.outcome, self.stop = means, listener, outcome, stop
        self.context = multiprocessing.get_context("spawn")
        # One byte and no lock: a worker that is killed while it looks leaves nothing locked behind.
        self.flag = self.context.RawValue(ctypes.c_bool, False)
        self.deaths: dict[str, int] = {}
        self.stillborn = 0
        self.held: list[Job] = []
        self.workers = [self._start() for _ in range(n)]

    def run(self, jobs: Sequence[Job]) -> list[Job]:
        """Carries the jobs out; returns those that a process of another command holds."""
        self.queue = list(jobs)
        try:
            while self.queue or any(worker.job for worker in self.workers):
                if self.stop.is_set():
                    self.flag.value = True
                    self.outcome.interrupted = True
                    self.queue.clear()
                self._hand_out()
                self._listen()
        finally:
            self._end()
        return self.held

    def _start(self) -> _Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(
            target=_work, args=(there, self.means, self.flag, os.getpid()), daemon=True
        )
        resource_tracker.ensure_running()  # here, because it lets through the interrupts that we hold back
        with _held_back():
            process.start()
        there.close()
        return _Worker(process, here)

    def _hand_out(self) -> None:
        for worker in self.workers:
            if worker.job is None and self.queue:
                worker.job = self.queue.pop(0)
                self.listener.began(worker.job)
                # A worker that is already dead is noticed by its sentinel, with the job still marked as its.
                with suppress(OSError):
                    worker.pipe.send(worker.job)

    def _listen(self) -> None:
        by_object = {worker.pipe: worker for worker in self.workers}
        by_object |= {worker.process.sentinel: worker for worker in self.workers}
        ready = wait(list(by_object), timeout=_POLL)
        for worker in {id(by_object[it]): by_object[it] for it in ready}.values():  # type: ignore[index]
            if not self._read(worker):
                self._bury(worker)

    def _read(self, worker: _Worker) -> bool:
        """Takes what the worker has sent; False when the other end of the pipe is closed: it is dead."""
        while worker.pipe.poll():
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                return False
            self._take(worker, *message)
        return True

    def _take(self, worker: _Worker, kind: str, content: Any) -> None:
        if kind == "ready":
            worker.ready, self.stillborn = True, 0
            return
        job = worker.job
        if job is None:
            return
        if kind == "progress":
            self.listener.progress(job, *content)
            return
        worker.job = None
        if kind == "ended":
            self.outcome.runs[job.spec.key] = content
            self.listener.ended(job, content)
        elif kind == "held":
            self.held.append(job)
        elif kind == "stopped":
            self.outcome.interrupted = True
        elif kind == "error":
            raise content

    def _bury(self, worker: _Worker) -> None:
        """A worker died: its job goes to a new one, or is recorded as failed when that happens again."""
        self.workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        how = _manner(worker.process.exitcode)
        if not worker.ready and not self.stop.is_set():
            self._count_stillborn(how)
        if worker.job is not None and not self.stop.is_set():
            self._entrust_again(worker.job, how, count=worker.ready)
        if self.queue:
            self.workers.append(self._start())

    def _count_stillborn(self, how: str) -> None:
        """A worker that dies before it has any work says nothing about a run."""
        self.stillborn += 1
        if self.stillborn >= _LIVES:
            raise AuditError(f"worker processes end with {how} as they start; use {option('jobs', 1)}")

    def _entrust_again(self, job: Job, how: str, *, count: bool) -> None:
        self.deaths[job.spec.key] = self.deaths.get(job.spec.key, 0) + count
        if self.deaths[job.spec.key] < _LIVES:
            self.queue.insert(0, job)
        else:
            run = self._record_death(job, how)
            self.outcome.runs[job.spec.key] = run
            self.listener.ended(job, run)

    def _record_death(self, job: Job, how: str) -> Run:
        reason = f"its process ended with {how}, {_LIVES} times; the system ends processes short of memory so"
        with self.means.store.claim(job.spec.key, wait=0) as claim:
            if claim.record and claim.record.status == "done" and stands(claim.record, job, self.means):
                return claim.record  # it died after its work was done
            run = failed(job, job.data.load(), reason)
            return self.means.store.put(run, retry=self.means.retry_failed, anew=self.means.rerun_changed)

    def _end(self) -> None:
        self.flag.value = True  # whoever is still at work, because of an error, writes a checkpoint
        for worker in self.workers:
            try:
                worker.pipe.send(None)
            except OSError:
                continue
        for worker in self.workers:
            worker.process.join(timeout=10)
            if worker.process.is_alive():
                worker.process.terminate()
            worker.pipe.close()


def _manner(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextmanager
def _held_back() -> Iterator[None]:
    """Interrupts wait; a process that starts here has them held back until it asks for something else.

    Else a Ctrl-C that comes while a worker is still importing would end it with a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, means: Means, flag: Any, parent: int) -> None:
    """Body of a worker process: jobs from the pipe until None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; its flag reaches us at the next step
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def stop() -> bool:
        return bool(flag.value) or os.getppid() != parent  # an orphan stops too, with a checkpoint

    with suppress(OSError):
        pipe.send(("ready", None))
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        if job is None:
            return
        _answer(pipe, job, means, stop)


def _answer(pipe: Connection, job: Job, means: Means, stop: Callable[[], bool]) -> None:
    def progress(done: int, total: int, loss: float | None) -> None:
        pipe.send(("progress", (done, total, loss)))

    answer: tuple[str, Any]
    try:
        answer = "ended", carry_out(job, means, progress=progress, stop=stop)
    except HeldElsewhere:
        answer = "held", None
    except Stopped:
        answer = "stopped", None
    except (Exception, SystemExit) as err:
        answer = "error", _portable(err)
    with suppress(OSError):  # the parent may be gone
        pipe.send(answer)


def _portable(err: BaseException) -> Exception:
    """Errors of one sentence go to the parent as they are; others may not survive the pipe."""
    from reimpl.errors import ReimplError

    if isinstance(err, AuditError | ReimplError):
        return err
    return RuntimeError("".join(traceback.format_exception(err)))
