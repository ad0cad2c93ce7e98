"""`audit report --diff`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import Audit, to_json
from tests.test_cli_beside import sound


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def test_a_record_of_other_rules_is_compared_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    other = replace(sound(), verdicts=opened(sound()).verdicts)
    old, new = write("old/audit.json", other), write("new/audit.json", sound())
    assert cli.main(["report", "--diff", old, new]) == Exit.CONTRADICTED
    assert capsys.readouterr().err == (
        "old/audit.json: its verdicts are not those that its runs give in this version; "
        "compared as they are\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff", "old.json", "nowhere.json"], "nowhere.json: there is no such file"),
        (["--diff", "old.json", "old.json", "--also", "csv"], "--diff compares two records"),
        (["old.json", "--diff", "old.json", "old.json"], "--diff compares two records"),
        (["--diff", "old.json"], "--diff"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("old.json", sound())
    assert cli.main(["report", *arguments]) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and message in err


# --------------------------------------------------------------------------- the page, and several reports


def test_several_reports_get_an_index(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where only one of them is written anew; a record that is none is named."""
    write("out/a/audit.json", sound())
    write("out/b/audit.json", sound())
    cli.main(["report", "--out", "out"])
    assert capsys.readouterr().out.endswith("index: out/index.html\n")
    assert Path("out/index.html").read_text().count("/report.html") == 2
    Path("out/c").mkdir()
    Path("out/c/audit.json").write_text("{}")
    cli.main(["report", "out/a/audit.json"])
    page = Path("out/index.html").read_text()
    assert page.count("/report.html") == 2 and "from it: c." in page
