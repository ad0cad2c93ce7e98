"""Model files of a folder: what they import counts, and an edited one is imported anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.errors import ConfigError
from reimpl.models import FOLDERS, find_model, forget, reached_by, sources_of

VALUE = "VALUE = 1\n"


def write(path: Path, text: str = VALUE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def beside(path: Path) -> list[str]:
    """The files that count, but for the model's own."""
    return sorted(file.name for file in reached_by(path) - {path})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a\n", ["a.py"]),
        ("import a as b\n", ["a.py"]),
        ("from a import VALUE\n", ["a.py"]),
        ("from . import a\n", ["a.py"]),
        ("from .a import VALUE\n", ["a.py"]),
        ("def build():\n    import a\n", ["a.py"]),
        ("import c\n", ["a.py", "c.py"]),
        ("import pack.d\n", ["__init__.py", "d.py"]),
        ("from pack import d\n", ["__init__.py", "d.py"]),
        ("import torch, json\n", []),
        ("VALUE = 'import a'\n", []),
        ("import net\n", []),
    ],
)
def test_what_a_file_imports_from_beside_it_counts_and_nothing_else(
    text: str, expected: list[str], tmp_path: Path
) -> None:
    """`c` imports `a`; the test of the model and another model lie there too."""
    for name in ("a.py", "test_net.py", "other.py", "pack/__init__.py", "pack/d.py"):
        write(tmp_path / name)
    write(tmp_path / "c.py", "from a import VALUE\n")
    assert beside(write(tmp_path / "net.py", text)) == expected


def test_an_edited_file_is_imported_anew_once_the_older_one_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it imports."""
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    text = "import beside_net\nclass Config: ...\nVARIANTS = {}\ndef build(): ...\nVALUE = 1\n"
    path, other = write(tmp_path / "net.py", text), write(tmp_path / "beside_net.py")
    old, digests = find_model("net"), sources_of(("net",))
    write(path, text.replace("VALUE = 1", "VALUE = 2")), write(other, "VALUE = 33\n")
    assert find_model("net") is old and sources_of(("net",)) == digests
    forget(tmp_path)
    new = find_model("net")
    assert (new.VALUE, new.beside_net.VALUE) == (2, 33)
    assert [part for part, digest in sources_of(("net",)).items() if digest != digests[part]] == ["model"]


# --------------------------------------------------------------------------- faults


def test_a_file_that_cannot_be_imported_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "net.py", "import json\n\nX = undefined\nVARIANTS = {}\n")
    said = r"cannot be imported \(NameError: name 'undefined' is not defined \(net.py:3\)\); correct it"
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    with pytest.raises(ConfigError, match=said):
        find_model("net")
