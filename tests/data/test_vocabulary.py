"""Which words get a row: every rule against the public code and against plain counting."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from reimpl.data.numbering import Numbers, Task
from reimpl.data.prepare import kept_words
from reimpl.data.preprocessing import Vocabulary, attentionxml_vocabulary, liu_vocabulary, study_vocabulary
from reimpl.data.text import LIU, STUDY, TOKENISED, Tokeniser
from tests.data.corpora import reference, texts

#: The numbers of a test are not closed by hand.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
]

CASES = reference("07_vocabulary.json")["cases"]
NAMED = pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['kind']}" for i, case in enumerate(CASES)])


def read(texts_of: dict[str, list[str]], tokeniser: Tokeniser, cut: int | None = None) -> Numbers:
    """The texts of train and test as numbers, with everything counted."""
    source, numbers = texts(texts_of["train"], texts_of["test"]), Numbers(None)
    for split in source.splits:
        task = Task(tokeniser, cut or 10**9, counts=True)
        numbers.read(source, split, task, None, features=True)  # type: ignore[arg-type]
    return numbers


def study(numbers: Numbers, **options: int) -> Vocabulary:
    return study_vocabulary(tuple(numbers.words), numbers.documents_with, **options)


def liu(numbers: Numbers, size: int) -> Vocabulary:
    times, first = kept_words(list(numbers.splits.values()), len(numbers.words))
    lengths = [part.joined("kept") for part in numbers.splits.values()]
    return liu_vocabulary(tuple(numbers.words), times, first, lengths, size=size)


def ids(numbers: Numbers, split: str, vocabulary: Vocabulary) -> list[list[int]]:
    """Token ids, document by document."""
    part = numbers.splits[split]
    values = vocabulary.ids[part.tokens.done()].tolist()
    return [values[a:b] for a, b in pairwise([0, *np.cumsum(part.joined("kept")).tolist()])]


def padded(rows: list[list[int]], width: int, padding: int) -> list[list[int]]:
    """Rows cut and padded on the right, as the models see them."""
    return [row[:width] + [padding] * (width - len(row)) for row in rows]


@NAMED
def test_study_equals_the_public_code(case: dict[str, Any]) -> None:
    """Words, their order and the padded ids at length 8 are those of the study's code."""
    numbers = read(case, STUDY)
    for minimum in (1, 2):
        expected = case["study"][f"min_freq_{minimum}"]
        assert list(study(numbers, min_frequency=minimum).words) == expected["itos"]
    frequency = dict(zip(numbers.words, numbers.documents_with.tolist(), strict=False))
    counted = case["study"]["min_freq_1"]["document_frequency"]
    assert {word: count for word, count in frequency.items() if count} == counted
    vocabulary = study(numbers)
    for split in ("train", "test"):
        expected = case["study"][f"{split}_ids_fixed_length_8"]
        assert padded(ids(numbers, split, vocabulary), 8, 0) == expected


@NAMED
@pytest.mark.parametrize(("length", "size"), [(10, 9), (10, 30_000), (500, 30_000)])
def test_liu_equals_the_public_code(case: dict[str, Any], length: int, size: int) -> None:
    """Words, widths of both splits and padded ids are those of Liu's code (ties: first seen)."""
    expected = case["original"][f"max_length_{length}_vocab_{size}"]
    numbers = read(case, LIU, length)
    vocabulary = liu(numbers, size)
    assert list(vocabulary.words) == expected["id_to_word"]
    for split, part in numbers.splits.items():
        width = int(part.joined("kept").max())
        assert width == expected[f"{split}_width"]
        rows = ids(numbers, split, vocabulary)
        assert padded(rows, width, vocabulary.padding_id) == expected[f"{split}_ids"]


@NAMED
@pytest.mark.parametrize("size", [10, 500_000])
def test_attentionxml_equals_the_public_code(case: dict[str, Any], size: int) -> None:
    """Words are those of AttentionXML's code up to its groups of ties; ids follow, where those end."""
    given = case["attentionxml"]
    expected = given[f"vocab_size_{size}"]
    numbers = read({"train": given["tokenised_train"], "test": given["tokenised_test"]}, TOKENISED)
    frequency = numbers.documents_with
    known = set(given["words_with_vectors"])
    vocabulary = attentionxml_vocabulary(
        tuple(numbers.words), frequency, lambda words: np.array([it in known for it in words]), size=size
    )
    tied = {
        word: f"group {n}"
        for n, group in enumerate(expected["groups_tied_on_frequency_and_vector"])
        for word in group
    }
    named = [[tied.get(word, word) for word in words] for words in (vocabulary.words, expected["id_to_word"])]
    assert named[0] == named[1]
    if expected["order_fully_determined"]:
        for split in ("train", "test"):
            rows = [row or [1] for row in ids(numbers, split, vocabulary)]
            assert padded(rows, 9, 0) == expected[f"{split}_ids_max_len_9"]
