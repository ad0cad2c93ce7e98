"""Files from the network, downloaded once by pooch, checked, never replaced. Beside NAME lies NAME.sha256,
its digest at the first download. One that breaks off asks once for the rest, if the file is still the
same."""

from __future__ import annotations

import errno
import logging
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urldefrag, urlsplit
from urllib.request import url2pathname

import pooch
import requests
from filelock import FileLock

from reimpl.data.storage import file_digest
from reimpl.errors import DataError

#: Algorithms of checksums that publishers print, and their digits.
ALGORITHMS = {"sha256": 64, "sha1": 40, "md5": 32}
_CHECKSUM = re.compile("|".join(f"{name}:[0-9a-f]{{{n}}}" for name, n in ALGORITHMS.items()))
#: No folder, no hidden file, nothing that a shell or a file system takes for something else.
_NAME = re.compile(r"\w[\w.+ @()\[\],=~-]{0,149}(?<![. ])")

#: Bytes that are here and bytes in all; None where the server does not say.
Progress = Callable[[int, int | None], None]


class NotReachedError(DataError):
    """Network or server gave no file, and another way to get it may work."""


@dataclass(frozen=True)
class Remote:
    """A file to get: its address, the name it is to have here, and its checksum as `algorithm:digits`."""

    url: str
    name: str
    checksum: str | None = None

    @classmethod
    def parse(cls, text: str) -> Remote:
        """`URL`, `URL#sha256=DIGEST`, `URL#name=NAME`, or both joined by `&`; raises `DataError`."""
        url, fragment = urldefrag(text)
        parts, where = urlsplit(url), shown(url)
        if parts.scheme not in ("http", "https", "file") or not (parts.netloc or parts.scheme == "file"):
            raise DataError(f"{where!r}: an address begins with http://, https:// or file://; correct it")
        stated = dict(parse_qsl(fragment.replace("+", "%2B"), keep_blank_values=True))
        if set(stated) - {"name", *ALGORITHMS} or (fragment and not stated):
            forms = ", ".join(f"{key}=" for key in ("name", *ALGORITHMS))
            raise DataError(f"{where}: {fragment!r} after # is not understood; known are {forms}")
        name = stated.get("name", unquote(parts.path.rpartition("/")[2]))
        if not _NAME.fullmatch(name) or name.endswith((".part", ".sha256")):
            raise DataError(f"{where}: {name!r} is no usable name of a file; state one: URL#name=train.txt")
        checksum = next((f"{key}:{stated[key].lower()}" for key in ALGORITHMS if key in stated), None)
        if checksum and not _CHECKSUM.fullmatch(checksum):
            raise DataError(f"{where}: {checksum!r} is no checksum; give sha256, sha1 or md5 in hex digits")
        return cls(url, name, checksum)


@dataclass(frozen=True)
class Fetched:
    path: Path
    size: int
    sha256: str
    downloaded: bool  # False for one that was there already
    verified: bool  # Whether a checksum was stated, which it has


def user_cache() -> Path:
    return Path(pooch.os_cache("xmtc-audit"))


def shown(url: str) -> str:
    """An address without user name and password, as messages and records hold it."""
    return re.sub(r"(?<=//)[^/?#]*@", "", url, count=1)


def fetch(
    remote: Remote, folder: Path, *, timeout: float = 30.0, progress: Progress = lambda done, total: None
) -> Fetched:
    """The file in that folder, downloaded unless it is there; other processes wait. Raises `DataError` for
    whatever is in the way, `NotReachedError` where network or server are."""
    path = folder / remote.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            there = path.exists()
            if not there:
                _download(remote, path, timeout, progress)
            return _checked(remote, path, downloaded=not there)
    except OSError as err:
        full = err.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "free some space there" if full else "make it accessible"
        raise DataError(f"{path}: {err.strerror or err}; {remedy} or choose another folder") from err


def _checked(remote: Remote, path: Path, *, downloaded: bool) -> Fetched:
    """What is there, if it is what is asked for and what it was at the first download."""
    digest, record = file_digest(path), path.with_name(f"{path.name}.sha256")
    first = record.read_text("utf-8", errors="replace").split()[-2:] if record.exists() else []
    if remote.checksum is not None:
        algorithm, _, digits = remote.checksum.partition(":")
        if pooch.file_hash(str(path), alg=algorithm) != digits:
            wrong = f"is there already, and is not {remote.checksum}"
            raise DataError(f"{path}: {wrong}; move it away to download it")
    elif not downloaded and first != [digest, path.name]:
        why = "is not what was downloaded" if first else "was not downloaded by this command"
        raise DataError(f"{path}: is there already and {why}; use it, or move it away")
    if downloaded:
        record.write_text(f"# {shown(remote.url)}\n{digest}  {path.name}\n", "utf-8", newline="")
    return Fetched(path, path.stat().st_size, digest, downloaded, remote.checksum is not None)


def _download(remote: Remote, path: Path, timeout: float, progress: Progress) -> None:
    """By pooch, which checks the checksum before the file gets its name."""
    part = path.with_name(f"{path.name}.part")

    def bring(url: str, output_file: str, _: object) -> None:
        if urlsplit(url).scheme == "file":
            shutil.copyfile(url2pathname(urlsplit(url).path), output_file)
            return
        part.unlink(missing_ok=True)
        try:
            _receive(url, part, timeout, progress, page_is_file=remote.checksum is not None)
            part.replace(output_file)
        finally:
            part.unlink(missing_ok=True)

    pooch.get_logger().setLevel(logging.WARNING)  # it would tell of the download on stderr
    url = shown(remote.url)
    try:
        pooch.retrieve(remote.url, remote.checksum, fname=path.name, path=path.parent, downloader=bring)
    except ValueError as err:  # pooch's word for another checksum
        what = f"what came is not {remote.checksum}, and was removed"
        raise DataError(f"{url}: {what}; check the address and the checksum") from err
    except requests.RequestException as err:
        inner: BaseException = err  # the system's own words lie three exceptions deep
        while deeper := inner.__cause__ or inner.__context__:
            inner = deeper
        why = str(getattr(inner, "strerror", None) or inner).partition("\n")[0][:120] or type(inner).__name__
        raise NotReachedError(f"{url}: {why}; check the network, or try again later") from err


def _receive(url: str, part: Path, timeout: float, progress: Progress, *, page_is_file: bool) -> None:
    """The file, at once or in two requests, the second for the rest if the file is still the same."""
    have, validator = 0, ""
    for last in (False, True):
        headers = {"Accept-Encoding": "identity"}  # a range of packed bytes would be of no use
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        with requests.get(url, headers=headers, stream=True, timeout=timeout) as answer:
            said = answer.headers
            if answer.status_code != 206 or not said.get("Content-Range", "").startswith(f"bytes {have}-"):
                have = 0
                asks = "the server may ask for a login or a licence"
                if answer.status_code != 200:
                    status = f"{answer.status_code} {answer.reason}".rstrip()
                    remedy = asks if answer.status_code in (401, 403) else "check the address"
                    raise NotReachedError(f"{shown(url)}: the server answers {status}; {remedy}")
                if said.get("Content-Type", "").startswith("text/html") and not page_is_file:
                    raise NotReachedError(f"{shown(url)}: the server sends a web page and no file; {asks}")
            tag, length = said.get("ETag", ""), said.get("Content-Length", "")
            validator = tag if tag.startswith('"') else said.get("Last-Modified", "")
            total = have + int(length) if length.isdigit() else None
            with part.open("ab" if have else "wb") as stream, suppress(requests.RequestException):
                for chunk in answer.iter_content(1 << 16):
                    stream.write(chunk)
                    progress(stream.tell(), total)
        have = part.stat().st_size
        if total is None or have == total:
            return
        if last or not (have and validator):
            raise requests.ConnectionError(f"the connection broke after {have:,} bytes")
