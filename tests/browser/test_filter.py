"""Filter, chips, address and keyboard: what one does with the list of claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from audit.record import Audit
from reports.lookup import Lookup
from reports.sentences import status_of
from tests.browser.makers import hanging
from tests.reports import sample

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]

SHOWN = "[...document.querySelectorAll('.card')].filter(el => el.checkVisibility()).map(el => el.id)"
#: The claim whose line has the focus.
FOCUS = "(document.activeElement.closest('.card') ?? {id: ''}).id"


@pytest.fixture(scope="module")
def audit() -> Audit:
    return hanging()


@pytest.fixture
def page(audit: Audit, opened: Opened) -> Any:
    return opened(audit)


def expected(audit: Audit, test: Callable[[Any, str], bool]) -> set[str]:
    """Anchors of the cards with a claim for which `test(claim, status)` holds."""
    found = Lookup(audit)
    statuses = {it.id: status_of(found.verdicts.get(it.id)) for it in audit.claims}
    return {found.card_anchors[it.id] for it in audit.claims if test(it, statuses[it.id])}


def test_chips_count_and_toggle(page: Any, audit: Audit) -> None:
    """A chip says how many claims it is about, puts its condition into the box, and takes it out again."""
    chip = page.locator("#chips button", has_text="Contradicted")
    wanted = expected(audit, lambda claim, status: status == "contradicted")
    assert chip.inner_text().split() == ["Contradicted", str(len(wanted))]
    chip.click()
    assert page.input_value("#filter") == "v:contradicted"
    assert chip.get_attribute("aria-pressed") == "true"
    assert set(page.evaluate(SHOWN)) == wanted
    page.locator("#chips button", has_text="Reproduced").click()  # the other verdict takes its place
    page.locator("#chips button", has_text="toy two").click()
    assert page.input_value("#filter") == 'v:reproduced d:"toy two"'
    assert set(page.evaluate(SHOWN)) == expected(
        audit, lambda claim, status: status == "reproduced" and claim.dataset == "toy two"
    )
    page.locator("#chips button", has_text="toy two").click()
    page.locator("#chips button", has_text="Reproduced").click()
    assert page.input_value("#filter") == ""
    assert len(page.evaluate(SHOWN)) == len({it.claim for it in audit.claims})


def test_state_is_in_the_address(audit: Audit, opened: Opened) -> None:
    """What was filtered and moved stands in the address, and comes back from there."""
    page = opened(audit)
    page.fill("#filter", 'kind:value "value-a"')
    page.fill("#margin-number", "2.5")
    page.wait_for_timeout(400)
    fragment = page.evaluate("location.hash")
    again = opened(audit, fragment)
    assert again.evaluate(SHOWN) == page.evaluate(SHOWN)
    assert again.input_value("#filter") == 'kind:value "value-a"'
    assert again.input_value("#margin-number") == "2.5"
    again.click("#filter-clear")
    again.click("#margin-back")
    assert again.evaluate("location.href.includes('#')") is False


def test_a_link_opens_its_claim(opened: Opened) -> None:
    """A deep link opens the card and its folds, with the focus, in view, whatever is filtered."""
    page = opened(sample.study(), "#c-kim-words-value-p1")
    card = page.locator(".card", has=page.locator("#c-kim-words-value-p1"))
    assert card.get_attribute("open") is not None
    assert page.evaluate(FOCUS) == card.get_attribute("id")
    page.wait_for_timeout(300)
    assert 0 <= card.bounding_box()["y"] < 500
    page.fill("#filter", "v:contradicted")
    card.wait_for(state="hidden", timeout=5000)
    page.evaluate("location.hash = ''")
    page.evaluate("location.hash = '#c-kim-words-value-p1'")
    card.wait_for(state="visible", timeout=5000)
    page.evaluate("location.hash = '#c-mimic-not-run-p1'")
    page.locator("#c-mimic-not-run-p1").wait_for(state="visible", timeout=5000)


def test_keyboard_alone(page: Any) -> None:
    """Every claim is reached by the keyboard: by the tabulator, by the arrows, and opened by Enter."""
    page.focus("#filter")
    page.keyboard.press("ArrowDown")
    first = page.evaluate(FOCUS)
    assert first == page.evaluate(SHOWN)[0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUS) == page.evaluate(SHOWN)[1]
    page.keyboard.press("ArrowUp")
    state = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is not state
    reached = set()
    page.evaluate("document.activeElement.blur()")
    for _ in range(600):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUS))
        if len(reached - {""}) == len(page.evaluate(SHOWN)):
            break
    assert reached - {""} == set(page.evaluate(SHOWN))
