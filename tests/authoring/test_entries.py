"""`audit add claim`, `add experiment` and `add dataset` as a user gives them, and the keys that they take."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from audit import cli
from audit.claims.load import load
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
RUN = ["--model", "xml_cnn", "--set", "variant=kim2014", "--set", "protocol=chen2022"]
RUN += ["--set", "recipe=study2022"]
NOT = ["--set", "unavailable=no code"]
ORDER = ["claim", "better", "--kind", "order", "--set", "better=xml", "--set", "worse=t1.kim.e"]
SAID = ["--says", "XML-CNN is better", "--set", "section=3.2"]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("toy.yaml")
    path.write_text(FILE)
    return path


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def add(*arguments: str) -> int:
    return cli.main(["add", *arguments, "--paper", "toy"])


def lines_kept(file: Path) -> bool:
    """Whether all lines of old are there, in their order."""
    new = iter(file.read_text().splitlines())
    return all(any(line == other for other in new) for line in FILE.splitlines())


# --------------------------------------------------------------------------- experiments


def test_an_experiment_is_added_with_the_rows_that_report_it(file: Path) -> None:
    assert add(*KIM, *RUN, "--row", "t2.kim") == Exit.OK
    paper = load(file)
    held = paper.experiments["kim"]
    assert (held.title, held.dataset, held.model, held.variant) == ("Kim-CNN", "eurlex", "xml_cnn", "kim2014")
    assert paper.table_records()[1].rows[0].cells[0].experiment == "kim"
    assert "# on top\n" in file.read_text() and "# the usual one\n" in file.read_text()


def test_an_experiment_by_questions(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "Kim-CNN\neurlex\nxml_cnn\nkim2014\nchen2022\nstudy2022\nt2.kim\n\n")
    assert add("experiment", "kim") == Exit.OK
    held = load(file).experiments["kim"]
    assert (held.title, held.variant, held.recipe) == ("Kim-CNN", "kim2014", "study2022")


# --------------------------------------------------------------------------- claims


def test_a_claim_by_flags_is_the_entry_that_a_person_would_write(file: Path) -> None:
    assert add(*KIM, *NOT, "--row", "t1.kim") == Exit.OK
    assert add(*ORDER, "--metric", "P@1", *SAID, "--set", "page=4", "--set", "primary=true") == Exit.OK
    (claim,) = load(file).claims
    assert (claim.id, claim.kind, claim.primary, claim.metric) == ("better", "order", True, ("P@1",))
    assert (claim.where.section, claim.where.page) == ("3.2", 4)
    assert file.read_text().endswith(
        "claims:\n"
        "  - id: better\n    kind: order\n    better: xml\n    worse: t1.kim.e\n    primary: true\n"
        '    metric: P@1\n    says: XML-CNN is better\n    where: {section: "3.2", page: 4}\n'
    )


def test_a_claim_by_questions_asks_again_what_cannot_be_meant(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kind, expect, says, five that may be left out, where, and the last word."""
    answers(monkeypatch, "sum\narithmetic\nit is more\nt1.xml.e > t2.kim.P@1\n\n\n\n\n\n\n4\n\n\n")
    assert add("claim", "more") == Exit.OK
    (claim,) = load(file).claims
    assert (claim.kind, claim.says, claim.where.page) == ("arithmetic", "it is more", 4)
    held = capsys.readouterr()
    assert "  arithmetic     A sentence with a number in it, held against the tables.\n" in held.out
    assert "there is no kind of claim 'sum'" in held.err
    assert "expect: The statement as an expression" in held.err


# --------------------------------------------------------------------------- data sets


def test_a_data_set_by_flags_or_by_questions(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The catalogue's entries with a name like it are told."""
    printed = ["--set", 'printed={train: "15,449", labels: "3,956"}']
    assert (
        add("dataset", "wiki", "--name", "Wiki10-31K", "--set", "catalogue=wiki10-31k", *printed) == Exit.OK
    )
    held = load(file).datasets["wiki"]
    assert (held.catalogue, held.printed) == ("wiki10-31k", {"train": "15,449", "labels": "3,956"})
    assert add("dataset", "again", "--name", "Wiki10 (31K)") == Exit.OK
    assert "the catalogue has wiki10-31k" in capsys.readouterr().out
    answers(monkeypatch, "AmazonCat 13k\namazoncat-13k\n{train: 1186239}\n\n\n")
    assert add("dataset", "cat") == Exit.OK
    assert load(file).datasets["cat"].catalogue == "amazoncat-13k"


# --------------------------------------------------------------------------- all three


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*KIM[:1], "xml", *KIM[2:], *NOT], "experiments.xml is there already, and is kept"),
        ([*KIM, "--set", "unavailable"], "--set 'unavailable': write KEY=VALUE"),
        ([*ORDER, *SAID], "claims[0].worse: t1.kim.e has no experiment"),
        (["dataset", "b", "--name", "x", "--set", "catalogue=eurlexx"], "'eurlexx' is unknown"),
    ],
)
def test_bad_input_is_told_and_leaves_the_file_alone(
    file: Path,
    arguments: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers(monkeypatch, "")
    assert add(*arguments) == Exit.BAD_INPUT
    held = capsys.readouterr()
    assert sentence in held.err and "+++" not in held.out
    assert file.read_text() == FILE and [it.name for it in Path().iterdir()] == ["toy.yaml"]


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
