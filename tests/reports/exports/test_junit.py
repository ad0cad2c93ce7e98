"""The audit as JUnit XML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import given, settings

from audit.record import Audit
from reports.exports import junit
from reports.text import visible
from tests.reports import sample
from tests.reports.exports.hostile import HOSTILE, TEXTS, study_saying

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit.xsd"))


def suites(audit: Audit) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(junit(audit))
    return {suite.get("name", "").partition(": ")[2]: suite for suite in root}


def cases(audit: Audit, of: str = "claims") -> dict[str, ElementTree.Element]:
    return {case.get("name", ""): case for case in suites(audit)[of].iter("testcase")}


@pytest.mark.parametrize("text", HOSTILE)
def test_it_is_of_the_schema_whatever_the_text(text: str) -> None:
    SCHEMA.validate(junit(study_saying(text)))


def test_a_contradiction_is_a_failure_with_the_sentence_of_the_verdict() -> None:
    audit = sample.study()
    failed = {name: it.find("failure") for name, it in cases(audit).items() if it.find("failure") is not None}
    contradicted = [it.claim for it in audit.verdicts if it.outcome == "contradicted"]
    assert list(failed) == contradicted
    failure = failed["xml_emb_eq7-value:P@1".replace("_", "-")]
    assert failure is not None
    assert failure.get("type") == "contradicted"
    said = failure.get("message", "")
    assert said.startswith("One of the 4 departures") and "2.20 points below the printed 75.96" in said
    assert "page 1992" in (failure.text or "")


def test_findings_fail_where_numbers_disagree_and_are_skipped_where_nothing_can_be_told() -> None:
    audit = sample.study()
    unsure = replace(audit.findings[0], id="u", result="untestable", arithmetic="Any count gives it.")
    audit = replace(audit, findings=(*audit.findings, unsure))
    ends = [[child.tag for child in case] for case in suites(audit)["printed numbers"].iter("testcase")]
    assert ends == [["system-out"], ["failure"], ["skipped"]]
    failure = suites(audit)["printed numbers"].find(".//failure")
    assert failure is not None and "No whole number of 3,809 documents" in failure.get("message", "")


def test_the_counts_are_those_of_the_cases() -> None:
    root = ElementTree.fromstring(junit(sample.study()))
    for parent in (root, *root):
        assert parent.get("tests") == str(len(list(parent.iter("testcase"))))
        assert parent.get("failures") == str(len(list(parent.iter("failure"))))
    for suite in root:
        assert suite.get("skipped") == str(len(list(suite.iter("skipped"))))
        assert suite.get("errors") == "0"
    assert root[0].get("timestamp") == "2026-03-01T12:30:11"


def test_an_audit_of_nothing_is_no_green_suite() -> None:
    """Nothing is there that could be taken for passed."""
    root = ElementTree.fromstring(junit(sample.empty()))
    assert (len(root), root.get("tests")) == (0, "0")
    (case,) = cases(sample.untested()).values()
    assert [child.tag for child in case] == ["skipped"]


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_text_comes_back_as_it_is_shown(text: str) -> None:
    audit = study_saying(text)
    reproduced = cases(audit)["kim-words-value:P@1"].find("system-out")
    skipped = cases(audit)["mimic-not-run:P@1"].find("skipped")
    assert reproduced is not None and skipped is not None
    assert (skipped.text or "").startswith(visible(text))
    assert visible(text) in (reproduced.text or "")
