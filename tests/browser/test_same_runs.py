"""Claims that rest on the runs of another one: found, counted, re-judged and led to as all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reports.lookup import lookup
from tests.reports.test_rerun import OTHERS, SWEEP, stood_in

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]
COUNTS = "[...document.querySelectorAll('.counts b')].map(el => Number(el.textContent))"


def test_they_are_filtered_and_counted(opened: Opened) -> None:
    """By verdict, data set and word; headings without a claim below them are not shown."""
    page = opened(stood_in())
    assert page.locator(".card").count() == 9
    assert page.evaluate(COUNTS) == [6, 0, 3, 0]
    page.fill("#filter", f"v:reproduced d:{OTHERS[1]}")
    page.wait_for_timeout(300)
    assert page.locator("#shown").inner_text().startswith("3 of 9")
    assert page.locator(".card.again:visible").count() == 3
    assert not page.locator("[data-heads]").first.is_visible()
    page.fill("#filter", "")
    page.wait_for_timeout(300)
    assert page.locator("[data-heads]").first.is_visible()


def test_its_own_link_leads_to_its_line(opened: Opened) -> None:
    """The fold opens, and the line's link to the full entry has the focus."""
    audit = stood_in()
    anchor = lookup(audit).anchors[f"{SWEEP}-{OTHERS[0]}:P@3"]
    page = opened(audit, f"#{anchor}")
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.matches('.again a')")
    line = page.locator(f"#{anchor}")
    assert line.is_visible()
    line.locator("a").click()
    told = lookup(audit).anchors[f"{SWEEP}:P@3"]
    page.wait_for_timeout(300)
    assert page.evaluate(f"document.activeElement.parentNode.querySelector('#{told}') !== null")
