"""Corpora of features: files of the Extreme Classification Repository (a first line `N D L`, then
`label,label feature:value ...`; maybe names of labels beside them), the same without header (LIBSVM
multi-label), several random splits by row numbers in columns, and sparse matrices (amzn/pecos, pyxclib). Ids
count from 0 or 1 as stated or as proved by the ids. N documents, D features, L labels."""

from __future__ import annotations

import hashlib
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from reimpl.data import files as disk
from reimpl.data.dataset import Dataset, FloatArray, IntArray, Split, offsets_of
from reimpl.data.files import File, Tree, digest_of, head, line_blocks, shown, text_lines
from reimpl.data.formats import base
from reimpl.data.formats.base import Base, Options, first_file, train_and_test
from reimpl.data.numbering import identities_of_sums, rows_as_bytes
from reimpl.errors import ConfigError, DataError, option

GIVEN = "features as given"  # What stands as `Dataset.preprocessing`: the weights are those of the corpus.
FEATURES_VERSION = 1  # Counts up when the same corpus gives other arrays than before.
#: No corpus of the field has more than some millions of labels, and ids are int32. What says more is damaged
#: or lies, and whoever believed it would fill the memory.
MOST = {"feature": 1 << 31, "label": 10_000_000}

_FILES = r"{prefix}{split}(?:_v\d+)?(?:\.(?:txt|dat|data|svm|libsvm|svmlight))?"
_HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
_SPLIT_FILE = re.compile(r"(?:.*[_.-])?(trsplit|tr_split|tstsplit|tst_split|data)\.txt", re.IGNORECASE)
_FEATURES = r"(?:X\.{split}|{prefix}{split}_X_Xf)\.npz"
_TARGETS = r"(?:Y\.{split}|{prefix}{split}_X_Y)\.npz"

#: Of an id (int32) and of a value (float32).
LARGEST, LARGEST_VALUE = int(np.iinfo(np.int32).max), float(np.finfo(np.float32).max)
_FORM = "`label,label feature:value ...`"


class Rows(NamedTuple):
    """N lines with their ids as written, rising within a line, a label once a line."""

    ids: IntArray  # int32 (n,): features
    values: FloatArray  # float32 (n,)
    lengths: IntArray  # int64 (N,): features of each line
    labels: IntArray  # int32 (n_positives,)
    label_lengths: IntArray  # int64 (N,)
    repeated: int = 0  # Labels that were left out because they stood in their line before
    open_end: bool = False  # The last line has no end: it may have lost something

    def without_empty_end(self, least: int = 0) -> Rows:
        """The lines without empty ones at the end, as long as there are more than `least`."""
        full = np.flatnonzero(self.lengths + self.label_lengths)
        size = min(len(self.lengths), max(least, int(full[-1]) + 1 if len(full) else 0))
        return self._replace(lengths=self.lengths[:size], label_lengths=self.label_lengths[:size])


def read_rows(file: File, skip: int = 0) -> Rows:
    """All lines but the first `skip`. Raises `DataError` with file and line for the first invalid one."""
    blocks, open_end = [_rows_of([])], False
    for number, block in line_blocks(file):
        while number <= skip and block:
            number, block = number + 1, block.partition(b"\n")[2]
        if not block:
            continue
        open_end = not block.endswith(b"\n")
        text = block.removesuffix(b"\n").replace(b"\r\n", b"\n").replace(b"\t", b" ")
        while b"  " in text:
            text = text.replace(b"  ", b" ")
        lines = [line.removesuffix(b"\r").removesuffix(b" ") for line in text.split(b"\n")]
        if (rows := _rows_of(lines)) is None:
            bad = next((n for n, line in enumerate(lines) if _rows_of([line]) is None), 0)
            what = f"not {_FORM} with ids up to {LARGEST}, finite values and no feature twice"
            raise DataError(f"{file}:{number + bad}: {shown(lines[bad])} is {what}; correct the line")
        blocks.append(rows)
    # popped, so that one array at most is there twice
    columns = [list(column) for column in zip(*filter(None, blocks), strict=True)]
    del blocks
    ids, values, lengths, labels, label_lengths = (np.concatenate(columns.pop(0)) for _ in range(5))
    return Rows(ids, values, lengths, labels, label_lengths, sum(columns[0]), open_end)


def _rows_of(lines: Sequence[bytes]) -> Rows | None:
    """Parses lines separated by single spaces; None if one is different. `#` begins a comment, 3.0 is 3."""
    import pandas

    if any(b"#" in line for line in lines):
        lines = [line.partition(b"#")[0].rstrip(b" ") for line in lines]
    heads, tails = [], []
    for line in lines:
        first, _, tail = line.partition(b" ")
        heads.append(b"" if b":" in first else first)
        tails.append(line if b":" in first else tail)
        if tails[-1] and b":" not in tails[-1]:
            return None
    lengths = [tail.count(b":") for tail in tails]
    label_lengths = [head.count(b",") + 1 if head else 0 for head in heads]
    # without their numbers the features of a line are `: : :`
    marks = b"\n".join((b": " * length)[:-1] for length in lengths)
    features, names = b"\n".join(tails), b",".join(filter(None, heads))
    if b"." in names:
        names = re.sub(rb"(?<=\d)\.0+(?=,|$)", b"", names)
    if features.translate(None, b"0123456789.+-eE") != marks or names.translate(None, b"0123456789,"):
        return None
    ids, values = np.empty(0, dtype=np.int64), np.empty(0)
    how = {"sep": ":", "lineterminator": "\n", "header": None, "low_memory": False, "quoting": 3}
    try:
        labels = np.array(list(map(int, names.split(b","))) if names else [], dtype=np.int64)
        if any(lengths):
            pairs, exact = io.BytesIO(features.replace(b" ", b"\n") + b"\n"), disk.exact_floats()
            frame = pandas.read_csv(pairs, dtype={1: np.float64}, na_filter=False, **how, **exact)
            if frame.shape != (sum(lengths), 2) or frame[0].dtype != np.int64:
                return None
            ids, values = frame[0].to_numpy(), frame[1].to_numpy()
    except (ValueError, OverflowError):
        return None
    signed = any(sign in b" " + features for sign in (b" +", b" -", b"\n+", b"\n-"))
    if signed or max(labels.max(initial=0), ids.max(initial=0)) > LARGEST:
        return None
    if not (np.abs(values) <= LARGEST_VALUE).all():
        return None
    keys, weights = _keys(lengths, ids), values.astype(np.float32)
    if not (np.diff(keys) > 0).all():
        order = np.argsort(keys)
        keys, weights = keys[order], weights[order]
        if (np.diff(keys) == 0).any():
            return None
    positives = np.unique(_keys(label_lengths, labels))
    return Rows(
        (keys & LARGEST).astype(np.int32),
        weights,
        np.array(lengths, dtype=np.int64),
        (positives & LARGEST).astype(np.int32),
        np.bincount(positives >> 31, minlength=len(lengths)),
        len(labels) - len(positives),
    )


def _keys(lengths: Sequence[int], ids: IntArray) -> IntArray:
    """Row and id (31 bits) as one number: sorting them sorts the ids within rows."""
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64) << 31, np.array(lengths, dtype=np.int64))
    return rows + ids


def _header(file: File) -> tuple[int, ...] | None:
    match = _HEADER.fullmatch(head(file).split(b"\n")[0])
    return tuple(map(int, match.groups())) if match else None


def detect_headed(tree: Tree) -> object:
    file = first_file(tree, _FILES)
    return file and _header(file)


def detect_bare(tree: Tree) -> bool:
    if (file := first_file(tree, _FILES)) is None:
        return False
    lines = [b" ".join(line.split()) for line in base.first_lines(file) if not line.startswith(b"#")]
    rows = _rows_of(lines)
    return rows is not None and len(rows.ids) > 0


def open_headed(tree: Tree, options: Options) -> Dataset:
    files = train_and_test(tree, _FILES, "the format `N D L`")
    tables = {split: _read_headed(file) for split, file in files.items()}
    sizes = tables["train"][1]
    for split, (_, other) in tables.items():
        if other != sizes:
            raise DataError(f"{tree.path}: {split} has {other} features and labels, train {sizes}")
    parts, about = _assemble(tree, {split: rows for split, (rows, _) in tables.items()}, options, sizes)
    return features_dataset(tree.name, parts, **about)


def _read_headed(file: File) -> tuple[Rows, tuple[int, int]]:
    """A file with a header, and its D and L; raises `DataError` if it does not hold N documents."""
    if (header := _header(file)) is None:
        raise DataError(f"{file}:1: no header `N D L`; is it another format?")
    n, n_features, n_labels = header
    rows = read_rows(file, skip=1).without_empty_end(n)
    if (size := len(rows.lengths)) != n:
        what = "it is cut off" if size < n else "it has too many"
        raise DataError(f"{file}: {size:,} documents where its header says {n:,}; {what}, get a sound copy")
    return rows, (n_features, n_labels)


def open_bare(tree: Tree, options: Options) -> Dataset:
    """A folder of files without a header; D and L are the largest ids, which a note says."""
    rows = {}
    for split, file in train_and_test(tree, _FILES, "LIBSVM").items():
        comments = re.match(rb"(?:#[^\n]*\n)*", head(file))
        rows[split] = read_rows(file, skip=comments[0].count(b"\n") if comments else 0).without_empty_end()
    parts, about = _assemble(tree, rows, options)
    note = "The numbers of features and labels are those of the largest ids: the files have no header."
    return features_dataset(tree.name, parts, **about | {"notes": (note, *about["notes"])})


def _base(
    where: str, what: str, ids: Sequence[IntArray], size: int | None, stated: Base | None
) -> tuple[Base, int, list[str]]:
    """Whether ids count from 0 or 1, of D or L (`size` if a header gives it), and a note on how that is
    known: `stated` decides if both fit. Raises `DataError` if nothing does, or none fits."""
    lowest = min((int(array.min()) for array in ids if len(array)), default=1)
    highest = max((int(array.max()) for array in ids if len(array)), default=-1)
    run = f"the {what} ids run from {lowest} to {highest}"
    fits: list[Base] = [it for it in (0, 1) if lowest >= it and (size is None or highest - it < size)]
    if stated is None and len(fits) == 2 and highest >= 0:
        both = f"state {option('base', 0)} or {option('base', 1)}"
        raise DataError(f"{where}: {run}, which fits counting from 0 and from 1; {both}")
    if not fits:
        raise DataError(f"{where}: {run}, but the header says {size} of them; is it the right file?")
    first = stated if stated in fits else fits[0]
    proof = "id 0 occurs" if first == 0 else f"the header says {size} and id {size} occurs"
    note = [f"{what} ids count from {first}: {proof}."] * (stated != first and highest >= 0)
    size = highest + 1 - first if size is None else size
    if size > MOST[what]:
        raise DataError(f"{where}: {size:,} {what}s, and {MOST[what]:,} are the most; is it right?")
    return first, size, note


#: float32 features (N, D) and labels (N, L), 1 where a document has one; sorted, without zeros.
Matrices = tuple[sparse.csr_matrix, sparse.csr_matrix]


def _assemble(
    tree: Tree, rows: Mapping[str, Rows], options: Options, sizes: tuple[int, int] | None = None
) -> tuple[dict[str, Matrices], dict[str, Any]]:
    """Matrices by split, and `names`, `counts`, `notes` of a data set; `sizes` are the header's D and L."""
    where, (D, L) = str(tree.path), sizes or (None, None)
    ids, labels = [each.ids for each in rows.values()], [each.labels for each in rows.values()]
    feature_base, n_features, note = _base(where, "feature", ids, D, options.base)
    label_base, n_labels, label_note = _base(where, "label", labels, L, options.base)
    if options.base not in (None, feature_base, label_base):
        stated = option("base", options.base)
        raise DataError(f"{where}: {note[0][:-1]}, {label_note[0][:-1]}; check {stated} and the file")
    parts: dict[str, Matrices] = {}
    counts: dict[str, int] = {}
    notes = [*note, *label_note]
    for split, each in rows.items():
        size = len(each.lengths)
        features = (each.values, each.ids - np.int32(feature_base), offsets_of(each.lengths))
        x = sparse.csr_matrix(features, shape=(size, n_features))
        x.eliminate_zeros()
        ones = np.ones(len(each.labels), dtype=np.float32)
        positives = (ones, each.labels - np.int32(label_base), offsets_of(each.label_lengths))
        parts[split] = x, sparse.csr_matrix(positives, shape=(size, n_labels))
        if each.open_end:
            notes.append(f"{split}: the last line has no end; it may be cut off.")
        empty = int((each.lengths + each.label_lengths == 0).sum())
        for name, count, sentence in (
            ("zero_values", len(each.values) - x.nnz, "values of 0 left out"),
            ("repeated_labels", each.repeated, "repeated labels counted once"),
            ("empty_documents", empty, "documents have neither labels nor features"),
        ):
            counts[f"{split}.{name}"] = count
            notes += [f"{split}: {count} {sentence}."] * (count > 0)
    return parts, {"names": _names_beside(tree, n_labels), "counts": counts, "notes": notes}


def _names_beside(tree: Tree, size: int) -> tuple[str, ...] | None:
    """Names of the labels by id, if a file of them exists; raises `DataError` if it does not fit."""
    file = tree.find("labels.txt") or tree.find("Y.txt")
    if file is None:
        return None
    names = tuple(line for _, line in text_lines(file))
    if len(names) != size:
        raise DataError(f"{file}: {len(names):,} names for {size:,} labels; get the matching file")
    return names


def features_dataset(
    name: str,
    parts: Mapping[str, Matrices],
    *,
    names: Sequence[str] | None = None,
    counts: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
) -> Dataset:
    """A data set without words, of all documents. Raises `DataError` if none, or none to train on."""
    n_features, n_labels = parts["train"][0].shape[1], parts["train"][1].shape[1]
    sizes: dict[str, float] = {"features": n_features, "labels": n_labels}
    splits, lines, sums, kept = {}, ["bow"], {}, []
    for split, (x, y) in parts.items():
        if x.shape[0] == 0:
            raise DataError(f"{name}: {split} has no documents; give a file that is not empty")
        if split == "train" and not y.nnz:
            raise DataError(f"{name}: no training document has a label; give a corpus with labels")
        part = splits[split] = Split(
            tokens=np.empty(0, dtype=np.int32),
            offsets=np.zeros(x.shape[0] + 1, dtype=np.int64),
            label_ids=y.indices.astype(np.int32, copy=False),
            label_offsets=y.indptr.astype(np.int64),
            features=x,
        )
        documents = rows_as_bytes(part.label_ids, part.label_offsets, x.indptr, x.indices, x.data)
        digests = [hashlib.sha256(document).digest() for document in documents]
        lines.append(f"{split} {part.size} {hashlib.sha256(b''.join(digests)).hexdigest()}")
        sums[split] = part.size, sum(int.from_bytes(digest, "big") for digest in digests)
        bare = int((np.diff(part.label_offsets) == 0).sum())
        kept += [f"{split}: {bare} documents without labels kept."] * (bare > 0)
        sizes |= {f"{split}.documents": part.size, f"{split}.unlabelled_kept": bare}
        sizes[f"{split}.mean_features"] = x.nnz / part.size
    content = digest_of("\n".join(lines))
    return Dataset(
        name=name,
        preprocessing=GIVEN,
        fingerprint=digest_of(json.dumps([FEATURES_VERSION, content, n_features, n_labels])),
        content=content,
        **identities_of_sums(sums, "bow "),
        train=splits["train"],
        test=splits["test"],
        dev=splits.get("dev"),
        labels=tuple(names or map(str, range(n_labels))),
        vocabulary=("",),  # there are no words; the one row is what an empty document is padded with
        vectors=np.zeros((1, 1), dtype=np.float32),
        padding_id=0,
        padding_trainable=False,
        counts={**(counts or {}), **sizes},
        notes=(*notes, *kept),
    )


def _column_files(where: Tree) -> dict[str, File]:
    roles = {"trsplit": "train", "tstsplit": "test", "data": "data"}
    matches = filter(None, map(_SPLIT_FILE.fullmatch, where.files))
    files = {roles[match[1].lower().replace("_", "")]: where.find(match[0]) for match in matches}
    return {role: file for role, file in files.items() if file}


def count_columns(where: Tree) -> int | None:
    """How many splits, by the first line of row numbers; None if there are no such files."""
    files = _column_files(where)
    if (rows := files.get("train") or files.get("test")) is None:
        return None
    first = head(rows).split(b"\n")[0].split()
    if not first or not all(field.isdigit() for field in first):
        raise DataError(f"{rows}: no row numbers; get a sound copy")
    return len(first)


def check_column(where: str, column: int, columns: int) -> None:
    """Raises `ConfigError` for a column (from 0) that does not exist."""
    if not 0 <= column < columns:
        raise ConfigError(f"{where}: column {column} of {columns}; give 0 to {columns - 1}")


def open_column(where: Tree, options: Options) -> Dataset:
    """One split. Raises `DataError` if `column` is needed, `ConfigError` if it does not exist."""
    files, columns = _column_files(where), count_columns(where) or 1
    no_data = options.data is None and "data" not in files
    lacking = f"there is no data file beside them; state {option('data', 'FILE')}"
    if options.column is not None:
        check_column(where.name, options.column, columns)  # before the data are read
    elif columns > 1:
        state = f"state {option('column', 0)} to {option('column', columns - 1)}"
        state += option("_columns", f"0-{columns - 1}") + (f"; {lacking} too" if no_data else "")
        raise DataError(f"{where.path}: {columns} splits, one a column; {state}")
    if no_data:
        raise DataError(f"{where.path}: row numbers of splits, but {lacking}")
    if not {"train", "test"} <= files.keys():
        raise DataError(f"{where.path}: ..._trSplit.txt and ..._tstSplit.txt are both needed")
    home, data = where, files.get("data")
    if options.data is not None:  # names of labels are looked for beside it
        path = Path(options.data)
        ((data, *_), *_) = disk.tree(path).files.values()
        home = disk.tree(path.parent if data.path == path and not data.member else path)
    assert data is not None
    whole, sizes = _read_headed(data)
    parts, about = _assemble(home, {"all": whole}, options, sizes)
    x, y = parts["all"]
    column = options.column or 0
    rows = {split: _row_numbers(files[split], x.shape[0], columns)[:, column] for split in ("train", "test")}
    used = np.concatenate((rows["train"], rows["test"]))
    if len(np.unique(used)) < len(used):
        raise DataError(f"{home.name}: column {column} uses a row twice; get a sound copy of the split files")
    left = x.shape[0] - len(used)
    about["counts"]["rows_not_used"] = left
    about["notes"] += [f"Split {column} (from 0) of {columns} that come with the data."]
    about["notes"] += [f"{left} rows of the data are in neither train nor test."] * (left > 0)
    return features_dataset(home.name, {split: (x[own], y[own]) for split, own in rows.items()}, **about)


def _row_numbers(file: File, size: int, columns: int) -> IntArray:
    """int64 (n, C) row numbers from 0; raises `DataError` for ragged lines or a number outside 1..size."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy warns of empty files and of numbers that are not whole
            rows = np.loadtxt((line for _, line in text_lines(file)), dtype=np.int64, comments=None, ndmin=2)
    except (ValueError, OverflowError, Warning) as err:
        raise DataError(f"{file}: not row numbers in columns ({err}); get a sound copy") from err
    if rows.shape[1] != columns:
        raise DataError(f"{file}: {rows.shape[1]} columns, not {columns}; they do not belong together")
    if len(wrong := rows[(rows < 1) | (rows > size)]):
        raise DataError(f"{file}: row number {wrong[0]} of {size:,} rows, from 1; is it the right file?")
    return rows - 1


def detect_matrices(tree: Tree) -> object:
    return first_file(tree, _FEATURES) and first_file(tree, _TARGETS)


def open_matrices(tree: Tree, options: Options) -> Dataset:
    """A folder of feature and label matrices; raises `DataError` if their rows or columns differ."""
    files = train_and_test(tree, _FEATURES, "the format of sparse matrices")
    targets = base.files_beside(tree, files, _TARGETS, "matrix of {} labels")
    parts = {split: (_read_matrix(file), _read_matrix(targets[split])) for split, file in files.items()}
    widths = {split: (x.shape[1], y.shape[1]) for split, (x, y) in parts.items()}
    for split, (x, y) in parts.items():
        if x.shape[0] != y.shape[0] or widths[split] != widths["train"]:
            unlike = f"{x.shape} features, {y.shape} labels; in train {widths['train']} columns"
            raise DataError(f"{files[split]}: {unlike}; they do not belong together")
    return features_dataset(tree.name, parts, names=_names_beside(tree, widths["train"][1]))


def _read_matrix(file: File) -> sparse.csr_matrix:
    """float32 CSR, sorted, without zeros. Raises `DataError` for repeated or infinite values."""
    if not file.plain:
        raise DataError(f"{file}: an .npz in an archive; unpack it first")
    try:
        with file.path.open("rb") as stream, np.errstate(over="ignore"):  # beyond float32 is found below
            loaded = sparse.csr_matrix(sparse.load_npz(stream))
            loaded.check_format(full_check=True)
            before = loaded.nnz
            matrix = loaded.astype(np.float32)  # which may add up duplicates
    except Exception as err:  # a damaged file raises any of a dozen kinds
        why = str(err).split("\n", 1)[0][:80] or type(err).__name__
        how = "save it with scipy.sparse.save_npz, or get a sound copy"
        raise DataError(f"{file}: not a valid sparse matrix ({why}); {how}") from err
    matrix.sum_duplicates()
    if matrix.nnz < before or not np.isfinite(matrix.data).all():
        raise DataError(f"{file}: a value is not finite, or a column twice in a row; correct the matrix")
    matrix.eliminate_zeros()
    return matrix
