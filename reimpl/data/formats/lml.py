"""LibMultiLabel's text format, `labels<TAB>text`, also in .bz2 and in a .zip; see `reimpl.data.lml`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.data.formats.base import Found, Options, TextSource, by_split, need_train_and_test, single_file
from reimpl.data.formats.inputs import File, text_lines
from reimpl.data.formats.tree import Tree
from reimpl.data.formats.xc import first_lines
from reimpl.data.lml import SPLIT_FILES, open_folder, parse_line
from reimpl.data.source import Document, Source

_PATTERN = r"{prefix}{split}\.(?:txt|tsv)"


def documents(file: File, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file; raises `DataError` with file and line as `reimpl.data.lml` does."""
    for number, line in text_lines(file):
        yield parse_line(line, f"{file}:{number}", ids=ids)


def open_lml(tree: Tree, options: Options) -> Source:
    """A folder or a .zip; a folder in the usual form is opened as ever, so that caches stay valid."""
    ids = bool(options.ids)
    files = by_split(tree, _PATTERN)
    need_train_and_test(tree, files, "LibMultiLabel text")
    if all(file.path.parent == tree.path and _is_usual(split, file) for split, file in files.items()):
        return open_folder(tree.path, ids=ids)
    readers = {split: partial(documents, file, ids=ids) for split, file in files.items()}
    return TextSource(tree.name, readers, tuple(files.values()), f"lml ids={ids}")


def _is_usual(split: str, file: File) -> bool:
    return file.stem in {f"{it}.txt" for it in SPLIT_FILES[split]} and file.packing in ("", ".gz", ".xz")


def detect(tree: Tree) -> Found | None:
    """One tab in each of the first lines, or two when a column of ids stands in front."""
    files = by_split(tree, _PATTERN) or single_file(tree, (".txt", ".tsv"))
    if not files:
        return None
    file = next(iter(files.values()))
    tabs = {line.count(b"\t") for line in first_lines(file)}
    if tabs == {1}:
        return Found(f"each of the first lines of {file.name} has one tab, between labels and text", files)
    if tabs == {2}:
        needs = ("state ids=True if the first of three columns holds document ids",)
        return Found(f"each of the first lines of {file.name} has two tabs", files, needs)
    return None
