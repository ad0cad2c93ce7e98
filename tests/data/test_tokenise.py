"""The tokenisers, string by string."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.tokenise import ATTENTIONXML, END, LIU, SKLEARN, STUDY, TOKENISED, Tokeniser
from tests.data.reference import reference

STRINGS = reference("06_text.json")["strings"]


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_the_public_code(case: dict[str, Any]) -> None:
    """The three rules give the words that the public programs gave."""
    assert STUDY(case["text"]) == case["study"]
    assert LIU(case["text"]) == case["xmlcnn_original"]
    assert ATTENTIONXML(case["text"]) == case["attentionxml"]


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


TEXT = st.text() | st.text("aB1_ -'\".,\u2013\u00e9\u0130\u03a3\u00bd\t\n\x1c\u2028\xa0")


@given(TEXT)
def test_study_is_its_regular_expression(text: str) -> None:
    """All runs of word characters that are no numerals, each lower-cased by itself."""
    assert STUDY(text) == [it.lower() for it in re.findall(r"\w+", text) if not it.isnumeric()]


@given(TEXT)
def test_tokenised_texts_are_parted_at_blanks(text: str) -> None:
    """As `str.split` does, capitals and signs kept."""
    assert TOKENISED(text) == text.replace("\0", " ").split()


@given(TEXT)
def test_any_text(text: str) -> None:
    """No study word is blank, no Liu word holds a space, and only a blank text gives an empty word."""
    assert all(word and not word.isspace() for word in STUDY(text))
    words = LIU(text)
    assert words == [""] or all(word.isascii() and word.split() == [word] for word in words)


@given(st.lists(TEXT, max_size=5))
@pytest.mark.parametrize("tokeniser", [STUDY, LIU, SKLEARN, ATTENTIONXML, TOKENISED], ids=lambda it: it.name)
def test_many_texts_at_once(tokeniser: Tokeniser, texts: list[str]) -> None:
    """Together they give what each gives alone, with a NUL behind each."""
    flat = tokeniser.flat([text.encode() for text in texts])
    documents = flat.split(END)
    assert documents.pop().strip() == b""
    found = [[word for piece in it.split() for word in tokeniser.words(piece)] for it in documents]
    expected = [tokeniser(text) for text in texts]
    if tokeniser.empty is not None:
        expected = [[] if words == [tokeniser.empty] else words for words in expected]
    assert found == expected


def test_the_mark_keeps_its_capitals() -> None:
    """Only what parts title and body is not lower-cased."""
    assert ATTENTIONXML("Title /SEP/ /Sep/ Body") == ["title", "/SEP/", "/sep/", "body"]
