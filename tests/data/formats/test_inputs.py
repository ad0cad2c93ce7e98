"""Files in blocks: packed or not, cut, damaged, or made to fill the memory."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from reimpl.data import files as inputs
from reimpl.data.files import File, blocks, line_blocks, text_lines
from reimpl.errors import DataError
from tests.data.formats.made import PACK

TEXT = "one\ntwo\x0cstill two\r\n\u00e9\n\nlast".encode()
LINES = [(1, "one"), (2, "two\x0cstill two"), (3, "\u00e9"), (4, ""), (5, "last")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_whatever_the_block(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines end at line feeds only, and each block starts with the line it says."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    monkeypatch.setattr(inputs.blocks, "__defaults__", (size,))
    assert list(text_lines(File(tmp_path / "a.txt"))) == LINES
    found = list(line_blocks(File(tmp_path / "a.txt")))
    assert b"".join(block for _, block in found) == TEXT
    assert all(block.endswith(b"\n") for _, block in found[:-1])
    assert [TEXT.split(b"\n")[number - 1] for number, _ in found] == [it.split(b"\n")[0] for _, it in found]


@pytest.mark.parametrize("packing", PACK)
def test_packing_and_a_byte_order_mark_make_no_difference(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"a.txt{packing}"
    path.write_bytes(PACK[packing](b"\xef\xbb\xbf" + TEXT))
    file = File(path)
    assert list(text_lines(file)) == LINES
    assert (file.stem, file.packing) == ("a.txt", packing)


@pytest.mark.parametrize("packing", [".gz", ".xz", ".bz2"])
def test_cut_and_damaged_files_are_refused(tmp_path: Path, packing: str) -> None:
    whole = PACK[packing](bytes(range(256)) * 50)
    path = tmp_path / f"a.txt{packing}"
    path.write_bytes(whole[:-3])
    with pytest.raises(DataError, match="the file is cut off; get a whole copy"):
        list(blocks(File(path)))
    path.write_bytes(whole[:-20] + bytes(8) + whole[-12:])
    with pytest.raises(DataError, match=r"cannot be read \(.+\); get a sound copy|the file is cut off"):
        list(blocks(File(path)))
    path.write_bytes(b"plain text")
    with pytest.raises(DataError, match=r"cannot be read \(.+\); get a sound copy"):
        list(blocks(File(path)))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_file_that_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, pack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is on what really comes out, and text that packs well stays far below it."""
    assert callable(pack)
    monkeypatch.setattr(inputs, "FREE", 1000)
    path = tmp_path / ("a.gz" if pack is gzip.compress else "a.xz")
    path.write_bytes(pack(bytes(1 << 22)))
    with pytest.raises(DataError, match=r"unpacks to more than [\d,]+ bytes, 250 times its size"):
        list(blocks(File(path)))
    path.write_bytes(pack(b"the quick brown fox\n" * 200))
    assert len(b"".join(blocks(File(path)))) == 4000


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "LONGEST_LINE", 100)
    monkeypatch.setattr(inputs.blocks, "__defaults__", (64,))
    (tmp_path / "a.txt").write_bytes(b"short\n" + b"x" * 500)
    with pytest.raises(DataError, match=r"a\.txt:2: a line of more than 100 bytes"):
        list(line_blocks(File(tmp_path / "a.txt")))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ok\ncaf\xe9\n", r"a\.txt:2: byte b'\\xe9' at place 4 is not UTF-8"),
        (b"ok\nx\0y\n", r"a\.txt:2: a NUL byte"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(text_lines(File(tmp_path / "a.txt")))
