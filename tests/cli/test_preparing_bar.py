"""The bar of `audit data add` and `audit run`, while texts are read and vectors converted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import audit.runner.progress
from audit import cli
from audit.errors import Exit
from audit.runner import resolve
from audit.runner.resolve import DataRequest


@pytest.fixture(autouse=True)
def vectors(folder: Path) -> None:
    """A file of vectors for each word of the corpus and for many others."""
    rng = np.random.default_rng(1)
    words = [*(f"word{i}" for i in range(3000)), *(f"topic{i}" for i in range(6))]
    lines = (f"{word} {' '.join(f'{it:.4f}' for it in rng.normal(size=20))}\n" for word in words)
    (folder / "glove.txt").write_text("".join(lines))


@dataclass
class Bar:
    """Stands in for the bar: what was shown, without the clock that says when a screen is drawn."""

    calls: list[tuple[int, int | None, str]] = field(default_factory=list)

    @contextmanager
    def __call__(self, name: str) -> Iterator[Callable[..., None]]:
        assert name == "preparing corpus"
        yield lambda done, total, what="": self.calls.append((done, total, what))

    def steps(self) -> list[str]:
        """What was said to be done, in the order in which it was first said."""
        return list(dict.fromkeys(what for _, _, what in self.calls))


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Bar:
    made = Bar()
    monkeypatch.setattr(audit.runner.progress, "bytes_bar", made)
    resolve._prepared.cache_clear()
    return made


STEPS = ["word vectors, hashing", "", "word vectors, converting"]
"""A hash of the file first, which names what is made; then the texts; then the words that they have."""


def test_data_add_shows_word_vectors_being_converted_once(bar: Bar) -> None:
    arguments = ["data", "add", "corpus", "--vectors", "glove.txt"]
    assert cli.main(arguments) == Exit.OK
    assert bar.steps() == STEPS
    bar.calls.clear()
    assert cli.main(arguments) == Exit.OK
    assert bar.steps() == STEPS[:1]


def test_all_bytes_of_each_file_are_told(bar: Bar, folder: Path) -> None:
    """Each step from nothing to the size of its files, never back."""
    DataRequest(folder / "corpus", "study2022", 9, str(folder / "glove.txt"), 20, folder / "cache").load()
    texts = sum(it.stat().st_size for it in (folder / "corpus").iterdir())
    sizes = dict.fromkeys(STEPS, (folder / "glove.txt").stat().st_size) | {"": texts}
    for step, size in sizes.items():
        done = [it for it, _, what in bar.calls if what == step]
        assert {total for _, total, what in bar.calls if what == step} == {size}
        assert done == sorted(done) and done[-1] == size
