"""Which printed P@k so many documents can give: reference cases, and every number of hits printed."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from audit.checks.grid import Rounding, fingerprint, granularity, hits, without_padding
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
    assert found.feasible == expected["feasible"]
    if found.feasible:
        assert (found.least, found.most) == (expected["m_min"], expected["m_max"])
    assert found.power == pytest.approx(Fraction(str(expected["power"])), abs=case["tol"])


def printed_by_decimal(m: int, total: int, decimals: int, rule: str) -> str:
    """100 m / total as `decimal` prints it."""
    with localcontext() as context:
        context.prec = 60  # the expansion is cut far beyond any tie that whole numbers of this size can make
        return str((Decimal(100 * m) / Decimal(total)).quantize(Decimal(1).scaleb(-decimals), rounding=rule))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("documents", [1, 7, 8, 16, 80])
@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_the_hits_of_a_number_are_those_that_are_printed_so(
    documents: int, decimals: int, rule: Rounding
) -> None:
    """By brute force: each m is printed by `decimal`, and each number of 0..100 asked for its m."""
    by_text: dict[str, list[int]] = {}
    for m in range(documents + 1):
        for text in {printed_by_decimal(m, documents, decimals, way) for way in RULES[rule]}:
            by_text.setdefault(text, []).append(m)
    unit = Decimal(1).scaleb(-decimals)
    for n in range(100 * 10**decimals + 1):
        text = str(n * unit)
        found, expected = hits(printed(text), documents, rule), by_text.get(text, [])
        assert found.feasible >= bool(expected)
        if expected:
            assert (found.least, found.most) == (expected[0], expected[-1]), text


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data(), st.integers(1, 400_000), st.integers(1, 4), st.sampled_from(sorted(RULES)))
def test_an_honest_number_is_never_called_infeasible(
    data: st.DataObject, documents: int, decimals: int, rule: Rounding
) -> None:
    """Whatever the size of the test set, the digits and the rounding; nor is its size by all numbers."""
    m = data.draw(st.integers(0, documents))
    number = printed(printed_by_decimal(m, documents, decimals, RULES[rule][0]))
    found = hits(number, documents, rule)
    assert found.least <= m <= found.most
    assert granularity(number, documents).outcome != "infeasible"


@pytest.mark.parametrize(
    ("text", "documents", "outcome", "rounding"),
    [
        ("76.38", 3865, "feasible", "nearest"),
        ("76.38", 3809, "feasible", "ceil"),  # 2,909 are 76.3718 %
        ("76.38", 3909, "feasible", "truncate"),  # 2,986 of 3,909 are 76.3878 %
        ("76.81", 3865, "feasible", "truncate"),  # 2,969 are 76.8176 %
        ("83.50", 3865, "feasible", "ceil"),  # 3,227 are 83.4929 %
        ("50.00", 3865, "infeasible", None),  # 1,932 are 49.987 %, 1,933 are 50.013 %
        ("83.5", 3865, "untestable", "nearest"),
        ("96.10", 306_782, "untestable", "nearest"),
        ("33.4", 3, "feasible", "ceil"),  # 1 of 3 is 33.33 %
    ],
)
def test_other_ways_of_rounding_come_before_a_conclusion(
    text: str, documents: int, outcome: str, rounding: Rounding | None
) -> None:
    found = granularity(printed(text), documents)
    assert (found.outcome, found.rounding) == (outcome, rounding)


def test_power_is_the_share_of_printed_numbers_that_no_hits_give() -> None:
    """Over all numbers of 0.00..99.99 for 3,865 documents."""
    numbers = [printed(f"{n // 100}.{n % 100:02d}") for n in range(10_000)]
    found_out = sum(not hits(number, 3865).feasible for number in numbers)
    assert float(hits(numbers[0], 3865).power) == pytest.approx(found_out / 10_000, abs=1e-3)
    however = sum(granularity(number, 3865).outcome == "infeasible" for number in numbers)
    assert float(granularity(numbers[0], 3865).power) == pytest.approx(however / 10_000, abs=1e-3)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["82.40", "68.50", "57.70"], ["82.4", "68.5", "57.7"]),  # DiSMEC as Ye et al. print it
        (["82.40", "68.50", "57.70", "61.20", "79.66"], ["82.4", "68.5", "57.7", "61.2", "79.66"]),
        (["82.40", "68.50", "57.70", "79.66"], ["82.40", "68.50", "57.70", "79.66"]),  # three of four
        (["82.00", "68.00", "57.00"], ["82", "68", "57"]),
        (["82.00", "68.50", "57.70"], ["82.0", "68.5", "57.7"]),
        (["80", "70", "60"], ["80", "70", "60"]),  # these zeros are no decimals
        (["82.40%", "68.50 %"], ["82.4%", "68.5%"]),
        ([], []),
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
