"""The specification curve: one claim under every reading of what the paper leaves open, as hand-written SVG.

Simonsohn, Simmons and Nelson 2020. Above, the readings by size of their estimate, each with its interval,
against the printed number in its margin (or no difference); below, the choices of each reading as a matrix of
dots, so that one sees which choice moves the estimate. Drawn as the plots of `reports.figures` are: 340 units
wide, colours by the page's style sheet, text as text. The verdicts differ in shape: a filled disc where it is
reproduced, a cross where it is contradicted, a ring where it is open; the default reading has a stem down to
its choices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.record import OpenChoice, Outcome
from reports import digits
from reports.figures import WIDTH, Axis, Bounds, axis_over, decimals_of, escaped
from reports.strings import shortened

_LEFT, _RIGHT = 138, 334
_TOP, _BOTTOM = 20, 160
_ROW = 12
#: With more readings than this the dots below are strokes, and the intervals thin.
_SPARSE = 60
#: As many characters as stand beside the dots.
_LABEL = 21


@dataclass(frozen=True)
class Point:
    """One reading: its choices by what is open, its estimate and interval in points, and its verdict."""

    choices: Mapping[str, str]
    estimate: float
    interval: Bounds | None
    outcome: Outcome
    default: bool = False


@dataclass(frozen=True)
class Curve:
    """What one curve shows."""

    id: str
    """Unique in the page; letters, digits and hyphens."""
    title: str
    description: str
    axis: str
    """What is measured, with its unit."""
    points: tuple[Point, ...]
    """In any order; drawn by estimate."""
    open: tuple[OpenChoice, ...]
    """The rows below, in the order of the claim file."""
    target: float | None = None
    target_label: str = ""
    margin: Bounds | None = None
    """The shaded band."""
    zero: bool = False
    """Whether the axis is of a difference, so that its zero is drawn."""


@dataclass(frozen=True)
class _Scale:
    """From points to units downwards, and from places to units to the right."""

    low: float
    high: float
    number: int

    def y(self, value: float) -> float:
        return _BOTTOM - (value - self.low) / (self.high - self.low) * (_BOTTOM - _TOP)

    def x(self, place: int) -> float:
        return _LEFT + (place + 0.5) * (_RIGHT - _LEFT) / self.number

    @property
    def radius(self) -> float:
        """Of a dot: as large as leaves the neighbours apart."""
        return max(0.6, min(3.5, 0.4 * (_RIGHT - _LEFT) / self.number))

    @property
    def dense(self) -> bool:
        return self.number > _SPARSE


def specification_curve(curve: Curve) -> str:
    """The curve as one `<svg>` element; empty with fewer than two readings, or a number not finite."""
    points = sorted(curve.points, key=lambda it: (it.estimate, not it.default))
    spans = [it for it in (curve.margin, *(point.interval for point in points)) if it is not None]
    numbers = [*(it.estimate for it in points), *(end for span in spans for end in span)]
    numbers += [it for it in (curve.target, 0.0 if curve.zero else None) if it is not None]
    if len(points) < 2 or not all(math.isfinite(it) and abs(it) < 1e9 for it in numbers):
        return ""
    held = axis_over(numbers)
    scale = _Scale(held.low, held.high, len(points))
    rows, height = _matrix(curve, points, scale)
    parts = [*_against(curve, scale), *_ruler(curve, scale), *_curve(points, scale), *rows]
    return _svg(curve, height, parts, "plot curve dense" if scale.dense else "plot curve")


def _svg(curve: Curve, height: float, parts: Sequence[str], classes: str) -> str:
    name = escaped(curve.id)
    return (
        f'<svg class="{classes}" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{escaped(curve.title)}</title>'
        f'<desc id="{name}-d">{escaped(curve.description)}</desc>{"".join(parts)}</svg>'
    )


def _against(curve: Curve, scale: _Scale) -> Iterator[str]:
    """Shaded margin, printed number, and the zero of a difference."""
    if curve.margin is not None:
        bottom, top = (scale.y(it) for it in curve.margin)
        yield (
            f'<rect class="band" x="{_LEFT}" y="{top:.1f}" width="{_RIGHT - _LEFT}" '
            f'height="{bottom - top:.1f}"/>'
        )
        yield from (_across("edge", scale.y(it)) for it in curve.margin)
    if curve.zero:
        yield _across("zero", scale.y(0.0))
    if curve.target is not None:
        yield _across("target", scale.y(curve.target))
        yield (
            f'<text x="{_RIGHT}" y="11" text-anchor="end">{escaped(shortened(curve.target_label, 34))}</text>'
        )


def _ruler(curve: Curve, scale: _Scale) -> Iterator[str]:
    """The upright axis, its ticks with numbers, and what it measures."""
    ticks = Axis(scale.low, scale.high).ticks()
    decimals = decimals_of(ticks)
    yield f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}"/>'
    for tick in ticks:
        y = scale.y(tick)
        number = digits.points(round(tick, 9), decimals=decimals)
        yield f'<path class="axis" d="M{_LEFT - 4} {y:.1f}H{_LEFT}"/>'
        yield f'<text x="{_LEFT - 7}" y="{y + 3.5:.1f}" text-anchor="end">{number}</text>'
    yield f'<text class="unit" x="2" y="11">{escaped(shortened(curve.axis, 24))}</text>'


def _curve(points: Sequence[Point], scale: _Scale) -> Iterator[str]:
    """Interval and mark of each reading, from the smallest estimate to the largest."""
    for place, point in enumerate(points):
        x, y = scale.x(place), scale.y(point.estimate)
        if point.default:
            yield f'<path class="stem" d="M{x:.1f} {y:.1f}V{_BOTTOM}"/>'
        if point.interval is not None:
            low, high = (scale.y(it) for it in point.interval)
            yield f'<path class="span" d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
        yield _mark(point.outcome, x, y, scale.radius)


def _mark(outcome: Outcome, x: float, y: float, r: float) -> str:
    if outcome == "contradicted":
        arm = 2 * r
        return (
            f'<path class="cross" d="M{x - r:.1f} {y - r:.1f}l{arm:.1f} {arm:.1f}'
            f'm0 {-arm:.1f}l{-arm:.1f} {arm:.1f}"/>'
        )
    kind = "disc" if outcome == "reproduced" else "ring"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def _matrix(curve: Curve, points: Sequence[Point], scale: _Scale) -> tuple[list[str], float]:
    """A heading for each open thing, and a row of dots for each of its choices; and the height reached."""
    parts, y = [], _BOTTOM + 18.0
    for it in curve.open:
        parts.append(f'<text class="lane" x="2" y="{y:g}">{escaped(shortened(_words(it.name), 50))}</text>')
        for choice in it.choices:
            y += _ROW
            label = escaped(shortened(_words(choice), _LABEL))
            parts.append(f'<text x="{_LEFT - 7}" y="{y:g}" text-anchor="end">{label}</text>')
            parts.append(_across("rail", y - 3.5))
            taken = (k for k, point in enumerate(points) if point.choices[it.name] == choice)
            parts += [_taken(scale, k, y - 3.5) for k in taken]
        y += _ROW + 6
    return parts, y - 6


def _taken(scale: _Scale, place: int, y: float) -> str:
    """A dot, or an upright stroke where the readings lie too close for dots."""
    x = scale.x(place)
    if scale.dense:
        return f'<path class="stroke" d="M{x:.1f} {y - 4:g}V{y + 4:g}"/>'
    return f'<circle class="taken" cx="{x:.1f}" cy="{y:g}" r="{scale.radius:.1f}"/>'


def _words(name: str) -> str:
    return name.replace("_", " ")


def _across(kind: str, y: float) -> str:
    return f'<path class="{kind}" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>'
