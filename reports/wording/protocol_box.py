"""Sentences about the protocol on the first screen: what of it was reduced, and what ended too early."""

from __future__ import annotations

from collections.abc import Sequence

from reports import digits
from reports.wording.words import plural

TERM = "Protocol"
OWN = "the paper’s own, as far as it is described"
_REDUCED = "reduced{cpu}{where}"
_IMPORTED = "of {number} the runs were imported, by the protocol of the program that made them"
#: Of what was changed, words that tell more than the name of the setting.
_TOLD = {
    "epochs": "{here} epochs for {paper}",
    "words kept of a document": "{here} words of a document for {paper}",
    "word vectors": "word vectors of {here} components for {paper}",
    "documents a batch": "batches of {here} documents for {paper}",
}
RISING_RULE = "their mean score on held-out documents is best at the last evaluation"


def change(what: str, here: Sequence[str], paper: Sequence[str]) -> str:
    """`20 epochs for 30`, `20 epochs for 5 to 51`; the numbers from the smallest to the largest.

    >>> change("epochs", ["20"], ["5", "30", "51"]), change("maps", ["16"], ["128"])
    ('20 epochs for 5 to 51', 'maps 16 for 128')
    """
    pattern = _TOLD.get(what, f"{what.replace('_', ' ')} {{here}} for {{paper}}")
    return pattern.format(here=_span(here), paper=_span(paper))


def protocol(reduced: int, own: int, imported: int, *, cpu: bool, changes: Sequence[str], more: int) -> str:
    """Of so many experiments with runs; `changes` are the largest, and `more` of them are not told.

    >>> protocol(4, 0, 0, cpu=True, changes=["20 epochs for 30", "maps 16 for 128"], more=2)
    'Reduced for a CPU: 20 epochs for 30, maps 16 for 128, and 2 more.'
    """
    number = reduced + own + imported
    parts = []
    if reduced:
        where = "" if reduced == number else f" in {digits.count(reduced)} of {plural(number, 'experiment')}"
        text = _REDUCED.format(cpu=" for a CPU" if cpu else "", where=where)
        rest = [f"and {digits.count(more)} more"] if more and changes else []
        parts.append(f"{text}: {', '.join([*changes, *rest])}" if changes else text)
    if own:
        parts.append(OWN if own == number else f"in {digits.count(own)} {OWN}")
    if imported:
        parts.append(_IMPORTED.format(number=plural(imported, "experiment")))
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def rising(number: int, of: int) -> str:
    """That training may have ended too early; empty where no curve says so.

    >>> rising(3, 4)[:60]
    'In 3 of 4 arms the curve was still rising at the end (their '
    """
    if not number:
        return ""
    arms = "the one arm with a curve" if of == 1 else f"{digits.count(number)} of {digits.count(of)} arms"
    rule = RISING_RULE.replace("their", "its" if of == 1 else "their")
    what = "scores may be" if of == 1 else "differences may be"
    return f"In {arms} the curve was still rising at the end ({rule}): {what} about training time."


def _span(numbers: Sequence[str]) -> str:
    ordered = sorted(dict.fromkeys(numbers), key=lambda it: float(it.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
