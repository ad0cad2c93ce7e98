"""What answers of servers say."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from reimpl.data.http_answer import (
    NotReachedError,
    check_whole_file,
    continues,
    length_of,
    redirected,
    validator_of,
)


@dataclass
class Heard:
    status_code: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ({"ETag": '"a"', "Last-Modified": "d"}, '"a"'),
        ({"ETag": 'W/"a"', "Last-Modified": "d"}, "d"),  # RFC 9110, 13.1.5: never a weak tag
        ({"ETag": 'W/"a"'}, None),
        ({}, None),
    ],
)
def test_only_a_strong_tag_or_a_date_tells_a_file(headers: dict[str, str], validator: str | None) -> None:
    assert validator_of(Heard(headers=headers)) == validator


@pytest.mark.parametrize(
    ("headers", "length"),
    [
        ({"Content-Length": "12"}, 12),
        ({"Content-Length": "12", "Transfer-Encoding": "chunked"}, None),
        ({"Content-Length": "12, 12"}, None),
        ({"Content-Length": "-1"}, None),
        ({"Content-Length": "9" * 5000}, None),
        ({}, None),
    ],
)
def test_the_length_is_a_number_of_bytes_or_unknown(headers: dict[str, str], length: int | None) -> None:
    assert length_of(Heard(headers=headers)) == length


@pytest.mark.parametrize(
    ("headers", "goes_on"),
    [
        ({"Content-Range": "bytes 5-9/10", "ETag": '"a"'}, True),
        ({"Content-Range": "bytes 4-9/10", "ETag": '"a"'}, False),
        ({"Content-Range": "bytes 5-9/11", "ETag": '"a"'}, False),
        ({"Content-Range": "bytes 5-9/10", "ETag": '"b"'}, False),
        ({"Content-Range": "bytes 5-9/10"}, False),
        ({"ETag": '"a"'}, False),
        ({"Content-Range": "lines 5-9/10", "ETag": '"a"'}, False),
    ],
)
def test_a_part_goes_on_only_at_the_place_and_in_the_file_that_were_asked_for(
    headers: dict[str, str], goes_on: bool
) -> None:
    assert continues(Heard(206, headers), 5, validator='"a"', total=10) == goes_on


def test_a_part_of_a_file_of_unknown_length_goes_on() -> None:
    assert continues(
        Heard(206, {"Content-Range": "bytes 5-9/*", "ETag": '"a"'}), 5, validator='"a"', total=None
    )


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "http://h/a: the server answers 404 Not Found; check the address"),
        (403, "http://h/a: the server answers 403 Forbidden; the server may ask for a login or a licence"),
        (401, "http://h/a: the server answers 401 Unauthorized; the server may ask for a login or a licence"),
        (206, "http://h/a: the server answers 206 Partial Content; check the address"),
        (799, "http://h/a: the server answers 799; check the address"),
    ],
)
def test_an_answer_without_a_file_is_one_sentence(status: int, message: str) -> None:
    with pytest.raises(NotReachedError) as caught:
        check_whole_file("http://me:secret@h/a", Heard(status), pages=True)
    assert str(caught.value) == message


def test_a_web_page_is_no_file_unless_a_checksum_will_tell() -> None:
    """What shared drives send in place of large files."""
    page = Heard(headers={"Content-Type": "Text/HTML; charset=utf-8"})
    check_whole_file("http://h/a", page, pages=True)
    with pytest.raises(NotReachedError) as caught:
        check_whole_file("http://h/a", page, pages=False)
    assert str(caught.value) == (
        "http://h/a: the server sends a web page and no file; the server may ask for a login or a licence"
    )


@pytest.mark.parametrize(
    ("at", "location", "target"),
    [
        ("http://h/a", "b", "http://h/b"),
        ("http://h/a", "https://g/b", "https://g/b"),
        ("https://h/a", "//g/b", "https://g/b"),
    ],
)
def test_a_redirect_is_followed_over_http_and_to_https(at: str, location: str, target: str) -> None:
    assert redirected(at, location) == target


@pytest.mark.parametrize(
    ("at", "location", "why"),
    [
        ("http://h/a", "file:///etc/passwd", "'file:///etc/passwd', which is neither http nor https"),
        ("http://h/a", "ftp://h/b", "'ftp://h/b', which is neither http nor https"),
        ("http://h/a", "data:text/plain,x", "'data:text/plain,x', which is neither http nor https"),
        ("https://h/a", "http://h/a", "'http://h/a', from https to http"),
    ],
)
def test_a_redirect_to_elsewhere_is_not_followed(at: str, location: str, why: str) -> None:
    with pytest.raises(NotReachedError) as caught:
        redirected(at, location)
    assert str(caught.value) == f"{at}: redirects to {why}; not followed"


def test_a_redirect_to_no_address_is_not_followed() -> None:
    with pytest.raises(NotReachedError) as caught:
        redirected("http://h/a", "http://[x")
    assert str(caught.value) == "http://h/a: redirects to 'http://[x', which is no address; not followed"
