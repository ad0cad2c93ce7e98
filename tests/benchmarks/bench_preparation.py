"""Preparation: speed against plain Python and `CountVectorizer`.

    pytest tests/benchmarks/bench_preparation.py -m benchmark -s

prints tables and asserts values, never times: `yso-titles-22k` and `eurlex-4k-matched` of the reference data,
from .gz, training and test. All sides do their repeats in turn and see the same machine; of each the best
counts. "plain split" reads lines and splits texts at white space. `CountVectorizer` learns its vocabulary on
training and counts both splits. Ours does the whole preparation. "CPU s" are those of all processes. "start"
is a second start from the cache. XMTC_BENCH_REPEATS (3 unless told) repeats more often.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data.dataset import Dataset
from reimpl.data.numbering import cores
from reimpl.data.prepare import load_or_prepare, prepare
from tests.shared import shared

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

REPEATS = int(os.environ.get("XMTC_BENCH_REPEATS", "3"))
LENGTH = 500


def texts(folder: Path, split: str) -> Iterator[str]:
    with gzip.open(folder / f"{split}.txt.gz", "rt", encoding="utf-8", newline="\n") as stream:
        yield from (line.rstrip("\n").partition("\t")[2] for line in stream)


def plain_split(folder: Path) -> int:
    return sum(len(text.split()) for split in ("train", "test") for text in texts(folder, split))


def count_vectorizer(folder: Path) -> tuple[tuple[str, ...], int]:
    """Words, and how many there are in the documents together."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer()
    parts = vectorizer.fit_transform(texts(folder, "train")), vectorizer.transform(texts(folder, "test"))
    return tuple(vectorizer.get_feature_names_out()), int(sum(part.sum() for part in parts))


def ours(folder: Path, preprocessing: str, workers: int) -> Dataset:
    options: dict[str, Any] = {"vectors": "random:1", "rng": np.random.default_rng(0), "workers": workers}
    return prepare(folder, preprocessing=preprocessing, length=LENGTH, **options)


def cpu_seconds() -> float:
    """Of this process and of those that it started and waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.mark.parametrize("corpus", ["yso-titles-22k", "eurlex-4k-matched"])
def test_real_corpora(corpus: str, tmp_path: Path) -> None:
    """`bow` has the words of the vectorizer, a start what was prepared."""
    folder = shared(f"data/{corpus}")
    sides: dict[str, Callable[[], Any]] = {
        "plain split": partial(plain_split, folder),
        "CountVectorizer": partial(count_vectorizer, folder),
    }
    for name in ("study2022", "bow", "attentionxml"):
        for workers in sorted({1, cores()}):
            sides[f"{name}, {workers}"] = partial(ours, folder, name, workers)
    best: dict[str, float] = dict.fromkeys(sides, float("inf"))
    cpu: dict[str, float] = dict.fromkeys(sides, float("inf"))
    results: dict[str, Any] = {}
    for _ in range(REPEATS):
        for who, work in sides.items():
            before, used = time.perf_counter(), cpu_seconds()
            results[who] = work()
            best[who] = min(best[who], time.perf_counter() - before)
            cpu[who] = min(cpu[who], cpu_seconds() - used)
    print(f"\n{corpus}, {cores()} cores, best of {REPEATS}")
    print(f"{'':28}{'s':>8}{'CPU s':>8}{'x split':>9}{'x CV':>9}")
    for who, seconds in best.items():
        split, vectorizer = (best[it] / seconds for it in ("plain split", "CountVectorizer"))
        print(f"{who:28}{seconds:8.2f}{cpu[who]:8.2f}{split:9.2f}{vectorizer:9.2f}")
    first, _, again = (timed_start(folder, tmp_path) for _ in range(3))
    print(f"{'start from the cache':28}{again[0]:8.3f}")
    assert again[1].fingerprint == first[1].fingerprint
    assert np.array_equal(again[1].train.tokens, first[1].train.tokens)
    words = results["CountVectorizer"][0]
    bow = results[f"bow, {cores()}"]
    assert bow.vocabulary == words


def timed_start(folder: Path, cache: Path) -> tuple[float, Dataset]:
    options: dict[str, Any] = {"length": LENGTH, "vectors": "random:50", "cache": cache}
    before = time.perf_counter()
    data = load_or_prepare(folder, preprocessing="study2022", **options)
    return time.perf_counter() - before, data
