"""The page in a real browser: headless Chromium, as Debian has it, driven by Playwright, network off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.record import Audit
from reports.page import html
from tests.browser.chromium import launched


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Skips, with the reason, where there is no browser or nothing to drive it."""
    with launched() as found:
        if isinstance(found, str):
            pytest.skip(found)
        yield found


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`opened(audit, fragment, **context)`: its page, from disk. At the end the page must have asked for
    nothing but itself, written nothing to the console, thrown nothing and opened no dialogue."""
    contexts: list[Any] = []
    seen: list[str] = []

    def open_page(audit: Audit | str, fragment: str = "", **context: Any) -> Any:
        file = tmp_path / f"report-{len(contexts)}.html"
        file.write_text(audit if isinstance(audit, str) else html(audit), encoding="utf-8")
        contexts.append(browser.new_context(offline=True, **context))
        page = contexts[-1].new_page()
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (seen.append("dialogue"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url.startswith(file.as_uri()) else asked(request))
        page.goto(file.as_uri() + fragment)
        return page

    def asked(request: Any) -> None:
        if not request.url.startswith("data:image/svg"):  # the marks of the style sheet
            seen.append(f"request: {request.url[:200]}")

    yield open_page
    for context in contexts:
        context.close()
    assert seen == []
