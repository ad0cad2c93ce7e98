"""The values that are printed as a number, against rounding itself."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest

from audit.checks.rounding import Rounding, pre_image
from audit.stats.printed import printed
from tests.stats import golden

#: The same rules in the standard library; all numbers here are at least 0.
DECIMAL: dict[Rounding, str] = {
    "half_up": ROUND_HALF_UP,
    "half_down": ROUND_HALF_DOWN,
    "half_even": ROUND_HALF_EVEN,
    "truncate": ROUND_DOWN,
    "ceil": ROUND_UP,
}


@pytest.mark.parametrize("rule", DECIMAL)
@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_a_value_is_in_the_pre_image_of_what_it_is_rounded_to_and_of_nothing_else(
    rule: Rounding, decimals: int
) -> None:
    """The first thirty numbers, by values in steps of a twentieth: on the ties, beside them and between."""
    unit = Decimal(1).scaleb(-decimals)
    images = [(n * unit, pre_image(printed(str(n * unit)), rule)) for n in range(32)]
    for step in range(20 * 30 + 1):
        value = step * unit / 20
        goal = value.quantize(unit, rounding=DECIMAL[rule])
        assert [number for number, image in images if Fraction(value) in image] == [goal], value


@golden.cases("rounding")
def test_reference_values_are_in_the_pre_images_of_what_they_are_rounded_to(case: dict[str, Any]) -> None:
    if "value" in case["inputs"]:
        value = Fraction(case["inputs"]["value"])
        for rule in ("half_up", "half_even", "truncate"):
            if rule in case["expected"]:
                assert value in pre_image(printed(case["expected"][rule]), rule)
                assert value in pre_image(printed(case["expected"][rule]), "nearest") or rule == "truncate"
    else:
        assert Fraction("76.446") in pre_image(printed(case["expected"]["direct_one_decimal"]))
        assert Fraction("76.446") not in pre_image(printed(case["expected"]["via_two_decimals"]))


def test_to_the_nearest_a_tie_may_have_gone_either_way() -> None:
    assert Fraction("6.25") in pre_image(printed("6.2"))
    assert Fraction("6.25") in pre_image(printed("6.3"))


@pytest.mark.parametrize(
    ("text", "rule", "units", "expected"),
    [
        ("0.5", "nearest", 10, (5, 5)),  # 4.5..5.5
        ("0.5", "nearest", 20, (9, 11)),  # 9..11
        ("0.5", "half_up", 20, (9, 10)),
        ("0.5", "half_down", 20, (10, 11)),
        ("0.5", "half_even", 20, (10, 10)),  # 5 is odd
        ("0.4", "half_even", 20, (7, 9)),
        ("0.5", "truncate", 10, (5, 5)),  # 5 but not 6
        ("0.5", "ceil", 10, (5, 5)),  # not 4
        ("0.5", "nearest", 1, (1, 0)),  # none
    ],
)
def test_multiples_within(text: str, rule: Rounding, units: int, expected: tuple[int, int]) -> None:
    assert pre_image(printed(text), rule).multiples(Fraction(units)) == expected
