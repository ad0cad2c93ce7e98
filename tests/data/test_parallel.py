"""Worker processes: the same numbers as in one process, and a quick, clean end when something goes wrong."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data import numbering
from reimpl.data.dataset import Dataset
from reimpl.data.formats import open_corpus, texts
from reimpl.data.numbering import Documents, Rows, Task, numbered, processes
from reimpl.data.prepare import prepare
from reimpl.data.recipe import RECIPES, Recipe
from reimpl.data.source import Document
from reimpl.data.text import STUDY
from reimpl.errors import ConfigError, DataError
from tests.data.corpora import corpus, write
from tests.data.sources import Made
from tests.data.test_cache import assert_equal

#: What this process imports, its own processes do.
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
WORDS = [
    "the",
    "The",
    "cat's",
    "na\u00efve",
    "x\u2013y",
    "12",
    "(so)",
    "end.",
    "cannot",
    "\u0130",
    "",
    "/SEP/",
]


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


def made(source: Any, recipe: str | Recipe, workers: int | None, **options: Any) -> Dataset:
    rng = np.random.default_rng(0)
    return prepare(source, recipe=recipe, length=6, vectors="random:4", rng=rng, workers=workers, **options)


@pytest.mark.parametrize("recipe", RECIPES)
def test_how_many_processes_makes_no_difference(folder: Path, recipe: str) -> None:
    """Every array, word, label, count and identity is the same."""
    assert_equal(made(folder, recipe, 1), made(folder, recipe, 2))


def test_documents_of_any_format_go_to_the_processes(folder: Path) -> None:
    """A source that only reads documents is numbered alike, and so are lines as they stand in the file."""
    opened = open_corpus(folder)
    source = Made({split: list(opened.documents(split)) for split in opened.splits}, name="toy")
    assert_equal(made(folder, "study2022", 1), made(source, "study2022", 2))


def test_no_torch_and_no_scipy_in_a_worker() -> None:
    """What a worker imports is light."""
    code = "import sys, reimpl.data.numbering; print({'torch', 'scipy', 'pandas'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENV)
    assert found.stdout.strip() == "set()"


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


def test_an_error_of_the_reader_comes_through(folder: Path) -> None:
    """It names file and line, whichever process met it, and the first one comes first."""
    broken = [*lines(200, 3), "no tab", *lines(50, 4), "none here"]
    write(folder / "train.txt.gz", broken)
    for count in (1, 2):
        with pytest.raises(DataError, match=r"train\.txt\.gz:201: 0 tabs in 'no tab'"):
            made(folder, "study2022", count)


def test_a_file_that_is_cut_off(folder: Path) -> None:
    """The same sentence however many processes there are."""
    path = folder / "train.txt.gz"
    path.write_bytes(path.read_bytes()[:-200])
    messages = set()
    for count in (1, 2):
        with pytest.raises(DataError, match="the file is cut off") as caught:
            made(folder, "study2022", count)
        messages.add(str(caught.value))
    assert len(messages) == 1


SCRIPT = """
import signal, sys, threading
from pathlib import Path
import numpy as np
from reimpl.data.formats import open_corpus, texts
from reimpl.data.cache import load_or_prepare
texts.CHUNK = 1000
def progress(done, total):
    print("reading", flush=True)
load_or_prepare(Path(sys.argv[1]), recipe="study2022", length=6, vectors="random:4", cache=Path(sys.argv[2]),
    workers=2, progress=progress)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    """A script without a guard is interrupted while it reads: no process, no entry and no rest stays."""
    folder = corpus(tmp_path / "toy", lines(60_000, 0), lines(10, 1))
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENV,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0, errors
    assert errors.strip().endswith("KeyboardInterrupt"), errors
    # the parent alone speaks
    chained = errors.count("During handling") + errors.count("direct cause")
    assert errors.count("Traceback") <= chained + 1, errors
    assert not [path for path in cache.iterdir() if path.is_dir()]


def test_a_tokeniser_of_ones_own_goes_to_the_processes(folder: Path) -> None:
    """A lambda too, which pickle refuses."""
    odd = replace(RECIPES["study2022"], tokeniser=replace(STUDY, words=lambda piece: [piece.decode()]))
    assert_equal(made(folder, odd, 1), made(folder, odd, 2))
    with pytest.raises(ConfigError, match="workers is 0; give at least 1"):
        made(folder, odd, 0)


def test_progress_is_told_in_bytes_on_disk(folder: Path) -> None:
    """It rises to the size of the packed files, the same total each time."""
    for count in (1, 2):
        told = _told(folder, count)
        size = sum(path.stat().st_size for path in folder.iterdir())
        assert {total for _, total in told} == {size}
        done = [it for it, _ in told]
        assert done == sorted(done)
        assert (done[0] > 0, done[-1], len(done) > 3) == (True, size, True)


def _told(folder: Path, count: int) -> list[tuple[int, int]]:
    told: list[tuple[int, int]] = []
    made(folder, "study2022", count, progress=lambda *it: told.append(it))
    return told
