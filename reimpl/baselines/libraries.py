"""What models that a library trains have in common: whether it is there, and a result from its rankings.

A library has neither checkpoints nor a stop: a run that is interrupted begins anew.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from reimpl.data.dataset import Dataset
from reimpl.machine import reset_peak_memory
from reimpl.training import Interrupted, Result, Watch, kept


def lacking(library: str) -> str | None:
    """What this machine lacks for a library, and how to get it; None where it is there."""
    if find_spec(library) is not None:
        return None
    return f"needs {library} of the extra baselines, which is not installed: pip install '.[baselines]'"


@contextmanager
def at_work(watch: Watch | None) -> Iterator[Path]:
    """A folder for the library's files, gone afterwards; what the library prints is dropped meanwhile. Raises
    `Interrupted` where the run is to stop."""
    if watch is not None and watch.stop():
        raise Interrupted
    reset_peak_memory()
    sys.stdout.flush()
    sys.stderr.flush()
    screens = [(fd, os.dup(fd)) for fd in (1, 2)]  # it writes past `sys.stdout`
    try:
        with TemporaryDirectory(prefix="baseline-") as folder, Path(os.devnull).open("w") as nowhere:
            for fd, _ in screens:
                os.dup2(nowhere.fileno(), fd)
            yield Path(folder)
    finally:
        for fd, copy in screens:
            os.dup2(copy, fd)
            os.close(copy)


def result(
    data: Dataset,
    rankings: Iterable[Iterable[tuple[int, float]]],
    *,
    began: float,
    trained: float,
    notes: Iterable[str],
    parameters: int = 0,
) -> Result:
    """Of the best labels and scores of each test document, which may be fewer than are kept. Equal scores go
    to the lower label. `parameters` is 0 where a library does not tell how many weights it keeps."""
    K = kept(data)
    rows = [sorted(ranking, key=lambda pair: (-pair[1], pair[0]))[:K] for ranking in rankings]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    ids, scores = np.full((len(rows), K), -1, np.int32), np.full((len(rows), K), -np.inf, np.float32)
    there = np.arange(K) < lengths[:, None]
    flat = np.array(list(chain.from_iterable(rows)), dtype=np.float64).reshape(-1, 2)
    ids[there], scores[there] = flat[:, 0], flat[:, 1]
    predicted = time.perf_counter()
    short = int((lengths < K).sum())
    fewer = f"{short} test documents have fewer than {K} ranked labels: the library gave no more"
    more = {"parameters": parameters, "prediction_seconds": predicted - trained}
    return Result.of_ranking(
        data, ids, scores, began=began, notes=(*notes, *([fewer] if short else [])), **more
    )
