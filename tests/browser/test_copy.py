"""The button beside a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.reports import sample

Opened = Callable[..., Any]
PASTED = "navigator.clipboard.readText()"
FORBIDDEN = "void (navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden')))"


def test_a_command_is_copied_as_it_is(opened: Opened) -> None:
    page = opened(sample.study(), permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("#rerun ~ .command button").first
    button.click()
    page.wait_for_function("document.querySelector('.command button').textContent == 'Copied'")
    assert page.evaluate(PASTED) == sample.study().command


def test_where_the_clipboard_is_closed_the_command_is_marked(opened: Opened) -> None:
    page = opened(sample.study())
    page.evaluate(FORBIDDEN)
    page.locator(".command button").first.click()
    page.wait_for_function("document.querySelector('.command button').textContent.startsWith('Marked')")
    assert page.evaluate("getSelection().toString().trim()") == sample.study().command


def test_without_a_script_there_is_no_button(opened: Opened) -> None:
    page = opened(sample.study(), java_script_enabled=False)
    assert not page.locator(".command button").first.is_visible()
    assert page.locator(".command pre").first.is_visible()
