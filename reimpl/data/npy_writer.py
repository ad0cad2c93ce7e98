"""Arrays on disk that grow by rows, so that none is ever whole in memory."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray


class NpyWriter:
    """Writes an .npy file row by row; the header counts them when the block is left without an error.

    `columns` of None makes an array of one dimension. Raises `OSError` when the file is there or cannot
    be written.
    """

    def __init__(self, path: Path, kind: str, columns: int | None = None) -> None:
        self._kind, self._columns, self._n = np.dtype(kind), columns, 0
        self._file: IO[bytes] = path.open("xb")
        self._write_header()

    def add(self, rows: NDArray[Any]) -> None:
        """Adds rows (n, columns), or numbers (n,)."""
        self._file.write(np.ascontiguousarray(rows, dtype=self._kind).data)
        self._n += len(rows)

    def _write_header(self) -> None:
        # numpy pads a header so that the first number of the shape can grow within it
        shape = (self._n,) if self._columns is None else (self._n, self._columns)
        kind = npy_format.dtype_to_descr(self._kind)
        about = {"descr": kind, "fortran_order": False, "shape": shape}
        npy_format.write_array_header_1_0(self._file, about)

    def __enter__(self) -> NpyWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            if error is None:
                self._file.seek(0)
                self._write_header()
