"""What a user points at, as files by name: one file, a folder, or a .zip.

Nothing is ever unpacked to disk, so a member's name cannot lead anywhere; names that try are refused all the
same, since such an archive was not made by someone who means well.
"""

from __future__ import annotations

import stat
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reimpl.data.formats.inputs import MOST_TIMES, File, explained, most_bytes
from reimpl.errors import DataError

MOST_MEMBERS = 10_000
_ARCHIVES = (".zip", ".tar", ".tgz", ".7z", ".rar", ".tar.gz", ".tar.xz", ".tar.bz2")


@dataclass(frozen=True)
class Tree:
    """What a user points at: a file, a folder or a .zip, as the files by their names without packing."""

    path: Path
    files: Mapping[str, tuple[File, ...]]
    single: bool = False
    """Whether the path is one file that is no archive."""

    @property
    def name(self) -> str:
        """Name of the folder or file, without suffixes."""
        name = self.path.resolve().name
        return name.split(".")[0] or name if self.path.is_file() else name

    def find(self, name: str) -> File | None:
        """The file of that name, packed or not; raises `DataError` when it is there twice."""
        found = self.files.get(name, ())
        if len(found) > 1:
            raise DataError(f"{self.path}: {' and '.join(it.name for it in found)} are both there; keep one")
        return found[0] if found else None


def tree(path: Path, *, archive: bool = False) -> Tree:
    """The files at a path; raises `DataError` when there are none or the archive is not to be trusted.

    `archive` says that a file is a .zip whatever its name (as .npz are).
    """
    # what the system says of a path (no permission, too long, ...) becomes a sentence too
    with explained(File(path)):
        if path.is_dir():
            return Tree(path, _by_stem(_folder(path)))
        if not path.is_file():
            raise DataError(f"{path}: no such file or folder; check the path")
        if archive or path.name.lower().endswith(".zip"):
            return Tree(path, _by_stem(_members(path)))
    if path.name.lower().endswith(_ARCHIVES):
        raise DataError(f"{path}: an archive that is not read; unpack it and give the folder")
    return Tree(path, _by_stem([File(path)]), single=True)


def _folder(path: Path) -> list[File]:
    """The files of a folder; one folder within a folder, and nothing else, is looked through."""
    entries = sorted(it for it in path.iterdir() if not it.name.startswith("."))
    files = [File(it) for it in entries if it.is_file()]
    if not files and len(entries) == 1 and entries[0].is_dir():
        return _folder(entries[0])
    if not files:
        raise DataError(f"{path}: no files in this folder; give the folder that holds the corpus")
    return files


def _members(path: Path) -> list[File]:
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
    if len(infos) > MOST_MEMBERS:
        raise DataError(f"{path}: {len(infos):,} members; unpack it and give the folder of the corpus")
    infos = [it for it in infos if not it.filename.endswith("/")]
    for info in infos:
        _check_member(path, info)
    names = [info.filename for info in infos if not _is_litter(info.filename)]
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(f"{path}: member {name!r} is there twice; pack it anew")
    if not names:
        raise DataError(f"{path}: no files in this archive; give one that holds a corpus")
    return [File(path, name) for name in sorted(_of_top_folder(path, names))]


def _of_top_folder(path: Path, names: list[str]) -> list[str]:
    """The names in the outermost folder that holds files; raises `DataError` when that is not one folder."""
    least = min(len(PurePosixPath(name).parts) for name in names)
    top = [name for name in names if len(PurePosixPath(name).parts) == least]
    folders = sorted({str(PurePosixPath(name).parent) for name in top})
    if len(folders) > 1:
        raise DataError(
            f"{path}: files in {folders[0]!r} and in {folders[1]!r}; unpack it and give one folder"
        )
    return top


def _is_litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


def _check_member(path: Path, info: zipfile.ZipInfo) -> None:
    name, parts = info.filename, PurePosixPath(info.filename).parts
    # zipfile turns a backslash into a slash on Windows only, and cuts at a NUL; both are in orig_filename
    written = getattr(info, "orig_filename", name)
    if not parts:
        raise DataError(f"{path}: member {name!r} has no name; pack it anew")
    if name.startswith("/") or ".." in parts or any(mark in written for mark in "\\\0") or ":" in parts[0]:
        raise DataError(f"{path}: member {written!r} has a path that leads out of the archive; do not use it")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise DataError(f"{path}: member {name!r} is a link; pack the file itself")
    if info.flag_bits & 1:
        raise DataError(f"{path}: member {name!r} is encrypted; unpack it with its password first")
    if name.lower().endswith(_ARCHIVES):
        raise DataError(f"{path}: member {name!r} is an archive in the archive; unpack it first")
    if info.file_size > most_bytes(info.compress_size):
        raise DataError(
            f"{path}: member {name!r} says it unpacks to {info.file_size:,} bytes, more than "
            f"{MOST_TIMES} times its size; unpack it yourself if it is meant to"
        )


def _by_stem(files: list[File]) -> dict[str, tuple[File, ...]]:
    found: dict[str, tuple[File, ...]] = {}
    for file in files:
        found[file.stem] = (*found.get(file.stem, ()), file)
    return found
