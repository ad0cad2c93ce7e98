"""Damaged files of word vectors: they read, or one sentence says why not; never a traceback.

Each case is its number, so one that fails can be run alone. A few hundred by default, the rest with `-m
slow`.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from reimpl.data.vector_cache import VectorCache
from reimpl.data.vector_file import ReadVectors, read_vectors
from reimpl.errors import DataError, ReimplError
from tests.data.formats.test_fuzz import mutated
from tests.data.vector_files import FORMS, lay

QUICK, ALL = 40, 500
"""Cases for each form."""
WORDS = ["the", "café", "New_York", "3", *(f"w{i}" for i in range(8))]
ROWS = np.random.default_rng(0).normal(size=(len(WORDS), 3)).round(4).tolist()
HEADED = ("word2vec text", "fasttext", "word2vec binary", "gensim binary")
PACKED = ("text.gz", "text.bz2", "text.xz", "word2vec binary.gz")


def outcome(folder: Path, path: Path, *, kept: bool) -> ReadVectors | str:
    """What became of it: the vectors, or the sentence."""
    try:
        if kept:
            return VectorCache(folder / "kept").look_up(path, WORDS)
        return read_vectors(path, WORDS)
    except ReimplError as err:
        text = str(err)
        assert "\n" not in text and len(text) < 700 + 2 * len(str(path)), text
        return text


def one_case(folder: Path, form: str, number: int) -> str:
    """Damages one file of a form; converted or not, the same comes of it."""
    rng = random.Random(f"{form} {number}")
    folder.mkdir()
    path = lay(folder, form, WORDS, ROWS)
    victim = folder / rng.choice(FORMS[form])
    victim.write_bytes(mutated(victim.read_bytes(), rng))
    plain, kept = outcome(folder, path, kept=False), outcome(folder, path, kept=True)
    if isinstance(plain, str) or isinstance(kept, str):
        assert plain == kept
        return "refused"
    np.testing.assert_array_equal(plain.rows, kept.rows)
    assert plain.found.tolist() == kept.found.tolist()
    assert np.isfinite(plain.rows).all()
    return "read"


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    outcomes = [one_case(tmp_path / str(number), form, number) for number in range(QUICK)]
    assert outcomes.count("refused") > QUICK // 5


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_many_damaged_files_are_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    outcomes = [one_case(tmp_path / str(number), form, number) for number in range(QUICK, ALL)]
    assert outcomes.count("refused") > (ALL - QUICK) // 5


@pytest.mark.parametrize("form", [*HEADED, *PACKED, "npy", "npy float64", "attentionxml"])
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, form: str) -> None:
    """Where a header, a checksum or a size says what is missing.

    Only the last line feed may be; and a cut within the last number of a text is told.
    """
    path = lay(tmp_path, form, WORDS, ROWS)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        try:
            read = read_vectors(path, WORDS)
        except DataError:
            continue
        assert form in HEADED and read.found.all()
        assert cut == len(whole) - 1 if "binary" in form else read.tally.open_end
        assert cut > whole.rstrip().rindex(b" ")


def test_a_text_cut_anywhere_is_refused_or_told(tmp_path: Path) -> None:
    """Without a header only a cut between two lines goes unseen; one within the last number is told."""
    path = lay(tmp_path, "text", WORDS, ROWS)
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        try:
            read = read_vectors(path, WORDS)
        except DataError:
            continue
        assert read.tally.open_end is (whole[cut - 1 : cut] != b"\n")
        assert read.found.tolist() == [at < read.tally.lines for at in range(len(WORDS))]
        assert read.tally.bad == 0
