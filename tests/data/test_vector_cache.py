"""Files of word vectors are converted once, by one process, whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reimpl.data import storage, vector_cache
from reimpl.data.vector_cache import NotKeptError, VectorCache, read_vectors
from reimpl.data.vectors import RandomVectors, VectorFile, kept_in
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.vector_files import FORMS, lay

LINES = ["the 1 2", "cat 3 4", "dog 5 6"]
RNG = np.random.default_rng(0)


class Log:
    """A cache that remembers what it did."""

    def __init__(self, folder: Path) -> None:
        self.done: list[tuple[str, int, int]] = []
        self.cache = VectorCache(folder, lambda *told: self.done.append(told))

    @property
    def steps(self) -> list[str]:
        found = list(dict.fromkeys(what for what, *_ in self.done))
        self.done.clear()
        return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "v.txt", LINES)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "kept")


def maps(folder: Path) -> list[str]:
    """What is there but for locks and digests."""
    return sorted(path.name for path in folder.iterdir() if path.suffix not in (".lock", ".json"))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_looked_up_is_what_is_read(tmp_path: Path, log: Log, form: str) -> None:
    """Of every form, at the first use and after it."""
    path = lay(tmp_path, form, ["the", "cat", "dog"], [[0.1, -2], [3, 0.4], [5, 6]])
    plain = read_vectors(path, ["dog", "bird", "the"])
    for _ in range(2):
        read = log.cache.look_up(path, ["dog", "bird", "the"])
        np.testing.assert_array_equal(read.rows, plain.rows)
        assert (read.found.tolist(), read.tally) == (plain.found.tolist(), plain.tally)


def test_a_file_is_hashed_and_converted_once(file: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """And how far that is, is told: bytes done of bytes in all."""
    monkeypatch.setattr(storage, "_COARSE", 0.0)
    log.cache.look_up(file, ["the"])
    size = file.stat().st_size
    assert log.done[0] == ("hashing", size, size)
    assert log.done[-1] == ("converting", size, size)
    assert log.steps == ["hashing", "converting"]
    log.cache.look_up(file, ["cat"])
    assert log.steps == []


def test_a_copy_or_a_touched_file_is_hashed_but_not_converted(tmp_path: Path, file: Path, log: Log) -> None:
    log.cache.look_up(file, ["the"])
    assert log.steps == ["hashing", "converting"]
    shutil.copy(file, tmp_path / "w.txt")
    log.cache.look_up(tmp_path / "w.txt", ["the"])
    os.utime(file, ns=(1, 1))
    log.cache.look_up(file, ["the"])
    assert log.steps == ["hashing"]
    assert len(maps(log.cache.folder)) == 1


def test_a_changed_file_is_converted_anew(file: Path, log: Log) -> None:
    """Of the same size and the same time, too, where its first or last bytes tell."""
    log.cache.look_up(file, ["the"])
    time_before = file.stat().st_mtime_ns
    write(file, ["the 7 2", *LINES[1:]])
    os.utime(file, ns=(time_before, time_before))
    assert log.cache.look_up(file, ["the"]).rows.tolist() == [[7, 2]]
    assert len(maps(log.cache.folder)) == 2


def test_errors_are_those_of_reading_and_nothing_is_left(tmp_path: Path, log: Log) -> None:
    for content, words in ((b"no vectors\n", ["the"]), (b"the 1 2\ncat 3", ["the"])):
        path = write(tmp_path / "v.txt", content)
        with pytest.raises(DataError) as plain:
            read_vectors(path, words)
        with pytest.raises(DataError) as kept:
            log.cache.look_up(path, words)
        assert str(kept.value) == str(plain.value)
        assert maps(log.cache.folder) == []
    path = write(tmp_path / "v.txt", LINES)
    with pytest.raises(DataError, match=r"v\.txt: none of the 1 words of the corpus has a vector"):
        log.cache.look_up(path, ["bird"])
    with pytest.raises(DataError, match=r"v\.txt: vectors of 2 dimensions, but 3 stated; correct"):
        log.cache.look_up(path, ["the"], dimension=3)
    with pytest.raises(DataError, match=r"none\.txt: cannot be opened"):
        log.cache.look_up(tmp_path / "none.txt", ["the"])


@pytest.mark.parametrize("damage", ["matrix.bin", "meta.json", "gone"])
def test_what_is_damaged_is_converted_anew(
    file: Path, log: Log, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    """With a warning; the numbers are the file's."""
    place = log.cache.open(file).folder
    if damage == "gone":
        (place / "words.bin").unlink()
    else:
        path = place / damage
        content = path.read_bytes()
        path.write_bytes(content[:-24] + bytes(it ^ 1 for it in content[-24:]))
    assert log.cache.look_up(file, ["cat", "dog", "the"]).rows.tolist() == [[3, 4], [5, 6], [1, 2]]
    assert "damaged" in caplog.text and "anew" in caplog.text
    caplog.clear()
    log.cache.look_up(file, ["cat"])
    assert not caplog.text


# --------------------------------------------------------------------------- interruptions


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))])
def test_nothing_half_made_is_left(
    file: Path, log: Log, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """After Ctrl-C or on a full disk; the next use converts the file as if nothing had been."""

    def stop(*arguments: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(vector_cache, "sealed", stop)
        with pytest.raises((KeyboardInterrupt, NotKeptError)) as caught:
            log.cache.look_up(file, ["the"])
    if isinstance(error, OSError):
        assert str(caught.value) == (
            f"{log.cache.folder}: the converted word vectors of v.txt cannot be kept "
            "(No space left on device); free some space there or choose another folder"
        )
    assert maps(log.cache.folder) == []
    assert log.cache.look_up(file, ["the"]).rows.tolist() == [[1, 2]]


def test_without_a_place_the_file_is_read_at_each_use(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A full or read-only disk costs time, not the run."""
    (tmp_path / "taken").touch()
    source = VectorFile(file, cache=tmp_path / "taken")
    for _ in range(2):
        assert source.look_up(["cat"], RNG).rows.tolist() == [[3, 4]]
    assert "cannot be kept" in caplog.text and "the file is read at each use" in caplog.text


_PROCESS = """
import sys
from pathlib import Path
from reimpl.data.vector_cache import VectorCache
done = []
cache = VectorCache(Path(sys.argv[2]), lambda *told: done.append(told[0]))
read = cache.look_up(Path(sys.argv[1]), ["w17", "w1999"])
print("converting" in done, read.rows.tolist())
"""


def test_of_processes_at_once_one_converts(tmp_path: Path) -> None:
    """The others wait, and get the same."""
    path = write(tmp_path / "v.txt", [f"w{i} {i} 1" for i in range(2000)])
    command = [sys.executable, "-c", _PROCESS, str(path), str(tmp_path / "kept")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(it.communicate(timeout=120)[0].strip() for it in started)
    assert said == [f"False {[[17.0, 1.0], [1999.0, 1.0]]}"] * 2 + [f"True {[[17.0, 1.0], [1999.0, 1.0]]}"]


_HANGING = """
import sys, time
from pathlib import Path
from reimpl.data import storage, vector_cache
from reimpl.data.vector_cache import VectorCache
def wait(*arguments):
    print("writing", flush=True)
    time.sleep(120)
vector_cache.sealed = wait
VectorCache(Path(sys.argv[2])).look_up(Path(sys.argv[1]), ["the"])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_what_a_killed_process_left_is_removed_and_its_lock_is_free(file: Path, log: Log) -> None:
    command = [sys.executable, "-c", _HANGING, str(file), str(log.cache.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hanging:
        assert hanging.stdout is not None
        assert hanging.stdout.readline() == "writing\n"
        [left] = maps(log.cache.folder)
        assert left.startswith(".unfinished-")
        hanging.send_signal(signal.SIGKILL)
        hanging.wait()
    assert log.cache.look_up(file, ["the"]).rows.tolist() == [[1, 2]]
    assert maps(log.cache.folder) == [left.removeprefix(".unfinished-")]


# --------------------------------------------------------------------------- as a source


def test_a_source_is_known_by_its_content_where_there_is_a_cache(tmp_path: Path, file: Path) -> None:
    """A copy is the same source; the dimension that is asked for is part of it."""
    shutil.copy(file, tmp_path / "w.txt")
    one, two = (kept_in(VectorFile(tmp_path / name), tmp_path / "kept") for name in ("v.txt", "w.txt"))
    assert one.identity == two.identity
    assert VectorFile(file).identity != VectorFile(tmp_path / "w.txt").identity
    assert VectorFile(file, 2, cache=tmp_path / "kept").identity != one.identity
    write(tmp_path / "w.txt", ["the 1 3"])
    assert one.identity != two.identity
    assert kept_in(RandomVectors(3), tmp_path) == RandomVectors(3)
