"""The plots of a large page are packed, and none is lost."""

from __future__ import annotations

import zlib
from base64 import b64decode
from itertools import chain

from audit.record import Audit
from reports.claim_cards import Card, card
from reports.lookup import lookup
from reports.packed import KEPT, packed
from reports.render import html
from tests.reports import sample


def cards(audit: Audit) -> list[Card]:
    found = lookup(audit)
    return [card(claim, found) for claim in audit.claims]


def unpacked(text: str) -> list[str]:
    return zlib.decompress(b64decode(text), wbits=-15).decode().split("\0")


def test_a_page_of_some_claims_keeps_its_plots() -> None:
    """Nothing is packed, and the page has no word of it."""
    before = cards(sample.study())
    assert packed(before) == (before, "")
    page = html(sample.study())
    assert 'id="plots"' not in page
    assert 'data-f="' not in page


def test_every_plot_of_a_large_page_is_found_again() -> None:
    """Each card has its plot in place or the number of the very same one in the string."""
    before = cards(sample.study())
    after, text = packed(before, limit=0)
    plots = unpacked(text)
    again = [plots[int(it.packed)] if it.packed else it.plot for it in after]
    assert again == [it.plot for it in before]
    assert len(text) < sum(map(len, plots)) / 3


def test_the_first_contradictions_keep_theirs() -> None:
    """On a large page the plots of contradictions stand in place, up to a size; no others do."""
    many = list(chain.from_iterable(cards(sample.study()) for _ in range(20)))
    after, _ = packed(many)
    kept = [it for it in after if it.plot]
    assert all(it.open for it in kept)
    assert KEPT - 2000 < sum(len(it.plot) for it in kept) <= KEPT
    assert sum(it.open for it in after) > len(kept)


def test_nothing_to_pack() -> None:
    """A card without a plot says why, and is not taken for one whose plot is elsewhere."""
    after, text = packed(cards(sample.untested()), limit=-1)
    assert {it.packed for it in after} == {""}
    assert unpacked(text) == [""]
