"""Preparation: speed against plain Python and `CountVectorizer`.

    pytest tests/benchmarks/bench_preparation.py -m benchmark -s

prints tables and asserts values, never times.

corpora
    `yso-titles-22k` and `eurlex-4k-matched` of the reference data, from .gz, training and test. All sides do
    their repeats in turn and see the same machine; of each the best repeat counts. "plain split" reads lines
    and splits texts at white space, nothing else. `CountVectorizer` learns its vocabulary on training and
    counts both splits. Ours does the whole preparation of a recipe, that is also: identity of every document,
    labels, vocabulary, token ids, cut, counts, and for `bow` and `attentionxml` tf-idf. "CPU s" are those of
    all processes, which tell more where others use the cores too. "start" is a second start from the cache
    until a batch of 32 documents is there. MB are those of the unpacked files.

XMTC_BENCH_REPEATS (3 unless told) repeats more often.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable, Iterator
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


def lines(folder: Path, split: str) -> Iterator[str]:
    with gzip.open(folder / f"{split}.txt.gz", "rt", encoding="utf-8", newline="\n") as stream:
        yield from stream


def texts(folder: Path, split: str) -> Iterator[str]:
    return (line.rstrip("\n").partition("\t")[2] for line in lines(folder, split))


def plain_split(folder: Path) -> int:
    return sum(len(text.split()) for split in ("train", "test") for text in texts(folder, split))


def count_vectorizer(folder: Path) -> tuple[tuple[str, ...], int]:
    """Words, and how many there are in the documents together."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer()
    parts = vectorizer.fit_transform(texts(folder, "train")), vectorizer.transform(texts(folder, "test"))
    return tuple(vectorizer.get_feature_names_out()), int(sum(part.sum() for part in parts))


def ours(folder: Path, recipe: str, workers: int) -> Dataset:
    rng = np.random.default_rng(0)
    return prepare(folder, preprocessing=recipe, length=LENGTH, vectors="random:1", rng=rng, workers=workers)


@pytest.mark.parametrize("corpus", ["yso-titles-22k", "eurlex-4k-matched"])
def test_real_corpora(corpus: str, tmp_path: Path) -> None:
    """Documents and MB a second; `bow` has the words of the vectorizer, a start what was prepared."""
    pytest.importorskip("sklearn")
    folder = shared(f"data/{corpus}")
    size = sum(len(line.encode()) for split in ("train", "test") for line in lines(folder, split)) / 1e6
    n = sum(1 for split in ("train", "test") for _ in lines(folder, split))
    sides: dict[str, Callable[[], Any]] = {
        "plain split": lambda: plain_split(folder),
        "CountVectorizer": lambda: count_vectorizer(folder),
    }
    for recipe in ("study2022", "bow", "attentionxml"):
        for workers in sorted({1, cores()}):
            sides[f"{recipe}, {workers} process{'es'[: 2 * (workers > 1)]}"] = (
                lambda recipe=recipe, workers=workers: ours(folder, recipe, workers)
            )
    best: dict[str, float] = dict.fromkeys(sides, float("inf"))
    cpu: dict[str, float] = dict.fromkeys(sides, float("inf"))
    results: dict[str, Any] = {}
    for _ in range(REPEATS):
        for who, work in sides.items():
            before, used = time.perf_counter(), cpu_seconds()
            results[who] = work()
            best[who] = min(best[who], time.perf_counter() - before)
            cpu[who] = min(cpu[who], cpu_seconds() - used)
    print(f"\n{corpus}: {n:,} documents, {size:.0f} MB, {cores()} cores, best of {REPEATS}")
    print(f"{'':28}{'s':>8}{'CPU s':>8}{'documents/s':>13}{'MB/s':>7}{'x split':>9}{'x CountVectorizer':>19}")
    for who, seconds in best.items():
        split, vectorizer = (best[it] / seconds for it in ("plain split", "CountVectorizer"))
        speed = f"{n / seconds:13,.0f}{size / seconds:7.1f}"
        print(f"{who:28}{seconds:8.2f}{cpu[who]:8.2f}{speed}{split:9.2f}{vectorizer:19.2f}")
    print(f"{'start from the cache':28}{start(folder, tmp_path):8.3f}")
    words, total = results["CountVectorizer"]
    bow = results[f"bow, {cores()} processes"] if cores() > 1 else results["bow, 1 process"]
    assert bow.vocabulary == words
    unknown = [bow.counts[f"{split}.unknown_word_share"] for split in ("train", "test")]
    means = [
        bow.counts[f"{split}.mean_words"] * bow.counts[f"{split}.documents"] for split in ("train", "test")
    ]
    assert round(sum(mean * (1 - share) for mean, share in zip(means, unknown, strict=True))) == total


def cpu_seconds() -> float:
    """Of this process and of those that it started and waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def start(folder: Path, cache: Path) -> float:
    """Seconds from nothing to the first batch, the corpus being in the cache."""
    options: dict[str, Any] = {
        "preprocessing": "study2022",
        "length": LENGTH,
        "vectors": "random:50",
        "cache": cache,
    }
    first = load_or_prepare(folder, **options)
    load_or_prepare(folder, **options)
    before = time.perf_counter()
    again = load_or_prepare(folder, **options)
    batch = first_batch(again)
    took = time.perf_counter() - before
    assert again.fingerprint == first.fingerprint
    assert [row.tolist() for row in batch] == [row.tolist() for row in first_batch(first)]
    return took


def first_batch(data: Dataset) -> list[np.ndarray]:
    rows = np.random.default_rng(0).permutation(data.train.size)[:32]
    spans = zip(data.train.offsets[rows], data.train.offsets[rows + 1], strict=True)
    return [np.array(data.train.tokens[a:b]) for a, b in spans]
