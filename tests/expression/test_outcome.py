"""What cells say to a sentence."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.expression import ExpressionError, Outcome, UndefinedError, evaluate, parse
from audit.stats.printed import Printed, printed
from tests.expression.tables import Table, outcome

CELLS = {"a": "44.41", "b": "39.68", "tie": "44.41", "near": "44.40", "coarse": "44.4", "zero": "0.0"}


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        ("t.a.P@1 > t.b.P@1", "consistent"),
        ("t.b.P@1 > t.a.P@1", "inconsistent"),
        ("t.a.P@1 > t.tie.P@1", "untestable"),
        ("t.a.P@1 >= t.tie.P@1", "consistent"),
        ("t.a.P@1 > t.near.P@1", "consistent"),
        ("t.near.P@1 > t.a.P@1", "inconsistent"),
        ("t.near.P@1 >= t.a.P@1", "untestable"),  # both may be 44.405
        ("t.coarse.P@1 > t.a.P@1", "untestable"),  # 44.35..44.45
        ("not t.a.P@1 > t.b.P@1", "inconsistent"),
        ("not t.b.P@1 > t.a.P@1", "consistent"),
        ("not t.a.P@1 > t.tie.P@1", "consistent"),
        ("t.a.P@1 > t.b.P@1 and t.a.P@1 > t.tie.P@1", "untestable"),
        ("t.a.P@1 > t.tie.P@1 and t.b.P@1 > t.a.P@1", "inconsistent"),
        ("t.b.P@1 > t.a.P@1 or t.a.P@1 > t.tie.P@1", "untestable"),
        ("t.a.P@1 > t.b.P@1 or t.a.P@1 > t.tie.P@1", "consistent"),
        # improvement: 4.72..4.74 points, 11.894..11.947 percent
        ("improvement(t.a.P@1, t.b.P@1) about 12%", "consistent"),
        ("improvement(t.a.P@1, t.b.P@1) nearly 5", "consistent"),
        ("improvement(t.a.P@1, t.b.P@1) more than 17", "inconsistent"),
        ("improvement(t.a.P@1, t.b.P@1) more than 10", "consistent"),
        ("not improvement(t.a.P@1, t.b.P@1) more than 10", "consistent"),
        ("improvement(t.a.P@1, t.b.P@1) more than 11.93", "untestable"),
        ("improvement(t.a.P@1, t.b.P@1) > 10 and improvement(t.a.P@1, t.b.P@1) < 5", "consistent"),
        # ranks: 44.41 and 44.41, or 44.4 with one decimal, may stand in either order
        ("rank(t.a.P@1) = 1", "consistent"),
        ("rank(t.tie.P@1) = 1", "consistent"),
        ("rank(t.near.P@1) = 1", "inconsistent"),  # not 44.405, which would print as one of them
        ("rank(t.near.P@1) <= 3", "consistent"),
        ("rank(t.coarse.P@1) = 1", "untestable"),
        ("rank(t.coarse.P@1) <= 4", "consistent"),
        ("rank(t.a.P@1) = 2", "untestable"),
        ("rank(t.b.P@1) = 5", "consistent"),
        ("rank(t.b.P@1) <= 4", "inconsistent"),
        ("count(t.a.P@1 > t.b.P@1, t.b.P@1 > t.a.P@1, t.a.P@1 > t.tie.P@1) = 1", "consistent"),
        ("count(t.a.P@1 > t.b.P@1, t.b.P@1 > t.a.P@1, t.a.P@1 > t.tie.P@1) = 2", "untestable"),
        ("count(t.a.P@1 > t.b.P@1, t.b.P@1 > t.a.P@1, t.a.P@1 > t.tie.P@1) = 3", "inconsistent"),
        ("overlap(t.a.P@1, t.near.P@1, t.coarse.P@1)", "consistent"),
        ("overlap(t.a.P@1, t.b.P@1)", "inconsistent"),
        ("not overlap(t.a.P@1, t.b.P@1)", "consistent"),
        ("overlap(t.*.P@1)", "inconsistent"),
        ("overlap(improvement(t.a.P@1, t.b.P@1), 11.9)", "consistent"),
        ("overlap(improvement(t.a.P@1, t.b.P@1), 4.73)", "consistent"),
        ("overlap(improvement(t.a.P@1, t.b.P@1), 8)", "inconsistent"),  # between the readings
        # a cell that occurs twice is taken as two: wider, so spared rather than accused
        ("t.a.P@1 - t.a.P@1 > 0", "untestable"),
        ("t.a.P@1 - t.a.P@1 > 0.01", "inconsistent"),
        ("sqrt(t.a.P@1) = 6.66", "consistent"),
        ("sqrt(2) * sqrt(2) = 2", "consistent"),
        ("log2(t.a.P@1) about 5.5", "consistent"),
    ],
)  # fmt: skip
def test_a_sentence_and_its_result(sentence: str, result: str) -> None:
    got = outcome(sentence, CELLS)
    assert got.result == result
    assert bool(got.reason) == (result == "untestable")


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("t.a.P@1 / t.zero.P@1 > 1", "division by -0.05..0.05, which contains 0"),
        ("relative_gain(t.a.P@1, t.zero.P@1) > 1", "division by -0.05..0.05, which contains 0"),
        ("improvement(t.a.P@1, t.zero.P@1) > 1", "division by -0.05..0.05, which contains 0"),
        ("1 > 2 and 1 / 0 > 1", "division by 0"),
        ("log2(t.zero.P@1) > 1", "logarithm of -0.05..0.05, which is not all above 0"),
        ("sqrt(t.zero.P@1) > 1", "square root of -0.05..0.05, which is not all at least 0"),
        ("best(t.none.*) > 1", "there are no numbers in the set"),
        ("overlap(t.none.*)", "there are no numbers in the set"),
        ("best(others(lone.a.P@1)) > 1", "there are no numbers in the set"),
        ("second_best(group(lone.a.P@1)) > 1", "there is no second best of one number"),
        ("((((9^64)^64)^64)^64)^64 > 1", "a power grows beyond 8192 bits"),
        (" * ".join(["9999^64"] * 100) + " > 1", "a number grows beyond 8192 bits"),
        ("t.a.P@1 > t.tie.P@1", "not true of the numbers as printed, but their rounding could make it so"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_says_why(sentence: str, reason: str) -> None:
    got = outcome(sentence, {**CELLS, "lone.a.P@1": "50.0"})
    assert (got.result, got.reason) == ("untestable", reason)
    assert got.filled_in


def test_a_cell_without_a_number_leaves_the_sentence_untestable() -> None:
    class Dashes(Table):
        def cell(self, reference: str) -> Printed:
            raise UndefinedError(f"{reference} prints a dash")

    got = evaluate(parse("t.a.P@1 > 3"), Dashes({}))
    assert got == Outcome("untestable", "t.a.P@1 > 3", "t.a.P@1 prints a dash")


def test_a_given_number_is_exact_or_rounded_as_it_is_given() -> None:
    sentence = "N > 3865"
    assert outcome(sentence, N=Fraction(3865)).result == "inconsistent"
    assert outcome(sentence, N=printed("3,865")).result == "untestable"


def test_a_row_with_the_metric_of_the_claim_is_looked_up_as_written() -> None:
    class OneMetric(Table):
        def cell(self, reference: str) -> Printed:
            return printed({"t.a": "50.0", "t.b": "49.0"}[reference])

    assert evaluate(parse("t.a > t.b"), OneMetric({})).result == "consistent"


def test_what_the_grammar_refuses_is_never_looked_up() -> None:
    with pytest.raises(ExpressionError):
        outcome("__import__('os')")
