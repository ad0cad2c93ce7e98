"""docs/claim-file.md, made from the JSON Schema of claim files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit import cli
from audit.claims.source import read
from audit.errors import Exit
from audit.expression import FUNCTIONS, RELATIONS
from audit.kinds import KINDS
from audit.schema_pages import claim_markdown
from tests.expression.tables import outcome

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "claim-file.md"


def test_the_page_is_that_of_the_schema_as_it_is() -> None:
    """Renew it with `audit schema claim --markdown > docs/claim-file.md`, and read the diff."""
    assert PAGE.read_text() == claim_markdown()


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema", "claim", "--markdown"]) == Exit.OK
    assert capsys.readouterr().out == claim_markdown()


def section(name: str) -> str:
    return claim_markdown().split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_every_key_that_a_claim_file_uses_is_on_it() -> None:
    held = read(ROOT / "claims" / "chen2022.yaml").content
    parts = {
        "The file": [held],
        "Table": list(held["tables"].values()),
        "Experiment": list(held["experiments"].values()),
        "Dataset": list(held["datasets"].values()),
    }
    for name, items in parts.items():
        text = section(name)
        assert [key for it in items for key in it if f"| `{key}` |" not in text] == []


def test_every_kind_of_claim_has_a_section() -> None:
    kinds = re.findall(r"^\| `kind` \| `(\w+)` \|", claim_markdown(), re.MULTILINE)
    assert sorted(kinds) == sorted(KINDS)


def test_what_must_be_given_says_so_and_the_rest_says_what_it_is_without() -> None:
    assert "| `format` | `1` | Version of this format. Must be given. |" in section("The file")
    keys = claim_markdown().split("\n## Expressions\n")[0]
    rows = [line for line in keys.splitlines() if line.startswith("| `")]
    assert [it for it in rows if ("must be given" in it.lower()) == ("Default: " in it)] == []


def test_margins_have_no_default_since_one_must_be_given() -> None:
    line = next(it for it in section("The file").splitlines() if it.startswith("| `margins` |"))
    assert "`default` must be given where there are claims." in line
    assert "Default:" not in line


@pytest.mark.parametrize(
    ("name", "key"), [("Column", "metric"), ("Value", "printed"), ("Tuning", "trials"), ("Margin", "rule")]
)
def test_what_text_may_stand_for_has_its_keys_too(name: str, key: str) -> None:
    assert f"| `{key}` | " in section(name)


def test_no_section_is_a_heading_row_alone() -> None:
    assert not re.search(r"\|---\|\n\n", claim_markdown())


def test_every_function_and_relation_of_an_expression_is_told() -> None:
    told = section("Expressions")
    assert [it.form for it in FUNCTIONS.values() if f"| `{it.form}` | " not in told] == []
    assert [word for word in RELATIONS if f"| `x {word} n` | " not in told] == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1.26 = 1.3", True),
        ("1.36 = 1.3", False),
        ("10.8 about 12", True),
        ("10.7 about 12", False),
        ("17 at least 17", True),
        ("17 more than 17", False),
        ("12 % = 12", True),
        ("11 nearly 12", True),
        ("13 nearly 12", False),
        ("2^3 = 8 and not 1 > 2", True),
    ],
)
def test_what_the_page_says_of_numbers_is_so(text: str, holds: bool) -> None:
    """Worked out by hand from the table of relations."""
    assert outcome(text).result == ("consistent" if holds else "inconsistent")


def test_every_link_leads_to_a_section() -> None:
    page = claim_markdown()
    there = {name.lower() for name in re.findall(r"^## (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\(#(\w+)\)", page)) <= there
