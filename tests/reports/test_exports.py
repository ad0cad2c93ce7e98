"""What is written beside the page: CSV, Markdown, JUnit XML, LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import given, settings
from markdown_it import MarkdownIt

from audit.record import Audit
from reports.exports import (
    LINES,
    claims_csv,
    guarded,
    junit,
    latex,
    markdown_summary,
    md_code,
    md_escape,
    summary,
    tex_escape,
)
from reports.page import html
from reports.text import visible
from tests.reports import sample
from tests.reports.hostile import HOSTILE, TEXTS, study_saying


def unguarded(cell: str) -> str:
    """What a reader of the CSV takes for the text: the apostrophe before a formula is the guard."""
    return cell[1:] if guarded(cell[1:]) == cell else cell


STUDY = sample.study()


@pytest.mark.parametrize(
    ("escape", "text", "shown"),
    [
        *(
            (guarded, it, it)
            for it in ("-0.62", "+1.5", "-1e-05", "-3", "75.83", "plain", "a=b", "P@1", "'q'", "")
        ),
        (md_escape, "<b>x</b>", r"\<b\>x\</b\>"),
        (md_escape, "[x](y) ![z]", r"\[x\](y) \!\[z\]"),
        (md_escape, "two\nlines", "two lines"),
        (tex_escape, r"\input{x}", r"\textbackslash{}input\textbraceleft{}x\textbraceright{}"),
        (tex_escape, "“Kim’s”", "``Kim's''"),
    ],
)
def test_signs_by_hand(escape: Callable[[str], str], text: str, shown: str) -> None:
    assert escape(text) == shown


def rows(audit: Audit) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(claims_csv(audit), newline="")))


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_text_comes_back_as_it_is_shown(text: str) -> None:
    """What no file can hold, and what steers its neighbours, is written out; no cell is a formula."""
    assert unguarded(guarded(text)) == text
    audit = study_saying(text)
    for row, claim in zip(rows(audit), audit.claims, strict=True):
        assert unguarded(row["dataset"]) == unguarded(row["badges"]) == visible(text)
        assert row["id"] == claim.id
        assert not any(cell.startswith(("=", "@", "\t", "\r")) for cell in row.values())
    claims_csv(audit).encode()


READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})


@settings(deadline=None, max_examples=30)
@given(TEXTS)
def test_no_text_makes_more_lines_of_markdown_or_anything_but_text(text: str) -> None:
    told = markdown_summary(study_saying(text))
    assert len(told.splitlines()) <= LINES
    tokens = READER.parse(told)
    assert not {it.type for it in tokens} & {"html_block", "table_open", "fence", "code_block", "hr"}
    inline = {child.type for token in tokens for child in token.children or []}
    assert inline <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}
    if one_line := " ".join(visible(text).split()):
        children = [it for token in READER.parse(f"Rerun: {md_code(text)}") for it in token.children or []]
        assert "".join(it.content for it in children) == f"Rerun: {one_line}"


SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit.xsd"))


def suites(audit: Audit) -> dict[str, dict[str, ElementTree.Element]]:
    """Suite -> name of a case -> what it holds, or the empty case."""
    root = ElementTree.fromstring(junit(audit))
    return {
        suite.get("name", "").partition(": ")[2]: {
            it.get("name", ""): it[0] if len(it) else it for it in suite.iter("testcase")
        }
        for suite in root
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_is_of_the_schema_whatever_the_text(text: str) -> None:
    SCHEMA.validate(junit(study_saying(text)))
    cases = suites(study_saying(text))["claims"]
    assert (cases["mimic-not-run:P@1"].text or "").startswith(visible(text))
    assert visible(text) in (cases["kim-words-value:P@1"].text or "")


def test_a_contradiction_is_a_failure_with_the_sentence_of_the_verdict() -> None:
    cases = suites(STUDY)["claims"]
    failed = [name for name, it in cases.items() if it.tag == "failure"]
    assert failed == [it.claim for it in STUDY.verdicts if it.outcome == "contradicted"]
    failure = cases["xml-emb-eq7-value:P@1"]
    assert failure.get("type") == "contradicted" and "page 1992" in (failure.text or "")
    said = failure.get("message", "")
    assert (
        "Other possible explanations: one of the 4 departures" in said
        and "2.20 points below the printed 75.96" in said
    )


def test_every_tested_claim_has_one_row() -> None:
    tested = [it for it in STUDY.verdicts if it.reason not in ("not_run", "run_failed", "other_data")]
    table = latex(STUDY)
    rows = table.partition(r"\endlastfoot")[2].partition(r"\end{longtable}")[0].strip().splitlines()
    assert len(rows) == len(tested) and all(row.count(" & ") == 6 for row in rows)
    assert f"{len(tested)} of {len(STUDY.claims)} judgements tested." in table
    assert table.count("judgements tested.") == 1  # pages that go on do not say it again


@pytest.mark.parametrize("write", [summary, html, markdown_summary, junit, latex])
def test_margins_changed_after_the_runs_are_told_at_the_head(write: Callable[[Audit], str]) -> None:
    (it,) = sample.tiny().experiments
    runs = tuple(replace(run, margins={"chen2022": "b" * 32}) for run in it.runs)
    audit = replace(sample.tiny(), experiments=(replace(it, runs=runs),))
    assert "changed after" not in write(audit)
    told = write(replace(audit, margins_superseded={"b" * 32: "widened after seeing"}))
    assert "changed after runs had begun under others: widened after seeing." in told
    assert "before the runs" not in told
