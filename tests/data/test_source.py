"""Identity of a corpus: as it is split, and whatever the split."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.numbering import ContentHash, Document, identities, line_of

A, B, C = Document(("x", "y"), "one"), Document((), "two"), Document(("x",), "three")


def hashed(*documents: Document) -> ContentHash:
    found = ContentHash()
    found.add([line_of(it.labels, it.text.encode()) for it in documents])
    return found


def test_the_definition() -> None:
    """The SHA-256 of the documents' SHA-256, added up, with how many there are."""
    lines = [b"x y\tone\n", b"\ttwo\n"]
    total = sum(int(hashlib.sha256(line).hexdigest(), 16) for line in lines) % 2**256
    expected = hashlib.sha256(f"corpus 2 {total:064x}".encode()).hexdigest()
    assert identities({"train": hashed(A), "test": hashed(B)})["corpus"] == expected


def identity(train: tuple[Document, ...], test: tuple[Document, ...]) -> dict[str, str]:
    return identities({"train": hashed(*train), "test": hashed(*test)})


@given(st.permutations([A, B, C, A]), st.permutations([B, C]))
def test_the_order_within_a_split_is_content_alone(train: list[Document], test: list[Document]) -> None:
    """Which documents stand where counts for the partition, and which there are at all for the corpus."""
    expected, found = identity((A, A, B, C), (B, C)), identity(tuple(train), tuple(test))
    assert (found["partition"], found["corpus"]) == (expected["partition"], expected["corpus"])


def test_one_document_moved_exchanged_changed_or_doubled_is_another_partition() -> None:
    splits = [
        ((A, B), (C,)),
        ((A,), (B, C)),  # moved: other sizes
        ((A, C), (B,)),  # exchanged: the same sizes and the same documents
        ((C,), (A, B)),
        ((A, Document(("x",), "two")), (C,)),  # a label
        ((A, Document((), "twa")), (C,)),  # a letter
        ((A, B, B), (C,)),
    ]
    found = [identity(*split) for split in splits]
    assert len({each["partition"] for each in found}) == len(splits)
    assert len({each["corpus"] for each in found[:4]}) == 1 and len({each["corpus"] for each in found}) == 4
