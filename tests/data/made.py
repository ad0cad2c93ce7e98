"""One small sound corpus in every format, as files in memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy import sparse

from reimpl.data.dataset import Dataset
from reimpl.data.formats import Options, open_corpus
from reimpl.data.numbering import Document, TextSource

PACK: Mapping[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}

#: What all text corpora say, and all feature corpora.
TEXTS = {
    "train": [Document(("a", "b"), "the cat sat"), Document((), "a dog"), Document(("c",), "caf\u00e9 12")],
    "test": [Document(("b",), "the cat flew"), Document(("a", "c"), "dog")],
}
HEADED_TRAIN = b"4 6 3\n0,2 0:1 3:0.5\n 1:2.25\n1 2:1 5:1e-2\n2 4:-3\n"
HEADED_TEST = b"2 6 3\n1 0:1\n0,1 2:4 3:7\n"
FEATURES = {
    "train": [([0, 2], {0: 1.0, 3: 0.5}), ([], {1: 2.25}), ([1], {2: 1.0, 5: 0.01}), ([2], {4: -3.0})],
    "test": [([1], {0: 1.0}), ([0, 1], {2: 4.0, 3: 7.0})],
}


def _bare(content: bytes) -> bytes:
    return content.split(b"\n", 1)[1]


def npy(array: np.ndarray, *, pickled: bool = False) -> bytes:
    """The bytes of a .npy file."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=pickled)
    return stream.getvalue()


def npz(matrix: sparse.spmatrix) -> bytes:
    """The bytes of a sparse .npz file."""
    stream = io.BytesIO()
    sparse.save_npz(stream, matrix)
    return stream.getvalue()


def matrices(split: str) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """`FEATURES` of a split as float32 features (N, 6) and labels (N, 3)."""
    x = np.zeros((len(FEATURES[split]), 6), dtype=np.float32)
    y = np.zeros((len(FEATURES[split]), 3), dtype=np.float32)
    for row, (labels, features) in enumerate(FEATURES[split]):
        y[row, labels] = 1
        for feature, value in features.items():
            x[row, feature] = value
    return sparse.csr_matrix(x), sparse.csr_matrix(y)


def _ids(split: str) -> bytes:
    return "".join(f"{split}{n},{';'.join(it.labels)}\n" for n, it in enumerate(TEXTS[split])).encode()


WORDS = ("<PAD>", *sorted({word for part in TEXTS.values() for it in part for word in it.text.split()}))


def _word_ids(split: str) -> np.ndarray:
    rows = [[WORDS.index(word) for word in it.text.split()] for it in TEXTS[split]]
    return np.array([[*row, *[0] * (4 - len(row))] for row in rows])


def _lines(split: str, form: Callable[[Document], str]) -> bytes:
    return "".join(f"{form(it)}\n" for it in TEXTS[split]).encode()


def _json(document: Document) -> str:
    labels = ", ".join(f'"{it}"' for it in document.labels)
    return f'{{"labels": [{labels}], "text": "{document.text}"}}'


def _files(name: str, form: Callable[[Document], str], head: bytes = b"") -> dict[str, bytes]:
    return {name.format(split): head + _lines(split, form) for split in TEXTS}


LABELS = _files("{}_labels.txt", lambda it: " ".join(it.labels))
#: Format -> (files, options).
CORPORA: Mapping[str, tuple[dict[str, bytes], Options]] = {
    "lml": (_files("{}.txt", lambda it: f"{' '.join(it.labels)}\t{it.text}"), Options()),
    "attentionxml": (_files("{}_texts.txt", lambda it: it.text) | LABELS, Options()),
    "jsonl": (_files("{}.jsonl", _json), Options()),
    "csv": (
        _files("{}.csv", lambda it: f'"{it.text}",{";".join(it.labels)}', b"text,labels\n"),
        Options(separator=";"),
    ),
    "attentionxml-npy": (
        {f"{split}_texts.npy": npy(_word_ids(split)) for split in TEXTS}
        | {"vocab.npy": npy(np.array(WORDS))}
        | LABELS,
        Options(),
    ),
    "folders": (
        {f"{it}/{it}{n}.txt": text.encode() for it, part in TEXTS.items() for n, (_, text) in enumerate(part)}
        | {"labels.csv": b"id,labels\n" + b"".join(map(_ids, TEXTS))},
        Options(separator=";"),
    ),
    "xc": ({"train.txt": HEADED_TRAIN, "test.txt": HEADED_TEST}, Options()),
    "xc-splits": (
        {
            "toy_data.txt": b"6 6 3\n" + _bare(HEADED_TRAIN) + _bare(HEADED_TEST),
            "toy_trSplit.txt": b"6 1\n5 2\n2 3\n3 4\n",
            "toy_tstSplit.txt": b"1 5\n4 6\n",
        },
        Options(column=1),
    ),
    "svmlight": ({"train.svm": _bare(HEADED_TRAIN), "test.svm": _bare(HEADED_TEST)}, Options(base=0)),
    "npz": (
        {
            f"{letter}.{word}.npz": npz(matrices(split)[place])
            for split, word in (("train", "trn"), ("test", "tst"))
            for place, letter in enumerate("XY")
        },
        Options(),
    ),
}
TEXT_FORMATS = ("lml", "attentionxml", "attentionxml-npy", "jsonl", "csv")


def lay(folder: Path, files: Mapping[str, bytes], packing: str = "") -> Path:
    """Writes files into a folder (or a .zip, when the path ends so), packed; .npz stay as they are."""
    packed = {}
    for name, content in files.items():
        suffix = "" if name.endswith(".npz") else packing
        packed[name + suffix] = PACK[suffix](content)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.suffix == ".zip":
        with zipfile.ZipFile(folder, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in packed.items():
                archive.writestr(name, content)
        return folder
    folder.mkdir(exist_ok=True)
    for name, content in packed.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def texts_of(source: TextSource | Dataset) -> dict[str, list[Document]]:
    """All documents of a text source."""
    assert not isinstance(source, Dataset)
    return {split: list(source.documents(split)) for split in source.splits}


def features_of(dataset: TextSource | Dataset) -> dict[str, list[tuple[list[int], dict[int, float]]]]:
    """All documents of a feature corpus, as `FEATURES`."""
    assert isinstance(dataset, Dataset)
    found = {}
    for split, part in dataset.splits.items():
        x, y = part.features, part.labels(dataset.n_labels)
        assert x is not None
        found[split] = [
            (
                y[row].indices.tolist(),
                {i: round(float(v), 6) for i, v in zip(x[row].indices.tolist(), x[row].data, strict=True)},
            )
            for row in range(part.size)
        ]
    return found


def consume(path: Path, options: Options, name: str | None = None) -> TextSource | Dataset:
    """Reads all there is."""
    found = open_corpus(path, options, format=name)
    if not isinstance(found, Dataset):
        texts_of(found)
        found.digest()
    return found
