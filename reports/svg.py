"""Every figure as lines, discs and texts: intervals, readings, learning curves; `reports.figures` writes them
for a paper. Written here as SVG: matplotlib takes 90 ms and 8 kB a plot on two cores, these take 0.1 ms and 1
kB, and get their colours from the style sheet. A drawing is 340 units wide, the text width of a phone. All
text from outside is escaped here. Marks differ in shape, not only in colour."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain

from audit.record import ExperimentRecord, OpenChoice, SpecificationVerdict
from reports import numbers
from reports.text import plural, shortened, visible

Bounds = tuple[float, float]
Point = tuple[float, float]
WIDTH = 340


@dataclass
class Drawing:
    """Items in drawing order: (kind, points of each line), (kind, x, y, r), (kind, x, y, text)."""

    title: str  # What is drawn, with its numbers, for those who do not see it.
    height: float = 0.0
    lines: list[tuple[str, list[Sequence[Point]]]] = field(default_factory=list)
    discs: list[tuple[str, float, float, float]] = field(default_factory=list)
    texts: list[tuple[str, float, float, str]] = field(default_factory=list)

    def line(self, kind: str, *points: Point) -> None:
        """A line; the next one of its kind joins its path."""
        if self.lines and self.lines[-1][0] == kind:
            self.lines[-1][1].append(points)
        else:
            self.lines.append((kind, [points]))

    def box(self, kind: str, left: float, top: float, right: float, bottom: float) -> None:
        self.line(kind, (left, top), (right, top), (right, bottom), (left, bottom), (left, top))

    def text(self, kind: str, x: float, y: float, text: str, limit: int = 52) -> None:
        """`kind` ends with the alignment: -start, -middle or -end; middle stays in the drawing."""
        text = shortened(visible(text), limit)
        if kind.endswith("middle"):  # about 6 units a character
            x = min(max(x, 3.2 * len(text) + 2), WIDTH - 3.2 * len(text) - 2)
        self.texts.append((kind, x, y, text))

    def verdict(self, outcome: str, x: float, y: float, r: float) -> None:
        """A disc where it is reproduced, a cross where it is contradicted, else a ring."""
        if outcome == "contradicted":
            self.line("cross", (x - r, y - r), (x + r, y + r))
            self.line("cross", (x - r, y + r), (x + r, y - r))
        else:
            self.discs.append(("disc" if outcome == "reproduced" else "ring", x, y, r))

    def svg(self, name: str = "") -> str:
        """One `<svg>` element; `name` instead of the title, where the page says the rest beside it."""
        if not self.height:
            return ""

        def path(points: Sequence[Point]) -> str:
            said, (x, y) = "M{:g} {:g}".format(*_rounded(points[0])), _rounded(points[0])
            for point in map(_rounded, points[1:]):
                upright, level = point[0] == x, point[1] == y
                step = f"V{point[1]:g}" if upright else f"H{point[0]:g}" if level else None
                said += step or "L{:g} {:g}".format(*point)
                x, y = point
            return said if len(points) > 1 else f"{said}h0"  # a stroke of no length with round ends is a dot

        parts = [f'<path class="{kind}" d="{"".join(map(path, lines))}"/>' for kind, lines in self.lines]
        for kind, x, y, r in self.discs:
            parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>')
        for kind, x, y, text in self.texts:
            parts.append(f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{_escaped(text)}</text>')
        size = f'viewBox="0 0 {WIDTH} {self.height:g}" width="{WIDTH}" height="{self.height:g}"'
        head = f'<svg class="plot" {size} role="img">'
        return f"{head}<title>{_escaped(name or self.title)}</title>{''.join(parts)}</svg>"


def _rounded(point: Point) -> Point:
    return round(point[0], 1), round(point[1], 1)


def _escaped(text: str) -> str:
    return escape(visible(text))


# --------------------------------------------------------------------------- axes


@dataclass(frozen=True)
class Axis:
    """From `low` to `high` in the units of what is measured, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> tuple[float, ...]:
        """Two to six round numbers inside the axis: multiples of 1, 2, 5, 10 times a power of ten."""
        rough = (self.high - self.low) / 5
        power: float = 10.0 ** math.floor(math.log10(rough))
        step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(k * step for k in range(first, last + 1))

    def labelled(self) -> list[tuple[float, str]]:
        """Places of the ticks, with as many digits as tell them apart."""
        ticks = self.ticks()
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return [(self.at(tick), numbers.points(round(tick, 9), decimals=decimals)) for tick in ticks]


def axis_over(values: Iterable[float], start: float = 12, end: float = 328) -> Axis:
    """An axis with a little air around all `values`; one unit wide at least a hundredth of a point."""
    known = list(values)
    low, high = min(known), max(known)
    air = max((high - low) * 0.06, 0.01, abs(high) * 1e-9)
    return Axis(low - air, high + air, start, end)


def _ruler(drawing: Drawing, axis: Axis, y: float, label: str) -> None:
    drawing.line("axis", (axis.start, y), (axis.end, y))
    for x, number in axis.labelled():
        drawing.line("axis", (x, y), (x, y + 4))
        drawing.text("tick-middle", x, y + 15, number)
    drawing.text("unit-end", 328, y + 27, label)
    drawing.height = y + 31


def _upright(
    drawing: Drawing, ticks: Iterable[tuple[float, str]], x: float, right: float, label: str
) -> None:
    """An upright axis with rails, and what it measures on top."""
    for y, number in ticks:
        drawing.line("rail", (x, y), (right, y))
        drawing.text("tick-end", x - 5, y + 3.5, number)
    drawing.text("unit-start", 2, 11, label)


# --------------------------------------------------------------------------- intervals


@dataclass(frozen=True)
class Row:
    """One line of an interval plot, in the units of its axis; whatever is None is not drawn."""

    label: str
    outcome: str = "inconclusive"
    estimate: float | None = None
    target: float | None = None  # What is printed or claimed: a dashed line.
    margin: Bounds | None = None  # The shaded band: from and to.
    inner: Bounds | None = None
    outer: Bounds | None = None
    prediction: Bounds | None = None
    dots: tuple[float, ...] = ()
    heading: str = ""  # Stands above the first row that has it.

    @property
    def numbers(self) -> list[float]:
        spans = (span for span in (self.margin, self.inner, self.outer, self.prediction) if span)
        values = (value for value in (self.estimate, self.target) if value is not None)
        return [*self.dots, *chain.from_iterable(spans), *values]


def forest(
    rows: Sequence[Row],
    axis: str,
    title: str,
    *,
    zero: float | None = None,
    labels_above: bool = False,
    beside: Sequence[Row] = (),
) -> Drawing:
    """A row each on one axis: margin shaded, target dashed, prediction interval dotted, outer interval thin,
    inner one thick, the mark of the verdict at the estimate, seeds as dots below. Not drawn without a finite
    number. The axis is also over rows that are drawn `beside` it."""
    drawing, rows = Drawing(title), [row for row in rows if row.numbers]
    known = [number for row in (*rows, *beside) for number in row.numbers] + ([] if zero is None else [zero])
    if not rows or not numbers.is_drawable(*known):
        return drawing
    scale = axis_over(known, 12 if labels_above else 66)
    y, heading = 6.0, ""
    for row in rows:
        if row.heading != heading:
            heading, y = row.heading, y + 3
            for part in textwrap.wrap(visible(heading), 56, max_lines=2, placeholder=" …"):
                y += 12
                drawing.text("lane-start", 2, y - 4, part, 56)
        if labels_above:
            y += 11
            drawing.text("lane-start", 2, y, row.label, 50)
        else:
            drawing.text("row-end", 58, y + 11, row.label, 10)
        height = 24 if row.dots and row.estimate is not None else 15
        _row(drawing, row, scale, y, height, zero)
        y += height
    _ruler(drawing, scale, y + 2, axis)
    return drawing


def _row(drawing: Drawing, row: Row, scale: Axis, top: float, height: float, zero: float | None) -> None:
    at, y = scale.at, top + 8
    if row.margin:
        drawing.box("band", at(row.margin[0]), top + 1, at(row.margin[1]), top + height - 1)
    if zero is not None:
        drawing.line("zero", (at(zero), top), (at(zero), top + height))
    if row.target is not None:
        drawing.line("target", (at(row.target), top), (at(row.target), top + height))
    if row.prediction:
        drawing.line("pi", *((at(end), y) for end in row.prediction))
    if row.outer:
        drawing.line("outer", *((at(end), y) for end in row.outer))
        for end in row.outer:
            drawing.line("outer", (at(end), y - 4), (at(end), y + 4))
    if row.inner:
        drawing.line("inner", *((at(end), y) for end in row.inner))
    for value in row.dots:
        drawing.line("seed", (at(value), y if row.estimate is None else y + 11))
    if row.estimate is not None:
        drawing.verdict(row.outcome, at(row.estimate), y, 3.6)


def around(centre: float | None, margin: float | None) -> Bounds | None:
    """The band of a margin; none where either is absent."""
    return None if centre is None or margin is None else (centre - margin, centre + margin)


def specification_curve(
    verdicts: Iterable[SpecificationVerdict],
    choices: Sequence[OpenChoice],
    *,
    title: str,
    axis: str,
    target: float | None = None,
    margin: Bounds | None = None,
    zero: bool = False,
) -> Drawing:
    """Readings by estimate, and below the choices that each makes (Simonsohn, Simmons and Nelson 2020). Not
    drawn with fewer than two readings, or a number that is not finite. What was not varied has no rows."""
    drawing, left, right, top, bottom = Drawing(title), 138, 334, 20, 184
    known_means = (verdict for verdict in verdicts if verdict.estimate is not None)
    points = sorted(known_means, key=lambda verdict: (verdict.estimate or 0.0, bool(verdict.reading)))
    default = {choice.name: choice.choices[0] for choice in choices}
    taken = [{name: point.reading.get(name, first) for name, first in default.items()} for point in points]
    means = [point.estimate or 0.0 for point in points]
    fixed = [*(margin or ()), *(value for value in (target, 0.0 if zero else None) if value is not None)]
    known = [*fixed, *means, *chain.from_iterable(verdict.ci95 or () for verdict in points)]
    if len(points) < 2 or not numbers.is_drawable(*known):
        return drawing
    scale = axis_over(known, bottom, top)
    places = [left + (k + 0.5) * (right - left) / len(points) for k in range(len(points))]
    radius = max(0.6, min(3.5, 0.4 * (right - left) / len(points)))
    if margin:
        drawing.box("band", left, scale.at(margin[1]), right, scale.at(margin[0]))
    _upright(drawing, scale.labelled(), left, right, shortened(axis, 24))
    if zero:
        drawing.line("zero", (left, scale.at(0.0)), (right, scale.at(0.0)))
    if target is not None:
        drawing.line("target", (left, scale.at(target)), (right, scale.at(target)))
        drawing.text("tick-end", right, 11, f"printed {numbers.points(target)}", 34)
    for x, mean, point in zip(places, means, points, strict=True):
        if not point.reading:
            drawing.line("stem", (x, scale.at(mean)), (x, bottom))
        if point.ci95:
            drawing.line("span", *((x, scale.at(end)) for end in point.ci95))
        drawing.verdict(point.outcome, x, scale.at(mean), radius)
    y = bottom + 18.0
    varied = [lane for lane in choices if len({own[lane.name] for own in taken}) > 1]
    for lane in varied:
        drawing.text("lane-start", 2, y, lane.name.replace("_", " "))
        for choice in lane.choices:
            y += 12
            drawing.text("tick-end", left - 7, y, choice.replace("_", " "), 21)
            drawing.line("rail", (left, y - 3.5), (right, y - 3.5))
            own = (x for x, chosen in zip(places, taken, strict=True) if chosen[lane.name] == choice)
            drawing.discs += [("taken", x, y - 3.5, radius) for x in own]
        y += 18
    if rest := len(choices) - len(varied):
        are = "is" if rest == 1 else "are"
        drawing.text("lane-start", 2, y, f"{plural(rest, 'open point')} {are} the same in all readings run")
        y += 12
    drawing.height = y - 6
    return drawing


# --------------------------------------------------------------------------- learning curves

Line = tuple[Point, ...]
"""(epoch, value), by epoch."""


@dataclass(frozen=True)
class LearningCurves:
    """The runs of one experiment by a score, or by `loss`."""

    metric: str
    seeds: tuple[Line, ...]

    @property
    def mean(self) -> Line:
        """Over all seeds, where all of them have a value."""
        lines = [dict(line) for line in self.seeds]
        shared = [x for x in lines[0] if all(x in line for line in lines)] if lines else []
        return tuple((x, math.fsum(line[x] for line in lines) / len(lines)) for x in shared)

    @property
    def description(self) -> str:
        """`P@1 on held-out documents, mean of 3 seeds: 41.20 at first, 91.00 at last; highest ...`"""
        loss, mean = self.metric == "loss", self.mean or self.seeds[0]
        epoch, best = (min if loss else max)(mean, key=lambda point: point[1])
        decimals, end = (4, "lowest") if loss else (2, "highest")
        shown = (numbers.points(y, decimals=decimals) for y in (mean[0][1], mean[-1][1], best))
        first, last, peak = shown
        what = "training loss" if loss else f"{self.metric} on held-out documents"
        of = "one seed" if len(self.seeds) == 1 else f"mean of {plural(len(self.seeds), 'seed')}"
        return f"{what}, {of}: {first} at first, {last} at last; {end} {peak} in epoch {round(epoch, 1):g}."


def curves_of(experiment: ExperimentRecord) -> LearningCurves | None:
    """The score by which a checkpoint was chosen, else the first that was measured, else the loss."""
    runs = sorted((run for run in experiment.runs if run.status == "done"), key=lambda run: run.spec.seed)
    measured = dict.fromkeys(name for run in runs for row in run.curve for name in row)
    chosen = runs[0].spec.protocol.get("select_metric") if runs else None
    scores = [name for name in measured if name not in ("epoch", "step", "loss", "seconds")]
    for metric in (*([chosen] if isinstance(chosen, str) and chosen in measured else ()), *scores, "loss"):
        lines = []
        for run in runs:  # numbers that are none are left out, the last of one epoch counts
            pairs = ((row["epoch"], row[metric]) for row in run.curve if "epoch" in row and metric in row)
            lines.append({x: y for x, y in pairs if numbers.is_drawable(y, x)})
        if seeds := tuple(tuple(sorted(line.items())) for line in lines if len(line) > 1):
            return LearningCurves(metric, seeds)
    return None


def learning_plot(curves: LearningCurves) -> Drawing:
    """Thin, one line a seed; thick, their mean."""
    drawing, top, bottom, right = Drawing(curves.description), 22, 150, 324
    epochs, values = ([point[k] for line in curves.seeds for point in line] for k in (0, 1))
    up = axis_over(values, bottom, top)
    left = max(44.0, 7 + 6.4 * max(len(number) for _, number in up.labelled()))
    across = Axis(min(epochs), max(epochs), left, right)
    label = "training loss" if curves.metric == "loss" else f"{curves.metric}, held out, points"
    _upright(drawing, up.labelled(), left, right, label)
    drawn = [("run", line) for line in curves.seeds]
    drawn += [("mean-line", curves.mean)] if len(curves.seeds) > 1 and len(curves.mean) > 1 else []
    for kind, line in drawn:
        kept = [*line[: -1 : -(-len(line) // 100)], line[-1]]  # a hundred points, of longer lines each second
        drawing.line(kind, *((across.at(x), up.at(y)) for x, y in kept))
    _ruler(drawing, across, bottom, "epoch")
    return drawing
