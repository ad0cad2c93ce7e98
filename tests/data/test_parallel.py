"""Worker processes: the same numbers as in one process, and a quick, clean end when something goes wrong."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl.data import chunks, files, parallel
from reimpl.data.chunks import DocumentChunk, Rows
from reimpl.data.dataset import Dataset
from reimpl.data.numbering import Task
from reimpl.data.parallel import Here, Workers, numberer
from reimpl.data.prepare import prepare
from reimpl.data.recipe import RECIPES, Recipe
from reimpl.data.source import Document
from reimpl.data.tokenise import STUDY
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
    monkeypatch.setattr(files, "BLOCK", 1000)
    monkeypatch.setattr(chunks, "CHUNK", 1000)
    folder = corpus(tmp_path / "toy", lines(300, 0), lines(80, 1), suffix=".gz")
    write(folder / "dev.txt", lines(40, 2))
    return folder


def made(source: Any, recipe: str | Recipe, workers: int | None, **options: Any) -> Dataset:
    rng = np.random.default_rng(0)
    return prepare(source, recipe=recipe, length=6, vectors="random:4", rng=rng, workers=workers, **options)


@pytest.mark.parametrize("recipe", RECIPES)
def test_how_many_processes_makes_no_difference(folder: Path, recipe: str) -> None:
    """One, two or three: every array, word, label, count and identity is the same."""
    alone = made(folder, recipe, 1)
    for workers in (2, 3):
        assert_equal(alone, made(folder, recipe, workers))


def test_documents_of_any_format_go_to_the_processes(folder: Path) -> None:
    """A source that only reads documents is numbered alike, and so are lines as they stand in the file."""
    from reimpl.data.lml import open_folder

    lml = open_folder(folder)
    source = Made({split: list(lml.documents(split)) for split in lml.splits}, name="toy")
    assert_equal(made(folder, "study2022", 1), made(source, "study2022", 2))


def test_no_torch_and_no_scipy_in_a_worker() -> None:
    """What a worker imports is light."""
    code = "import sys, reimpl.data.worker; print({'torch', 'scipy', 'pandas'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENV)
    assert found.stdout.strip() == "set()"


@dataclass(frozen=True)
class Deadly:
    """A chunk whose reading ends the process, as the system does when memory is short."""

    packed: None = None

    def rows(self) -> Rows:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@dataclass(frozen=True)
class Slow:
    """A chunk whose reading takes a minute."""

    packed: None = None

    def rows(self) -> Rows:
        time.sleep(60)
        raise AssertionError


GOOD = DocumentChunk((Document(("a",), "x y"),))


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(STUDY, 2)
    yield workers
    workers.close()


def test_a_killed_process_is_one_sentence(workers: Workers) -> None:
    """What came before it is there; then an error says how it ended and what to do."""
    results = workers.numbered([GOOD, Deadly(), GOOD], Task(5))
    assert next(results)[2].words.tolist() == [2]
    with pytest.raises(DataError, match=r"ended by signal 9; if memory was short, .* workers=1"):
        list(results)


def test_a_process_that_cannot_start_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that ends at once, too."""
    monkeypatch.setattr(parallel, "_START", "raise SystemExit(3)")
    workers = Workers(STUDY, 2)
    try:
        with pytest.raises(DataError, match="ended with code 3"):
            list(workers.numbered([GOOD], Task(5)))
    finally:
        workers.close()


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
        with pytest.raises(DataError, match="cut off after this line") as caught:
            made(folder, "study2022", count)
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_closing_ends_what_is_under_way(workers: Workers) -> None:
    """An interruption does not wait for a minute, and leaves no process."""
    processes = [it._process for it in workers._workers]
    waiting = threading.Thread(target=lambda: list(_quiet(workers)))
    waiting.start()
    time.sleep(0.3)
    workers.close()
    waiting.join(timeout=20)
    assert not waiting.is_alive()
    assert all(process.poll() is not None for process in processes)


def _quiet(workers: Workers) -> Iterator[object]:
    try:
        yield from workers.numbered([Slow(), Slow()], Task(5))
    except DataError:
        return


SCRIPT = """
import signal, sys, threading
from pathlib import Path
import numpy as np
from reimpl.data import files
from reimpl.data.cache import load_or_prepare
files.BLOCK = 1000
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
    assert list(cache.iterdir()) == []


def test_what_cannot_be_sent_is_done_here() -> None:
    """A tokeniser with a lambda works, in this process; so does a small corpus."""
    odd = replace(STUDY, words=lambda piece: [piece.decode()])
    assert isinstance(numberer(odd, workers=4, packed=10**9), Here)
    assert isinstance(numberer(STUDY, workers=None, packed=1000), Here)
    with pytest.raises(ConfigError, match="workers is 0; give at least 1"):
        numberer(STUDY, workers=0, packed=0)


def test_errors_can_be_sent() -> None:
    """An error comes back as it was raised."""
    assert str(pickle.loads(pickle.dumps(DataError("x:1: y")))) == "x:1: y"


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
