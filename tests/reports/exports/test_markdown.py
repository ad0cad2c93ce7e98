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
TINY = """\
## Audit of A Case Study on XML-CNN

**0 reproduced, 0 contradicted, 1 inconclusive, 0 not tested** of 1 claim (xmtc-audit 0.1.0, newest run \
2026-03-01 12:30 UTC). What was judged rests on the paper’s own data. Protocol: the paper’s own, as far \
as it is described.

**Primary claims**

- **Inconclusive at P@1.** Kim-CNN over words reaches 75.83. 2 of 3 seeds of “Kim-CNN, words” give \
75.20 ± 0.14 P@1, 0.63 points below the printed 75.83. Inconclusive: so few seeds do not show how far they \
spread; three are the least.

Rerun: `audit run claims/chen2022.yaml --seeds 3`
"""


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


def test_the_small_audit_by_hand() -> None:
    assert markdown_summary(sample.tiny()) == TINY


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


def test_contradictions_and_numbers_that_disagree_are_told() -> None:
    text = markdown_summary(sample.study())
    assert "**Contradicted at P@1, P@3 and P@5.** XML-CNN, embeddings, Eq. (7) scores 75.96." in text
    assert "t8.liu.P@1: May be another test size" in text
    assert text.count("The two oddities together") == 1  # primary, and not told twice


def test_metrics_that_need_the_same_to_be_settled_are_one_line() -> None:
    audit = sample.study()
    names = [f"kim-emb-value:{metric}" for metric in sample.METRICS]
    audit = replace(audit, settling={name: Settling("6 seeds, 2 CPU-hours", seeds=6) for name in names})
    assert "Kim-CNN, embeddings scores 45.38 (P@1) – 6 seeds, 2 CPU-hours." in markdown_summary(audit)
    same = tuple(replace(it, says="Kim") if it.id in names else it for it in audit.claims)
    assert "- Kim (P@1, P@3 and P@5) – 6 seeds, 2 CPU-hours." in markdown_summary(replace(audit, claims=same))


def test_an_audit_of_nothing_says_so() -> None:
    assert "Nothing was tested." in markdown_summary(sample.empty())
    assert "Nothing was tested." in markdown_summary(sample.untested())


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
def test_text_is_shown_as_it_is_on_one_line(text: str) -> None:
    assert shown(f"- x{md_escape(text)}x") == f"x{' '.join(visible(text).split())}x"


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
