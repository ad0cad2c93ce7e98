"""Numbers as names: all that a tuple of them gives, without one."""

from __future__ import annotations

import pytest

from reimpl.data import numerals
from reimpl.data.identity import label_set_of
from reimpl.data.numerals import Numerals


@pytest.mark.parametrize("size", [0, 1, 2, 9, 10, 11, 19, 100, 101, 999, 1000, 1234, 20_010])
def test_their_order_and_digest_are_those_of_the_strings(size: int) -> None:
    strings = tuple(map(str, range(size)))
    assert tuple(Numerals(size).in_text_order()) == tuple(sorted(strings))
    assert Numerals(size).digest == label_set_of(strings)


def test_they_are_a_sequence() -> None:
    assert tuple(Numerals(3)) == ("0", "1", "2") and len(Numerals(3)) == 3
    assert (Numerals(3)[-1], Numerals(9)[2:4]) == ("2", ("2", "3"))
    with pytest.raises(IndexError):
        Numerals(3)[3]


def test_too_many_have_no_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it take long to say so."""
    assert Numerals(100_000_000).digest == ""
    monkeypatch.setattr(numerals, "MOST_DIGESTED", 3)
    assert Numerals(3).digest and not Numerals(4).digest
