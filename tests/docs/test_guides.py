"""What the guides show is what the commands print."""

from __future__ import annotations

import doctest
import re
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


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (["a", "b"], ["a", "b", "c"], False),
        (["a", "b", "c"], ["a", "b"], False),
        (["a", "...", "c"], ["a", "1", "2", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "1", "d"], False),
        (["in [..] now"], ["in 3.2 s now"], True),
        (["in [..] now"], ["in 3.2 s", "now"], False),
        (["1.5"], ["1x5"], False),
        ([], [], True),
        ([], ["a"], False),
    ],
)
def test_only_what_is_marked_may_differ(shown: list[str], printed: list[str], same: bool) -> None:
    assert guides.agrees(shown, printed) is same


GUIDE = "Say:\n\n```console\n$ echo one \\\n>   two\none two\n$ false\n[exit code 1]\n```\n"


def test_a_guide_that_is_so_has_no_differences_and_stays_as_it_is(tmp_path: Path) -> None:
    assert guides.differences(GUIDE, tmp_path) == []
    assert guides.renewed(GUIDE, tmp_path) == GUIDE


@pytest.mark.parametrize(
    ("old", "new"), [("one two\n$", "one\n$"), ("[exit code 1]\n", ""), ("$ false", "$ true")]
)
def test_a_guide_that_is_not_so_is_told_with_the_command(old: str, new: str, tmp_path: Path) -> None:
    (difference,) = guides.differences(GUIDE.replace(old, new), tmp_path)
    assert difference.startswith("$ ")
    assert "--- printed" in difference


def test_renewing_writes_what_is_printed_and_marks_what_varies(tmp_path: Path) -> None:
    spoiled = GUIDE.replace("echo one", "echo 4.1 s one")
    assert guides.renewed(spoiled, tmp_path) == spoiled.replace("one two\n$", "[..] one two\n$")


def test_a_block_that_names_a_file_is_written_before_the_commands_below_it(tmp_path: Path) -> None:
    text = "```python\n# a/b.py\nprint(7)\n```\n\n```console\n$ python a/b.py\n7\n```\n"
    assert guides.differences(text, tmp_path) == []
    assert guides.renewed(text, tmp_path) == text


def test_text_before_the_first_command_and_a_block_without_an_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="before any command"):
        guides.differences("```console\nhello\n```\n", tmp_path)
    with pytest.raises(ValueError, match="no end"):
        guides.differences("```console\n$ true\n", tmp_path)


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(guides).failed == 0
