"""`audit report`: what is written beside the page, figures, and what changed between two records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.judging.looks import judge_by
from audit.judging.verdicts import judge_of
from audit.record import Audit, FidelityCheck, to_json
from tests.cli import python, refused
from tests.reports.every_kind import every_kind


def sound() -> Audit:
    """A claim of every kind, with the verdicts that its own runs and gate give."""
    audit = replace(every_kind(), fidelity=(FidelityCheck("xml_cnn", "sizes", True, "as printed"),))
    return replace(
        audit, verdicts=judge_by(audit.looks, {it.id: it for it in audit.experiments}, judge_of(audit))
    )


#: Of the claims some are contradicted; what is written is the same.
ENDED = (Exit.OK, Exit.CONTRADICTED)


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record in a folder of its own, which is where commands are given."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "audit-report" / "toy" / "audit.json"
    path.parent.mkdir(parents=True)
    path.write_text(to_json(sound()))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_is_asked_for_is_written_and_named(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--also", "junit, csv"]) in ENDED
    assert names(record.parent) == {"audit.json", "report.html", "report.csv", "report.junit.xml"}
    told = capsys.readouterr().out.splitlines()
    assert told[-4:] == [
        "report: audit-report/toy/report.html",
        "record: audit-report/toy/audit.json",
        "also: audit-report/toy/report.csv",
        "also: audit-report/toy/report.junit.xml",
    ]


def test_what_stands_beside_the_page_is_never_older_than_it(record: Path) -> None:
    """It is renewed by every command that writes the page; what is not there does not appear."""
    (record.parent / "report.md").write_text("of another day")
    assert cli.main(["report"]) in ENDED
    assert (record.parent / "report.md").read_text().startswith("## Audit of ")
    assert "report.csv" not in names(record.parent)


@pytest.mark.parametrize("text", ["pdf", "csv,", "", "all,csv"])
def test_an_unknown_name_is_told_with_the_known_ones(
    text: str, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    err = refused(capsys, "report", "--also", text)
    assert err.startswith("audit: --also '")
    assert "known are csv, markdown, junit, latex, and all" in err
    assert names(record.parent) == {"audit.json"}


# --------------------------------------------------------------------------- --figures


def test_the_figures_are_files_in_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--figures", "figures"]) in ENDED
    files = sorted(it.name for it in Path("figures").iterdir())
    assert "comparisons.svg" in files and "claim-the-order.svg" in files
    assert all(name.endswith(".svg") for name in files)
    assert f"figures: {len(files)} in figures\n" in capsys.readouterr().out


def test_a_report_without_figures_does_not_load_matplotlib() -> None:
    script = "import sys; from audit.cli import main; main(['report']); sys.exit('matplotlib' in sys.modules)"
    assert python("-c", script).returncode == 0


# --------------------------------------------------------------------------- --diff


def write(name: str, audit: Audit) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(audit))
    return name


def opened(audit: Audit) -> Audit:
    """The audit before any run: every verdict open."""
    experiments = tuple(replace(it, runs=()) for it in audit.experiments)
    verdicts = tuple(type(it)(it.claim, "inconclusive", "not_run") for it in audit.verdicts)
    return replace(audit, experiments=experiments, verdicts=verdicts)


def test_something_became_contradicted_is_1_and_the_other_way_round_0(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert any(it.outcome == "contradicted" for it in sound().verdicts)
    old, new = write("old/audit.json", opened(sound())), write("new/audit.json", sound())
    assert cli.main(["report", "--diff", old, new]) == Exit.CONTRADICTED
    assert "– → ✗" in capsys.readouterr().out
    assert cli.main(["report", "--diff", new, old]) == Exit.OK


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--figures", "f", "--figure-format", "svg,eps"], "--figure-format 'eps' is unknown; known are svg"),
        (["--diff", "a.json", "b.json", "--figures", "f"], "--diff only compares two records"),
        (["--diff", "old.json", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["--diff", "old.json", "old.json", "--also", "csv"], "--diff only compares two records"),
        (["old.json", "--diff", "old.json", "old.json"], "--diff only compares two records"),
        (["--diff", "old.json"], "--diff"),
    ],
)
def test_what_cannot_be_drawn_or_compared_is_told_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("old.json", sound())
    assert message in refused(capsys, "report", *arguments)
    assert not Path("f").exists()
