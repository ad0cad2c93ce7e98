"""A downloader for pooch that goes on where it was cut off, and tries again where that may help.

pooch checks the digest and gives the file its name; a downloader only brings the bytes. pooch's own starts
from nothing each time, and its `retry_if_failed` asks again after a 404 and after a wrong digest as well, so
neither is used. Here

- what came lies in a file of its own, however the process ends. The rest is asked for by `Range`, and by
  `If-Range` only if the file is still the same (RFC 9110, 13.1.5 and 14.2); else all of it comes anew;
- a connection that breaks, times out or is told that the server is busy is tried again after 1, 2, 4, ...
  seconds, and it counts as progress when more came than ever before;
- redirects lead to http and https alone, never from https to http.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

from reimpl.data.http_answer import (
    BUSY,
    NotReachedError,
    check_whole_file,
    continues,
    length_of,
    named,
    number,
    redirected,
    validator_of,
)
from reimpl.data.remote import shown
from reimpl.errors import DataError

CHUNK = 1 << 16
LONGEST_WAIT = 60.0
MOST_REDIRECTS = 10

sleep = time.sleep


class Watch:
    """Hears how a download goes. This one ignores it."""

    def note(self, text: str) -> None:
        """Something that a user who waits may want to know."""

    def progress(self, done: int, total: int | None) -> None:
        """`done` of `total` bytes are here; None where the server does not say how many there are."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, and how often to try again."""

    timeout: float = 30.0
    """Seconds without a connection, or without a byte."""
    retries: int = 4
    """How often in a row without progress; once where there never was a connection."""


class _TryAgainError(Exception):
    """What may pass; `wait` is how many seconds the server asks for."""

    def __init__(self, why: str, wait: int | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Resumable:
    """Brings one file to `part`, and to the name that pooch gives when all of it is there.

    `state` is a file that says what `part` is a part of. Both stay until whoever calls has checked the whole.
    Raises `NotReachedError` or `DataError`, one sentence each, and `OSError` for what the disk refuses.
    """

    def __init__(
        self, part: Path, state: Path, *, patience: Patience, watch: Watch, pages: bool = False
    ) -> None:
        self.part, self.state, self.patience, self.watch = part, state, patience, watch
        self.pages = pages
        """Whether a web page may be what is asked for: a checksum will tell."""
        self._connected = False

    def __call__(self, url: str, output_file: str, pooch: object = None, check_only: bool = False) -> None:
        """pooch's interface for downloaders."""
        best, failures = self._size(), 0
        while True:
            try:
                self._bring(url)
                break
            except _TryAgainError as err:
                size = self._size()
                failures = 1 if size > best else failures + 1
                best = max(best, size)
                self._wait_or_raise(url, err, failures)
        _give(self.part, Path(output_file))

    def _wait_or_raise(self, url: str, err: _TryAgainError, failures: int) -> None:
        most = self.patience.retries if self._connected else min(1, self.patience.retries)
        if failures > most:
            remedy = "check the network, or try again later"
            if self._size() and self._resumable(url):
                remedy = f"{self._size():,} bytes are kept, and the same command goes on from there"
            times = "" if failures == 1 else f", {failures} times in a row"
            raise NotReachedError(f"{shown(url)}: {err}{times}; {remedy}") from err
        seconds = min(LONGEST_WAIT, 2.0 ** (failures - 1) if err.wait is None else err.wait)
        self.watch.note(f"{err}; trying again in {seconds:g} s")
        sleep(seconds)

    def _bring(self, url: str) -> None:
        """One attempt; raises `_TryAgainError` for what may pass."""
        if urlsplit(url).scheme == "file":
            self._copy(url)
            return
        known = self._resumable(url)
        have = self._size() if known else 0
        if have and have == known["total"]:
            return  # whole, but the last process got no further
        headers = {"Accept-Encoding": "identity"}  # a range of packed bytes would be of no use
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": known["validator"]}
        with self._answer(url, headers) as answer:
            status = answer.status_code
            if status in BUSY:
                raise _TryAgainError(
                    f"the server answers {named(status)}", number(answer.headers.get("Retry-After", ""))
                )
            if have and status == 206 and continues(answer, have, **known):
                self.watch.note(f"going on after {have:,} bytes")
                self._receive(answer, have, known["total"])
                return
            if not (have and status in (206, 416)):
                check_whole_file(url, answer, pages=self.pages)
                if have:
                    self._forget("the file has changed or the server sends no parts")
                self._start(url, answer)
                return
        self._forget("the file has changed")
        self._bring(url)  # once: nothing is left to go on from

    def _start(self, url: str, answer: requests.Response) -> None:
        total, validator = length_of(answer), validator_of(answer)
        self._check_room(total or 0)
        self.part.write_bytes(b"")  # before the new state: old bytes must never stand under it
        state = {"url": url, "validator": validator, "total": total} if validator else {}
        self.state.write_text(json.dumps(state), "utf-8")
        self._receive(answer, 0, total)

    def _receive(self, answer: requests.Response, have: int, total: int | None) -> None:
        self._check_room((total or 0) - have)
        of = "" if total is None else f" of {total:,}"
        try:
            size = self._append(answer.raw.stream(CHUNK, decode_content=False), have, total)
        except ReadTimeoutError as err:
            raise _TryAgainError(f"no byte within {self.patience.timeout:g} s") from err
        except HTTPError as err:
            raise _TryAgainError(f"the connection ended after {self._size():,}{of} bytes") from err
        if total is not None and size < total:
            raise _TryAgainError(f"the connection ended after {size:,}{of} bytes")

    def _append(self, blocks: Iterable[bytes], have: int, total: int | None) -> int:
        """Writes on; each block is with the system before the next is asked for, should we be killed."""
        with self.part.open("ab") as file:
            for block in blocks:
                file.write(block)
                file.flush()
                have += len(block)
                self.watch.progress(have, total)
            os.fsync(file.fileno())
        return have

    def _copy(self, url: str) -> None:
        """A file of this machine; always from its start."""
        path = Path(url2pathname(urlsplit(url).path))
        try:
            if not path.is_file():
                raise NotReachedError(f"{shown(url)}: there is no such file; check the address")
            source = path.open("rb")
        except (OSError, ValueError) as err:
            raise NotReachedError(
                f"{shown(url)}: cannot be read ({_reason(err)}); check the address"
            ) from err
        with source:
            total = os.fstat(source.fileno()).st_size
            self._check_room(total)
            self.part.write_bytes(b"")
            self.state.unlink(missing_ok=True)
            self._append(iter(lambda: source.read(CHUNK), b""), 0, total)

    @contextmanager
    def _answer(self, url: str, headers: dict[str, str]) -> Iterator[requests.Response]:
        """The answer after all redirects, none of which leaves http and https."""
        at = url
        with requests.Session() as session:
            for _ in range(MOST_REDIRECTS + 1):
                with self._asked(session, at, headers) as answer:
                    self._connected = True
                    if not answer.is_redirect:
                        yield answer
                        return
                    at = redirected(at, answer.headers["location"])
        raise NotReachedError(f"{shown(url)}: more than {MOST_REDIRECTS} redirects; check the address")

    def _asked(self, session: requests.Session, url: str, headers: dict[str, str]) -> requests.Response:
        timeout = self.patience.timeout
        try:
            return session.get(url, headers=headers, stream=True, timeout=timeout, allow_redirects=False)
        except requests.exceptions.Timeout as err:
            raise _TryAgainError(f"no answer within {timeout:g} s") from err
        except requests.exceptions.SSLError as err:
            why = f"its certificate does not hold ({_reason(err)})"
            raise NotReachedError(f"{shown(url)}: {why}; check the address") from err
        except requests.exceptions.ConnectionError as err:
            raise _TryAgainError(f"no connection ({_reason(err)})") from err
        except (requests.exceptions.RequestException, ValueError) as err:
            why = f"cannot be asked for ({_reason(err)})"
            raise NotReachedError(f"{shown(url)}: {why}; check the address") from err

    def _check_room(self, need: int) -> None:
        folder = self.part.parent
        free = shutil.disk_usage(folder).free
        if need > free:
            raise DataError(
                f"{folder}: {need:,} bytes are to come and {free:,} are free there; "
                "free some space or choose another folder"
            )

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _resumable(self, url: str) -> dict[str, Any]:
        """`validator` and `total` of what the part is a part of, if it can be gone on with."""
        try:
            state = json.loads(self.state.read_text("utf-8"))
            if state["url"] == url:
                return {"validator": state["validator"], "total": state["total"]}
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return {}

    def _forget(self, why: str) -> None:
        self.watch.note(f"starting anew and not after {self._size():,} bytes: {why}")
        self.part.unlink()


def _give(part: Path, output: Path) -> None:
    """Two names for one file, so that nothing is lost if the check of it is cut short."""
    output.unlink(missing_ok=True)
    try:
        output.hardlink_to(part)
    except OSError:  # a file system without links
        part.replace(output)


def _reason(err: BaseException) -> str:
    """The system's own words, which lie three exceptions deep."""
    while inner := err.__cause__ or err.__context__:
        err = inner
    said = getattr(err, "strerror", None) or str(err)
    return str(said).partition("\n")[0][:120] or type(err).__name__
