"""Preparation: speed against plain Python and `CountVectorizer`, memory and growth on a made corpus.

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
growth
    Wiki-500K's shape (`wiki_shaped.py`) at the sizes of XMTC_BENCH_DOCUMENTS (10000,20000,40000 unless told;
    1779881 is the real thing and needs 15 GB of disk and many minutes), by the recipe `attentionxml`:
    vocabulary of 500,000 words, 500 tokens, tf-idf. "peak MB" is that of all processes together, sampled;
    "of files" is the part of it that the system may drop at any time, because it is a copy of what is on
    disk. Generating the corpus takes part of the time, which is measured alone as well.

XMTC_BENCH_REPEATS (3 unless told) repeats more often.
"""

from __future__ import annotations

import gzip
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wiki_shaped import LABELS, WikiShaped

from reimpl.data.cache import load_or_prepare
from reimpl.data.dataset import Dataset
from reimpl.data.numbering import cores
from reimpl.data.prepare import prepare
from tests.shared import shared

pytestmark = [pytest.mark.benchmark, pytest.mark.filterwarnings("default")]

REPEATS = int(os.environ.get("XMTC_BENCH_REPEATS", "3"))
SIZES = [int(it) for it in os.environ.get("XMTC_BENCH_DOCUMENTS", "10_000,20_000,40_000").split(",")]
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
    return prepare(folder, recipe=recipe, length=LENGTH, vectors="random:1", rng=rng, workers=workers)


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
        "recipe": "study2022",
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


@dataclass
class Memory:
    """MB of this process and its children together: the peak, and how much of it were files."""

    peak: float = 0.0
    files: float = 0.0
    stopped: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        while not self.stopped.wait(0.05):
            found = [_resident(pid) for pid in (os.getpid(), *_children(os.getpid()))]
            total = sum(it[0] for it in found)
            if total > self.peak:
                self.peak, self.files = total, sum(it[1] for it in found)


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += list(map(int, (task / "children").read_text().split()))
        except OSError:
            continue
    return found


def _resident(pid: int) -> tuple[float, float]:
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        return tuple(int(status[key].split()[0]) / 1000 for key in ("VmRSS", "RssFile"))  # type: ignore[return-value]
    except (OSError, KeyError):
        return 0.0, 0.0


@contextmanager
def watched() -> Iterator[Memory]:
    memory = Memory()
    thread = threading.Thread(target=memory.watch)
    thread.start()
    try:
        yield memory
    finally:
        memory.stopped.set()
        thread.join()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_growth(tmp_path: Path) -> None:
    """Time grows with the documents, memory with words and labels; the second start reads nearly nothing."""
    print(f"\nWiki-500K's shape, {LABELS:,} labels, recipe attentionxml, random vectors of 100 dimensions")
    print(
        f"{'documents':>10}{'words':>14}{'generate s':>12}{'prepare s':>11}{'us/document':>13}{'MB/s':>7}"
        f"{'peak MB':>9}{'of files':>9}{'on disk MB':>12}{'start s':>9}"
    )
    for size in SIZES:
        source = WikiShaped(size)
        source.words  # noqa: B018 - they are made once
        before = time.perf_counter()
        text = sum(len(chunk.packed) for split in source.splits for chunk in source.chunks(split)) / 1e6
        generated = time.perf_counter() - before
        cache = tmp_path / str(size)
        options: dict[str, Any] = {"recipe": "attentionxml", "length": LENGTH, "vectors": "random:100"}
        options |= {"cache": cache, "workers": cores()}
        with watched() as memory:
            before = time.perf_counter()
            data = load_or_prepare(source, **options)
            prepared = time.perf_counter() - before
        assert data.train.size == size
        assert data.train.features is not None
        assert len(data.train.offsets) == size + 1
        disk = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / 1e6
        words = round(data.counts["train.mean_words"] * size)
        identity = data.fingerprint
        del data
        before = time.perf_counter()
        again = load_or_prepare(source, **options)
        first_batch(again)
        start_seconds = time.perf_counter() - before
        assert again.fingerprint == identity
        del again
        print(
            f"{size:10,}{words:14,}{generated:12.1f}{prepared:11.1f}{prepared / size * 1e6:13.1f}"
            f"{text / prepared:7.1f}{memory.peak:9,.0f}{memory.files:9,.0f}{disk:12,.0f}{start_seconds:9.3f}"
        )
