"""A file on the network as a user or the catalogue states it: address, name here, checksum."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urldefrag, urlsplit

from reimpl.errors import DataError

#: Algorithms of checksums that publishers print, and their digits.
ALGORITHMS = {"sha256": 64, "sha1": 40, "md5": 32}

_SCHEMES = ("http", "https", "file")
#: No folder, no hidden file, nothing that a shell or a file system takes for something else.
_NAME = re.compile(r"\w[\w.+ @()\[\],=~-]{0,149}(?<![. ])")
_OURS = (".part", ".sha256")


@dataclass(frozen=True)
class Remote:
    """A file to get: its address, the name it is to have here, and its checksum as `algorithm:digits`."""

    url: str
    name: str
    checksum: str | None = None

    @classmethod
    def of(cls, url: str, name: str | None = None, checksum: str | None = None) -> Remote:
        """Raises `DataError` for what is no address, no name of a file or no checksum.

        Without `name` it is the last part of the address; what a server says of names is never asked.
        """
        path = _address(url).path
        name = unquote(path.rpartition("/")[2]) if name is None else name
        if not _NAME.fullmatch(name) or name.endswith(_OURS):
            raise DataError(
                f"{shown(url)}: {name!r} is no usable name of a file; state one, as in URL#name=train.txt"
            )
        return cls(url, name, None if checksum is None else _checksum(url, checksum))

    @classmethod
    def parse(cls, text: str) -> Remote:
        """`URL`, `URL#sha256=DIGEST`, `URL#name=NAME` or `URL#name=NAME&md5=DIGEST`.

        >>> Remote.parse("https://example.org/get?id=7#name=corpus.zip").name
        'corpus.zip'
        """
        _address(text)
        url, fragment = urldefrag(text)
        # a plus sign is one: as names have it
        stated = parse_qsl(fragment.replace("+", "%2B"), keep_blank_values=True)
        checksums = [f"{key}:{value}" for key, value in stated if key in ALGORITHMS]
        names = [value for key, value in stated if key == "name"]
        known = len(names) + len(checksums) == len(stated) and len(names) < 2 and len(checksums) < 2
        if not known or (fragment and not stated):
            forms = ", ".join(f"{key}=" for key in ("name", *ALGORITHMS))
            raise DataError(f"{shown(url)}: {fragment!r} after # is not understood; known are {forms}")
        return cls.of(url, names[0] if names else None, checksums[0] if checksums else None)


def shown(url: str) -> str:
    """An address without user name and password, as messages and records hold it."""
    return re.sub(r"(?<=//)[^/?#]*@", "", url, count=1)


def checksum_in_words(checksum: str) -> str:
    """
    >>> checksum_in_words("sha1:ab")
    'SHA-1 ab'
    """
    algorithm, _, digits = checksum.partition(":")
    return f"{algorithm.upper().replace('SHA', 'SHA-')} {digits}"


def _address(url: str) -> SplitResult:
    if any(ord(character) <= 32 or ord(character) == 127 for character in url):
        raise DataError(f"{shown(url)!r}: holds blanks or control characters; write a blank as %20")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # a port that is none shows only when it is read
    except ValueError as err:
        raise DataError(f"{shown(url)!r}: is no address ({err}); correct it") from err
    if parts.scheme not in _SCHEMES:
        raise DataError(f"{shown(url)!r}: an address begins with http://, https:// or file://; correct it")
    if parts.scheme != "file" and not host:
        raise DataError(f"{shown(url)!r}: names no host; correct it")
    if parts.scheme == "file" and (host not in (None, "localhost") or not parts.path.startswith("/")):
        raise DataError(f"{shown(url)!r}: is no file of this machine; write file:// and its whole path")
    return parts


def _checksum(url: str, checksum: str) -> str:
    algorithm, _, digits = checksum.lower().partition(":")
    if not re.fullmatch("[0-9a-f]+", digits) or len(digits) != ALGORITHMS.get(algorithm):
        forms = ", ".join(f"{name} ({length} digits)" for name, length in ALGORITHMS.items())
        raise DataError(f"{shown(url)}: {checksum!r} is no checksum; known are {forms}")
    return f"{algorithm}:{digits}"
