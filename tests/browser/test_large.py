"""Pages of one and of three thousand claims: their size is bounded, and they work as small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reports.page import html
from tests.browser.makers import large

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]


@pytest.mark.parametrize(("copies", "limit"), [(25, 2_100_000), (75, 6_000_000)])
def test_large_page(copies: int, limit: int, opened: Opened) -> None:
    """All claims are there, below the limit in bytes; the filter works, and some plots are drawn."""
    text = html(large(copies))
    assert len(text.encode()) < limit
    page = opened(text, viewport={"width": 1000, "height": 900})
    assert page.locator(".row").count() == 40 * copies
    assert page.get_by_text("This page is large").is_visible()
    page.fill("#filter", "kim kind:value")
    page.wait_for_timeout(500)
    assert page.locator("#shown").inner_text().startswith(f"{2 * copies} of")
