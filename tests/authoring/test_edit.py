"""Edits of a claim file: every other character stays, nothing is replaced, nothing invalid is written."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from audit.authoring.edit import ClaimFile
from audit.claims.load import builtin_claims, load
from audit.errors import AuditError, ClaimFileError

FILE = """\
# a comment on top
format: 1
paper: {key: toy, title: A paper}   # not yet more

datasets:
  # the one that all use
  eurlex: {name: EUR-Lex,
           catalogue: eurlex-4k}

tables:
  t1:
    where: {label: Table 1}
    caption: scores
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: a, values: ["75.10"]}   # as printed

# nothing was run yet
experiments: {}  # none
margins:
  default: {value: 0.5, rule: field, why: usual}
"""
TABLE = {
    "where": {},
    "caption": "a: b",
    "dataset": "eurlex",
    "source": "own_run",
    "columns": ["P@1"],
    "rows": [{"id": "b", "values": ["1.50"]}],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(FILE)
    return path


def test_what_would_be_invalid_is_refused_with_the_lines_of_the_loader_and_not_written(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), {**TABLE, "dataset": "eurlexx"})
    with pytest.raises(ClaimFileError) as caught:
        file.save()
    assert caught.value.problems[0].startswith(f"{path}: not changed: the result would not be valid")
    assert caught.value.problems[1].startswith(f"{path}:22: tables.t2.dataset: there is no data set 'eurle")
    assert path.read_text() == FILE and [it.name for it in path.parent.iterdir()] == ["toy.yaml"]


def test_a_file_that_changed_meanwhile_is_not_replaced(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), TABLE)
    path.write_text(FILE + "# another hand\n")
    with pytest.raises(AuditError, match="another program changed it meanwhile"):
        file.save()
    assert path.read_text() == FILE + "# another hand\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(path: Path, line_end: str, start: str) -> None:
    path.write_bytes((start + FILE).replace("\n", line_end).encode())
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), TABLE)
    file.save()
    text = path.read_bytes().decode()
    assert text.startswith(start + "# a comment") and text.count("\n") == text.count(line_end)
    assert len(load(path).tables) == 2


@pytest.mark.parametrize("source", builtin_claims(), ids=lambda path: path.stem)
def test_in_every_paper_all_lines_stay_and_the_content_is_what_was_put(source: Path, tmp_path: Path) -> None:
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    file = ClaimFile.open(path)
    new = {**TABLE, "dataset": next(iter(file.paper.datasets)), "caption": "x"}
    file.put(("tables", "t999"), new)
    file.append(("missing",), {"label": "Table 99", "why": "none"})
    removed = [line for line in file.diff().splitlines()[2:] if line.startswith("-")]
    assert not removed
    before, after = (yaml.safe_load(text) for text in (file.old, file.text))
    assert after["tables"].pop("t999") == new
    assert after["missing"].pop() == {"label": "Table 99", "why": "none"}
    assert after == {"missing": [], **before}
    file.save()
