"""One page over several audits: four numbers each, in the order of their folders, and the way to each."""

from __future__ import annotations

import re
from dataclasses import replace

from reports.index import index_page
from reports.page import build
from reports.render import index_html
from tests.reports import sample
from tests.reports.every_kind import every_kind
from tests.reports.markup import parsed


def test_four_numbers_add_up_to_the_claims() -> None:
    shown = index_page([("b", sample.study()), ("a", sample.tiny())])
    assert [row.report for row in shown.rows] == ["a", "b"]
    assert shown.summary == "2 audits of 1 paper"
    for row in shown.rows:
        assert sum(it.count for it in row.counts) == row.total
    study = sample.study()
    counts = {it.status: it.count for it in shown.rows[1].counts}
    assert counts["contradicted"] == sum(it.outcome == "contradicted" for it in study.verdicts)
    assert shown.rows[1].findings == "1 of 2 findings inconsistent"


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
    made = index_html([("a", audit), ("b", sample.empty())])
    assert "script" not in parsed(made).tags()
    assert "<script>alert(1)</script>" in parsed(made).text and "\u202e" not in made


def test_a_count_that_rests_on_stand_in_data_is_grey_and_says_so() -> None:
    """As on the report of that audit, box by box; one on the paper's own data is neither."""
    borrowed = every_kind("other_data")
    for audit in (borrowed, every_kind(), sample.study("other_data"), sample.study()):
        (row,) = index_page([("a", audit)]).rows
        boxes = build(audit).counts
        assert [(it.note, it.borrowed) for it in row.counts] == [(it.note, it.borrowed) for it in boxes]
    markup = parsed(index_html([("a", borrowed)]))
    cells = [e for e in markup.elements if "borrowed" in e.attributes.get("class", "").split()]
    assert [it.tag for it in cells] == ["td", "td"]  # one is contradicted, the rest reproduced
    assert "all on stand-in data" in markup.text
    assert "borrowed" not in " ".join(
        e.attributes.get("class", "") for e in parsed(index_html([("a", every_kind())])).elements
    )
