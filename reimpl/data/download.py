"""Files from the network, downloaded once by pooch, checked, never replaced. Beside NAME lies NAME.sha256,
its digest at the first download, as `sha256sum --check` reads it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urldefrag, urlsplit

import pooch
import requests
from filelock import FileLock

from reimpl.data.files import file_digest
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
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise DataError(f"{where!r}: an address begins with http:// or https://; correct it")
        stated = dict(parse_qsl(fragment.replace("+", "%2B"), keep_blank_values=True))
        if set(stated) - {"name", *ALGORITHMS} or (fragment and not stated):
            forms = ", ".join(f"{key}=" for key in ("name", *ALGORITHMS))
            raise DataError(f"{where}: {fragment!r} after # is not understood; known are {forms}")
        name = stated.get("name", unquote(parts.path.rpartition("/")[2]))
        if not _NAME.fullmatch(name) or name.endswith(".sha256"):
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
    """The file in that folder, downloaded unless it is there. Raises `DataError`, `NotReachedError`."""
    path, url = folder / remote.name, shown(remote.url)
    record = path.with_name(f"{path.name}.sha256")
    pooch.get_logger().setLevel(logging.WARNING)  # it would tell of the download on stderr

    def bring(url: str, output_file: str, _: object) -> None:
        with (
            requests.get(url, stream=True, timeout=timeout) as answer,
            Path(output_file).open("wb") as stream,
        ):
            answer.raise_for_status()
            length = answer.headers.get("Content-Length", "")
            for chunk in answer.iter_content(1 << 16):
                stream.write(chunk)
                progress(stream.tell(), int(length) if length.isdigit() else None)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            if not (there := path.exists()):
                pooch.retrieve(remote.url, remote.checksum, fname=path.name, path=folder, downloader=bring)
            digest = file_digest(path)
            first = record.read_text("utf-8", errors="replace").split()[-2:] if record.exists() else []
            if there and remote.checksum is not None:
                algorithm, _, digits = remote.checksum.partition(":")
                if pooch.file_hash(str(path), alg=algorithm) != digits:
                    wrong = f"is there already, and is not {remote.checksum}"
                    raise DataError(f"{path}: {wrong}; move it away to download it")
            elif there and first != [digest, path.name]:
                why = "is not what was downloaded" if first else "was not downloaded by this command"
                raise DataError(f"{path}: is there already and {why}; use it, or move it away")
            if not there:
                record.write_text(f"# {url}\n{digest}  {path.name}\n", "utf-8", newline="")
    except ValueError as err:  # pooch's word for another checksum
        what = f"what came is not {remote.checksum}, and was removed"
        raise DataError(f"{url}: {what}; check the address and the checksum") from err
    except requests.RequestException as err:
        inner: BaseException = err  # the system's own words lie three exceptions deep
        while deeper := inner.__cause__ or inner.__context__:
            inner = deeper
        why = str(getattr(inner, "strerror", None) or inner).partition("\n")[0][:120] or type(inner).__name__
        if err.response is not None:
            why = f"the server answers {err.response.status_code} {err.response.reason}".rstrip()
        raise NotReachedError(f"{url}: {why}; check address and network, or try again later") from err
    except OSError as err:
        remedy = "free some space there, make it accessible, or choose another folder"
        raise DataError(f"{path}: {err.strerror or err}; {remedy}") from err
    return Fetched(path, path.stat().st_size, digest, not there, remote.checksum is not None)
