"""Specification curves (Simonsohn, Simmons and Nelson 2020) and learning curves: their data, and as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from audit.record import ClaimRecord, ExperimentRecord, OpenChoice, Outcome, Readings, Verdict
from reports import numbers
from reports.sentences import kind_words
from reports.svg import WIDTH, Axis, around, axis_over, escaped, path
from reports.text import plural, shortened
from reports.verdicts import Bounds, coverage, open_in, readings_counted, target_of

# --------------------------------------------------------------------------- specification curves

_LEFT, _RIGHT, _TOP, _BOTTOM = 138, 334, 20, 184


@dataclass(frozen=True)
class CurvePoint:
    """One reading: its choices by what is open, its estimate and interval in points, and its verdict."""

    choices: Mapping[str, str]
    estimate: float
    interval: Bounds | None
    outcome: Outcome
    default: bool = False

    @property
    def extent(self) -> Bounds:
        """From the lowest to the highest of its numbers."""
        own = (self.estimate, *(self.interval or ()))
        return min(own), max(own)


@dataclass(frozen=True)
class Curve:
    """What one specification curve shows (Simonsohn, Simmons and Nelson 2020)."""

    id: str
    """Unique in the page; letters, digits and hyphens."""
    title: str
    description: str
    axis: str
    """What is measured, with its unit."""
    points: tuple[CurvePoint, ...]
    """In any order; drawn by estimate."""
    open: tuple[OpenChoice, ...]
    """The rows below, in the order of the claim file."""
    target: float | None = None
    target_label: str = ""
    margin: Bounds | None = None
    zero: bool = False
    """Whether the axis is of a difference, so that its zero is drawn."""

    @property
    def fixed(self) -> tuple[float, ...]:
        """What is on the axis in any case."""
        also = (self.target, 0.0 if self.zero else None)
        return (*(self.margin or ()), *(it for it in also if it is not None))

    @property
    def ordered(self) -> list[CurvePoint]:
        return sorted(self.points, key=lambda it: (it.estimate, not it.default))

    def is_drawable(self) -> bool:
        """With two readings or more, and finite numbers only."""
        ends = chain.from_iterable(it.extent for it in self.points)
        return len(self.points) > 1 and numbers.is_drawable(*self.fixed, *ends)


def curve_of(claim: ClaimRecord, verdict: Verdict, readings: Readings, anchor: str) -> Curve:
    """Without the printed number where the runs are on other data, which share no axis with it."""
    kind, open_here = kind_words(claim), open_in(claim, readings)
    difference, near = kind.differs, verdict.scope != "other_data" and kind.printed
    target = verdict.target if near else None
    default = {it.name: it.choices[0] for it in open_here}
    points = tuple(
        CurvePoint({**default, **it.reading}, it.estimate, it.ci95, it.outcome, not it.reading)
        for it in verdict.readings
        if it.estimate is not None
    )
    number, show = len(verdict.readings), numbers.signed if difference else numbers.points
    said = f"{number} of {verdict.readings_declared} declared readings: {readings_counted(verdict)}"
    if points:
        what, level = "differences" if difference else "means", coverage(verdict)[1]
        ends = (show(pick(it.estimate for it in points)) for pick in (min, max))
        said += f"; {what} from {' to '.join(ends)}, with {level}% intervals"
    if verdict.estimate is not None:
        said += f"; the default reading {show(verdict.estimate)}"
    return Curve(
        id=f"curve-{anchor}",
        title=f"{number} readings of what the paper leaves open, by {claim.metric}",
        description=f"{said}. The table has each.",
        axis=f"difference in {claim.metric}" if difference else f"{claim.metric}, points",
        points=points,
        open=open_here,
        target=target,
        target_label=f"printed {target_of(claim, verdict)}" if target is not None else "",
        margin=around(0.0 if difference and not kind.printed else target, verdict.margin),
        zero=difference,
    )


@dataclass(frozen=True)
class Scale(Axis):
    """The upright axis of readings, and their places along the drawing."""

    number: int

    def y(self, value: float) -> float:
        return self.along(value, _BOTTOM, _TOP)

    def place(self, k: int) -> float:
        return _LEFT + (k + 0.5) * (_RIGHT - _LEFT) / self.number

    @property
    def radius(self) -> float:
        """Of a dot: as large as leaves the neighbours apart."""
        return max(0.6, min(3.5, 0.4 * (_RIGHT - _LEFT) / self.number))


def scale_of(curve: Curve) -> Scale:
    """An axis over all readings."""
    axis = axis_over([*chain.from_iterable(it.extent for it in curve.points), *curve.fixed])
    return Scale(axis.low, axis.high, len(curve.points))


def specification_curve(curve: Curve) -> str:
    """The curve as one `<svg>` element; empty with fewer than two readings, or a number not finite."""
    if not curve.is_drawable():
        return ""
    scale = scale_of(curve)
    dense = scale.number > 60  # the dots below are strokes then, and the intervals thin
    rows, height = _choice_rows(curve, scale, dense)
    parts = [*_curve_ground(curve, scale), *_curve_points(curve.ordered, scale), *rows]
    name = escaped(curve.id)
    return (
        f'<svg class="plot curve{" dense" if dense else ""}" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escaped(curve.title)}</title>'
        f'<desc id="{name}-d">{escaped(curve.description)}</desc>{"".join(parts)}</svg>'
    )


def _across(kind: str, y: float) -> str:
    return path(kind, f"M{_LEFT} {y:.1f}H{_RIGHT}")


def _curve_ground(curve: Curve, scale: Scale) -> Iterator[str]:
    """Shaded margin, zero, printed number; the upright axis."""
    if curve.margin is not None:
        bottom, top = map(scale.y, curve.margin)
        size = f'width="{_RIGHT - _LEFT}" height="{bottom - top:.1f}"'
        yield f'<rect class="band" x="{_LEFT}" y="{top:.1f}" {size}/>'
        if bottom - top > 8:  # edges of a thinner one would run into the line of the printed number
            yield from (_across("edge", y) for y in (bottom, top))
    if curve.zero:
        yield _across("zero", scale.y(0.0))
    if curve.target is not None:
        yield _across("target", scale.y(curve.target))
        label = escaped(shortened(curve.target_label, 34))
        yield f'<text x="{_RIGHT}" y="11" text-anchor="end">{label}</text>'
    yield path("axis", f"M{_LEFT} {_TOP}V{_BOTTOM}")
    for tick, number in zip(scale.ticks(), scale.labels(), strict=True):
        y = scale.y(tick)
        yield path("axis", f"M{_LEFT - 4} {y:.1f}H{_LEFT}")
        yield f'<text x="{_LEFT - 7}" y="{y + 3.5:.1f}" text-anchor="end">{number}</text>'
    yield f'<text class="unit" x="2" y="11">{escaped(shortened(curve.axis, 24))}</text>'


def _curve_points(points: Sequence[CurvePoint], scale: Scale) -> Iterator[str]:
    """Interval and mark of each reading."""
    r = scale.radius
    for k, point in enumerate(points):
        x, y = scale.place(k), scale.y(point.estimate)
        if point.default:
            yield path("stem", f"M{x:.1f} {y:.1f}V{_BOTTOM}")
        if point.interval is not None:
            low, high = map(scale.y, point.interval)
            yield path("span", f"M{x:.1f} {low:.1f}V{high:.1f}")
        if point.outcome == "contradicted":
            arm = 2 * r
            stroke = f"l{arm:.1f} {arm:.1f}m0 {-arm:.1f}l{-arm:.1f} {arm:.1f}"
            yield path("cross", f"M{x - r:.1f} {y - r:.1f}{stroke}")
        else:
            kind = "disc" if point.outcome == "reproduced" else "ring"
            yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def _choice_rows(curve: Curve, scale: Scale, dense: bool) -> tuple[list[str], float]:
    """A heading for each open thing, and a row of dots for each of its choices; and the height reached.

    What was not varied in any reading drawn has no rows, only its number.
    """
    points, parts, y = curve.ordered, [], _BOTTOM + 18.0

    def heading(text: str) -> str:
        return f'<text class="lane" x="2" y="{y:g}">{escaped(shortened(text, 50))}</text>'

    varied = [it for it in curve.open if len({point.choices[it.name] for point in points}) > 1]
    for it in varied:
        parts.append(heading(it.name.replace("_", " ")))
        for choice in it.choices:
            y += 12
            label = escaped(shortened(choice.replace("_", " "), 21))
            parts.append(f'<text x="{_LEFT - 7}" y="{y:g}" text-anchor="end">{label}</text>')
            parts.append(_across("rail", y - 3.5))
            for x in (scale.place(k) for k, point in enumerate(points) if point.choices[it.name] == choice):
                if dense:
                    parts.append(path("stroke", f"M{x:.1f} {y - 7.5:g}V{y + 0.5:g}"))
                else:
                    at = f'cx="{x:.1f}" cy="{y - 3.5:g}" r="{scale.radius:.1f}"'
                    parts.append(f'<circle class="taken" {at}/>')
        y += 18
    if rest := len(curve.open) - len(varied):
        are = "is" if rest == 1 else "are"
        parts.append(heading(f"{plural(rest, 'open point')} {are} the same in all readings run"))
        y += 12
    return parts, y - 6


# --------------------------------------------------------------------------- learning curves

Line = tuple[tuple[float, float], ...]
"""(epoch, value), by epoch."""


@dataclass(frozen=True)
class LearningCurves:
    """The runs of one experiment."""

    metric: str
    """A score, or `loss`."""
    seeds: tuple[Line, ...]

    @property
    def mean(self) -> Line:
        """Over all seeds, where all of them have a value."""
        lines = [dict(line) for line in self.seeds]
        shared = [x for x in lines[0] if all(x in it for it in lines)] if lines else []
        return tuple((x, math.fsum(it[x] for it in lines) / len(lines)) for x in shared)

    @property
    def description(self) -> str:
        """`P@1, held out, of 3 seeds by epoch: their mean goes from 41.20 to 91.00; highest ...`"""
        loss, mean = self.metric == "loss", self.mean or self.seeds[0]
        epoch, best = (min if loss else max)(mean, key=lambda it: it[1])
        first, last, peak = (
            numbers.points(it, decimals=4 if loss else 2) for it in (mean[0][1], mean[-1][1], best)
        )
        what, end = ("training loss", "lowest") if loss else (f"{self.metric}, held out,", "highest")
        of = "it" if len(self.seeds) == 1 else "their mean"
        return (
            f"{what} of {plural(len(self.seeds), 'seed')} by epoch: {of} goes from {first} to {last}; "
            f"{end} {peak} in epoch {round(epoch, 1):g}."
        )


def curves_of(experiment: ExperimentRecord) -> LearningCurves | None:
    """The score by which a checkpoint was chosen, else the first that was measured, else the loss."""
    runs = sorted((it for it in experiment.runs if it.status == "done"), key=lambda it: it.spec.seed)
    measured = dict.fromkeys(name for run in runs for row in run.curve for name in row)
    chosen = runs[0].spec.protocol.get("select_metric") if runs else None
    scores = [name for name in measured if name not in ("epoch", "step", "loss", "seconds")]
    for metric in (*([chosen] if isinstance(chosen, str) and chosen in measured else ()), *scores, "loss"):
        curves = (((row.get("epoch"), row.get(metric)) for row in run.curve) for run in runs)
        # numbers that are none are left out, the last of one epoch counts
        lines = [
            {x: y for x, y in rows if x is not None and y is not None and numbers.is_drawable(y, x)}
            for rows in curves
        ]
        if seeds := tuple(tuple(sorted(line.items())) for line in lines if len(line) > 1):
            return LearningCurves(metric, seeds)
    return None


def learning_plot(curves: LearningCurves) -> str:
    """The curves as one `<svg>` element; empty where no line has two points."""
    lines = [line for line in curves.seeds if len(line) > 1]
    if not lines:
        return ""
    epochs, values = ([it[k] for line in lines for it in line] for k in (0, 1))
    across = Axis(min(epochs), max(epochs))
    # a loss that falls far is drawn by its logarithm, or all but its first epochs would lie on the axis
    log = curves.metric == "loss" and min(values) > 1e-6 and max(values) >= 20 * min(values)
    up = axis_over([math.log10(y) for y in values] if log else values)
    ticks = _powers(up) if log else list(zip(up.ticks(), up.labels(), strict=True))
    wide, top, bottom, right = 6.4, 22, 150, 324  # units a character of a tick label is wide, at most
    left = max(44, 7 + wide * max(len(number) for _, number in ticks))
    label = "training loss" if curves.metric == "loss" else f"{curves.metric}, held out, points"
    parts = [path("axis", f"M{left:g} {top}V{bottom}H{right}")]
    for tick, number in ticks:
        y = up.along(tick, bottom, top)
        parts.append(path("rail", f"M{left:g} {y:.1f}H{right}"))
        parts.append(f'<text class="up" x="{left - 5:g}" y="{y + 3.5:.1f}">{number}</text>')
    for tick, number in zip(across.ticks(), across.labels(), strict=True):
        x = across.along(tick, left, right)
        middle = min(x, WIDTH - wide * len(number) / 2)  # a long number stays inside the drawing
        parts.append(path("axis", f"M{x:.1f} {bottom}v4"))
        parts.append(f'<text class="across" x="{middle:.1f}" y="{bottom + 15}">{number}</text>')
    measured = escaped(shortened(f"{label}, logarithmic axis" if log else label, 50))
    parts.append(f'<text class="measured" x="2" y="11">{measured}</text>')
    parts.append(f'<text class="up" x="{right}" y="{bottom + 28}">epoch</text>')
    drawn = [("run", line) for line in lines]
    drawn += [("mean-line", curves.mean)] if len(lines) > 1 and len(curves.mean) > 1 else []
    for kind, line in drawn:
        kept = [*line[: -1 : -(-len(line) // 100)], line[-1]]  # a hundred points, of longer lines each second
        places = (
            (across.along(x, left, right), up.along(math.log10(y) if log else y, bottom, top))
            for x, y in kept
        )
        parts.append(path(kind, "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)))
    head = f'<svg class="plot learning" viewBox="0 0 {WIDTH} {bottom + 32}" role="img">'
    return f"{head}<title>{escaped(curves.description)}</title>{''.join(parts)}</svg>"


def _powers(axis: Axis) -> list[tuple[float, str]]:
    """Ticks of a logarithmic axis: powers of ten, and 2 and 5 times those where they are too few."""
    powers = range(math.floor(axis.low), math.floor(axis.high) + 1)
    for factors in ((1,), (1, 2, 5)):
        places = [
            (math.log10(f) + k, numbers.points(f * 10.0**k, decimals=max(0, -k)))
            for k in powers
            for f in factors
        ]
        inside = [it for it in places if axis.low <= it[0] <= axis.high]
        if len(inside) > 1:
            break
    return inside
