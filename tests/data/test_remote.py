"""Addresses, names and checksums as users write them."""

from __future__ import annotations

import pytest

from reimpl.data.remote import Remote, shown
from reimpl.errors import DataError

DIGEST = "0123456789abcdef" * 4

TAKEN = [
    ("https://h/a/train.txt.gz", Remote("https://h/a/train.txt.gz", "train.txt.gz")),
    ("http://h:81/Wiki10%20raw.zip?x=1", Remote("http://h:81/Wiki10%20raw.zip?x=1", "Wiki10 raw.zip")),
    ("http://h/get?id=7#name=a+b.zip", Remote("http://h/get?id=7", "a+b.zip")),
    (f"file:///d/a.zip#sha256={DIGEST.upper()}", Remote("file:///d/a.zip", "a.zip", f"sha256:{DIGEST}")),
    (
        f"http://h/?d#md5={DIGEST[:32]}&name=b.zip",
        Remote("http://h/?d", "b.zip", f"md5:{DIGEST[:32]}"),
    ),
]


@pytest.mark.parametrize(("text", "remote"), TAKEN)
def test_an_address_may_carry_a_name_and_a_checksum(text: str, remote: Remote) -> None:
    assert Remote.parse(text) == remote


NAMES = [
    "http://h/",
    "http://h",
    "http://h/..%2f..%2fetc%2fpasswd",
    "http://h/%2e%2e",
    "http://h/..%5cx.txt",
    "http://h/a%00.txt",
    "http://h/.bashrc",
    "http://h/-rf",
    "http://h/C%3Ax",
    "http://h/train.txt.part",
    "http://h/train.txt.sha256",
    "http://h/a.",
    "http://h/a%20",
    "http://h/a%0A",
    "http://h/a.txt#name=../a.txt",
    "http://h/a.txt#name=",
    "http://h/a.txt#name=/etc/passwd",
    f"http://h/{'a' * 200}",
]


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_a_name_in_the_folder_and_nothing_else(text: str) -> None:
    """No folder, no hidden file, none of the names that the download itself uses."""
    with pytest.raises(
        DataError, match=r"is no usable name of a file; state one, as in URL#name=train\.txt$"
    ):
        Remote.parse(text)


def test_a_bad_name_is_shown() -> None:
    with pytest.raises(DataError) as caught:
        Remote.parse("http://u:p@h/..%2fx")
    assert str(caught.value) == (
        "http://h/..%2fx: '../x' is no usable name of a file; state one, as in URL#name=train.txt"
    )


REFUSED = [
    ("ftp://u:p@h/a.zip", "'ftp://h/a.zip': an address begins with http://, https:// or file://; correct it"),
    ("a.zip", "'a.zip': an address begins with http://, https:// or file://; correct it"),
    ("http:///a.zip", "'http:///a.zip': names no host; correct it"),
    ("http://h:x/a.zip", "is no address (Port could not be cast to integer value as 'x'); correct it"),
    ("http://[::1/a.zip", "'http://[::1/a.zip': is no address (Invalid IPv6 URL); correct it"),
    ("http://h/a b.zip", "'http://h/a b.zip': holds blanks or control characters; write a blank as %20"),
    ("http://h/a\r\nX: y", "holds blanks or control characters; write a blank as %20"),
    ("http://h/a\x7f.zip", "holds blanks or control characters; write a blank as %20"),
    ("file://h/a.zip", "'file://h/a.zip': is no file of this machine; write file:// and its whole path"),
    ("file:a.zip", "'file:a.zip': is no file of this machine; write file:// and its whole path"),
    (
        "http://h/a.zip#top",
        "http://h/a.zip: 'top' after # is not understood; known are name=, sha256=",
    ),
    ("http://h/a.zip#name=a&name=b", "'name=a&name=b' after # is not understood"),
    (f"http://h/a#sha256={DIGEST}&md5={DIGEST[:32]}", "after # is not understood; known are name=, sha256="),
    (
        "http://h/a.zip#md5=12",
        "http://h/a.zip: 'md5:12' is no checksum; "
        "known are sha256 (64 digits), sha1 (40 digits), md5 (32 digits)",
    ),
    (f"http://h/a.zip#sha1={DIGEST[:39]}x", "is no checksum"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_no_address_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Remote.parse(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "without"),
    [
        ("https://me:secret@h:8080/a?b=c", "https://h:8080/a?b=c"),
        ("https://me:s@cret@h/a", "https://h/a"),
        ("https://h/a@b?c=d@e", "https://h/a@b?c=d@e"),
    ],
)
def test_a_password_is_never_shown(url: str, without: str) -> None:
    assert shown(url) == without
