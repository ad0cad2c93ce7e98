"""Text from outside."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.strings import moment, shortened, slug, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ünïcode, \n and tab\t", "plain, ünïcode, \n and tab\t"),
        ("a\u202eb\u202c", r"a\u202eb\u202c"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("bell\x07 null\x00", r"bell\u0007 null\u0000"),
        ("half \ud800", r"half \ud800"),
        ("שלום\u200f, عربي", "שלום\u200f, عربي"),  # honest right-to-left text and its marks stay
    ],
)
def test_visible(text: str, expected: str) -> None:
    """Characters that steer the text around them are written out; ordinary text of any script stays."""
    assert visible(text) == expected


@given(st.text(alphabet=st.characters(codec=None)))
def test_visible_can_be_written(text: str) -> None:
    """Whatever comes in, the result can be written as UTF-8."""
    assert visible(text).encode().decode() == visible(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sweep-ruins-kim:P@1", "sweep-ruins-kim-p1"),
        ("eurlex:xmlcnn:nDCG@5", "eurlex-xmlcnn-ndcg5"),
        ("t4.kim_words.P@1", "t4-kim-words-p1"),
    ],
)
def test_slug(text: str, expected: str) -> None:
    """A deep link can be read and typed."""
    assert slug(text) == expected


@given(st.text())
def test_slug_is_a_plain_fragment(text: str) -> None:
    """Any text gives a fragment that is safe in an id, a link and a URL."""
    assert re.fullmatch(r"[a-z0-9-]{1,70}", slug(text))


def test_long_texts_keep_apart() -> None:
    """Two long texts that differ at the end have different fragments."""
    assert slug("x" * 10_000 + "a") != slug("x" * 10_000 + "b")
    assert slug("<") != slug(">")


@pytest.mark.parametrize(
    ("iso", "expected"),
    [
        ("2026-03-01T12:30:11.25+00:00", "2026-03-01 12:30 UTC"),
        ("2026-03-01T12:30:11Z", "2026-03-01 12:30 UTC"),
        ("2026-03-01T12:30:11+02:00", "2026-03-01 12:30 +02:00"),
        ("2026-03-01T12:30", "2026-03-01 12:30"),
        ("last Tuesday", "last Tuesday"),
        ("", ""),
    ],
)
def test_moment(iso: str, expected: str) -> None:
    """A time without its seconds; what is no time stays as it is."""
    assert moment(iso) == expected


def test_shortened() -> None:
    """A cut is marked, and nothing is cut that fits."""
    assert shortened("abcde", 5) == "abcde"
    assert shortened("abcdef", 5) == "abcd…"
