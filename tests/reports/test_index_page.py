"""One page over several audits: four numbers each, in the order of their folders, and the way to each."""

from __future__ import annotations

import re
from dataclasses import replace

from reports.index_page import build
from reports.render import index_html
from tests.reports import sample
from tests.reports.markup import parsed


def test_four_numbers_add_up_to_the_claims() -> None:
    page = build([("b", sample.study()), ("a", sample.tiny())])
    assert [row.report for row in page.rows] == ["a", "b"]
    assert page.summary == "2 audits of 1 paper"
    for row in page.rows:
        assert sum(it.count for it in row.counts) == row.total
    study = sample.study()
    counts = {it.status: it.count for it in page.rows[1].counts}
    assert counts["contradicted"] == sum(it.outcome == "contradicted" for it in study.verdicts)
    assert page.rows[1].findings == "1 of 2 findings inconsistent"


def test_links_lead_into_the_folders_and_nowhere_else() -> None:
    """Whatever a folder is called."""
    names = ["a", "javascript:alert(1)", "you2019-my corpus", "../up", "//elsewhere"]
    markup = parsed(index_html([(name, sample.tiny()) for name in names], ["broken"]))
    links = [e.attributes["href"] for e in markup.elements if "href" in e.attributes and e.tag == "a"]
    assert all(re.match(r"\./[^:]*/report\.html$", it) for it in links) and len(links) == len(names)
    assert "./you2019-my%20corpus/report.html" in links
    assert "Not shown, as no audit could be read from it: broken." in markup.text
    assert markup.unclosed == []


def test_a_hostile_title_is_text() -> None:
    audit = sample.tiny()
    audit = replace(audit, paper=replace(audit.paper, title="<script>alert(1)</script>\u202e"))
    page = index_html([("a", audit), ("b", sample.empty())])
    assert "script" not in parsed(page).tags()
    assert "<script>alert(1)</script>" in parsed(page).text and "\u202e" not in page


def test_zero_is_no_mark() -> None:
    """A count of nothing has no icon, so that nothing is green that is not."""
    markup = parsed(index_html([("a", sample.empty()), ("b", sample.untested())]))
    icons = [e for e in markup.elements if "icon" in e.attributes.get("class", "").split()]
    assert {tuple(e.attributes["class"].split()) for e in icons} == {("icon", "not_tested")}
