"""The specification curve: one claim under every reading of what the paper leaves open, as hand-written SVG.

Simonsohn, Simmons and Nelson 2020. Above, the readings by size of their estimate, each with its interval,
against the printed number in its margin (or no difference); below, the choices of each reading as a matrix of
dots, so that one sees which choice moves the estimate. Drawn as the plots of `reports.figures` are: 340 units
wide, colours by the page's style sheet, text as text. The verdicts differ in shape: a filled disc where it is
reproduced, a cross where it is contradicted, a ring where it is open; the default reading has a stem down to
its choices. A reading that would squeeze all others (`reports.off_scale`) stands beyond a break of the axis,
with its value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.record import OpenChoice, Outcome
from reports import digits
from reports.curve_scale import BOTTOM, LEFT, RIGHT, TOP, Scale, scale_of
from reports.figures import WIDTH, Axis, Bounds, decimals_of, escaped
from reports.strings import shortened
from reports.wording import specification as words

_ROW = 12
#: A margin lower than this is drawn without its edges, which would run into the line of the printed number.
_THIN = 8
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

    @property
    def extent(self) -> Bounds:
        """From the lowest to the highest of its numbers."""
        held = (self.estimate, *(self.interval or ()))
        return min(held), max(held)


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

    @property
    def fixed(self) -> tuple[float, ...]:
        """What is on the axis in any case."""
        also = (self.target, 0.0 if self.zero else None)
        return (*(self.margin or ()), *(it for it in also if it is not None))


def specification_curve(curve: Curve) -> str:
    """The curve as one `<svg>` element; empty with fewer than two readings, or a number not finite."""
    points = sorted(curve.points, key=lambda it: (it.estimate, not it.default))
    extents = [it.extent for it in points]
    numbers = [*curve.fixed, *(end for extent in extents for end in extent)]
    if len(points) < 2 or not all(math.isfinite(it) and abs(it) < 1e9 for it in numbers):
        return ""
    scale = scale_of([it.estimate for it in points], extents, curve.fixed)
    rows, height = _matrix(curve, points, scale)
    parts = [
        *_against(curve, scale),
        *_ruler(curve, scale),
        *_curve(points, scale),
        *_off(points, scale),
        *rows,
    ]
    return _svg(curve, height, parts, "plot curve dense" if scale.dense else "plot curve")


def _svg(curve: Curve, height: float, parts: Sequence[str], classes: str) -> str:
    name = escaped(curve.id)
    return (
        f'<svg class="{classes}" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{escaped(curve.title)}</title>'
        f'<desc id="{name}-d">{escaped(curve.description)}</desc>{"".join(parts)}</svg>'
    )


def _against(curve: Curve, scale: Scale) -> Iterator[str]:
    """Shaded margin, printed number, and the zero of a difference."""
    if curve.margin is not None:
        bottom, top = (scale.y(it) for it in curve.margin)
        yield (
            f'<rect class="band" x="{LEFT}" y="{top:.1f}" width="{RIGHT - LEFT}" '
            f'height="{bottom - top:.1f}"/>'
        )
        if bottom - top > _THIN:
            yield from (_across("edge", scale.y(it)) for it in curve.margin)
    if curve.zero:
        yield _across("zero", scale.y(0.0))
    if curve.target is not None:
        yield _across("target", scale.y(curve.target))
        yield (
            f'<text x="{RIGHT}" y="11" text-anchor="end">{escaped(shortened(curve.target_label, 34))}</text>'
        )


def _ruler(curve: Curve, scale: Scale) -> Iterator[str]:
    """The upright axis, its ticks with numbers, and what it measures; two strokes where it is broken off."""
    ticks = Axis(scale.low, scale.high).ticks()
    decimals = decimals_of(ticks)
    yield f'<path class="axis" d="M{LEFT} {scale.top}V{scale.bottom}"/>'
    for end, side in ((scale.top, -1), (scale.bottom, 1)):
        if end not in (TOP, BOTTOM):
            yield f'<path class="break" d="M{LEFT - 4} {end + 5 * side}l8-4m-8 8l8-4"/>'
    for tick in ticks:
        y = scale.y(tick)
        number = digits.points(round(tick, 9), decimals=decimals)
        yield f'<path class="axis" d="M{LEFT - 4} {y:.1f}H{LEFT}"/>'
        yield f'<text x="{LEFT - 7}" y="{y + 3.5:.1f}" text-anchor="end">{number}</text>'
    yield f'<text class="unit" x="2" y="11">{escaped(shortened(curve.axis, 24))}</text>'


def _curve(points: Sequence[Point], scale: Scale) -> Iterator[str]:
    """Interval and mark of each reading, from the smallest estimate to the largest."""
    for place, point in enumerate(points):
        x, y = scale.x(place), scale.height(point.estimate)
        if point.default:
            yield f'<path class="stem" d="M{x:.1f} {y:.1f}V{BOTTOM}"/>'
        if point.interval is not None and (drawn := scale.span(point.interval, x)):
            yield f'<path class="span" d="{drawn}"/>'
        yield _mark(point.outcome, x, y, scale.radius)


def _off(points: Sequence[Point], scale: Scale) -> Iterator[str]:
    """The values of the readings beyond either end of the axis, beside an arrow that points there."""
    for side, y in ((-1, scale.bottom + 10), (1, scale.top - 10)):
        places = [k for k, point in enumerate(points) if scale.beyond(point.estimate) == side]
        for x in map(scale.x, places):
            head = f"m-3 {3 * side}l3 {-3 * side} 3 {3 * side}"
            yield f'<path class="axis" d="M{x:.1f} {y - 5 * side}v{-6 * side}{head}"/>'
        if places:
            x, anchor = (scale.x(places[-1]) + 9, "start") if side < 0 else (scale.x(places[0]) - 9, "end")
            text = escaped(words.off_scale([points[k].estimate for k in places]))
            yield f'<text x="{x:.1f}" y="{y + 4}" text-anchor="{anchor}">{text}</text>'


def _mark(outcome: Outcome, x: float, y: float, r: float) -> str:
    if outcome == "contradicted":
        arm = 2 * r
        return (
            f'<path class="cross" d="M{x - r:.1f} {y - r:.1f}l{arm:.1f} {arm:.1f}'
            f'm0 {-arm:.1f}l{-arm:.1f} {arm:.1f}"/>'
        )
    kind = "disc" if outcome == "reproduced" else "ring"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def _matrix(curve: Curve, points: Sequence[Point], scale: Scale) -> tuple[list[str], float]:
    """A heading for each open thing, and a row of dots for each of its choices; and the height reached.

    What was not varied in any reading drawn has no rows, only its number.
    """
    parts, y = [], BOTTOM + 18.0
    varied = [it for it in curve.open if len({point.choices[it.name] for point in points}) > 1]
    for it in varied:
        parts.append(_lane(_words(it.name), y))
        for choice in it.choices:
            y += _ROW
            label = escaped(shortened(_words(choice), _LABEL))
            parts.append(f'<text x="{LEFT - 7}" y="{y:g}" text-anchor="end">{label}</text>')
            parts.append(_across("rail", y - 3.5))
            taken = (k for k, point in enumerate(points) if point.choices[it.name] == choice)
            parts += [_taken(scale, k, y - 3.5) for k in taken]
        y += _ROW + 6
    if len(varied) < len(curve.open):
        parts.append(_lane(words.not_varied(len(curve.open) - len(varied)), y))
        y += _ROW
    return parts, y - 6


def _lane(text: str, y: float) -> str:
    return f'<text class="lane" x="2" y="{y:g}">{escaped(shortened(text, 50))}</text>'


def _taken(scale: Scale, place: int, y: float) -> str:
    """A dot, or an upright stroke where the readings lie too close for dots."""
    x = scale.x(place)
    if scale.dense:
        return f'<path class="stroke" d="M{x:.1f} {y - 4:g}V{y + 4:g}"/>'
    return f'<circle class="taken" cx="{x:.1f}" cy="{y:g}" r="{scale.radius:.1f}"/>'


def _words(name: str) -> str:
    return name.replace("_", " ")


def _across(kind: str, y: float) -> str:
    return f'<path class="{kind}" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
