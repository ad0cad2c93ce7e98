"""Starts the browser: the one that the environment variable CHROMIUM names, or the system's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def launched() -> Iterator[Any]:
    """A Playwright browser, or the reason why there is none."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield "Playwright is not installed: pip install -e '.[browser]'"
        return
    if program is None:
        yield "no Chromium on the path: apt-get install chromium, or name one in CHROMIUM"
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
