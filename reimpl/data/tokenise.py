"""From a text to its words, as the study's code and Liu's code do it.

A tokeniser works in two steps so that a corpus is fast: `split` cuts a text into raw tokens without a Python
loop, and `normalise` turns each *distinct* raw token into a word once (or drops it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_WORD_RUNS = re.compile(r"\w+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True)
class Tokeniser:
    """`split` then `normalise`; calling it gives the words of a text."""

    name: str
    split: Callable[[str], list[str]]
    normalise: Callable[[str], str | None]
    """The word for a raw token; None drops it."""

    def __call__(self, text: str) -> list[str]:
        """The words of a text, in order."""
        return [word for raw in self.split(text) if (word := self.normalise(raw)) is not None]


def _study_word(raw: str) -> str | None:
    """Lower case comes after the numeric test and token by token: some capitals become two characters.

    `isnumeric` is wider than digits: fractions, superscripts, Roman and Chinese numerals are dropped too.
    """
    return None if raw.isnumeric() else raw.lower()


#: sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py 81-83: maximal runs of word
#: characters, numeric ones dropped, lower-cased. An empty text has no word.
STUDY = Tokeniser("study", _WORD_RUNS.findall, _study_word)


def _keep_kim() -> bytes:
    """Table for `str.translate`: letters, digits and (),!?'` stay, any other character becomes a space."""
    kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789(),!?'`"
    return bytes(code if code in kept else 32 for code in range(128))


_KIM = _keep_kim().decode("ascii")

#: In this order. The clitics are tested before lower-casing, so "DON'T" stays whole. A backslash is put
#: before the brackets and the question mark: the public code writes the replacement as if it were a pattern.
_KIM_REPLACEMENTS = (
    ("'s", " 's"),
    ("'ve", " 've"),
    ("n't", " n't"),
    ("'re", " 're"),
    ("'d", " 'd"),
    ("'ll", " 'll"),
    (",", " , "),
    ("!", " ! "),
    ("(", r" \( "),
    (")", r" \) "),
    ("?", r" \? "),
)


def _liu_split(text: str) -> list[str]:
    # a run of foreign characters may become one space, because runs of spaces count as one below
    text = _NOT_ASCII.sub(" ", text).translate(_KIM)
    for old, new in _KIM_REPLACEMENTS:
        text = text.replace(old, new)
    # the public code splits at ONE space, so an empty text gives one empty token
    return text.lower().split() or [""]


def _unchanged(raw: str) -> str:
    return raw


#: jimmy646/XML-CNN at 72de8b3, code/data_helpers.py 14-31 (after Kim 2014): English clitics split off,
#: brackets and question marks kept as tokens with a backslash, which no word vector ever matches.
LIU = Tokeniser("liu", _liu_split, _unchanged)
