"""The claims as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings

from audit.record import Audit
from reports.exports import COLUMNS, EXPORTS, claims_csv, guarded, unguarded
from reports.text import visible
from tests.reports import every_kind, sample
from tests.reports.exports.hostile import HOSTILE, TEXTS, study_saying


def rows(audit: Audit) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(claims_csv(audit), newline="")))


def test_one_row_a_claim_in_the_order_of_the_record() -> None:
    audit = sample.study()
    assert [row["id"] for row in rows(audit)] == [claim.id for claim in audit.claims]
    assert list(rows(audit)[0]) == list(COLUMNS)


def test_every_kind_of_claim_has_its_row_and_an_empty_audit_only_the_header() -> None:
    assert {row["kind"] for row in rows(every_kind.every_kind())} == {it[0] for it in every_kind.KINDS}
    assert claims_csv(sample.empty()) == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("number", ["-0.62", "+1.5", "-1e-05", "-3", "75.83", "0"])
def test_numbers_are_not_touched(number: str) -> None:
    assert guarded(number) == number


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\n=1", "  =1", "\uff1d1", "-", "+x", "'=1", "-1,5"],
)
def test_what_begins_like_a_formula_is_no_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["plain", "a=b", "P@1", "'quoted'", "", "x-1"])
def test_other_text_is_not_touched(text: str) -> None:
    assert guarded(text) == text


@given(TEXTS)
def test_the_guard_comes_off_again(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "@", "\t", "\r"))


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_text_comes_back_as_it_is_shown(text: str) -> None:
    """What no file can hold, and what steers its neighbours, is written out; all else is there."""
    audit = study_saying(text)
    for row, claim in zip(rows(audit), audit.claims, strict=True):
        assert unguarded(row["dataset"]) == visible(text)
        assert row["id"] == claim.id
        assert unguarded(row["badges"]) == visible(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_is_a_formula(text: str) -> None:
    audit = study_saying(text)
    for row in rows(audit):
        for cell in row.values():
            assert not cell.startswith(("=", "@", "\t", "\r")), cell
    claims_csv(audit).encode()


def test_every_column_is_documented() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "exports.md").read_text()
    assert all(f"| `{name}` | {what} |\n" in page for name, what in COLUMNS.items())
    assert all(f"| `{name}` | `{it.file}` |" in page for name, it in EXPORTS.items())
