"""`audit data vectors`: what is said of a file of word vectors, and that later runs find it converted."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from tests.data.corpora import write


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command is given in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What the command prints; it ends well and says nothing on stderr."""
    code = cli.main(["data", "vectors", *arguments])
    captured = capsys.readouterr()
    assert (code, captured.err) == (Exit.OK, "")
    return captured.out.splitlines()


def test_what_a_file_holds_and_where_it_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that differ, what was left out and why, and the first words as they are written there."""
    lines = ["9 2", "the 1 2", ". . . 3 4", "the 5 6", "short 1", *(f"w{i} 1 2" for i in range(4))]
    write(folder / "v.vec", "\n".join(lines).encode() + b"\ncaf\xe9 1 2")
    *found, kept = said(capsys, "v.vec")
    assert found == [
        "v.vec: text, 6 words of 2 decimal numbers",
        "    2 lines left out, first v.vec:5: 1 numbers after a word, not 2.",
        "    1 repeated word; the first vector counts.",
        "    the last line has no end; its last number may be cut short.",
        "    first words: 'the', '. . .', 'the', 'w0', 'w1', 'w2', 'w3'",
    ]
    place = kept.removeprefix("kept: audit-runs/data/vectors/").removesuffix(", 0.0 MB")
    assert (folder / "audit-runs" / "data" / "vectors" / place / "matrix.npy").is_file()


def test_a_member_of_an_archive_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile("glove.6B.zip", "w") as archive:
        for size in (2, 3):
            archive.writestr(f"glove.6B.{size}d.txt", f"the {' '.join(['1'] * size)}\n")
    assert said(capsys, "glove.6B.zip/glove.6B.3d.txt")[:2] == [
        "glove.6B.zip/glove.6B.3d.txt: text, 1 word of 3 decimal numbers",
        "    the published file has 400000 lines; this one may be cut off.",
    ]
    member = "glove.6B.zip/glove.6B.2d.txt"
    assert said(capsys, member)[0] == f"{member}: text, 1 word of 2 decimal numbers"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "v.txt: no line with a word and numbers; give a text file of word vectors"),
        (
            b"the 1 2\ncat 1 nan\n",
            "v.txt:2: 'nan' is no finite number; 1 of 2 lines are no word with 2 finite",
        ),
        (b"2 2\nthe 1 2\n", "v.txt: 1 lines where its header says 2; it is cut off, get a whole copy"),
        (None, "v.txt: cannot be opened (no such file); check the path"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, message: str
) -> None:
    if content is not None:
        write(folder / "v.txt", content)
    assert cli.main(["data", "vectors", "v.txt"]) == Exit.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"audit: {message}") and captured.err.count("\n") == 1
