"""Commands on claim files that cannot be carried out: one sentence each, and the folder stays as it was."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from tests.authoring.test_entries import FILE

LINES = (Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8").splitlines()
CASES = [
    (line, answer[2:])
    for line, answer in pairwise(LINES)
    if answer.startswith("= ") and not line.startswith("= ")
]


@pytest.mark.parametrize(("line", "sentence"), CASES, ids=[line[:60] for line, _ in CASES])
def test_bad_input_is_one_sentence_and_nothing_is_written(
    line: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy.yaml").write_text(FILE)
    Path("b.csv").write_text("M,P@1\nkim,50.00\n")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert cli.main(shlex.split(line)) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert sentence in err and "+++" not in out
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
