"""Worker processes: the same numbers as in one process, and a quick, clean end when something goes wrong."""

from __future__ import annotations

import os
import random
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data import numbering
from reimpl.data.dataset import Dataset
from reimpl.data.formats import texts
from reimpl.data.numbering import Document, Documents, Rows, Task, numbered, processes
from reimpl.data.prepare import prepare
from reimpl.data.preprocessing import Preprocessing
from reimpl.data.text import STUDY
from reimpl.errors import DataError
from tests.data.corpora import corpus, write
from tests.data.test_cache import assert_equal

WORDS = ["the", "The", "cat's", "naïve", "x–y", "12", "(so)", "end.", "cannot", "İ", "", "/SEP/"]


def lines(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [
        "{}\t{}".format(
            " ".join(draw.choices("abcdef", k=draw.randint(0, 3))),
            " ".join(f"{draw.choice(WORDS)}{draw.randint(0, 9) or ''}" for _ in range(draw.randint(0, 12))),
        )
        for _ in range(count)
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of some hundred documents in many small chunks."""
    monkeypatch.setattr(texts, "CHUNK", 1000)
    monkeypatch.setattr(numbering, "CHUNK", 1000)
    folder = corpus(tmp_path / "toy", lines(300, 0), lines(80, 1), suffix=".gz")
    write(folder / "dev.txt", lines(40, 2))
    return folder


def made(source: Any, preprocessing: str | Preprocessing, workers: int | None, **options: Any) -> Dataset:
    rng = np.random.default_rng(0)
    return prepare(
        source, preprocessing=preprocessing, length=6, vectors="random:4", rng=rng, workers=workers, **options
    )


@pytest.mark.parametrize("preprocessing", ["study2022", "attentionxml", "bow"])
def test_how_many_processes_makes_no_difference(folder: Path, preprocessing: str) -> None:
    """Every array, word, label, count and identity is the same."""
    assert_equal(made(folder, preprocessing, 1), made(folder, preprocessing, 2))


@dataclass(frozen=True)
class Deadly:
    """A chunk whose reading ends the process, as the system does when memory is short."""

    def rows(self) -> Rows:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_a_killed_process_is_one_sentence() -> None:
    """What came before it is there; then an error says what to do."""
    good = Documents((Document(("a",), "x y"),))
    with processes(2, 0) as pool:
        results = numbered([good, Deadly(), good], Task(STUDY, 5), pool)
        with pytest.raises(DataError, match=r"was ended; if memory was short, .* workers=1"):
            list(results)
