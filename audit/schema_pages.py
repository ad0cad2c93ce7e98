"""JSON Schema of `audit.json` with a description for every key; it and the claim file's as pages of Markdown.

The descriptions are what stands beside or below the fields of `audit/record.py`, read from the source,
because Python keeps none of a field.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from audit import record
from audit.claims.load import Paper
from audit.expression.functions import FUNCTIONS, RELATIONS
from audit.record import FORMAT_VERSION, audit_json_schema

DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: What of `margins` is required is no matter of types.
MARGINS = "`default` must be given where there are claims."


def audit_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `audit.json`, described key by key."""
    schema = audit_json_schema()
    described = _field_docstrings()
    for name, part in [("Audit", schema), *schema["$defs"].items()]:
        for key, value in part.get("properties", {}).items():
            value.pop("title", None)  # the key again, in capitals
            if text := described.get((name, key)):
                value["description"] = text
    title = f"audit.json, format {FORMAT_VERSION}"
    return {"$schema": DRAFT, "$id": f"urn:xmtc-audit:audit-json:{FORMAT_VERSION}", **schema, "title": title}


def audit_markdown() -> str:
    """The schema as a page: one section for each kind of object, one line for each key."""
    schema = audit_schema()
    sections = [_section(name, part) for name, part in [("Audit", schema), *schema["$defs"].items()]]
    return "\n".join([_text("audit-json.md").format(version=FORMAT_VERSION), *sections])


def claim_markdown() -> str:
    """The page: the keys of the file, a section for each kind of object and claim, and the expressions."""
    schema = Paper.model_json_schema(by_alias=True)
    parts = [("The file", schema), *schema["$defs"].items()]
    relations = [f"| `x {word} n` | {_cell(it.meaning)} |" for word, it in RELATIONS.items()]
    functions = [f"| `{it.form}` | {_cell(it.meaning)} |" for it in FUNCTIONS.values()]
    return "\n".join(
        [
            _text("claim-file.md"),
            *(_section(name, _with_what_must_be_given(part)) for name, part in parts),
            _text("expressions.md"),
            "| relation | holds for what is, of a number n |\n|---|---|",
            *relations,
            "\n| function | value |\n|---|---|",
            *functions,
            "",
        ]
    )


def _text(name: str) -> str:
    return (resources.files("audit") / "templates" / f"{name}.txt").read_text(encoding="utf-8")


def _section(name: str, part: Mapping[str, Any]) -> str:
    """One kind of object: what it is, and a table of its keys."""
    lines = [f"## {name}\n", f"{_one_line(part.get('description', ''))}\n", "| key | type | meaning |"]
    lines.append("|---|---|---|")
    for key, value in part.get("properties", {}).items():
        default = f" Default: `{json.dumps(value['default'])}`." if "default" in value else ""
        meaning = _cell((_one_line(value.get("description", "")) + default).strip())
        lines.append(f"| `{key}` | {_type(value)} | {meaning} |".replace("|  |", "| |"))
    return "\n".join([*lines, ""])


def _type(value: Mapping[str, Any]) -> str:
    """A type in a few words: `number or null`, `list of Run`, `map of number`."""
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "enum" in value or "const" in value:
        return ", ".join(f"`{it}`" for it in value.get("enum", [value.get("const")]))
    if choices := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_type, choices)))
    if value.get("type") == "array":
        items = value.get("prefixItems", [value.get("items", {})])
        return f"list of {', '.join(map(_type, items))}"
    if value.get("type") == "object":
        values = [value.get("additionalProperties"), *value.get("patternProperties", {}).values()]
        return f"map of {_type(next((it for it in values if isinstance(it, dict)), {}))}"
    return str(value.get("type", "any JSON"))


def _with_what_must_be_given(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A key that cannot be left out has no default, whatever the class of it has, and says so.

    What text alone may stand for is described by the keys that it stands for.
    """
    objects = [it for it in part.get("anyOf", ()) if "properties" in it]
    part = {**objects[0], "description": part.get("description", "")} if objects else part
    keys = {}
    for name, value in part.get("properties", {}).items():
        must = "Must be given." if name in part.get("required", ()) else ""
        if must := MARGINS if name == "margins" else must:
            value = {key: it for key, it in value.items() if key != "default"}
            value["description"] = f"{value.get('description', '')} {must}".strip()
        keys[name] = value
    return {**part, "properties": keys}


def _one_line(text: str) -> str:
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _field_docstrings() -> dict[tuple[str, str], str]:
    """(class, field) -> what is said beside the field, or below it, on one line."""
    texts, source = {}, inspect.getsource(record)
    for node in (it for it in ast.parse(source).body if isinstance(it, ast.ClassDef)):
        for statement, after in zip(node.body, [*node.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                text = source.splitlines()[(statement.end_lineno or 1) - 1].partition("  # ")[2]
                if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    text = str(after.value.value)
                if text:
                    texts[node.name, statement.target.id] = _one_line(text)
    return texts
