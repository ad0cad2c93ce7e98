"""Inverse propensities by hand, the constants by data set name, and settings that make no sense."""

from __future__ import annotations

import numpy as np
import pytest

from reimpl.errors import DataError
from reimpl.propensity import PropensityWarning, inverse_propensity, propensity_constants


def test_by_hand() -> None:
    """Frequencies 3, 2, 1, 1, 1, 2 of 10 documents at .55 and 1.5."""
    values = inverse_propensity([3, 2, 1, 1, 1, 2], 10, A=0.55, B=1.5)
    expected = [1.942771, 2.082519, 2.302585, 2.302585, 2.302585, 2.082519]
    assert values == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("n_train", [1, 2])
def test_fewer_than_three_documents_warn(n_train: int) -> None:
    """N below e makes C negative: every weight falls to 1 or under, which is said."""
    with pytest.warns(PropensityWarning, match=f"{n_train} training documents"):
        values = inverse_propensity([0, 1], n_train, A=0.55, B=1.5)
    C = (np.log(n_train) - 1) * 2.5**0.55
    assert C < 0
    assert values == pytest.approx([1 + C * 1.5**-0.55, 1 + C * 2.5**-0.55])


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        ("Amazon-670K", (0.6, 2.6)),
        ("amazon_3m", (0.6, 2.6)),
        ("Amazon670k", (0.6, 2.6)),
        ("Wiki-500K", (0.5, 0.4)),
        ("Wikipedia-500K", (0.5, 0.4)),
        ("AmazonCat-13K", (0.55, 1.5)),  # not by the prefix Amazon
        ("AmazonCat-14K", (0.55, 1.5)),
        ("Wiki10-31K", (0.55, 1.5)),  # nor by the prefix Wiki
        ("EUR-Lex", (0.55, 1.5)),
        ("a corpus of our own", (0.55, 1.5)),
    ],
)
def test_constants_by_whole_name(dataset: str, expected: tuple[float, float]) -> None:
    """A and B go by the whole name in any spelling, never by its beginning (pyxclib #7)."""
    assert propensity_constants(dataset) == expected


@pytest.mark.parametrize(
    ("frequency", "n_train", "message"),
    [([5], 4, "from 5 to 5 of 4 training"), ([-1], 4, "from -1"), ([0.5], 4, "type float64")],
)
def test_frequencies_that_cannot_be(frequency: list[float], n_train: int, message: str) -> None:
    """A label cannot be in more documents than there are, nor in half a document."""
    with pytest.raises(DataError, match=message):
        inverse_propensity(frequency, n_train, A=0.55, B=1.5)
