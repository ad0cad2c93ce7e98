"""Sources of word vectors and the two rules for words without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reimpl.data.vectors import OutOfVocabulary, VectorFile, VectorSource, initial_vectors, parse_source
from reimpl.errors import DataError
from tests.data.corpora import write
from tests.data.reference import reference

WORDS = ("**PAD**", "<unk>", "the", "rare", "cat")


@pytest.fixture
def file(tmp_path: Path) -> VectorFile:
    return VectorFile(write(tmp_path / "v.txt", ["the 1 2", "cat 3 4", "<unk> 9 9"]))


def fill(source: VectorSource, rule: OutOfVocabulary, seed: int = 0) -> tuple[np.ndarray, list[bool]]:
    lookup = initial_vectors(source, WORDS, special=(0, 1), rule=rule, rng=np.random.default_rng(seed))
    return lookup.rows, lookup.found.tolist()


def test_zero_rule(file: VectorFile) -> None:
    """Study: words without a vector are zero, the two special rows even where the file has such a word."""
    rows, found = fill(file, "zero")
    assert rows.tolist() == [[0, 0], [0, 0], [1, 2], [0, 0], [3, 4]]
    assert found == [False, False, True, False, True]
    assert rows.dtype == np.float32


def test_uniform_rule(file: VectorFile) -> None:
    """Liu: padding and rare words get numbers between -0.25 and 0.25; a word that has a vector keeps it."""
    rows, found = fill(file, "uniform")
    assert found == [False, True, True, False, True]
    assert rows[[1, 2, 4]].tolist() == [[9, 9], [1, 2], [3, 4]]
    drawn = rows[[0, 3]]
    assert (np.abs(drawn) <= 0.25).all()
    assert len(np.unique(drawn)) == 4


@pytest.mark.parametrize("case", reference("07_vocabulary.json")["cases"])
def test_zero_rule_equals_the_study_with_a_file(tmp_path: Path, case: dict[str, dict[str, object]]) -> None:
    """The matrix of the study's code for a local vector file, but for the unknown row.

    There, that row ends up as the vector of the last word of the file that is outside the vocabulary, a slip
    that the downloaded vectors of the published runs do not meet.
    """
    study = case["study"]
    words = study["min_freq_1"]["itos"]  # type: ignore[index]
    stored = study["embedding_file"]
    lines = [
        f"{word} {' '.join(map(str, values))}"
        for word, values in zip(stored["words"], stored["vectors"], strict=True)  # type: ignore[index]
    ]
    source = VectorFile(write(tmp_path / "v.txt", lines))
    rng = np.random.default_rng(0)
    rows = initial_vectors(source, words, special=(0, 1), rule="zero", rng=rng).rows
    expected = np.array(study["embedding_from_file"], dtype=np.float32)
    np.testing.assert_array_equal(np.delete(rows, 1, axis=0), np.delete(expected, 1, axis=0))
    assert not rows[1].any()


@pytest.mark.parametrize("text", ["", "random", "random:-3"])
def test_unknown_sources(text: str) -> None:
    """Anything else is an error that repeats it or says what is wrong."""
    with pytest.raises(DataError, match="word vectors"):
        parse_source(text)
