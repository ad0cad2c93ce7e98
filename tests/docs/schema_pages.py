"""docs/audit-json.md and docs/claim-file.md, made from the JSON Schemas.

python -m tests.docs.schema_pages            # renews both pages; read the diff
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping
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
    schema, seen = audit_schema(), dict[str, str]()
    sections = [("Audit", schema), *schema["$defs"].items()]
    tables = [_keys(f"## {name}", part, seen, record=True) for name, part in sections]
    return "\n".join([_text("audit-json.md").format(version=FORMAT_VERSION), *tables])


#: In the order in which a file has them; the kinds of claims follow by name.
_ORDER = (
    *("Citation", "Code", "Transcription", "Missing", "Dataset", "Table", "Column", "Row", "Value"),
    *("Experiment", "Noise", "Tuning", "Command", "Margin", "Superseded", "Specifications", "Open", "Choice"),
    *("Departure", "AuthorResponse", "Where", "Counted"),
)


def claim_markdown() -> str:
    """The page: examples, keys of the file, of its parts, of every claim and of each kind; expressions."""
    schema, seen = Paper.model_json_schema(by_alias=True), dict[str, str]()
    parts = schema["$defs"]
    by_kind = {part.get("properties", {}).get("kind", {}).get("const"): part for part in parts.values()}
    kinds = {name: by_kind[name] for name in KINDS}
    shared = set.intersection(*(set(part["properties"]) for part in kinds.values()))
    assert set(_ORDER) == {name for name, part in parts.items() if part not in kinds.values()}
    of_all = {key: of for key, of in kinds["value"]["properties"].items() if key in shared}
    about = "The keys that every claim has; each kind has more, below."
    claim = {"description": about, "required": kinds["value"]["required"], "properties": of_all}
    of_all["kind"] = {**of_all["kind"], "enum": [*kinds]}
    relations, functions = dict[str, list[str]](), dict[str, list[str]]()
    for word, it in RELATIONS.items():
        relations.setdefault(it.meaning, []).append(f"`x {word} n`")
    for function in FUNCTIONS.values():
        functions.setdefault(function.meaning, []).append(f"`{function.form}`")
    return "\n".join(
        [
            _text("claim-file.md"),
            _keys("## The file", schema, seen),
            *(_keys(f"## {name}", parts[name], seen) for name in _ORDER),
            _keys("## Claims", claim, seen),
            *(_keys(f"### {kind}", kinds[kind], seen, without=shared) for kind in kinds),
            _text("expressions.md"),
            "| relation | x is |\n|---|---|",
            *(f"| {', '.join(forms)} | {_cell(meaning)} |" for meaning, forms in relations.items()),
            "\n| function | value |\n|---|---|",
            *(f"| {', '.join(forms)} | {_cell(meaning)} |" for meaning, forms in functions.items()),
            "",
        ]
    )


def _keys(
    heading: str, part: Mapping[str, Any], seen: dict[str, str], *, record: bool = False, without: Any = ()
) -> str:
    """A heading, what the part is, and a line a key: bold where it must be given, else with its default.
    Long lines of an earlier part (`seen`) only name it; keys of one type without a meaning share a line."""
    objects = [it for it in part.get("anyOf", ()) if "properties" in it]  # text alone may stand for some
    keys = objects[0] if objects else part
    name = heading.lstrip("# ")
    rows: list[list[str]] = []
    for key, value in ((key, of) for key, of in keys.get("properties", {}).items() if key not in without):
        must = not record and (key in keys.get("required", ()) or key == "margins")
        default = None if must else value.get("default")
        more = (
            f" Default: `{json.dumps(default)}`."
            if default or not (record or default in (None, [], {}, ""))
            else ""
        )
        types = _type(value) if record else _type(value).removesuffix("?")
        types = "list of [claims](#claims)" if key == "claims" and not record else types
        if types.count("`") > 12 and (first := seen.setdefault(types, name)) != name:
            types = f"as in [{first}](#{first.lower()})"
        row = [f"**`{key}`**" if must else f"`{key}`", types, one_line(value.get("description", "") + more)]
        earlier = seen.setdefault(" ".join(row), name)
        if earlier != name and len(" ".join(row[1:]).split()) > 12:
            row[1:] = [f"as in [{earlier}](#{earlier.lower()})", ""]
        alike = next((it for it in rows if it[1:] == row[1:] and not row[2]), None)
        if alike is not None:
            alike[0] += f", {row[0]}"
        else:
            rows.append(row)
    lines = [heading, "", *([about, ""] if (about := one_line(part.get("description", ""))) else [])]
    lines += ["| key | type | meaning |", "|---|---|---|"]
    lines += [f"| {key} | {types} | {_cell(text)} |".replace("|  |", "| |") for key, types, text in rows]
    return "\n".join([*lines, ""])


def _text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")


def _type(value: Mapping[str, Any]) -> str:
    """A type in a few words: `number?`, `list of Run`, `map of number`."""
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "enum" in value or "const" in value:
        return ", ".join(f"`{it}`" for it in value.get("enum", [value.get("const")]))
    if choices := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_type, choices))).replace(" or null", "?")
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
