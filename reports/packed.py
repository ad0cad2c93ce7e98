"""The plots of a large page, packed: a thousand drawings are alike, and shrink to a tenth.

A page of some hundred claims holds its plots as they are. Beyond that they would be most of the page, so that
they are packed into one string, from which the script takes a drawing when its claim is opened; the first
contradictions keep theirs. Every number that is drawn stands in the page as text, with a script or without.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace

from reports.claim_cards import Card

#: Up to so many characters all plots of a page stand where they belong.
AS_THEY_ARE = 400_000
#: On a larger page, so many characters of those of contradictions do.
KEPT = 20_000
#: Between two drawings: all text in them has passed `strings.visible`, which leaves no such sign.
_BETWEEN = "\0"


def packed(cards: Sequence[Card], *, limit: int = AS_THEY_ARE) -> tuple[list[Card], str]:
    """The cards, on a large page without most of their plots, and these in one string (deflate, base64)."""
    if sum(len(card.plot) for card in cards) <= limit:
        return list(cards), ""
    plots: list[str] = []
    shown = []
    room = KEPT
    for card in cards:
        if not card.plot or (card.open and len(card.plot) <= room):
            room -= len(card.plot)
            shown.append(card)
        else:
            shown.append(replace(card, plot="", packed=str(len(plots))))
            plots.append(card.plot)
    return shown, _deflated(_BETWEEN.join(plots))


def _deflated(text: str) -> str:
    squeeze = zlib.compressobj(level=9, wbits=-15)
    return b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode()
