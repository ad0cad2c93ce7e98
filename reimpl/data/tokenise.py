"""From texts to words, by the rules of the public programs.

A tokeniser works in two steps so that a corpus is fast: `flat` cuts many texts at once into raw pieces, bytes
to bytes and without a Python step a word, and `words` turns each *distinct* piece into its words once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reimpl.data import treebank

#: Stands behind each text in what `flat` gives, and nowhere else. A NUL inside a text counts as a blank.
END = b"\0"

_BLANK, _NUL, _LOW_LINE = 32, 0, 95
_WORD_RUNS = re.compile(r"\w+")
_RUNS_OF_TWO = re.compile(r"\b\w\w+\b")
_CAPITAL_SIGMA = "\u03a3".encode()


@dataclass(frozen=True)
class Tokeniser:
    """`flat` then `words`; calling it gives the words of one text."""

    name: str
    flat: Callable[[Sequence[bytes]], bytes]
    """UTF-8 texts to pieces parted by spaces (the one sign that parts them), `END` behind each text."""
    words: Callable[[bytes], Sequence[str]]
    """The words of a piece: none when it is dropped, several when it holds signs that part words."""
    empty: str | None = None
    """The word that a text without any word has, if there is one."""

    def __call__(self, text: str) -> list[str]:
        """The words of a text, in order."""
        pieces = self.flat([text.encode()]).rstrip(END).split()
        words = [word for piece in pieces for word in self.words(piece)]
        return words if words or self.empty is None else [self.empty]


def joined(texts: Sequence[bytes]) -> bytes:
    """The texts with `END` behind each, and nowhere else."""
    flat = END.join(texts) + END if texts else b""
    if flat.count(END) != len(texts):
        return joined([text.replace(END, b" ") for text in texts])
    return flat


def _kept(kept: bytes, *, beyond_ascii: bool) -> bytes:
    """Table for `bytes.translate`: these bytes stay, and maybe those of other characters; else a blank."""
    return bytes(
        code if code in kept or code == _NUL or (beyond_ascii and code > 127) else _BLANK
        for code in range(256)
    )


_ALPHANUMERIC = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#: What Python's `\w` takes of ASCII; pieces with other characters are looked at in `words`.
_WORD_BYTES = _kept(_ALPHANUMERIC + b"_", beyond_ascii=True)


def _runs(texts: Sequence[bytes]) -> bytes:
    # every ASCII sign that is no word character parts words wherever it stands
    return joined(texts).translate(_WORD_BYTES)


def _study_words(piece: bytes) -> Sequence[str]:
    """Lower case comes after the numeric test and word by word: some capitals become two characters.

    `isnumeric` is wider than digits: fractions, superscripts, Roman and Chinese numerals are dropped too.
    """
    text = piece.decode()
    if piece.isascii():  # one run
        return () if text.isnumeric() else (text.lower(),)
    return [run.lower() for run in _WORD_RUNS.findall(text) if not run.isnumeric()]


#: sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py 81-83: maximal runs of word
#: characters, numeric ones dropped, lower-cased. An empty text has no word.
STUDY = Tokeniser("study", _runs, _study_words)


def _lowered_runs(texts: Sequence[bytes]) -> bytes:
    # a capital sigma is lower-cased by what stands beside it, also beyond a full stop: before any cut
    return _runs([text.decode().lower().encode() if _CAPITAL_SIGMA in text else text for text in texts])


def _words_of_two(piece: bytes) -> Sequence[str]:
    text = piece.decode().lower()
    if piece.isascii():  # one run
        return (text,) if len(text) > 1 else ()
    return _RUNS_OF_TWO.findall(text)


#: scikit-learn's `TfidfVectorizer` as it comes: lower-cased, runs of two word characters or more. Numbers
#: stay. LibMultiLabel's linear methods take it so.
SKLEARN = Tokeniser("scikit-learn", _lowered_runs, _words_of_two)


_KIM = _kept(_ALPHANUMERIC + b"(),!?'`", beyond_ascii=False)

#: In this order. The clitics are tested before lower-casing, so "DON'T" stays whole. A backslash is put
#: before the brackets and the question mark: the public code writes the replacement as if it were a pattern.
_KIM_REPLACEMENTS = (
    (b"'s", b" 's"),
    (b"'ve", b" 've"),
    (b"n't", b" n't"),
    (b"'re", b" 're"),
    (b"'d", b" 'd"),
    (b"'ll", b" 'll"),
    (b",", b" , "),
    (b"!", b" ! "),
    (b"(", rb" \( "),
    (b")", rb" \) "),
    (b"?", rb" \? "),
)


def _liu_flat(texts: Sequence[bytes]) -> bytes:
    # a foreign character becomes one blank a byte, because runs of blanks count as one
    flat = joined(texts).translate(_KIM)
    for old, new in _KIM_REPLACEMENTS:
        flat = flat.replace(old, new)
    return flat.lower()


def _as_it_is(piece: bytes) -> Sequence[str]:
    return (piece.decode(),)


#: jimmy646/XML-CNN at 72de8b3, code/data_helpers.py 14-31 (after Kim 2014): English clitics split off,
#: brackets and question marks kept as tokens with a backslash, which no word vector ever matches. The public
#: code splits at ONE space, so an empty text gives one empty token.
LIU = Tokeniser("liu", _liu_flat, _as_it_is, empty="")


def _attentionxml_flat(texts: Sequence[bytes]) -> bytes:
    return joined([treebank.pieces(text.replace(END, b" ")) for text in texts])


def _attentionxml_words(piece: bytes) -> Sequence[str]:
    """Tokens with a word character, lower-cased but for the mark between title and body."""
    found = treebank.tokens_of(piece)
    return [token if token == SEPARATOR else token.lower() for token in found if _WORD_RUNS.search(token)]


SEPARATOR = "/SEP/"
"""Parts title and body in AttentionXML's texts; the only word that keeps its capitals."""

#: yourh/AttentionXML at e2bbbec, preprocess.py 20-23 (XunGuangxu/CorNet at ecc0996 the same): NLTK's
#: `word_tokenize` of the release it pins, without the sentence splitter; see `treebank`.
ATTENTIONXML = Tokeniser("attentionxml", _attentionxml_flat, _attentionxml_words)


_BLANKS_ARE_SPACES = bytes.maketrans(b"\t\n\r\x0b\x0c", b" " * 5)


def _blanks(texts: Sequence[bytes]) -> bytes:
    return joined(texts).translate(_BLANKS_ARE_SPACES)


def _at_any_blank(piece: bytes) -> Sequence[str]:
    return piece.decode().split()


#: Texts that are tokenised already, as AttentionXML's `train_texts.txt`: parted by white space, as they are.
TOKENISED = Tokeniser("tokenised", _blanks, _at_any_blank)
