"""A new claim file: valid as it is, with a comment on what goes where, and the schema for editors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from audit.authoring.edit import SCHEMA_LINE, create, rendered
from audit.claims.load import KnownNames, Paper, json_schema
from audit.claims.schema import Citation
from audit.claims.source import Plain
from audit.storage.files import explained, write

SCHEMA_NAME = "claim.schema.json"


def write_scaffold(
    path: Path,
    paper: Mapping[str, Plain],
    datasets: Sequence[tuple[str, str]] = (),
    known: KnownNames | None = None,
) -> Paper:
    """Write a claim file without tables, and the JSON Schema beside it unless something stands there.

    `paper`: the keys of `paper:` that are known. `datasets`: keys of the catalogue, each with its name.
    Raises `AuditError` where there is a file of that name.
    """
    held = "\n".join(
        f"  {key.replace('-', '_')}: {rendered({'name': name, 'catalogue': key, 'content': None}, flow=True)}"
        for key, name in datasets
    )
    keys = {"authors": [], **paper}
    cited = "\n".join(f"  {key}: {rendered(keys.get(key), flow=True)}" for key in Citation.model_fields)
    named = f"datasets:\n{held}" if held else "datasets: {}"
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    created = create(path, _TEXT.format(paper=cited, datasets=named, key=paper["key"]), known=known)
    schema = path.parent / SCHEMA_NAME
    if not schema.exists():
        with explained(schema):
            write(schema, (json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    return created


_TEXT = (
    f"{SCHEMA_LINE}{SCHEMA_NAME}\n"
    + """\
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
)
