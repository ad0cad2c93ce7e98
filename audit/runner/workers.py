"""Worker processes that take tasks over one pipe each, so that one that is killed takes nothing with it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from audit.errors import AuditError, option

#: Workers that may die one after another before any of them asked for work.
LIVES = 2
_POLL = 0.2

#: What a worker does with a task: it gets what tells the parent something, and what says whether to stop.
Body = Callable[[Any, Callable[..., None], Callable[[], bool]], Any]


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    task: Any = None
    ready: bool = False
    """Whether it came as far as asking for work."""


class Workers:
    """A base: what is done with the answers is a subclass's. `body` must survive pickling."""

    def __init__(self, body: Body, stop: threading.Event) -> None:
        self.body, self.stop = body, stop
        self.context = multiprocessing.get_context("spawn")
        # One byte and no lock: a worker that is killed while it looks leaves nothing locked behind.
        self.flag = self.context.RawValue(ctypes.c_bool, False)
        self.stillborn = 0
        self.workers: list[_Worker] = []

    def began(self, task: Any) -> None:
        """A worker gets the task, maybe not for the first time."""

    def told(self, task: Any, *content: Any) -> None:
        """The task's process told something."""

    def ended(self, task: Any, answer: Any) -> None:
        """The task is over."""

    def died(self, task: Any, how: str, *, ready: bool) -> bool:
        """Its process died, `ready` or before it could begin; whether another one gets the task."""
        return True

    def look(self) -> None:
        """A moment has passed."""

    def run(self, n: int, tasks: Iterable[Any]) -> None:
        """Have all tasks done by `n` processes, or stopped. What one raises is raised here."""
        self.queue = list(tasks)
        try:
            self.workers += [self._start() for _ in range(n)]
            while self.queue or any(worker.task is not None for worker in self.workers):
                if self.stop.is_set():
                    self.flag.value = True
                    self.queue.clear()
                self._hand_out()
                self._listen()
                self.look()
        finally:
            self._end()

    def _start(self) -> _Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(
            target=_work, args=(there, self.body, self.flag, os.getpid()), daemon=True
        )
        resource_tracker.ensure_running()  # here, because it lets through the interrupts that we hold back
        with _held_back():
            process.start()
        there.close()
        return _Worker(process, here)

    def _hand_out(self) -> None:
        for worker in self.workers:
            if worker.task is None and self.queue:
                worker.task = self.queue.pop(0)
                self.began(worker.task)
                # A worker that is already dead is noticed by its sentinel, with the task still marked as its.
                with suppress(OSError):
                    worker.pipe.send(worker.task)

    def _listen(self) -> None:
        by_object: dict[Any, _Worker] = {worker.pipe: worker for worker in self.workers}
        by_object |= {worker.process.sentinel: worker for worker in self.workers}
        ready = wait(list(by_object), timeout=_POLL)
        for worker in {id(by_object[it]): by_object[it] for it in ready}.values():
            if not self._read(worker):
                self._bury(worker)

    def _read(self, worker: _Worker) -> bool:
        """Takes what the worker has sent; False when the other end of the pipe is closed: it is dead."""
        while worker.pipe.poll():
            try:
                kind, content = worker.pipe.recv()
            except (EOFError, OSError):
                return False
            task = worker.task
            if kind == "ready":
                worker.ready, self.stillborn = True, 0
            elif kind == "told":
                self.told(task, *content)
            elif kind == "ended":
                worker.task = None
                self.ended(task, content)
            else:
                raise content
        return True

    def _bury(self, worker: _Worker) -> None:
        """A worker died; one that dies before it has any work says nothing about a task."""
        self.workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        if self.stop.is_set():
            return
        code = worker.process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        self.stillborn += not worker.ready
        if self.stillborn >= LIVES:
            raise AuditError(f"worker processes end with {how} as they start; use {option('jobs', 1)}")
        if worker.task is not None and self.died(worker.task, how, ready=worker.ready):
            self.queue.insert(0, worker.task)
        if self.queue:
            self.workers.append(self._start())

    def _end(self) -> None:
        self.flag.value = True  # whoever is still at work, because of an error, stops in its own way
        for worker in self.workers:
            with suppress(OSError):
                worker.pipe.send(None)
        for worker in self.workers:
            worker.process.join(timeout=10)
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join()
            worker.pipe.close()


@contextmanager
def interrupts(heard: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
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


def _work(pipe: Connection, body: Body, flag: Any, parent: int) -> None:
    """A worker process: tasks from the pipe until None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; its flag reaches us at the next step
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def stop() -> bool:
        return bool(flag.value) or os.getppid() != parent  # an orphan stops too, with a checkpoint

    def tell(*content: Any) -> None:
        pipe.send(("told", content))

    with suppress(EOFError, OSError):  # the parent may be gone
        pipe.send(("ready", None))
        while (task := pipe.recv()) is not None:
            try:
                answer = "ended", body(task, tell, stop)
            except (Exception, SystemExit) as err:
                answer = "error", _portable(err)
            pipe.send(answer)


def _portable(err: BaseException) -> Exception:
    """Errors of one sentence go to the parent as they are; others may not survive the pipe."""
    from reimpl.errors import ReimplError

    if isinstance(err, AuditError | ReimplError):
        return err
    return RuntimeError("".join(traceback.format_exception(err)))
