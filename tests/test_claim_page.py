"""docs/claim-file.md, made from the JSON Schema of claim files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from audit import cli
from audit.claim_kinds import KINDS
from audit.claim_page import claim_markdown
from audit.exit_codes import Exit

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
    held = YAML(typ="safe").load(ROOT / "claims" / "chen2022.yaml")
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
    rows = [line for line in claim_markdown().splitlines() if line.startswith("| `")]
    assert [it for it in rows if ("Must be given." in it) == ("Default: " in it)] == []


def test_every_link_leads_to_a_section() -> None:
    page = claim_markdown()
    there = {name.lower() for name in re.findall(r"^## (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\(#(\w+)\)", page)) <= there
