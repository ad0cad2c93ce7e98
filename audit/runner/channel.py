"""How a run reports its progress and is asked to stop: small files in the store, the same for every engine.

STORE/running/KEY.json     of a run at work: where, since when, how far; removed at its end
STORE/running/stop-NAME    there while a command that was interrupted waits for its runs to stop"""

from __future__ import annotations

import json
import os
import platform
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from audit.json_errors import RecordError, read_record
from audit.storage.files import write

#: Seconds between two pulses of a run, between two looks whether to stop, and without a pulse before a run is
#: taken for one whose process is gone: a long evaluation tells nothing meanwhile.
_EVERY = 1.0
_LOOK = 0.2
SILENT = 600.0

#: Set in a worker process that must stop whatever the store says: its parent is gone, or its time is over.
ENDING = threading.Event()


@dataclass(frozen=True)
class Pulse:
    """The last reported progress of a run."""

    title: str
    host: str
    pid: int
    began: float  # Seconds since 1970, as `seen`.
    seen: float
    done: int = 0  # Steps, of `total`.
    total: int = 0
    loss: float | None = None

    @property
    def share(self) -> float:
        return self.done / max(1, self.total)


class Telling:
    """Writes the progress of one task into the folder while a block runs."""

    def __init__(self, folder: Path, name: str, title: str) -> None:
        now = time.time()
        self.path, self.written_at = folder / f"{name}.json", 0.0
        self.pulse = Pulse(title, platform.node(), os.getpid(), now, now)

    def __enter__(self) -> Self:
        self._write()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def progress(self, done: int, total: int, loss: float | None) -> None:
        """`done` of `total` steps."""
        if time.monotonic() - self.written_at >= _EVERY:
            self.pulse = replace(self.pulse, seen=time.time(), done=done, total=total, loss=loss)
            self._write()

    def _write(self) -> None:
        self.written_at = time.monotonic()
        # neither a full disk nor a loss of NaN is a fault of the run here
        with suppress(OSError, ValueError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write(self.path, json.dumps(asdict(self.pulse), allow_nan=False).encode(), durable=False)


def pulses(folder: Path) -> dict[str, Pulse]:
    """The newest progress of each running task, by the task's name."""
    found = {}
    for path in folder.glob("*.json"):
        with suppress(OSError, RecordError, UnicodeDecodeError):  # it ended just now
            found[path.stem] = read_record(Pulse, path.read_text("utf-8"))
    return found


class Stop:
    """Whether the tasks of one command should stop: called as `stop()` before each step, in any process."""

    def __init__(self, folder: Path, name: str = "") -> None:
        self.path = folder / (name or f"stop-{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}")
        self._event, self._looked, self._said = threading.Event(), 0.0, False

    def __reduce__(self) -> tuple[type[Stop], tuple[Path, str]]:
        return Stop, (self.path.parent, self.path.name)

    def set(self) -> None:
        self._event.set()
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()

    def clear(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._looked, self._said = now, self.path.exists()
        return self._said or self._event.is_set() or ENDING.is_set()


@contextmanager
def interrupts(folder: Path, heard: Callable[[], None] = lambda: None) -> Iterator[Stop]:
    """Sets what the first Ctrl-C (or SIGTERM) sets; a second one ends the process as usual. `heard` is called
    at once, because a step may take a while to end."""
    stop, before = Stop(folder), {}

    def handle(number: int, frame: Any) -> None:
        if stop():
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
        stop.clear()
