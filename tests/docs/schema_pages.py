"""docs/audit-json.md and docs/claim-file.md, made from the JSON Schemas.

python -m tests.docs.schema_pages            # renews both pages; read the diff
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from audit import record, study
from audit.claims.load import Paper
from audit.expression.grammar import FUNCTIONS, RELATIONS
from audit.json_errors import adapter
from audit.kinds import KINDS
from audit.record import FORMAT_VERSION

DOCS = Path(__file__).resolve().parents[2] / "docs"


def audit_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `audit.json`, described key by key."""
    schema: dict[str, Any] = adapter(record.Audit).json_schema()
    described = _field_docstrings()
    for name, part in [("Audit", schema), *schema["$defs"].items()]:
        for key, value in part.get("properties", {}).items():
            value.pop("title", None)  # the key again, in capitals
            if text := described.get((name, key)):
                value["description"] = text
    return schema


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


def audit_markdown() -> str:
    """The schema as a page: one section for each kind of object, one line for each key."""
    schema = audit_schema()
    sections = [_section(name, part) for name, part in [("Audit", schema), *schema["$defs"].items()]]
    return "\n".join([_text("audit-json.md").format(version=FORMAT_VERSION), *sections])


#: In the order in which a file has them; the kinds of claims follow by name.
_ORDER = (
    *("Citation", "Code", "Transcription", "Missing", "Dataset", "Table", "Column", "Row", "Value"),
    *("Experiment", "Noise", "Tuning", "Command", "Margin", "Superseded", "Specifications", "Open", "Choice"),
    *("Departure", "AuthorResponse", "Where", "Counted"),
)


def claim_markdown() -> str:
    """The page: examples, keys of the file, of its parts, of every claim and of each kind; expressions."""
    schema = Paper.model_json_schema(by_alias=True)
    parts = schema["$defs"]
    by_kind = {part.get("properties", {}).get("kind", {}).get("const"): part for part in parts.values()}
    kinds = {name: by_kind[name] for name in KINDS}
    shared = set.intersection(*(set(part["properties"]) for part in kinds.values()))
    assert set(_ORDER) == {name for name, part in parts.items() if part not in kinds.values()}
    claim = {
        "description": "The keys that every claim has; each kind has more, below.",
        "required": next(iter(kinds.values()))["required"],
        "properties": {
            key: of for key, of in next(iter(kinds.values()))["properties"].items() if key in shared
        },
    }
    claim["properties"]["kind"] = {**claim["properties"]["kind"], "enum": [*kinds]}
    relations = [f"| `x {word} n` | {_cell(it.meaning)} |" for word, it in RELATIONS.items()]
    functions = [f"| `{it.form}` | {_cell(it.meaning)} |" for it in FUNCTIONS.values()]
    return "\n".join(
        [
            _text("claim-file.md"),
            _keys("## The file", schema),
            *(_keys(f"## {name}", parts[name]) for name in _ORDER),
            _keys("## Claims", claim),
            *(_keys(f"### {kind}", kinds[kind], without=shared) for kind in kinds),
            _text("expressions.md"),
            "| relation | holds for what is, of a number n |\n|---|---|",
            *relations,
            "\n| function | value |\n|---|---|",
            *functions,
            "",
        ]
    )


def _keys(heading: str, part: Mapping[str, Any], without: Collection[str] = ()) -> str:
    """A heading, what the part is, and a line a key: bold where it must be given, else with its default."""
    objects = [it for it in part.get("anyOf", ()) if "properties" in it]  # text alone may stand for some
    keys = objects[0] if objects else part
    about = one_line(part.get("description", ""))
    lines = [f"{heading}\n\n{about}\n\n| key | type | meaning |\n|---|---|---|"]
    for key, value in keys.get("properties", {}).items():
        if key not in without:
            must = key in keys.get("required", ()) or key == "margins"
            default = value.get("default")
            more = f" Default: `{json.dumps(default)}`." if not must and default not in (None, [], {}) else ""
            name = f"**`{key}`**" if must else f"`{key}`"
            types = _type(value).removesuffix(" or null")
            if key == "claims":
                types = "list of [claims](#claims)"
            lines.append(f"| {name} | {types} | {_cell(one_line(value.get('description', '')) + more)} |")
    return "\n".join([*lines, ""])


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


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    (DOCS / "audit-json.md").write_text(audit_markdown())
    (DOCS / "claim-file.md").write_text(claim_markdown())
