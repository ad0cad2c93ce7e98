"""Which printed P@k so many documents can give: reference cases, and every number of hits printed."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from audit.checks.granularity import Rounding, fingerprint, hits, power, rounding_of, without_padding
from audit.stats.printed import printed
from tests.stats import golden

RULES: dict[Rounding, tuple[str, ...]] = {
    "nearest": (ROUND_HALF_UP, ROUND_HALF_EVEN),
    "truncate": (ROUND_DOWN,),
    "ceil": (ROUND_UP,),
}


@golden.cases("grim")
def test_reference_cases(case: dict[str, Any]) -> None:
    given, expected = case["inputs"], case["expected"]
    if (given["k"], given["seeds"], given["scale"]) != (1, 1, 100) or given["rounding"] not in RULES:
        return
    found = hits(printed(given["printed"]), given["N"], given["rounding"])
    assert bool(found) == expected["feasible"]
    if found:
        assert (found[0], found[-1]) == (expected["m_min"], expected["m_max"])
    assert power(printed(given["printed"]), given["N"]) == pytest.approx(
        Fraction(str(expected["power"])), abs=case["tol"]
    )


def printed_by_decimal(m: int, total: int, decimals: int, rule: str) -> str:
    """100 m / total as `decimal` prints it."""
    with localcontext() as context:
        context.prec = 60  # the expansion is cut far beyond any tie that whole numbers of this size can make
        return str((Decimal(100 * m) / Decimal(total)).quantize(Decimal(1).scaleb(-decimals), rounding=rule))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data(), st.integers(1, 400_000), st.integers(1, 4), st.sampled_from(sorted(RULES)))
def test_an_honest_number_is_never_called_infeasible(
    data: st.DataObject, documents: int, decimals: int, rule: Rounding
) -> None:
    """Whatever the size of the test set, the digits and the rounding; nor is its size by all numbers."""
    m = data.draw(st.integers(0, documents))
    number = printed(printed_by_decimal(m, documents, decimals, RULES[rule][0]))
    assert m in hits(number, documents, rule)
    assert rounding_of(number, documents)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["82.40", "68.50", "57.70"], ["82.4", "68.5", "57.7"]),  # DiSMEC as Ye et al. print it
        (["82.40", "68.50", "57.70", "79.66"], ["82.40", "68.50", "57.70", "79.66"]),  # three of four
        (["82.00", "68.00", "57.00"], ["82", "68", "57"]),
        (["80", "70", "60"], ["80", "70", "60"]),  # these zeros are no decimals
    ],
)
def test_zeros_that_pad_a_column_are_dropped(column: list[str], expected: list[str]) -> None:
    found = without_padding([printed(text) for text in column])
    assert [it.interval for it in found] == [printed(text).interval for text in expected]


# --------------------------------------------------------------------------- all numbers of a table


@golden.cases("grim_fingerprint")
def test_reference_cases_of_a_table(case: dict[str, Any]) -> None:
    given = case["inputs"]
    numbers = [printed(text) for text in given["printed"]]
    for it in fingerprint([*numbers, numbers[0]], given["candidates"]):  # a copy tells no more
        expected = case["expected"][str(it.documents)]
        assert (it.feasible, it.of) == (expected["feasible"], expected["of"])
        chance = float(stats.binom.sf(it.feasible - 1, it.of, min(1.0, it.documents / 10_000)))
        assert it.chance_p == pytest.approx(chance)
        assert it.adjusted_p == pytest.approx(min(1.0, len(given["candidates"]) * chance))
