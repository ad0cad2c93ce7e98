"""The JSON Schemas of `audit.json` and of claim files, and their pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from audit import cli
from audit.errors import Exit
from audit.kinds import KINDS
from audit.record import Audit, to_json
from tests.docs.schema_pages import audit_markdown, audit_schema, claim_markdown
from tests.expression.tables import outcome
from tests.reports import every_kind, sample

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = audit_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize(
    "audit", [sample.study(), sample.empty(), every_kind.every_kind()], ids=["study", "empty", "kinds"]
)
def test_what_is_written_is_valid(audit: Audit, validator: Draft202012Validator) -> None:
    assert not list(validator.iter_errors(json.loads(to_json(audit))))


@pytest.mark.parametrize(
    ("key", "value"), [("claims", 3), ("verdicts", [{"claim": "a", "outcome": "maybe", "reason": ""}])]
)
def test_what_is_spoiled_is_not(key: str, value: Any, validator: Draft202012Validator) -> None:
    assert not validator.is_valid({**json.loads(to_json(sample.tiny())), key: value})
    assert not validator.is_valid({})


def test_a_key_is_described_by_the_docstring_of_its_field() -> None:
    schema = audit_schema()
    assert schema["properties"]["verdicts"]["description"] == "One per claim, in the order of `claims`."
    assert schema["$defs"]["Cell"]["properties"]["printed"]["description"].startswith("null where the paper")
    assert "description" not in schema["$defs"]["Margin"]["properties"]["value"]


def test_the_pages_are_those_of_the_schemas_as_they_are() -> None:
    """Renew them with `python -m tests.docs.schema_pages`, and read the diff."""
    assert (DOCS / "audit-json.md").read_text() == audit_markdown()
    assert (DOCS / "claim-file.md").read_text() == claim_markdown()


def test_every_kind_of_claim_has_a_line_with_its_own_keys() -> None:
    page = claim_markdown()
    kinds = page.split("\n### Kinds\n")[1].split("\n### ")[0]
    assert re.findall(r"^\| `(\w+)`", kinds, re.MULTILINE) == list(KINDS)
    assert "\n| `order` | One experiment is better than another. | **`better`**, **`worse`**, `neg" in kinds
    assert "| **`format`** | `1` | Version of this format. |" in page


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", claim_markdown(), re.DOTALL))
def test_the_examples_are_valid(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "toy2024.yaml"
    file.write_text(text)
    assert cli.main(["validate", str(file)]) == Exit.OK, capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "holds"),
    [("1.26 = 1.3", True), ("10.7 about 12", False), ("12 % = 12", True), ("2^3 = 8 and not 1 > 2", True)],
)
def test_what_the_page_says_of_numbers_is_so(text: str, holds: bool) -> None:
    """Worked out by hand from the table of relations."""
    assert outcome(text).result == ("consistent" if holds else "inconsistent")
