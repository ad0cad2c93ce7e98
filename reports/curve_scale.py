"""Where things stand in a specification curve: an upright axis, a place to the right for each reading.

The axis is broken off where a reading beyond it would squeeze all others (`reports.off_scale`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reports.figures import Bounds, axis_over
from reports.off_scale import set_aside

LEFT, RIGHT = 138, 334
TOP, BOTTOM = 20, 184
#: Above or below the axis, for the readings that lie beyond it.
_STRIP = 24
#: With more readings than this the dots below are strokes, and the intervals thin.
_SPARSE = 60


@dataclass(frozen=True)
class Scale:
    """From points to units downwards, and from places to units to the right."""

    low: float
    high: float
    number: int
    top: int = TOP
    bottom: int = BOTTOM

    def y(self, value: float) -> float:
        """Of what lies beyond an end, the end."""
        held = min(max(value, self.low), self.high)
        return self.bottom - (held - self.low) / (self.high - self.low) * (self.bottom - self.top)

    def x(self, place: int) -> float:
        return LEFT + (place + 0.5) * (RIGHT - LEFT) / self.number

    def beyond(self, value: float) -> int:
        """-1 below the axis, 1 above it, 0 on it."""
        return (value > self.high) - (value < self.low)

    @property
    def radius(self) -> float:
        """Of a dot: as large as leaves the neighbours apart."""
        return max(0.6, min(3.5, 0.4 * (RIGHT - LEFT) / self.number))

    @property
    def dense(self) -> bool:
        return self.number > _SPARSE

    def height(self, value: float) -> float:
        """Where the mark of a reading stands: on the axis, or in the strip beyond it."""
        return {-1: self.bottom + 10, 0: self.y(value), 1: self.top - 10}[self.beyond(value)]

    def span(self, interval: Bounds, x: float) -> str:
        """The path of an interval as far as the axis goes, an arrowhead where it goes on; empty beside it."""
        low, high = (self.y(it) for it in interval)
        below, above = (self.beyond(it) for it in interval)
        if below * above > 0:
            return ""
        drawn = f"M{x:.1f} {low:.1f}V{high:.1f}"
        drawn += f"M{x - 3:.1f} {low - 4:.1f}l3 4 3-4" if below else ""
        return drawn + (f"M{x - 3:.1f} {high + 4:.1f}l3-4 3 4" if above else "")


def scale_of(estimates: Sequence[float], extents: Sequence[Bounds], fixed: Sequence[float]) -> Scale:
    """An axis over all but the readings that would squeeze the others; with a strip beyond it for those."""
    aside = set_aside(extents, fixed)
    kept = [end for place, extent in enumerate(extents) if place not in aside for end in extent]
    held = axis_over([*kept, *fixed])
    bare = Scale(held.low, held.high, len(estimates))
    sides = {bare.beyond(it) for it in estimates}
    return replace(bare, top=TOP + _STRIP * (1 in sides), bottom=BOTTOM - _STRIP * (-1 in sides))
