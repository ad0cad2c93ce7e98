"""A new claim file: valid as it is, with a comment on what goes where, and the schema for editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.authoring.edit import SCHEMA_LINE, check_absent, create, rendered
from audit.claims.load import KnownNames, Paper, json_schema
from audit.storage.files import explained, write

SCHEMA_NAME = "claim.schema.json"


@dataclass(frozen=True)
class Citation:
    """What is known of the paper; only key and title are needed."""

    key: str
    title: str
    authors: Sequence[str] = ()
    venue: str | None = None
    year: int | None = None
    url: str | None = None
    code_url: str | None = None
    code_commit: str | None = None


def scaffold(citation: Citation, datasets: Sequence[tuple[str, str]] = (), *, schema: bool = True) -> str:
    """The text of a claim file without tables. `datasets`: keys of the catalogue, each with its name."""
    first = f"{SCHEMA_LINE}{SCHEMA_NAME}\n" if schema else ""
    held = "\n".join(
        f"  {key.replace('-', '_')}: {rendered({'name': name, 'catalogue': key, 'content': None}, flow=True)}"
        for key, name in datasets
    )
    named = f"datasets:\n{held}" if held else "datasets: {}"
    return first + _TEXT.format(paper=_paper(citation), datasets=named, key=citation.key)


def write_scaffold(
    path: Path,
    citation: Citation,
    datasets: Sequence[tuple[str, str]] = (),
    *,
    schema: bool = True,
    known: KnownNames | None = None,
) -> Paper:
    """Write it, and the JSON Schema beside it. Raises `AuditError` where there is a file of that name."""
    text = scaffold(citation, datasets, schema=schema)
    check_absent(path)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    paper = create(path, text, known=known)
    if schema:
        write_schema(path.parent / SCHEMA_NAME)
    return paper


def write_schema(path: Path) -> bool:
    """The JSON Schema of claim files, unless something stands there; tells whether it was written."""
    if path.exists():
        return False
    with explained(path):
        write(path, (json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    return True


def _paper(citation: Citation) -> str:
    code = {"url": citation.code_url, "commit": citation.code_commit}
    held = {
        "key": citation.key,
        "title": citation.title,
        "authors": list(citation.authors),
        "venue": citation.venue,
        "year": citation.year,
        "url": citation.url,
        "code": code if citation.code_url else None,
    }
    return "\n".join(f"  {key}: {rendered(value, flow=True)}" for key, value in held.items())


_TEXT = """\
# What the paper prints and states: numbers as printed, in quotes; captions and claims in own short words.
# `audit validate FILE` names every problem with its line; `audit schema claim` has all keys.
format: 1

paper:
{paper}

# How the numbers came into this file, and who held every one of them against the page, and when.
transcription: {{source: null, compared: null, verified_by: null, date: null}}

# Tables and figures of the paper that are not in this file:
#   - {{label: Table 7, why: "its cells are not in the text"}}
missing: []

# The paper's data sets by a short name; `catalogue` is the name that all papers share (`audit data list`):
#   eurlex: {{name: EUR-Lex, catalogue: eurlex-4k, printed: {{train: "15,449"}}, content: null}}
{datasets}

# `audit add table FILE --paper {key}` reads one from LaTeX, CSV, Markdown or HTML. By hand:
#   t1:
#     where: {{page: 3, label: Table 1}}
#     caption: Scores of both networks
#     dataset: eurlex
#     source: own_run          # own_run, copied (with from: KEY), code_readme, stated or unknown
#     columns: [P@1, P@3, P@5]
#     rows:
#       - {{id: kim, label: Kim-CNN, experiment: kim, values: ["75.83", "61.08", null]}}   # null for a dash
tables: {{}}

# What the rows report: what is to be run here, or why it cannot be (`audit list` shows the names there are):
#   kim: {{title: Kim-CNN, dataset: eurlex, unavailable: "its code is not public"}}
experiments: {{}}

# How far off still counts as the same number; fixed before the first run, and part of every run record.
margins:
  default: {{value: 0.5, rule: field, why: "half a point, as differences in the field are reported"}}

# What the text states about the tables, in own short words:
#   - {{id: kim, kind: value, of: t1.kim, metric: P@1, says: "Kim-CNN reaches it", where: {{section: "4.2"}}}}
claims: []
"""
