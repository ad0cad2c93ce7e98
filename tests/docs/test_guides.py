"""What the guides show is what the commands print."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

from tests.docs import guides

PAGES = sorted(guides.DOCS.glob("*.md"))


@pytest.mark.parametrize("page", guides.guides(), ids=lambda path: path.stem)
def test_every_command_of_a_guide_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renew the guides with `python -m tests.docs.guides`, and read the diff."""
    monkeypatch.setenv("COLUMNS", "100")
    differences = guides.differences(page.read_text(), guides.prepared(tmp_path))
    assert not differences, "\n\n".join(differences)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_link_to_another_page_leads_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [it for it in links if not (page.parent / it).exists()] == []


def test_the_cells_of_the_notebook_give_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(guides.DOCS / "examples", tmp_path / "examples"))
    cells = "\n".join(re.findall(r"```pycon\n(.*?)```", (guides.DOCS / "notebook.md").read_text(), re.DOTALL))
    shown = doctest.DocTestParser().get_doctest(cells, {}, "notebook.md", None, None)
    assert len(shown.examples) >= 10
    assert doctest.DocTestRunner().run(shown).failed == 0
