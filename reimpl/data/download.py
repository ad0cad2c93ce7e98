"""Files of corpora from the network: downloaded once, checked, and with their digest on record.

Of a file NAME there lie in its folder

    NAME            only when all of it is there and its checksum holds: it gets its name by a rename
    NAME.sha256     its digest at the first download, as `sha256sum --check` reads it, and its address
    NAME.part       what came so far; the next attempt goes on from there (`resumable`)
    .NAME.get/      what the part is a part of, and where pooch checks the whole
    .NAME.lock      held by the process at work; the system frees it when that process dies

A file that is there is never replaced.
"""

from __future__ import annotations

import errno
import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pooch
from filelock import FileLock, Timeout

from reimpl.data.files import file_digest
from reimpl.data.remote import Remote, checksum_in_words, shown
from reimpl.data.resumable import Patience, Resumable, Watch
from reimpl.errors import DataError

How = Literal["downloaded", "there already"]
HeldAgainst = Literal["checksum", "first download", "nothing"]

_STATE = "state.json"
_RECORD = re.compile(r"# (?P<url>.*)\n(?P<digest>[0-9a-f]{64})  (?P<name>.*)\n")
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Fetched:
    """A file that is there and whole."""

    path: Path
    size: int
    sha256: str
    how: How
    held_against: HeldAgainst
    """What its digest is the same as: a checksum that was stated, or the digest on record, or nothing yet."""


@dataclass(frozen=True)
class _Record:
    url: str
    digest: str


class _WrongDigestError(Exception):
    """Holds the digest of what came, as `algorithm:digits`."""


def user_cache() -> Path:
    """The folder of this user for what can be downloaded again."""
    return Path(pooch.os_cache("xmtc-audit"))


def fetch(
    remote: Remote, folder: Path, *, patience: Patience | None = None, watch: Watch | None = None
) -> Fetched:
    """The file in that folder, downloaded unless it is there; one process at a time, the others wait.

    Raises `DataError` for a checksum that does not hold, a disk that is full and whatever else is in the way;
    `NotReachedError`, which is one, where network or server are. What came stays for the next attempt.
    """
    watch = watch or Watch()
    path = folder / remote.name
    with _told(path):
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(path, watch):
            return _there(remote, path) or _downloaded(remote, path, patience or Patience(), watch)


def _there(remote: Remote, path: Path) -> Fetched | None:
    """What is there already, if it is what is asked for; raises `DataError` if it is something else."""
    if not path.exists():
        return None
    digest, record = file_digest(path), _read_record(path)
    is_there = f"{path}: is there already"
    if remote.checksum is not None:
        found = _hash(path, remote.checksum)
        if found != remote.checksum:
            have, want = checksum_in_words(found), checksum_in_words(remote.checksum)
            raise DataError(f"{is_there}, with {have} and not {want}; move it away to download it")
    elif record is None:
        raise DataError(f"{is_there} and was not downloaded by this command; use it, or move it away")
    elif record.digest != digest:
        changed = f"has SHA-256 {digest} and had {record.digest} when it was downloaded"
        raise DataError(f"{path}: {changed}; move it away to download it again")
    elif record.url != shown(remote.url):
        raise DataError(f"{is_there}, from {record.url}; use it, move it away or choose another folder")
    return _fetched(remote, path, digest, "there already", record)


def _downloaded(remote: Remote, path: Path, patience: Patience, watch: Watch) -> Fetched:
    work, part, record = _work(path), _beside(path, "part"), _read_record(path)
    expected = remote.checksum or (f"sha256:{record.digest}" if record else None)
    work.mkdir(exist_ok=True)
    _keep_what_was_whole(work, part)
    bring = Resumable(part, work / _STATE, patience=patience, watch=watch, pages=expected is not None)
    try:
        found = _retrieve(remote, expected, work, bring)
    except _WrongDigestError as err:
        _tidy(path)
        raise _other_content(remote, path, str(err), record) from err
    except DataError:
        if not (part.exists() and part.stat().st_size):
            _tidy(path)
        raise
    digest = found.removeprefix("sha256:")
    if digest == found:
        digest = file_digest(work / path.name)
    # before the file has its name: killed in between, we would not know it for ours
    text = f"# {shown(remote.url)}\n{digest}  {path.name}\n"
    _beside(path, "sha256").write_text(text, "utf-8", newline="")
    (work / path.name).replace(path)
    return _fetched(remote, path, digest, "downloaded", record)


def _retrieve(remote: Remote, expected: str | None, work: Path, bring: Resumable) -> str:
    """pooch's download into a folder of its own.

    The digest of what came, as `algorithm:digits`; `_WrongDigestError` holds it if it is not `expected`.
    """
    found: list[str] = []

    def bring_and_hash(url: str, output_file: str, pooch_: object) -> None:
        bring(url, output_file, pooch_)
        found.append(_hash(Path(output_file), expected or "sha256:"))

    try:
        with _quiet_pooch():
            pooch.retrieve(remote.url, expected, fname=remote.name, path=work, downloader=bring_and_hash)
    except ValueError as err:  # pooch's word for a digest that is another one
        if not found:
            raise
        raise _WrongDigestError(found[0]) from err
    return found[0]


def _other_content(remote: Remote, path: Path, found: str, record: _Record | None) -> DataError:
    url, came = shown(remote.url), f"{checksum_in_words(found)}, and was removed"
    if remote.checksum is not None:
        want = checksum_in_words(remote.checksum)
        return DataError(f"{url}: what came is not {want} but {came}; check the address and the checksum")
    first = record.digest if record else ""
    remedy = f"to take it all the same remove {_beside(path, 'sha256')}"
    return DataError(
        f"{url}: what came is not SHA-256 {first}, as at the first download, but {came}; {remedy}"
    )


def _fetched(remote: Remote, path: Path, digest: str, how: How, record: _Record | None) -> Fetched:
    _tidy(path)
    recorded: HeldAgainst = "first download" if record else "nothing"
    return Fetched(path, path.stat().st_size, digest, how, "checksum" if remote.checksum else recorded)


def _keep_what_was_whole(work: Path, part: Path) -> None:
    """A process that was killed while pooch checked the whole may have left it under pooch's name alone."""
    for left in work.iterdir():
        if left.name == _STATE:
            continue
        if left.stat().st_size and not part.exists():
            left.replace(part)
        else:
            left.unlink()


def _tidy(path: Path) -> None:
    _beside(path, "part").unlink(missing_ok=True)
    shutil.rmtree(_work(path), ignore_errors=True)


def _work(path: Path) -> Path:
    return path.with_name(f".{path.name}.get")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")


def _read_record(path: Path) -> _Record | None:
    """Of the first download, if there was one; raises `DataError` when the file is something else."""
    record = _beside(path, "sha256")
    if not record.exists():
        return None
    found = _RECORD.fullmatch(record.read_text("utf-8", errors="replace"))
    if not found or found["name"] != path.name:
        raise DataError(f"{record}: is no record of a download of {path.name}; move it away")
    return _Record(found["url"], found["digest"])


def _hash(path: Path, like: str) -> str:
    """`algorithm:digits` of a file, by the algorithm of `like`."""
    algorithm = like.partition(":")[0]
    return f"{algorithm}:{pooch.file_hash(str(path), alg=algorithm)}"


@contextmanager
def _alone(path: Path, watch: Watch) -> Iterator[None]:
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        watch.note("another process is at work on it; waiting")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses, as a sentence; the part stays."""
    try:
        yield
    except OSError as err:
        remedy = "free some space there" if err.errno in _FULL else "make it accessible"
        raise DataError(f"{path}: {err.strerror or err}; {remedy} or choose another folder") from err


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Its log goes to stderr as it comes; we have our own words."""
    log = pooch.get_logger()
    level = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(level)
