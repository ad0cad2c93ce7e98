"""Model files of a folder: known by what stands in them and in the files beside them that they import."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reimpl.errors import ConfigError
from reimpl.models import code_of, contents_of, digest_of, load_file

VALUE = "VALUE = 1\n"


def write(path: Path, text: str = VALUE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def beside(path: Path) -> list[str]:
    """The files that count, but for the model's own."""
    return [it.name for it in contents_of(path)][1:]


def test_several_are_known_by_what_sha256sum_prints_of_them(tmp_path: Path) -> None:
    write(tmp_path / "net.py", "from sub import b\nimport a\n")
    write(tmp_path / "a.py"), write(tmp_path / "sub" / "b.py", "B = 2\n")
    command = "sha256sum net.py a.py sub/b.py | sha256sum"
    try:
        printed = subprocess.run(
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no sha256sum here")
    assert digest_of(contents_of(tmp_path / "net.py")) == printed.stdout.split()[0]


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


def test_an_edit_is_another_module_and_the_older_one_can_be_had(tmp_path: Path) -> None:
    """Edits of equal length within a second too, which compiled files do not tell apart."""
    path = write(tmp_path / "net.py")
    old = load_file(path)
    write(path, VALUE.replace("1", "2"))
    new = load_file(path)
    assert (old.VALUE, new.VALUE) == (1, 2)
    assert code_of(old) != code_of(new)
    assert load_file(path) is new
    assert load_file(path, code_of(old)) is old
    assert load_file(path, "0" * 64) is new
    write(path)
    assert load_file(path) is old


# --------------------------------------------------------------------------- faults


def test_a_file_that_cannot_be_imported_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "net.py", "import json\n\nX = undefined\n")
    said = r"cannot be imported \(NameError: name 'undefined' is not defined \(net.py:3\)\); mend it"
    with pytest.raises(ConfigError, match=said):
        load_file(path)
    write(path, "X = 1\n")
    assert load_file(path).X == 1
