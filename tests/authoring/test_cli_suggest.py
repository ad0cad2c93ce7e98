"""`audit suggest` as a user gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit import cli
from audit.claims.load import load
from audit.errors import Exit

FILE = """\
format: 1
paper: {key: toy, title: A paper}
datasets: {eurlex: {name: EUR-Lex}}
tables:
  t1:
    where: {label: Table 1, page: 3}
    caption: scores
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: full, label: Ours, experiment: full, values: ["75.10"]}
      - {id: less, label: w/o pooling, experiment: less, values: ["74.10"]}
      - {id: bare, label: w/o attention, values: ["73.10"]}
experiments:
  full: {title: all of it, dataset: eurlex, unavailable: toy}   # by hand
  less: {title: less, dataset: eurlex, unavailable: toy}
margins:
  default: {value: 0.5, rule: field, why: usual}
"""
FIRST = "t1-full-over-less-eurlex"


def suggest(*arguments: str) -> int:
    return cli.main(["suggest", "toy", *arguments])


def test_what_is_named_is_added_with_a_sentence_that_says_that_it_is_ours(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert suggest("--accept", FIRST) == Exit.OK
    (claim,) = load(file).claims
    assert (claim.id, claim.kind, claim.cells()) == (FIRST, "order", ("t1.full", "t1.less"))
    assert claim.says.startswith(
        "suggested from Table 1; replace by the paper's sentence: Ours is better than"
    )
    assert file.read_text().startswith(FILE.rstrip("\n")), "nothing else is changed"
    assert "toy.yaml: written; 1 table, 1 claim\n" in capsys.readouterr().out
    assert suggest() == Exit.OK
    assert FIRST not in capsys.readouterr().out


def test_each_is_shown_and_may_bring_the_papers_sentence(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert suggest() == Exit.OK and file.read_text() == FILE
    out = capsys.readouterr().out
    assert "t1-best-full-eurlex  (optimum, Table 1)\n  Ours is the best of 3 in P@1 on EUR-Lex\n" in out
    assert "  cells: t1.full.P@1, t1.less.P@1\n" in out
    assert suggest("--accept", FIRST, "--says", "Pooling: it helps", "--set", "page=5") == Exit.OK
    (claim,) = load(file).claims
    assert (claim.id, claim.says, claim.where.page) == (FIRST, "Pooling: it helps", 5)


def test_ten_are_shown_and_all_of_them_where_that_is_asked_for(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Full is one of the twelve without a part: twelve pairs and the best."""
    rows = "".join(f'      - {{id: p{k}, label: w/o part {k}, values: ["{k}.10"]}}\n' for k in range(10))
    file.write_text(FILE.replace("experiments:\n", f"{rows}experiments:\n"))
    for arguments, number in (((), 10), (("--all",), 13)):
        assert suggest(*arguments) == Exit.OK
        out = capsys.readouterr().out
        assert out.count("  why: ") == number and "\n13 suggestions" in out
        assert ("--all shows all" in out) is (number == 10)
