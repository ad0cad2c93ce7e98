"""The margin slider: every claim judged anew in the page, as the comparator would judge it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from audit.record import Audit, Margin
from reports.lookup import lookup
from reports.rejudging import movable
from reports.render import html
from tests.browser.makers import at_margin, hanging, judged

Opened = Callable[..., Any]

STATUSES = (
    "Object.fromEntries([...document.querySelectorAll('.card')]"
    ".map(el => [el.querySelector('.body').id, el.querySelector('.chip').textContent]))"
)
MARKS = (
    "[...document.querySelectorAll('.headline a.chip')]"
    ".map(a => [a.hash.slice(1), a.querySelector('.w').textContent, a.className])"
)
COUNTS = "[...document.querySelectorAll('.counts b')].map(el => Number(el.textContent))"


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


def test_the_record_has_what_the_test_is_about(audit: Audit) -> None:
    """All three outcomes, many that the margin can move, one whose model may contradict nothing."""
    assert {it.outcome for it in audit.verdicts} == {"reproduced", "contradicted", "inconclusive"}
    assert any(it.reason == "unverified_reimplementation" for it in audit.verdicts)
    verdicts = {it.claim: it for it in audit.verdicts}
    assert sum(movable(claim, verdicts[claim.id]) for claim in audit.claims) == 22


def test_the_page_judges_as_the_comparator_does(audit: Audit, opened: Opened) -> None:
    """At the margins around the flips, each claim has in the page the verdict of the comparator."""
    page = opened(audit)
    found = lookup(audit)
    chosen = margins(audit)[::3]
    flips = set()
    for margin in chosen:
        page.fill("#margin-number", repr(margin))
        shown = page.evaluate(STATUSES)
        for claim in audit.claims:
            verdict = found.verdicts[claim.id]
            expected = (at_margin(audit, claim, margin) if movable(claim, verdict) else verdict).outcome
            assert shown[found.anchors[claim.id]].lower() == expected, (claim.id, margin)
            if expected != verdict.outcome:
                flips.add(claim.id)
    assert len(flips) > 10


def test_the_page_says_what_moving_all_margins_at_once_may_do(audit: Audit) -> None:
    """The comparator at one margin for all claims corrects for all of them together. Where it then differs
    from the page, one of the two is inconclusive, it happens to few, and the page says that it can."""
    found = lookup(audit)
    apart = 0
    for margin in (0.25, 0.5, 0.75, 1.0, 2.0, 5.0):
        moved = [replace(it, margin=it.margin and Margin(margin, "moved", "")) for it in audit.claims]
        for claim, jointly in zip(audit.claims, judged(audit, moved), strict=True):
            if movable(claim, found.verdicts[claim.id]):
                alone = at_margin(audit, claim, margin)
                apart += jointly.outcome != alone.outcome
                assert jointly.outcome == alone.outcome or "inconclusive" in (jointly.outcome, alone.outcome)
    assert 0 < apart < 5
    assert "moving the margins of all at once could turn a few near their limit" in html(audit)


def test_the_fixed_margins_stay_in_view_and_come_back(audit: Audit, opened: Opened) -> None:
    """Flips are counted, moved claims say what they were, and a button brings all back."""
    page = opened(audit)
    before, counts = page.evaluate(STATUSES), page.evaluate(COUNTS)
    assert page.locator("#flips").inner_text() == "All verdicts are those at the margins that were fixed."
    assert page.locator("#margin-back").is_disabled()
    page.fill("#margin-number", "3")
    after = page.evaluate(STATUSES)
    flipped = [name for name in before if before[name] != after[name]]
    assert page.locator("#flips").inner_text() == (
        f"At 3 points, {len(flipped)} of 22 claims would have another verdict than at the fixed margins."
    )
    assert page.locator(".was:not(:empty)").count() == len(flipped)
    body = page.locator(f"#{flipped[0]}")
    was = body.locator("xpath=../summary//i[@class='was']").text_content()
    assert was == f"was {before[flipped[0]].lower()}"
    assert [tick.inner_text() for tick in page.locator(".ticks li").all()] == [
        "0.50 (16 claims)",
        "1.00 (6 claims)",
    ]
    assert sum(page.evaluate(COUNTS)) == len(audit.claims)
    assert page.evaluate(COUNTS) != counts
    page.click("#margin-back")
    assert page.evaluate(STATUSES) == before
    assert page.evaluate(COUNTS) == counts
    assert page.locator(".was:not(:empty)").count() == 0


#: The places of the labels' text, of the thing they belong to, and of their marks.
LABELS = (
    "[...document.querySelectorAll('.ticks li')].map(el => { const text = document.createRange();"
    " text.selectNodeContents(el); const at = text.getBoundingClientRect();"
    " return [at.left, at.top, at.right, at.bottom, el.getBoundingClientRect().left] })"
)


@pytest.mark.parametrize("width", [360, 1280])
def test_no_label_of_a_margin_runs_into_another(width: int, audit: Audit, opened: Opened) -> None:
    """With six margins near each other: labels apart, no mark through a label, all inside the box."""
    near = (0.5, 0.55, 0.6, 1.0, 1.5, 2.0)
    claims = tuple(
        replace(it, margin=it.margin and Margin(near[k % len(near)], "field", "usual"))
        for k, it in enumerate(audit.claims)
    )
    moved = replace(audit, claims=claims, verdicts=judged(audit, claims))
    page = opened(moved, viewport={"width": width, "height": 900})
    boxes = page.evaluate(LABELS)
    assert len(boxes) == 6
    for k, (left, top, right, bottom, _) in enumerate(boxes):
        for other_left, other_top, other_right, other_bottom, mark in boxes[k + 1 :]:
            assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
            passes = other_top >= top  # its mark goes down past this label, or ends beside it
            assert not (passes and left < mark < right)
    box = page.locator(".margin").bounding_box()
    note = page.locator("#flips").bounding_box()
    assert max(it[2] for it in boxes) <= box["x"] + box["width"]
    assert max(it[3] for it in boxes) <= note["y"]


def test_the_slider_moves_by_keys_and_marks_follow(audit: Audit, opened: Opened) -> None:
    """The marks beside the primary claims, which lead to their cards, have the verdicts of the cards."""
    page = opened(audit)
    page.focus("#margin")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("Number(document.querySelector('#margin').value)") > 0.5
    page.fill("#margin-number", "3")
    marks = page.evaluate(MARKS)
    shown = page.evaluate(STATUSES)
    assert len(marks) == 3
    for anchor, word, classes in marks:
        assert word == shown[anchor]
        assert classes == f"chip {word.lower()}"


def test_a_moved_claim_has_no_reason_that_is_past(audit: Audit, opened: Opened) -> None:
    """Its reason and its heading say that they are those at the fixed margin, until it is back there."""
    page = opened(audit)
    rows, heads = page.locator(".what").all_text_contents(), page.locator(".group h3").all_text_contents()
    page.fill("#margin-number", "3")
    moved = [it for it in page.locator(".what").all_text_contents() if "was " in it]
    assert moved
    assert all(" at the fixed margin: " in it and " was " in it for it in moved)
    away = sum(
        int(it.split(", ")[1].split()[0])
        for it in page.locator(".group :is(h3, h4)").all_text_contents()
        if "at the fixed margins, " in it
    )
    assert away == len(moved)
    page.select_option("#sort", "name")
    page.click("#margin-back")
    page.select_option("#sort", "eye")
    assert [it.strip() for it in page.locator(".what").all_text_contents()] == [it.strip() for it in rows]
    assert page.locator(".group h3").all_text_contents() == heads


@pytest.mark.parametrize("text", ["0", "-1", "101"])
def test_a_margin_that_is_not_taken_is_named(text: str, audit: Audit, opened: Opened) -> None:
    """What is out of reach changes nothing, and it is said what is taken."""
    page = opened(audit)
    page.fill("#margin-number", text)
    assert page.locator("#flips").inner_text() == (
        "All verdicts are those at the margins that were fixed. "
        f"“{text}” is not taken: a margin is above 0 and at most 100 points."
    )
    page.fill("#margin-number", "1")
    assert page.locator("#flips").inner_text().startswith("At 1 point, ")
    page.fill("#margin-number", "100")
    assert "The slider ends at " in page.locator("#flips").inner_text()


def test_a_margin_in_the_address(audit: Audit, opened: Opened) -> None:
    """The address holds the margin, and opens at it; nonsense there is no margin."""
    page = opened(audit, "#margin=3")
    assert "At 3 points" in page.locator("#flips").inner_text()
    for nonsense in ("abc", "-1", "1e9", "NaN", ""):
        page = opened(audit, f"#margin={nonsense}")
        assert page.locator("#flips").inner_text().startswith("All verdicts are those")
