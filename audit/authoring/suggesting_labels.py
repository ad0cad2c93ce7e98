"""What the labels of rows and columns tell: one thing changed, something left out, a step of a sweep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:(?P<base>.*\S)\s+|)[-\N{MINUS SIGN}\N{EN DASH}]\s*(?P<what>[^\W\d].*)")
_MEMBER = re.compile(r"(?P<base>.*[^\W\d].*?)[\s_(-]+(?P<number>[1-9][0-9]?)\)?")
_NUMBER = re.compile(r"(?<![\d.])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_WHOLE = re.compile(r"\b(?:full|complete|whole|ours|proposed)\b", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:avg|average|mean)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"[\N{GREEK CAPITAL LETTER DELTA}\N{INCREMENT}]|\b(?:diff|difference|gain|improvement|improv)\b",
    re.IGNORECASE,
)


def factors(label: str) -> tuple[str, ...]:
    """What a label is made of, in lower case: `XML-CNN, words` is xml-cnn and words."""
    return tuple(it for part in _BETWEEN.split(label.casefold()) if (it := part.strip()))


def one_change(first: str, second: str) -> tuple[str, str] | None:
    """The one thing in which two labels differ, as each has it, or "" where it lacks it.

    None where they differ in more, or in all that they say: two names alone are no change of one thing.
    """
    a, b = factors(first), factors(second)
    only_a, only_b = list((Counter(a) - Counter(b)).elements()), list((Counter(b) - Counter(a)).elements())
    if len(only_a) > 1 or len(only_b) > 1 or not (only_a or only_b):
        return None
    if len(only_a) == len(a) or len(only_b) == len(b):
        return None
    return (only_a or [""])[0], (only_b or [""])[0]


def left_out(label: str) -> tuple[str, str] | None:
    """The model and what it lacks, of `XML-CNN w/o pooling`, `no pooling`, `- pooling`."""
    for pattern in (_WITHOUT, _MINUS):
        if match := pattern.fullmatch(label.strip()):
            return (match["base"] or "").strip(" ,:("), match["what"].strip()
    return None


def full_model(label: str, labels: Sequence[str]) -> str | None:
    """The label of the model that `label` is a lesser form of; None for none, and where several may be."""
    lacks = left_out(label)
    if lacks is None:
        return None
    base = lacks[0].casefold()
    whole = [it for it in labels if left_out(it) is None]
    if base:
        named = [it for it in whole if it.casefold() == base]
        named = named or [it for it in whole if it.casefold().startswith(base) and _WHOLE.search(it)]
    else:
        named = [it for it in whole if _WHOLE.search(it)] or whole
    return named[0] if len(named) == 1 else None


def ensemble(label: str, labels: Sequence[str]) -> str | None:
    """Of `AttentionXML-1`, the label `AttentionXML`, if it is there: a numbered member, and the whole."""
    match = _MEMBER.fullmatch(label.strip())
    named = [it for it in labels if match and it.strip().casefold() == match["base"].strip().casefold()]
    return named[0] if len(named) == 1 else None


def is_mean(label: str) -> bool:
    """Whether it names an average."""
    return _MEAN.search(label) is not None


def is_difference(label: str) -> bool:
    """Whether it names a gain or difference."""
    return _DIFFERENCE.search(label) is not None
