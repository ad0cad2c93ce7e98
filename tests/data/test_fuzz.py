"""Damaged files of every format: they read, or one sentence says why not; never a traceback. Damage that a
header contradicts is never read in silence. Each case is its number, so that one can be run alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from reimpl.data.dataset import Dataset
from reimpl.data.formats import Options, open_corpus, sniff
from reimpl.errors import ReimplError
from tests.data.made import CORPORA, PACK, consume, lay

QUICK = 40
"""Cases for each of the nine formats."""
#: Pieces that readers stumble over.
PIECES = (
    b"\n", b"\r\n", b"\r", b" ", b"  ", b"\t", b",", b":", b"::", b"-", b"-1", b"0", b"1", b"99999999999",
    b"1e999", b"nan", b"inf", b".", b"e", b"\0", b"\xff", b"\xef\xbb\xbf", b'"', b"{", b"[" * 5000, b"}",
    b"\\ud800", b"null", b"4 6 3\n", b"#", b"qid:1", b"2147483648", b"\xe2\x80\xa8", b"\x0c", b"true",
    b"\x93NUMPY", b"PK\x03\x04", b"0x10", b"1_0", b"+1", b"0:0", b"0:1 0:1", b"9" * 5000, b"\\u0000",
    "\u0661".encode(),
)  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    """One to three edits: a piece put in, bytes overwritten, a stretch out or doubled, the end cut off."""
    for _ in range(rng.randint(1, 3)):
        at, to = sorted(rng.randrange(len(content) + 1) for _ in range(2))
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:at] + rng.choice(PIECES) + content[at:]
        elif kind == 1:
            content = content[:at] + rng.choice(PIECES) + content[min(at + rng.randint(1, 4), len(content)) :]
        elif kind == 2:
            content = content[:at] + content[to:]
        elif kind == 3:
            content = content[:to] + content[at:]
        elif kind == 4:
            content = content[:at]
        else:
            content = content[:at] + rng.randbytes(rng.randint(1, 4)) + content[at + 1 :]
    return content


def damaged(folder: Path, name: str, rng: random.Random) -> Path:
    """A corpus with one file damaged, before or after it is packed, in a folder or a .zip."""
    files = dict(CORPORA[name][0])
    victim = rng.choice(sorted(files))
    packing = rng.choice(("", "", *PACK))
    if rng.random() < 0.7:
        files[victim] = mutated(files[victim], rng)
        return lay(folder / rng.choice(("toy", "toy", "toy.zip")), files, packing)
    path = lay(folder / rng.choice(("toy", "toy.zip")), files, packing)
    hit = path if path.is_file() else path / (victim if victim.endswith(".npz") else victim + packing)
    hit.write_bytes(mutated(hit.read_bytes(), rng))
    return path


def one_case(folder: Path, name: str, number: int) -> str:
    """Runs a case; gives what became of it."""
    rng = random.Random(f"{name} {number}")
    path = damaged(folder, name, rng)
    try:
        sniff(path)
        consume(path, CORPORA[name][1])
    except ReimplError as err:
        assert "\n" not in str(err) and len(str(err)) < 700 + len(str(path)), str(err)
        return "refused"
    return "read"


@pytest.mark.parametrize("name", CORPORA)
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    outcomes = [one_case(tmp_path / str(number), name, number) for number in range(QUICK)]
    assert outcomes.count("refused") > QUICK // 5


@pytest.mark.parametrize("packing", PACK)
def test_a_headed_file_cut_anywhere_is_never_read_in_silence(tmp_path: Path, packing: str) -> None:
    """Every cut: fewer documents than the header says are refused, a cut within the last line is told."""
    files = CORPORA["xc"][0]
    whole = PACK[packing](files["train.txt"])
    path = lay(tmp_path / "toy", files, packing)
    sound = consume(path, Options())
    assert isinstance(sound, Dataset)
    assert not any("cut off" in note for note in sound.notes)
    for cut in range(len(whole)):
        (path / f"train.txt{packing}").write_bytes(whole[:cut])
        try:
            found = open_corpus(path, Options(base=0), format="xc")
        except ReimplError:
            continue
        assert isinstance(found, Dataset)
        assert packing == "" and found.train.size == 4
        assert "train: the last line has no end; it may be cut off." in found.notes
