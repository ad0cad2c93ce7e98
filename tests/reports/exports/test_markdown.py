"""The audit in at most forty lines of Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from audit.record import Audit, Finding, Settling
from reports.exports import LINES, markdown_summary, md_code, md_escape
from reports.text import visible
from tests.reports import every_kind, sample
from tests.reports.exports.hostile import HOSTILE, TEXTS, study_saying

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def crowded() -> Audit:
    """More of everything than there is room for."""
    audit = sample.study()
    more = [
        replace(it, claim=f"{it.claim}-{k}", id=f"{k}-{it.id}", primary=k % 2 == 0)
        for k in range(20)
        for it in audit.claims
    ]
    verdicts = {it.claim: it for it in audit.verdicts}
    judged = tuple(replace(verdicts[it.id.partition("-")[2]], claim=it.id) for it in more)
    return replace(
        audit,
        claims=tuple(more),
        verdicts=judged,
        findings=tuple(
            Finding("granularity", "inconsistent", ("t4.a.P@1",), f"Number {k}.") for k in range(9)
        ),
        settling={it.claim: Settling("6 seeds", seeds=6) for it in judged if it.outcome == "inconclusive"},
    )


@pytest.mark.parametrize(
    "audit",
    [crowded(), sample.study(), sample.empty(), sample.untested(), every_kind.every_kind()],
    ids=["crowded", "study", "empty", "untested", "kinds"],
)
def test_it_is_forty_lines_at_most(audit: Audit) -> None:
    assert len(markdown_summary(audit).splitlines()) <= LINES == 40


def test_what_there_is_no_room_for_is_counted() -> None:
    text = markdown_summary(crowded())
    assert len(text.splitlines()) == LINES
    assert "- 5 further findings: see the report." in text
    assert re.search(r"- \d+ further contradicted claims: see the report\.", text)
    assert re.search(r"- \d+ further open claims: see the report\.", text)


def shown(markdown: str) -> str:
    """The text that a reader of the rendered Markdown sees, in which nothing but text and code may be."""
    tokens = [child for token in READER.parse(markdown) for child in token.children or []]
    assert {it.type for it in tokens} <= {"text", "text_special", "code_inline"}, tokens
    return "".join(it.content for it in tokens)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<b>x</b>", r"\<b\>x\</b\>"),
        ("&lt;", r"\&lt;"),
        ("a_b *c* `d`", r"a\_b \*c\* \`d\`"),
        ("[x](y) ![z]", r"\[x\](y) \!\[z\]"),
        ("# | ~ $x$ \\", r"\# \| \~ \$x\$ \\"),
        ("P@1 75.2 ± 0.1 (95%)", "P@1 75.2 ± 0.1 (95%)"),
        ("two\nlines", "two lines"),
    ],
)
def test_signs_by_hand(text: str, markdown: str) -> None:
    assert md_escape(text) == markdown


@given(TEXTS)
def test_code_is_shown_as_it_is(text: str) -> None:
    one_line = " ".join(visible(text).split())
    if one_line:
        assert shown(f"Rerun: {md_code(text)}") == f"Rerun: {one_line}"


@settings(deadline=None, max_examples=30)
@given(TEXTS)
def test_no_text_makes_more_lines_or_anything_but_text(text: str) -> None:
    told = markdown_summary(study_saying(text))
    assert len(told.splitlines()) <= LINES
    kinds = {token.type for token in READER.parse(told)}
    inline = {child.type for token in READER.parse(told) for child in token.children or []}
    assert not kinds & {"html_block", "table_open", "fence", "code_block", "hr"}
    assert inline <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}


@pytest.mark.parametrize("text", HOSTILE)
def test_ten_thousand_characters_do_not_drown_the_rest(text: str) -> None:
    told = markdown_summary(replace(study_saying(text), command="audit run"))
    assert max(map(len, told.splitlines())) < 2_000
    told.encode()
