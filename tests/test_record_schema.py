"""The JSON Schema of `audit.json`, its page, and `audit schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from audit import cli
from audit.errors import Exit
from audit.record import Audit, to_json
from audit.record_schema import audit_schema
from tests.docs.schema_pages import audit_markdown
from tests.reports import every_kind, sample

PAGE = Path(__file__).resolve().parents[1] / "docs" / "audit-json.md"


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


def test_the_page_is_that_of_the_record_as_it_is() -> None:
    """Renew it with `python -m tests.docs.schema_pages`, and read the diff."""
    assert PAGE.read_text() == audit_markdown()


def test_the_command_prints_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema", "audit"]) == Exit.OK
    assert json.loads(capsys.readouterr().out) == audit_schema()
    assert cli.main(["schema", "claim"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["title"] == "Claim file"
