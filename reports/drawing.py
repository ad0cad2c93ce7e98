"""Figures for a paper by matplotlib, imported when one is drawn: one style, the same bytes each time."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from reports import digits
from reports.curves import Curve, CurvePoint, Scale, off_scale, scale_of
from reports.figures import FIGURE_EPOCH, VALUES_AXIS, ForestRow, LearningPanel, Panel, PaperFigure, with_data
from reports.svg import Axis, Lane, PlotBounds, decimals_of
from reports.text import shortened, visible
from reports.words import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Format = Literal["svg", "pdf", "png"]

FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")

#: Width of one column, and of both.
COLUMN, PAGE = 3.35, 6.9

INK, QUIET, BAND = "#1a1a1a", "#5c5c5c", "#dfe6ec"

COLOURS: dict[Status, str] = {
    "reproduced": "#009E73",
    "contradicted": "#D55E00",
    "inconclusive": "#56B4E9",
    "not_tested": "#999999",
}
#: Filled diamond, cross, hollow circle: told apart without colour.
MARKERS: dict[Status, str] = {"reproduced": "D", "contradicted": "X", "inconclusive": "o", "not_tested": "|"}
#: For lines that stand for seeds; each also has a dash of its own.
CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))
_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same widths everywhere
    "font.size": 7.0,
    "text.parse_math": False,  # a dollar sign in a claim is a dollar sign
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 0.9,
    "savefig.dpi": 300,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "xmtc-audit",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
#: What would put the clock or a version into a file.
_METADATA: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
#: The dashes of a printed number.
STYLE_PRINTED = (0, (3, 1.5))


def new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def style_mark(axes: Axes, x: float, y: float, status: Status, size: float = 5.5) -> None:
    """The shape and the colour of the verdict; hollow where it is open."""
    hollow = status in ("inconclusive", "not_tested")
    axes.plot(
        [x],
        [y],
        MARKERS[status],
        mfc="white" if hollow else COLOURS[status],
        mec=INK,
        ms=size,
        mew=0.8,
        zorder=5,
    )


@contextmanager
def style() -> Iterator[None]:
    """The style for what is drawn and saved inside; signs that the typeface lacks become boxes, unsaid."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        usual = dict(matplotlib.rcParamsDefault)
        settings.update({name: value for name, value in usual.items() if name != "backend"})
        settings.update(_STYLE)
        yield


def saved(figure: Figure, kind: Format, *, title: str, description: str) -> bytes:
    """The file's bytes; an SVG has its title and description, for those who do not see it."""
    out = io.BytesIO()
    figure.savefig(out, format=kind, metadata=_METADATA[kind])
    content = out.getvalue()
    return _style_described(content.decode(), title, description).encode() if kind == "svg" else content


def _style_described(svg: str, title: str, description: str) -> str:
    start = svg.index("<svg")
    end = svg.index(">", start)
    said = f"<title>{_style_text(title)}</title>\n <desc>{_style_text(description)}</desc>"
    return f'{svg[:end]} role="img">\n {said}{svg[end + 1 :]}'


def _style_text(text: str) -> str:
    return escape(visible(text))


#: Characters of a line of a label.
_LINE = 58
#: Points that a sign of a part is wide, at the most.
_PART = 4.6
#: Signs of an axis label in an inch.
_SIGNS = 16

_INTERVAL_HEIGHT, _LANE_HEIGHT, _AXIS_HEIGHT = 0.55, 0.22, 0.42


def draw_figure(found: PaperFigure, kind: Format) -> bytes:
    """One figure as a file. Raises `ImportError` without matplotlib."""
    with style():
        if found.panels:
            figure = _of_panels(found.panels)
        elif found.forest:
            figure = _forest(found.forest, found.axis)
        elif found.learning:
            figure = _draw_learning(found.learning, found.axis)
        else:
            assert found.curve is not None
            figure = specification(found.curve, found.axis)
        return saved(figure, kind, title=found.title, description=found.description)


def _of_panels(panels: Sequence[Panel]) -> Figure:
    """The claim's metrics under each other: intervals, then the seeds of each arm on an axis of their own."""
    heights: list[float] = []
    for panel in panels:
        if panel.plot.estimate is not None:
            heights.append(_INTERVAL_HEIGHT + _AXIS_HEIGHT)
        if panel.plot.lanes:
            heights.append(_LANE_HEIGHT * len(panel.plot.lanes) + _AXIS_HEIGHT)
    figure = new(COLUMN, sum(heights) + 0.1)
    axes = iter(figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0])
    for panel in panels:
        if panel.plot.estimate is not None:
            _draw_intervals(next(axes), panel)
        if panel.plot.lanes:
            _draw_lanes(next(axes), panel.plot.lanes, panel.plot.lanes_axis)
    return figure


def _draw_intervals(axes: Axes, panel: Panel) -> None:
    """Each drawn over the one before: margin, zero, printed number, prediction, outer, inner, mean, seeds."""
    plot = panel.plot
    if plot.margin is not None:
        _band(axes, plot.margin)
    if plot.zero:
        axes.axvline(0.0, color=QUIET, linewidth=0.6)
    if plot.target is not None:
        axes.axvline(plot.target, color=INK, linestyle=STYLE_PRINTED, linewidth=0.8)
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
    style_mark(axes, plot.estimate, 0.62, panel.status)
    if plot.dots:
        axes.plot(plot.dots, [0.2] * len(plot.dots), "o", mfc="none", mec=INK, ms=3.5, mew=0.7)
    axes.set(ylim=(0.0, 1.0), yticks=[], xlabel=_draw_said(panel))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _draw_said(panel: Panel) -> str:
    """What the axis measures, and the verdict."""
    return f"{visible(with_data(panel.plot.axis, panel.elsewhere))}: {panel.word.lower()}"


def _band(axes: Axes, margin: PlotBounds) -> None:
    axes.axvspan(*margin, color=BAND, linewidth=0, zorder=0)
    for edge in margin:
        axes.axvline(edge, color=QUIET, linewidth=0.4, zorder=0.5)


def _spans(
    axes: Axes, y: float, inner: PlotBounds | None, outer: PlotBounds | None, prediction: PlotBounds | None
) -> None:
    """Dotted, thin with ends, thick: told apart without colour."""
    if prediction is not None:
        axes.plot(prediction, (y, y), color=QUIET, linestyle=":", linewidth=1.0)
    if outer is not None:
        axes.plot(outer, (y, y), color=INK, linewidth=0.8, marker="|", markersize=4, markeredgewidth=0.8)
    if inner is not None:
        axes.plot(inner, (y, y), color=INK, linewidth=2.4, solid_capstyle="butt")


def _draw_lanes(axes: Axes, lanes: Sequence[Lane], label: str) -> None:
    """Every seed of every arm, each arm on a rail below its name."""
    for k, lane in enumerate(reversed(lanes)):
        axes.axhline(k, color=BAND, linewidth=0.8, zorder=0)
        axes.plot(lane.values, [k] * len(lane.values), "o", mfc="none", mec=INK, ms=3.5, mew=0.7)
        axes.annotate(
            visible(lane.label),
            (0.0, k),
            xycoords=("axes fraction", "data"),
            xytext=(0, 4),
            textcoords="offset points",
            fontsize=6.0,
            color=QUIET,
        )
    axes.set(ylim=(-0.5, len(lanes) - 0.15), yticks=[], xlabel=visible(label))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _forest(rows: Sequence[ForestRow], axis: str) -> Figure:
    """A row a claim on one axis; the verdict in shape, colour and word."""
    figure = new(PAGE, 0.19 * len(rows) + 0.6)
    axes = figure.subplots()
    printed = axis == VALUES_AXIS
    line = STYLE_PRINTED if printed else "-"
    axes.axvline(0.0, color=INK if printed else QUIET, linestyle=line, linewidth=0.7, zorder=1)
    for k, row in enumerate(rows):
        if row.margin is not None:
            axes.fill_betweenx((k - 0.42, k + 0.42), *row.margin, color=BAND, linewidth=0, zorder=0)
        _spans(axes, k, row.ci90, row.ci95, row.pi95)
        if row.target is not None:
            axes.plot([row.target] * 2, (k - 0.4, k + 0.4), color=INK, linestyle=STYLE_PRINTED, linewidth=0.9)
        style_mark(axes, row.estimate, k, row.status, 4.5)
    everywhere = {row.elsewhere for row in rows}
    shared = everywhere.pop() if len(everywhere) == 1 else ""
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=with_data(axis, shared))
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
    for k, line in enumerate(_draw_lines(rows)):
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


def _draw_lines(rows: Sequence[ForestRow]) -> Iterator[str]:
    for label, group in groupby(rows, key=lambda row: row.label):
        members = list(group)
        lines = textwrap.wrap(visible(label), _LINE) or [""]
        if len(lines) > len(members):
            lines = [*lines[: len(members) - 1], shortened(" ".join(lines[len(members) - 1 :]), _LINE)]
        yield from (lines[k] if k < len(lines) else "" for k in range(len(members)))


def _row_word(row: ForestRow, shared: str) -> str:
    return with_data(row.word.lower(), "" if shared else row.elsewhere)


def _draw_learning(panels: Sequence[LearningPanel], axis: str) -> Figure:
    """Small multiples of at most three columns, one scale of scores for all; losses have a scale each."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    width = COLUMN if columns == 1 else PAGE
    height = 1.45 * lines + 0.25
    figure = new(width, height)
    grid = figure.subplots(lines, columns, squeeze=False, sharey="none" if axis.startswith("loss") else "all")
    for k, axes in enumerate(grid.flat):
        if k >= len(panels):
            axes.set_axis_off()
            continue
        _draw_seeds(axes, panels[k])
        if k + columns >= len(panels):
            axes.set_xlabel(FIGURE_EPOCH)
    # said once for all, in lines that are no longer than the figure is high
    figure.supylabel("\n".join(textwrap.wrap(visible(axis), int(_SIGNS * height))), fontsize=7.0)
    return figure


def _draw_seeds(axes: Axes, panel: LearningPanel) -> None:
    for k, points in enumerate(panel.seeds):
        x, y = zip(*points, strict=True)
        style: dict[str, Any] = {"color": CYCLE[k % len(CYCLE)], "linestyle": DASHES[k % len(DASHES)]}
        axes.plot(x, y, **style, marker="o" if len(points) == 1 else None, ms=3)
    lines = textwrap.wrap(visible(panel.title), 38)
    axes.set_title("\n".join(lines[:2]), fontsize=6.0, loc="left")


#: Of the axis, for the readings that lie beyond it.
_DRAWN_STRIP = 0.22
#: A short slanting stroke, of which two stand where the axis is broken off.
_BREAK: Any = [(-1.0, -0.5), (1.0, 0.5)]


def specification(curve: Curve, note: str) -> Figure:
    """The figure; `note` stands below and says what the bars are."""
    points = sorted(curve.points, key=lambda it: (it.estimate, not it.default))
    rows = [(it.name, choice) for it in curve.open for choice in it.choices]
    figure = new(PAGE if len(points) > 20 else COLUMN, 1.8 + 0.16 * len(rows))
    above, below = figure.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [1.5, 0.16 * max(1, len(rows))]}
    )
    scale = _drawn_scale(curve, points)
    _drawn_ruler(above, curve, scale, points)
    _drawn_against(above, curve)
    for k, point in enumerate(points):
        _reading(above, k, point, scale)
        chosen = [r for r, (name, choice) in enumerate(rows) if point.choices.get(name) == choice]
        below.plot([k] * len(chosen), chosen, "s" if point.default else "o", color=INK, ms=3.2)
    _drawn_off(above, points, scale)
    below.set(ylim=(len(rows) - 0.5, -0.5), xticks=[])
    figure.supxlabel(visible(note), fontsize=6.0)
    below.set_yticks(range(len(rows)), [_choice(name, it) for name, it in rows])
    below.tick_params(axis="y", length=0)
    return figure


def _drawn_scale(curve: Curve, points: Sequence[CurvePoint]) -> Scale:
    """The page's, and within 0 and 100 where all estimates are: the axis of a score has no more."""
    estimates, fixed = [it.estimate for it in points], curve.fixed
    found = scale_of(estimates, [it.extent for it in points], fixed)
    if curve.zero or min(*estimates, *fixed) < 0.0 or max(*estimates, *fixed) > 100.0:
        return found
    return Scale(max(found.low, 0.0), min(found.high, 100.0), found.number, found.top, found.bottom)


def _drawn_ruler(axes: Axes, curve: Curve, scale: Scale, points: Sequence[CurvePoint]) -> None:
    """The axis as far as it goes, its ticks, and two strokes where it is broken off."""
    strip = _DRAWN_STRIP * (scale.high - scale.low)
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
                    mec=QUIET,
                    mew=0.7,
                    clip_on=False,
                )


def _drawn_against(axes: Axes, curve: Curve) -> None:
    """Shaded margin, the zero of a difference, and the printed number, named above the plot."""
    if curve.margin is not None:
        axes.axhspan(*curve.margin, color=BAND, linewidth=0, zorder=0)
    if curve.zero:
        axes.axhline(0.0, color=QUIET, linewidth=0.6)
    if curve.target is not None:
        axes.axhline(curve.target, color=INK, linestyle=STYLE_PRINTED, linewidth=0.8)
        axes.set_title(visible(shortened(curve.target_label, 40)), fontsize=6.5, loc="right", pad=3)


def _reading(axes: Axes, place: int, point: CurvePoint, scale: Scale) -> None:
    """Its interval as far as the axis goes, an arrowhead where it goes on; and its mark."""
    if point.interval is not None:
        low, high = (min(max(it, scale.low), scale.high) for it in point.interval)
        below, above = (scale.beyond(it) for it in point.interval)
        if below * above <= 0:
            axes.plot((place, place), (low, high), color=INK, linewidth=0.8)
        for end, off, head in ((low, below < 0 <= above, "v"), (high, above > 0 >= below, "^")):
            if off:
                axes.plot([place], [end], head, color=INK, ms=3, clip_on=False)
    strip = 0.5 * _DRAWN_STRIP * (scale.high - scale.low)
    side = scale.beyond(point.estimate)
    y = {-1: scale.low - strip, 0: point.estimate, 1: scale.high + strip}[side]
    style_mark(axes, place, y, point.outcome, 4.5)


def _drawn_off(axes: Axes, points: Sequence[CurvePoint], scale: Scale) -> None:
    """The values of the readings beyond either end of the axis."""
    strip = 0.5 * _DRAWN_STRIP * (scale.high - scale.low)
    for side, y, arrow in ((-1, scale.low - strip, "↓"), (1, scale.high + strip, "↑")):
        places = [k for k, it in enumerate(points) if scale.beyond(it.estimate) == side]
        if places:
            place, anchor, shift = (places[-1], "left", 5) if side < 0 else (places[0], "right", -5)
            axes.annotate(
                f"{arrow} {off_scale([points[k].estimate for k in places])}",
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
