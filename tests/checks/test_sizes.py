"""Printed sizes and numbers of weights, against the formulas, layers counted one by one, and each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.checks.sizes import (
    SizeReading,
    cornet_parameters,
    implied_bottleneck,
    implied_parameters,
    saving_hidden_units,
    size_readings,
    xml_cnn_parameters,
)
from audit.stats.printed import printed
from tests.stats import golden


@golden.cases("param_count")
def test_reference_counts(case: dict[str, Any]) -> None:
    given = dict(case["inputs"])
    if "V" in given:
        block = cornet_parameters(given["V"], given["R"], 1)
        total = cornet_parameters(given["V"], given["R"], given["blocks"])
        golden.check(case, per_block=block, total=total, bytes_fp32=4 * total)
    else:
        found = xml_cnn_parameters(**given)
        without = xml_cnn_parameters(**{**given, "hidden": None})
        golden.check(
            case,
            conv=found.conv,
            hidden_layer=found.hidden_layer,
            output=found.output,
            total=found.total,
            without_hidden=without.total,
        )


@golden.cases("implied_bottleneck")
def test_reference_bottlenecks(case: dict[str, Any]) -> None:
    given = case["inputs"]
    by_unit = implied_bottleneck(
        printed(given["size_with"]),
        printed(given["size_without"]),
        V=given["V"],
        blocks=given["blocks"],
        bytes_per_parameter=given["bytes_per_param"],
    )
    golden.check(case, **{f"R_if_{unit}": [float(R.low), float(R.high)] for unit, R in by_unit.items()})


def test_weights_are_those_of_the_arrays() -> None:
    """CorNet: W1 (R, V), b1 (R), W2 (V, R), b2 (V). XML-CNN: by lists of lists, at toy sizes."""
    assert cornet_parameters(7, 3, 2) == 2 * (3 * 7 + 3 + 7 * 3 + 7)
    found = xml_cnn_parameters(filters_per_size=2, sizes=(3, 5), emb=4, pools=3, hidden=6, labels=10)
    assert found.conv == (2 * 3 * 4 + 2) + (2 * 5 * 4 + 2)
    assert found.hidden_layer == 12 * 6 + 6  # 2 filters x 2 sizes x 3 pools
    assert found.output == 6 * 10 + 10


@pytest.mark.parametrize(("V", "R", "blocks"), [(3956, 1000, 2), (13_330, 100, 1), (501_008, 100, 2)])
def test_the_bottleneck_comes_back_from_the_sizes(V: int, R: int, blocks: int) -> None:
    """Sizes in GB to four decimals, with and without the blocks, on top of any model."""
    without = 55_000_000
    for unit, size in (("GB", 10**9), ("GiB", 2**30)):
        texts = [f"{4 * (without + extra) / size:.4f}" for extra in (cornet_parameters(V, R, blocks), 0)]
        implied = implied_bottleneck(printed(texts[0]), printed(texts[1]), V=V, blocks=blocks)[unit]
        assert implied.low <= R <= implied.high


def test_sizes_mean_powers_of_10_or_of_2_and_4_or_2_bytes() -> None:
    """100 million weights are 0.40 GB = 0.37 GiB at 4 bytes, 0.20 GB = 0.19 GiB at 2."""
    million = 10**6
    assert size_readings(printed("0.40"), 100 * million) == (SizeReading("GB", 4),)
    assert size_readings(printed("0.37"), 100 * million) == (SizeReading("GiB", 4),)
    assert size_readings(printed("0.20"), 100 * million) == (SizeReading("GB", 2),)
    assert size_readings(printed("0.19"), 100 * million, bytes_per_parameter=(2,)) == (SizeReading("GiB", 2),)
    assert size_readings(printed("400"), 100 * million, unit="MB") == (SizeReading("MB", 4),)
    assert size_readings(printed("0.4"), 100 * million) == (SizeReading("GB", 4), SizeReading("GiB", 4))
    assert size_readings(printed("0.45"), 100 * million) == ()


def test_a_size_leaves_an_interval_of_weights() -> None:
    span = implied_parameters(printed("0.22"), unit="GB")
    assert (span.low, span.high) == (53_750_000, 56_250_000)


def test_a_hidden_layer_saves_weights_up_to_a_number_of_units() -> None:
    """t = 3,072 and L = 3,956: below 1,729.2; counted without biases on both sides of it."""
    t, L = 3072, 3956
    limit = saving_hidden_units(t, L)
    assert limit == Fraction(3072 * 3956, 7028)
    for h in (1, 512, 1729, 1730, 5000):
        assert (t * h + h * L < t * L) == (h < limit)
