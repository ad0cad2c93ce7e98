"""The button beside a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.reports import sample

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]
BOX = "#rerun ~ .command button"
PASTED = "navigator.clipboard.readText()"


def test_a_command_is_copied_as_it_is(opened: Opened) -> None:
    page = opened(sample.study(), permissions=["clipboard-read", "clipboard-write"])
    button = page.locator(BOX).first
    button.click()
    page.wait_for_function(f"document.querySelector('{BOX}').textContent == 'Copied'")
    assert page.evaluate(PASTED) == sample.study().command
