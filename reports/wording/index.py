"""Words of the page that lists the audits of several papers."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import Scope
from reports import digits
from reports.wording.words import SCOPE_WORDS, listed, plural

TITLE = "Reproducibility audits"
NOTE = (
    "Each number counts claims, out of all of a paper’s claims. Not tested is a claim that no run spoke to, "
    "or that was run only on other data than its printed value is about, or whose runs failed. A number of "
    "which all rest on stand-in data has thin figures and a grey mark: what holds there may not hold on the "
    "paper’s own. "
    "There is no score of a paper, and papers are not ranked: they stand in the order of their keys."
)
PAPER = "Paper and corpus"
RESTS_ON = "What was judged rests on"
NOTHING = "nothing was judged"
FINDINGS = "Printed numbers"
NEWEST = "Newest run"
NO_RUN = "none"
_REDUCED = "reduced protocol"
_IMPORTED = "numbers that were imported, not verified here"
_WORDS: dict[Scope, str] = {**SCOPE_WORDS, "same_data": "the paper’s own data"}


def summary(papers: int, audits: int) -> str:
    """`3 audits of 2 papers`"""
    return f"{plural(audits, 'audit')} of {plural(papers, 'paper')}"


def rests_on(scopes: Sequence[Scope | None], *, reduced: int, imported: int) -> str:
    """On whose data those claims rest that were judged, and how many on a reduced protocol or others' runs.

    >>> rests_on(["other_data", "other_data"], reduced=2, imported=0)
    'stand-in data; reduced protocol'
    >>> rests_on(["same_data", "other_data", "other_data"], reduced=1, imported=0)
    'stand-in data for 2 of 3, the paper’s own data for 1; reduced protocol for 1 of 3'
    """
    of = len(scopes)
    if not of:
        return NOTHING
    counts = [(scopes.count(it), word) for it, word in _WORDS.items()]
    held = sorted([it for it in counts if it[0]], reverse=True)
    parts = [_share(word, number, of if k == 0 else 0) for k, (number, word) in enumerate(held)]
    if len(held) == 1 and held[0][0] == of:
        parts = [held[0][1]]
    more = [
        _part(word, number, of) for word, number in ((_REDUCED, reduced), (_IMPORTED, imported)) if number
    ]
    return "; ".join(it for it in (", ".join(parts), *more) if it)


def _part(word: str, number: int, of: int) -> str:
    return word if number == of else _share(word, number, of)


def _share(word: str, number: int, of: int) -> str:
    """`another split for 3 of 9`; without what it is of where that has been said."""
    return f"{word} for {digits.count(number)}" + (f" of {digits.count(of)}" if of else "")


def findings(inconsistent: int, total: int) -> str:
    """What the checks that need no run found."""
    if not total:
        return "not checked"
    return f"{digits.count(inconsistent)} of {plural(total, 'finding')} inconsistent"


def unread(names: Sequence[str]) -> str:
    """Records beside the others that could not be read; empty where all could."""
    if not names:
        return ""
    them = "it" if len(names) == 1 else "them"
    return f"Not shown, as no audit could be read from {them}: {listed(list(names))}."
