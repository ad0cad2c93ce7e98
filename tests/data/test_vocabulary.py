"""Which words get a row: both rules against the public code and against plain counting."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.encode import Interner, Ragged, encode
from reimpl.data.source import Document
from reimpl.data.tokenise import LIU, STUDY, Tokeniser
from reimpl.data.vocabulary import LIU_PAD, LIU_UNK, liu_vocabulary, study_vocabulary
from tests.data.reference import reference

CASES = reference("07_vocabulary.json")["cases"]
NAMED = pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['kind']}" for i, case in enumerate(CASES)])


def read(
    texts: dict[str, list[str]], tokeniser: Tokeniser, cut: int | None
) -> tuple[tuple[str, ...], list[Ragged]]:
    """The words and the numbered documents of train and test."""
    words = Interner(tokeniser.normalise)
    parts = [
        encode((Document((), text) for text in texts[split]), tokeniser, words, Interner(), cut=cut).tokens
        for split in ("train", "test")
    ]
    return words.words, parts


def padded(table: Ragged, width: int, padding: int) -> list[list[int]]:
    """Rows cut and padded on the right, as the models see them."""
    rows = [table.values[a:b].tolist() for a, b in zip(table.offsets, table.offsets[1:], strict=False)]
    return [row[:width] + [padding] * (width - len(row)) for row in rows]


@NAMED
def test_study_equals_the_public_code(case: dict[str, Any]) -> None:
    """Words, their order and the padded ids at length 8 are those of the study's code."""
    words, (train, test) = read(case, STUDY, None)
    for minimum in (1, 2):
        expected = case["study"][f"min_freq_{minimum}"]["itos"]
        assert list(study_vocabulary(words, train, min_frequency=minimum).words) == expected
    vocabulary = study_vocabulary(words, train)
    assert padded(vocabulary.encode(train), 8, 0) == case["study"]["train_ids_fixed_length_8"]
    assert padded(vocabulary.encode(test), 8, 0) == case["study"]["test_ids_fixed_length_8"]


@NAMED
@pytest.mark.parametrize(("length", "size"), [(10, 9), (10, 30_000), (500, 30_000)])
def test_liu_equals_the_public_code(case: dict[str, Any], length: int, size: int) -> None:
    """Words, widths of both splits and padded ids are those of Liu's code (ties: first seen)."""
    expected = case["original"][f"max_length_{length}_vocab_{size}"]
    words, (train, test) = read(case, LIU, length)
    vocabulary = liu_vocabulary(words, [train, test], size=size)
    assert list(vocabulary.words) == expected["id_to_word"]
    for split, table in (("train", train), ("test", test)):
        width = int(table.lengths.max())
        assert width == expected[f"{split}_width"]
        assert padded(vocabulary.encode(table), width, vocabulary.padding_id) == expected[f"{split}_ids"]


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1)


@given(train=TEXTS, test=TEXTS, minimum=st.integers(1, 3))
def test_study_equals_counting_sets(train: list[str], test: list[str], minimum: int) -> None:
    """Document frequency is the number of documents whose set of words holds the word; test adds nothing."""
    words, (numbered, _) = read({"train": train, "test": test}, STUDY, None)
    frequency = Counter(word for text in train for word in set(text.split()))
    kept = sorted(
        (word for word in frequency if frequency[word] >= minimum), key=lambda w: (-frequency[w], w)
    )
    assert study_vocabulary(words, numbered, min_frequency=minimum).words == ("**PAD**", "<unk>", *kept)


@given(train=TEXTS, test=TEXTS, size=st.integers(1, 8))
def test_liu_equals_counting_padded_lists(train: list[str], test: list[str], size: int) -> None:
    """`Counter.most_common` over both padded splits, with the unknown word behind."""
    words, tables = read({"train": train, "test": test}, LIU, 4)
    counted: Counter[str] = Counter()
    for texts in (train, test):
        rows = [LIU(text)[:4] for text in texts]
        width = max(map(len, rows))
        counted.update(word for row in rows for word in row + [LIU_PAD] * (width - len(row)))
    vocabulary = liu_vocabulary(words, tables, size=size)
    assert vocabulary.words == (*(word for word, _ in counted.most_common(size)), LIU_UNK)
    # a padding word that was cut off or never needed is read as the unknown one, as any word
    expected = LIU_PAD if LIU_PAD in vocabulary.words else LIU_UNK
    assert vocabulary.words[vocabulary.padding_id] == expected


def test_a_word_of_test_only_is_unknown_to_the_study() -> None:
    """A test word outside the vocabulary becomes the unknown word, not an error (LibMultiLabel 2fd112c)."""
    words, (train, test) = read({"train": ["a"], "test": ["a new"]}, STUDY, None)
    vocabulary = study_vocabulary(words, train)
    assert vocabulary.encode(test).values.tolist() == [2, 1]


def test_no_word_at_all() -> None:
    """Texts without a single word still give the two special rows."""
    words, (train, test) = read({"train": ["12"], "test": ["-"]}, STUDY, None)
    assert study_vocabulary(words, train).words == ("**PAD**", "<unk>")
    assert len(test.values) == 0
