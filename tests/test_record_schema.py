"""The JSON Schema of `audit.json`, its page, and `audit schema`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from audit import cli
from audit.errors import Exit
from audit.record import FORMAT_VERSION, Audit, to_json
from audit.schema_pages import audit_markdown, audit_schema
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


def test_it_is_versioned() -> None:
    schema = audit_schema()
    assert schema["$id"] == f"urn:xmtc-audit:audit-json:{FORMAT_VERSION}"
    assert schema["title"] == f"audit.json, format {FORMAT_VERSION}"
    assert "format_version" in schema["properties"]


def test_a_key_is_described_by_the_docstring_of_its_field() -> None:
    schema = audit_schema()
    assert schema["properties"]["verdicts"]["description"] == "One per claim, in the order of `claims`."
    assert schema["$defs"]["Cell"]["properties"]["printed"]["description"].startswith("null where the paper")
    assert "description" not in schema["$defs"]["Margin"]["properties"]["value"]


def test_the_page_has_every_kind_of_object_and_key() -> None:
    schema, page = audit_schema(), audit_markdown()
    for name, part in schema["$defs"].items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert all(f"| `{key}` |" in section for key in part["properties"])


def test_the_page_is_that_of_the_record_as_it_is() -> None:
    """Renew it with `audit schema audit --markdown > docs/audit-json.md`, and read the diff."""
    assert PAGE.read_text() == audit_markdown()


def test_the_command_prints_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema", "audit"]) == Exit.OK
    assert json.loads(capsys.readouterr().out) == audit_schema()
    assert cli.main(["schema", "claim"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["title"] == "Claim file"
    assert cli.main(["schema", "audit", "--markdown"]) == Exit.OK
    assert capsys.readouterr().out == audit_markdown()


def test_a_schema_that_is_not_there_is_told_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema", "run"]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == "audit: 'run' has no schema; known are claim and audit\n"


def test_a_newer_version_is_of_the_shape_and_is_refused_by_its_number(
    validator: Draft202012Validator,
) -> None:
    newer = replace(sample.tiny(), format_version=FORMAT_VERSION + 1)
    assert validator.is_valid(json.loads(to_json(newer)))
