"""docs/claim-file.md, made from the JSON Schema of claim files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.expression.functions import FUNCTIONS, RELATIONS
from audit.kinds import KINDS
from tests.docs.schema_pages import claim_markdown
from tests.expression.tables import outcome

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "claim-file.md"


def test_the_page_is_that_of_the_schema_as_it_is() -> None:
    """Renew it with `python -m tests.docs.schema_pages`, and read the diff."""
    assert PAGE.read_text() == claim_markdown()


def section(name: str) -> str:
    return claim_markdown().split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_every_kind_of_claim_has_a_section() -> None:
    kinds = re.findall(r"^\| `kind` \| `(\w+)` \|", claim_markdown(), re.MULTILINE)
    assert sorted(kinds) == sorted(KINDS)


def test_what_must_be_given_says_so_and_the_rest_says_what_it_is_without() -> None:
    assert "| `format` | `1` | Version of this format. Must be given. |" in section("The file")
    keys = claim_markdown().split("\n## Expressions\n")[0]
    rows = [line for line in keys.splitlines() if line.startswith("| `")]
    assert [it for it in rows if ("must be given" in it.lower()) == ("Default: " in it)] == []


def test_every_function_and_relation_of_an_expression_is_told() -> None:
    told = section("Expressions")
    assert [it.form for it in FUNCTIONS.values() if f"| `{it.form}` | " not in told] == []
    assert [word for word in RELATIONS if f"| `x {word} n` | " not in told] == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1.26 = 1.3", True),
        ("10.7 about 12", False),
        ("12 % = 12", True),
        ("2^3 = 8 and not 1 > 2", True),
    ],
)
def test_what_the_page_says_of_numbers_is_so(text: str, holds: bool) -> None:
    """Worked out by hand from the table of relations."""
    assert outcome(text).result == ("consistent" if holds else "inconsistent")
