"""docs/audit-json.md and docs/claim-file.md, made from the JSON Schemas.

python -m tests.docs.schema_pages            # renews both pages; read the diff
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from audit import record, study
from audit.claims.load import Paper
from audit.claims.schema import Origin, Subject
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
    sections = [("Audit", schema), *schema["$defs"].items()]
    tables = [_keys(f"## {name}", part, record=True) for name, part in sections]
    return "\n".join([_text("audit-json.md").format(version=FORMAT_VERSION), *tables])


#: In the order in which a file has them; the kinds of claims follow by name.
_ORDER = (
    *("Citation", "Code", "Transcription", "Missing", "Dataset", "Origin", "Subject", "Table", "Column"),
    *("Row", "Value", "Experiment", "Noise", "Tuning", "Command", "Margin", "Superseded", "Specifications"),
    *("Open", "Choice", "Departure", "AuthorResponse", "Where", "Counted"),
)


def claim_markdown() -> str:
    """The page: examples, keys of the file, of its parts, of every claim and of each kind; expressions."""
    schema = Paper.model_json_schema(by_alias=True)
    parts = schema["$defs"] | {it.__name__: it.model_json_schema(by_alias=True) for it in (Origin, Subject)}
    above = {"Subject": "Origin", "Table": "Origin", "Value": "Origin", "Column": "Subject", "Row": "Subject"}
    said = {name: {"without": set(parts[of]["properties"]), "also": of} for name, of in above.items()}
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
            _keys("## The file", schema),
            *(_keys(f"## {name}", parts[name], **said.get(name, {})) for name in _ORDER),
            _keys("## Claims", claim),
            _kinds(kinds, shared),
            _text("expressions.md"),
            "| relation | x is |\n|---|---|",
            *(f"| {', '.join(forms)} | {_cell(meaning)} |" for meaning, forms in relations.items()),
            "\n| function | value |\n|---|---|",
            *(f"| {', '.join(forms)} | {_cell(meaning)} |" for meaning, forms in functions.items()),
            "",
        ]
    )


def _kinds(kinds: Mapping[str, Any], shared: Set[str]) -> str:
    """What each kind states, with its own keys; then each key once, though several kinds have it."""
    lines, keys = ["### Kinds", "", "| kind | states | keys of its own |", "|---|---|---|"], dict[str, Any]()
    for kind, part in kinds.items():
        own = {key: of for key, of in part["properties"].items() if key not in shared}
        names = ", ".join(f"**`{key}`**" if key in part["required"] else f"`{key}`" for key in own)
        lines.append(f"| `{kind}` | {one_line(part['description'])} | {names} |")
        for key, of in own.items():
            keys[key if keys.get(key, of) == of else f"{key}` of `{kind}"] = of
    return "\n".join([*lines, "", _keys("### Keys of the kinds", {"properties": keys})])


def _keys(
    heading: str, part: Mapping[str, Any], *, record: bool = False, without: Any = (), also: str = ""
) -> str:
    """A heading, what the part is, and a line a key: bold where it must be given, else with its default. Keys
    of one type and meaning share a line; those of the part `also` are named by it."""
    objects = [it for it in part.get("anyOf", ()) if "properties" in it]  # text alone may stand for some
    keys = objects[0] if objects else part
    rows: dict[tuple[str, str], list[str]] = {}
    for key, value in ((key, of) for key, of in keys.get("properties", {}).items() if key not in without):
        must = not record and (key in keys.get("required", ()) or key == "margins")
        more = f" Default: `{json.dumps(it)}`." if (it := value.get("default")) and not must else ""
        types = _type(value) if record else _type(value).removesuffix("?")
        types = "list of [claims](#claims)" if key == "claims" and not record else types
        if "`average_rank`" in types and heading != "## Subject":
            types = "as in [Subject](#subject)"
        text = _cell(one_line(value.get("description", "") + more))
        rows.setdefault((types, text), []).append(f"**`{key}`**" if must else f"`{key}`")
    about = f"It also has the keys of [{also}](#{also.lower()})." if also else ""
    about = one_line(f"{part.get('description', '')} {about}")
    lines = [heading, "", *([about, ""] if about else []), "| key | type | meaning |", "|---|---|---|"]
    lines += [
        f"| {', '.join(names)} | {types} | {text} |".replace("|  |", "| |")
        for (types, text), names in rows.items()
    ]
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
