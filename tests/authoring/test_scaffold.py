"""A new claim file is valid as it is, keeps what it is given, and takes nobody's place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.authoring.scaffold import SCHEMA_NAME, Citation, write_scaffold
from audit.claim import json_schema, load
from audit.errors import AuditError, ClaimFileError

FULL = Citation(
    "toy2026",
    'Words: "quoted" # and {braces}',
    ("A. Á", "B, C"),
    "ACL",
    2026,
    "https://a.b/c",
    "https://d",
    "1e5",
)


def test_a_scaffold_is_valid_and_holds_what_is_known_of_the_paper(tmp_path: Path) -> None:
    paper = write_scaffold(tmp_path / "a" / "toy.yaml", FULL, [("eurlex-4k", "EUR-Lex")])
    assert paper == load(tmp_path / "a" / "toy.yaml")
    info = paper.info()
    assert (info.key, info.title, info.authors, info.venue, info.year) == (
        *("toy2026", 'Words: "quoted" # and {braces}', ("A. Á", "B, C"), "ACL", 2026),
    )
    assert (info.url, info.code_url, info.code_commit) == ("https://a.b/c", "https://d", "1e5")
    assert paper.datasets["eurlex_4k"].catalogue == "eurlex-4k"
    assert not paper.tables and not paper.claims and list(paper.margins) == ["default"]


def test_its_first_line_leads_editors_to_the_schema_beside_it(tmp_path: Path) -> None:
    write_scaffold(tmp_path / "toy.yaml", FULL)
    first = (tmp_path / "toy.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=claim.schema.json"
    assert json.loads((tmp_path / SCHEMA_NAME).read_text(encoding="utf-8")) == json_schema()


def test_what_its_comments_show_is_valid_once_it_is_no_comment(tmp_path: Path) -> None:
    """Every commented example of an entry, taken in."""
    path = tmp_path / "toy.yaml"
    write_scaffold(path, FULL)
    names = ["missing", "datasets", "tables", "experiments", "claims"]
    lines = path.read_text(encoding="utf-8").splitlines()
    examples = [line.removeprefix("# ") for line in lines if line.startswith("#   ")]
    starts = [k for k, line in enumerate(examples) if line[2] != " "]
    blocks = [examples[a:b] for a, b in zip(starts, [*starts[1:], len(examples)], strict=True)]
    body = "\n".join(f"{name}:\n" + "\n".join(block) for name, block in zip(names, blocks, strict=True))
    empty = [f"{name}: {brackets}" for name in names for brackets in ("{}", "[]")]
    kept = "\n".join(line for line in lines if not line.startswith("#") and line not in empty)
    path.write_text(f"{kept}\n{body}\n", encoding="utf-8")
    paper = load(path)
    assert [len(getattr(paper, it)) for it in names] == [1, 1, 1, 1, 1]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "toy.yaml").write_text("mine")
    with pytest.raises(AuditError, match="there is such a file, and it is kept; choose another name"):
        write_scaffold(tmp_path / "toy.yaml", FULL)
    (tmp_path / SCHEMA_NAME).write_text("{}")
    write_scaffold(tmp_path / "other.yaml", FULL)
    assert (tmp_path / "toy.yaml").read_text() == "mine" and (tmp_path / SCHEMA_NAME).read_text() == "{}"


def test_a_key_that_is_none_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ClaimFileError, match=r"paper\.key: 'to y' is not of the right form"):
        write_scaffold(tmp_path / "toy.yaml", Citation("to y", "A"))
    assert not list(tmp_path.iterdir())
