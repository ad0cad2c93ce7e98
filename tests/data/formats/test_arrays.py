"""Arrays of other programs: nothing in them runs, no claimed size is believed."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reimpl.data.files import File
from reimpl.data.formats import Options, read
from reimpl.data.formats.npy import read_csr, read_npy
from reimpl.errors import DataError
from tests.data.formats.made import CORPORA, TEXTS, lay, matrices, npy, npz, texts_of


def saved(path: Path, content: bytes) -> File:
    path.write_bytes(content)
    return File(path)


def claiming(shape: str, data: bytes = b"", descr: str = "'<i8'") -> bytes:
    """A .npy file whose header says what we like."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


OBJECTS = npy(np.array([["a", "b"], [], ["c"]], dtype=object), pickled=True)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_an_array_comes_back(tmp_path: Path, order: str, packing: str) -> None:
    array = np.asarray(np.arange(12, dtype=np.int32).reshape(3, 4), order=order)  # type: ignore[call-overload]
    folder = lay(tmp_path / "toy", {"a.npy": npy(array)}, packing)
    found = read_npy(File(folder / f"a.npy{packing}"), "iu", 2)
    np.testing.assert_array_equal(found, array)
    assert isinstance(found, np.memmap) == (packing == "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (OBJECTS, "holds Python objects, which may run code"),
        (claiming("(2, 2)", bytes(31)), r"its header speaks of 32 bytes, and it is cut off"),
        (claiming("(2, 2)", bytes(33)), r"its header speaks of 32 bytes, and it is longer than that"),
        (claiming("(1000000, 1000000000)", bytes(8)), r"speaks of 8,000,000,000,000,000 bytes"),
        (claiming("(-1, 2)"), r"shape \(-1, 2\); get a sound copy"),
        (claiming("(4,)", bytes(32)), r"shape \(4,\); it needs 2 dimensions"),
        (claiming("(2, 2)", bytes(32), "'<f8'"), r"an array of float64"),
        (claiming("(2, 2)", b"", "'<V0'"), r"get a sound copy"),
        (claiming("__import__('os')"), r"no sound \.npy file"),
        (b"hello", r"no sound \.npy file"),
        (b"\x93NUMPY\x09\x00", r"\.npy of an unknown version|no sound"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_arrays_that_are_refused(tmp_path: Path, content: bytes, message: str, packing: str) -> None:
    folder = lay(tmp_path / "toy", {"a.npy": content}, packing)
    with pytest.raises(DataError, match=message):
        read_npy(File(folder / f"a.npy{packing}"), "iu", 2)


def test_labels_saved_as_objects_are_not_read(tmp_path: Path) -> None:
    """AttentionXML saves them so; the text file beside them is read, and asked for when it is not there."""
    files = CORPORA["attentionxml-npy"][0] | {"train_labels.npy": OBJECTS}
    assert texts_of(read(lay(tmp_path / "toy", files), format="attentionxml-npy")) == TEXTS
    (tmp_path / "toy" / "train_labels.txt").unlink()
    with pytest.raises(DataError, match=r"train_labels\.npy: holds Python objects.* give the text file"):
        read(tmp_path / "toy", format="attentionxml-npy")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"train_texts.npy": npy(np.full((3, 2), 99))},
            r"train_texts\.npy: row 0: word id 99 or 99, but vocab",
        ),
        ({"train_texts.npy": npy(np.full((3, 2), -1))}, r"word id -1"),
        ({"train_texts.npy": npy(np.zeros((4, 2), dtype=int))}, r"4 texts, but 3 lines in train_labels\.txt"),
        ({"train_texts.npy": npy(np.zeros((2, 2), dtype=int))}, r"2 texts, but 3 lines in train_labels\.txt"),
        ({"vocab.npy": npy(np.arange(20))}, r"vocab\.npy: an array of int64"),
    ],
)
def test_word_ids_that_do_not_fit(tmp_path: Path, changes: dict[str, bytes], message: str) -> None:
    with pytest.raises(DataError, match=message):
        texts_of(read(lay(tmp_path / "toy", CORPORA["attentionxml-npy"][0] | changes)))


def test_word_ids_without_words(tmp_path: Path) -> None:
    files = {name: it for name, it in CORPORA["attentionxml-npy"][0].items() if name != "vocab.npy"}
    with pytest.raises(DataError, match=r"no vocab\.npy, without which the word ids say nothing"):
        read(lay(tmp_path / "toy", files))


def test_a_matrix_comes_back_sorted_and_without_zeros(tmp_path: Path) -> None:
    """As scipy reads it, apart from the form."""
    loose = sparse.csr_matrix(
        (np.array([2.0, 1.0, 0.0]), np.array([3, 1, 0]), np.array([0, 2, 3])), shape=(2, 4)
    )
    found = read_csr(saved(tmp_path / "x.npz", npz(loose)))
    assert (found.indices.tolist(), found.data.tolist(), found.indptr.tolist()) == (
        [1, 3],
        [1.0, 2.0],
        [0, 2, 2],
    )
    np.testing.assert_array_equal(found.toarray(), loose.toarray())


def arrays_of(**changes: object) -> bytes:
    arrays: dict[str, object] = {
        "data": np.ones(2), "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 3], "format": b"csr"
    }  # fmt: skip
    stream = io.BytesIO()
    np.savez(stream, **{name: np.asarray(it) for name, it in (arrays | changes).items() if it is not None})  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (arrays_of(format=b"csc"), r"a matrix in the form b'csc'; convert it with \.tocsr"),
        (arrays_of(indptr=None), r"no 'indptr' in it; save the matrix with scipy\.sparse\.save_npz"),
        (arrays_of(indptr=[0, 2, 1]), r"no CSR matrix of shape \(2, 3\)"),
        (arrays_of(indptr=[0, 1, 3]), r"no CSR matrix"),
        (arrays_of(indices=[0, 3]), r"no CSR matrix"),
        (arrays_of(indices=[-1, 0]), r"no CSR matrix"),
        (arrays_of(shape=[3, 3]), r"no CSR matrix"),
        (arrays_of(data=[1.0, np.nan]), r"a value is not finite"),
        (arrays_of(data=[1.0, 1e300]), r"a value is not finite"),
        (arrays_of(indptr=[0, 2, 2], indices=[1, 1]), r"a row has two values in one column"),
        (arrays_of(data=np.array([{}, {}], dtype=object)), r"holds Python objects"),
        (b"hello", r"no \.npz file, or cut off"),
        (npz(matrices("train")[0])[:-30], r"no \.npz file, or cut off"),
    ],
)
def test_matrices_that_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_csr(saved(tmp_path / "x.npz", content))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Y.trn.npz": npz(matrices("test")[1])}, r"X\.trn\.npz: 4 rows, but 2 in Y\.trn\.npz"),
        ({"X.tst.npz": npz(matrices("test")[0][:, :5])}, r"matrices of different widths \(train 6 features"),
        ({"labels.txt": b"x\n"}, r"1 names for 3 labels"),
    ],
)
def test_matrices_that_do_not_belong_together(
    tmp_path: Path, changes: dict[str, bytes], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(lay(tmp_path / "toy", CORPORA["npz"][0] | changes), Options())
