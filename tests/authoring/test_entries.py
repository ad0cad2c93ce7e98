"""`audit add claim`, `add experiment` and `add dataset` as a user gives them, and the keys that they take."""

from __future__ import annotations

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


# --------------------------------------------------------------------------- data sets


def test_a_data_set_is_added_with_what_is_printed_of_it(file: Path) -> None:
    printed = ["--set", 'printed={train: "15,449", labels: "3,956"}', "--set", "catalogue=wiki10-31k"]
    assert add("dataset", "wiki", "--name", "Wiki10-31K", *printed) == Exit.OK
    held = load(file).datasets["wiki"]
    assert (held.catalogue, held.printed) == ("wiki10-31k", {"train": "15,449", "labels": "3,956"})


# --------------------------------------------------------------------------- all three


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
