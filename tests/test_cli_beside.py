"""`audit report --also`: what is written beside the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.judging.assemble import judge_of
from audit.judging.looks import judge_by
from audit.record import Audit, FidelityCheck, to_json
from tests.reports.every_kind import every_kind
from tests.runner.papers import write_corpus, write_paper


def sound() -> Audit:
    """A claim of every kind, with the verdicts that its own runs and gate give."""
    audit = replace(every_kind(), fidelity=(FidelityCheck("xml_cnn", "sizes", True, "as printed"),))
    return replace(
        audit, verdicts=judge_by(audit.looks, {it.id: it for it in audit.experiments}, judge_of(audit))
    )


#: Of the claims some are contradicted; what is written is the same.
ENDED = (Exit.OK, Exit.CONTRADICTED)


@pytest.fixture
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
        "beside: audit-report/toy/report.csv",
        "beside: audit-report/toy/report.junit.xml",
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
    assert cli.main(["report", "--also", text]) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert err.startswith("audit: --also '") and err.count("\n") == 1
    assert "known are csv, markdown, junit, latex, and all" in err
    assert names(record.parent) == {"audit.json"}


# --------------------------------------------------------------------------- by the commands that judge

RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1", "--only", "lost")  # which has nothing to run


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reports of its commands are written."""
    monkeypatch.chdir(tmp_path)
    write_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    return tmp_path / "audit-report" / "toy2024-corpus"
