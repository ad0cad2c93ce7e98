"""The page as HTML: safe with any text, whole in one file, the same bytes every time, readable by all."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.record import Audit, AuthorResponse, Settling, Untranscribed, audit_from_json, to_json
from reports.page import _linked, html
from tests.reports import sample
from tests.reports.hostile import HOSTILE
from tests.reports.markup import Markup, parsed
from tests.reports.test_approved import GOLDEN

TEMPLATES = Path(__file__).parents[2] / "reports" / "templates"
STYLE = "".join((TEMPLATES / name).read_text() for name in ("plot.css", "style.css"))
AUDITS = {
    "study": sample.study,
    "stand-in": lambda: sample.study("other_data"),
    "tiny": sample.tiny,
    "empty": sample.empty,
    "untested": sample.untested,
}


@pytest.fixture(scope="module", params=AUDITS)
def page(request: pytest.FixtureRequest) -> str:
    return html(AUDITS[request.param]())


def test_golden_page() -> None:
    """The page of the tiny audit is the one on record; `test_approved` as a program writes it anew."""
    ours = html(sample.tiny())
    golden = GOLDEN.read_bytes().decode()
    if ours != golden:
        diff = difflib.unified_diff(golden.splitlines(), ours.splitlines(), "golden", "now", lineterm="", n=1)
        pytest.fail("\n".join([*diff, "renew with: python -m tests.reports.test_approved"]), pytrace=False)


def test_same_record_same_bytes() -> None:
    """Another process with another hash seed, reading the record from JSON, writes the same bytes."""
    code = (
        "import sys; from audit.record import audit_from_json; from reports.page import html; "
        "sys.stdout.buffer.write(html(audit_from_json(sys.stdin.buffer.read().decode())).encode())"
    )
    record = to_json(sample.study())
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            input=record.encode(),
            capture_output=True,
            check=True,
            env=environment,
        ).stdout
        for environment in ({"PYTHONHASHSEED": "1", "TZ": "UTC"}, {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"})
    ]
    assert outputs[0] == outputs[1] == html(audit_from_json(record)).encode()


#: Fields whose values come from a fixed set, which a record that was read from JSON cannot break.
FIXED = {"outcome", "reason", "status", "scope", "source", "result", "kind", "curve"}


def filled(value: Any, text: str, name: str = "") -> Any:
    """The same record with `text` put into every string, keys of mappings and ids included."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return replace(value, **{key: filled(item, text, key) for key, item in fields.items()})
    if isinstance(value, str):
        return value if name in FIXED else text + value
    if isinstance(value, tuple):
        return tuple(filled(item, text, name) for item in value)
    if isinstance(value, Mapping):
        return {key if name in FIXED else text + key: filled(item, text, name) for key, item in value.items()}
    return value


def whole() -> Audit:
    """The tiny audit with every optional text there is."""
    audit = sample.tiny()
    study = sample.study()
    paper = replace(study.paper, key="chen2022")
    findings = tuple(
        replace(it, detail="In full.", note="As it stands.", says="A sentence.", power=0.6, claim=None)
        for it in (*study.findings, *study.findings, *study.findings)
    )
    curve = tuple({"epoch": float(k), "loss": 1.0 / k, "P@1": 70.0 + k} for k in (1, 2, 3))
    (kim,) = audit.experiments
    kim = replace(kim, runs=tuple(replace(run, curve=curve) for run in kim.runs))
    other = replace(kim, id="kim_other", title="Another", reading={"pooling": "max"})
    lost = replace(sample.NOT_RUN, id="lost")
    return replace(
        audit,
        paper=paper,
        command="audit judge claims/chen2022.yaml",  # text before `audit run` would make it another command
        experiments=(kim, other, lost),
        findings=findings,
        tables=study.tables,
        not_checked=("Left out.",),
        missing=(Untranscribed("Table 7", "too faint"),),
        transcription="text extracted from the PDF",
        papers_beside=("other2019",),
        author_response=AuthorResponse("2026-03-01", "2026-03-09", "We agree.", "none"),
        margins_superseded={"abc": "a slip"},
        margins_grown={"def": ("kim-words:P@1",)},
        settling={audit.claims[0].id: Settling("6 seeds", (6, 7), (8, 9), 6, {"kim": 3}, 60.0, "CPU")},
    )


def drawn(text: str) -> str:
    """The page with `text` everywhere."""
    return html(filled(whole(), text))


@pytest.fixture(scope="module")
def plain() -> Markup:
    return parsed(drawn("p "))


@pytest.mark.parametrize("text", [it for it in HOSTILE if "`" not in it])  # which is code by right
def test_no_text_becomes_markup(plain: Markup, text: str) -> None:
    """With hostile text in every string of the record, the page has the elements that it had before."""
    hostile = parsed(drawn(text))
    assert hostile.unclosed == []
    assert not any(name.startswith("on") for _, name in hostile.attribute_names())
    for page in (hostile, plain):  # in plots a long name has two lines
        page.elements = [element for element in page.elements if element.tag != "text"]
    assert hostile.tags() == plain.tags()
    assert hostile.attribute_names() == plain.attribute_names()


#: A link loads nothing; only a click follows it.
LEADS_OUT = {("a", "href")}


def test_only_addresses_of_the_web_are_links() -> None:
    """The paper's and its code's, without the commit; no other scheme, nothing that ends the attribute."""
    known = {"url": "https://a.org/p.pdf", "code_url": "http://b.org/c_d", "code_commit": "e1"}
    paper = replace(sample.tiny().paper, **known)
    links = [
        it.attributes["href"]
        for it in parsed(html(replace(sample.tiny(), paper=paper))).elements
        if it.attributes.get("rel")
    ]
    assert links == ["https://a.org/p.pdf", "http://b.org/c_d"]
    for text in ("javascript:alert(1)", "ftp://a.org", "file:///etc/passwd", "https:///", "data:text/html,x"):
        assert "<a" not in _linked(text)
    assert _linked('https://a.org/"onclick=x') == (
        '<a href="https://a.org/" rel="noreferrer">https://a.org/</a>&#34;onclick=x'
    )


def test_nothing_is_loaded(page: str) -> None:
    """No other file is asked for: no URL in an attribute or in the style but the marks, drawn in place, and
    what one may follow: an address of the web, seen as it is, that is not told where he comes from."""
    markup = parsed(page)
    assert markup.unclosed == []
    assert {"link", "img", "iframe", "object"}.isdisjoint(markup.tags())
    for element in markup.elements:
        for name in ("href", "src", "xlink:href", "action", "data"):
            if (element.tag, name) not in LEADS_OUT:
                assert element.attributes.get(name, "#").startswith("#"), element
        if element.tag == "a" and not element.attributes["href"].startswith("#"):
            assert re.fullmatch("https?://[!-~]+", element.attributes["href"])
            assert element.attributes["rel"] == "noreferrer"
            assert element.text == element.attributes["href"]
    assert not re.search(r'url\((?!"data:image/svg)|@import|expression\(', STYLE)


def test_one_script_of_ours_runs(page: str) -> None:
    """The page's policy lets run what has the digest of our script, and no attribute holds a handler."""
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [attributes for attributes, _ in scripts if "json" not in attributes] == [""]
    code = scripts[-1][1]
    assert code == (TEMPLATES / "report.js").read_text()
    digest = b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in page
    assert f"script-src &#39;sha256-{digest}&#39;;" in page
    assert not any(name.startswith("on") for _, name in parsed(page).attribute_names())


TEXT = ("ink", "soft", "link")
MARKS = ("reproduced", "contradicted", "inconclusive", "not_tested")


def palettes() -> dict[str, dict[str, str]]:
    """The colours of light, dark and print, each laid over light."""
    blocks = re.findall(r":root \{([^}]*--reproduced.*?)\}", STYLE, re.DOTALL)
    assert len(blocks) == 3
    values = [dict(re.findall(r"--([\w]+): (#[0-9a-f]{3,6})", block)) for block in blocks]
    return {"light": values[0], "dark": values[0] | values[1], "print": values[0] | values[2]}


def luminance(colour: str) -> float:
    """Relative luminance of sRGB (WCAG 2.2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * d for d in colour[1:])
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["light", "dark", "print"])
def test_contrast(name: str) -> None:
    """All text, and all status marks, stand out by 4.5 at least from every ground they may stand on."""
    colours = palettes()[name]
    for ground in ("paper", "raised", "hatch"):
        for ink in TEXT:
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for mark in MARKS:
        assert contrast(colours[mark], colours["paper"]) >= 4.5, mark
    assert contrast(colours["ink"], colours["band"]) >= 4.5
