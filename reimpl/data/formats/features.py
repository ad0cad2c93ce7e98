"""Corpora of features: files of the Extreme Classification Repository, LIBSVM files, and columns of splits.

headed   a first line `N D L`, then `label,label feature:value ...`; a document without labels starts with a
         space or with its first feature. Beside the files may lie `labels.txt` or `Y.txt`, the names by id.
bare     the same lines without a header (LIBSVM multi-label)
columns  `..._data.txt`, headed, with `..._trSplit.txt` and `..._tstSplit.txt`: row numbers from 1, several
         random splits, one a column. So Delicious, Bibtex and Mediamill come; the repository's tables are
         means over the columns, so a column is never chosen silently.

Whether ids count from 0 or from 1 is stated, or proved by the ids themselves, never guessed. Lines are read
by pandas, a block at a time. scikit-learn's reader was no choice: it guesses the base, refuses features out
of order, has no header, and reads labels in a Python loop.

Shapes: N documents, D features, L labels.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from reimpl.data.dataset import Dataset, FloatArray, IntArray, Split, offsets_of
from reimpl.data.files import File, Tree, exact_floats, head, line_blocks, shown, text_lines, tree
from reimpl.data.formats.base import (
    Base,
    Found,
    Options,
    by_split,
    first_lines,
    need_train_and_test,
    split_files,
)
from reimpl.data.source import MODULUS, corpus_digest, partition_digest
from reimpl.errors import ConfigError, DataError, option

#: What stands as `Dataset.recipe`: the weights are those of the corpus.
GIVEN = "features as given"
#: Counts up when the same corpus gives other arrays than before.
FEATURES_VERSION = 1
#: No corpus of the field has more than some millions of labels, and ids are int32. What says more is damaged
#: or lies, and whoever believed it would fill the memory.
MOST = {"features": 1 << 31, "labels": 10_000_000}

_FILES = r"{prefix}{split}(?:_v\d+)?(?:\.(?:txt|dat|data|svm|libsvm|svmlight))?"
_HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
_NAMES = ("labels.txt", "Y.txt")
#: What scikit-learn writes on top of a LIBSVM file.
_SAYS_BASE = re.compile(rb"# Column indices are (zero|one)-based")
_SPLIT_FILE = re.compile(r"(?:.*[_.-])?(tr|tst)_?split\.txt", re.IGNORECASE)
_DATA_FILE = re.compile(r"(?:.*[_.-])?data\.txt", re.IGNORECASE)
_ROLES = {"tr": "train rows", "tst": "test rows"}

#: Of an id (int32) and of a value (float32).
LARGEST, LARGEST_VALUE = int(np.iinfo(np.int32).max), float(np.finfo(np.float32).max)
_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = re.compile(rb"(\d+):(%s)" % _NUMBER)
_LABELS = re.compile(rb"\d+(?:,\d+)*")


# --------------------------------------------------------------------------- lines


class Rows(NamedTuple):
    """N lines: ids as they are written there, rising within a line, a label once a line."""

    ids: IntArray
    """int32 (n,): features"""
    values: FloatArray
    """float32 (n,)"""
    lengths: IntArray
    """int64 (N,): features of each line."""
    labels: IntArray
    """int32 (n_positives,)"""
    label_lengths: IntArray
    """int64 (N,)"""
    repeated: int = 0
    """Labels that were left out because they stood in their line before."""
    open_end: bool = False
    """The last line has no end: it may have lost something."""

    @property
    def size(self) -> int:
        """N"""
        return len(self.lengths)

    def without_empty_end(self, least: int = 0) -> Rows:
        """Without the lines at the end that hold nothing, as long as there are more than `least`."""
        full = np.flatnonzero(self.lengths + self.label_lengths)
        size = min(self.size, max(least, int(full[-1]) + 1 if len(full) else 0))
        return self._replace(lengths=self.lengths[:size], label_lengths=self.label_lengths[:size])


def read_rows(file: File, skip: int = 0) -> Rows:
    """All lines but the first `skip`.

    Raises `DataError` with file and line for the first one that breaks the form, has a feature twice, a value
    that is not finite, or an id beyond 2^31 - 1. An id is the number that is written, however many zeros
    stand in front.
    """
    kinds = (np.int32, np.float32, np.int64, np.int32, np.int64)
    parts: list[list[Any]] = [[np.empty(0, kind)] for kind in kinds]
    repeated, open_end = 0, False
    for number, block in line_blocks(file):
        while number <= skip and block:
            number, block = number + 1, block.partition(b"\n")[2]
        if not block:
            continue
        open_end = not block.endswith(b"\n")
        text = (block + b"\n" * open_end).replace(b"\r\n", b"\n")
        rows = _read_at_once(text) or _read_by_line(file, number, text)
        repeated += rows.repeated
        arrays: tuple[Any, ...] = rows[:5]
        for part, array, kind in zip(parts, arrays, kinds, strict=True):
            part.append(array.astype(kind, copy=False))
    # popped, so that one array at most is there twice
    ids, values, lengths, labels, label_lengths = (np.concatenate(parts.pop(0)) for _ in kinds)
    return Rows(ids, values, lengths, labels, label_lengths, repeated, open_end)


def _read_at_once(text: bytes) -> Rows | None:
    """The rows of a block that ends in a line feed; None when something in it may break the form."""
    import pandas

    signed = any(sign in text for sign in (b" +", b" -", b"\n+", b"\n-", b",+", b",-"))
    if text.translate(None, b"0123456789.+-eE,: \n") or signed or text[:1] in b"+-":
        return None
    heads, tails = [], []
    for line in text[:-1].split(b"\n"):
        head, _, tail = line.partition(b" ")
        heads.append(b"" if b":" in head else head)
        tails.append(line if b":" in head else tail)
    pairs = b"\n".join(filter(None, tails)).replace(b" ", b"\n") + b"\n"
    lengths = [tail.count(b" ") + 1 if tail else 0 for tail in tails]
    ids, values = np.empty(0, dtype=np.int64), np.empty(0)
    try:
        labels = list(map(int, b",".join(filter(None, heads)).split(b","))) if any(heads) else []
        if any(lengths):
            frame = pandas.read_csv(
                io.BytesIO(pairs),
                sep=":",
                lineterminator="\n",
                header=None,
                low_memory=False,
                dtype={1: np.float64},
                na_filter=False,
                quoting=3,
                **exact_floats(),
            )
            if frame.shape != (sum(lengths), 2) or frame[0].dtype != np.int64:
                return None
            ids, values = frame[0].to_numpy(), frame[1].to_numpy()
    except ValueError:
        return None
    if max(labels, default=0) > LARGEST or ids.max(initial=0) > LARGEST:
        return None
    if not (np.abs(values) <= LARGEST_VALUE).all():
        return None
    counts = [head.count(b",") + 1 if head else 0 for head in heads]
    return _ordered(ids, values, lengths, labels, counts)


def _ordered(
    ids: IntArray | Sequence[int],
    values: FloatArray | Sequence[float],
    lengths: Sequence[int],
    labels: Sequence[int],
    label_lengths: Sequence[int],
) -> Rows | None:
    """Ids sorted within each line, repeated labels left out; None for a feature twice in a line."""

    def keys(lengths: Sequence[int], ids: IntArray | Sequence[int]) -> IntArray:
        # row and id (31 bits) as one number, so that sorting them sorts the ids within rows
        rows = np.repeat(np.arange(len(lengths), dtype=np.int64) << 31, np.asarray(lengths, dtype=np.int64))
        return rows + np.asarray(ids, dtype=np.int64)

    features, weights = keys(lengths, ids), np.asarray(values, dtype=np.float64).astype(np.float32)
    if not (np.diff(features) > 0).all():
        order = np.argsort(features)
        features, weights = features[order], weights[order]
        if (np.diff(features) == 0).any():
            return None
    positives = keys(label_lengths, labels)
    if not (np.diff(positives) > 0).all():
        positives = np.unique(positives)
    return Rows(
        features & LARGEST,
        weights,
        np.asarray(lengths, dtype=np.int64),
        positives & LARGEST,
        np.bincount(positives >> 31, minlength=len(lengths)),
        len(labels) - len(positives),
    )


def _read_by_line(file: File, first: int, text: bytes) -> Rows:
    """The same, with a complaint that names the line."""
    ids: list[int] = []
    values: list[float] = []
    labels: list[int] = []
    lengths, label_lengths = [], []
    for number, line in enumerate(text[:-1].split(b"\n"), start=first):
        own, pairs = _parse(line, f"{file}:{number}")
        if len({feature for feature, _ in pairs}) < len(pairs):
            raise DataError(f"{file}:{number}: a feature stands there twice; keep one")
        ids += [feature for feature, _ in pairs]
        values += [value for _, value in pairs]
        labels += own
        lengths.append(len(pairs))
        label_lengths.append(len(own))
    rows = _ordered(ids, values, lengths, labels, label_lengths)
    assert rows is not None
    return rows


def _parse(line: bytes, where: str) -> tuple[list[int], list[tuple[int, float]]]:
    """Labels, and features with their values, of one line."""
    fields = [field for field in re.split(rb"[ \t]+", line) if field]
    labels: list[int] = []
    if fields and b":" not in fields[0] and line[:1] not in b" \t":
        if not _LABELS.fullmatch(fields[0]):
            raise DataError(
                f"{where}: {_cut(fields[0])} is no `label,label`; write `label,label feature:value ...`"
            )
        labels = [_id(number, where) for number in fields.pop(0).split(b",")]
    pairs = []
    for field in fields:
        match = _PAIR.fullmatch(field)
        if match is None:
            raise DataError(
                f"{where}: {_cut(field)} is no `feature:value` of two numbers; "
                "write `label,label feature:value ...`"
            )
        value = float(match[2])
        if not abs(value) <= LARGEST_VALUE:
            raise DataError(f"{where}: value {_cut(match[2])} is too large; correct it")
        pairs.append((_id(match[1], where), value))
    return labels, pairs


def _id(number: bytes, where: str) -> int:
    digits = number.lstrip(b"0") or b"0"
    if len(digits) > 10 or int(digits) > LARGEST:
        raise DataError(f"{where}: id {_cut(number)} is larger than {LARGEST}; correct it")
    return int(digits)


def _cut(field: bytes) -> str:
    return shown(field.decode("utf-8", "replace"))


# --------------------------------------------------------------------------- files


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


def read_table(file: File) -> Table:
    """A file with a header; raises `DataError` when it holds other than N documents, or D or L cannot be."""
    header = head(file).split(b"\n")[0]
    match = _HEADER.fullmatch(header)
    if match is None:
        raise DataError(f"{file}:1: {_cut(header.rstrip())} is no header `N D L`; is it another format?")
    n, n_features, n_labels = (int(number) for number in match.groups())
    _check_sizes(f"{file}:1", n_features, n_labels)
    rows = read_rows(file, skip=1).without_empty_end(n)
    if rows.size != n:
        what = "it is cut off" if rows.size < n else "it has too many"
        raise DataError(
            f"{file}: {rows.size:,} documents where its header says {n:,}; {what}, get a sound copy"
        )
    return Table(rows, n_features, n_labels)


def read_bare(file: File) -> Table:
    """A file without a header; comment lines may stand on top."""
    says: Base | None = None
    top = 0
    for line in head(file).split(b"\n"):
        if not line.startswith(b"#"):
            break
        top += 1
        if match := _SAYS_BASE.match(line):
            says = 0 if match[1] == b"zero" else 1
    rows = read_rows(file, skip=top).without_empty_end()
    if rows.size == 0:
        raise DataError(f"{file}: no documents; give a file that is not empty")
    return Table(rows, features_from=says)


def _check_sizes(where: str, n_features: int, n_labels: int) -> None:
    for what, size in (("features", n_features), ("labels", n_labels)):
        if size > MOST[what]:
            raise DataError(
                f"{where}: {size:,} {what}, and more than {MOST[what]:,} are not read; "
                "is it the right number?"
            )


def _base(
    where: str, what: str, ids: Sequence[IntArray], size: int | None, stated: Base | None
) -> tuple[Base, int, list[str]]:
    """What the ids of all splits count from, D or L, and a note on how that is known where nobody stated it.

    `size` is D or L when a header gives it. An id 0 proves counting from 0, an id equal to `size` counting
    from 1. Raises `DataError` when both fit and none is stated (it names the option), or none does.
    """
    lowest = min((int(array.min()) for array in ids if len(array)), default=0)
    highest = max((int(array.max()) for array in ids if len(array)), default=-1)
    name, note = f"{what}s_from", []
    if stated == 1 and lowest == 0 <= highest:
        raise DataError(
            f"{where}: {what} id 0 occurs, but {option(name, 1)} is stated; state {option(name, 0)}"
            f"{option('_one_base')}"
        )
    first: Base
    if stated is not None:
        first = stated
    elif highest < 0 or lowest == 0:
        first, note = 0, [f"{what} ids count from 0: id 0 occurs."] * (highest >= 0)
    elif highest == size:
        first, note = 1, [f"{what} ids count from 1: the header says {size} and id {size} occurs."]
    elif size is None or highest < size:
        raise DataError(
            f"{where}: the {what} ids run from {lowest} to {highest}, which fits counting from 0 and from 1; "
            f"state {option(name, 0)} or {option(name, 1)}"
        )
    else:
        first = 1
    if size is not None and highest - first >= size:
        raise DataError(
            f"{where}: {what} id {highest}, counted from {first}, but {size} {what}s in the header; "
            f"is it the right file, and {option(name)} right?"
        )
    return first, highest + 1 - first if size is None else size, note


@dataclass(frozen=True, eq=False)
class _Corpus:
    """Files read with one numbering and one set of features and labels for all."""

    parts: Mapping[str, Matrices]
    names: Sequence[str] | None
    counts: Mapping[str, int]
    notes: Sequence[str]


#: float32 features (N, D) and labels (N, L), 1 where a document has one; sorted, without zeros.
Matrices = tuple[sparse.csr_matrix, sparse.csr_matrix]

_SENTENCES = {
    "zero_values": "{} values of 0 left out",
    "repeated_labels": "{} repeated labels counted once",
    "empty_documents": "{} documents have neither labels nor features",
}


def _assemble(tree: Tree, tables: Mapping[str, Table], options: Options) -> _Corpus:
    """Raises `DataError` when headers differ, ids do not fit, or what they count from must be stated."""
    where, first = str(tree.path), next(iter(tables.values()))
    for split, table in tables.items():
        mine, other = (table.n_features, table.n_labels), (first.n_features, first.n_labels)
        if mine != other:
            raise DataError(
                f"{where}: {split} is headed {mine} features and labels, train {other}; which is right?"
            )
    says = next((table.features_from for table in tables.values() if table.features_from is not None), None)
    stated = says if options.features_from is None else options.features_from
    ids, labels = (
        [table.rows.ids for table in tables.values()],
        [table.rows.labels for table in tables.values()],
    )
    base, n_features, note = _base(where, "feature", ids, first.n_features, stated)
    label_base, n_labels, label_note = _base(where, "label", labels, first.n_labels, options.labels_from)
    _check_sizes(where, n_features, n_labels)
    parts: dict[str, Matrices] = {}
    counts: dict[str, int] = {}
    notes = [*note, *label_note]
    for split, table in tables.items():
        rows = table.rows
        x = sparse.csr_matrix(
            (rows.values, rows.ids - np.int32(base), offsets_of(rows.lengths)), shape=(rows.size, n_features)
        )
        x.eliminate_zeros()
        ones = np.ones(len(rows.labels), dtype=np.float32)
        y = sparse.csr_matrix(
            (ones, rows.labels - np.int32(label_base), offsets_of(rows.label_lengths)),
            shape=(rows.size, n_labels),
        )
        parts[split] = x, y
        left_out = {
            "zero_values": len(rows.values) - x.nnz,
            "repeated_labels": rows.repeated,
            "empty_documents": int((rows.lengths + rows.label_lengths == 0).sum()),
        }
        counts |= {f"{split}.{name}": n for name, n in left_out.items()}
        if rows.open_end:
            notes.append(f"{split}: the last line has no end; it may be cut off.")
        notes += [f"{split}: {_SENTENCES[name].format(n)}." for name, n in left_out.items() if n]
    return _Corpus(parts, names_beside(tree, n_labels), counts, notes)


def names_beside(tree: Tree, size: int) -> tuple[str, ...] | None:
    """Names of the labels by id, if a file of them lies there; raises `DataError` where that has others."""
    file = next((file for name in _NAMES if (file := tree.find(name))), None)
    if file is None:
        return None
    names = tuple(line for _, line in text_lines(file))
    if len(names) != size:
        raise DataError(
            f"{file}: {len(names):,} names for {size:,} labels; get the file that belongs to the data"
        )
    return names


# --------------------------------------------------------------------------- as data sets


def features_dataset(
    name: str,
    parts: Mapping[str, Matrices],
    *,
    names: Sequence[str] | None = None,
    counts: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
) -> Dataset:
    """Documents of no words, each with its row of weights; none is dropped, also without labels or features.

    Labels without `names` are called by their numbers. Raises `DataError` where a split has no documents or
    there is no label to learn.
    """
    for split, (x, _) in parts.items():
        if x.shape[0] == 0:
            raise DataError(f"{name}: {split} has no documents; give a file that is not empty")
    if not parts["train"][1].nnz:
        raise DataError(f"{name}: no training document has a label; give a corpus with labels")
    splits = {split: _split(x, y) for split, (x, y) in parts.items()}
    n_features, n_labels = parts["train"][0].shape[1], parts["train"][1].shape[1]
    digests = {split: _digests(part) for split, part in splits.items()}
    lines = [f"{split} {splits[split].size} {digest}" for split, (digest, _) in digests.items()]
    content = hashlib.sha256("\n".join(["bow", *lines]).encode()).hexdigest()
    sums = {split: (splits[split].size, total) for split, (_, total) in digests.items()}
    bare = {split: int((np.diff(part.label_offsets) == 0).sum()) for split, part in splits.items()}
    found: dict[str, float] = {"features": n_features, "labels": n_labels}
    for split, (x, _) in parts.items():
        found |= {
            f"{split}.documents": x.shape[0],
            f"{split}.unlabelled_kept": bare[split],
            f"{split}.mean_features": x.nnz / x.shape[0],
        }
    choices = json.dumps([FEATURES_VERSION, content, n_features, n_labels])
    kept = [f"{split}: {count} documents without labels kept." for split, count in bare.items() if count]
    return Dataset(
        name=name,
        recipe=GIVEN,
        fingerprint=hashlib.sha256(choices.encode()).hexdigest(),
        content=content,
        corpus=corpus_digest(sums.values(), "bow corpus"),
        partition=partition_digest(sums, "bow partition"),
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=tuple(names or map(str, range(n_labels))),
        vocabulary=("",),  # there are no words; the one row is what an empty document is padded with
        vectors=np.zeros((1, 1), dtype=np.float32),
        padding_id=0,
        padding_trainable=False,
        counts={**(counts or {}), **found},
        notes=(*notes, *kept),
    )


def _split(x: sparse.csr_matrix, y: sparse.csr_matrix) -> Split:
    return Split(
        tokens=np.empty(0, dtype=np.int32),
        offsets=np.zeros(x.shape[0] + 1, dtype=np.int64),
        label_ids=y.indices.astype(np.int32, copy=False),
        label_offsets=y.indptr.astype(np.int64),
        features=x,
    )


def _digests(split: Split) -> tuple[str, int]:
    """SHA-256 of the documents in this order, and the sum of the documents' SHA-256 modulo 2^256.

    A document is its number of labels (8 bytes), label ids, feature ids and values (4 bytes each, all
    little-endian).
    """
    assert split.features is not None
    digest, total = hashlib.sha256(), 0
    labels, ids = split.label_ids.astype("<i4").tobytes(), split.features.indices.astype("<i4").tobytes()
    values = split.features.data.astype("<f4").tobytes()
    ends = zip(split.label_offsets.tolist(), split.features.indptr.tolist(), strict=True)
    start, first = next(ends)
    for stop, last in ends:
        count, own = (stop - start).to_bytes(8, "little"), labels[4 * start : 4 * stop]
        document = b"".join((count, own, ids[4 * first : 4 * last], values[4 * first : 4 * last]))
        one = hashlib.sha256(document).digest()
        digest.update(one)
        total += int.from_bytes(one, "big")
        start, first = stop, last
    return digest.hexdigest(), total % MODULUS


# --------------------------------------------------------------------------- headed and bare


def detect_headed(tree: Tree) -> Found | None:
    """First line `N D L` in the train file, or in the one file given."""
    for file in split_files(tree, _FILES).values():
        match = _HEADER.fullmatch(head(file).split(b"\n")[0])
        if match is None:
            return None
        n, n_features, n_labels = (f"{int(number):,}" for number in match.groups())
        why = f"{file.name} starts with a header: {n} documents, {n_features} features, {n_labels} labels"
        return Found(why, split_files(tree, _FILES))
    return None


def detect_bare(tree: Tree) -> Found | None:
    """All of the first lines are `label,label feature:value ...`, without a header."""
    for file in split_files(tree, _FILES).values():
        lines = [line.removesuffix(b"\r") for line in first_lines(file) if not line.startswith(b"#")]
        try:
            features = [pair for line in lines for pair in _parse(line, "")[1]]
        except DataError:
            return None
        why = f"the lines of {file.name} are `label,label feature:value ...` without a header"
        return Found(why, split_files(tree, _FILES)) if features else None
    return None


def open_headed(tree: Tree, options: Options) -> Dataset:
    """A folder of files with a header."""
    files = by_split(tree, _FILES)
    need_train_and_test(tree, files, "the format `N D L`")
    read = _assemble(tree, {split: read_table(file) for split, file in files.items()}, options)
    return features_dataset(tree.name, read.parts, names=read.names, counts=read.counts, notes=read.notes)


def open_bare(tree: Tree, options: Options) -> Dataset:
    """A folder of files without a header; D and L are the largest ids, which a note says."""
    files = by_split(tree, _FILES)
    need_train_and_test(tree, files, "LIBSVM")
    read = _assemble(tree, {split: read_bare(file) for split, file in files.items()}, options)
    note = "The numbers of features and labels are those of the largest ids: the files have no header."
    notes = (note, *read.notes)
    return features_dataset(tree.name, read.parts, names=read.names, counts=read.counts, notes=notes)


# --------------------------------------------------------------------------- columns of splits


def detect_columns(where: Tree) -> Found | None:
    """A file of row numbers for train, one for test, or at least one of them."""
    files = _column_files(where)
    columns = count_columns(where)
    if columns is None or where.single:
        return None
    needs = []
    if "data" not in files:
        needs.append(f"state {option('data', 'FILE')}: the data file that the row numbers speak of")
    if columns > 1:
        needs.append(f"state {_columns(columns)}: which of the {columns} splits")
    shown_file = files.get("train rows") or files["test rows"]
    return Found(
        f"{shown_file.name} holds row numbers in {columns} columns, a split each", files, tuple(needs)
    )


def _columns(number: int) -> str:
    return f"{option('column', 0)} to {option('column', number - 1)}"


def check_column(where: str, column: int, columns: int) -> None:
    """Raises `ConfigError` for a column (from 0) that is not there."""
    if not 0 <= column < columns:
        raise ConfigError(f"{where}: column {column} of {columns}; give 0 to {columns - 1}")


def count_columns(where: Tree) -> int | None:
    """How many splits, by the first line of row numbers; None where there are no such files.

    Raises `DataError` for a file that starts with none.
    """
    files = _column_files(where)
    rows = next((files[role] for role in _ROLES.values() if role in files), None)
    if rows is None:
        return None
    first = head(rows).split(b"\n")[0].split()
    if not first or not all(field.isdigit() for field in first):
        raise DataError(f"{rows}: no row numbers; get a sound copy")
    return len(first)


def open_column(where: Tree, options: Options) -> Dataset:
    """One split. `options.data` names the data file when it lies elsewhere.

    Raises `DataError` asking for `column` when there are several, when a file is missing or damaged, and when
    row numbers lie outside the data or one is there twice; `ConfigError` for a column that is not there.
    """
    files, columns = _column_files(where), count_columns(where) or 1
    if options.column is not None:
        check_column(where.name, options.column, columns)  # before the data are read
    elif columns > 1:
        alone = options.data is None and "data" not in files
        lacking = (
            "; there is no data file beside them, so state " + option("data", "FILE") + " too"
            if alone
            else ""
        )
        raise DataError(
            f"{where.path}: {columns} splits, one a column; "
            f"state {_columns(columns)}{option('_columns', f'0-{columns - 1}')}{lacking}"
        )
    column = options.column or 0
    for role in _ROLES.values():
        if role not in files:
            raise DataError(
                f"{where.path}: no file of {role}; both ..._trSplit.txt and ..._tstSplit.txt are needed"
            )
    home, data = _data(where, files, options)
    read = _assemble(home, {"all": read_table(data)}, options)
    x, y = read.parts["all"]
    train, test = (_row_numbers(files[role], x.shape[0]) for role in _ROLES.values())
    if train.shape[1] != test.shape[1]:
        raise DataError(
            f"{where.path}: {train.shape[1]} columns of train and {test.shape[1]} of test; "
            "they do not belong together"
        )
    both = np.concatenate((train[:, column], test[:, column]))
    if len(np.unique(both)) < len(both):
        raise DataError(f"{home.name}: column {column} uses a row twice; get a sound copy of the split files")
    left = x.shape[0] - len(both)
    notes = [*read.notes, f"Split {column} (from 0) of {columns} that come with the data."]
    if left:
        notes.append(f"{left} rows of the data stand in neither train nor test.")
    parts = {
        split: (x[rows[:, column]], y[rows[:, column]]) for split, rows in (("train", train), ("test", test))
    }
    counts = {**read.counts, "rows_not_used": left}
    return features_dataset(home.name, parts, names=read.names, counts=counts, notes=notes)


def _data(where: Tree, files: Mapping[str, File], options: Options) -> tuple[Tree, File]:
    """The data file, and where the names of labels lie: beside it."""
    if options.data is not None:
        path = Path(options.data)
        file = next(iter(tree(path).files.values()))[0]
        return (tree(path.parent) if file.path == path and not file.member else tree(path)), file
    if "data" not in files:
        raise DataError(
            f"{where.path}: row numbers of splits, but no data file beside them; "
            f"state {option('data', 'FILE')}"
        )
    return where, files["data"]


def _row_numbers(file: File, size: int) -> IntArray:
    """int64 (n, C) row numbers from 0; raises `DataError` for ragged lines or a number outside 1..size."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy warns of empty files and of numbers that are not whole
            rows = np.loadtxt((line for _, line in text_lines(file)), dtype=np.int64, comments=None, ndmin=2)
    except DataError:
        raise
    except (ValueError, OverflowError, Warning) as err:
        raise DataError(f"{file}: not row numbers in columns ({err}); get a sound copy") from err
    if rows.size and not (rows.min() >= 1 and rows.max() <= size):
        wrong = rows.min() if rows.min() < 1 else rows.max()
        raise DataError(
            f"{file}: row number {wrong}; they count from 1 to {size:,}, do they belong to these data?"
        )
    return rows - 1


def _column_files(where: Tree) -> dict[str, File]:
    files: dict[str, File] = {}
    for name in where.files:
        match = _SPLIT_FILE.fullmatch(name)
        role = _ROLES[match[1].lower()] if match else "data" if _DATA_FILE.fullmatch(name) else None
        file = where.find(name) if role else None
        if role and file:
            if role in files:
                raise DataError(f"{where.path}: {files[role].name} and {file.name} are both {role}; keep one")
            files[role] = file
    return files
