"""Tasks in this process, or in worker processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, resource_tracker
from queue import Empty, SimpleQueue
from typing import Any

from audit.errors import AuditError, option
from audit.runner.channel import ENDING, Stop
from audit.runner.engines import Died, Listener, Resources, Work

_POLL = 0.5


class Local:
    """One worker process a seat, so that one that is killed takes nothing with it but its own task."""

    TAKES: tuple[str, ...] = ()

    def __init__(self, at_once: int | None, resources: Resources) -> None:
        self.at_once = at_once or 1

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        seats = 1 if alone else min(self.at_once, len(tasks))
        if seats > 1 or alone:  # a task that may end its process never runs in this one
            _Pool(tasks, work, listener.stop).run(seats, listener)
            return
        for task in tasks:
            if listener.stop():
                return
            listener.began(task)

            def tell(done: int, total: int, loss: float | None, task: Any = task) -> None:
                listener.progress(task, done, total, loss)

            listener.ended(task, work(task, tell=tell))


class _Pool:
    """Threads that wait for one worker process each, and say in a queue what becomes of the tasks."""

    def __init__(self, tasks: Sequence[Any], work: Work, stop: Stop) -> None:
        self.waiting, self.work, self.stop = deque(tasks), work, stop
        self.said: SimpleQueue[tuple[str, Any, Any]] = SimpleQueue()
        self.pools: dict[int, ProcessPoolExecutor] = {}

    def run(self, seats: int, listener: Listener) -> None:
        threads = [threading.Thread(target=self._serve, args=(seat,), daemon=True) for seat in range(seats)]
        resource_tracker.ensure_running()  # by this thread, since it lets interrupts through
        try:
            for thread in threads:
                thread.start()
            while seats:
                try:
                    what, task, content = self.said.get(timeout=_POLL)
                except Empty:
                    listener.tick()
                    continue
                if what == "began":
                    listener.began(task)
                elif what == "ended":
                    listener.ended(task, content)
                elif content is not None:
                    raise content
                seats -= what == "left"
        except BaseException as err:
            self.stop.set()  # those at work stop in their own way
            for thread in threads if not isinstance(err, KeyboardInterrupt) else ():
                thread.join()
            raise

    def _serve(self, seat: int) -> None:
        problem = None
        if hasattr(signal, "pthread_sigmask"):  # held back from a worker until it ignores interrupts
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while not self.stop():
                try:
                    task = self.waiting.popleft()
                except IndexError:
                    break
                if seat not in self.pools:
                    self._start(seat)
                self.said.put(("began", task, None))
                try:
                    answer = self.pools[seat].submit(_perform, self.work, task, seat).result()
                except BrokenProcessPool:
                    del self.pools[seat]
                    answer = Died("its worker process was ended")
                self.said.put(("ended", task, answer))
        except BaseException as err:  # raised in the thread that waits
            problem = err
        if pool := self.pools.get(seat):
            pool.shutdown()
        self.said.put(("left", None, problem))

    def _start(self, seat: int) -> None:
        started = (os.getpid(),)
        pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin, initargs=started)
        try:
            pool.submit(os.getpid).result()
        except BrokenProcessPool as err:
            with_one = option("jobs", 1)
            raise AuditError(f"worker processes end when they start; {with_one} works without them") from err
        self.pools[seat] = pool


# --------------------------------------------------------------------------- in the worker

_busy = threading.Lock()


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; the store says so at the next step
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A task that is at work stops, with a checkpoint, before the process ends."""
    while os.getppid() == parent:
        time.sleep(_POLL)
    ENDING.set()
    with _busy:
        os._exit(1)


def _perform(work: Work, task: Any, seat: int) -> Any:
    with _busy:
        return work(task, seat=seat)
