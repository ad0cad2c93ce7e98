"""`audit report --figures`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from audit.record import to_json
from tests.reports import sample
from tests.test_cli_beside import sound


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "audit-report" / "toy" / "audit.json"
    path.parent.mkdir(parents=True)
    path.write_text(to_json(sample.empty()))
    return path


def test_the_figures_are_files_in_the_folder(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_text(to_json(sound()))
    assert cli.main(["report", "--figures", "figures"]) in (Exit.OK, Exit.CONTRADICTED)
    files = sorted(it.name for it in Path("figures").iterdir())
    assert "comparisons.svg" in files and "claim-the-order.svg" in files
    assert all(name.endswith(".svg") for name in files)
    assert f"figures: {len(files)} in figures\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--figures", "f", "--figure-format", "svg,eps"],
            "--figure-format 'eps' is unknown; known are svg, pdf",
        ),
        (["--diff", "a.json", "b.json", "--figures", "f"], "--diff compares two records"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report", *arguments]) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and message in err
    assert not Path("f").exists()


def test_a_report_without_figures_does_not_load_matplotlib() -> None:
    script = "import sys; from audit.cli import main; main(['report']); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0
