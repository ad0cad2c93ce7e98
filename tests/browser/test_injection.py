"""Whatever text a record holds, a browser shows it as text: nothing runs, loads or breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from audit.record import Audit
from tests.browser.makers import hanging
from tests.browser.test_browser_page import OPEN_ALL, WIDE
from tests.reports.hostile import HOSTILE
from tests.reports.test_render import filled, whole

pytestmark = pytest.mark.slow

Opened = Callable[..., Any]

BREAKOUT = (
    '</script><script>window.pwned = 1</script><img src="http://127.0.0.1:9/x" onerror="window.pwned = 1">'
)


def named(text: str) -> Audit:
    """Claims, data sets and experiments with the text in their names, and a margin that moves them."""
    audit = hanging()
    claims = tuple(
        replace(it, says=text + it.says, dataset=text + it.dataset, claim=text + it.claim, id=text + it.id)
        for it in audit.claims
    )
    verdicts = tuple(replace(it, claim=text + it.claim, badges=(text,)) for it in audit.verdicts)
    experiments = tuple(replace(it, title=text + it.title) for it in audit.experiments)
    return replace(audit, claims=claims, verdicts=verdicts, experiments=experiments)


@pytest.mark.parametrize("text", [BREAKOUT, *HOSTILE])
def test_nothing_runs(text: str, opened: Opened) -> None:
    """With hostile text in every string and everything open, the page stays quiet and within 360 px. The
    fixture sees to requests, console, errors and dialogues: the policy of the page would complain on the
    console of anything that it had to stop."""
    for audit in (named(text), filled(whole(), text)):
        page = opened(audit, viewport={"width": 360, "height": 740})
        page.evaluate(OPEN_ALL)
        assert page.evaluate("window.pwned") is None
        assert page.evaluate("document.scripts.length") == 2
        assert page.evaluate("document.images.length") == 0
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert page.evaluate(WIDE) == []


def test_the_policy_stops_a_script_that_is_not_ours(opened: Opened, browser: Any, tmp_path: Any) -> None:
    """Were markup ever to get into the page, the browser would not run it."""
    from reports.page import html

    page_text = html(hanging()).replace(
        "<main>", "<main><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
    )
    file = tmp_path / "tampered.html"
    file.write_text(page_text, encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.evaluate("document.scripts.length") == 3
    assert page.evaluate("window.pwned") is None
    assert page.locator("#filter").is_visible()  # ours does run
    context.close()
