"""Where the commands of these tests are given."""

from pathlib import Path

import pytest

from tests.runner.papers import write_corpus, write_paper
from tests.stand_ins import pass_the_gate


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for each, which holds toy.yaml and corpus/."""
    monkeypatch.chdir(tmp_path)
    pass_the_gate(monkeypatch)
    write_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    return tmp_path
