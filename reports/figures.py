"""Figures for a paper, drawn by matplotlib in one style, the same bytes each time."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from audit.record import Audit, ClaimRecord, Scope
from reports.curves import Curve, LearningCurves, curve_of, curves_of, scale_of
from reports.lookup import Lookup, by_claim, by_runs, lookup
from reports.numbers import is_drawable
from reports.sentences import SCOPE_WORDS, STATUS_WORDS, Status, kind_words, status_of
from reports.svg import IntervalPlot, intervals_of
from reports.text import line, listed, quoted, shortened, slug, unique_slugs, visible
from reports.verdicts import coverage, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VALUES_AXIS = "ours − printed, points"
DIFFERENCES_AXIS = "difference, points"
Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")


class Panel(NamedTuple):
    """The intervals of one claim; beside it in a sum over many claims, its label and metric."""

    plot: IntervalPlot
    status: Status
    elsewhere: str
    """On what data, where they are not the paper's; else empty."""
    label: str
    part: str


@dataclass(frozen=True)
class PaperFigure:
    """One file, what it says to those who do not see it, and what draws it."""

    name: str
    """Of the file, without its ending."""
    title: str
    description: str
    draw: Callable[[], Figure]


def paper_figures(audit: Audit) -> Iterator[PaperFigure]:
    """Sums first, then learning curves, then one figure for each claim that was judged, over its metrics."""
    index = lookup(audit)
    panels = {claim.id: panel for claim in audit.claims if (panel := _panel(claim, index))}
    yield from _forests(index, panels)
    yield from _learning(index)
    groups = by_claim(audit.claims)
    names = unique_slugs("claim", [members[0].claim for members in groups])
    for members in groups:
        name, title = names[members[0].claim], line(index.claim_title(members[0]), 200)
        shown = [panels[it.id] for it in members if it.id in panels]
        if shown:
            said = " ".join(f"{it.plot.axis}: {it.plot.description}" for it in shown)
            yield PaperFigure(name, title, said, partial(draw_panels, shown))
        for claim in members:
            verdict = index.verdicts[claim.id]
            if audit.readings is None:
                continue
            curve = curve_of(claim, verdict, audit.readings, index.anchors[claim.id])
            if curve.is_drawable():
                note = f"bars: {coverage(verdict)[1]}% intervals; squares: the default reading"
                yield PaperFigure(
                    f"{name}-readings-{slug(subject_of(claim))}",
                    f"{line(index.claim_title(claim), 200)} ({curve.title})",
                    curve.description,
                    partial(draw_curve, curve, note),
                )


def _panel(claim: ClaimRecord, index: Lookup) -> Panel | None:
    """Only with a number to draw, and finite ones."""
    verdict = index.verdicts[claim.id]
    plot = intervals_of(claim, verdict, index.names(claim))
    if plot is None or (plot.estimate is None and not plot.lane_numbers):
        return None
    if not is_drawable(*plot.numbers, *plot.lane_numbers):
        return None
    lanes = tuple((line(label, 60), values) for label, values in plot.lanes)
    place = index.places.get(claim.cells[0]) if kind_words(claim).is_value and claim.cells else None
    label, part = index.claim_title(claim), subject_of(claim)
    if place:
        label, part = place.row.label, place.column.label
    plot = replace(plot, lanes=lanes, axis=line(plot.axis, 60))
    return Panel(plot, status_of(verdict), _elsewhere(verdict.scope), line(label, 180), line(part, 24))


def _elsewhere(scope: Scope | None) -> str:
    return "" if scope is None or scope == "same_data" else SCOPE_WORDS[scope]


def _with_data(axis: str, elsewhere: str) -> str:
    return f"{axis} ({elsewhere})" if elsewhere else axis


def _forests(index: Lookup, panels: dict[str, Panel]) -> Iterator[PaperFigure]:
    """Values measured from the printed number, then differences, so many to a figure."""
    own = [(claim, panels[claim.id]) for claim in index.audit.claims if claim.id in panels]
    values = [
        _from_target(it) for claim, it in own if kind_words(claim).is_value and it.plot.target is not None
    ]
    others = [it for claim, it in own if kind_words(claim).differs]
    for name, every, title, axis in (
        (
            "values",
            [_from_target(it) for it in values],
            "Printed values: ours minus the printed number",
            VALUES_AXIS,
        ),
        ("comparisons", others, "Comparisons: difference of the means", DIFFERENCES_AXIS),
    ):
        for end, rows in _parts(every, 40):
            said = "; ".join(f"{it.label}, {it.part}: {STATUS_WORDS[it.status].lower()}" for it in rows)
            yield PaperFigure(name + end, title, said, partial(draw_forest, rows, axis))


def _from_target(panel: Panel) -> Panel:
    """All numbers minus the printed one, which is the zero of the axis."""
    plot, zero = panel.plot, panel.plot.target or 0.0
    spans: dict[str, Any] = {
        name: (span[0] - zero, span[1] - zero)
        for name in ("margin", "ci90", "ci95", "pi95")
        if (span := getattr(plot, name)) is not None
    }
    estimate = None if plot.estimate is None else plot.estimate - zero
    return panel._replace(plot=replace(plot, estimate=estimate, target=None, **spans))


def _parts(items: Sequence[Any], size: int) -> Iterator[tuple[str, Sequence[Any]]]:
    """So many each, with the end of the file's name where there are several."""
    for k in range(0, len(items), size):
        yield (f"-{k // size + 1}" if len(items) > size else ""), items[k : k + size]


def _learning(index: Lookup) -> Iterator[PaperFigure]:
    """The curves of the page, those of one measure on one sort of data together."""
    panels: dict[tuple[str, Scope], list[tuple[str, LearningCurves]]] = {}
    for it, *_ in by_runs(index.audit.experiments):
        if curves := curves_of(it):
            panels.setdefault((curves.metric, it.scope), []).append((line(it.title or it.id, 72), curves))
    for (what, scope), own in panels.items():
        axis = _with_data("training loss" if what == "loss" else f"{what}, held out", _elsewhere(scope))
        name = f"learning-{slug(what)}" + ("" if scope == "same_data" else f"-{slug(scope)}")
        for end, shown in _parts(own, 12):
            said = (
                f"{what} after each epoch, one line a seed, of {listed(quoted(title for title, _ in shown))}."
            )
            title = "Learning curves, one line a seed"
            yield PaperFigure(name + end, title, said, partial(draw_learning, shown, axis))


# --------------------------------------------------------------------------- drawn

#: Inches: one column, and both.
_COLUMN, _PAGE = 3.35, 6.9
_INK, _QUIET, _BAND = "#1a1a1a", "#5c5c5c", "#dfe6ec"
#: Shape and colour, told apart without colour; white is hollow.
_MARKS: dict[Status, tuple[str, str]] = {
    "reproduced": ("D", "#009E73"),
    "contradicted": ("X", "#D55E00"),
    "inconclusive": ("o", "white"),
    "not_tested": ("|", "white"),
}
#: For lines that stand for seeds; each also has a dash of its own.
_CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a")
_DASHES: Any = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))
#: Of a printed number.
_PRINTED: dict[str, Any] = {"color": _INK, "linestyle": (0, (3, 1.5)), "linewidth": 0.8}
_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same widths everywhere
    "font.size": 7.0,
    "text.parse_math": False,  # a dollar sign in a claim is a dollar sign
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": 7.0,
    "lines.linewidth": 0.9,
    "savefig.dpi": 300,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "xmtc-audit",
    "pdf.fonttype": 42,
    "path.simplify": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), _INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), _QUIET),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 6.5),
    **dict.fromkeys(("xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
}
#: What would put the clock or a version into a file.
_METADATA: dict[Format, dict[str, None]] = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "ModDate", "Creator", "Producer")),
    "png": {"Software": None},
}


def draw_figure(figure: PaperFigure, kind: Format) -> bytes:
    """One figure as a file; an SVG has its title and description, for those who do not see it."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # signs that the typeface lacks become boxes, unsaid
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        usual: dict[str, Any] = {
            name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"
        }
        settings: Any = matplotlib.rcParams
        settings.update({**usual, **_STYLE})
        figure.draw().savefig(out, format=kind, metadata=_METADATA[kind])
    if kind != "svg":
        return out.getvalue()
    start, _, rest = out.getvalue().decode().partition("<svg")
    attributes, _, body = rest.partition(">")
    title, said = (escape(visible(text)) for text in (figure.title, figure.description))
    head = f'<svg{attributes} role="img">\n <title>{title}</title>\n <desc>{said}</desc>'
    return f"{start}{head}{body}".encode()


def _new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _note(axes: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], **more: Any) -> None:
    axes.annotate(text, at, xytext=shift, textcoords="offset points", **{"fontsize": 6.5, **more})


def _spans(axes: Axes, y: float, panel: Panel, size: float = 4.5) -> None:
    """Prediction dotted, outer thin with ends, inner thick, and the mark of the verdict on them."""
    plot, (shape, colour) = panel.plot, _MARKS[panel.status]
    if plot.pi95 is not None:
        axes.plot(plot.pi95, (y, y), color=_QUIET, linestyle=":", linewidth=1.0)
    if plot.ci95 is not None:
        axes.plot(plot.ci95, (y, y), color=_INK, linewidth=0.8, marker="|", ms=4, mew=0.8)
    if plot.ci90 is not None:
        axes.plot(plot.ci90, (y, y), color=_INK, linewidth=2.4, solid_capstyle="butt")
    axes.plot([plot.estimate or 0.0], [y], shape, mfc=colour, mec=_INK, ms=size, mew=0.8, zorder=5)


def draw_panels(panels: Sequence[Panel]) -> Figure:
    """The claim's metrics under each other: intervals, then the seeds of each arm on an axis of their own."""
    heights: list[float] = []
    for panel in panels:
        heights += [0.97] if panel.plot.estimate is not None else []
        heights += [0.22 * len(panel.plot.lanes) + 0.42] if panel.plot.lanes else []
    figure = _new(_COLUMN, sum(heights) + 0.1)
    axes = iter(figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0])
    for panel in panels:
        if panel.plot.estimate is not None:
            _draw_intervals(next(axes), panel)
        if panel.plot.lanes:
            _draw_lanes(next(axes), panel.plot)
    return figure


def _draw_intervals(axes: Axes, panel: Panel) -> None:
    """Each drawn over the one before: margin, zero, printed number, intervals and mean, seeds."""
    plot = panel.plot
    if plot.margin is not None:
        axes.axvspan(*plot.margin, color=_BAND, linewidth=0, zorder=0)
    if plot.zero:
        axes.axvline(0.0, color=_QUIET, linewidth=0.6)
    if plot.target is not None:
        axes.axvline(plot.target, **_PRINTED)
        label, at = visible(shortened(plot.target_label, 40)), (plot.target, 1.0)
        _note(axes, label, at, (0, 2), xycoords=("data", "axes fraction"), ha="center", va="bottom")
    _spans(axes, 0.62, panel, 5.5)
    axes.plot(plot.dots, [0.2] * len(plot.dots), "o", mfc="none", mec=_INK, ms=3.5, mew=0.7)
    said = f"{visible(_with_data(plot.axis, panel.elsewhere))}: {STATUS_WORDS[panel.status].lower()}"
    axes.set(ylim=(0.0, 1.0), yticks=[], xlabel=said)
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _draw_lanes(axes: Axes, plot: IntervalPlot) -> None:
    """Every seed of every arm, each arm on a rail below its name."""
    for k, (label, values) in enumerate(reversed(plot.lanes)):
        axes.axhline(k, color=_BAND, linewidth=0.8, zorder=0)
        axes.plot(values, [k] * len(values), "o", mfc="none", mec=_INK, ms=3.5, mew=0.7)
        at = ("axes fraction", "data")
        _note(axes, visible(label), (0.0, k), (0, 4), xycoords=at, fontsize=6.0, color=_QUIET)
    axes.set(ylim=(-0.5, len(plot.lanes) - 0.15), yticks=[], xlabel=visible(plot.lanes_axis))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def draw_forest(rows: Sequence[Panel], axis: str) -> Figure:
    """A row a claim on one axis; the verdict in shape, colour and word."""
    figure = _new(_PAGE, 0.19 * len(rows) + 0.6)
    axes = figure.subplots()
    axes.axvline(0.0, **_PRINTED if axis == VALUES_AXIS else {"color": _QUIET, "linewidth": 0.7})
    for k, row in enumerate(rows):
        if row.plot.margin is not None:
            axes.fill_betweenx((k - 0.42, k + 0.42), *row.plot.margin, color=_BAND, linewidth=0, zorder=0)
        if row.plot.target is not None:
            axes.plot([row.plot.target] * 2, (k - 0.4, k + 0.4), **_PRINTED)
        _spans(axes, k, row)
    everywhere = {row.elsewhere for row in rows}
    shared = everywhere.pop() if len(everywhere) == 1 else ""
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=_with_data(axis, shared))
    axes.set_yticks(range(len(rows)), [visible(row.part) for row in rows])
    apart = 4.6 * max(len(visible(row.part)) for row in rows) + 12  # points that a sign is wide at the most
    how: dict[str, Any] = {"ha": "right", "va": "center", "annotation_clip": False}
    for k, text in enumerate(_labels(rows)):
        _note(axes, text, (0.0, k), (-apart, 0), xycoords=("axes fraction", "data"), **how)
    axes.tick_params(axis="y", length=0)
    beside = axes.secondary_yaxis("right")
    texts = [_with_data(STATUS_WORDS[row.status].lower(), "" if shared else row.elsewhere) for row in rows]
    beside.set_yticks(range(len(rows)), texts)
    beside.tick_params(length=0)
    beside.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
    return figure


def _labels(rows: Sequence[Panel]) -> Iterator[str]:
    """The label of neighbours runs on in a column left of their parts, and is cut where they end."""
    for label, group in groupby(rows, key=lambda row: row.label):
        room = len(list(group))
        lines = textwrap.wrap(visible(label), 58) or [""]
        if len(lines) > room:
            lines = [*lines[: room - 1], shortened(" ".join(lines[room - 1 :]), 58)]
        yield from (*lines, *[""] * (room - len(lines)))


def draw_learning(panels: Sequence[tuple[str, LearningCurves]], axis: str) -> Figure:
    """Small multiples of at most three columns, one scale of scores for all; losses have a scale each."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    height, shared = 1.45 * lines + 0.25, axis.startswith("training loss")
    figure = _new(_COLUMN if columns == 1 else _PAGE, height)
    grid = figure.subplots(lines, columns, squeeze=False, sharey="none" if shared else "all")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for k, (axes, (title, curves)) in enumerate(zip(grid.flat, panels, strict=False)):
        for seed, points in enumerate(curves.seeds):
            colour, dash = _CYCLE[seed % len(_CYCLE)], _DASHES[seed % len(_DASHES)]
            axes.plot(*zip(*points, strict=True), color=colour, linestyle=dash)
        axes.set_title("\n".join(textwrap.wrap(visible(title), 38)[:2]), fontsize=6.0, loc="left")
        if k + columns >= len(panels):
            axes.set_xlabel("epoch")
    # said once for all, in lines that are no longer than the figure is high: 16 signs an inch
    figure.supylabel("\n".join(textwrap.wrap(visible(axis), int(16 * height))), fontsize=7.0)
    return figure


def draw_curve(curve: Curve, note: str) -> Figure:
    """A specification curve; `note` stands below and says what the bars are."""
    points, scale = curve.ordered, scale_of(curve)
    low, high = scale.low, scale.high
    fixed = [*(it.estimate for it in points), *curve.fixed]
    if not curve.zero and min(fixed) >= 0.0 and max(fixed) <= 100.0:  # the axis of a score has no more
        low, high = max(low, 0.0), min(high, 100.0)
    rows = [(it.name, choice) for it in curve.open for choice in it.choices]
    figure = _new(_PAGE if len(points) > 20 else _COLUMN, 1.8 + 0.16 * len(rows))
    ratios = [1.5, 0.16 * max(1, len(rows))]
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    above.set(ylim=(low, high), ylabel=visible(shortened(curve.axis, 40)))
    if curve.margin is not None:
        above.axhspan(*curve.margin, color=_BAND, linewidth=0, zorder=0)
    if curve.zero:
        above.axhline(0.0, color=_QUIET, linewidth=0.6)
    if curve.target is not None:
        above.axhline(curve.target, **_PRINTED)
        above.set_title(visible(shortened(curve.target_label, 40)), fontsize=6.5, loc="right", pad=3)
    for k, point in enumerate(points):
        if point.interval is not None:
            above.plot((k, k), point.interval, color=_INK, linewidth=0.8)
        shape, colour = _MARKS[point.outcome]
        above.plot(
            [k], [point.estimate], shape, mfc=colour, mec=_INK, ms=4.5, mew=0.8, zorder=5, clip_on=False
        )
        chosen = [r for r, (name, choice) in enumerate(rows) if point.choices.get(name) == choice]
        below.plot([k] * len(chosen), chosen, "s" if point.default else "o", color=_INK, ms=3.2)
    below.set(ylim=(len(rows) - 0.5, -0.5), xticks=[])
    figure.supxlabel(visible(note), fontsize=6.0)
    labels = (f"{name}: {choice}".replace("_", " ") for name, choice in rows)
    below.set_yticks(range(len(rows)), [visible(shortened(text, 44)) for text in labels])
    below.tick_params(axis="y", length=0)
    return figure
