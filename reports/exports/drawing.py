"""Draws figures for a paper with matplotlib, which is imported here and only when one is drawn."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reports import wording
from reports.exports import figure_style as fs
from reports.exports.figure_data import ForestRow, LearningPanel, Panel, PaperFigure
from reports.figures import Bounds, Lane
from reports.specification_curve import Curve
from reports.strings import shortened, visible
from reports.wording import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The dashes of a printed number.
_PRINTED = (0, (3, 1.5))
#: Characters of a line of a label.
_LINE = 58
_INTERVAL_HEIGHT, _LANE_HEIGHT, _AXIS_HEIGHT = 0.55, 0.22, 0.42


def draw(found: PaperFigure, kind: fs.Format) -> bytes:
    """One figure as a file. Raises `ImportError` without matplotlib."""
    with fs.style():
        if found.panels:
            figure = _of_panels(found.panels)
        elif found.forest:
            figure = _forest(found.forest, found.axis)
        elif found.learning:
            figure = _learning(found.learning, found.axis)
        else:
            assert found.curve is not None
            figure = _specification(found.curve)
        return fs.saved(figure, kind, title=found.title, description=found.description)


def _new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


# --------------------------------------------------------------------------- one claim


def _of_panels(panels: Sequence[Panel]) -> Figure:
    """The claim's metrics under each other: intervals, then the seeds of each arm on an axis of their own."""
    heights: list[float] = []
    for panel in panels:
        if panel.plot.estimate is not None:
            heights.append(_INTERVAL_HEIGHT + _AXIS_HEIGHT)
        if panel.plot.lanes:
            heights.append(_LANE_HEIGHT * len(panel.plot.lanes) + _AXIS_HEIGHT)
    figure = _new(fs.COLUMN, sum(heights) + 0.1)
    axes = iter(figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0])
    for panel in panels:
        if panel.plot.estimate is not None:
            _intervals(next(axes), panel)
        if panel.plot.lanes:
            _lanes(next(axes), panel.plot.lanes, panel.plot.lanes_axis)
    return figure


def _intervals(axes: Axes, panel: Panel) -> None:
    """Each drawn over the one before: margin, zero, printed number, prediction, outer, inner, mean, seeds."""
    plot = panel.plot
    if plot.margin is not None:
        _band(axes, plot.margin)
    if plot.zero:
        axes.axvline(0.0, color=fs.QUIET, linewidth=0.6)
    if plot.target is not None:
        axes.axvline(plot.target, color=fs.INK, linestyle=_PRINTED, linewidth=0.8)
        axes.annotate(
            visible(shortened(plot.target_label, 40)),
            (plot.target, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=6.5,
        )
    _spans(axes, 0.62, plot.ci90, plot.ci95, plot.pi95)
    assert plot.estimate is not None
    _mean(axes, plot.estimate, 0.62, panel.status)
    if plot.dots:
        axes.plot(plot.dots, [0.2] * len(plot.dots), "o", mfc="none", mec=fs.INK, ms=3.5, mew=0.7)
    axes.set(ylim=(0.0, 1.0), yticks=[], xlabel=_said(panel))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _said(panel: Panel) -> str:
    """What the axis measures, and the verdict."""
    return f"{visible(figures.with_data(panel.plot.axis, panel.elsewhere))}: {panel.word.lower()}"


def _band(axes: Axes, margin: Bounds) -> None:
    axes.axvspan(*margin, color=fs.BAND, linewidth=0, zorder=0)
    for edge in margin:
        axes.axvline(edge, color=fs.QUIET, linewidth=0.4, zorder=0.5)


def _spans(
    axes: Axes, y: float, inner: Bounds | None, outer: Bounds | None, prediction: Bounds | None
) -> None:
    """Dotted, thin with ends, thick: told apart without colour."""
    if prediction is not None:
        axes.plot(prediction, (y, y), color=fs.QUIET, linestyle=":", linewidth=1.0)
    if outer is not None:
        axes.plot(outer, (y, y), color=fs.INK, linewidth=0.8, marker="|", markersize=4, markeredgewidth=0.8)
    if inner is not None:
        axes.plot(inner, (y, y), color=fs.INK, linewidth=2.4, solid_capstyle="butt")


def _mean(axes: Axes, x: float, y: float, status: wording.Status, size: float = 5.5) -> None:
    """The shape and the colour of the verdict; hollow where it is open."""
    hollow = status in ("inconclusive", "not_tested")
    axes.plot(
        [x],
        [y],
        fs.MARKERS[status],
        mfc="white" if hollow else fs.COLOURS[status],
        mec=fs.INK,
        ms=size,
        mew=0.8,
        zorder=5,
    )


def _lanes(axes: Axes, lanes: Sequence[Lane], label: str) -> None:
    """Every seed of every arm, each arm on a rail below its name."""
    for k, lane in enumerate(reversed(lanes)):
        axes.axhline(k, color=fs.BAND, linewidth=0.8, zorder=0)
        axes.plot(lane.values, [k] * len(lane.values), "o", mfc="none", mec=fs.INK, ms=3.5, mew=0.7)
        axes.annotate(
            visible(lane.label),
            (0.0, k),
            xycoords=("axes fraction", "data"),
            xytext=(0, 4),
            textcoords="offset points",
            fontsize=6.0,
            color=fs.QUIET,
        )
    axes.set(ylim=(-0.5, len(lanes) - 0.15), yticks=[], xlabel=visible(label))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


# --------------------------------------------------------------------------- sums


def _forest(rows: Sequence[ForestRow], axis: str) -> Figure:
    """A row a claim on one axis; the verdict in shape, colour and word."""
    figure = _new(fs.PAGE, 0.19 * len(rows) + 0.6)
    axes = figure.subplots()
    printed = axis == figures.VALUES_AXIS
    line = _PRINTED if printed else "-"
    axes.axvline(0.0, color=fs.INK if printed else fs.QUIET, linestyle=line, linewidth=0.7, zorder=1)
    for k, row in enumerate(rows):
        if row.margin is not None:
            axes.fill_betweenx((k - 0.42, k + 0.42), *row.margin, color=fs.BAND, linewidth=0, zorder=0)
        _spans(axes, k, row.ci90, row.ci95, row.pi95)
        if row.target is not None:
            axes.plot([row.target] * 2, (k - 0.4, k + 0.4), color=fs.INK, linestyle=_PRINTED, linewidth=0.9)
        _mean(axes, row.estimate, k, row.status, 4.5)
    everywhere = {row.elsewhere for row in rows}
    shared = everywhere.pop() if len(everywhere) == 1 else ""
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=figures.with_data(axis, shared))
    axes.set_yticks(range(len(rows)), list(_row_labels(rows)))
    axes.tick_params(axis="y", length=0)
    words = axes.secondary_yaxis("right")
    words.set_yticks(range(len(rows)), [_row_word(row, shared) for row in rows])
    words.tick_params(length=0)
    words.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
    return figure


def _row_labels(rows: Sequence[ForestRow]) -> Iterator[str]:
    """The label of neighbours runs on beside their parts, and is cut where they end."""
    for label, group in groupby(rows, key=lambda row: row.label):
        members = list(group)
        lines = textwrap.wrap(visible(label), _LINE) or [""]
        if len(lines) > len(members):
            lines = [*lines[: len(members) - 1], shortened(" ".join(lines[len(members) - 1 :]), _LINE)]
        for k, row in enumerate(members):
            yield f"{lines[k] if k < len(lines) else ''}   {visible(row.part)}".strip()


def _row_word(row: ForestRow, shared: str) -> str:
    return figures.with_data(row.word.lower(), "" if shared else row.elsewhere)


def _learning(panels: Sequence[LearningPanel], axis: str) -> Figure:
    """Small multiples of at most three columns, one scale of scores for all; losses have a scale each."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    width = fs.COLUMN if columns == 1 else fs.PAGE
    figure = _new(width, 1.45 * lines + 0.25)
    grid = figure.subplots(lines, columns, squeeze=False, sharey="none" if axis.startswith("loss") else "all")
    for k, axes in enumerate(grid.flat):
        if k >= len(panels):
            axes.set_axis_off()
            continue
        _seeds(axes, panels[k])
        if k % columns == 0:
            axes.set_ylabel(visible(axis))
        if k + columns >= len(panels):
            axes.set_xlabel(figures.EPOCH)
    return figure


def _seeds(axes: Axes, panel: LearningPanel) -> None:
    for k, points in enumerate(panel.seeds):
        x, y = zip(*points, strict=True)
        style: dict[str, Any] = {
            "color": fs.CYCLE[k % len(fs.CYCLE)],
            "linestyle": fs.DASHES[k % len(fs.DASHES)],
        }
        axes.plot(x, y, **style, marker="o" if len(points) == 1 else None, ms=3)
    lines = textwrap.wrap(visible(panel.title), 38)
    axes.set_title("\n".join(lines[:2]), fontsize=6.0, loc="left")


# --------------------------------------------------------------------------- readings


def _specification(curve: Curve) -> Figure:
    """The readings by estimate above, their choices as dots below (Simonsohn, Simmons and Nelson 2020)."""
    points = sorted(curve.points, key=lambda it: (it.estimate, not it.default))
    rows = [(it.name, choice) for it in curve.open for choice in it.choices]
    figure = _new(fs.PAGE if len(points) > 20 else fs.COLUMN, 1.6 + 0.16 * len(rows))
    above, below = figure.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [1.5, 0.16 * max(1, len(rows))]}
    )
    if curve.margin is not None:
        above.axhspan(*curve.margin, color=fs.BAND, linewidth=0, zorder=0)
    if curve.zero:
        above.axhline(0.0, color=fs.QUIET, linewidth=0.6)
    if curve.target is not None:
        above.axhline(curve.target, color=fs.INK, linestyle=_PRINTED, linewidth=0.8)
        above.annotate(
            visible(curve.target_label),
            (0.0, curve.target),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=6.5,
        )
    for k, point in enumerate(points):
        if point.interval is not None:
            above.plot((k, k), point.interval, color=fs.INK, linewidth=0.8)
        _mean(above, k, point.estimate, point.outcome, 4.5)
        chosen = [r for r, (name, choice) in enumerate(rows) if point.choices.get(name) == choice]
        below.plot([k] * len(chosen), chosen, "s" if point.default else "o", color=fs.INK, ms=3.2)
    above.set_ylabel(visible(shortened(curve.axis, 40)))
    below.set(ylim=(len(rows) - 0.5, -0.5), xticks=[])
    below.set_yticks(range(len(rows)), [visible(shortened(f"{name}: {it}", 40)) for name, it in rows])
    below.tick_params(axis="y", length=0)
    return figure
