"""Arrays that grow on disk are the arrays that numpy saves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data.npy_writer import NpyWriter


@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.parametrize("kind", ["<f4", "<i8", "<u4"])
@pytest.mark.parametrize("parts", [(), (0,), (4,), (3, 0, 1000), (1,) * 12])
def test_the_file_is_the_one_that_numpy_saves(
    tmp_path: Path, columns: int | None, kind: str, parts: tuple[int, ...]
) -> None:
    """Byte for byte, however the rows came."""
    whole = np.arange(sum(parts) * (columns or 1)).astype(kind)
    whole = whole if columns is None else whole.reshape(-1, columns)
    with NpyWriter(tmp_path / "grown.npy", kind, columns) as writer:
        for end, size in zip(np.cumsum(parts, dtype=int), parts, strict=True):
            writer.add(whole[end - size : end])
    np.save(tmp_path / "saved.npy", whole)
    assert (tmp_path / "grown.npy").read_bytes() == (tmp_path / "saved.npy").read_bytes()


def test_other_kinds_and_orders_are_turned_into_the_one_of_the_file(tmp_path: Path) -> None:
    with NpyWriter(tmp_path / "a.npy", "<f4", 2) as writer:
        writer.add(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]], dtype=">f8"))
    assert np.load(tmp_path / "a.npy").tolist() == [[1, 2], [3, 4]]


def test_what_is_not_finished_says_that_it_has_no_rows(tmp_path: Path) -> None:
    def stop() -> None:
        with NpyWriter(tmp_path / "a.npy", "<f4") as writer:
            writer.add(np.ones(3))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stop()
    assert np.load(tmp_path / "a.npy").shape == (0,)


def test_no_file_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.npy").touch()
    with pytest.raises(FileExistsError):
        NpyWriter(tmp_path / "a.npy", "<f4")
