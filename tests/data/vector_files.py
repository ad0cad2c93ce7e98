"""Writes the same word vectors in every form that is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

Rows = Sequence[Sequence[float]]


def text(words: Sequence[str], rows: Rows, *, header: bool = False, end: str = "\n") -> bytes:
    head = f"{len(words)} {len(rows[0])}{end}" if header else ""
    lines = [f"{word} {' '.join(map(repr, row))}{end}" for word, row in zip(words, rows, strict=True)]
    return (head + "".join(lines)).encode()


def binary(words: Sequence[str], rows: Rows, *, feed: bytes = b"\n") -> bytes:
    """word2vec's form, built number by number."""
    parts = [f"{len(words)} {len(rows[0])}\n".encode()]
    for word, row in zip(words, rows, strict=True):
        parts += [word.encode(), b" ", struct.pack(f"<{len(row)}f", *row), feed]
    return b"".join(parts)


#: Form -> names of its files, the one to give first; see `lay`.
FORMS = {
    "text": ("v.txt",),
    "word2vec text": ("v.txt",),
    "fasttext": ("v.vec",),
    "word2vec binary": ("v.bin",),
    "gensim binary": ("v.bin",),
    "npy": ("v.npy", "v.txt"),
    "npy float64": ("v.npy", "v.vocab"),
    "attentionxml": ("emb_init.npy", "vocab.npy"),
    "text.gz": ("v.txt.gz",),
    "text.bz2": ("v.txt.bz2",),
    "word2vec binary.gz": ("v.bin.gz",),
    "text.xz": ("v.txt.xz",),
}
_PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def contents(form: str, words: Sequence[str], rows: Rows, folder: Path) -> list[bytes]:
    """The bytes of the files of a form, unpacked."""
    form = form.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
    listed = "".join(f"{word}\n" for word in words).encode()
    if form in ("npy", "npy float64", "attentionxml"):
        kind = np.float64 if form == "npy float64" else np.float32
        array, names = folder / "a.tmp.npy", folder / "n.tmp.npy"
        np.save(array, np.array(rows, dtype=kind))
        np.save(names, np.array(words))
        found = [array.read_bytes(), names.read_bytes() if form == "attentionxml" else listed]
        array.unlink()
        names.unlink()
        return found
    return [
        {
            "text": lambda: text(words, rows),
            "word2vec text": lambda: text(words, rows, header=True),
            "fasttext": lambda: text(words, rows, header=True, end=" \n"),
            "word2vec binary": lambda: binary(words, rows),
            "gensim binary": lambda: binary(words, rows, feed=b""),
        }[form]()
    ]


def lay(folder: Path, form: str, words: Sequence[str], rows: Rows) -> Path:
    """Writes the files of a form; gives the one to read."""
    for name, content in zip(FORMS[form], contents(form, words, rows, folder), strict=True):
        packed = _PACK.get(Path(name).suffix, bytes)(content)
        (folder / name).write_bytes(packed)
    return folder / FORMS[form][0]
