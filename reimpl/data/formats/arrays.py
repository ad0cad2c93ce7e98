"""Corpora that other programs prepared: AttentionXML's arrays of word ids, and pairs of sparse matrices.

* AttentionXML (yourh/AttentionXML at e2bbbec, preprocess.py): `train_texts.npy`, word ids (N, 500) filled up
  with 0, `vocab.npy`, and labels, which that code saves as Python objects: these are never read (they could
  run code), and `train_labels.txt` beside them is.
* Matrices: `X.trn.npz` and `Y.trn.npz` (amzn/pecos), `trn_X_Xf.npz` and `trn_X_Y.npz` (pyxclib).
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from reimpl.data.dataset import Dataset
from reimpl.data.files import File, Tree, blocks
from reimpl.data.formats.base import (
    Found,
    Options,
    TextSource,
    by_split,
    need_beside,
    need_train_and_test,
    pairs_seen,
)
from reimpl.data.formats.features import features_dataset, names_beside
from reimpl.data.formats.texts import with_labels
from reimpl.data.source import Document
from reimpl.errors import DataError

_TEXTS = r"{prefix}{split}_texts\.npy"
_LABELS = r"{prefix}{split}_labels\.txt"
_VOCABULARY = "vocab.npy"
_FEATURES = r"(?:X\.{split}|{prefix}{split}_X_Xf)\.npz"
_TARGETS = r"(?:Y\.{split}|{prefix}{split}_X_Y)\.npz"
_PADDING = 0


def read_npy(file: File, kinds: str, dimensions: int) -> NDArray[Any]:
    """The array; mapped into memory, not read, when the file lies plain on disk.

    `kinds` are the allowed `dtype.kind`s. Raises `DataError` for Python objects (they could run code),
    another kind or number of dimensions, or a damaged file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers written by Python 2 are read, with a warning
            if file.plain:
                array = np.load(file.path, mmap_mode="r", allow_pickle=False)
            else:
                array = np.lib.format.read_array(io.BytesIO(b"".join(blocks(file))), allow_pickle=False)
        kind, shape = array.dtype.kind, array.shape
    except DataError:
        raise
    except Exception as err:  # numpy has a dozen for damaged files
        why = str(err).split("\n", 1)[0][:80] or type(err).__name__
        raise DataError(
            f"{file}: no sound array without Python objects ({why}); save a plain array, or get a sound copy"
        ) from err
    if kind not in kinds or len(shape) != dimensions:
        raise DataError(
            f"{file}: an array of {array.dtype} and shape {shape}; "
            f"it needs {dimensions} dimensions of {kinds!r}"
        )
    return np.asarray(array)


# --------------------------------------------------------------------------- word ids


def detect_ids(tree: Tree) -> Found | None:
    """A file of word ids."""
    texts = by_split(tree, _TEXTS)
    if not texts:
        return None
    seen = pairs_seen(texts, "texts", by_split(tree, _LABELS))
    return Found(f"{next(iter(texts.values())).name} holds word ids", seen)


def open_ids(tree: Tree, options: Options) -> TextSource:
    """A folder of word ids; raises `DataError` when the words or readable labels are missing."""
    texts, labels, vocabulary = by_split(tree, _TEXTS), by_split(tree, _LABELS), tree.find(_VOCABULARY)
    need_train_and_test(tree, texts, "AttentionXML's arrays")
    if vocabulary is None:
        raise DataError(
            f"{tree.path}: no {_VOCABULARY}, without which the word ids say nothing; add the file"
        )
    need_beside(tree, texts, labels, "{}_labels.txt (labels saved as Python objects are not read)")
    return TextSource(
        tree.name,
        {split: partial(_id_documents, texts[split], labels[split], vocabulary) for split in texts},
        (*(file for split in texts for file in (texts[split], labels[split])), vocabulary),
        "attentionxml arrays",
        ("The texts were cut, and rare words replaced, by the program that made the arrays.",),
        tokenised=True,
    )


def _id_documents(texts: File, labels: File, vocabulary: File) -> Iterator[Document]:
    """The documents as words joined by spaces, the padding left out."""
    ids = read_npy(texts, "iu", 2)
    words = read_npy(vocabulary, "U", 1).astype(object)

    def text(n: int, row: NDArray[Any]) -> str:
        if len(row) and (row.min() < 0 or row.max() >= len(words)):
            raise DataError(
                f"{texts}: row {n}: word id {int(row.max())} or {int(row.min())}, "
                f"but {vocabulary.name} has {len(words)} words; get the file that belongs to the texts"
            )
        return " ".join(words[row[row != _PADDING]])

    return with_labels(texts, (text(n, row) for n, row in enumerate(ids)), labels)


# --------------------------------------------------------------------------- matrices


def detect_matrices(tree: Tree) -> Found | None:
    """A matrix of features beside one of labels."""
    files, targets = by_split(tree, _FEATURES), by_split(tree, _TARGETS)
    if not files or not targets:
        return None
    why = f"{next(iter(files.values())).name} beside {next(iter(targets.values())).name}"
    return Found(why, pairs_seen(files, "features", targets))


def open_matrices(tree: Tree, options: Options) -> Dataset:
    """A folder of feature and label matrices; raises `DataError` when they have different rows or columns."""
    files, targets = by_split(tree, _FEATURES), by_split(tree, _TARGETS)
    need_train_and_test(tree, files, "the format of sparse matrices")
    need_beside(tree, files, targets, "matrix of {} labels")
    parts = {split: (read_matrix(file), read_matrix(targets[split])) for split, file in files.items()}
    n_features, n_labels = parts["train"][0].shape[1], parts["train"][1].shape[1]
    for split, (x, y) in parts.items():
        if x.shape[0] != y.shape[0]:
            raise DataError(
                f"{files[split]}: {x.shape[0]:,} rows, but {y.shape[0]:,} in {targets[split].name}"
            )
        if (x.shape[1], y.shape[1]) != (n_features, n_labels):
            raise DataError(
                f"{tree.path}: matrices of different widths (train {n_features} features and {n_labels} "
                f"labels; {split} {x.shape[1]} and {y.shape[1]}); they do not belong together"
            )
    return features_dataset(tree.name, parts, names=names_beside(tree, n_labels))


def read_matrix(file: File) -> sparse.csr_matrix:
    """float32 CSR of a matrix that scipy saved as .npz: sorted, without zeros or duplicates.

    Raises `DataError` for a damaged file, one in an archive, and values that are twice there or not finite.
    """
    if not file.plain:
        raise DataError(f"{file}: an .npz in an archive; unpack it first")
    try:
        with file.path.open("rb") as stream, np.errstate(over="ignore"):  # beyond float32 is found below
            loaded = sparse.csr_matrix(sparse.load_npz(stream))
            loaded.check_format(full_check=True)
            before = loaded.nnz
            matrix = loaded.astype(np.float32)  # which may add up duplicates
    except DataError:
        raise
    except Exception as err:  # scipy, numpy and zipfile have a dozen for damaged files
        why = str(err).split("\n", 1)[0][:80] or type(err).__name__
        raise DataError(
            f"{file}: no sound sparse matrix ({why}); save it with scipy.sparse.save_npz, or get a sound copy"
        ) from err
    if not np.isfinite(matrix.data).all():
        raise DataError(f"{file}: a value is not finite; correct the matrix")
    matrix.sum_duplicates()
    if matrix.nnz < before:
        raise DataError(f"{file}: a row has two values in one column; correct the matrix")
    matrix.eliminate_zeros()
    return matrix
