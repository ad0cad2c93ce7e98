"""The summary on a terminal says what the page says, in the same words."""

from __future__ import annotations

from dataclasses import replace

from audit.record import ReadingVerdict, Verdict
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


def test_what_some_claims_rest_on_stands_behind_them() -> None:
    """In brackets, once for a claim with several metrics."""
    study = sample.study()
    assert not summary(study).startswith("evidence")
    imported = tuple(
        replace(it, protocol="imported") if it.id == "kim_words" else it for it in study.experiments
    )
    lines = summary(replace(study, experiments=imported)).splitlines()
    behind = {line.split()[0]: line.rpartition("   ")[2] for line in lines if line.endswith("]")}
    assert behind["kim_words-value"] == "[imported, not verified here]"
    assert behind["mimic-other-split"] == "[another split]"
    assert "xml_words_eq6-value" not in behind


def test_what_most_claims_rest_on_stands_above_and_the_others_say_theirs() -> None:
    """One printed value of forty claims is imported, on the paper's own data; another one was run on them."""
    study = sample.study("other_data")
    protocols = {"kim_words": "imported", "kim_emb": "chen2022"}
    changed = tuple(replace(it, protocol=protocols.get(it.id, "small")) for it in study.experiments)
    own = tuple(
        replace(v, scope="same_data", reason="straddles_margin", estimate=75.8, p_reproduced=0.5)
        if c.claim in ("kim_words-value", "kim_emb-value")
        else v
        for c, v in zip(study.claims, study.verdicts, strict=True)
    )
    audit = replace(study, experiments=changed, verdicts=own)
    lines = summary(audit).splitlines()
    assert lines[0] == "evidence: stand-in data, reduced protocol, but where another stands in brackets"
    behind = {line.split()[0]: line.rpartition("   ")[2] for line in lines if line.endswith("]")}
    assert behind["kim_words-value"] == "[imported, not verified here]"
    assert behind["kim_emb-value"] == "[as in the paper]"
    assert "xml-cnn-deteriorates" not in behind


def test_what_is_imported_and_on_other_data_says_both() -> None:
    study = sample.study("other_data")
    imported = tuple(replace(it, protocol="imported") for it in study.experiments)
    assert (
        summary(replace(study, experiments=imported)).splitlines()[0]
        == "evidence: stand-in data, imported, not verified here"
    )


def test_nothing_claimed() -> None:
    """An audit without claims has a summary too."""
    assert summary(sample.empty()).strip() == (
        "0 claims: 0 reproduced, 0 contradicted, 0 inconclusive, 0 not tested"
    )


def test_readings_that_do_not_agree_are_counted_under_the_claim() -> None:
    """How many contradict it, and the nearest of their means; nothing where none contradicts."""
    (verdict,) = sample.tiny().verdicts
    off = ReadingVerdict({}, "contradicted", "minimum_effect", (3,), 75.2, 0.4, p_reproduced=1.0)
    near = replace(off, reading={"a": "b"}, outcome="inconclusive", estimate=79.5)
    target = 80.0
    open_ = replace(
        verdict,
        reason="ambiguous_description",
        target=target,
        readings=(off, near, replace(off, reading={"a": "c"}, estimate=82.0)),
        readings_declared=3,
    )
    lines = summary(replace(sample.tiny(), verdicts=(open_,))).splitlines()
    assert lines[1].strip() == "P@1: 2 of 3 readings contradict it, nearest mean 79.50, printed 80.00"
    none = replace(open_, readings=(near,))
    assert summary(replace(sample.tiny(), verdicts=(none,))).splitlines()[1] == ""
