"""The claim file that commands of these tests are given."""

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """toy.yaml in a folder of its own, as `FILE` of the test's module says."""
    monkeypatch.chdir(tmp_path)
    path = Path("toy.yaml")
    path.write_text(request.module.FILE)
    return path
