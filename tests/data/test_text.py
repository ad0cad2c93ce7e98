"""The tokenisers, string by string."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reimpl.data.text import (
    ATTENTIONXML,
    END,
    LIU,
    SKLEARN,
    STUDY,
    TOKENISED,
    Tokeniser,
    treebank_pieces,
    treebank_tokens,
    treebank_tokens_of,
)
from tests.data.reference import reference

STRINGS = reference("06_text.json")["strings"]


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_the_public_code(case: dict[str, Any]) -> None:
    """The three rules give the words that the public programs gave."""
    assert STUDY(case["text"]) == case["study"]
    assert LIU(case["text"]) == case["xmlcnn_original"]
    assert ATTENTIONXML(case["text"]) == case["attentionxml"]


TEXT = st.text() | st.text("aB1_ -'\".,\u2013\u00e9\u0130\u03a3\u00bd\t\n\x1c\u2028\xa0")


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


# --------------------------------------------------------------------------- Penn Treebank

LETTERS = "a b x s 3 \u00e9 can not cannot wanna gimme is tis d'ye mor'n 't 'tis 's 'll n't N'T ' '' \" ` ``"
MARKS = ". .. ... , : ; - -- ? ! ( ) [ ] < > / a-b U.S. 1.5 a/b \u00ab \u00bb \u201c \u201d \u2018 \u2019"
BLANKS = (" ", " ", " ", "  ", "\t", "\n", "\xa0", "\u2028", "\x1c", "\x85")
PARTS = [*LETTERS.split(" "), *MARKS.split(" "), *BLANKS]
SIGNS = st.lists(st.sampled_from(PARTS), max_size=14).map("".join)


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_nltk(case: dict[str, Any]) -> None:
    """The tokens that NLTK 3.4 gave."""
    assert treebank_tokens(case["text"]) == case["nltk_raw_tokens"]


def worded(found: list[str]) -> list[str]:
    return [it for it in found if any(sign.isalnum() or sign == "_" for sign in it)]


@given(SIGNS)
@example("''a b")
@example("a ''b")
@example("a ''b'' ''c.'' )")
@example("x' y'")
def test_piece_by_piece(text: str) -> None:
    """Tokens with a word character are those of the whole text, whatever stands at its edges."""
    found = [token for piece in treebank_pieces(text.encode()).split() for token in treebank_tokens_of(piece)]
    assert worded(found) == worded(treebank_tokens(text))
