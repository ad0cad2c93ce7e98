"""`audit add claim`, `add experiment` and `add dataset` as a user gives them; what of commands on claim files
cannot be carried out is one sentence each, and the folder stays as it was."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit

FILE = """\
# on top
format: 1
paper: {key: toy, title: A paper}
datasets:
  eurlex: {name: EUR-Lex}   # the usual one
  mean: {name: Average}
tables:
  t1:
    where: {label: Table 1, page: 3}
    caption: scores
    source: own_run
    columns: [{id: e, metric: P@1, dataset: eurlex}, {id: m, metric: P@1, dataset: mean}]
    rows:
      - {id: kim, values: ["75.10", "70.0"]}   # Kim
      - {id: xml, experiment: xml, values: ["76.10", null]}
  t2:
    where: {label: Table 2}
    caption: more
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: kim, values: ["50.00"]}
experiments:
  xml: {title: XML-CNN, dataset: eurlex, unavailable: toy}
margins:
  default: {value: 0.5, rule: field, why: usual}
"""
KIM = ["experiment", "kim", "--title", "Kim-CNN", "--dataset", "eurlex"]
NOT = ["--set", "unavailable=no code"]
LINES = (Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8").splitlines()
CASES = [(line, of[2:]) for line, of in pairwise(LINES) if of.startswith("= ") and not line.startswith("= ")]
SAID = ["--says", "XML-CNN is better", "--set", "section=3.2"]


def add(*arguments: str) -> int:
    return cli.main(["add", *arguments, "--paper", "toy"])


def lines_kept(file: Path) -> bool:
    """Whether all lines of old are there, in their order."""
    new = iter(file.read_text().splitlines())
    return all(any(line == other for other in new) for line in FILE.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        [*KIM, *NOT],
        ["claim", "a", "--kind", "arithmetic", "--set", "expect=t1.xml.e > t2.kim.P@1", *SAID],
        ["dataset", "wiki", "--name", "Wiki10"],
    ],
)
def test_dry_run_shows_the_diff_and_writes_nothing_and_else_old_lines_stay(
    file: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(*arguments, "--dry-run") == Exit.OK
    assert "nothing was written (--dry-run); it would be valid" in capsys.readouterr().out
    assert file.read_text() == FILE
    assert add(*arguments) == Exit.OK
    assert lines_kept(file)


@pytest.mark.parametrize(("line", "sentence"), CASES, ids=[line[:60] for line, _ in CASES])
def test_bad_input_is_one_sentence_and_nothing_is_written(
    line: str, sentence: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("b.csv").write_text("M,P@1\nkim,50.00\n")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert cli.main(shlex.split(line)) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert sentence in err and "+++" not in out
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
