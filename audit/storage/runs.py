"""Run records on disk: content-addressed, atomic, safe for two processes.

STORE/KEY.json            the record (`audit.record.Run`) with a seal; KEY hashes all that decides the run
STORE/KEY.npz             its top-k predictions, only of a run that is done; the record has their hash
STORE/checkpoints/KEY/    what an unfinished run left for its continuation
STORE/members/KEY/        models of ensembles on the same data, for those with the same settings
STORE/locks/KEY.lock      held by the process that works on the run, and free when that process dies; where
                          locks do not work, KEY.lease (`audit.storage.locks`)

A file gets its name by a rename, and predictions before the record that names them: a record is there and
whole, or not there, whenever a process is killed. What a killed writer left (`.KEY.*.tmp`) is never read.
Seals guard against accident and carelessness, not against forgery."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from audit.errors import StoreError
from audit.json_errors import RecordError
from audit.record import FORMAT_VERSION, Run, sealed, to_json
from audit.storage.files import explained, read_sealed, write
from audit.storage.locks import Locks

Predictions = Mapping[str, NDArray[Any]]

#: Seconds that `put` waits for another process that holds the run.
PUT_WAIT = 60.0

_KEY = re.compile(r"[0-9a-f]{32}")


class SettledError(StoreError):
    """The run has a record that is not replaced. Whoever made the run too may continue with that `record`."""

    def __init__(self, message: str, record: Run) -> None:
        super().__init__(message)
        self.record = record


@dataclass(frozen=True)
class Claim:
    held: bool  # Whether this process may work on the run, and no other one does.
    record: Run | None  # As it stood after the lock was taken: who held it before may have finished the run.


@dataclass(frozen=True)
class Store:
    """A folder of run records, made when something is first written to it."""

    root: Path
    locks: Locks = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "locks", Locks(self.root))

    def __reduce__(self) -> tuple[type[Store], tuple[Path]]:
        return Store, (self.root,)  # a worker process gets the folder, never the locks

    def get(self, key: str) -> Run | None:
        """The record of a run, or None. Raises `StoreError` if the file exists but is not a sound record."""
        path = self._record(key)
        try:
            run: Run | None = read_sealed(path, Run, FORMAT_VERSION)
        except RecordError as err:
            _reject(path, f"not a complete run record ({err})", err)
        if run is not None and (run.contradiction or not path.stem == run.key == run.spec.key):
            said = f"holds the key {run.key!r}, but its spec hashes to {run.spec.key!r}"
            _reject(path, run.contradiction or said)
        return run

    def runs(self, *, problems: list[StoreError] | None = None) -> Iterator[Run]:
        """All sound records, by key. Problems with the rest go to `problems`; without such a list they are
        raised together, as one `StoreError` after the last sound record."""
        found: list[StoreError] = []
        with explained(self.root):
            paths = sorted(self.root.iterdir()) if self.root.exists() else []
        for path in paths:
            try:
                if path.suffix == ".json" and _KEY.fullmatch(path.stem) and (run := self.get(path.stem)):
                    yield run
            except StoreError as err:
                found.append(err)
        if problems is not None:
            problems.extend(found)
        elif found:
            raise StoreError("\n".join(str(problem) for problem in found))

    def predictions(self, key: str) -> dict[str, NDArray[Any]] | None:
        """The arrays beside the record, or None if there is no record or it names none. Raises `StoreError`
        if the file is gone or differs from the one that `put` wrote."""
        run = self.get(key)
        if run is None or run.predictions is None:
            return None
        record, path = self._record(key), self._predictions(key)
        if not path.is_file():
            _reject(record, f"its predictions {path.name!r} are gone")
        with explained(path):
            content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != run.predictions_sha256:
            _reject(record, f"its predictions {path.name!r} are not the ones written with it")
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                return dict(arrays)
        except Exception as err:  # a damaged archive raises any of ten types, MemoryError among them
            _reject(record, f"its predictions {path.name!r} are not arrays of numbers", err)

    def put(
        self,
        run: Run,
        *,
        predictions: Predictions | None = None,
        retry: bool = False,
        anew: bool = False,
        durable: bool = True,
    ) -> Run:
        """Write a record, its predictions first, and return it as it was stored: with its seal. A done run is
        replaced only with `anew` and by other code, a failed one with `retry` too, an interrupted one always;
        else it raises `SettledError` with the record that stands: another process was faster. Except for an
        interrupted run the checkpoint goes: nothing may go on from it. Whoever writes many that nobody else
        can write meanwhile puts them without `durable`, and calls `os.sync` at the end."""
        path, arrays = self._record(run.key), self._predictions(run.key)
        if run.key != run.spec.key or run.contradiction:  # `get` would refuse it
            raise StoreError(f"{path}: {run.contradiction or 'the key is not the hash of its spec'}")
        content = None
        if predictions is not None:
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **dict[str, Any](predictions))
            content = buffer.getvalue()
        named = (None, None) if content is None else (arrays.name, hashlib.sha256(content).hexdigest())
        try:
            run = sealed(replace(run, predictions=named[0], predictions_sha256=named[1]))
        except ValueError as err:
            raise StoreError(f"{path}: NaN and infinity are not kept ({err}); store a failed run") from err
        # A process that lost its lease must not wait until another has made the whole run, so writing has a
        # lease of its own.
        lock = self.root / "locks" / (path.stem + "-write" * self.locks.leases)
        with self.locks.hold(lock, PUT_WAIT) if durable else nullcontext(True) as held, explained(path):
            if not held:
                raise StoreError(
                    f"{path}: another process held this run for {PUT_WAIT:.0f} s; try again later"
                )
            before = self.get(run.key)
            if before is not None and anew and before.sources != run.sources:
                before = None
            if before is not None and (before.status == "done" or (before.status == "failed" and not retry)):
                refusal = f"a {before.status} run is not replaced; choose another store"
                raise SettledError(f"{path}: {refusal}", before)
            arrays.unlink(missing_ok=True)
            if content is not None:
                write(arrays, content, durable=durable)
            write(path, to_json(run).encode(), durable=durable)
            if run.status != "interrupted":
                shutil.rmtree(self._checkpoint(run.key), ignore_errors=True)
        return run

    @contextmanager
    def claim(self, key: str, *, wait: float | None = None) -> Iterator[Claim]:
        """Hold a run against all other processes and threads while the block runs. `wait` is the number of
        seconds to wait for another holder: None for ever, 0 not at all. Claims of one thread nest. A process
        that dies, however it dies, holds nothing any more. Under leases that takes `locks.LEASE` seconds if
        it died on another machine, over which one store, this object, has to ask more than once."""
        with self.locks.hold(self.root / "locks" / self._record(key).stem, wait) as held:
            yield Claim(held, self.get(key))

    def checkpoint_path(self, key: str) -> Path:
        """The folder for the checkpoint of an unfinished run; made here, removed when the run is settled."""
        path = self._checkpoint(key)
        with explained(path):
            path.mkdir(parents=True, exist_ok=True)
        return path

    def has_checkpoint(self, key: str) -> bool:
        """Whether an unfinished run of that key left a checkpoint."""
        return any(path.suffix == ".pt" for path in self._checkpoint(key).rglob("*"))

    def _record(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise StoreError(f"{self.root}: {key!r} is not a run's key; a key is 32 digits of 0-9 and a-f")
        return self.root / f"{key}.json"

    def _predictions(self, key: str) -> Path:
        return self._record(key).with_suffix(".npz")

    def _checkpoint(self, key: str) -> Path:
        return self.root / "checkpoints" / self._record(key).stem


def _reject(path: Path, reason: str, cause: Exception | None = None) -> NoReturn:
    raise StoreError(f"{path}: {reason}; restore it, or move it away and run that seed again") from cause
