"""Worker processes, one to a slot, so that one that is killed takes nothing with it but its own task.

What a worker says comes over a pipe of its own: a common queue would stay locked behind one that is killed.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from audit.errors import AuditError, option

#: Workers that may die one after another before any of them could begin.
LIVES = 2
_POLL = 0.2
#: Seconds that a worker has to write its checkpoint before it is ended.
_PATIENCE = 10.0

#: What a worker does with a task: it gets what tells the parent something, and what says whether to stop.
Body = Callable[[Any, Callable[..., None], Callable[[], bool]], Any]

_CONTEXT = multiprocessing.get_context("spawn")


class Workers:
    """A base: what is done with the answers is a subclass's. `body` must survive pickling."""

    def __init__(self, body: Body, stop: threading.Event) -> None:
        self.body, self.stop = body, stop
        # One byte and no lock: a worker that is killed while it looks leaves nothing locked behind.
        self.flag = _CONTEXT.RawValue(ctypes.c_bool, False)

    def began(self, task: Any) -> None: ...  # A worker gets the task, maybe not for the first time.
    def message(self, task: Any, *content: Any) -> None: ...  # What the task's process says of it.
    def ended(self, task: Any, answer: Any) -> None: ...

    def died(self, task: Any, how: str, *, ready: bool) -> bool:
        """Its process died, `ready` or before it could begin; whether another one gets the task."""
        return True

    def run(self, n: int, tasks: Iterable[Any]) -> None:
        """Have all tasks done by `n` processes, or stopped; each is asked for when a process is free. What
        one raises is raised here."""
        further, again, slots = iter(tasks), deque[Any](), [_Slot(self.flag) for _ in range(n)]
        stillborn = 0
        try:
            while True:
                self.flag.value = self.stop.is_set()
                for slot in slots:
                    if slot.future is None and not self.flag.value:
                        slot.task = again.popleft() if again else next(further, None)
                        if slot.task is not None:
                            self.began(slot.task)
                            slot.submit(self.body)
                if not any(slot.future for slot in slots):
                    return
                wait([slot.future for slot in slots if slot.future], _POLL, FIRST_COMPLETED)
                for place, slot in enumerate(slots):
                    over = slot.future is not None and slot.future.done()
                    for content in slot.messages():
                        self.message(slot.task, *content)
                    stillborn = 0 if slot.ready else stillborn
                    if not over:
                        continue
                    try:
                        self.ended(slot.task, slot.answer())
                    except BrokenProcessPool:
                        slots[place] = _Slot(self.flag)
                        if self.stop.is_set():
                            continue
                        slot.executor.shutdown()  # waits for it
                        code = slot.process.exitcode
                        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
                        stillborn += not slot.ready
                        if stillborn >= LIVES:
                            raise AuditError(
                                f"worker processes end with {how} as they start; use {option('jobs', 1)}"
                            ) from None
                        if self.died(slot.task, how, ready=slot.ready):
                            again.append(slot.task)
        finally:
            self.flag.value = True  # whoever is still at work, because of an error, stops in its own way
            for slot in slots:
                slot.executor.shutdown(wait=False, cancel_futures=True)
            for slot in slots:
                slot.end()


class _Slot:
    """A process, from its first task on, and the task that it is at."""

    def __init__(self, flag: Any) -> None:
        self.pipe, self.theirs = _CONTEXT.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(1, _CONTEXT, initializer=_begin, initargs=(self.theirs, flag))
        self.future: Future[Any] | None = None
        self.task: Any = None
        self.process: Any = None
        self.ready = False
        """Whether the process came as far as taking tasks."""

    def submit(self, body: Body) -> None:
        resource_tracker.ensure_running()  # here, because it lets through the interrupts that we hold back
        before = multiprocessing.active_children()
        with _held_back():
            self.future = self.executor.submit(_perform, body, self.task)
        if not self.theirs.closed:  # the first task, for which the process was started
            (self.process,) = set(multiprocessing.active_children()) - set(before)
            self.theirs.close()  # so that the end of the process is the end of the pipe

    def messages(self) -> Iterator[tuple[Any, ...]]:
        with suppress(EOFError, OSError):
            while self.pipe.poll():
                content = self.pipe.recv()
                self.ready = True
                if content:  # the first one is empty
                    yield content

    def answer(self) -> Any:
        future, self.future = self.future, None
        assert future is not None
        return future.result()

    def end(self) -> None:
        """Ends the process, which is given time to stop in its own way."""
        if self.process is not None:
            self.process.join(_PATIENCE)
            self.process.terminate()
            self.process.join()


@contextmanager
def interrupts(heard: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C (or SIGTERM) sets; a second one ends the process as usual. `heard` is
    called at once: a step may take a while to come to its end."""
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
    """Interrupts wait; a process that starts here has them held back until it asks for something else. Else a
    Ctrl-C that comes while a worker is still importing would end it with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --------------------------------------------------------------------------- in the worker

_busy = threading.Lock()
_orphaned = threading.Event()
_tell: Callable[..., None]
_flag: Any


def _begin(pipe: Connection, flag: Any) -> None:
    global _tell, _flag
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; its flag reaches us at the next step
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _tell, _flag = lambda *content: pipe.send(content), flag
    threading.Thread(target=_end_with_parent, daemon=True).start()
    pipe.send(())


def _end_with_parent() -> None:
    """A task that is at work stops, with a checkpoint, before the process ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    _orphaned.set()
    with _busy:
        os._exit(1)


def _perform(body: Body, task: Any) -> Any:
    with _busy:
        return body(task, _tell, lambda: bool(_flag.value) or _orphaned.is_set())
