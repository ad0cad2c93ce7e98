"""`audit add claim`, `add experiment` and `add dataset` as a user gives them, and the keys that they take."""

from __future__ import annotations

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
SAID = ["--says", "XML-CNN is better", "--set", "section=3.2"]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("toy.yaml")
    path.write_text(FILE)
    return path


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
