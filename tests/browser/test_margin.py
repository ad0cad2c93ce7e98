"""The margin slider is a what-if: it notes what a verdict would be, and changes no verdict of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from audit.record import Audit
from reports.cards import band_of
from reports.lookup import Lookup
from tests.browser.makers import at_margin, hanging

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]

#: What a claim's note says, or its verdict where it has none.
WHAT_IF = (
    "Object.fromEntries([...document.querySelectorAll('.row')].map(el => [el.id,"
    " el.querySelector('.what-if')?.textContent.split(': ')[1]"
    " || el.querySelector('.chip').textContent.toLowerCase()]))"
)
#: All of the page but the notes at the claims, the filter's buttons, the slider's own words, and the banner.
REST = (
    "(() => { const page = document.body.cloneNode(true);"
    " const own = '.what-if, #flips, #banner, #margin-unit, #chips, script';"
    " for (const el of page.querySelectorAll(own)) el.remove();"
    " return [page.textContent.replace(/\\s+/g, ' '),"
    " ...[...page.querySelectorAll('[class], [title]')].map(el => el.className + el.title)].join('|') })()"
)


@pytest.fixture(scope="module")
def audit() -> Audit:
    return hanging()


def margins(audit: Audit) -> list[float]:
    """The fixed ones, and just on either side of every end of every band."""
    ends = [
        end
        for it in audit.verdicts
        for end in (
            it.margin_reproduced_from,
            it.margin_reproduced_up_to,
            it.margin_contradicted_from,
            it.margin_contradicted_up_to,
        )
        if end
    ]
    return sorted({0.5, 1.0, 3.0, *(max(0.01, end + side) for end in ends for side in (-1e-4, 1e-4))})


def test_a_note_says_what_the_comparator_would_say(audit: Audit, opened: Opened) -> None:
    """At the margins around the flips, each claim's note is the verdict of the comparator at that margin."""
    page = opened(audit)
    found = Lookup(audit)
    flips = set()
    for margin in margins(audit)[::3]:
        page.fill("#margin-number", repr(margin))
        shown = page.evaluate(WHAT_IF)
        for claim in audit.claims:
            verdict = found.verdicts[claim.id]
            expected = (at_margin(audit, claim, margin) if band_of(claim, verdict) else verdict).outcome
            assert shown[found.anchors[claim.id]] == expected, (claim.id, margin)
            if expected != verdict.outcome:
                flips.add(claim.id)
    assert len(flips) > 10


@pytest.mark.parametrize("fragment", ["", "#margin=3"])
def test_no_margin_changes_a_verdict_of_the_page(fragment: str, audit: Audit, opened: Opened) -> None:
    """Counts, marks, titles and verdicts are the audit's; a banner stays, on paper too, and goes."""
    page = opened(audit)
    rest = page.evaluate(REST)
    assert not page.locator("#banner").is_visible()
    page = opened(audit, fragment)
    page.fill("#margin-number", "3")
    assert page.evaluate(REST) == rest
    notes = page.locator(".what-if:not(:empty)")
    assert page.locator("#banner-text").inner_text() == (
        f"What if the margin were 3 points? {notes.count()} of 18 judgements would differ. "
        "The audit’s verdicts stay those on this page."
    )
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert page.evaluate("document.querySelector('#banner').getBoundingClientRect().bottom <= innerHeight")
    page.emulate_media(media="print")
    assert page.locator("#banner").is_visible()
    assert not any(it.is_visible() for it in notes.all())
    page.emulate_media(media="screen")
    page.click("#margin-back")
    assert notes.count() == 0
    assert not page.locator("#banner").is_visible()
    assert page.evaluate("location.href.includes('#')") is False
