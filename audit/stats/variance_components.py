"""Two estimands of one gap: better on this test set, or on new documents of its kind.

Fixed and random documents: Searle, Casella and McCulloch 1992.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audit.stats.instance import satterthwaite
from audit.stats.sample import sample
from audit.stats.student import interval, upper_tail

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Estimand:
    """A difference with the error of what it is claimed of."""

    difference: float
    se: float
    df: float

    @property
    def z(self) -> float:
        """Difference over its standard error; infinite where nothing varies."""
        if self.se == 0.0:
            return math.copysign(math.inf, self.difference) if self.difference else 0.0
        return self.difference / self.se

    @property
    def p_greater(self) -> float:
        return upper_tail(self.difference, self.se, self.df)

    def interval(self, level: float) -> tuple[float, float]:
        return interval(self.difference, self.se, self.df, level=level)


@dataclass(frozen=True)
class TwoEstimands:
    fixed: Estimand
    """These documents: the only noise is that of the seeds. The verdict uses this one."""
    new: Estimand
    """New documents: those of the test set are a sample too."""


@dataclass(frozen=True)
class SeedNoise:
    sd: float
    n: int


def two_estimands(
    difference: float, first: SeedNoise, second: SeedNoise, *, sd_documents: float, documents: int
) -> TwoEstimands:
    """se^2 = sA^2 / nA + sB^2 / nB, and for new documents + s_d^2 / N.

    `sd_documents` is s_d, the SD over the N documents of the difference of the two systems, in points (a
    document's P@1 is 0 or 100). Satterthwaite's degrees of freedom. Raises ValueError for an arm with fewer
    than two runs, or fewer than two documents.
    """
    if min(first.n, second.n) < 2 or documents < 2:
        raise ValueError(
            f"needs two runs an arm and two documents, got {first.n}, {second.n} and {documents!r}"
        )
    seeds = [(arm.sd * arm.sd / arm.n, float(arm.n - 1)) for arm in (first, second)]
    all_parts = [*seeds, (sd_documents * sd_documents / documents, float(documents - 1))]
    fixed, new = (
        Estimand(difference, math.sqrt(math.fsum(v for v, _ in parts)), satterthwaite(tuple(parts)))
        for parts in (seeds, all_parts)
    )
    return TwoEstimands(fixed, new)


def from_documents(first: ArrayLike, second: ArrayLike) -> TwoEstimands:
    """The same from the metric of each document, in points: arrays (nA, N) and (nB, N), same documents.

    s_d is the SD over documents of mean_A - mean_B. What a seed does to a single document enters both parts;
    it is counted twice, which errs on the side of a larger error. Documents count as independent.
    Raises ValueError for arrays of other shapes, nan or infinity, and as `two_estimands`.
    """
    import numpy as np  # not at the top, as scipy in `student`

    a: NDArray[Any]
    b: NDArray[Any]
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or min(a.size, b.size) == 0:
        raise ValueError(f"needs runs x documents of the same documents, got {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("needs finite values for every run and document")
    arms = [SeedNoise(_sd(x.mean(axis=1)), x.shape[0]) for x in (a, b)]
    gaps = a.mean(axis=0) - b.mean(axis=0)
    sd = float(gaps.std(ddof=1)) if gaps.size > 1 else 0.0
    return two_estimands(float(gaps.mean()), *arms, sd_documents=sd, documents=gaps.size)


def _sd(means: Sequence[float]) -> float:
    return sample([float(x) for x in means]).sd or 0.0
