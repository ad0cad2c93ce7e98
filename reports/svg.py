"""Plots of the page as hand-written SVG: axes, and the intervals of a claim.

Why not matplotlib here: a page has a plot for every verdict. Measured on two CPU cores, matplotlib takes
0.5 to 2 s to import and then 90 ms and 8 kB for a plot like these, with the colours fixed in the file;
these take 0.1 ms and 1 kB, and get their colours from the page's style sheet, so that dark mode and grey
print work. Text stays text. Figures for a paper are another matter: `reports.figures`.

A drawing is 340 units wide, the text width of a narrow phone: it is shown at its own size and never
shrunk until its labels cannot be read. The only text from outside is the title, the description and the
labels; all of it is escaped here, because the template takes the result as it is.

Marks differ in shape, not only in colour. A page of a thousand claims has a thousand of these: marks of one
kind are one path, and whatever the style sheet can say is not in the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Any

from audit.record import ClaimRecord, Verdict
from reports import numbers
from reports import sentences as words
from reports.text import joined, shortened, visible
from reports.verdicts import Bounds, plot_description, printed_of, subject_of

WIDTH = 340


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, in the units of what is measured."""

    low: float
    high: float

    def along(self, value: float, start: float, end: float) -> float:
        """The place of `value` where the axis goes from `start` to `end`."""
        return start + (value - self.low) / (self.high - self.low) * (end - start)

    def x(self, value: float) -> float:
        """Its place on the axis of an interval plot."""
        return self.along(value, 12, 328)

    def ticks(self) -> tuple[float, ...]:
        """Two to six round numbers inside the axis: multiples of 1, 2, 5, 10 times a power of ten."""
        rough = (self.high - self.low) / 5
        power: float = 10.0 ** math.floor(math.log10(rough))
        step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(k * step for k in range(first, last + 1))

    def labels(self) -> tuple[str, ...]:
        """Of the ticks, with as many digits as tell them apart."""
        ticks = self.ticks()
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return tuple(numbers.points(round(tick, 9), decimals=decimals) for tick in ticks)


def axis_over(values: Iterable[float]) -> Axis:
    """An axis with a little air around all `values`; one unit wide at least a hundredth of a point."""
    known = list(values)
    low, high = min(known), max(known)
    air = max((high - low) * 0.06, 0.01, abs(high) * 1e-9)
    return Axis(low - air, high + air)


def escaped(text: str) -> str:
    return escape(visible(text))


def path(kind: str, d: str) -> str:
    return f'<path class="{kind}" d="{d}"/>'


# --------------------------------------------------------------------------- intervals of a claim


@dataclass(frozen=True)
class IntervalPlot:
    """What one interval plot shows, in points of the metric.

    The target is a dashed line in a shaded margin, the inner interval a thick bar, the outer one a thin one
    with ends, the prediction interval a dotted line, the mean a diamond, seeds dots.
    """

    description: str
    """What is drawn, with its numbers, for those who do not see it."""
    axis: str
    """What the axis measures, with its unit."""
    estimate: float | None = None
    target: float | None = None
    target_label: str = ""
    margin: Bounds | None = None
    """The shaded band: from and to."""
    ci90: Bounds | None = None
    ci95: Bounds | None = None
    pi95: Bounds | None = None
    dots: tuple[float, ...] = ()
    zero: bool = False
    """Whether the axis is of a difference, so that its zero is drawn."""
    lanes: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Label and seeds of each arm of a comparison: below the intervals, or alone, on an axis of their own."""
    lanes_axis: str = ""
    one_axis: bool = False
    """Whether the lanes are in the units of the intervals, and stand on their axis."""

    @property
    def numbers(self) -> list[float]:
        """All that stands on the axis of the intervals."""
        spans = (self.margin, self.ci90, self.ci95, self.pi95)
        single = (it for it in (self.estimate, self.target) if it is not None)
        return [*self.dots, *chain.from_iterable(it for it in spans if it), *single]

    @property
    def lane_numbers(self) -> list[float]:
        return [value for _, values in self.lanes for value in values]


def interval_plot(plot: IntervalPlot, name: str = "") -> str:
    """The plot as one `<svg>` element, or an empty string when there is no finite number to draw.

    `name` is that of the image, where the page says the rest of the description beside it.
    """
    known = [*plot.numbers, *(plot.lane_numbers if plot.one_axis else ())]
    parts: list[str] = []
    height = 4
    if known:
        if not numbers.is_drawable(*known):
            return ""
        axis = axis_over([*known, 0.0] if plot.zero else known)
        bottom = 62 if plot.dots else 48
        marks = [_dots((axis.x(value), bottom - 9) for value in plot.dots)]
        if plot.one_axis:
            marks += _lanes(plot, axis, bottom)
            bottom += 32 * len(plot.lanes)
        parts = [*_marks(plot, axis, bottom), *marks, *_ruler(axis, bottom, plot.axis)]
        height = bottom + 30 + (8 if plot.lanes and not plot.one_axis else 0)
    if plot.lane_numbers and not plot.one_axis and numbers.is_drawable(*plot.lane_numbers):
        axis, bottom = axis_over(plot.lane_numbers), height + 32 * len(plot.lanes)
        parts += [*_lanes(plot, axis, height), *_ruler(axis, bottom, plot.lanes_axis)]
        height = bottom + 30
    if not parts:
        return ""
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img">'
    return f"{head}<title>{escaped(name or plot.description)}</title>{''.join(parts)}</svg>"


def _marks(plot: IntervalPlot, axis: Axis, bottom: int) -> Iterator[str]:
    """Margin, zero, printed number, prediction interval, 95 %, 90 %, mean: each over the one before."""
    y = 34

    def at(value: float) -> str:
        """To a whole unit, which is a pixel: what lies further left is never drawn further right."""
        return f"{axis.x(value):.0f}"

    if plot.margin is not None:
        left, right = map(at, plot.margin)
        yield path("band", f"M{left} 18H{right}V{bottom}H{left}z")
    if plot.zero:
        yield path("zero", f"M{at(0)} 18V{bottom}")
    if plot.target is not None:
        yield path("target", f"M{at(plot.target)} 15V{bottom}")
        yield _label(axis.x(plot.target), 11, plot.target_label)
    for kind, span in (("pi", plot.pi95), ("ci95", plot.ci95), ("ci90", plot.ci90)):
        if span is not None:
            low, high = map(at, span)
            ends = f"M{low} {y - 5}v10M{high} {y - 5}v10" if kind == "ci95" else ""
            yield path(kind, f"M{low} {y}H{high}{ends}")
    if plot.estimate is not None:
        yield path("mean", f"M{at(plot.estimate)} {y - 6}l6 6-6 6-6-6z")


def _lanes(plot: IntervalPlot, axis: Axis, top: int) -> Iterator[str]:
    """Each lane's label with its dots below."""
    for k, (label, _) in enumerate(plot.lanes):
        yield f'<text class="lane" x="12" y="{top + 32 * k + 9}">{escaped(shortened(label, 52))}</text>'
    yield _dots(
        (axis.x(value), top + 32 * k + 20) for k, (_, values) in enumerate(plot.lanes) for value in values
    )


def _dots(places: Iterable[tuple[float, int]]) -> str:
    """Strokes of no length with round ends."""
    drawn = "".join(f"M{x:.0f} {y}h0" for x, y in places)
    return path("seed", drawn) if drawn else ""


def _ruler(axis: Axis, y: int, label: str) -> Iterator[str]:
    """The axis line, its ticks with numbers, and what it measures."""
    strokes = "".join(f"M{axis.x(tick):.0f} {y}v4" for tick in axis.ticks())
    yield path("axis", f"M12 {y}H328{strokes}")
    for tick, number in zip(axis.ticks(), axis.labels(), strict=True):
        yield _label(axis.x(tick), y + 15, number)
    yield f'<text class="unit" x="328" y="{y + 27}">{escaped(shortened(label, 50))}</text>'


def _label(x: float, y: int, text: str) -> str:
    """Centred on `x`, but kept inside the drawing (about 6 units a character)."""
    text = shortened(text, 40)
    half = len(text) * 3.2
    x = min(max(x, half + 2), WIDTH - half - 2)
    return f'<text x="{x:.0f}" y="{y}">{escaped(text)}</text>'


def intervals_of(claim: ClaimRecord, verdict: Verdict, names: Sequence[str]) -> IntervalPlot | None:
    """What the plot shows; none for a printed number on other data, which shares no axis with ours."""
    kind, measure = words.kind_words(claim), words.kind_words(claim).measure
    if kind.printed and verdict.scope == "other_data":
        return None
    target, subject, points = verdict.target, subject_of(claim), f"{claim.metric}, points"
    lanes = tuple(zip(names, verdict.values, strict=False))
    shown: dict[str, Any]
    if kind.parts:  # every seed of every arm under each other, where they are on one data set
        shown = {"axis": "", "lanes": tuple(dict(lanes).items()) if kind.one_axis else ()}
        shown["lanes_axis"] = points
    elif verdict.estimate is None:
        return None
    elif measure is words.MEAN:
        shown = {"axis": points, "target": target, "target_label": f"printed {printed_of(claim, verdict)}"}
        shown |= {"margin": around(target, verdict.margin), "pi95": verdict.pi95}
        shown["dots"] = verdict.values[0] if verdict.values else ()
    elif measure is words.RATIO:
        units = {"training_time": "seconds", "prediction_time": "seconds", "model_size": "bytes"}
        unit = units.get(str(claim.details.get("quantity")), "")
        shown = {"axis": f"ratio of {subject}", "target": 1.0, "target_label": "as much", "lanes": lanes}
        shown["lanes_axis"] = joined(subject, unit, by=", ")
    elif measure is words.EXPONENT:  # the costs themselves share no linear axis: they stand in the strips
        shown = {"axis": "exponent of the growth", "target": target}
        shown |= {
            "target_label": f"claimed {numbers.points(target)}",
            "margin": around(target, verdict.margin),
        }
    else:  # the margin lies around no difference, but around the printed one where its size is claimed
        target = target if verdict.scope != "other_data" else None
        size = claim.negligible if kind.direction_only and verdict.margin is None else verdict.margin
        shown = {"axis": f"difference in {points}", "target": target, "pi95": verdict.pi95, "zero": True}
        shown |= {"target_label": f"printed {numbers.signed(target)}", "lanes": lanes, "lanes_axis": points}
        shown["margin"] = around(target if kind.printed else 0.0, size)
    return IntervalPlot(
        plot_description(claim, verdict),
        estimate=verdict.estimate,
        ci90=verdict.ci90,
        ci95=verdict.ci95,
        **shown,
    )


def around(centre: float | None, margin: float | None) -> Bounds | None:
    """The band of a margin; none where either is absent."""
    return None if centre is None or margin is None else (centre - margin, centre + margin)
