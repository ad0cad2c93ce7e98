"""What was not checked: counted, with reasons, and nothing that is silently absent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Cell, Finding, Untranscribed
from reports.lookup import lookup
from reports.not_checked import Sentence, not_checked
from reports.render import html
from tests.reports import sample
from tests.reports.markup import parsed


def groups(audit: Audit) -> dict[str, tuple[Sentence, ...]]:
    return {it.title: it.sentences for it in not_checked(lookup(audit))}


@pytest.fixture(scope="module")
def study() -> dict[str, tuple[Sentence, ...]]:
    return groups(sample.study())


def test_claims_are_counted_by_reason(study: dict[str, tuple[Sentence, ...]]) -> None:
    assert [it.text for it in study["Claims"]] == [
        "38 of 40 claims were tested.",
        "1 claim not tested: no run on record.",
        "1 claim not tested: our runs failed, so that nothing speaks to it.",
    ]


def test_a_claim_without_a_verdict_was_not_run() -> None:
    audit = replace(sample.tiny(), verdicts=())
    assert [it.text for it in groups(audit)["Claims"]] == [
        "The one claim was not tested.",
        "1 claim not tested: no run on record.",
    ]


def test_experiments_stand_under_their_reason_most_first() -> None:
    audit = sample.tiny()
    lost = [
        replace(sample.NOT_RUN, id=f"x{k}", title=f"Experiment {k}", not_run=why)
        for k, why in enumerate(["left out.", "no code.", "no code"])
    ]
    found = groups(replace(audit, experiments=(*audit.experiments, *lost)))["Experiments"]
    assert found == (
        Sentence("1 of 4 experiments was run."),
        Sentence("2 experiments: no code.", ("Experiment 1", "Experiment 2")),
        Sentence("1 experiment: left out.", ("Experiment 0",)),
    )


def test_what_was_not_transcribed_is_named() -> None:
    audit = replace(sample.tiny(), missing=(Untranscribed("Figure 2", "drawn without numbers."),))
    assert groups(audit)["Tables and figures"] == (
        Sentence(
            "1 table with 1 printed number is in the claim file; 1 further table or figure of the paper is "
            "not:"
        ),
        Sentence("Figure 2: drawn without numbers."),
    )


def test_numbers_that_nobody_held_against_the_page_are_counted() -> None:
    audit = sample.study()
    tables = (replace(audit.tables[0], verified="A. Reader, 2026-03-01"), *audit.tables[1:])
    cells = [it for table in tables[1:] for row in table.rows for it in row.cells if it.printed is not None]
    every = [it for table in tables for row in table.rows for it in row.cells if it.printed is not None]
    first = groups(replace(audit, tables=tables))["Printed numbers"][0].text
    assert first == (
        f"{len(cells)} of the {len(every)} printed numbers were not yet held against the printed page "
        "(1 table)."
    )
    whole = tuple(replace(it, verified="A. Reader, 2026-03-01") for it in tables)
    assert groups(replace(audit, tables=whole))["Printed numbers"][0].text.startswith("Every printed number")


def test_numbers_without_a_claim_are_counted_by_table() -> None:
    audit = sample.tiny()
    (table,) = audit.tables
    (row,) = table.rows
    more = (Cell("t4.x.y", "1", "own_run"), Cell("t4.x.z", "2", "copied"), Cell("t4.x.w", None, "own_run"))
    wide = replace(table, rows=(replace(row, cells=(*row.cells, *more)),))
    assert groups(replace(audit, tables=(wide,)))["Printed numbers"][-1] == Sentence(
        "1 printed number has no claim about it and 1 is copied from other papers, and not judged as this "
        "paper’s.",
        ("Table 4: 1 without a claim, 1 copied",),
    )


def test_checks_that_could_not_tell_are_counted() -> None:
    findings = (
        *(Finding("granularity", "untestable", (), "x") for _ in range(2)),
        Finding("bounds", "consistent", (), "x"),
    )
    audit = replace(sample.tiny(), findings=findings, papers_beside=("liu2017",))
    assert [it.text for it in groups(audit)["Checks without a run"]] == [
        "Fractions of the test set: 2 checks could not tell from what is printed.",
        "Held against 1 other paper: liu2017. Copies from any other one were not followed.",
    ]


def test_what_the_record_says_besides_is_kept_and_not_repeated() -> None:
    audit = sample.tiny()
    lost = replace(sample.NOT_RUN, title="Mimic", not_run="no code.")
    audit = replace(
        audit,
        experiments=(*audit.experiments, lost),
        not_checked=("Mimic: no code.", "One more.", "One more."),
    )
    assert groups(audit)["Further"] == (Sentence("One more."),)


def test_an_empty_audit_says_that_nothing_was_tested() -> None:
    text = parsed(html(sample.empty())).text
    assert "Nothing was tested." in text
    assert "The claim file states no claim." in text
