"""One paper's numbers beside those of other papers, and what goes into its record of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.checks.tables import Sheet
from audit.claims.load import load
from audit.claims.papers import sheets_beside
from audit.judging.assemble import across, assemble
from audit.record import AuthorResponse, Untranscribed, audit_from_json, to_json
from tests.checks.made import Of, data_set, paper, table
from tests.runner.papers import write_paper


def printing(
    key: str, text: str, *, method: str = "kim", test: str = "3,865", copied_from: str | None = None
) -> Sheet:
    row = Of(id="kim", method=method, source="copied" if copied_from else "own_run", copied_from=copied_from)
    return paper(table(["P@1"], {row: [text]}), key=key, datasets=[data_set(test=test)])


def test_the_numbers_of_one_method_stand_beside_each_other() -> None:
    (row,) = across(printing("ours", "76.38"), [printing("b", "75.32", test="3,809"), printing("c", "76.38")])
    assert (row.method, row.collection, row.metric) == ("kim", "eurlex-4k", "P@1")
    assert [(it.paper, it.text, it.test_size) for it in row.prints] == [
        ("ours", "76.38", 3865),
        ("b", "75.32", 3809),
        ("c", "76.38", 3865),
    ]


@pytest.mark.parametrize(
    ("others", "on_one"),
    [
        ([("b", "75.32", {})], True),
        ([("b", "75.32", {"test": "3,809"})], False),
        ([("b", "75.32", {"test": "3,809"}), ("c", "76.81", {})], True),
        ([("b", "76.38", {})], False),
        ([("b", "76.4", {})], False),  # by rounding
        ([("b", "76.3", {})], False),  # by cutting
    ],
)
def test_differing_on_one_test_size_is_told_apart(others: list[Any], on_one: bool) -> None:
    (row,) = across(printing("ours", "76.38"), [printing(key, text, **of) for key, text, of in others])
    assert row.differ_on_one_size is on_one


def test_the_record_holds_what_was_held_beside_it(tmp_path: Path) -> None:
    path = write_paper(tmp_path)
    text = path.read_text()
    said = 'author_response: {asked: "2026-03-01", answered: "2026-03-09", answer: We agree., effect: none}\n'
    missing = "missing: [{label: Figure 2, why: drawn without numbers}]\n"
    path.write_text(text.replace("datasets:\n", f"{said}{missing}datasets:\n", 1))
    held = load(path)
    others = sheets_beside(held)
    found = assemble(held, {}, fidelity=(), command="", others=others)
    assert found.author_response == AuthorResponse("2026-03-01", "2026-03-09", "We agree.", "none")
    assert found.missing == (Untranscribed("Figure 2", "drawn without numbers"),)
    assert set(found.papers_beside) == {it.paper.key for it in others} != set()
    assert replace(audit_from_json(to_json(found)), seal="") == found
    assert assemble(held, {}, fidelity=(), command="").papers_beside == ()
