"""Files, folders and archives as a user gives them; an archive that cannot be trusted is not opened."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from reimpl.data.files import text_lines, tree
from reimpl.errors import DataError
from tests.data.formats.made import lay


def archive(path: Path, *members: zipfile.ZipInfo | str, content: bytes = b"x\n") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for member in members:
            made.writestr(member, content)
    return path


def test_a_folder_a_file_and_an_archive(tmp_path: Path) -> None:
    """Files go by their names without packing; hidden ones and other folders are left alone."""
    lay(tmp_path / "toy", {"train.txt": b"a\n", ".hidden": b""}, ".gz")
    (tmp_path / "toy" / "more").mkdir()
    where = tree(tmp_path / "toy")
    assert (where.name, list(where.files), where.single) == ("toy", ["train.txt"], False)
    file = where.find("train.txt")
    assert file is not None and list(text_lines(file)) == [(1, "a")]
    assert where.find("test.txt") is None
    single = tree(tmp_path / "toy" / "train.txt.gz")
    assert (single.name, list(single.files), single.single) == ("train", ["train.txt"], True)
    packed = tree(archive(tmp_path / "toy.zip", "in/train.txt", "in/deeper/x.txt", "in/.hidden"))
    assert (packed.name, list(packed.files), packed.single) == ("toy", ["train.txt"], False)


def test_a_folder_that_holds_only_a_folder_is_looked_through(tmp_path: Path) -> None:
    lay(tmp_path / "download" / "toy", {"train.txt": b"a\n"})
    assert list(tree(tmp_path / "download").files) == ["train.txt"]


def test_a_file_that_is_there_packed_and_plain(tmp_path: Path) -> None:
    lay(tmp_path / "toy", {"train.txt": b"a\n"})
    lay(tmp_path / "toy", {"train.txt": b"a\n"}, ".gz")
    with pytest.raises(DataError, match=r"train\.txt and train\.txt\.gz are both there; keep one"):
        tree(tmp_path / "toy").find("train.txt")


@pytest.mark.parametrize("name", ["toy.tar", "toy.tar.gz", "toy.7z"])
def test_other_archives_are_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(DataError, match="an archive that is not read; unpack it and give the folder"):
        tree(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../train.txt", "a/../../train.txt", "C:/train.txt", "..\\train.txt"]
)
def test_names_that_lead_out_of_the_archive(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="has a path that leads out of the archive"):
        tree(archive(tmp_path / "toy.zip", "train.txt", name))


def test_a_link_in_the_archive(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("train.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(DataError, match=r"member 'train\.txt' is a link"):
        tree(archive(tmp_path / "toy.zip", link, content=b"/etc/passwd"))


def test_an_encrypted_member(tmp_path: Path) -> None:
    """The flag is set by hand in both headers: the library cannot encrypt."""
    path = archive(tmp_path / "toy.zip", "train.txt")
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="is encrypted; unpack it with its password first"):
        tree(path)


@pytest.mark.parametrize("name", ["inner.zip", "inner.tar.gz", "inner.7z"])
def test_an_archive_in_the_archive(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="is an archive in the archive; unpack it first"):
        tree(archive(tmp_path / "toy.zip", "train.txt", name))


def test_a_member_that_says_it_is_a_bomb(tmp_path: Path) -> None:
    """100 MB of zeros pack to 100 kB, a thousandth."""
    path = archive(tmp_path / "toy.zip", "train.txt", content=bytes(100_000_000))
    assert path.stat().st_size < 200_000
    with pytest.raises(
        DataError, match=r"says it unpacks to 100,000,000 bytes, more than 250 times its size"
    ):
        tree(path)


def test_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    """What comes out is never more than what was declared; that it differs is found."""
    path = archive(tmp_path / "toy.zip", "train.txt", content=b"0123456789\n" * 1000)
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (11).to_bytes(4, "little")
    path.write_bytes(content)
    file = tree(path).find("train.txt")
    assert file is not None
    with pytest.raises(DataError, match="cannot be read"):
        list(text_lines(file))


def test_a_name_that_stands_there_twice(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made, pytest.warns(UserWarning, match="Duplicate name"):
        made.writestr("train.txt", "a")
        made.writestr("train.txt", "b")
    (tmp_path / "toy.zip").write_bytes(stream.getvalue())
    with pytest.raises(DataError, match=r"member 'train\.txt' is there twice"):
        tree(tmp_path / "toy.zip")
