"""The page as a browser shows it: whole, quiet, narrow, printed, without its script, to a screen reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from audit.record import Audit, audit_from_json
from tests.browser.makers import hanging
from tests.reports import sample

Opened = Callable[..., Any]


def with_everything() -> Audit:
    """With all that only some have: readings, split columns, curves, six margins."""
    folder = Path(__file__).parents[1] / "reports" / "audits"
    return audit_from_json((folder / "13-everything.json").read_text(encoding="utf-8"))


AUDITS: dict[str, Callable[[], Audit]] = {
    "study": sample.study,
    "stand-in": lambda: sample.study("other_data"),
    "hanging": hanging,
    "everything": with_everything,
    "empty": sample.empty,
    "untested": sample.untested,
}
OPEN_ALL = "document.querySelectorAll('details').forEach(el => { el.open = true })"
#: What sticks out to the right, other than within a box that scrolls by itself.
WIDE = (
    "[...document.querySelectorAll('body *')].filter(el => el.getBoundingClientRect().right > innerWidth + 1"
    " && !el.closest('.scroll') && !el.closest('pre')).map(el => el.outerHTML.slice(0, 120))"
)
#: A claim far down is laid out only when it comes into view; what is cut there is not seen to be wide.
LAID_OUT = ".card { content-visibility: visible !important }"


@pytest.mark.parametrize("name", AUDITS)
def test_opens_from_disk_without_network_or_complaint(name: str, opened: Opened) -> None:
    """Each page opens from disk with the network off; the fixture sees to console, errors and requests."""
    page = opened(AUDITS[name]())
    page.evaluate(OPEN_ALL)
    page.wait_for_timeout(100)
    assert page.locator("h1").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("name", AUDITS)
def test_no_horizontal_scroll_on_a_phone(name: str, opened: Opened) -> None:
    """At 360 pixels nothing sticks out, with every fold and card open."""
    page = opened(AUDITS[name](), viewport={"width": 360, "height": 740})
    page.evaluate(OPEN_ALL)
    page.add_style_tag(content=LAID_OUT)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(WIDE) == []


@pytest.mark.slow
def test_first_screen_in_order(opened: Opened) -> None:
    """Title, four numbers, primary claims, what they rest on, overview, margin, claims, downwards."""
    page = opened(sample.study())
    places = ["h1", ".counts", ".headline", "#ground", "#overview", "#margin", "#filter", ".card"]
    tops = [page.locator(place).first.bounding_box()["y"] for place in places]
    assert tops == sorted(tops)


def test_whole_without_script(opened: Opened) -> None:
    """With JavaScript off every claim, number and plot is there, no control is, and links open cards."""
    page = opened(sample.study(), "#c-kim-words-value-p1", java_script_enabled=False)
    assert page.locator(".row").count() == 40
    assert not any(it.is_visible() for it in page.locator("[data-script]").all())
    card = page.locator(".card", has=page.locator("#c-kim-words-value-p1"))
    assert card.locator("svg.plot").is_visible()
    assert "75.78 ± 0.06" in card.inner_text()
    assert page.get_by_text("The margins that were fixed, and why").is_visible()


@pytest.mark.slow
def test_prints(opened: Opened, tmp_path: Path) -> None:
    """Printed is a summary of two sheets; of all, where that is asked for, the controls are gone, primary
    claims and folds are open, the others a line each."""
    page, file = opened(sample.study()), tmp_path / "report.pdf"
    page.pdf(path=str(file), format="A4")
    assert 1 <= len(re.findall(rb"/Type /Page\b", file.read_bytes())) <= 2
    page.get_by_label("print all of this").check()
    page.emulate_media(media="print")
    for gone in ("#filter", "#margin", ".rail", "#flips", "#margin-number", "nav", "#chips"):
        assert not page.locator(gone).is_visible()
    shown = "getComputedStyle(document.querySelector('{}'), '::details-content').contentVisibility"
    assert not page.get_by_text("The slider shows what").is_visible()
    assert page.get_by_text("They were fixed").is_visible()
    for unfolded in (".fold", ".listed"):
        assert page.evaluate(shown.format(unfolded)) == "visible", unfolded
    assert page.evaluate(shown.format(".card:not([data-p]):not(.contradicted)")) == "hidden"
    for name in ("reproduced", "contradicted", "inconclusive", "not_tested"):
        mask = f"getComputedStyle(document.querySelector('.chip.{name}'), '::before').maskImage"
        assert "svg" in page.evaluate(mask)
    page.pdf(path=str(file), format="A4")
    assert file.read_bytes().startswith(b"%PDF")
    assert file.stat().st_size > 50_000


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["everything", "stand-in", "untested"])
def test_no_serious_violation_by_axe(name: str, width: int, scheme: str, opened: Opened) -> None:
    """axe-core finds nothing serious or critical, with everything open, narrow and wide, light and dark."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-core is not installed: pip install -e '.[browser]'")
    source = (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    page = opened(AUDITS[name](), color_scheme=scheme, viewport={"width": width, "height": 800})
    page.evaluate(OPEN_ALL)
    page.add_style_tag(
        content=LAID_OUT + ".scroll, .copied { background: none !important }"
    )  # else no contrast
    page.evaluate(source)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    serious = [it for it in found["violations"] if it["impact"] in ("serious", "critical")]
    told = [{"id": it["id"], "nodes": [node["html"][:200] for node in it["nodes"][:3]]} for it in serious]
    assert not serious, json.dumps(told, indent=1)
