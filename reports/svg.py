"""Interval plots of claims as hand-written SVG.

Why not matplotlib here: a page has a plot for every verdict. Measured on two CPU cores, matplotlib takes
0.5 to 2 s to import and then 90 ms and 8 kB for a plot like these, with the colours fixed in the file;
these take 0.1 ms and 1 kB, and get their colours from the page's style sheet, so that dark mode and grey
print work. Text stays text. Figures for a paper are another matter.

A drawing is 340 units wide, the text width of a narrow phone: it is shown at its own size and never
shrunk until its labels cannot be read. The only text from outside is the title, the description and the
labels; all of it is escaped here, because the template takes the result as it is.

Marks differ in shape, not only in colour: the target is a dashed line in a shaded margin, the 90%
interval a thick bar, the 95% interval a thin one with ends, the prediction interval a dotted line, the
mean a diamond, seeds dots: strokes of no length with round ends.

A page of a thousand claims has a thousand of these: marks of one kind are one path, whatever the style sheet
can say is not in the drawing, and its name is its `<title>`, which needs no ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape as _html_escape

from audit.record import ClaimRecord, Verdict
from reports import digits
from reports.fields import COMPARISONS, PRINTED_KINDS, subject_of
from reports.text import shortened, visible
from reports.verdicts import plot_description

WIDTH = 340

_PLOT_LEFT, _PLOT_RIGHT = 12, 328

PlotBounds = tuple[float, float]


@dataclass(frozen=True)
class Lane:
    """One row of seed dots: the runs of one experiment."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class IntervalPlot:
    """What one interval plot shows, in points of the metric."""

    description: str
    """What is drawn, with its numbers, for those who do not see it."""
    axis: str
    """What the axis measures, with its unit."""
    estimate: float | None = None
    target: float | None = None
    target_label: str = ""
    margin: PlotBounds | None = None
    """The shaded band: from and to."""
    ci90: PlotBounds | None = None
    ci95: PlotBounds | None = None
    pi95: PlotBounds | None = None
    dots: tuple[float, ...] = ()
    zero: bool = False
    """Whether the axis is of a difference, so that its zero is drawn."""
    lanes: tuple[Lane, ...] = ()
    """Below the intervals, or alone, on an axis of their own: the runs of each arm of a comparison."""
    lanes_axis: str = ""
    one_axis: bool = False
    """Whether the lanes are in the units of the intervals, and stand on their axis."""
    name: str = ""
    """The name of the image, where the page says the rest of the description beside it."""


@dataclass(frozen=True)
class Axis:
    """A linear map from points to the drawing's units."""

    low: float
    high: float

    def x(self, value: float) -> float:
        return _PLOT_LEFT + (value - self.low) / (self.high - self.low) * (_PLOT_RIGHT - _PLOT_LEFT)

    def ticks(self) -> tuple[float, ...]:
        """Two to six round numbers inside the axis."""
        step = _step((self.high - self.low) / 5)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return tuple(k * step for k in range(first, last + 1))


def axis_over(values: Iterable[float]) -> Axis:
    """An axis with a little air around all `values`; one unit wide at least a hundredth of a point."""
    numbers = list(values)
    low, high = min(numbers), max(numbers)
    air = max((high - low) * 0.06, 0.01, abs(high) * 1e-9)
    return Axis(low - air, high + air)


def interval_plot(plot: IntervalPlot) -> str:
    """The plot as one `<svg>` element, or an empty string when there is no finite number to draw."""
    spans = [span for span in (plot.margin, plot.ci90, plot.ci95, plot.pi95) if span is not None]
    numbers = [*plot.dots, *(value for span in spans for value in span)]
    numbers += [value for value in (plot.estimate, plot.target) if value is not None]
    beside = plot.lanes if plot.one_axis else ()
    numbers += [value for lane in beside for value in lane.values]
    if not numbers and plot.lanes:
        lanes, height = _lanes_of(plot, 4)
        return _plot_svg(plot, height, lanes) if lanes else ""
    if not numbers or not all(math.isfinite(value) and abs(value) < 1e9 for value in numbers):
        return ""
    axis = axis_over([*numbers, 0.0] if plot.zero else numbers)
    bottom = 62 if plot.dots else 48
    dots = [(axis.x(value), bottom - 9) for value in plot.dots]
    held, bottom = _held(beside, axis, bottom) if beside else ([], bottom)
    parts = [*_target(plot, axis, bottom), *_plot_intervals(plot, axis)]
    parts += [*_dots(dots), *held, *_plot_ruler(axis, bottom, plot.axis)]
    height = bottom + 30
    if plot.lanes and not beside:
        lanes, height = _lanes_of(plot, height + 8)
        parts += lanes
    return _plot_svg(plot, height, parts)


def _plot_svg(plot: IntervalPlot, height: int, parts: Sequence[str]) -> str:
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img">'
    return f"{head}<title>{escaped(plot.name or plot.description)}</title>{''.join(parts)}</svg>"


def _target(plot: IntervalPlot, axis: Axis, bottom: int) -> list[str]:
    """Shaded margin, the line of the printed number with its label, the zero of a difference."""
    parts = []
    if plot.margin is not None:
        left, right = (axis.x(edge) for edge in plot.margin)
        parts.append(_plot_path("band", f"M{_n(left)} 18H{_n(right)}V{bottom}H{_n(left)}z"))
    if plot.zero:
        parts.append(_plot_path("zero", f"M{_n(axis.x(0))} 18V{bottom}"))
    if plot.target is not None:
        x = axis.x(plot.target)
        parts += [_plot_path("target", f"M{_n(x)} 15V{bottom}"), _plot_text(x, 11, plot.target_label)]
    return parts


def _plot_intervals(plot: IntervalPlot, axis: Axis) -> list[str]:
    """Prediction interval, 95 %, 90 %, mean: each drawn over the one before."""
    y = 34
    parts = []
    if plot.pi95 is not None:
        low, high = (_n(axis.x(end)) for end in plot.pi95)
        parts.append(_plot_path("pi", f"M{low} {y}H{high}"))
    if plot.ci95 is not None:
        low, high = (_n(axis.x(end)) for end in plot.ci95)
        parts.append(_plot_path("ci95", f"M{low} {y}H{high}M{low} {y - 5}v10M{high} {y - 5}v10"))
    if plot.ci90 is not None:
        low, high = (_n(axis.x(end)) for end in plot.ci90)
        parts.append(_plot_path("ci90", f"M{low} {y}H{high}"))
    if plot.estimate is not None:
        parts.append(_plot_path("mean", f"M{_n(axis.x(plot.estimate))} {y - 6}l6 6-6 6-6-6z"))
    return parts


def _lanes_of(plot: IntervalPlot, top: int) -> tuple[list[str], int]:
    """The arms' seed dots under each other on one axis, and the height reached."""
    numbers = [value for lane in plot.lanes for value in lane.values]
    if not numbers or not all(math.isfinite(value) and abs(value) < 1e9 for value in numbers):
        return [], top
    axis = axis_over(numbers)
    held, bottom = _held(plot.lanes, axis, top)
    return [*held, *_plot_ruler(axis, bottom, plot.lanes_axis)], bottom + 30


def _held(lanes: Sequence[Lane], axis: Axis, top: int) -> tuple[list[str], int]:
    """Each lane's label with its dots below, and the height reached."""
    labels = [
        f'<text class="lane" x="{_PLOT_LEFT}" y="{top + 32 * k + 9}">'
        f"{escaped(shortened(lane.label, 52))}</text>"
        for k, lane in enumerate(lanes)
    ]
    dots = [(axis.x(value), top + 32 * k + 20) for k, lane in enumerate(lanes) for value in lane.values]
    return [*labels, *_dots(dots)], top + 32 * len(lanes)


def _plot_ruler(axis: Axis, y: int, label: str) -> list[str]:
    """The axis line, its ticks with numbers, and what it measures."""
    ticks = axis.ticks()
    decimals = decimals_of(ticks)
    strokes = "".join(f"M{_n(axis.x(tick))} {y}v4" for tick in ticks)
    parts = [_plot_path("axis", f"M{_PLOT_LEFT} {y}H{_PLOT_RIGHT}{strokes}")]
    parts += [
        _plot_text(axis.x(tick), y + 15, digits.points(round(tick, 9), decimals=decimals)) for tick in ticks
    ]
    unit = escaped(shortened(label, 50))
    return [*parts, f'<text class="unit" x="{_PLOT_RIGHT}" y="{y + 27}">{unit}</text>']


def _dots(places: Iterable[tuple[float, int]]) -> list[str]:
    drawn = "".join(f"M{_n(x)} {y}h0" for x, y in places)
    return [_plot_path("seed", drawn)] if drawn else []


def _plot_path(kind: str, d: str) -> str:
    return f'<path class="{kind}" d="{d}"/>'


def _n(x: float) -> str:
    """A coordinate to a whole unit, which is a pixel: what lies further left is never drawn further right."""
    return f"{x:.0f}"


def _plot_text(x: float, y: int, text: str) -> str:
    """Centred on `x`, but kept inside the drawing (about 6 units a character)."""
    text = shortened(text, 40)
    half = len(text) * 3.2
    x = min(max(x, half + 2), WIDTH - half - 2)
    return f'<text x="{_n(x)}" y="{y}">{escaped(text)}</text>'


def escaped(text: str) -> str:
    """Any text as it may stand in the drawing."""
    return _html_escape(visible(text))


def _step(rough: float) -> float:
    """The next of 1, 2, 5, 10 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def decimals_of(ticks: Sequence[float]) -> int:
    """As many digits as tell the ticks apart."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    return max(0, -math.floor(math.log10(step) + 1e-9))


def plot_of(claim: ClaimRecord, verdict: Verdict | None, names: tuple[str, ...], name: str) -> str:
    """The interval plot as SVG with a short name; empty where there is nothing to draw."""
    plot = intervals_of(claim, verdict, names)
    return interval_plot(replace(plot, name=name)) if plot else ""


def intervals_of(claim: ClaimRecord, verdict: Verdict | None, names: tuple[str, ...]) -> IntervalPlot | None:
    """What the plot shows; none for a printed number on other data, which shares no axis with ours."""
    if verdict is None or (claim.kind in PRINTED_KINDS and verdict.scope == "other_data"):
        return None
    plain = IntervalPlot(
        description=plot_description(claim, verdict),
        axis="",
        estimate=verdict.estimate,
        ci90=verdict.ci90,
        ci95=verdict.ci95,
    )
    if claim.kind in COMPARISONS:
        return _of_several(plain, claim, verdict, names)
    if verdict.estimate is None:
        return None
    drawn = {"value": _of_value, "cost": _of_ratio, "complexity": _of_power}.get(claim.kind, _of_difference)
    return drawn(plain, claim, verdict, names)


def _of_value(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    return replace(
        plain,
        axis=f"{claim.metric}, points",
        target=verdict.target,
        target_label=f"printed {claim.printed[0] if claim.printed else digits.points(verdict.target)}",
        margin=_around(verdict.target, verdict.margin),
        pi95=verdict.pi95,
        dots=verdict.values[0] if verdict.values else (),
    )


def _of_difference(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """The margin lies around no difference, but around the printed one where its size is claimed."""
    target = verdict.target if verdict.scope != "other_data" else None
    centre = target if claim.kind == "gap" else 0.0
    band = claim.negligible if claim.kind == "order" and verdict.margin is None else verdict.margin
    return replace(
        plain,
        axis=f"difference in {claim.metric}, points",
        target=target,
        target_label=f"printed {digits.signed(target)}",
        margin=_around(centre, band),
        pi95=verdict.pi95,
        zero=True,
        lanes=_claim_lanes(verdict, names),
        lanes_axis=f"{claim.metric}, points",
    )


def _of_ratio(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    unit = {"training_time": "seconds", "prediction_time": "seconds", "model_size": "bytes"}.get(
        str(claim.details.get("quantity")), ""
    )
    return replace(
        plain,
        axis=f"ratio of {subject_of(claim)}",
        target=1.0,
        target_label="as much",
        lanes=_claim_lanes(verdict, names),
        lanes_axis=", ".join(it for it in (subject_of(claim), unit) if it),
    )


def _of_power(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """The costs themselves share no linear axis: they stand in the strips."""
    return replace(
        plain,
        axis="exponent of the growth",
        target=verdict.target,
        target_label=f"claimed {digits.points(verdict.target)}",
        margin=_around(verdict.target, verdict.margin),
    )


def _of_several(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """Every seed of every arm under each other; not where the arms are on several data sets."""
    shown = {} if claim.kind == "dominance" else dict(zip(names, verdict.values, strict=False))
    return replace(
        plain,
        lanes=tuple(Lane(name, values) for name, values in shown.items()),
        lanes_axis=f"{claim.metric}, points",
    )


def _claim_lanes(verdict: Verdict, names: tuple[str, ...]) -> tuple[Lane, ...]:
    return tuple(Lane(name, values) for name, values in zip(names, verdict.values, strict=False))


def _around(centre: float | None, margin: float | None) -> PlotBounds | None:
    return None if centre is None or margin is None else (centre - margin, centre + margin)
