"""What a paper prints after the plus-minus sign, which may be three things.

How often the sign is left unexplained, and how far the readings differ: Cumming, Fidler and Vaux 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from audit.stats.printed import Printed
from audit.stats.student import quantile

Reading = Literal["sd", "se", "ci95"]
READINGS: tuple[Reading, ...] = ("sd", "se", "ci95")


@dataclass(frozen=True)
class Spread:
    """The number after the sign, and what the paper says it is; None where it does not say."""

    size: Printed
    reading: Reading | None = None

    def sds(self, runs: int) -> dict[Reading, float]:
        """SD of one of the paper's m = `runs` runs, by each reading that the paper leaves open.

            sd      x
            se      x sqrt(m)                 x is the standard error of the mean
            ci95    x sqrt(m) / t_.975,m-1    x is half of a 95 % interval of the mean

        x is the upper end of the rounding interval: `0.0` may be 0.05, and it must not make us surer of a
        contradiction than the paper's digits allow.
        Raises ValueError for a negative spread, or fewer than two runs (which have no spread to print).
        """
        if runs < 2:
            raise ValueError(f"a printed spread needs at least two runs behind it, got {runs!r}")
        if self.size.value < 0:
            raise ValueError(f"a printed spread is not negative, got {self.size.text!r}")
        x = float(self.size.value + self.size.half_unit)
        root = math.sqrt(runs)
        every: dict[Reading, float] = {
            "sd": x,
            "se": x * root,
            "ci95": x * root / quantile(0.975, runs - 1),
        }
        return every if self.reading is None else {self.reading: every[self.reading]}
