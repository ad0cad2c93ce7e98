"""Structural statements: weights counted in the model itself agree with the formula of the claim file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from audit.checks.models import models
from audit.checks.sheet import Sheet
from audit.errors import PlanError
from audit.record import ClaimRecord, PaperInfo, Where
from audit.runner.structure import count_weights

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


def sheet(counted: Mapping[str, Any], given: Mapping[str, int]) -> Sheet:
    claim = ClaimRecord(
        id="saves",
        claim="saves",
        kind="structural",
        says="a hidden layer saves",
        metric="",
        where=Where(section="2"),
        expect="1 = 1",
        details={"given": given, "counted": [counted]},
    )
    return Sheet(PaperInfo("toy", "Toy"), (), {}, (claim,))


def test_the_counts_are_those_of_the_formulas_worked_by_hand() -> None:
    """The golden sizes: convolutions 128 (300 k + 1) for k = 2, 4, 8 are 537,984; hidden (3072 + 1) 512 with
    8 pools of 384 maps is 1,573,376; output (512 + 1) 3956 is 2,029,428."""
    base = {**KIM, "variant": "liu2017-paper", "config": {"windows": [2, 4, 8], "maps": 128, "pools": 8}}
    assert count_weights({**base, "weights": ["convolutions.*"]}) == 537_984
    assert count_weights({**base, "weights": ["hidden.*"]}) == 1_573_376
    assert count_weights({**base, "weights": ["output.*"]}) == 2_029_428
    assert count_weights({**base, "weights": ["embedding.*"]}) == 7 * 300
    assert count_weights(KIM) == 384 * 3956


@pytest.mark.parametrize(("filters", "result"), [(384, "consistent"), (383, "inconsistent")])
def test_a_formula_that_the_model_does_not_follow_is_seen(filters: int, result: str) -> None:
    (found,) = models(sheet(KIM, {"t": filters, "L": 3956}), count_weights)
    assert found.result == result
    assert found.id == "toy:structure:saves:model0"
    assert "has 1,519,104 numbers in output.weight, by the formula t * L" in found.arithmetic


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "no_model"}, "model 'no_model' is not known"),
        ({"variant": "nobody2000"}, "variant 'nobody2000' of"),
        ({"config": {"mapps": 3}}, "config key 'mapps' is not known"),
        ({"weights": ["head.*"]}, r"the model has no 'head.\*'; it has embedding.weight, "),
    ],
)
def test_a_model_that_cannot_be_made_is_one_sentence(change: Mapping[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        count_weights({**KIM, **change})


def test_a_million_labels_take_no_memory() -> None:
    assert count_weights({**KIM, "labels": 1_000_000_000}) == 384 * 1_000_000_000
