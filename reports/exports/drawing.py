"""Draws figures for a paper with matplotlib, which is imported here and only when one is drawn."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reports.exports import figure_style as fs
from reports.exports.drawing_readings import specification
from reports.exports.figure_data import ForestRow, LearningPanel, Panel, PaperFigure
from reports.figures import Bounds, Lane
from reports.strings import shortened, visible
from reports.wording import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Characters of a line of a label.
_LINE = 58
#: Points that a sign of a part is wide, at the most.
_PART = 4.6
#: Signs of an axis label in an inch.
_SIGNS = 16
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
            figure = specification(found.curve, found.axis)
        return fs.saved(figure, kind, title=found.title, description=found.description)


# --------------------------------------------------------------------------- one claim


def _of_panels(panels: Sequence[Panel]) -> Figure:
    """The claim's metrics under each other: intervals, then the seeds of each arm on an axis of their own."""
    heights: list[float] = []
    for panel in panels:
        if panel.plot.estimate is not None:
            heights.append(_INTERVAL_HEIGHT + _AXIS_HEIGHT)
        if panel.plot.lanes:
            heights.append(_LANE_HEIGHT * len(panel.plot.lanes) + _AXIS_HEIGHT)
    figure = fs.new(fs.COLUMN, sum(heights) + 0.1)
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
        axes.axvline(plot.target, color=fs.INK, linestyle=fs.PRINTED, linewidth=0.8)
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
    fs.mark(axes, plot.estimate, 0.62, panel.status)
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
    figure = fs.new(fs.PAGE, 0.19 * len(rows) + 0.6)
    axes = figure.subplots()
    printed = axis == figures.VALUES_AXIS
    line = fs.PRINTED if printed else "-"
    axes.axvline(0.0, color=fs.INK if printed else fs.QUIET, linestyle=line, linewidth=0.7, zorder=1)
    for k, row in enumerate(rows):
        if row.margin is not None:
            axes.fill_betweenx((k - 0.42, k + 0.42), *row.margin, color=fs.BAND, linewidth=0, zorder=0)
        _spans(axes, k, row.ci90, row.ci95, row.pi95)
        if row.target is not None:
            axes.plot([row.target] * 2, (k - 0.4, k + 0.4), color=fs.INK, linestyle=fs.PRINTED, linewidth=0.9)
        fs.mark(axes, row.estimate, k, row.status, 4.5)
    everywhere = {row.elsewhere for row in rows}
    shared = everywhere.pop() if len(everywhere) == 1 else ""
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=figures.with_data(axis, shared))
    axes.set_yticks(range(len(rows)), [visible(row.part) for row in rows])
    _labels(axes, rows)
    axes.tick_params(axis="y", length=0)
    words = axes.secondary_yaxis("right")
    words.set_yticks(range(len(rows)), [_row_word(row, shared) for row in rows])
    words.tick_params(length=0)
    words.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
    return figure


def _labels(axes: Axes, rows: Sequence[ForestRow]) -> None:
    """The label of neighbours runs on in a column left of their parts, and is cut where they end."""
    apart = _PART * max(len(visible(row.part)) for row in rows) + 12
    for k, line in enumerate(_lines(rows)):
        if line:
            axes.annotate(
                line,
                (0.0, k),
                xycoords=("axes fraction", "data"),
                xytext=(-apart, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=6.5,
                annotation_clip=False,
            )


def _lines(rows: Sequence[ForestRow]) -> Iterator[str]:
    for label, group in groupby(rows, key=lambda row: row.label):
        members = list(group)
        lines = textwrap.wrap(visible(label), _LINE) or [""]
        if len(lines) > len(members):
            lines = [*lines[: len(members) - 1], shortened(" ".join(lines[len(members) - 1 :]), _LINE)]
        yield from (lines[k] if k < len(lines) else "" for k in range(len(members)))


def _row_word(row: ForestRow, shared: str) -> str:
    return figures.with_data(row.word.lower(), "" if shared else row.elsewhere)


def _learning(panels: Sequence[LearningPanel], axis: str) -> Figure:
    """Small multiples of at most three columns, one scale of scores for all; losses have a scale each."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    width = fs.COLUMN if columns == 1 else fs.PAGE
    height = 1.45 * lines + 0.25
    figure = fs.new(width, height)
    grid = figure.subplots(lines, columns, squeeze=False, sharey="none" if axis.startswith("loss") else "all")
    for k, axes in enumerate(grid.flat):
        if k >= len(panels):
            axes.set_axis_off()
            continue
        _seeds(axes, panels[k])
        if k + columns >= len(panels):
            axes.set_xlabel(figures.EPOCH)
    # said once for all, in lines that are no longer than the figure is high
    figure.supylabel("\n".join(textwrap.wrap(visible(axis), int(_SIGNS * height))), fontsize=7.0)
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
