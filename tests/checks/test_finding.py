"""A finding names its paper, check and subject, and says whether its cells were held against the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit import checks
from audit.checks.finding import finding
from audit.checks.identities import bounds
from audit.record import untested
from tests.checks.made import data_set, paper, table


def test_findings_come_by_paper_then_check_and_those_across_papers_last() -> None:
    """Two papers with a bounds finding each; they print the same collection."""
    first = paper(table(["P@1"], {"a": ["120"]}), key="one", datasets=[data_set(test="50")])
    second = replace(first, paper=replace(first.paper, key="two"))
    found = [it.id for it in checks.all_findings([first, second])]
    assert found == [
        "one:bounds:t.a.P@1",
        "two:bounds:t.a.P@1",
        "one:granularity:eurlex",
        "two:granularity:eurlex",
        "across:statistics:eurlex-4k.test",
    ]


def test_a_table_is_tested_where_a_check_could_tell_something_of_a_number() -> None:
    tables = [table(["P@1"], {"a": ["76.38"]}, id=name) for name in ("seen", "open", "bare")]
    sheet = paper(*tables)
    found = [
        finding(sheet, "bounds", result, [sheet.numbers[f"{name}.a.P@1"]], "")
        for name, result in (("seen", "consistent"), ("open", "untestable"))
    ]
    assert untested(sheet.tables, found) == ("open", "bare")


def test_findings_of_one_name_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKS", (bounds, bounds))
    found = checks.all_findings([paper(table(["P@1"], {"a": ["120.00"]}))])
    assert [it.id for it in found if it.check == "bounds"] == ["toy:bounds:t.a.P@1", "toy:bounds:t.a.P@1#2"]
