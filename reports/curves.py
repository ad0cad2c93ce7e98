"""Specification curves (Simonsohn, Simmons and Nelson 2020) and learning curves as hand-written SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from audit.record import ExperimentRecord, OpenChoice, Outcome, Run
from reports import digits
from reports.lookup import Lookup
from reports.svg import WIDTH, Axis, PlotBounds, axis_over, decimals_of, escaped
from reports.text import View, plural, shortened

#: Fewer readings are too few to say which of them stands apart.
_FEWEST = 5
#: At most one in so many stands outside; more are a group of their own, which belongs on the axis.
_ONE_IN = 5
#: So many times shorter must the axis become.
_SHORTER = 2


def set_aside(extents: Sequence[PlotBounds], fixed: Sequence[float] = ()) -> frozenset[int]:
    """By place, the fewest readings without which the axis is at most half as long; none if it takes many.

    `extents` are from the lowest to the highest number of each reading; `fixed` is on the axis in any case.

    >>> set_aside([(58, 60), (61, 63), (9, 12), (62, 64), (63, 66)])
    frozenset({2})
    """
    full = _length(extents, fixed)
    most = len(extents) // _ONE_IN if len(extents) >= _FEWEST else 0
    for number in range(1, most + 1):
        tried = [(_length(_without(extents, it), fixed), sorted(it)) for it in _extremes(extents, number)]
        shortest, places = min(tried)
        if 0 < full >= _SHORTER * shortest:
            return frozenset(places)
    return frozenset()


def _extremes(extents: Sequence[PlotBounds], number: int) -> Iterator[frozenset[int]]:
    """So many readings that reach lowest or highest, in every share of the two."""
    lowest = sorted(range(len(extents)), key=lambda k: extents[k][0])
    for below in range(number + 1):
        taken = lowest[:below]
        rest = sorted(set(lowest) - set(taken), key=lambda k: (-extents[k][1], k))
        yield frozenset([*taken, *rest[: number - below]])


def _without(extents: Sequence[PlotBounds], places: frozenset[int]) -> list[PlotBounds]:
    return [it for k, it in enumerate(extents) if k not in places]


def _length(extents: Sequence[PlotBounds], fixed: Sequence[float]) -> float:
    numbers = [*chain.from_iterable(extents), *fixed]
    return max(numbers) - min(numbers)


LEFT, RIGHT = 138, 334

TOP, BOTTOM = 20, 184

#: Above or below the axis, for the readings that lie beyond it.
_SCALE_STRIP = 24
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

    def span(self, interval: PlotBounds, x: float) -> str:
        """The path of an interval as far as the axis goes, an arrowhead where it goes on; empty beside it."""
        low, high = (self.y(it) for it in interval)
        below, above = (self.beyond(it) for it in interval)
        if below * above > 0:
            return ""
        drawn = f"M{x:.1f} {low:.1f}V{high:.1f}"
        drawn += f"M{x - 3:.1f} {low - 4:.1f}l3 4 3-4" if below else ""
        return drawn + (f"M{x - 3:.1f} {high + 4:.1f}l3-4 3 4" if above else "")


def scale_of(estimates: Sequence[float], extents: Sequence[PlotBounds], fixed: Sequence[float]) -> Scale:
    """An axis over all but the readings that would squeeze the others; with a strip beyond it for those."""
    aside = set_aside(extents, fixed)
    kept = [end for place, extent in enumerate(extents) if place not in aside for end in extent]
    held = axis_over([*kept, *fixed])
    bare = Scale(held.low, held.high, len(estimates))
    sides = {bare.beyond(it) for it in estimates}
    return replace(bare, top=TOP + _SCALE_STRIP * (1 in sides), bottom=BOTTOM - _SCALE_STRIP * (-1 in sides))


def off_scale(values: Sequence[float]) -> str:
    """Beside the readings that lie beyond the axis.

    >>> off_scale([10.3]), off_scale([7.04, 10.3, 8.5])
    ('off the scale: 10.30', 'off the scale: 7.04 to 10.30')
    """
    low, high = (digits.points(it) for it in (min(values), max(values)))
    return f"off the scale: {low}" if len(values) == 1 else f"off the scale: {low} to {high}"


def not_varied(number: int) -> str:
    """Below the choices, for what is open and was the same in all readings drawn.

    >>> not_varied(1)
    '1 open point is the same in all readings run'
    """
    are = "is" if number == 1 else "are"
    return f"{plural(number, 'open point')} {are} the same in all readings run"


_ROW = 12
#: A margin lower than this is drawn without its edges, which would run into the line of the printed number.
_THIN = 8
#: As many characters as stand beside the dots.
_CURVE_LABEL = 21


@dataclass(frozen=True)
class CurvePoint:
    """One reading: its choices by what is open, its estimate and interval in points, and its verdict."""

    choices: Mapping[str, str]
    estimate: float
    interval: PlotBounds | None
    outcome: Outcome
    default: bool = False

    @property
    def extent(self) -> PlotBounds:
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
    points: tuple[CurvePoint, ...]
    """In any order; drawn by estimate."""
    open: tuple[OpenChoice, ...]
    """The rows below, in the order of the claim file."""
    target: float | None = None
    target_label: str = ""
    margin: PlotBounds | None = None
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
        *_curve_against(curve, scale),
        *_curve_ruler(curve, scale),
        *_curve(points, scale),
        *_curve_off(points, scale),
        *rows,
    ]
    return _curve_svg(curve, height, parts, "plot curve dense" if scale.dense else "plot curve")


def _curve_svg(curve: Curve, height: float, parts: Sequence[str], classes: str) -> str:
    name = escaped(curve.id)
    return (
        f'<svg class="{classes}" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{escaped(curve.title)}</title>'
        f'<desc id="{name}-d">{escaped(curve.description)}</desc>{"".join(parts)}</svg>'
    )


def _curve_against(curve: Curve, scale: Scale) -> Iterator[str]:
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


def _curve_ruler(curve: Curve, scale: Scale) -> Iterator[str]:
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


def _curve(points: Sequence[CurvePoint], scale: Scale) -> Iterator[str]:
    """Interval and mark of each reading, from the smallest estimate to the largest."""
    for place, point in enumerate(points):
        x, y = scale.x(place), scale.height(point.estimate)
        if point.default:
            yield f'<path class="stem" d="M{x:.1f} {y:.1f}V{BOTTOM}"/>'
        if point.interval is not None and (drawn := scale.span(point.interval, x)):
            yield f'<path class="span" d="{drawn}"/>'
        yield _curve_mark(point.outcome, x, y, scale.radius)


def _curve_off(points: Sequence[CurvePoint], scale: Scale) -> Iterator[str]:
    """The values of the readings beyond either end of the axis, beside an arrow that points there."""
    for side, y in ((-1, scale.bottom + 10), (1, scale.top - 10)):
        places = [k for k, point in enumerate(points) if scale.beyond(point.estimate) == side]
        for x in map(scale.x, places):
            head = f"m-3 {3 * side}l3 {-3 * side} 3 {3 * side}"
            yield f'<path class="axis" d="M{x:.1f} {y - 5 * side}v{-6 * side}{head}"/>'
        if places:
            x, anchor = (scale.x(places[-1]) + 9, "start") if side < 0 else (scale.x(places[0]) - 9, "end")
            text = escaped(off_scale([points[k].estimate for k in places]))
            yield f'<text x="{x:.1f}" y="{y + 4}" text-anchor="{anchor}">{text}</text>'


def _curve_mark(outcome: Outcome, x: float, y: float, r: float) -> str:
    if outcome == "contradicted":
        arm = 2 * r
        return (
            f'<path class="cross" d="M{x - r:.1f} {y - r:.1f}l{arm:.1f} {arm:.1f}'
            f'm0 {-arm:.1f}l{-arm:.1f} {arm:.1f}"/>'
        )
    kind = "disc" if outcome == "reproduced" else "ring"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def _matrix(curve: Curve, points: Sequence[CurvePoint], scale: Scale) -> tuple[list[str], float]:
    """A heading for each open thing, and a row of dots for each of its choices; and the height reached.

    What was not varied in any reading drawn has no rows, only its number.
    """
    parts, y = [], BOTTOM + 18.0
    varied = [it for it in curve.open if len({point.choices[it.name] for point in points}) > 1]
    for it in varied:
        parts.append(_lane(_words(it.name), y))
        for choice in it.choices:
            y += _ROW
            label = escaped(shortened(_words(choice), _CURVE_LABEL))
            parts.append(f'<text x="{LEFT - 7}" y="{y:g}" text-anchor="end">{label}</text>')
            parts.append(_across("rail", y - 3.5))
            taken = (k for k, point in enumerate(points) if point.choices[it.name] == choice)
            parts += [_taken(scale, k, y - 3.5) for k in taken]
        y += _ROW + 6
    if len(varied) < len(curve.open):
        parts.append(_lane(not_varied(len(curve.open) - len(varied)), y))
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


LOSS = "training loss"
CURVES_EPOCH = "epoch"
LOG = "training loss, logarithmic axis"


def axis(metric: str, *, log: bool = False) -> str:
    """`P@1, held out, points`"""
    return (LOG if log else LOSS) if metric == "loss" else f"{metric}, held out, points"


def curves_also(number: int) -> str:
    """Before the names of experiments of the same runs.

    >>> curves_also(1)
    'and 1 more experiment of the same runs'
    """
    return f"and {plural(number, 'more experiment')} of the same runs"


def description(metric: str, seeds: int, first: float, last: float, best: tuple[float, float]) -> str:
    """What is drawn, with its numbers; `best` is the epoch and the value of the mean there.

    >>> description("P@1", 3, 41.2, 91.0, (17.0, 91.3))
    'P@1, held out, of 3 seeds by epoch: their mean goes from 41.20 to 91.00; highest 91.30 in epoch 17.'
    """
    what = LOSS if metric == "loss" else f"{metric}, held out,"
    peak = "lowest" if metric == "loss" else "highest"
    of = "it" if seeds == 1 else "their mean"
    return (
        f"{what} of {plural(seeds, 'seed')} by epoch: {of} goes from {_number(metric, first)} to "
        f"{_number(metric, last)}; {peak} {_number(metric, best[1])} in epoch {round(best[0], 1):g}."
    )


def _number(metric: str, value: float) -> str:
    return digits.points(value, decimals=4 if metric == "loss" else 2)


_LEARNING_LEFT, _LEARNING_RIGHT, _TOP, _BOTTOM = 44, 324, 22, 150

#: Units a character of a tick label is wide, at most.
_LEARNING_CHARACTER = 6.4
#: A loss whose largest value is so many times its smallest has a logarithmic axis.
_FAR = 20
#: Not where it comes so near to zero that the logarithm shows little else.
_NEAR_ZERO = 1e-6
#: What a row of a curve holds besides scores.
_NO_SCORE = ("epoch", "step", "loss", "seconds")
#: So many points of a line are drawn; of longer ones each second, third, ...
_POINTS = 100

LearningLine = tuple[tuple[float, float], ...]
"""(epoch, value), by epoch."""


@dataclass(frozen=True)
class Curves:
    """The runs of one experiment."""

    metric: str
    """A score, or `loss`."""
    seeds: tuple[LearningLine, ...]

    @property
    def mean(self) -> LearningLine:
        """Over all seeds, where all of them have a value."""
        held = [dict(line) for line in self.seeds]
        shared = [x for x in held[0] if all(x in it for it in held)] if held else []
        return tuple((x, math.fsum(it[x] for it in held) / len(held)) for x in shared)


def learning_curves(found: Lookup) -> tuple[View, ...]:
    """Of all experiments whose runs have curves of two epochs or more; those of the same runs have one."""
    held: dict[tuple[str, ...], list[ExperimentRecord]] = {}
    for it in found.audit.experiments:
        held.setdefault(tuple(sorted(run.key for run in it.runs)), []).append(it)
    drawn = (([found.title(it.id) for it in same], curves_of(same[0])) for same in held.values())
    return tuple(
        View(title=title, also=tuple(also), plot=plot, description=_learning_described(curves))
        for (title, *also), curves in drawn
        if curves and (plot := learning_draw(curves))
    )


def curves_of(experiment: ExperimentRecord) -> Curves | None:
    """The score by which a checkpoint was chosen, else the first that was measured, else the loss."""
    runs = sorted((it for it in experiment.runs if it.status == "done"), key=lambda it: it.spec.seed)
    for metric in _metrics(runs):
        lines = tuple(line for run in runs if len(line := _line(run, metric)) > 1)
        if lines:
            return Curves(metric, lines)
    return None


def _metrics(runs: Sequence[Run]) -> Iterator[str]:
    """In the order of preference."""
    measured = dict.fromkeys(name for run in runs for row in run.curve for name in row)
    for run in runs[:1]:
        chosen = run.spec.protocol.get("select_metric")
        if isinstance(chosen, str) and chosen in measured:
            yield chosen
    yield from (name for name in measured if name not in _NO_SCORE)
    yield "loss"


def _line(run: Run, metric: str) -> LearningLine:
    """The values by epoch; numbers that are none are left out, the last of one epoch counts."""
    rows = ((row.get("epoch"), row.get(metric)) for row in run.curve)
    held = {x: y for x, y in rows if x is not None and y is not None and math.isfinite(x) and _fits(y)}
    return tuple(sorted(held.items()))


def _fits(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 1e9


def _learning_described(curves: Curves) -> str:
    mean = curves.mean or curves.seeds[0]
    peak = min(mean, key=lambda it: it[1]) if curves.metric == "loss" else max(mean, key=lambda it: it[1])
    return description(curves.metric, len(curves.seeds), mean[0][1], mean[-1][1], peak)


@dataclass(frozen=True)
class _Scale:
    across: Axis
    up: Axis
    """Of the values, or of their decimal logarithms."""
    log: bool = False

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Upwards: where they stand on the axis, and their numbers."""
        if not self.log:
            return tuple(zip(self.up.ticks(), _learning_numbers(self.up), strict=True))
        powers = range(math.floor(self.up.low), math.floor(self.up.high) + 1)
        for factors in ((1,), (1, 2, 5)):  # powers of ten, and what lies between where they are too few
            places = [(math.log10(factor) + k, factor, k) for k in powers for factor in factors]
            held = [it for it in places if self.up.low <= it[0] <= self.up.high]
            if len(held) > 1:
                break
        return tuple((x, digits.points(f * 10.0**k, decimals=max(0, -k))) for x, f, k in held)

    @property
    def left(self) -> float:
        """Where the axis stands: as far in as its longest number needs."""
        return max(_LEARNING_LEFT, 7 + _LEARNING_CHARACTER * max(len(number) for _, number in self.ticks))

    def x(self, epoch: float) -> float:
        span = self.across.high - self.across.low
        return self.left + (epoch - self.across.low) / span * (_LEARNING_RIGHT - self.left)

    def y(self, value: float) -> float:
        return self.height(math.log10(value) if self.log else value)

    def height(self, value: float) -> float:
        """Of a place on the upright axis."""
        return _BOTTOM - (value - self.up.low) / (self.up.high - self.up.low) * (_BOTTOM - _TOP)


def learning_draw(curves: Curves) -> str:
    """The curves as one `<svg>` element; empty where no line has two points."""
    lines = [line for line in curves.seeds if len(line) > 1]
    if not lines:
        return ""
    scale = _learning_scale(curves.metric, lines)
    parts = [
        *_rulers(scale, axis(curves.metric, log=scale.log)),
        *(_learning_path("run", it, scale) for it in lines),
    ]
    if len(lines) > 1 and len(curves.mean) > 1:
        parts.append(_learning_path("mean-line", curves.mean, scale))
    return (
        f'<svg class="plot learning" viewBox="0 0 {WIDTH} {_BOTTOM + 32}" role="img">'
        f"<title>{escaped(_learning_described(curves))}</title>{''.join(parts)}</svg>"
    )


def _learning_scale(metric: str, lines: Sequence[LearningLine]) -> _Scale:
    """A loss that falls far is drawn by its logarithm: else all but its first epochs lies on the axis."""
    epochs = [x for line in lines for x, _ in line]
    values = [y for line in lines for _, y in line]
    across = Axis(min(epochs), max(epochs))
    if metric == "loss" and min(values) > _NEAR_ZERO and max(values) >= _FAR * min(values):
        return _Scale(across, axis_over([math.log10(y) for y in values]), log=True)
    return _Scale(across, axis_over(values))


def _learning_path(kind: str, line: LearningLine, scale: _Scale) -> str:
    every = -(-len(line) // _POINTS)
    kept = [*line[:-1:every], line[-1]]
    points = "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in kept)
    return f'<path class="{kind}" d="M{points}"/>'


def _rulers(scale: _Scale, label: str) -> Iterator[str]:
    """Both axes with their ticks and what they measure."""
    left = f"{scale.left:g}"
    yield f'<path class="axis" d="M{left} {_TOP}V{_BOTTOM}H{_LEARNING_RIGHT}"/>'
    for tick, number in scale.ticks:
        y = scale.height(tick)
        yield f'<path class="rail" d="M{left} {y:.1f}H{_LEARNING_RIGHT}"/>'
        yield f'<text class="up" x="{scale.left - 5:g}" y="{y + 3.5:.1f}">{number}</text>'
    for tick, number in zip(scale.across.ticks(), _learning_numbers(scale.across), strict=True):
        x = scale.x(tick)
        middle = min(
            x, WIDTH - _LEARNING_CHARACTER * len(number) / 2
        )  # a long number stays inside the drawing
        yield f'<path class="axis" d="M{x:.1f} {_BOTTOM}v4"/>'
        yield f'<text class="across" x="{middle:.1f}" y="{_BOTTOM + 15}">{number}</text>'
    yield f'<text class="measured" x="2" y="11">{escaped(shortened(label, 50))}</text>'
    yield f'<text class="up" x="{_LEARNING_RIGHT}" y="{_BOTTOM + 28}">{CURVES_EPOCH}</text>'


def _learning_numbers(axis: Axis) -> tuple[str, ...]:
    """The labels of its ticks, with as many digits as tell them apart."""
    ticks = axis.ticks()
    return tuple(digits.points(round(tick, 9), decimals=decimals_of(ticks)) for tick in ticks)
