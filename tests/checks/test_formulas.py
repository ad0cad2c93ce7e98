"""Expressions over cells: which numbers they are about, and what is said where there are none."""

from __future__ import annotations

from typing import Any

import pytest

from audit.checks.sentences import complexity, formulas
from audit.checks.tables import Sheet
from audit.record import ClaimRecord, Finding, PaperInfo, Where
from audit.runner.models import count_weights
from tests.checks.made import Of, only, paper, states, table

TABLES = (
    table(["P@1", "P@3"], {"a": ["76.38", "62.81"], "b": ["74.28", "58.98"], "c": ["75.00", None]}),
    table([Of(id="size", quantity="model_size", unit="GB")], {"a": ["1.50"], "b": ["1.2"]}, id="cost"),
)


def found_for(expect: str, *, kind: str = "arithmetic", metric: str = "", **given: Any) -> Finding:
    claim = states(kind, metric=metric, expect=expect, **({"given": given} if given else {}))
    return only(formulas(paper(*TABLES, says=[claim])))


@pytest.mark.parametrize(
    ("expect", "result"),
    [
        ("gain(t.a.P@1, t.b.P@1) = 2.10", "consistent"),
        ("gain(t.a.P@1, t.b.P@1) at least 2.11", "untestable"),  # 2.09..2.11
        ("gain(t.a.P@1, t.b.P@1) more than 2.11", "inconsistent"),
        ("relative_gain(t.a.P@1, t.b.P@1) about 2.8", "consistent"),  # 2.827
        ("rank(t.b.P@1) <= 2", "inconsistent"),
        ("min(t.*.P@3) = 58.98", "consistent"),  # dashes are no numbers
    ],
)
def test_a_sentence_is_held_against_the_cells(expect: str, result: str) -> None:
    found = found_for(expect)
    assert (found.check, found.result) == ("sentence", result)
    assert found.alternatives[0].startswith("a sentence that is approximate")


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ("t.c.P@3 > 1", "t.c.P@3 prints no number"),
        ("t.z.P@1 > 1", "'z'"),
        ("t.a.P@1 / (t.b.P@1 - t.b.P@1) > 1", "division"),
    ],
)
def test_what_cannot_be_evaluated_cannot_be_told(expect: str, reason: str) -> None:
    found = found_for(expect)
    assert found.result == "untestable" and reason in found.arithmetic


# --------------------------------------------------------------------------- growth


def growth(exponent: float, operations: str | None, **given: Any) -> Finding:
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
        (2, "n * log2(n)", "inconsistent"),
        (1, "n + h^2", "untestable"),  # 40,000 at first, n at the end
    ],
)
def test_the_power_is_that_of_the_count(exponent: float, operations: str, result: str) -> None:
    assert growth(exponent, operations, h=200).result == result


def test_what_nobody_counts_is_untestable_and_so_is_a_cell() -> None:
    assert growth(1, None).arithmetic == "nothing counts operations here"
    assert growth(1, None).result == growth(1, "t1.a.b * n").result == "untestable"


# --------------------------------------------------------------------------- models

KIM = {
    "model": "xml_cnn",
    "variant": "kim2014",
    "config": {"windows": [2, 4, 8], "maps": 128},
    "labels": 3956,
    "length": 500,
    "dimension": 300,
    "vocabulary": 7,
    "weights": ["output.weight"],
    "equals": "t * L",
}


def test_the_counts_are_those_of_the_formulas_worked_by_hand() -> None:
    """The golden sizes: convolutions 128 (300 k + 1) for k = 2, 4, 8 are 537,984; hidden (3072 + 1) 512 with
    8 pools of 384 maps is 1,573,376; output (512 + 1) 3956 is 2,029,428."""
    base = {**KIM, "variant": "liu2017-paper", "config": {"windows": [2, 4, 8], "maps": 128, "pools": 8}}
    assert count_weights({**base, "weights": ["convolutions.*"]}) == 537_984
    assert count_weights({**base, "weights": ["hidden.*"]}) == 1_573_376
    assert count_weights({**base, "weights": ["output.*"]}) == 2_029_428
    assert count_weights({**base, "weights": ["embedding.*"]}) == 7 * 300
    assert count_weights(KIM) == 384 * 3956
