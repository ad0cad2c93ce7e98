"""docs/audit-json.md and docs/claim-file.md, made from the JSON Schemas.

python -m tests.docs.schema_pages            # renews both pages; read the diff
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.claims.load import Paper
from audit.expression.grammar import FUNCTIONS, RELATIONS
from audit.record import FORMAT_VERSION
from audit.record_schema import audit_schema, one_line

DOCS = Path(__file__).resolve().parents[2] / "docs"
#: What of `margins` is required is no matter of types.
MARGINS = "`default` must be given where there are claims."


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
    return (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")


def _section(name: str, part: Mapping[str, Any]) -> str:
    """One kind of object: what it is, and a table of its keys."""
    lines = [f"## {name}\n", f"{one_line(part.get('description', ''))}\n", "| key | type | meaning |"]
    lines.append("|---|---|---|")
    for key, value in part.get("properties", {}).items():
        default = f" Default: `{json.dumps(value['default'])}`." if "default" in value else ""
        meaning = _cell((one_line(value.get("description", "")) + default).strip())
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


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    (DOCS / "audit-json.md").write_text(audit_markdown())
    (DOCS / "claim-file.md").write_text(claim_markdown())
