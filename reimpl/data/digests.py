"""Digests of large files that are not read again while their size, times and place on disk stay the same.

A start from the cache would otherwise read gigabytes to learn what it knew the day before. What is trusted is
the file system's record of a change: size, time of change of the content and of the entry, device and number.
A file that was changed within the last two seconds is read again next time, for its clock may be that coarse.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeAlias

from reimpl.data.whole_file import write_whole

#: Name of the file of digests in the folder of a cache.
MEMORY = "digests.json"

_COARSE = 2.0
_MOST = 1000

Known: TypeAlias = dict[str, list[object]]
_KNOWN: ContextVar[Known | None] = ContextVar("known", default=None)


def state(path: Path) -> list[int]:
    """What changes when a file does; raises `OSError` when there is none."""
    it = path.stat()
    return [it.st_size, it.st_mtime_ns, it.st_ctime_ns, it.st_dev, it.st_ino]


def settled(found: list[int]) -> bool:
    """Whether a later change would surely show."""
    return time.time() - max(found[1:3]) / 1e9 > _COARSE


def of(path: Path, digest: Callable[[Path], str]) -> str:
    """`digest(path)`, or what it was when the file was in the same state; raises `OSError` as it does."""
    known = _KNOWN.get()
    if known is None:
        return digest(path)
    name, found = str(path.absolute()), state(path)
    if name in known and known[name][0] == found:
        return str(known[name][1])
    result = digest(path)
    known.pop(name, None)
    if settled(found):
        known[name] = [found, result]
    return result


@contextmanager
def remembered(memory: Path) -> Iterator[None]:
    """Within it digests are taken from, and added to, a file; a damaged or locked one is no hindrance."""
    known = _read(memory)
    before = json.dumps(known)
    token = _KNOWN.set(known)
    try:
        yield
    finally:
        _KNOWN.reset(token)
    after = json.dumps(dict(list(known.items())[-_MOST:]))
    if after != before:
        with suppress(OSError):  # then they are read again the next time
            write_whole(memory, after)


def _read(memory: Path) -> Known:
    try:
        known = json.loads(memory.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {name: it for name, it in known.items() if isinstance(it, list) and len(it) == 2}
