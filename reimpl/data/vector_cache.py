"""Files of word vectors, converted once: the next use reads the rows of the words it needs, and no more.

    FOLDER/KEY/            a converted file (`vector_map`), named by the SHA-256 of its bytes
    FOLDER/KEY.lock        held while it is made: of two processes one converts and the other waits
    FOLDER/.unfinished-KEY what is being made; renamed when whole, removed when not
    FOLDER/digests/QUICK   the SHA-256 of a file, by its size, time of change, first and last bytes

A file is hashed as a whole when it is first met, then known again by what QUICK is made of. So a copied or
renamed file is not converted anew, and one that was changed in place is, unless it keeps its size, its time
and its ends.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock, Timeout

from reimpl.data.meter import counted
from reimpl.data.vector_file import Located, ReadVectors, checked, chunks, encoded, locate
from reimpl.data.vector_map import VERSION, DamagedMapError, VectorMap, write_map
from reimpl.data.vector_reading import Tally
from reimpl.data.whole_file import write_whole
from reimpl.errors import DataError

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, and how many bytes of the files on disk of how many are done."""

_END = 1 << 16
_BLOCK = 1 << 20

log = logging.getLogger(__name__)


class NotKeptError(DataError):
    """The folder of the cache cannot be written; the vectors can still be read from their file."""


def _silent(what: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class VectorCache:
    """The converted files under one folder."""

    folder: Path
    progress: Progress = _silent

    def look_up(self, path: Path, words: Sequence[str], *, dimension: int | None = None) -> ReadVectors:
        """Vectors of `words`, in their order; the file is converted when it is not yet.

        Raises `DataError` as `vector_file.read_vectors`, and `NotKeptError` when there is no place for it.
        """
        located = locate(path, dimension)
        asked = [encoded(word) for word in words]
        try:
            found = self.open(path, dimension=dimension)
            rows, there = found.look_up(asked)
        except DamagedMapError as err:
            log.warning("%s; converting %s anew", err, path.name)
            found = self.open(path, dimension=dimension, anew=True)
            rows, there = found.look_up(asked)
        return checked(located.file, ReadVectors(rows, there, found.tally))

    def open(self, path: Path, *, dimension: int | None = None, anew: bool = False) -> VectorMap:
        """The converted file, made when it is not there, damaged, or `anew`; errors as `look_up`."""
        located = locate(path, dimension)
        place = self.folder / self.key(located)
        found = None if anew else _opened(place)
        if found is None:
            with _kept(located, place), self._locked(place):
                # another process may have made it meanwhile
                found = (None if anew else _opened(place)) or self._convert(located, place)
        if dimension is not None and found.tally.dimension != dimension:
            raise DataError(
                f"{located.file}: vectors of {found.tally.dimension} dimensions, but {dimension} stated; "
                "correct the dimension"
            )
        return found

    def key(self, located: Located) -> str:
        """Names what is made of these files: their content, and which member of an archive."""
        members = [it.member for it in (located.file, located.words) if it]
        digests = [self.digest(path) for path in located.on_disk]
        # what a name says of how a file is read
        kinds = [[it.packing, Path(it.stem).suffix.lower()] for it in (located.file, located.words) if it]
        return hashlib.sha256(json.dumps([VERSION, digests, members, kinds]).encode()).hexdigest()[:32]

    def digest(self, path: Path) -> str:
        """SHA-256 of a file in hex, remembered; raises `DataError` when it cannot be read."""
        try:
            status = path.stat()
            with path.open("rb") as file:
                start = file.read(_END)
                file.seek(max(0, status.st_size - _END))
                ends = hashlib.sha256(start + file.read(_END)).hexdigest()
        except OSError as err:
            raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err
        quick = hashlib.sha256(json.dumps([status.st_size, status.st_mtime_ns, ends]).encode()).hexdigest()
        known = self.folder / "digests" / quick[:32]
        with suppress(OSError, ValueError):
            if len(remembered := known.read_text("ascii")) == 64:
                return remembered
        found = self._whole_digest(path, status.st_size)
        with suppress(OSError):  # then it is hashed again the next time
            write_whole(known, found)
        return found

    def _whole_digest(self, path: Path, size: int) -> str:
        digest, done = hashlib.sha256(), 0
        try:
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    done += len(block)
                    self.progress("hashing", done, size)
        except OSError as err:
            raise DataError(f"{path}: cannot be read ({err.strerror or err}); check the path") from err
        return digest.hexdigest()

    @contextmanager
    def _locked(self, place: Path) -> Iterator[None]:
        lock = FileLock(f"{place}.lock")
        try:
            lock.acquire(timeout=0.0)
        except Timeout:
            self.progress("waiting for another process", 0, 0)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _convert(self, located: Located, place: Path) -> VectorMap:
        """Makes the map under another name. The lock is ours, so what a killed process left there can go."""
        work = place.with_name(f".unfinished-{place.name}")
        shutil.rmtree(work, ignore_errors=True)
        try:
            work.mkdir()
            tally, size = Tally(), sum(path.stat().st_size for path in located.on_disk)
            with counted(size, partial(self.progress, "converting")):
                write_map(work, chunks(located, tally), tally)
            shutil.rmtree(place, ignore_errors=True)
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return VectorMap(place)


def _opened(place: Path) -> VectorMap | None:
    if not place.is_dir():
        return None
    try:
        return VectorMap(place)
    except DamagedMapError as err:
        log.warning("%s; converting the file anew", err)
        return None


@contextmanager
def _kept(located: Located, place: Path) -> Iterator[None]:
    """The folder for a map; what keeps it from being written becomes one sentence."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield
    except (OSError, NotImplementedError) as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        raise NotKeptError(
            f"{place.parent}: the converted word vectors of {located.file.name} cannot be kept ({why}); "
            "free some space there or choose another folder"
        ) from err
