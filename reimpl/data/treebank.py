"""Words by the Penn Treebank's rules, as NLTK 3.4 applies them: the release that AttentionXML pins.

NLTK is no dependency. Its `word_tokenize` first splits sentences with a model that is a download of its own,
its rules differ from release to release, and thirty substitutions a document take minutes on a large corpus.
Here are the rules alone, after R. MacIntyre's sed script for the Treebank and NLTK's additions for foreign
quotes, on a document as ONE sentence: a full stop inside the text stays at its word ("end. Next"), the last
one is split off.

Every rule looks across a blank only in ways that leave the words on its other side alone; what a rule does at
the end of a text is done with the piece that stands there. So pieces between blanks are tokenised one by one,
each distinct one once, and give what the whole text would (a test compares the two).
"""

from __future__ import annotations

import re
from typing import NamedTuple

_OPEN, _CLOSE = "\u00ab\u201c\u2018\u201e", "\u00bb\u201d\u2019"


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    replacement: str
    signs: str
    """One of these is in every text that the rule acts on; most texts have none, and are not searched."""


def _rule(pattern: str, replacement: str, signs: str, flags: int = 0) -> _Rule:
    return _Rule(re.compile(pattern, flags), replacement, signs)


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


def tokens(text: str) -> list[str]:
    """The tokens of a text that is one sentence.

    >>> tokens("They can't say (it's done).")
    ['They', 'ca', "n't", 'say', '(', 'it', "'s", 'done', ')', '.']
    """
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


def pieces(text: bytes) -> bytes:
    """A UTF-8 text with its pieces between blanks, marked where a rule for the edge of a text acts on one."""
    text = text.translate(_HIDE, _EDGE)
    if text.startswith((b"''", b'"')):
        text = _EDGE + text
    cut = _last_stop(text)
    return text if cut is None else text[:cut] + text[cut:].translate(_HIDE_ALL) + _EDGE


def _last_stop(text: bytes) -> int | None:
    """Where the piece starts whose full stop ends the text, though brackets and quotes may follow it.

    An apostrophe at the very end, without a blank behind it, is one for a rule of that kind too.
    """
    stop = text.rfind(b".")
    if stop < 1 or (stop + 1 < len(text) and text[stop + 1 :].decode().strip(_CLOSING)):
        return text.rfind(b" ") + 1 if text.endswith(b"'") else None
    return text.rfind(b" ", 0, stop) + 1


def tokens_of(piece: bytes) -> list[str]:
    """The tokens of a piece, as they would be in the text that it comes from."""
    if piece.isalnum() and not _ANY_CONTRACTION.search(piece.decode()):
        return [piece.decode()]
    first, last = piece.startswith(_EDGE), piece.endswith(_EDGE)
    text = piece.strip(_EDGE).translate(_SHOW).decode()
    before = "" if first else " "
    # a word behind it stands for the rest of the text
    return tokens(before + text) if last else tokens(f"{before}{text} x")[:-1]
