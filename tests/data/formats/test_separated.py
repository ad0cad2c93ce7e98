"""A separator that stands in no list of labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from reimpl.data.formats.inputs import File
from reimpl.data.formats.separated import Separated
from reimpl.errors import DataError


def check(separator: str, *lists: str) -> None:
    seen = Separated(separator)
    for it in lists:
        seen.add(it)
    seen.check(File(Path("train.csv")))


@pytest.mark.parametrize("other", [";", "|", ",", "\t"])
def test_one_that_stands_nowhere_is_refused_where_another_stands_in_half(other: str) -> None:
    """Empty lists do not count."""
    message = (
        f"train.csv: no list of labels holds '/', and 1 of 2 hold {other!r}; is the separator {other!r}?"
    )
    with pytest.raises(DataError) as error:
        check("/", f"a{other}b", "c", "", " ")
    assert str(error.value) == message


def test_all_else_is_taken() -> None:
    """It stands somewhere; another one stands in fewer than half; white space; nothing at all."""
    check("/", "a;b", "a;c", "d/e")
    check("/", "a;b", "c", "d")
    check(" ", "a;b", "c;d")
    check("/", "a", "b")
    check("/")
