"""How much of the files on disk has been read: the bytes behind a progress bar.

Readers of any format open their files through `open_counted`; nothing is counted unless somebody looks.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Buffer

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all, the last time with both equal."""


@dataclass
class Meter:
    """Bytes read of `total`."""

    total: int
    show: Progress
    done: int = 0

    def add(self, count: int) -> None:
        """So many bytes more; never beyond the total, for a file may be looked at twice."""
        self.done = min(self.done + count, self.total)
        self.show(self.done, self.total)


#: Bytes that are read, and told, at once: some hundred steps for a corpus worth a bar.
_STEP = 1 << 17

_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


class _Counted(io.FileIO):
    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: Buffer, /) -> int:
        count = super().readinto(buffer)
        self._meter.add(count)
        return count


def open_counted(path: Path) -> io.BufferedReader:
    """The file, to be read; raises `OSError` as `Path.open` does."""
    meter = _METER.get()
    if meter is None:
        return path.open("rb")
    return io.BufferedReader(_Counted(path, meter), _STEP)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Within it what is read is told to the meter."""
    token = _METER.set(meter)
    try:
        yield
    finally:
        _METER.reset(token)


@contextmanager
def counted(total: int, show: Progress | None) -> Iterator[None]:
    """Within it what is read is told to `show`; at its end, unless by an error, all is."""
    if show is None:
        yield
        return
    with metered(Meter(total, show)):
        yield
    show(total, total)
