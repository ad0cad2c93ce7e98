"""LibMultiLabel's text format: one document a line, `label1 label2<TAB>text`, UTF-8.

As in ntumlgroup/LibMultiLabel (0.10, at 5cd775a), labels are split at white space, a line without labels
starts with the tab, and a column in front may hold document ids. That column is read only when `ids=True`
says so: of two tabs in a line one cannot know whether the first field is an id or the text holds a tab.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from reimpl.data.files import File, Tree, line_blocks, text_lines, tree
from reimpl.data.formats.base import (
    Found,
    Options,
    TextSource,
    by_split,
    first_lines,
    need_train_and_test,
    single_file,
)
from reimpl.data.lines import Lines, parse_line
from reimpl.data.source import Document

_PATTERN = r"{prefix}{split}\.(?:txt|tsv)"
#: Bytes of a chunk.
BLOCK = 1 << 20


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


def open_folder(folder: Path, *, ids: bool = False) -> TextSource:
    """The corpus of a folder or a .zip, as `open_lml` opens it."""
    return open_lml(tree(folder), Options(ids=ids))


def open_lml(tree: Tree, options: Options) -> TextSource:
    """A folder or a .zip with `train.txt`, `test.txt` and maybe `dev.txt`; raises `DataError` without."""
    ids = bool(options.ids)
    files = by_split(tree, _PATTERN)
    need_train_and_test(tree, files, "LibMultiLabel text")
    return TextSource(
        tree.name,
        {split: partial(documents, file, ids=ids) for split, file in files.items()},
        tuple(files.values()),
        f"lml ids={ids}",
        by_split=all(_is_usual(file) for file in files.values()),
        pieces={split: partial(_chunks, file, ids) for split, file in files.items()},
    )


def _is_usual(file: File) -> bool:
    usual = ("train.txt", "test.txt", "dev.txt", "valid.txt")
    return not file.member and file.stem in usual and file.packing in ("", ".gz", ".xz")


def documents(file: File, *, ids: bool = False) -> Iterator[Document]:
    """The documents of one file; raises `DataError` with file and line for one of another form."""
    for number, line in text_lines(file):
        yield parse_line(line, f"{file}:{number}", ids=ids)


def _chunks(file: File, ids: bool) -> Iterator[Lines]:
    """The same documents, not yet taken apart; the errors come when they are, or in reading."""
    return (Lines(block, str(file), number, ids) for number, block in line_blocks(file, BLOCK))
