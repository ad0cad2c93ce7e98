"""Arrays that grow, in memory or on disk, and rows cut into steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data import spool as module
from reimpl.data.spool import InFolder, InMemory, Spool, read_array, steps

PARTS = st.lists(st.lists(st.integers(-5, 5), max_size=6), max_size=6)


@given(parts=PARTS, most=st.sampled_from([0, 20, 10**6]), step=st.integers(1, 5))
def test_what_goes_in_comes_out(parts: list[list[int]], most: int, step: int) -> None:
    """In order, in any steps, twice, whether it went to disk, partly or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "IN_MEMORY", most)
        spool = Spool(np.int32, None)
        for part in parts:
            spool.append(np.array(part, dtype=np.int64))
        whole = [number for part in parts for number in part]
        assert spool.size == len(whole)
        for _ in range(2):
            read = spool.reader()
            found: list[int] = []
            while len(values := read(step)):
                assert values.dtype == np.int32
                found += values.tolist()
            assert found == whole
        spool.close()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_finished_arrays(tmp_path: Path, dtype: type[np.generic]) -> None:
    """The same in memory and in a file, which numpy reads alone; also without a number in it."""
    for n, parts in enumerate(([[1, 2], [], [3]], [], [[]])):
        found = []
        for arrays in (InMemory(), InFolder(tmp_path)):
            growing = arrays.new(f"a{n}", dtype)
            for part in parts:
                growing.append(np.array(part, dtype=np.int64))
            found.append(growing.done())
        found.append(np.load(tmp_path / f"a{n}.npy"))
        for array in found:
            assert (array.tolist(), array.dtype) == ([it for part in parts for it in part], np.dtype(dtype))


def test_a_file_of_any_length_has_room_in_its_header(tmp_path: Path) -> None:
    """A number of many digits does not move what was written behind it."""
    growing = InFolder(tmp_path).new("a", np.int32)
    for _ in range(3):
        growing.append(np.arange(500_000))
    array = growing.done()
    assert len(array) == 1_500_000
    assert array[[0, 499_999, 500_000, -1]].tolist() == [0, 499_999, 0, 499_999]


def test_large_files_are_mapped_and_may_be_written_to(tmp_path: Path) -> None:
    """Which changes no file."""
    np.save(tmp_path / "a.npy", np.zeros(1 << 18, dtype=np.int64))
    array = read_array(tmp_path / "a.npy")
    assert isinstance(array.base, np.memmap)
    array[3] = 7
    assert read_array(tmp_path / "a.npy")[3] == 0


@given(lengths=st.lists(st.integers(0, 9)), most=st.integers(1, 20))
def test_steps_take_all_rows_once(lengths: list[int], most: int) -> None:
    """Each step holds at most so many, unless one row alone has more."""
    found = list(steps(np.array(lengths, dtype=np.int64), most))
    assert [row for first, last in found for row in range(first, last)] == list(range(len(lengths)))
    for first, last in found:
        assert sum(lengths[first:last]) <= most or last == first + 1
