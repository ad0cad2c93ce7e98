"""Identity of a corpus: as it is split, and whatever the split."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.source import ContentHash, Document, content_of, corpus_of

A, B, C = Document(("x", "y"), "one"), Document((), "two"), Document(("x",), "three")


def hashed(*documents: Document) -> ContentHash:
    found = ContentHash()
    for document in documents:
        found.add(document)
    return found


def test_the_definition() -> None:
    """The SHA-256 of the documents' SHA-256, added up, with how many there are."""
    lines = [b"x y\tone\n", b"\ttwo\n"]
    total = sum(int(hashlib.sha256(line).hexdigest(), 16) for line in lines) % 2**256
    expected = hashlib.sha256(f"corpus 2 {total:064x}".encode()).hexdigest()
    assert corpus_of([hashed(A), hashed(B)]) == expected


@given(st.permutations([A, B, C, A]), st.integers(0, 4))
def test_the_corpus_is_the_same_in_any_order_and_split(order: list[Document], at: int) -> None:
    """Only what stands there counts, and how often."""
    assert corpus_of([hashed(*order[:at]), hashed(*order[at:])]) == corpus_of([hashed(A, A, B, C)])


def test_another_split_is_other_content_of_the_same_corpus() -> None:
    """The content knows the split, the corpus does not."""
    one = {"train": hashed(A, B), "test": hashed(C)}
    two = {"train": hashed(A, C), "test": hashed(B)}
    assert content_of(one) != content_of(two)
    assert corpus_of(one.values()) == corpus_of(two.values())


def test_another_label_text_or_number_of_copies_is_another_corpus() -> None:
    """Each of these differs from the others; the order of labels and repeated ones do not count."""
    same = [(A, B), (Document(("y", "x", "y"), "one"), B)]
    other = [(A,), (A, B, B), (A, A), (Document(("x",), "one"), B), (Document(("x", "y"), "one "), B), ()]
    assert len({corpus_of([hashed(*it)]) for it in same}) == 1
    assert len({corpus_of([hashed(*it)]) for it in [same[0], *other]}) == 7
