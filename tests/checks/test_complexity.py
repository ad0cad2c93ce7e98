"""Growth claims: the exact count of operations is held against the claimed power."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.complexity import complexity
from audit.checks.sheet import Sheet
from audit.record import ClaimRecord, Finding, PaperInfo, Where


def found(exponent: float, operations: str | None, **given: Any) -> Finding:
    details: dict[str, Any] = {"of": "operations", "grows_with": "labels", "exponent": exponent}
    if operations is not None:
        details |= {"operations": operations, "given": given}
    claim = ClaimRecord("grows", "grows", "complexity", "it grows", "", Where(section="2"), details=details)
    (finding,) = complexity(Sheet(PaperInfo("toy", "Toy"), (), {}, (claim,)))
    return finding


@pytest.mark.parametrize(
    ("exponent", "operations", "result"),
    [
        (1, "2 * n", "consistent"),
        (1, "n * log2(n)", "consistent"),  # a logarithm is within the margin
        (2, "(n / 2)^2", "consistent"),
        (2, "n * log2(n)", "inconsistent"),
        (1, "n^2", "inconsistent"),
        (0, "h", "consistent"),
        (1, "n + h^2", "untestable"),  # 40,000 at first, n at the end
        (1, "n - n", "untestable"),  # no count has a logarithm
        (1, "n / (n - 1000)", "untestable"),  # no value for n = 1000
    ],
)
def test_the_power_is_that_of_the_count(exponent: float, operations: str, result: str) -> None:
    assert found(exponent, operations, h=200).result == result


def test_the_arithmetic_names_the_count_and_both_powers() -> None:
    text = found(1, "(n / 2)^2").arithmetic
    assert "(n / 2)^2 grows as n^2 from n = 1,000 to 1,000,000" in text and "n^1 is claimed" in text


def test_what_nobody_counts_is_untestable() -> None:
    finding = found(1, None)
    assert finding.result == "untestable" and finding.arithmetic == "nothing counts operations here"


def test_a_cell_is_no_count() -> None:
    assert found(1, "t1.a.b * n").result == "untestable"
