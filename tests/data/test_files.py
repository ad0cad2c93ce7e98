"""Files, folders and archives as a user gives them: packed, cut, damaged, or made to fill the memory."""

from __future__ import annotations

import gzip
import lzma
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reimpl.data.files import File, line_blocks, text_lines, tree
from reimpl.errors import DataError
from tests.data.made import PACK, lay


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.text("ab\r\x0c\u2028", max_size=5), min_size=1),
    end=st.sampled_from(["", "\n"]),
    size=st.integers(1, 9),
)
def test_lines_end_at_line_feeds_whatever_the_block(
    tmp_path: Path, lines: list[str], end: str, size: int
) -> None:
    """Each block starts with the line that it says."""
    content = ("\n".join(lines) + end).encode()
    file = File(lay(tmp_path / "toy", {"a.txt": content}) / "a.txt")
    parts = list(line_blocks(file, size))
    assert b"".join(block for _, block in parts) == content
    for number, block in parts:
        assert number == content[: content.index(block)].count(b"\n") + 1 or block in content
    expected = content.decode().removesuffix("\n").split("\n") if content else []
    assert [line for _, line in text_lines(file)] == [line.removesuffix("\r") for line in expected]


@pytest.mark.parametrize("packing", PACK)
def test_packing_and_a_byte_order_mark_make_no_difference(tmp_path: Path, packing: str) -> None:
    folder = lay(tmp_path / "toy", {"a.txt": b"\xef\xbb\xbfa\r\nb\n"}, packing)
    assert list(text_lines(File(folder / f"a.txt{packing}"))) == [(1, "a"), (2, "b")]


GZ, XZ = gzip.compress(b"a\tx\n" * 1000, mtime=0), lzma.compress(b"a\tx\n" * 1000)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt.gz", GZ[:-10], r"a\.txt\.gz: the file is cut off; get a whole copy"),
        ("a.txt.xz", XZ[:-40], r"a\.txt\.xz: the file is cut off"),
        ("a.txt.gz", GZ[:12] + b"\xff\xff" + GZ[14:], r"a\.txt\.gz: cannot be read \(.*\); get a sound copy"),
        ("a.txt", b"a\nb\0\n", r"a\.txt:2: a NUL byte"),
        ("a.txt", b"a\ncaf\xe9\n", r"a\.txt:2: byte b'\\xe9' at place 4 is not UTF-8; convert the file"),
    ],
)
def test_damaged_files_are_refused_with_their_place(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(text_lines(File(path)))


def archive(path: Path, *members: str, content: bytes = b"x\n") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member in members:
            made.writestr(member, content)
    return path


def test_a_folder_a_file_and_an_archive(tmp_path: Path) -> None:
    """Files go by their names without packing; hidden ones, litter and other folders are left alone."""
    lay(tmp_path / "toy", {"train.txt": b"a\n", ".hidden": b""}, ".gz")
    (tmp_path / "toy" / "more").mkdir()
    where = tree(tmp_path / "toy")
    assert (where.name, list(where.files)) == ("toy", ["train.txt"])
    assert where.find("test.txt") is None
    single = tree(tmp_path / "toy" / "train.txt.gz")
    assert (single.name, list(single.files)) == ("train", ["train.txt"])
    names = "in/train.txt", "in/deeper/x.txt", "in/.hidden", "__MACOSX/a"
    packed = tree(archive(tmp_path / "toy.zip", *names))
    assert (packed.name, list(packed.files)) == ("toy", ["train.txt"])
    lay(tmp_path / "download" / "inside", {"train.txt": b"a\n"})
    assert list(tree(tmp_path / "download").files) == ["train.txt"]
