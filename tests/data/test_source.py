"""Identity of a corpus: as it is split, and whatever the split."""

from __future__ import annotations

import hashlib

from hypothesis import example, given
from hypothesis import strategies as st

from reimpl.data.source import ContentHash, Document, content_of, corpus_of, line_of

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


LABELS = st.lists(st.text('ab \t\n\u00a0"[],', max_size=3), max_size=3)


@given(one=LABELS, two=LABELS)
def test_other_labels_are_another_line(one: list[str], two: list[str]) -> None:
    """Labels with spaces, tabs or line feeds in them, or empty ones, are never taken for others."""
    lines = [line_of(labels, b"text") for labels in (one, two)]
    assert (lines[0] == lines[1]) is (set(one) == set(two))


@given(labels=LABELS, text=st.text("ab\t", max_size=3), other=LABELS, rest=st.text("ab\t", max_size=3))
@example(labels=["a\tb"], text="c", other=["a"], rest="b\tc")
@example(labels=[""], text="c", other=[], rest="c")
def test_the_text_is_not_taken_for_labels(labels: list[str], text: str, other: list[str], rest: str) -> None:
    """Nor is a part of the text a label."""
    lines = line_of(labels, text.encode()), line_of(other, rest.encode())
    assert (lines[0] == lines[1]) is (set(labels) == set(other) and text == rest)


@given(st.lists(st.text('ab\u00a0"\\[]', min_size=1, max_size=3), max_size=4), st.text(max_size=4))
def test_labels_without_a_space_have_the_line_they_always_had(labels: list[str], text: str) -> None:
    """Identities that were written down stay right."""
    expected = f"{' '.join(sorted(set(labels)))}\t{text}\n".encode()
    assert line_of(labels, text.encode()) == expected
