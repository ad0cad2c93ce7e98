"""Draws a specification curve for a paper: the page's curve, by the same rules for where its axis breaks.

Simonsohn, Simmons and Nelson 2020: the readings by estimate above, their choices as dots below. A reading
that would squeeze all others (`reports.off_scale`) stands in a strip beyond the broken axis, with its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reports import digits
from reports.curve_scale import Scale, scale_of
from reports.exports import figure_style as fs
from reports.figures import Axis, decimals_of
from reports.specification_curve import Curve, Point
from reports.strings import shortened, visible
from reports.wording import specification as words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Of the axis, for the readings that lie beyond it.
_STRIP = 0.22
#: A short slanting stroke, of which two stand where the axis is broken off.
_BREAK: Any = [(-1.0, -0.5), (1.0, 0.5)]


def specification(curve: Curve, note: str) -> Figure:
    """The figure; `note` stands below and says what the bars are."""
    points = sorted(curve.points, key=lambda it: (it.estimate, not it.default))
    rows = [(it.name, choice) for it in curve.open for choice in it.choices]
    figure = fs.new(fs.PAGE if len(points) > 20 else fs.COLUMN, 1.8 + 0.16 * len(rows))
    above, below = figure.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [1.5, 0.16 * max(1, len(rows))]}
    )
    scale = _scale(curve, points)
    _ruler(above, curve, scale, points)
    _against(above, curve)
    for k, point in enumerate(points):
        _reading(above, k, point, scale)
        chosen = [r for r, (name, choice) in enumerate(rows) if point.choices.get(name) == choice]
        below.plot([k] * len(chosen), chosen, "s" if point.default else "o", color=fs.INK, ms=3.2)
    _off(above, points, scale)
    below.set(ylim=(len(rows) - 0.5, -0.5), xticks=[])
    figure.supxlabel(visible(note), fontsize=6.0)
    below.set_yticks(range(len(rows)), [_choice(name, it) for name, it in rows])
    below.tick_params(axis="y", length=0)
    return figure


def _scale(curve: Curve, points: Sequence[Point]) -> Scale:
    """The page's, and within 0 and 100 where all estimates are: the axis of a score has no more."""
    estimates, fixed = [it.estimate for it in points], curve.fixed
    found = scale_of(estimates, [it.extent for it in points], fixed)
    if curve.zero or min(*estimates, *fixed) < 0.0 or max(*estimates, *fixed) > 100.0:
        return found
    return Scale(max(found.low, 0.0), min(found.high, 100.0), found.number, found.top, found.bottom)


def _ruler(axes: Axes, curve: Curve, scale: Scale, points: Sequence[Point]) -> None:
    """The axis as far as it goes, its ticks, and two strokes where it is broken off."""
    strip = _STRIP * (scale.high - scale.low)
    sides = {scale.beyond(it.estimate) for it in points}
    axes.set_ylim(scale.low - strip * (-1 in sides), scale.high + strip * (1 in sides))
    ticks = Axis(scale.low, scale.high).ticks()
    decimals = decimals_of(ticks)
    axes.set_yticks(ticks, [digits.points(round(it, 9), decimals=decimals) for it in ticks])
    axes.spines["left"].set_bounds(scale.low, scale.high)
    axes.set_ylabel(visible(shortened(curve.axis, 40)))
    for side, end in ((-1, scale.low), (1, scale.high)):
        if side in sides:
            for shift in (0.0, 0.12 * side * strip):
                axes.plot(
                    [0.0],
                    [end + shift],
                    transform=axes.get_yaxis_transform(),
                    marker=_BREAK,
                    ms=6,
                    mec=fs.QUIET,
                    mew=0.7,
                    clip_on=False,
                )


def _against(axes: Axes, curve: Curve) -> None:
    """Shaded margin, the zero of a difference, and the printed number, named above the plot."""
    if curve.margin is not None:
        axes.axhspan(*curve.margin, color=fs.BAND, linewidth=0, zorder=0)
    if curve.zero:
        axes.axhline(0.0, color=fs.QUIET, linewidth=0.6)
    if curve.target is not None:
        axes.axhline(curve.target, color=fs.INK, linestyle=fs.PRINTED, linewidth=0.8)
        axes.set_title(visible(shortened(curve.target_label, 40)), fontsize=6.5, loc="right", pad=3)


def _reading(axes: Axes, place: int, point: Point, scale: Scale) -> None:
    """Its interval as far as the axis goes, an arrowhead where it goes on; and its mark."""
    if point.interval is not None:
        low, high = (min(max(it, scale.low), scale.high) for it in point.interval)
        below, above = (scale.beyond(it) for it in point.interval)
        if below * above <= 0:
            axes.plot((place, place), (low, high), color=fs.INK, linewidth=0.8)
        for end, off, head in ((low, below < 0 <= above, "v"), (high, above > 0 >= below, "^")):
            if off:
                axes.plot([place], [end], head, color=fs.INK, ms=3, clip_on=False)
    strip = 0.5 * _STRIP * (scale.high - scale.low)
    side = scale.beyond(point.estimate)
    y = {-1: scale.low - strip, 0: point.estimate, 1: scale.high + strip}[side]
    fs.mark(axes, place, y, point.outcome, 4.5)


def _off(axes: Axes, points: Sequence[Point], scale: Scale) -> None:
    """The values of the readings beyond either end of the axis."""
    strip = 0.5 * _STRIP * (scale.high - scale.low)
    for side, y, arrow in ((-1, scale.low - strip, "↓"), (1, scale.high + strip, "↑")):
        places = [k for k, it in enumerate(points) if scale.beyond(it.estimate) == side]
        if places:
            place, anchor, shift = (places[-1], "left", 5) if side < 0 else (places[0], "right", -5)
            axes.annotate(
                f"{arrow} {words.off_scale([points[k].estimate for k in places])}",
                (place, y),
                xytext=(shift, 0),
                textcoords="offset points",
                ha=anchor,
                va="center",
                fontsize=6.0,
            )


def _choice(name: str, choice: str) -> str:
    """`pooling divisor: words of the document`"""
    return visible(shortened(f"{name}: {choice}".replace("_", " "), 44))
