"""`audit run --columns`: every split column for itself, with a report of its own; one table of the noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Audit
from audit.runner import execute
from reimpl import linear
from reimpl.data.dataset import Dataset
from reimpl.data.formats import open_corpus
from reimpl.training import Result
from tests.cli import record as record_of
from tests.cli import refused
from tests.runner.papers import write_columns, write_linear_paper
from tests.stand_ins import train_at_once

RUN = ("run", "linear.yaml", "--data", "columns", "--jobs", "1", "--columns", "0-2")


@pytest.fixture(autouse=True)
def path(folder: Path) -> Path:
    write_columns(folder / "columns")
    return write_linear_paper(folder)


@pytest.fixture
def known(path: Path) -> None:
    """The claim file names the documents of the columns, in any split."""
    corpus = open_corpus(Path("columns@0"))
    assert isinstance(corpus, Dataset)
    path.write_text(path.read_text().replace("name: Corpus,", f"name: Corpus, corpus: {corpus.corpus},"))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Column c with seed s gives 70 + 2 c + s / 2, of a model that declares nothing of seeds."""
    train_at_once(monkeypatch, lambda job, data: 70.0 + 2 * data.counts["split.column"] + job.spec.seed / 2)
    monkeypatch.setattr(linear, "DETERMINISTIC", False)


def record(column: int) -> Audit:
    return record_of(f"linear2024-columns@{column}")


def seeds(column: int) -> list[tuple[int, float]]:
    [svm] = [it for it in record(column).experiments if it.id == "svm"]
    assert {run.data.split_column for run in svm.runs} == {column}
    return [(run.spec.seed, run.metrics["P@1"]) for run in svm.runs]


def test_each_column_is_judged_by_its_own_runs_alone(
    trained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*RUN, "--seeds", "3"]) == Exit.OK
    assert seeds(0) == [(0, 70.0), (1, 70.5), (2, 71.0)]
    assert (seeds(1), seeds(2)) == ([(0, 72.0)], [(0, 74.0)])
    verdicts = {c: next(v for v in record(c).verdicts if v.claim == "svm-value:P@1") for c in range(3)}
    assert {c: it.n for c, it in verdicts.items()} == {0: (3,), 1: (1,), 2: (1,)}
    assert {it.scope for it in verdicts.values()} == {"other_data"}
    out = capsys.readouterr()
    assert "svm  P@1     72.00  2.00        0.50      1.94" in out.out
    assert "3 seeds on column 0, one seed on the others; 5 runs" in out.err
    assert "svm seed 0 column 2: P@1 74.00" in out.err


def test_a_printed_number_has_a_verdict_under_each_reading_of_its_split(
    trained: None, known: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """70, 72, 74 against 80.00: d = -8, s = 2, t = 7.495 / (2 sqrt(4/3)) = 3.245 with 2 df: p = .083."""
    cli.main([*RUN, "--seeds", "4"])
    out = capsys.readouterr().out
    assert "svm P@1, printed 80.00\n  one unknown split: inconclusive (one lucky split would explain" in out
    # s = sqrt(5/12) / 1 = 0.6455 of 70, 70.5, 71, 71.5: t = 7.495 / (0.6455 sqrt(2/3)) = 14.2 with 3 df
    assert "  mean of these 3: contradicted (outside the margin, even allowing for other seeds; p (re" in out
    page = Path("audit-report/linear2024-columns@1/report.html").read_text()
    assert "one unknown column: inconclusive; mean of 3: contradicted." in page


@pytest.mark.parametrize(
    "change",
    [
        {"as_mean": {"outcome": "reproduced"}},
        {"as_one_split": {"p_contradicted": 0.01}},
        {"as_mean": {"margin": 9.0}},
        {"claim": "svm-value:P@3"},
        {"claim": "no-such-claim:P@1"},
    ],
)
def test_a_record_whose_readings_of_the_split_were_altered_is_refused(
    trained: None, known: None, change: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main([*RUN, "--seeds", "4"])
    path = Path("audit-report/linear2024-columns@1/audit.json")
    content = json.loads(path.read_text())
    assert cli.main(["report", str(path)]) == Exit.OK
    noise = content["splits"]["noise"][0]
    for key, value in change.items():
        noise[key] = noise[key] | value if isinstance(value, dict) else value
    path.write_text(json.dumps(content))
    assert cli.main(["report", str(path)]) == Exit.BAD_INPUT
    assert "audit.json" in capsys.readouterr().err


def test_a_column_that_was_run_otherwise_is_no_column_of_the_same_experiment(trained: None) -> None:
    cli.main([*RUN, "--seeds", "1"])
    one = ["run", "linear.yaml", "--data", "columns@2", "--jobs", "1", "--seeds", "1"]
    cli.main([*one, "--precision", "bf16"])
    found = record(2).splits
    assert found is not None and found.noise[0].columns == (0, 1)
    assert found.left_out == ("svm: column 2 was run with other settings than the others.",)


def test_a_column_whose_run_is_gone_leaves_no_mean_of_the_others(
    trained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main([*RUN, "--seeds", "1"])
    assert record(0).splits is not None
    [svm] = [it for it in record(1).experiments if it.id == "svm"]
    Path(f"audit-runs/{svm.runs[0].key}.json").unlink()
    capsys.readouterr()
    cli.main(["judge", "linear.yaml"])
    assert "svm: 1 of 1 run is gone (seed 0): run again" in capsys.readouterr().err
    found = record(0).splits
    assert found is None or "svm" not in {it.experiment for it in found.noise}
    cli.main([*RUN, "--seeds", "1"])
    again = record(0).splits
    assert again is not None and again.noise[0].columns == (0, 1, 2)


def test_the_page_of_each_column_shows_all_of_them(trained: None, known: None) -> None:
    cli.main([*RUN, "--seeds", "2"])
    for column in range(3):
        page = Path(f"audit-report/linear2024-columns@{column}/report.html").read_text()
        assert "3 split columns of “columns”" in page
        assert '<a href="#splits">Split columns</a>' in page
        # 80.00 against 72 -+ 4.3027 * 2 * sqrt(4 / 3) = 9.94, and 72 -+ 12.706 * 0.3536 * sqrt(2 / 3) = 3.67
        assert "62.06 to 81.94; 80.00 is inside" in page
        assert "68.33 to 75.67; 80.00 is 4.33 above" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--columns", "0-1"), "--columns 0-1: the synthetic corpus has one split; give --data too"),
        (("--columns", "0-1", "--data", "columns", "--until-settled"), "one column, as in --data columns@0"),
        (("--columns", "0-3", "--data", "columns"), "columns: column 3 of 3; give 0 to 2"),
        (("--data", "corpus@1"), "corpus: this corpus has one split; leave out @1"),
        (("--data", "columns"), "3 splits, one a column; state --data DIR@0 to --data DIR@2\n"),
    ],
)
def test_commands_that_cannot_be_meant_are_answered_in_a_sentence(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, "run", "linear.yaml", *words)


def test_a_failed_column_is_told_and_counted(
    trained: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original = execute.train_job

    def train(job: Any, data: Any, *rest: Any) -> Result:
        if data.counts["split.column"] == 1:
            raise RuntimeError("no luck")
        return original(job, data, *rest)

    monkeypatch.setattr(execute, "train_job", train)
    assert cli.main([*RUN, "--seeds", "1"]) == Exit.RUNS_FAILED
    out = capsys.readouterr()
    assert "(2 of 3 columns)" in out.out and "1 run failed" in out.out
    assert "1 of 3 runs failed (RuntimeError: no luck)" in out.err
