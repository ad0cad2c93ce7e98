"""The Treebank's rules: against NLTK's own output, and piece by piece against whole texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reimpl.data.treebank import pieces, tokens, tokens_of
from tests.data.reference import reference

STRINGS = reference("06_text.json")["strings"]
PARTS = [
    *(
        "a",
        "b",
        "x",
        "s",
        "3",
        "\u00e9",
        "can",
        "not",
        "cannot",
        "wanna",
        "gimme",
        "is",
        "tis",
        "d'ye",
        "mor'n",
    ),
    *(
        "'t",
        "'tis",
        "'s",
        "'ll",
        "n't",
        "N'T",
        "'",
        "''",
        '"',
        "`",
        "``",
        ".",
        "..",
        "...",
        ",",
        ":",
        ";",
        "-",
    ),
    *(
        "--",
        "?",
        "!",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "\u00ab",
        "\u00bb",
        "\u201c",
        "\u201d",
        "\u2018",
        "\u2019",
    ),
    *("\u201e", " ", " ", " ", "  ", "\t", "\n", "\xa0", "\u2028", "\x1c", "\x85"),
]
TEXT = st.lists(st.sampled_from(PARTS), max_size=14).map("".join)


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_nltk(case: dict[str, Any]) -> None:
    """The tokens that NLTK 3.4 gave."""
    assert tokens(case["text"]) == case["nltk_raw_tokens"]


def worded(found: list[str]) -> list[str]:
    return [it for it in found if any(sign.isalnum() or sign == "_" for sign in it)]


@given(TEXT)
@example("''a b")
@example("a ''b")
@example("a ''b'' ''c.'' )")
@example("x' y'")
def test_piece_by_piece(text: str) -> None:
    """Tokens with a word character are those of the whole text, whatever stands at its edges."""
    found = [token for piece in pieces(text.encode()).split() for token in tokens_of(piece)]
    assert worded(found) == worded(tokens(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("end. Next end.", ["end.", "Next", "end", "."]),
        ("so it is.\u201d)", ["so", "it", "is", ".", "\u201d", ")"]),
        ("cannot Cannot wanna go", ["can", "not", "Can", "not", "wan", "na", "go"]),
        ("1,000: a,b", ["1,000", ":", "a", ",", "b"]),
        ("'tis the dogs' bone", ["'t", "is", "the", "dogs", "'", "bone"]),
    ],
)
def test_by_hand(text: str, expected: list[str]) -> None:
    """Only the last full stop is split off; a comma before a digit is not."""
    assert tokens(text) == expected
