"""One page over several audits: four numbers each, in the order of their folders, and the way to each."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from audit.record import Scope
from reports.index import index_page, rests_on
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


def test_zero_is_no_mark() -> None:
    """A count of nothing has no icon, so that nothing is green that is not."""
    markup = parsed(index_html([("a", sample.empty()), ("b", sample.untested())]))
    icons = [e for e in markup.elements if "icon" in e.attributes.get("class", "").split()]
    assert {tuple(e.attributes["class"].split()) for e in icons} == {("icon", "not_tested")}


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


def test_a_row_says_whose_data_and_whether_the_protocol_was_reduced() -> None:
    audit = every_kind()
    assert index_page([("a", audit)]).rows[0].rests_on == "the paper’s own data"
    assert index_page([("a", sample.empty())]).rows[0].rests_on == "nothing was judged"
    small = tuple(
        replace(it, protocol="kinds-small") if it.id == "b" else it
        for it in every_kind("other_data").experiments
    )
    (row,) = index_page([("a", replace(every_kind("other_data"), experiments=small))]).rows
    # of the twelve, the value and the gap are of printed numbers and so not judged; b is an arm of seven
    assert row.rests_on == "stand-in data; reduced protocol for 7 of 10"
    assert (
        row.rests_on
        in parsed(
            index_html([("a", replace(audit, experiments=small, verdicts=every_kind("other_data").verdicts))])
        ).text
    )


@pytest.mark.parametrize(
    ("scopes", "reduced", "said"),
    [
        (["other_data"] * 3, 3, "stand-in data; reduced protocol"),
        (["same_data"], 0, "the paper’s own data"),
        (
            ["other_split", "other_data", "other_data"],
            0,
            "stand-in data for 2 of 3, another split for 1",
        ),
        ([], 0, "nothing was judged"),
    ],
)
def test_what_the_judged_claims_rest_on(scopes: list[Scope | None], reduced: int, said: str) -> None:
    assert rests_on(scopes, reduced=reduced, imported=0) == said


def test_not_tested_is_told_in_full() -> None:
    text = parsed(index_html([("a", sample.tiny())])).text
    assert "or that was run only on other data than its printed value is about, or whose runs failed" in text
