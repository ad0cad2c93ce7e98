"""`audit import` and `audit judge` as a user gives them."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Audit, Verdict
from reports.lookup import Lookup
from reports.protocol import rerun_box
from tests.cli import record as record_of
from tests.cli import told
from tests.importing.rows import ROWS, write_rows
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.stand_ins import train_at_once

IMPORT = ("import", "r.csv", "--paper", "toy.yaml")
JUDGE = ("judge", "toy.yaml")
RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1")


@pytest.fixture(autouse=True)
def table(folder: Path) -> Path:
    return write_rows(folder / "r.csv")


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words reach 70 and letters 30 here."""
    means = {"words": 70.0, "embeddings": 30.0}
    train_at_once(monkeypatch, lambda job, _: means[job.spec.config["sweep"]] + 0.1 * job.spec.seed)


def record(report: str = "toy2024") -> Audit:
    return record_of(report)


def order() -> Verdict:
    return record().verdicts[0]


# --------------------------------------------------------------------------- from a table to a verdict


def test_a_table_of_others_becomes_a_verdict_in_two_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*IMPORT, "--by", "J. Doe, LibMultiLabel 0.7"]) == Exit.OK == 0
    assert capsys.readouterr().out.splitlines() == [
        "7 runs imported for toy2024, 1 of them failed; not verified here",
        "  letters: seeds 0, 1, 2, 3 (failed); mean P@1 40.20",
        "  words: seeds 0, 1, 2; mean P@1 80.20",
        "  the data are not known to be the paper's own, so they cannot judge printed values: declare "
        "--fingerprint, --same-data and why, or --other-split and why",
        "  not stated to be the authors' code (--authors-code), so it cannot contradict a claim",
        "`audit judge toy.yaml --store audit-runs` judges them",
    ]
    assert cli.main(JUDGE) == Exit.OK
    assert "2 judgements: 1 reproduced, 0 contradicted" in capsys.readouterr().out
    assert (order().outcome, order().n, order().attempts) == ("reproduced", (3, 3), (3, 4))
    assert order().estimate == pytest.approx(40.0)
    assert record().verdicts[1].reason == "other_data"
    page = Path("audit-report/toy2024/report.html").read_text()
    for text in ("imported, not verified here", "J. Doe, LibMultiLabel 0.7", "as the import calls it"):
        assert text in page
    assert cli.main(["report"]) == Exit.OK  # the page again, from audit.json alone


def test_the_commands_on_the_page_import_and_judge_the_same_again() -> None:
    """A file of several data sets is imported by one command, which names none of them."""
    cells = [
        (f"impl_tuned-{name}", name, "P@1", seed) for name in ("eurlex", "wiki10_31k") for seed in range(3)
    ]
    write_rows(Path("r.csv"), [(*cell, "79.5") for cell in cells])
    assert cli.main(["import", "r.csv", "--paper", "chen2022"]) == Exit.OK
    assert cli.main(["judge", "chen2022"]) == Exit.OK
    first = record("chen2022")
    shutil.rmtree("audit-runs")
    for command in rerun_box(Lookup(first)).command.split(" && "):
        assert cli.main(shlex.split(command)[1:]) == Exit.OK
    assert record("chen2022").verdicts == first.verdicts


def test_no_path_of_the_machine_is_in_an_export(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a blind review."""
    monkeypatch.setenv("HOME", str(folder.parent))
    for command in (IMPORT, JUDGE):
        assert cli.main([*command, "--store", f"{folder.parent}/s"]) == Exit.OK
    assert cli.main(["report", "--also", "all"]) == Exit.OK
    assert not [it for it in Path("audit-report").rglob("*.*") if str(folder) in it.read_text("utf-8")]
    monkeypatch.setenv("HOME", "/home/nobody")
    assert cli.main([*JUDGE, "--store", f"{folder.parent}/s", f"--out={folder}/audit-report"]) == Exit.OK
    assert record().command.endswith("--store /path/to/s --out=audit-report")


def test_another_split_goes_into_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """With its reason and its number of documents; without the number that is asked for."""
    assert cli.main([*IMPORT, "--other-split", "a random fifth"]) == Exit.OK
    assert "another split of unknown test size" in capsys.readouterr().out
    again = (*IMPORT, "--other-split", "a random fifth", "--test-size", "400", "--replace")
    assert cli.main(again) == Exit.OK
    assert "test documents" not in capsys.readouterr().out
    assert cli.main(JUDGE) == Exit.OK
    verdict = record().verdicts[1]
    assert verdict.scope == "other_split"
    assert verdict.se is not None
    page = Path("audit-report/toy2024/report.html").read_text()
    assert "another split, as stated: a random fifth" in page


def test_the_authors_code_may_contradict_and_that_is_1() -> None:
    turned = [("letters" if row[0] == "words" else "words", *row[1:]) for row in ROWS]
    write_rows(Path("r.csv"), turned)
    ours = ("--same-data", "their download")
    assert cli.main([*IMPORT, "--authors-code", "github.com/x@1", *ours]) == Exit.OK
    assert cli.main(JUDGE) == Exit.CONTRADICTED == 1
    assert cli.main([*IMPORT, "--store", "other"]) == Exit.OK
    assert cli.main([*JUDGE, "--store", "other", "--out", "there"]) == Exit.OK


def test_a_value_is_not_exchanged_after_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """That would be a second look at the same seeds, which nobody counts; before any verdict it may be."""
    assert cli.main(IMPORT) == Exit.OK
    write_rows(Path("r.csv"), [(*row[:4], "80.5" if row[:4] == ROWS[0][:4] else row[4]) for row in ROWS])
    assert cli.main([*IMPORT, "--replace"]) == Exit.OK
    assert cli.main(JUDGE) == Exit.OK
    write_rows(Path("r.csv"))
    assert cli.main([*IMPORT, "--replace"]) == Exit.BAD_INPUT
    assert "a second look at the same seeds; import all results into a new --store" in capsys.readouterr().err


def test_predictions_are_scored_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("truth.jsonl"), TRUTH, scored=False)
    write(Path("p0.jsonl"), LISTS, scored=True)
    write(Path("p1.jsonl"), {**LISTS, "d3": ["d", "b", "a"]}, scored=True)
    options = "--paper toy.yaml --truth truth.jsonl --experiment words --dataset corpus --seed 0 --seed 1"
    assert cli.main(["import", "p0.jsonl", "p1.jsonl", *options.split()]) == Exit.OK
    assert "words: seeds 0, 1; mean P@1 50.00" in capsys.readouterr().out
    assert cli.main(JUDGE) == Exit.OK
    page = html.unescape(Path("audit-report/toy2024/report.html").read_text())
    again = "--experiment words --seed 0 --seed 1 --truth truth.jsonl"
    assert again in page
    words = next(it for it in record().experiments if it.id == "words")
    assert [(run.metrics, run.data.n_test) for run in words.runs] == [({"P@1": 50.0}, 4)] * 2


# --------------------------------------------------------------------------- beside our own runs


@pytest.mark.usefixtures("trained")
def test_judge_gives_from_the_store_what_run_gave(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*RUN, "--seeds", "3"]) == Exit.OK
    ran = record("toy2024-corpus")
    Path("audit-report/toy2024-corpus/audit.json").unlink()
    assert cli.main(JUDGE) == Exit.OK
    again = record("toy2024-corpus")
    assert again.verdicts == ran.verdicts
    assert again.looks == ran.looks
    assert again.fidelity == ran.fidelity
    assert [(it.id, it.scope, it.deviations, it.not_run) for it in again.experiments] == [
        (it.id, it.scope, it.deviations, it.not_run) for it in ran.experiments
    ]
    assert again.command == f"{ran.command} && audit judge toy.yaml"


def test_judging_again_is_no_second_look_and_more_seeds_are() -> None:
    cli.main(IMPORT)
    for _ in range(2):
        cli.main(JUDGE)
    assert [look.seeds for look in record().looks] == [4]  # one of which failed
    more = [(name, "corpus", "P@1", seed, "50.0") for name in ("words", "letters") for seed in (4, 5)]
    write_rows(Path("r.csv"), [*ROWS, *more])
    cli.main(IMPORT)
    cli.main(JUDGE)
    assert [(look.seeds, look.level) for look in record().looks] == [(4, 0.04), (6, 0.005)]
    assert "Looks at 4 seeds (level 4%) and 6 seeds (level 0.5%)" in " ".join(record().about_looks)


@pytest.mark.usefixtures("trained")
def test_a_printed_value_is_judged_by_imported_runs_on_the_paper_s_own_data(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Beside ours on other data, by which the order is judged; one line says so, and the page shows it."""
    write_rows(Path("r.csv"), ROWS[:3])
    cli.main([*IMPORT, "--same-data", "their download"])
    for command in ([*RUN, "--seeds", "3"], JUDGE):
        capsys.readouterr()
        assert cli.main(command) == Exit.OK
        err = capsys.readouterr().err
        assert "\n1 experiment has runs of both kinds: ours are judged (--evidence imported" in f"\n{err}"
        assert "\nimported runs judge the printed values of 1 experiment: their data are closer to" in err
        words, value = record("toy2024-corpus").verdicts
        assert [float(np.mean(values)) for values in words.values] == pytest.approx([70.1, 30.1])
        assert value.values == ((80.1, 80.3, 80.2),)
        assert (value.outcome, value.scope) == ("reproduced", "same_data")
    page = Path("audit-report/toy2024-corpus/report.html").read_text()
    assert "Words (imported)" in page
    assert cli.main(["explain", "words-value"]) == Exit.OK
    assert "words (imported)" in capsys.readouterr().out
    assert cli.main(["plan"]) == Exit.OK


# --------------------------------------------------------------------------- what cannot be used

BAD: list[tuple[list[str], str]] = [
    (["import", "none.csv", "--paper", "toy.yaml"], r"^audit: none\.csv: No such file or directory; give a"),
    (["import", "r.csv", "--paper", "toys"], "'toys' is neither a file nor a built-in paper"),
    ([*IMPORT, "--unit", "points"], "--unit 'points' is unknown; add --unit percent or --unit fraction"),
    ([*IMPORT, "--authors-code", "no"], "--authors-code 'no' is no code; give its address and commit"),
    ([*IMPORT, "--same-data", "Yes."], "--same-data 'Yes.' is no reason; say how you know"),
    (["judge", "toy.yaml"], "audit-runs: no such folder; `audit run` and `audit import` make it"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD, ids=lambda it: " ".join(it) if isinstance(it, list) else ""
)
def test_what_cannot_be_used_is_one_clear_line_and_nothing_is_written(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == Exit.BAD_INPUT == 2
    assert re.search(message, told(capsys).splitlines()[0])
    assert not list(Path("audit-runs").glob("*.json"))


def test_a_name_that_is_no_data_set_of_the_paper_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(Path("n.csv"), [(row[0], *row[2:]) for row in ROWS], ("experiment", "metric", "seed", "value"))
    command = ["import", "n.csv", "--paper", "toy.yaml", "--dataset", "nods"]
    assert cli.main([*command, "--same-data", "the authors' files", "--store", "own"]) == Exit.OK
    out = capsys.readouterr().out
    assert "  'nods' is not a data set of toy2024, and judged as 'Corpus' as declared\n" in out
    assert cli.main(command) == Exit.OK
    [said] = [line for line in capsys.readouterr().out.splitlines() if "printed values" in line]
    assert "of toy2024: its printed values are not judged on it, but comparisons are" in said
    assert cli.main(JUDGE) == Exit.OK
    assert record().verdicts[1].reason == "other_data"
    assert (order().outcome, order().scope) == ("reproduced", "other_data")
