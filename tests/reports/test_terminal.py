"""The summary on a terminal says what the page says, in the same words."""

from __future__ import annotations

from dataclasses import replace

from audit.record import Verdict
from reports.page import build
from reports.terminal import summary
from tests.reports import sample


def test_summary_counts_as_the_page_does() -> None:
    """The last line has the four numbers of the page, whatever the data."""
    for audit in (sample.study(), sample.study("other_data"), sample.untested()):
        boxes = {box.status: f"{box.count} {box.word.lower()}" for box in build(audit).counts}
        last = summary(audit).splitlines()[-1]
        assert last.partition(": ")[2] == ", ".join(boxes.values())


def test_values_on_other_data_are_not_tested() -> None:
    """What a stand-in corpus cannot judge is told as not tested, in the sentence of the page."""
    audit = sample.study("other_data")
    lines = summary(audit).splitlines()
    assert "18 claims not tested: not judged on other data than the paper’s." in lines
    assert lines[-1].startswith("40 claims: ")
    assert lines[-1].endswith(", 20 not tested")
    groups = build(audit).sections.not_checked
    told = [
        it.text
        for group in groups
        for it in group.sentences
        if it.text.startswith(("1 claim ", "18 claims "))
    ]
    assert len(told) == 3 and set(told) <= set(lines)


def test_one_claim_is_not_several() -> None:
    """A single claim is counted as one, with its mark and its mean."""
    (verdict,) = sample.tiny().verdicts
    assert summary(sample.tiny()).splitlines() == [
        "kim-words  ◐ P@1 75.20",
        "",
        "1 claim: 0 reproduced, 0 contradicted, 1 inconclusive, 0 not tested",
    ]
    failed = replace(sample.tiny(), verdicts=(Verdict(verdict.claim, "inconclusive", "run_failed"),))
    assert (
        summary(failed).splitlines()[0]
        == "1 claim not tested: our runs failed, so that nothing speaks to it."
    )


def test_what_all_claims_rest_on_stands_above_them() -> None:
    """A contradiction on made data by a reduced protocol must not read as one on the paper's own."""
    study = sample.study("other_data")
    small = tuple(replace(it, protocol="small") for it in study.experiments)
    lines = summary(replace(study, experiments=small)).splitlines()
    assert lines[0] == "evidence: stand-in data, reduced protocol"
    assert not any("[" in line for line in lines)
    slow = tuple(replace(it, protocol="you2019-code-small") for it in study.experiments)
    assert summary(replace(study, experiments=slow)).splitlines()[0] == lines[0]
