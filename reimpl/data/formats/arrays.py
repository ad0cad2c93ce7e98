"""Corpora that other programs prepared: AttentionXML's arrays of word ids, and pairs of sparse matrices.

* AttentionXML (yourh/AttentionXML at e2bbbec, preprocess.py): `train_texts.npy`, word ids (N, 500) filled up
  with 0, `vocab.npy`, and labels, which that code saves as Python objects: these are refused, and
  `train_labels.txt` beside it is read instead.
* Matrices: `X.trn.npz` and `Y.trn.npz` (amzn/pecos), `trn_X_Xf.npz` and `trn_X_Y.npz` (pyxclib).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reimpl.data.files import File, Tree, text_lines
from reimpl.data.formats.base import Found, Options, TextSource, by_split, need_train_and_test
from reimpl.data.formats.bow import BowDataset, BowSplit
from reimpl.data.formats.npy import read_csr, read_npy
from reimpl.data.formats.xc import names
from reimpl.data.source import Document
from reimpl.errors import DataError

_TEXTS = r"{prefix}{split}_texts\.npy"
_LABELS, _SAVED_LABELS = r"{prefix}{split}_labels\.txt", r"{prefix}{split}_labels\.npy"
_VOCABULARY = "vocab.npy"
_FEATURES = r"(?:X\.{split}|{prefix}{split}_X_Xf)\.npz"
_TARGETS = r"(?:Y\.{split}|{prefix}{split}_X_Y)\.npz"
_PADDING = 0


def id_documents(texts: File, labels: File, vocabulary: File) -> Iterator[Document]:
    """The documents as words joined by spaces, the padding left out.

    Raises `DataError` when ids and words do not fit, or there are more texts than label lines or fewer.
    """
    ids = read_npy(texts, "iu", 2)
    words = read_npy(vocabulary, "U", 1).astype(object)
    label_rows = text_lines(labels)
    for n, row in enumerate(ids):
        label_row = next(label_rows, None)
        if label_row is None:
            raise _unequal(texts, len(ids), labels, n)
        yield Document(tuple(label_row[1].split()), _text(row, words, f"{texts}: row {n}", vocabulary))
    if next(label_rows, None) is not None:
        raise _unequal(texts, len(ids), labels, len(ids) + 1 + sum(1 for _ in label_rows))


def _text(row: NDArray[Any], words: NDArray[Any], where: str, vocabulary: File) -> str:
    if len(row) and (row.min() < 0 or row.max() >= len(words)):
        raise DataError(
            f"{where}: word id {int(row.max())} or {int(row.min())}, "
            f"but {vocabulary.name} has {len(words)} words; get the file that belongs to the texts"
        )
    return " ".join(words[row[row != _PADDING]])


def _unequal(texts: File, n_texts: int, labels: File, n_labels: int) -> DataError:
    return DataError(
        f"{texts}: {n_texts:,} texts, but {n_labels:,} lines in {labels.name}; they do not belong together"
    )


def open_ids(tree: Tree, options: Options) -> TextSource:
    """A folder of word ids; raises `DataError` when the words or readable labels are missing."""
    texts, labels = by_split(tree, _TEXTS), by_split(tree, _LABELS)
    need_train_and_test(tree, texts, "AttentionXML's arrays")
    vocabulary = tree.find(_VOCABULARY)
    if vocabulary is None:
        raise DataError(
            f"{tree.path}: no {_VOCABULARY}, without which the word ids say nothing; add the file"
        )
    for split in texts:
        if split not in labels:
            saved = by_split(tree, _SAVED_LABELS).get(split)
            if saved:
                read_npy(saved, "", 1)  # says why it is not read
            raise DataError(f"{tree.path}: no {split}_labels.txt beside {texts[split].name}; add the file")
    return TextSource(
        tree.name,
        {split: partial(id_documents, texts[split], labels[split], vocabulary) for split in texts},
        (*(it for split in texts for it in (texts[split], labels[split])), vocabulary),
        "attentionxml arrays",
        ("The texts were cut, and rare words replaced, by the program that made the arrays.",),
        tokenised=True,
    )


def detect_ids(tree: Tree) -> Found | None:
    """A file of word ids."""
    texts = by_split(tree, _TEXTS)
    if not texts:
        return None
    files = {f"{split} texts": file for split, file in texts.items()}
    files |= {f"{split} labels": file for split, file in by_split(tree, _LABELS).items()}
    return Found(f"{next(iter(texts.values())).name} holds word ids", files)


def open_matrices(tree: Tree, options: Options) -> BowDataset:
    """A folder of feature and label matrices; raises `DataError` when they have different rows or columns."""
    files, targets = by_split(tree, _FEATURES), by_split(tree, _TARGETS)
    need_train_and_test(tree, files, "the format of sparse matrices")
    parts, shapes = {}, {}
    for split, file in files.items():
        if split not in targets:
            raise DataError(f"{tree.path}: {file.name} has no matrix of labels beside it; add the file")
        x, y = read_csr(file), read_csr(targets[split])
        if x.shape[0] != y.shape[0]:
            raise DataError(f"{file}: {x.shape[0]:,} rows, but {y.shape[0]:,} in {targets[split].name}")
        shapes[split] = (x.shape[1], y.shape[1])
        parts[split] = BowSplit(
            x.indices.astype(np.int32, copy=False),
            x.data,
            x.indptr.astype(np.int64),
            y.indices.astype(np.int32, copy=False),
            y.indptr.astype(np.int64),
        )
    n_features, n_labels = _one_shape(tree, shapes)
    return BowDataset(
        tree.name,
        parts,
        n_features,
        n_labels,
        names(tree, "labels", n_labels),
        names(tree, "features", n_features),
    )


def _one_shape(tree: Tree, shapes: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    if len(set(shapes.values())) > 1:
        said = "; ".join(f"{split} {d} features and {n} labels" for split, (d, n) in shapes.items())
        raise DataError(f"{tree.path}: matrices of different widths ({said}); they do not belong together")
    return next(iter(shapes.values()))


def detect_matrices(tree: Tree) -> Found | None:
    """A matrix of features beside one of labels."""
    files, targets = by_split(tree, _FEATURES), by_split(tree, _TARGETS)
    if not files or not targets:
        return None
    found = {f"{split} features": file for split, file in files.items()}
    found |= {f"{split} labels": file for split, file in targets.items()}
    return Found(f"{next(iter(files.values())).name} beside {next(iter(targets.values())).name}", found)
