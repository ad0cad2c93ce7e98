"""Batches of padded documents, cut out of one flat array that is not copied."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from reimpl.batching import DeviceSplit
from reimpl.data.dataset import Split
from reimpl.data.files import read_array


def plain(
    documents: Sequence[Sequence[int]], numbers: Sequence[int], width: int, padding: int
) -> list[list[int]]:
    """The definition: each document cut to `width`, and filled up with the padding."""
    return [[*documents[n][:width], *[padding] * (width - len(documents[n]))] for n in numbers]


def split_of(documents: Sequence[Sequence[int]]) -> Split:
    return Split.from_lists(documents, [[0]] * len(documents))


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> torch.device:
    return torch.device(request.param)


@pytest.mark.parametrize("padding", [0, 3, 99])
@pytest.mark.parametrize("width", [1, 2, 3, 5, 50])
def test_a_batch_is_cut_and_padded_on_the_right(device: torch.device, width: int, padding: int) -> None:
    """Empty documents first, between and last; wider than all that is left; the padding also as a word."""
    documents = [[], [5, 6, 7], [3], [], [8, 0, 9, 3, 4], [2, 2], []]
    on_device = DeviceSplit(split_of(documents), padding, device)
    for numbers in ([0], [6], [4, 1, 4], list(range(7)), [6, 5, 4, 3, 2, 1, 0]):
        batch = on_device.batch(torch.tensor(numbers, device=device), width)
        assert batch.dtype == torch.int32 and batch.is_contiguous()
        assert batch.tolist() == plain(documents, numbers, width, padding)


MEMORY = """
import resource, sys
from pathlib import Path
import numpy as np, torch
from reimpl.data.dataset import Split
from reimpl.data.files import read_array
from reimpl.batching import DeviceSplit

def anonymous():
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0])

tokens = read_array(Path(sys.argv[1]))
offsets = np.arange(0, len(tokens) + 1, 100)
n = len(offsets) - 1
split = Split(tokens, offsets, np.zeros(n, dtype=np.int32), np.arange(n + 1))
first = Split(tokens[:200], offsets[:3], np.zeros(2, dtype=np.int32), np.arange(3))
DeviceSplit(first, 0, torch.device("cpu"))
before = anonymous()
on_device = DeviceSplit(split, 0, torch.device("cpu"))
for first in range(0, n, 1000):
    on_device.batch(torch.arange(first, min(first + 1000, n)), 100)
print(anonymous() - before, resource.getpagesize())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc")
def test_tokens_on_disk_are_not_taken_into_memory(tmp_path: Path) -> None:
    """80 MB of ids on disk, all of them cut into batches: less than 16 MB of memory of the process's own."""
    np.save(tmp_path / "tokens.npy", np.ones(20_000_000, dtype=np.int32))
    assert isinstance(read_array(tmp_path / "tokens.npy").base, np.memmap)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path / "tokens.npy")],
        capture_output=True,
        text=True,
        check=True,
    )
    kilobytes = int(done.stdout.split()[0])
    assert kilobytes < 16_000, f"{kilobytes} kB"
