"""Numbers chunks in worker processes, and gives the results in the order of the chunks.

One thread here serves one worker and takes chunks first come first served, so each worker sees its chunks in
their order: a word that is new to a result has been in no earlier one of that worker. Little is under way at
any time, so memory does not grow with the corpus.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

from reimpl.data.chunks import Chunk
from reimpl.data.numbering import Numbered, Numbering, Task
from reimpl.data.tokenise import Tokeniser
from reimpl.data.worker import receive, send
from reimpl.errors import ConfigError, DataError

#: Packed bytes from which it pays to start processes.
WORTH_IT = 2_000_000

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from reimpl.data.worker import main; main()"
)
#: A worker has one core: it must not start threads for linear algebra that it never does.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


log = logging.getLogger(__name__)


class Numberer(Protocol):
    """Something that numbers chunks in order."""

    def numbered(self, chunks: Iterable[Chunk], task: Task) -> Iterator[tuple[int, Chunk, Numbered]]:
        """(who did it, chunk, result) for each chunk, in order."""

    def close(self) -> None:
        """Ends it."""


class Here:
    """In this process."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._numbering = Numbering(tokeniser)

    def numbered(self, chunks: Iterable[Chunk], task: Task) -> Iterator[tuple[int, Chunk, Numbered]]:
        """As `Numberer`."""
        for chunk in chunks:
            yield 0, chunk, self._numbering.number(chunk, task)

    def close(self) -> None:
        """Nothing to end."""


class Workers:
    """In `count` processes of their own. `close` them, also after an error or an interruption."""

    def __init__(self, tokeniser: Tokeniser, count: int) -> None:
        self._workers: list[_Worker] = []
        try:
            for number in range(count):
                self._workers.append(_Worker(number, tokeniser))
        except BaseException:
            self._end()
            raise
        self._mine = threading.local()
        self._free = deque(self._workers)
        self._threads = ThreadPoolExecutor(count, initializer=self._take_one)

    def numbered(self, chunks: Iterable[Chunk], task: Task) -> Iterator[tuple[int, Chunk, Numbered]]:
        """As `Numberer`; raises `DataError` when a process ended of itself, and what it raised."""
        waiting: deque[tuple[Chunk, Future[tuple[int, Numbered]]]] = deque()
        reading = iter(chunks)
        broken: DataError | None = None
        more = True
        while more or waiting:
            while more and len(waiting) < 2 * len(self._workers):
                try:
                    chunk = next(reading)
                except StopIteration:
                    more = False
                except DataError as err:
                    # what stands before it comes first, and may hold an earlier error
                    more, broken = False, err
                else:
                    waiting.append((chunk, self._threads.submit(self._ask, chunk, task)))
            if waiting:
                chunk, future = waiting.popleft()
                who, result = future.result()
                yield who, chunk, result
        if broken is not None:
            raise broken

    def close(self) -> None:
        """Ends the processes, whatever they do."""
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._end()

    def _end(self) -> None:
        for worker in self._workers:
            worker.close()

    def _take_one(self) -> None:
        self._mine.worker = self._free.popleft()

    def _ask(self, chunk: Chunk, task: Task) -> tuple[int, Numbered]:
        worker: _Worker = self._mine.worker
        return worker.number, worker.ask(chunk, task)


class _Worker:
    def __init__(self, number: int, tokeniser: Tokeniser) -> None:
        self.number = number
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
            # Ctrl-C is for the parent, which ends its workers
            start_new_session=True,
        )
        self._told: Tokeniser | None = tokeniser

    def ask(self, chunk: Chunk, task: Task) -> Numbered:
        if self._told is not None:
            self._send(self._told)
            self._told = None
        self._send((chunk, task))
        assert self._process.stdout is not None
        try:
            answer = receive(self._process.stdout)  # type: ignore[arg-type]
        except (EOFError, pickle.UnpicklingError, OSError) as err:
            raise self._ended() from err
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Numbered)
        return answer

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, message)  # type: ignore[arg-type]
        except OSError as err:
            raise self._ended() from err

    def _ended(self) -> DataError:
        code = self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return DataError(
            f"a process that prepares the corpus {how}; if memory was short, prepare it with workers=1"
        )

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def numberer(tokeniser: Tokeniser, *, workers: int | None, packed: int) -> Numberer:
    """`workers` processes; None is one for each core where there are `packed` bytes enough. 1 is this one.

    A tokeniser that cannot be sent to another process (a lambda) is used in this one.
    """
    if workers is not None and workers < 1:
        raise ConfigError(f"workers is {workers!r}; give at least 1")
    if workers is None:
        workers = cores() if packed >= WORTH_IT else 1
    if workers > 1 and _can_be_sent(tokeniser):
        try:
            return Workers(tokeniser, workers)
        except OSError as err:
            log.warning("no process can be started (%s); the corpus is prepared in this one", err)
    return Here(tokeniser)


def _can_be_sent(tokeniser: Tokeniser) -> bool:
    try:
        pickle.dumps(tokeniser)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
