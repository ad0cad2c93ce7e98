"""Identity of a corpus: as it is split, and whatever the split."""

from __future__ import annotations

import hashlib

from hypothesis import example, given
from hypothesis import strategies as st

from reimpl.data.source import ContentHash, Document, corpus_of, line_of, partition_of

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


def test_the_partition_by_definition() -> None:
    """Each split's name, documents and sum of the documents' SHA-256, a line each, by name."""

    def line(split: str, *documents: bytes) -> str:
        total = sum(int(hashlib.sha256(it).hexdigest(), 16) for it in documents) % 2**256
        return f"{split} {len(documents)} {total:064x}"

    lines = ["partition", line("test", b"x\tthree\n"), line("train", b"x y\tone\n", b"\ttwo\n")]
    expected = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert partition_of({"train": hashed(A, B), "test": hashed(C)}) == expected


@given(st.permutations([A, B, C, A]), st.permutations([B, C]))
def test_the_partition_is_the_same_in_any_order(train: list[Document], test: list[Document]) -> None:
    """Within each split: which documents stand where counts, and how often."""
    expected = partition_of({"train": hashed(A, A, B, C), "test": hashed(B, C)})
    assert partition_of({"train": hashed(*train), "test": hashed(*test)}) == expected


def test_one_document_moved_exchanged_changed_or_doubled_is_another_partition() -> None:
    splits = [
        ((A, B), (C,)),
        ((A,), (B, C)),  # moved: other sizes
        ((A, C), (B,)),  # exchanged: the same sizes and the same documents
        ((A, Document(("x",), "two")), (C,)),  # a label
        ((A, Document((), "twa")), (C,)),  # a letter
        ((A, B, B), (C,)),
        ((C,), (A, B)),
    ]
    found = [partition_of({"train": hashed(*train), "test": hashed(*test)}) for train, test in splits]
    assert len(set(found)) == len(splits)
    # what is train and what test counts also where both are as large
    assert (
        len(
            {
                partition_of(it)
                for it in ({"train": hashed(A), "test": hashed(B)}, {"train": hashed(B), "test": hashed(A)})
            }
        )
        == 2
    )


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
