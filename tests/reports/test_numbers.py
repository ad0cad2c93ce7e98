"""Numbers as text: never rounded across what they are read against. Expected texts are worked by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import numbers

points = numbers.points
start, end = partial(numbers.band_end, up=True), partial(numbers.band_end, up=False)


@pytest.mark.parametrize(
    ("text", "of", "value", "more"),
    [
        ("75.88", points, 75.8796, {}),
        ("75.8804", points, 75.8804, {"beside": (75.88,)}),
        ("75.88", points, 75.87999, {"beside": (75.88,)}),  # that is no difference to a reader
        ("0.00", numbers.signed, 0.0000002, {}),
        ("0.04996", numbers.p_value, 0.04996, {}),
        ("0.004", points, 0.004, {}),
        ("0.00", points, -0.0, {}),
        ("99.996", points, 99.996, {"beside": (100,)}),
        ("1e+12", points, 1e12, {}),
        ("0.4996", points, 0.4996, {"beside": (0.5,)}),
        ("−0.4996 to 0.20", numbers.interval, (-0.4996, 0.2), {"beside": (-0.5, 0.5)}),
        ("0.001", numbers.p_value, 0.001, {}),
        ("> 0.999", numbers.p_value, 0.9995, {}),
        ("0.50", numbers.margin_size, 0.5, {}),
        ("1.03", start, 1.0214, {"margin": 0.5}),  # up: at 1.02 it would not be reproduced
        ("1.72", end, 1.729, {"margin": 0.5}),  # down: at 1.73 it would not be contradicted
        ("0.00", end, 0.0, {"margin": 0.5}),
    ],
)
def test_by_hand(text: str, of: Callable[..., str], value: Any, more: dict[str, Any]) -> None:
    assert of(value, **more) == text


@given(st.floats(0, 5), st.floats(0.01, 5))
def test_bounds_say_what_is_true(bound: float, margin: float) -> None:
    """At a shown bound the verdict does hold, and the bound is on its side of the margin."""
    bound, margin = round(bound, 9), round(margin, 9)
    low, high = float(end(bound, margin=margin)), float(start(bound, margin=margin))
    assert low <= bound <= high
    assert (high <= margin) == (bound <= margin)
    assert (low >= margin) == (bound >= margin)
