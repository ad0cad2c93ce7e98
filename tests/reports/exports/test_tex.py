"""LaTeX tables, read back by a library that reads LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

from audit.record import Audit
from reports.latex import ROWS, latex, tex_escape
from tests.reports import sample
from tests.reports.exports.hostile import HOSTILE, TEXTS, study_saying

READER = LatexNodes2Text(math_mode="text", keep_comments=False, strict_latex_spaces=True)
#: What LaTeX has other signs for, as the reader gives them back.
PLAIN = {"\xa0": " ", "−": "-", "‘": "`", "…": "…"}


def tables(audit: Audit) -> list[str]:
    """Each `table*` as its source."""
    return re.findall(r"\\begin\{table\*\}.*?\\end\{table\*\}", latex(audit), re.DOTALL)


def body(table: str) -> list[str]:
    rows = table.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    return [row for row in rows if row != r"\addlinespace"]


# --------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("50% & more", r"50\% \& more"),
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        ("{x}", r"\textbraceleft{}x\textbraceright{}"),
        (r"\input{x}", r"\textbackslash{}input\textbraceleft{}x\textbraceright{}"),
        ("75.2 ± 0.1", r"75.2 $\pm$ 0.1"),
        ("−0.62", r"$-$0.62"),
        ("“Kim’s”", "``Kim's''"),
        ("a\n\nb", "a b"),
        ("\u200frtl", "[U+200F]rtl"),
        ("\u202ertl", r"\textbackslash{}u202ertl"),
    ],
)
def test_signs_by_hand(text: str, tex: str) -> None:
    assert tex_escape(text) == tex


@given(TEXTS)
def test_no_sign_of_latex_is_left(text: str) -> None:
    """After all that we write ourselves is taken away, nothing that LaTeX acts on remains."""
    written = r"\\text[a-z]+\{\}|\\ldots\{\}|\\dag\{\}|\\[&%$#_]|\$(\\pm|\\times|\\leq|\\geq|-)\$"
    rest = re.sub(written, "", tex_escape(text))
    assert not set(rest.replace("~", "")) & set("\\{}$&#^_%\n")


@given(TEXTS)
def test_braces_come_in_pairs(text: str) -> None:
    """Counted as BibTeX counts: a backslash before one changes nothing."""
    depth = 0
    for sign in tex_escape(text):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("text", ["50% of x & _y_ # $5", r"\alpha \\ x", "naïve Łódź", "a±b×c≤d"])
def test_a_reader_of_latex_sees_the_text(text: str) -> None:
    """Of the signs whose names that reader knows."""
    assert READER.latex_to_text(tex_escape(text)) == text


# --------------------------------------------------------------------------- tables


def test_every_tested_claim_has_one_row() -> None:
    audit = sample.study()
    tested = [it for it in audit.verdicts if it.reason not in ("not_run", "run_failed", "other_data")]
    assert sum(len(body(table)) for table in tables(audit)) == len(tested)
    captions = " ".join(re.findall(r"\\caption\{(.*)\}", latex(audit)))
    assert "All 18 claims were tested." in captions and "5 of 7 claims were tested." in captions


def test_long_tables_are_cut_into_parts() -> None:
    audit = sample.study()
    many = [
        (replace(c, id=f"{k}{c.id}"), replace(v, claim=f"{k}{c.id}"))
        for k in range(9)
        for c, v in zip(audit.claims, audit.verdicts, strict=True)
        if c.kind == "order"
    ]
    audit = replace(audit, claims=tuple(c for c, _ in many), verdicts=tuple(v for _, v in many))
    parts = tables(audit)
    assert [len(body(part)) for part in parts] == [ROWS, ROWS, 108 - 2 * ROWS]
    assert "Part 1 of 3." in parts[0] and "Part 3 of 3." in parts[2]
    labels = re.findall(r"\\label\{(.*?)\}", latex(audit))
    assert len(set(labels)) == 3
    assert not any(body(part)[0].startswith(" &") for part in parts)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_tables_are_whole_whatever_the_text(text: str) -> None:
    """Environments are closed, braces pair, and every row has as many cells as its head."""
    source = latex(study_saying(text))
    nodes, _, _ = LatexWalker(source, tolerant_parsing=False).get_latex_nodes()
    assert sum(isinstance(node, LatexEnvironmentNode) for node in nodes) == 3
    for table in tables(study_saying(text)):
        head = table.split("\\toprule\n")[1].splitlines()[0]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in body(table)} == {len(re.findall("&", head))}
    for line in source.splitlines():
        assert len(line) < 1_500 or line.startswith("%")
    source.encode()
