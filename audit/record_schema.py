"""JSON Schema of `audit.json` with a description for every key.

The descriptions are what stands beside or below the fields of `audit/record.py` and `audit/study.py`, read
from the source, because Python keeps none of a field.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from audit import record, study
from audit.json_errors import adapter

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def audit_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `audit.json`, described key by key."""
    schema: dict[str, Any] = adapter(record.Audit).json_schema()
    described = _field_docstrings()
    for name, part in [("Audit", schema), *schema["$defs"].items()]:
        for key, value in part.get("properties", {}).items():
            value.pop("title", None)  # the key again, in capitals
            if text := described.get((name, key)):
                value["description"] = text
    title = f"audit.json, format {record.FORMAT_VERSION}"
    return {
        "$schema": DRAFT,
        "$id": f"urn:xmtc-audit:audit-json:{record.FORMAT_VERSION}",
        **schema,
        "title": title,
    }


def _field_docstrings() -> dict[tuple[str, str], str]:
    """(class, field) -> what is said beside the field, or below it, on one line."""
    texts = {}
    for source in map(inspect.getsource, (record, study)):
        lines = source.splitlines()
        for node in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
            for statement, after in zip(node.body, [*node.body[1:], None], strict=True):
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    text = lines[(statement.end_lineno or 1) - 1].partition("  # ")[2]
                    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                        text = str(after.value.value)
                    if text:
                        texts[node.name, statement.target.id] = one_line(text)
    return texts


def one_line(text: str) -> str:
    """As JSON has it: null for None."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))
