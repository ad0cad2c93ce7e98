"""Files of the Extreme Classification Repository: a header `N D L`, then `label,label feature:value ...`.

Also the same lines without a header (LIBSVM multi-label). A document without labels starts with a space or
with its first feature. Beside the files may lie `labels.txt` or `Y.txt` and `features.txt` or `Xf.txt`, the
names by id, a line each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from reimpl.data.files import File, Tree, head, line_blocks, shown, text_lines
from reimpl.data.formats.base import (
    Found,
    Options,
    by_split,
    first_lines,
    need_train_and_test,
    single_file,
)
from reimpl.data.formats.bow import BowDataset, BowSplit, check_sizes
from reimpl.data.formats.numbering import Base, numbered, split_of
from reimpl.data.formats.rows import Rows, numbers_of, read_rows
from reimpl.errors import DataError

PATTERN = r"{prefix}{split}(?:_v\d+)?(?:\.(?:txt|dat|data|svm|libsvm|svmlight))?"
_HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
_NAMES = {"labels": ("labels.txt", "Y.txt"), "features": ("features.txt", "Xf.txt")}
#: What scikit-learn writes on top of a LIBSVM file.
_SAYS_BASE = re.compile(rb"# Column indices are (zero|one)-based")


@dataclass(frozen=True, eq=False)
class Table:
    """One file as it stands there."""

    rows: Rows
    n_features: int | None = None
    """D of the header."""
    n_labels: int | None = None
    """L of the header."""
    features_from: Base | None = None
    """What the file itself says that feature ids count from."""
    cut_off: bool = False
    """Whether the last line has no end: it may have lost something."""


def read_table(file: File) -> Table:
    """A file with a header; raises `DataError` when it holds other than N documents.

    Also for D or L that cannot be, and as `read_rows`.
    """
    lines = iter(_header_and_rest(file))
    _, header = next(lines, (1, b""))
    match = _HEADER.fullmatch(header.removesuffix(b"\n"))
    if match is None:
        line = shown(header.decode("utf-8", "replace").rstrip())
        raise DataError(f"{file}:1: {line} is no header `N D L`; is it another format?")
    n, n_features, n_labels = (int(it) for it in match.groups())
    check_sizes(f"{file}:1", n_features, n_labels)
    ends = _Ends()
    rows = read_rows(file, ends.watched(lines))
    if rows.size > n and not (rows.lengths[n:].any() or rows.label_lengths[n:].any()) and ends.blank > 0:
        rows = rows.first(max(n, rows.size - ends.blank))
    if rows.size != n:
        what = "it is cut off" if rows.size < n else "it has too many"
        raise DataError(
            f"{file}: {rows.size:,} documents where its header says {n:,}; {what}, get a sound copy"
        )
    return Table(rows, n_features, n_labels, cut_off=not ends.ended and rows.size > 0)


def read_bare(file: File) -> Table:
    """A file without a header; comment lines may stand on top. Errors as `read_rows`."""
    says: Base | None = None
    top = 0
    for line in head(file).split(b"\n"):
        if not line.startswith(b"#"):
            break
        top += 1
        if match := _SAYS_BASE.match(line):
            says = 0 if match[1] == b"zero" else 1
    ends = _Ends()
    rows = read_rows(file, ends.watched(_after(line_blocks(file), top)))
    rows = rows.first(rows.size - ends.blank)
    if rows.size == 0:
        raise DataError(f"{file}: no documents; give a file that is not empty")
    return Table(rows, features_from=says, cut_off=not ends.ended)


class _Ends:
    """Watches how a file ends: blank lines are no documents there, and a last line without end is told."""

    def __init__(self) -> None:
        self.blank = 0
        self.ended = True

    def watched(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        for number, block in lines:
            bare = block.replace(b"\r\n", b"\n")
            blank = len(bare) - len(bare.rstrip(b"\n"))
            whole = blank == len(bare)
            self.ended = blank > 0
            # the first line feed ends the last line with something on it
            self.blank = self.blank + blank if whole else max(blank - 1, 0)
            yield number, block


def _header_and_rest(file: File) -> Iterator[tuple[int, bytes]]:
    blocks = line_blocks(file)
    for number, block in blocks:
        cut = block.find(b"\n") + 1 or len(block)
        yield number, block[:cut]
        rest = [(number + 1, block[cut:])] if block[cut:] else []
        yield from chain(rest, blocks)
        return


def _after(blocks: Iterator[tuple[int, bytes]], top: int) -> Iterator[tuple[int, bytes]]:
    for number, block in blocks:
        while number <= top and block:
            cut = block.find(b"\n") + 1 or len(block)
            number, block = number + 1, block[cut:]
        if block:
            yield number, block


def assemble(
    tree: Tree, tables: Mapping[str, Table], options: Options, notes: tuple[str, ...] = ()
) -> BowDataset:
    """One corpus of the splits' tables: one numbering and one set of features and labels for all.

    Raises `DataError` when headers differ, ids do not fit, or what they count from must be stated.
    """
    first = next(iter(tables.values()))
    for split, table in tables.items():
        mine, other = (table.n_features, table.n_labels), (first.n_features, first.n_labels)
        if mine != other:
            raise DataError(
                f"{tree.path}: {split} is headed {mine} features and labels, train {other}; which is right?"
            )
    says = next((it.features_from for it in tables.values() if it.features_from is not None), None)
    stated = says if options.features_from is None else options.features_from
    features = numbered(
        str(tree.path),
        "feature",
        {split: it.rows.indices for split, it in tables.items()},
        size=first.n_features,
        stated=stated,
    )
    labels = numbered(
        str(tree.path),
        "label",
        {split: it.rows.labels for split, it in tables.items()},
        size=first.n_labels,
        stated=options.labels_from,
    )
    parts: dict[str, BowSplit] = {}
    counts: dict[str, int] = {}
    for split, table in tables.items():
        parts[split], left_out = split_of(table.rows, features, labels)
        left_out["empty_documents"] = int(((table.rows.lengths == 0) & (table.rows.label_lengths == 0)).sum())
        counts |= {f"{split}.{name}": n for name, n in left_out.items()}
    return BowDataset(
        name=tree.name,
        parts=parts,
        n_features=features.size,
        n_labels=labels.size,
        label_names=names(tree, "labels", labels.size),
        feature_names=names(tree, "features", features.size),
        counts=counts,
        notes=(*notes, *(it for it in (features.note, labels.note) if it), *_notes(tables, counts)),
    )


def _notes(tables: Mapping[str, Table], counts: Mapping[str, int]) -> list[str]:
    ends = [
        f"{split}: the last line has no end; it may be cut off." for split, it in tables.items() if it.cut_off
    ]
    said = {
        "zero_values": "{} values of 0 left out",
        "repeated_labels": "{} repeated labels counted once",
        "empty_documents": "{} documents have neither labels nor features",
    }
    acted = [(name.partition("."), n) for name, n in counts.items() if n]
    return ends + [f"{split}: {said[what].format(n)}." for (split, _, what), n in acted]


def names(tree: Tree, what: str, size: int) -> tuple[str, ...] | None:
    """Names by id, if a file of them lies there; raises `DataError` when it has another number of lines."""
    file = next((file for name in _NAMES[what] if (file := tree.find(name))), None)
    if file is None:
        return None
    found = tuple(line for _, line in text_lines(file))
    if len(found) != size:
        raise DataError(
            f"{file}: {len(found):,} names for {size:,} {what}; get the file that belongs to the data"
        )
    return found


def open_headed(tree: Tree, options: Options) -> BowDataset:
    """A folder of files with a header."""
    files = _split_files(tree)
    need_train_and_test(tree, files, "the format `N D L`")
    return assemble(tree, {split: read_table(file) for split, file in files.items()}, options)


def open_bare(tree: Tree, options: Options) -> BowDataset:
    """A folder of files without a header; D and L are the largest ids, which a note says."""
    files = _split_files(tree)
    need_train_and_test(tree, files, "LIBSVM")
    tables = {split: read_bare(file) for split, file in files.items()}
    note = "The numbers of features and labels are those of the largest ids: the files have no header."
    return assemble(tree, tables, options, (note,))


def _split_files(tree: Tree) -> dict[str, File]:
    return by_split(tree, PATTERN)


def detect_headed(tree: Tree) -> Found | None:
    """First line `N D L` in the train file, or in the one file given."""
    files = _split_files(tree) or single_file(tree)
    if not files:
        return None
    file = next(iter(files.values()))
    line = head(file).split(b"\n")[0]
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    n, n_features, n_labels = (f"{int(it):,}" for it in match.groups())
    why = f"{file.name} starts with a header: {n} documents, {n_features} features, {n_labels} labels"
    return Found(why, files)


def detect_bare(tree: Tree) -> Found | None:
    """All of the first lines are `label,label feature:value ...`, without a header."""
    files = _split_files(tree) or single_file(tree)
    if not files:
        return None
    file = next(iter(files.values()))
    lines = [it.removesuffix(b"\r") for it in first_lines(file)]
    rows = [it for it in lines if not it.startswith(b"#")]
    if not rows or numbers_of(rows) < len(rows) or not any(b":" in it for it in rows):
        return None
    return Found(f"the lines of {file.name} are `label,label feature:value ...` without a header", files)
