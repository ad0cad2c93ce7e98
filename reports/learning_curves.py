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

_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 332, 22, 150
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
    plot: str
    """SVG."""
    description: str


def learning_curves(found: Lookup) -> tuple[LearningCurve, ...]:
    """Of all experiments whose runs have curves of two epochs or more; those of the same runs have one."""
    held: dict[tuple[str, ...], list[ExperimentRecord]] = {}
    for it in found.audit.experiments:
        held.setdefault(tuple(sorted(run.key for run in it.runs)), []).append(it)
    drawn = (("; ".join(found.title(it.id) for it in same), curves_of(same[0])) for same in held.values())
    return tuple(
        LearningCurve(title, plot, _described(curves))
        for title, curves in drawn
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

    def x(self, epoch: float) -> float:
        span = self.across.high - self.across.low
        return _LEFT + (epoch - self.across.low) / span * (_RIGHT - _LEFT)

    def y(self, value: float) -> float:
        return _BOTTOM - (value - self.up.low) / (self.up.high - self.up.low) * (_BOTTOM - _TOP)


def draw(curves: Curves) -> str:
    """The curves as one `<svg>` element; empty where no line has two points."""
    lines = [line for line in curves.seeds if len(line) > 1]
    if not lines:
        return ""
    epochs = [x for line in lines for x, _ in line]
    scale = _Scale(Axis(min(epochs), max(epochs)), axis_over([y for line in lines for _, y in line]))
    parts = [*_rulers(scale, words.axis(curves.metric)), *(_path("run", it, scale) for it in lines)]
    if len(lines) > 1 and len(curves.mean) > 1:
        parts.append(_path("mean-line", curves.mean, scale))
    return (
        f'<svg class="plot learning" viewBox="0 0 {WIDTH} {_BOTTOM + 32}" role="img">'
        f"<title>{escaped(_described(curves))}</title>{''.join(parts)}</svg>"
    )


def _path(kind: str, line: Line, scale: _Scale) -> str:
    every = -(-len(line) // _POINTS)
    kept = [*line[:-1:every], line[-1]]
    points = "L".join(f"{scale.x(x):.1f} {scale.y(y):.1f}" for x, y in kept)
    return f'<path class="{kind}" d="M{points}"/>'


def _rulers(scale: _Scale, label: str) -> Iterator[str]:
    """Both axes with their ticks and what they measure."""
    yield f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>'
    ticks = scale.up.ticks()
    for tick in ticks:
        y, number = scale.y(tick), digits.points(round(tick, 9), decimals=decimals_of(ticks))
        yield f'<path class="rail" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>'
        yield f'<text class="up" x="{_LEFT - 5}" y="{y + 3.5:.1f}">{number}</text>'
    ticks = scale.across.ticks()
    for tick in ticks:
        x, number = scale.x(tick), digits.points(round(tick, 9), decimals=decimals_of(ticks))
        yield f'<path class="axis" d="M{x:.1f} {_BOTTOM}v4"/>'
        yield f'<text class="across" x="{x:.1f}" y="{_BOTTOM + 15}">{number}</text>'
    yield f'<text class="measured" x="2" y="11">{escaped(shortened(label, 50))}</text>'
    yield f'<text class="up" x="{_RIGHT}" y="{_BOTTOM + 28}">{words.EPOCH}</text>'
