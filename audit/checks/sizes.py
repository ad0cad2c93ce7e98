"""Printed model sizes and numbers of weights, against the formulas of the architectures."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from audit.expression import functions
from audit.expression.interval import Interval, point
from audit.stats.printed import Printed

Unit = Literal["MB", "MiB", "GB", "GiB"]
BYTES: Mapping[Unit, int] = {"MB": 10**6, "MiB": 2**20, "GB": functions.GB, "GiB": functions.GIB}


def implied_parameters(size: Printed, *, unit: Unit, bytes_per_parameter: int = 4) -> Interval:
    """Numbers of weights that a printed size allows, if it holds nothing else (no optimiser's state)."""
    return Interval(*size.interval) * point(Fraction(BYTES[unit], bytes_per_parameter))
