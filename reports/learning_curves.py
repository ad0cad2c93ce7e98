"""Learning curves: the score on held-out documents by epoch, each seed thin and their mean thick.

Drawn as the plots of `reports.figures` are: 340 units wide, colours by the style sheet, text as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.record import ExperimentRecord, Run
from reports import digits
from reports.figures import WIDTH, Axis, axis_over, decimals_of, escaped
from reports.lookup import Lookup
from reports.strings import shortened
from reports.wording import curves as words

_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 324, 22, 150
#: Units a character of a tick label is wide, at most.
_CHARACTER = 6.4
#: A loss whose largest value is so many times its smallest has a logarithmic axis.
_FAR = 20
#: Not where it comes so near to zero that the logarithm shows little else.
_NEAR_ZERO = 1e-6
#: What a row of a curve holds besides scores.
_NO_SCORE = ("epoch", "step", "loss", "seconds")
#: So many points of a line are drawn; of longer ones each second, third, ...
_POINTS = 100

Line = tuple[tuple[float, float], ...]
"""(epoch, value), by epoch."""


@dataclass(frozen=True)
class Curves:
    """The runs of one experiment."""

    metric: str
    """A score, or `loss`."""
    seeds: tuple[Line, ...]

    @property
    def mean(self) -> Line:
        """Over all seeds, where all of them have a value."""
        held = [dict(line) for line in self.seeds]
        shared = [x for x in held[0] if all(x in it for it in held)] if held else []
        return tuple((x, math.fsum(it[x] for it in held) / len(held)) for x in shared)


@dataclass(frozen=True)
class LearningCurve:
    """One experiment's curves, drawn."""

    title: str
    also: tuple[str, ...]
    """Other experiments of the same runs."""
    plot: str
    """SVG."""
    description: str


def learning_curves(found: Lookup) -> tuple[LearningCurve, ...]:
    """Of all experiments whose runs have curves of two epochs or more; those of the same runs have one."""
    held: dict[tuple[str, ...], list[ExperimentRecord]] = {}
    for it in found.audit.experiments:
        held.setdefault(tuple(sorted(run.key for run in it.runs)), []).append(it)
    drawn = (([found.title(it.id) for it in same], curves_of(same[0])) for same in held.values())
    return tuple(
        LearningCurve(title, tuple(also), plot, _described(curves))
        for (title, *also), curves in drawn
        if curves and (plot := draw(curves))
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


def _line(run: Run, metric: str) -> Line:
    """The values by epoch; numbers that are none are left out, the last of one epoch counts."""
    rows = ((row.get("epoch"), row.get(metric)) for row in run.curve)
    held = {x: y for x, y in rows if x is not None and y is not None and math.isfinite(x) and _fits(y)}
    return tuple(sorted(held.items()))


def _fits(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 1e9


def _described(curves: Curves) -> str:
    mean = curves.mean or curves.seeds[0]
    peak = min(mean, key=lambda it: it[1]) if curves.metric == "loss" else max(mean, key=lambda it: it[1])
    return words.description(curves.metric, len(curves.seeds), mean[0][1], mean[-1][1], peak)


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
            return tuple(zip(self.up.ticks(), _numbers(self.up), strict=True))
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
        return max(_LEFT, 7 + _CHARACTER * max(len(number) for _, number in self.ticks))

    def x(self, epoch: float) -> float:
        span = self.across.high - self.across.low
        return self.left + (epoch - self.across.low) / span * (_RIGHT - self.left)

    def y(self, value: float) -> float:
        return self.height(math.log10(value) if self.log else value)

    def height(self, value: float) -> float:
        """Of a place on the upright axis."""
        return _BOTTOM - (value - self.up.low) / (self.up.high - self.up.low) * (_BOTTOM - _TOP)


def draw(curves: Curves) -> str:
    """The curves as one `<svg>` element; empty where no line has two points."""
    lines = [line for line in curves.seeds if len(line) > 1]
    if not lines:
        return ""
    scale = _scale(curves.metric, lines)
    parts = [
        *_rulers(scale, words.axis(curves.metric, log=scale.log)),
        *(_path("run", it, scale) for it in lines),
    ]
    if len(lines) > 1 and len(curves.mean) > 1:
        parts.append(_path("mean-line", curves.mean, scale))
    return (
        f'<svg class="plot learning" viewBox="0 0 {WIDTH} {_BOTTOM + 32}" role="img">'
        f"<title>{escaped(_described(curves))}</title>{''.join(parts)}</svg>"
    )


def _scale(metric: str, lines: Sequence[Line]) -> _Scale:
    """A loss that falls far is drawn by its logarithm: else all but its first epochs lies on the axis."""
    epochs = [x for line in lines for x, _ in line]
    values = [y for line in lines for _, y in line]
    across = Axis(min(epochs), max(epochs))
    if metric == "loss" and min(values) > _NEAR_ZERO and max(values) >= _FAR * min(values):
        return _Scale(across, axis_over([math.log10(y) for y in values]), log=True)
    return _Scale(across, axis_over(values))


def _path(kind: str, line: Line, scale: _Scale) -> str:
    every = -(-len(line) // _POINTS)
    kept = [*line[:-1:every], line[-1]]
    points = "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in kept)
    return f'<path class="{kind}" d="M{points}"/>'


def _rulers(scale: _Scale, label: str) -> Iterator[str]:
    """Both axes with their ticks and what they measure."""
    left = f"{scale.left:g}"
    yield f'<path class="axis" d="M{left} {_TOP}V{_BOTTOM}H{_RIGHT}"/>'
    for tick, number in scale.ticks:
        y = scale.height(tick)
        yield f'<path class="rail" d="M{left} {y:.1f}H{_RIGHT}"/>'
        yield f'<text class="up" x="{scale.left - 5:g}" y="{y + 3.5:.1f}">{number}</text>'
    for tick, number in zip(scale.across.ticks(), _numbers(scale.across), strict=True):
        x = scale.x(tick)
        middle = min(x, WIDTH - _CHARACTER * len(number) / 2)  # a long number stays inside the drawing
        yield f'<path class="axis" d="M{x:.1f} {_BOTTOM}v4"/>'
        yield f'<text class="across" x="{middle:.1f}" y="{_BOTTOM + 15}">{number}</text>'
    yield f'<text class="measured" x="2" y="11">{escaped(shortened(label, 50))}</text>'
    yield f'<text class="up" x="{_RIGHT}" y="{_BOTTOM + 28}">{words.EPOCH}</text>'


def _numbers(axis: Axis) -> tuple[str, ...]:
    """The labels of its ticks, with as many digits as tell them apart."""
    ticks = axis.ticks()
    return tuple(digits.points(round(tick, 9), decimals=decimals_of(ticks)) for tick in ticks)
