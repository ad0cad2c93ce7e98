"""From texts to words, by the rules of the public programs. `flat` splits many texts at once into raw pieces,
bytes to bytes and without a Python step per word; `words` turns each *distinct* piece into its words once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: Stands behind each text in what `flat` gives, and nowhere else. A NUL inside a text counts as a blank.
END = b"\0"

_BLANK, _NUL = 32, 0
_WORD_RUNS = re.compile(r"\w+")
_RUNS_OF_TWO = re.compile(r"\b\w\w+\b")
_CAPITAL_SIGMA = "\u03a3".encode()


@dataclass(frozen=True)
class Tokeniser:
    """`flat` then `words`; calling it gives the words of one text."""

    name: str
    #: UTF-8 texts to pieces parted by spaces (the one sign that parts them), `END` behind each text.
    flat: Callable[[Sequence[bytes]], bytes]
    words: Callable[[bytes], Sequence[str]]  # Of a piece: none when it is dropped, or several
    empty: str | None = None  # The word that a text without any word has, if there is one

    def __call__(self, text: str) -> list[str]:
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
    """Table for `bytes.translate`: keeps these bytes and maybe all above 127; others become blank."""
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
    `isnumeric` is wider than digits: fractions, superscripts, Roman and Chinese numerals are dropped too."""
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
_KIM_REPLACEMENTS = [(clitic, b" " + clitic) for clitic in (b"'s", b"'ve", b"n't", b"'re", b"'d", b"'ll")]
_KIM_REPLACEMENTS += [(b",", b" , "), (b"!", b" ! "), (b"(", rb" \( "), (b")", rb" \) "), (b"?", rb" \? ")]


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


# Words as NLTK 3.4 applies the rules of the Penn Treebank: the release that AttentionXML pins. Its sentence
# splitter is a download of its own, and thirty substitutions a document take minutes on a large corpus. Here
# are the rules alone, on a document as ONE sentence: a full stop inside the text stays at its word ("end.
# Next"), the last one is split off. Every rule looks across a blank only in ways that leave the words on its
# other side alone. So pieces between blanks are tokenised one by one, each distinct one once, and give what
# the whole text would (a test compares the two).

_OPEN, _CLOSE = "\u00ab\u201c\u2018\u201e", "\u00bb\u201d\u2019"

#: Pattern, replacement, and signs of which one is in every text that the rule acts on; most have none.
_Rule: TypeAlias = tuple[re.Pattern[str], str, str]


def _rule(pattern: str, replacement: str, signs: str, flags: int = 0) -> _Rule:
    return re.compile(pattern, flags), replacement, signs


_START = (
    _rule(f"([{_OPEN}]|`+)", r" \1 ", _OPEN + "`"),
    _rule(r"^\"", r"``", '"'),
    _rule(r"(``)", r" \1 ", "`"),
    _rule(r"([ (\[{<])(\"|'{2})", r"\1 `` ", "\"'"),
    _rule(r"(')(?!re|ve|ll|m|t|s|d)(\w)\b", r"\1 \2", "'", re.IGNORECASE),
)
_PUNCTUATION = (
    _rule(rf"([^.])(\.)([\]\)}}>\"'{_CLOSE} ]*)\s*$", r"\1 \2 \3 ", "."),
    _rule(r"([:,])([^\d])", r" \1 \2", ":,"),
    _rule(r"([:,])$", r" \1 ", ":,"),
    _rule(r"\.\.\.", r" ... ", "."),
    _rule(r"[;@#$%&]", r" \g<0> ", ";@#$%&"),
    _rule(r"([^.])(\.)([\]\)}>\"']*)\s*$", r"\1 \2\3 ", "."),
    _rule(r"[?!]", r" \g<0> ", "?!"),
    _rule(r"([^'])' ", r"\1 ' ", "'"),
    _rule(r"[\]\[(){}<>]", r" \g<0> ", "][(){}<>"),
    _rule(r"--", r" -- ", "-"),
)
_END = (
    _rule(f"([{_CLOSE}])", r" \1 ", _CLOSE),
    _rule(r"\"", " '' ", '"'),
    _rule(r"(\S)('')", r"\1 \2 ", "'"),
    _rule(r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 ", "'"),
    _rule(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ", "'"),
)
_CONTRACTIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(can)(not)\b",
        r"\b(d)('ye)\b",
        r"\b(gim)(me)\b",
        r"\b(gon)(na)\b",
        r"\b(got)(ta)\b",
        r"\b(lem)(me)\b",
        r"\b(mor)('n)\b",
        r"\b(wan)(na)\s",
        r" ('t)(is)\b",
        r" ('t)(was)\b",
    )
)
_ANY_CONTRACTION = re.compile("cannot|d'ye|gimme|gonna|gotta|lemme|mor'n|wanna|'tis|'twas", re.IGNORECASE)


def treebank_tokens(text: str) -> list[str]:
    """The tokens of a text that is one sentence."""
    text = f" {_applied(_PUNCTUATION, _applied(_START, text))} "
    text = _applied(_END, text)
    if _ANY_CONTRACTION.search(text):
        for pattern in _CONTRACTIONS:
            text = pattern.sub(r" \1 \2 ", text)
    return text.split()


def _applied(rules: tuple[_Rule, ...], text: str) -> str:
    for pattern, replacement, signs in rules:
        if any(map(text.__contains__, signs)):
            text = pattern.sub(replacement, text)
    return text


#: Before a piece without a blank before it, and behind one that ends its text.
_EDGE = b"\x01"
#: Blanks that belong to a piece, because rules tell them from the space. These control characters therefore
#: count as blanks themselves.
_INNER, _OUTER = b"\x02\x03\x04\x05\x06\x07", b"\t\n\r\x0b\x0c "
_HIDE = bytes.maketrans(_OUTER[:-1], _INNER[:-1])
_HIDE_ALL = bytes.maketrans(_OUTER, _INNER)
_SHOW = bytes.maketrans(_INNER, _OUTER)
_CLOSING = "])}>\"'" + _CLOSE + _INNER.decode() + "".join(filter(str.isspace, map(chr, range(0x3001))))


def treebank_pieces(text: bytes) -> bytes:
    """A UTF-8 text with its pieces between blanks, marked where a rule for the edge of a text acts on one."""
    text = text.translate(_HIDE, _EDGE)
    if text.startswith((b"''", b'"')):
        text = _EDGE + text
    cut = _last_stop(text)
    return text if cut is None else text[:cut] + text[cut:].translate(_HIDE_ALL) + _EDGE


def _last_stop(text: bytes) -> int | None:
    """Where the piece starts whose full stop ends the text, even with brackets and quotes after it; an
    apostrophe at the very end counts for a rule of that kind too."""
    stop = text.rfind(b".")
    if stop < 1 or (stop + 1 < len(text) and text[stop + 1 :].decode().strip(_CLOSING)):
        return text.rfind(b" ") + 1 if text.endswith(b"'") else None
    return text.rfind(b" ", 0, stop) + 1


def treebank_tokens_of(piece: bytes) -> list[str]:
    """The tokens of a piece, as they would be in the text that it comes from."""
    first, last = piece.startswith(_EDGE), piece.endswith(_EDGE)
    text = piece.strip(_EDGE).translate(_SHOW).decode()
    before = "" if first else " "
    # a word behind it stands for the rest of the text
    return treebank_tokens(before + text) if last else treebank_tokens(f"{before}{text} x")[:-1]


def _attentionxml_flat(texts: Sequence[bytes]) -> bytes:
    return joined([treebank_pieces(text.replace(END, b" ")) for text in texts])


#: Parts title and body in AttentionXML's texts; the only word that keeps its capitals.
SEPARATOR = "/SEP/"

#: Most distinct pieces: the only rules that act on them part words at these signs, wherever they stand, and
#: at a comma or colon without a digit behind it.
_PARTING = r"\[\](){}<>;@#$%&?!"
_PLAIN = re.compile(r"(?:[A-Za-z0-9./_+=*|~^\\" + _PARTING + r"-]|[:,](?![:,]))+")
_PARTED = re.compile(r"[" + _PARTING + r"]|[:,](?!\d)")
#: What the other rules look for in such a piece: a contraction without an apostrophe holds one of these, too.
_DOUBLE = re.compile(r"nn|mm|tt|\.\.|--", re.IGNORECASE)


def _attentionxml_words(piece: bytes) -> Sequence[str]:
    """Tokens with a word character, lower-cased except the mark between title and body."""
    if piece.isalnum() and not _DOUBLE.search(text := piece.decode()):
        return (text.lower(),)
    if piece.isascii() and _PLAIN.fullmatch(text := piece.decode()) and not _DOUBLE.search(text):
        found = _PARTED.split(text)
    else:
        found = treebank_tokens_of(piece)
    return [token if token == SEPARATOR else token.lower() for token in found if _WORD_RUNS.search(token)]


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
