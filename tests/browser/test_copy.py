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


def test_the_command_of_a_claim_is_copied_whole(opened: Opened) -> None:
    audit = sample.study()
    page = opened(audit, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("document.querySelectorAll('#list details').forEach(el => { el.open = true })")
    page.locator("#list [data-copy]").first.click()
    page.wait_for_function("document.querySelector('#list [data-copy]').textContent == 'Copied'")
    pasted = page.evaluate(PASTED)
    assert pasted.startswith(f"{audit.command} --only ")
    assert pasted.rpartition(" ")[2] in {it.claim for it in audit.claims}
