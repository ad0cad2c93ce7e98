"""Ctrl-C at instants at which other libraries cannot bear it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C waits until the block is over, and then comes.

    Only in the main thread, the only one that it interrupts. By a handler and not by a mask of the thread:
    the system gives a signal to any thread, and libraries for numbers have theirs.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
