"""Printed model sizes and numbers of weights, against the formulas of the architectures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.expression import functions
from audit.expression.interval import Interval, point
from audit.stats.printed import Printed

Unit = Literal["MB", "MiB", "GB", "GiB"]
BYTES: Mapping[Unit, int] = {"MB": 10**6, "MiB": 2**20, "GB": functions.GB, "GiB": functions.GIB}
#: Papers print GB and mean either.
MEANINGS: Mapping[str, tuple[Unit, Unit]] = {"GB": ("GB", "GiB"), "MB": ("MB", "MiB")}


def implied_parameters(size: Printed, *, unit: Unit, bytes_per_parameter: int = 4) -> Interval:
    """Numbers of weights that a printed size allows, if it holds nothing else (no optimiser's state)."""
    return Interval(*size.interval) * point(Fraction(BYTES[unit], bytes_per_parameter))


@dataclass(frozen=True)
class SizeReading:
    """One meaning of a printed size by which it goes with a number of weights."""

    unit: Unit
    bytes_per_parameter: int


def size_readings(
    size: Printed, parameters: int, *, unit: str = "GB", bytes_per_parameter: Sequence[int] = (4, 2)
) -> tuple[SizeReading, ...]:
    """The meanings by which `size` is that of `parameters` weights: powers of 10 or 2, 4 or 2 bytes.

    None of them: the size holds more or less than these weights. Raises KeyError for a unit that is not in
    `MEANINGS`.
    """
    return tuple(
        SizeReading(meaning, width)
        for width in bytes_per_parameter
        for meaning in MEANINGS[unit]
        if _contains(implied_parameters(size, unit=meaning, bytes_per_parameter=width), parameters)
    )


def cornet_parameters(V: int, R: int, blocks: int) -> int:
    """blocks (2VR + R + V): CorNet's W1 (R x V), b1, W2 (V x R), b2; Xun et al. (2020), Eq. 2."""
    return blocks * (2 * V * R + R + V)


def implied_bottleneck(
    size_with: Printed, size_without: Printed, *, V: int, blocks: int, bytes_per_parameter: int = 4
) -> Mapping[Literal["GB", "GiB"], Interval]:
    """R of `cornet_parameters` from the sizes in GB of a model with and without its blocks.

    R = (P - V) / (2V + 1) with P weights a block. Below 0: the sizes do not differ by a block of biases.
    """
    apart = Interval(*size_with.interval) - Interval(*size_without.interval)
    units: tuple[Literal["GB", "GiB"], ...] = ("GB", "GiB")
    return {
        unit: (apart * point(Fraction(BYTES[unit], bytes_per_parameter * blocks)) - point(V))
        / point(2 * V + 1)
        for unit in units
    }


@dataclass(frozen=True)
class XMLCNNParameters:
    """Weights and biases of XML-CNN by layer, without the word vectors."""

    conv: int
    hidden_layer: int
    """0 without one."""
    output: int

    @property
    def total(self) -> int:
        return self.conv + self.hidden_layer + self.output


def xml_cnn_parameters(
    *, filters_per_size: int, sizes: Sequence[int], emb: int, pools: int, labels: int, hidden: int | None
) -> XMLCNNParameters:
    """Liu et al. (2017), section 3: filters over k words of `emb` numbers, `pools` maxima of each, dense.

    filters (k emb + 1) for each size k; then t = filters len(sizes) pools values, (t + 1) hidden and
    (hidden + 1) labels; or (t + 1) labels if `hidden` is None.
    """
    conv = sum(filters_per_size * (k * emb + 1) for k in sizes)
    t = filters_per_size * len(sizes) * pools
    if hidden is None:
        return XMLCNNParameters(conv, 0, (t + 1) * labels)
    return XMLCNNParameters(conv, (t + 1) * hidden, (hidden + 1) * labels)


def saving_hidden_units(t: int, labels: int) -> Fraction:
    """A hidden layer of h units between t values and the labels has fewer weights iff h is below this.

    t h + h L < t L, which is h < t L / (t + L); without biases, as the papers count.
    """
    return Fraction(t * labels, t + labels)


def _contains(interval: Interval, value: int) -> bool:
    return interval.low <= value <= interval.high
