"""Arrays in .npy and .npz files, read so that nothing in them can run and no claimed size is believed."""

from __future__ import annotations

import io
import re
import tokenize
import warnings
import zipfile
from collections.abc import Sequence
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray
from scipy import sparse

from reimpl.data.files import File, blocks, opened, tree
from reimpl.errors import DataError

_HEAD = 1 << 16
_MALFORMED = (
    ValueError,
    SyntaxError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
)
_CSR = ("data", "indices", "indptr", "shape", "format")


def read_npy(file: File, kinds: str, dimensions: int) -> NDArray[Any]:
    """The array; mapped into memory, not read, when the file lies plain on disk.

    `kinds` are the allowed `dtype.kind`s. Raises `DataError` for Python objects (they could run code),
    another kind or number of dimensions, or a file of another length than its header says.
    """
    with opened(file) as stream:
        start = stream.read(_HEAD)
    shape, fortran, dtype, offset = _header(file, start)
    if dtype.hasobject:
        raise DataError(
            f"{file}: holds Python objects, which may run code when read; save plain arrays, "
            "or give the text file that it was made from"
        )
    if dtype.kind not in kinds or len(shape) != dimensions:
        raise DataError(
            f"{file}: an array of {dtype} and shape {shape}; it needs {dimensions} dimensions of {kinds!r}"
        )
    wanted = prod(shape) * dtype.itemsize
    order: Any = "F" if fortran else "C"
    if file.plain:
        _check_length(file, file.path.stat().st_size - offset, wanted)
        if wanted == 0:
            return np.empty(shape, dtype=dtype)
        return np.memmap(file.path, dtype=dtype, mode="r", offset=offset, shape=shape, order=order)
    content = bytearray()
    for block in blocks(file):
        content += block
        if len(content) - offset > wanted:
            break
    _check_length(file, len(content) - offset, wanted)
    return np.frombuffer(content, dtype=dtype, offset=offset).reshape(shape, order=order)


def _header(file: File, start: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    stream: IO[bytes] = io.BytesIO(start)
    try:
        version = npy_format.read_magic(stream)
        read = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}[version]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers written by Python 2 are read, with a warning
            shape, fortran, dtype = read(stream)
    except KeyError as err:
        raise DataError(f"{file}: .npy of an unknown version; save it anew with numpy") from err
    except _MALFORMED as err:
        # where in memory some object lay says nothing, and differs from call to call
        reason = re.sub(" at 0x[0-9a-fA-F]+", "", str(err).split("\n", 1)[0]) or type(err).__name__
        raise DataError(f"{file}: no sound .npy file ({reason[:80]}); get a sound copy") from err
    if any(it < 0 for it in shape) or dtype.itemsize == 0:
        raise DataError(f"{file}: an array of {dtype} and shape {shape}; get a sound copy")
    return shape, fortran, dtype, stream.tell()


def _check_length(file: File, here: int, wanted: int) -> None:
    if here != wanted:
        what = "cut off" if here < wanted else "longer than that"
        raise DataError(f"{file}: its header speaks of {wanted:,} bytes, and it is {what}; get a whole copy")


def read_csr(file: File) -> sparse.csr_matrix:
    """A matrix that scipy saved as .npz in CSR form: sorted, without zeros or duplicates.

    Raises `DataError` for another form, arrays that do not describe one, or as `read_npy`.
    """
    if file.member or file.packing:
        raise DataError(f"{file}: an .npz in an archive; unpack it first")
    members = _members(file)
    missing = [name for name in _CSR if name not in members]
    if missing:
        raise DataError(f"{file}: no {missing[0]!r} in it; save the matrix with scipy.sparse.save_npz as CSR")
    form = read_npy(members["format"], "SU", 0)
    if form.item() not in (b"csr", "csr"):
        raise DataError(
            f"{file}: a matrix in the form {form.item()!r}; convert it with .tocsr() and save it anew"
        )
    shape = [int(it) for it in read_npy(members["shape"], "iu", 1)]
    offsets, indices = (read_npy(members[name], "iu", 1).astype(np.int64) for name in ("indptr", "indices"))
    values = read_npy(members["data"], "iufb", 1)
    _check_csr(file, shape, offsets, indices, values)
    with np.errstate(over="ignore"):  # what is beyond float32 is found below
        matrix = sparse.csr_matrix((values.astype(np.float32), indices, offsets), shape=tuple(shape))
    if not np.isfinite(matrix.data).all():
        raise DataError(f"{file}: a value is not finite; correct the matrix")
    before = matrix.nnz
    matrix.sum_duplicates()
    if matrix.nnz < before:
        raise DataError(f"{file}: a row has two values in one column; correct the matrix")
    matrix.eliminate_zeros()
    return matrix


def _members(file: File) -> dict[str, File]:
    if not zipfile.is_zipfile(file.path):
        raise DataError(f"{file}: no .npz file, or cut off; get a whole copy")
    renamed = tree(file.path, archive=True).files
    return {name.removesuffix(".npy"): found[0] for name, found in renamed.items()}


def _check_csr(
    file: File, shape: Sequence[int], offsets: NDArray[Any], indices: NDArray[Any], values: NDArray[Any]
) -> None:
    sound = (
        len(shape) == 2
        and all(0 <= it < 2**31 for it in shape)
        and len(offsets) == shape[0] + 1
        and offsets[0] == 0
        and offsets[-1] == len(indices) == len(values)
        and bool((np.diff(offsets) >= 0).all())
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < shape[1]))
    )
    if not sound:
        raise DataError(f"{file}: its arrays are no CSR matrix of shape {tuple(shape)}; get a sound copy")
