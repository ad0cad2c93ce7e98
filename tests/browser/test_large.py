"""Pages of one and of three thousand claims: their size is bounded, their times are printed (`-s`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from reports.render import html
from tests.browser.makers import large

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]

#: Milliseconds from the start to the first paint and to the end of the script.
TIMES = (
    "({paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,"
    " ready: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd})"
)
TYPED = (
    "(async text => { const box = document.querySelector('#filter'); const start = performance.now();"
    " box.value = text; box.dispatchEvent(new Event('input'));"
    " await new Promise(done => setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 125));"
    " return performance.now() - start - 125 })"
)
MOVED = (
    "(async value => { const range = document.querySelector('#margin'); const start = performance.now();"
    " range.value = value; range.dispatchEvent(new Event('input'));"
    " await new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
    " return performance.now() - start })"
)


@pytest.mark.parametrize(("copies", "limit"), [(25, 2_000_000), (75, 6_000_000)])
def test_large_page(copies: int, limit: int, opened: Opened) -> None:
    """All claims are there, below the limit in bytes; filter, margin and order work as on a small page."""
    audit = large(copies)
    start = time.perf_counter()
    text = html(audit)
    rendered = time.perf_counter() - start
    size = len(text.encode())
    page = opened(text, viewport={"width": 1000, "height": 900})
    page.wait_for_timeout(300)
    times = page.evaluate(TIMES)
    claims = page.locator(".card").count()
    assert claims == len(audit.claims) == 40 * copies
    filtered = page.evaluate(f"{TYPED}('kim kind:value')")
    assert page.locator("#shown").inner_text().startswith(f"{6 * copies} of")
    moved = page.evaluate(f"{MOVED}(2)")
    page.evaluate(f"{TYPED}('')")
    start = time.perf_counter()
    page.select_option("#sort", "flip")
    ordered = 1000 * (time.perf_counter() - start)
    print(
        f"\n{claims} claims: {size / 1e6:.2f} MB, {size / claims:.0f} bytes a claim, in {rendered:.2f} s; "
        f"first paint {times['paint']:.0f} ms, ready {times['ready']:.0f} ms, filter {filtered:.0f} ms, "
        f"margin {moved:.0f} ms, order {ordered:.0f} ms"
    )
    assert size < limit


def test_a_large_page_draws_some_plots_and_says_so(opened: Opened) -> None:
    page = opened(large(20), java_script_enabled=False)
    assert page.locator(".card").count() == 800
    assert page.get_by_text("This page is large").is_visible()
    assert page.locator(".card.contradicted svg.plot").first.is_visible()
