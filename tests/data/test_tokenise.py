"""The two tokenisers, string by string."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.tokenise import LIU, STUDY
from tests.data.reference import reference

STRINGS = reference("06_text.json")["strings"]


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_the_public_code(case: dict[str, Any]) -> None:
    """Both rules give the words that the two public programs gave."""
    assert STUDY(case["text"]) == case["study"]
    assert LIU(case["text"]) == case["xmlcnn_original"]


@pytest.mark.parametrize(
    ("text", "study", "liu"),
    [
        ("a(b", ["a", "b"], ["a", "\\(", "b"]),
        ("DON'T don't", ["don", "t", "don", "t"], ["don't", "do", "n't"]),
        ("\u00bd \u2167 x\u00b2 100_000", ["x\u00b2", "100_000"], ["x", "100", "000"]),
        ("\u0130x", ["i\u0307x"], ["x"]),
        ("\u03a3'\u03a3\u0391", ["\u03c3", "\u03c3\u03b1"], ["'"]),
        ("\u00a0\u2028\t\n", [], [""]),
    ],
)
def test_by_hand(text: str, study: list[str], liu: list[str]) -> None:
    """Backslashes, capital clitics, numerals that are no digits, capitals of two characters, blank texts."""
    assert STUDY(text) == study
    assert LIU(text) == liu


@given(st.text())
def test_any_text(text: str) -> None:
    """No study word is blank, no Liu word holds a space, and only a blank text gives an empty word."""
    assert all(word and not word.isspace() for word in STUDY(text))
    words = LIU(text)
    assert words == [""] or all(word.isascii() and word.split() == [word] for word in words)
