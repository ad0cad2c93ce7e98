"""What a server's answer says: whether it is a file, which one, how long, and where it lies now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from reimpl.data.remote import shown
from reimpl.errors import DataError

#: Answers that may be others in a moment.
BUSY = (408, 425, 429, 500, 502, 503, 504)
_ASKS = "the server may ask for a login or a licence"
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)")


class NotReachedError(DataError):
    """Network or server gave no file, and another way to get it may work."""


class Answer(Protocol):
    """As `requests.Response`."""

    status_code: int

    @property
    def headers(self) -> Mapping[str, str]: ...


def check_whole_file(url: str, answer: Answer, *, pages: bool) -> None:
    """Raises `NotReachedError` unless all of a file is to come; a web page is one only with `pages`."""
    status = answer.status_code
    if status != 200:
        remedy = _ASKS if status in (401, 403) else "check the address"
        raise NotReachedError(f"{shown(url)}: the server answers {named(status)}; {remedy}")
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind == "text/html" and not pages:
        raise NotReachedError(f"{shown(url)}: the server sends a web page and no file; {_ASKS}")


def continues(answer: Answer, have: int, *, validator: str, total: int | None) -> bool:
    """Whether a 206 is the rest of the very file: some servers heed `Range` and not `If-Range`."""
    found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if not found or found[1] != str(have) or validator_of(answer) != validator:
        return False
    return total is None or found[2] == str(total)


def validator_of(answer: Answer) -> str | None:
    """What `If-Range` takes: a strong entity tag, else the date of the last change."""
    tag = answer.headers.get("ETag", "")
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified")


def length_of(answer: Answer) -> int | None:
    """Bytes of the body, if the server says so."""
    if "Transfer-Encoding" in answer.headers:
        return None
    return number(answer.headers.get("Content-Length", ""))


def number(text: str) -> int | None:
    """A number as headers hold it, of a size that any file has."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None


def redirected(url: str, location: str) -> str:
    """Where a redirect leads; raises `NotReachedError` if that is neither http nor https, or is less safe."""
    try:
        target = urljoin(url, location)
        scheme = urlsplit(target).scheme
    except ValueError as err:
        why = f"redirects to {location!r}, which is no address"
        raise NotReachedError(f"{shown(url)}: {why}; not followed") from err
    if scheme not in ("http", "https"):
        why = "which is neither http nor https"
    elif scheme == "http" and urlsplit(url).scheme == "https":
        why = "from https to http"
    else:
        return target
    raise NotReachedError(f"{shown(url)}: redirects to {shown(target)!r}, {why}; not followed")


def named(status: int) -> str:
    """
    >>> named(404), named(799)
    ('404 Not Found', '799')
    """
    known = {it.value: it.phrase for it in HTTPStatus}
    return f"{status} {known[status]}" if status in known else str(status)
