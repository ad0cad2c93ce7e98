"""Figures for a paper: what they show, and drawn by matplotlib in one style, the same bytes each time."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from audit.record import Audit, ClaimRecord, Run, Scope, Verdict
from reports.curves import Curve, CurvePoint, Scale, curve_of, off_scale, scale_of
from reports.lookup import Lookup, by_claim, lookup
from reports.numbers import is_drawable
from reports.sentences import DIFFERENCES, SCOPE_WORDS, STATUS_WORDS, Status, status_of
from reports.svg import IntervalPlot, Lane, difference_margin, intervals_of
from reports.text import line, listed, quoted, shortened, slug, visible
from reports.verdicts import Bounds, claim_title, coverage, open_in, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VALUES_AXIS = "ours − printed, points"
DIFFERENCES_AXIS = "difference, points"

# --------------------------------------------------------------------------- what they show


@dataclass(frozen=True)
class Panel:
    """The interval plot of one metric."""

    plot: IntervalPlot
    status: Status
    elsewhere: str
    """On what data, where they are not the paper's; else empty."""


@dataclass(frozen=True)
class ForestRow:
    """One claim among many on one axis."""

    label: str
    part: str
    """The column or metric, which stands beside the label."""
    status: Status
    elsewhere: str
    estimate: float
    target: float | None
    """Printed difference; None for a value, whose printed number is the zero of the axis."""
    margin: Bounds | None
    ci90: Bounds | None
    ci95: Bounds | None
    pi95: Bounds | None


@dataclass(frozen=True)
class LearningPanel:
    """One experiment."""

    title: str
    seeds: tuple[tuple[tuple[float, float], ...], ...]
    """For each seed its points: epoch, and score or loss."""


@dataclass(frozen=True)
class PaperFigure:
    """One file. Exactly one of the last four is given."""

    name: str
    """Of the file, without its ending."""
    title: str
    description: str
    axis: str = ""
    """What the axis measures; of a curve, which has it itself, what its bars are."""
    panels: tuple[Panel, ...] = ()
    forest: tuple[ForestRow, ...] = ()
    learning: tuple[LearningPanel, ...] = ()
    curve: Curve | None = None


def paper_figures(audit: Audit) -> Iterator[PaperFigure]:
    """Sums first, then learning curves, then one figure for each claim that was judged, over its metrics."""
    index = lookup(audit)
    yield from _forests(index)
    yield from _learning(index)
    taken: set[str] = set()
    for members in by_claim(audit.claims):
        name = stem = f"claim-{slug(members[0].claim)}"
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        pairs = ((it, _panel(it, index)) for it in members)
        panels = [panel for _, panel in pairs if panel]
        if panels:
            said = " ".join(f"{it.plot.axis}: {it.plot.description}" for it in panels)
            yield PaperFigure(name, _title(members[0], index), said, panels=tuple(panels))
        for claim in members:
            verdict, readings = index.verdicts.get(claim.id), audit.readings
            if verdict and readings and len(verdict.readings) > 1:
                curve = curve_of(claim, verdict, open_in(claim, readings), index.anchors[claim.id])
                if curve.is_drawable():
                    yield PaperFigure(
                        f"{name}-readings-{slug(subject_of(claim))}",
                        f"{_title(claim, index)} ({curve.title})",
                        curve.description,
                        f"bars: {coverage(verdict)[1]}% intervals; squares: the default reading",
                        curve=curve,
                    )


def with_data(axis: str, elsewhere: str) -> str:
    """What an axis measures, and on what data where they are not the paper's."""
    return f"{axis} ({elsewhere})" if elsewhere else axis


def _elsewhere(scope: Scope | None) -> str:
    return "" if scope is None or scope == "same_data" else SCOPE_WORDS[scope]


def _title(claim: ClaimRecord, index: Lookup) -> str:
    return line(claim_title(claim, index.names(claim)), 200)


def _parts(items: Sequence[Any], size: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """So many each, with the end of the file's name where there are several."""
    for k in range(0, len(items), size):
        yield (f"-{k // size + 1}" if len(items) > size else ""), tuple(items[k : k + size])


def _panel(claim: ClaimRecord, index: Lookup) -> Panel | None:
    """Only with a number to draw, and lanes with shortened names."""
    verdict = index.verdicts.get(claim.id)
    plot = intervals_of(claim, verdict, index.names(claim))
    if plot is None or verdict is None or (plot.estimate is None and not plot.lane_numbers):
        return None
    if not is_drawable(*plot.numbers, *plot.lane_numbers):
        return None
    lanes = tuple(replace(lane, label=line(lane.label, 60)) for lane in plot.lanes)
    plot = replace(plot, lanes=lanes, axis=line(plot.axis, 60))
    return Panel(plot, status_of(verdict), _elsewhere(verdict.scope))


def _forests(index: Lookup) -> Iterator[PaperFigure]:
    values, differences = [], []
    for claim in index.audit.claims:
        verdict = index.verdicts.get(claim.id)
        if verdict is None:
            continue
        if claim.kind == "value" and verdict.scope != "other_data" and verdict.target is not None:
            margin = None if verdict.margin is None else (-verdict.margin, verdict.margin)
            values.append(_forest_row(claim, verdict, index, verdict.target, None, margin))
        elif claim.kind in DIFFERENCES:
            target = verdict.target if verdict.scope != "other_data" else None
            margin = difference_margin(claim, verdict, target)
            differences.append(_forest_row(claim, verdict, index, 0.0, target, margin))
    for name, rows, title, axis in (
        ("values", values, "Printed values: ours minus the printed number", VALUES_AXIS),
        ("comparisons", differences, "Comparisons: difference of the means", DIFFERENCES_AXIS),
    ):
        for end, shown in _parts([row for row in rows if row], 40):
            said = "; ".join(f"{it.label}, {it.part}: {STATUS_WORDS[it.status].lower()}" for it in shown)
            yield PaperFigure(name + end, title, said, axis, forest=shown)


def _forest_row(
    claim: ClaimRecord,
    verdict: Verdict,
    index: Lookup,
    zero: float,
    target: float | None,
    margin: Bounds | None,
) -> ForestRow | None:
    """Measured from `zero`; None where there is no finite number to draw."""
    if verdict.estimate is None:
        return None
    place = index.places.get(claim.cells[0]) if claim.kind == "value" and claim.cells else None
    label, part = claim_title(claim, index.names(claim)), subject_of(claim)
    if place:
        label, part = place.row.label, place.column.label

    def less(bounds: Bounds | None) -> Bounds | None:
        return None if bounds is None else (bounds[0] - zero, bounds[1] - zero)

    row = ForestRow(
        label=line(label, 180),
        part=line(part, 24),
        status=status_of(verdict),
        elsewhere=_elsewhere(verdict.scope),
        estimate=verdict.estimate - zero,
        target=target,
        margin=margin,
        ci90=less(verdict.ci90),
        ci95=less(verdict.ci95),
        pi95=less(verdict.pi95) if claim.kind == "value" else None,
    )
    ends = (*(row.ci95 or ()), *(row.pi95 or ()), *(margin or ()), target or 0.0)
    return row if is_drawable(row.estimate, *ends) else None


def _learning(index: Lookup) -> Iterator[PaperFigure]:
    """Of each experiment with runs of its own; several experiments may rest on the same runs."""
    panels: dict[tuple[str, Scope], list[LearningPanel]] = {}
    seen = set()
    for it in index.audit.experiments:
        runs = [run for run in it.runs if run.curve]
        keys = tuple(run.key for run in runs)
        if not runs or keys in seen:
            continue
        seen.add(keys)
        what = _measured(runs)
        seeds = [
            tuple((row["epoch"], row[what]) for row in run.curve if what in row and "epoch" in row)
            for run in sorted(runs, key=lambda run: run.spec.seed)
        ]
        drawn = tuple(
            seed for seed in seeds if seed and is_drawable(*(number for at in seed for number in at))
        )
        if drawn:
            panel = LearningPanel(line(it.title or it.id, 72), drawn)
            panels.setdefault((what, it.scope), []).append(panel)
    for (what, scope), own in panels.items():
        axis = with_data(what if what == "loss" else f"{what} while training, percent", _elsewhere(scope))
        name = f"learning-{slug(what)}" + ("" if scope == "same_data" else f"-{slug(scope)}")
        for end, shown in _parts(own, 12):
            said = f"{what} after each epoch, one line a seed, of {listed(quoted(it.title for it in shown))}."
            yield PaperFigure(name + end, "Learning curves, one line a seed", said, axis, learning=shown)


def _measured(runs: Sequence[Run]) -> str:
    """P@1 where it was measured after epochs, else the first metric that was, else the loss."""
    kept = {name for run in runs for row in run.curve for name in row}
    metrics = [name for name in runs[0].metrics if name in kept]
    return "P@1" if "P@1" in metrics else (metrics or ["loss"])[0]


# --------------------------------------------------------------------------- drawn

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
#: Inches: one column, and both.
_COLUMN, _PAGE = 3.35, 6.9
_INK, _QUIET, _BAND = "#1a1a1a", "#5c5c5c", "#dfe6ec"
#: Shape, colour, and whether it is filled: told apart without colour.
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
_PRINTED: Any = (0, (3, 1.5))
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
_METADATA: dict[Format, tuple[str, ...]] = {
    "svg": ("Date", "Creator", "Format", "Type"),
    "pdf": ("CreationDate", "ModDate", "Creator", "Producer"),
    "png": ("Software",),
}


def draw_figure(figure: PaperFigure, kind: Format) -> bytes:
    """One figure as a file; an SVG has its title and description, for those who do not see it."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # signs that the typeface lacks become boxes, unsaid
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        settings: Any = matplotlib.rcParams
        usual = dict(matplotlib.rcParamsDefault)
        settings.update({name: value for name, value in usual.items() if name != "backend"})
        settings.update(_STYLE)
        if figure.panels:
            drawn = _draw_panels(figure.panels)
        elif figure.forest:
            drawn = _draw_forest(figure.forest, figure.axis)
        elif figure.learning:
            drawn = _draw_learning(figure.learning, figure.axis)
        else:
            assert figure.curve is not None
            drawn = _draw_curve(figure.curve, figure.axis)
        content = _saved(drawn, kind)
    if kind != "svg":
        return content
    start, _, rest = content.decode().partition("<svg")
    attributes, _, body = rest.partition(">")
    title, said = (escape(visible(it)) for it in (figure.title, figure.description))
    head = f'<svg{attributes} role="img">\n <title>{title}</title>\n <desc>{said}</desc>'
    return f"{start}{head}{body}".encode()


def _saved(drawn: Figure, kind: Format) -> bytes:
    out = io.BytesIO()
    drawn.savefig(out, format=kind, metadata=dict.fromkeys(_METADATA[kind]))
    return out.getvalue()


def _new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _mark(axes: Axes, x: float, y: float, status: Status, size: float = 4.5) -> None:
    """The shape and the colour of the verdict; hollow where it is open."""
    shape, colour = _MARKS[status]
    axes.plot([x], [y], shape, mfc=colour, mec=_INK, ms=size, mew=0.8, zorder=5)


def _note(axes: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], **more: Any) -> None:
    axes.annotate(text, at, xytext=shift, textcoords="offset points", **{"fontsize": 6.5, **more})


def _spans(axes: Axes, y: float, it: IntervalPlot | ForestRow) -> None:
    """Prediction dotted, outer thin with ends, inner thick: told apart without colour."""
    if it.pi95 is not None:
        axes.plot(it.pi95, (y, y), color=_QUIET, linestyle=":", linewidth=1.0)
    if it.ci95 is not None:
        axes.plot(it.ci95, (y, y), color=_INK, linewidth=0.8, marker="|", markersize=4, markeredgewidth=0.8)
    if it.ci90 is not None:
        axes.plot(it.ci90, (y, y), color=_INK, linewidth=2.4, solid_capstyle="butt")


def _dots(axes: Axes, values: Sequence[float], y: float) -> None:
    axes.plot(values, [y] * len(values), "o", mfc="none", mec=_INK, ms=3.5, mew=0.7)


def _draw_panels(panels: Sequence[Panel]) -> Figure:
    """The claim's metrics under each other: intervals, then the seeds of each arm on an axis of their own."""
    heights: list[float] = []
    for panel in panels:
        heights += [0.55 + 0.42] if panel.plot.estimate is not None else []
        heights += [0.22 * len(panel.plot.lanes) + 0.42] if panel.plot.lanes else []
    figure = _new(_COLUMN, sum(heights) + 0.1)
    axes = iter(figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0])
    for panel in panels:
        if panel.plot.estimate is not None:
            _draw_intervals(next(axes), panel, panel.plot.estimate)
        if panel.plot.lanes:
            _draw_lanes(next(axes), panel.plot.lanes, panel.plot.lanes_axis)
    return figure


def _draw_intervals(axes: Axes, panel: Panel, estimate: float) -> None:
    """Each drawn over the one before: margin, zero, printed number, prediction, outer, inner, mean, seeds."""
    plot = panel.plot
    if plot.margin is not None:
        axes.axvspan(*plot.margin, color=_BAND, linewidth=0, zorder=0)
        for edge in plot.margin:
            axes.axvline(edge, color=_QUIET, linewidth=0.4, zorder=0.5)
    if plot.zero:
        axes.axvline(0.0, color=_QUIET, linewidth=0.6)
    if plot.target is not None:
        axes.axvline(plot.target, color=_INK, linestyle=_PRINTED, linewidth=0.8)
        label, at = visible(shortened(plot.target_label, 40)), (plot.target, 1.0)
        _note(axes, label, at, (0, 2), xycoords=("data", "axes fraction"), ha="center", va="bottom")
    _spans(axes, 0.62, plot)
    _mark(axes, estimate, 0.62, panel.status, 5.5)
    if plot.dots:
        _dots(axes, plot.dots, 0.2)
    said = f"{visible(with_data(plot.axis, panel.elsewhere))}: {STATUS_WORDS[panel.status].lower()}"
    axes.set(ylim=(0.0, 1.0), yticks=[], xlabel=said)
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _draw_lanes(axes: Axes, lanes: Sequence[Lane], label: str) -> None:
    """Every seed of every arm, each arm on a rail below its name."""
    for k, lane in enumerate(reversed(lanes)):
        axes.axhline(k, color=_BAND, linewidth=0.8, zorder=0)
        _dots(axes, lane.values, k)
        at = ("axes fraction", "data")
        _note(axes, visible(lane.label), (0.0, k), (0, 4), xycoords=at, fontsize=6.0, color=_QUIET)
    axes.set(ylim=(-0.5, len(lanes) - 0.15), yticks=[], xlabel=visible(label))
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)


def _draw_forest(rows: Sequence[ForestRow], axis: str) -> Figure:
    """A row a claim on one axis; the verdict in shape, colour and word."""
    figure = _new(_PAGE, 0.19 * len(rows) + 0.6)
    axes = figure.subplots()
    printed = axis == VALUES_AXIS
    colour, dash = (_INK, _PRINTED) if printed else (_QUIET, "-")
    axes.axvline(0.0, color=colour, linestyle=dash, linewidth=0.7, zorder=1)
    for k, row in enumerate(rows):
        if row.margin is not None:
            axes.fill_betweenx((k - 0.42, k + 0.42), *row.margin, color=_BAND, linewidth=0, zorder=0)
        _spans(axes, k, row)
        if row.target is not None:
            axes.plot([row.target] * 2, (k - 0.4, k + 0.4), color=_INK, linestyle=_PRINTED, linewidth=0.9)
        _mark(axes, row.estimate, k, row.status)
    everywhere = {row.elsewhere for row in rows}
    shared = everywhere.pop() if len(everywhere) == 1 else ""
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=with_data(axis, shared))
    axes.set_yticks(range(len(rows)), [visible(row.part) for row in rows])
    apart = 4.6 * max(len(visible(row.part)) for row in rows) + 12  # points that a sign is wide at the most
    for k, text in enumerate(_labels(rows)):
        if text:
            at, how = ("axes fraction", "data"), {"ha": "right", "va": "center", "annotation_clip": False}
            _note(axes, text, (0.0, k), (-apart, 0), xycoords=at, **how)
    axes.tick_params(axis="y", length=0)
    beside = axes.secondary_yaxis("right")
    texts = (with_data(STATUS_WORDS[row.status].lower(), "" if shared else row.elsewhere) for row in rows)
    beside.set_yticks(range(len(rows)), list(texts))
    beside.tick_params(length=0)
    beside.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
    return figure


def _labels(rows: Sequence[ForestRow]) -> Iterator[str]:
    """The label of neighbours runs on in a column left of their parts, and is cut where they end."""
    for label, group in groupby(rows, key=lambda row: row.label):
        room = len(list(group))
        lines = textwrap.wrap(visible(label), 58) or [""]
        if len(lines) > room:
            lines = [*lines[: room - 1], shortened(" ".join(lines[room - 1 :]), 58)]
        yield from (*lines, *[""] * (room - len(lines)))


def _draw_learning(panels: Sequence[LearningPanel], axis: str) -> Figure:
    """Small multiples of at most three columns, one scale of scores for all; losses have a scale each."""
    columns = min(3, len(panels))
    lines = math.ceil(len(panels) / columns)
    height = 1.45 * lines + 0.25
    figure = _new(_COLUMN if columns == 1 else _PAGE, height)
    grid = figure.subplots(lines, columns, squeeze=False, sharey="none" if axis.startswith("loss") else "all")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for k, (axes, panel) in enumerate(zip(grid.flat, panels, strict=False)):
        for seed, points in enumerate(panel.seeds):
            dots = {"marker": "o" if len(points) == 1 else None, "ms": 3}
            colour, dash = _CYCLE[seed % len(_CYCLE)], _DASHES[seed % len(_DASHES)]
            axes.plot(*zip(*points, strict=True), color=colour, linestyle=dash, **dots)
        axes.set_title("\n".join(textwrap.wrap(visible(panel.title), 38)[:2]), fontsize=6.0, loc="left")
        if k + columns >= len(panels):
            axes.set_xlabel("epoch")
    # said once for all, in lines that are no longer than the figure is high: 16 signs an inch
    figure.supylabel("\n".join(textwrap.wrap(visible(axis), int(16 * height))), fontsize=7.0)
    return figure


def _draw_curve(curve: Curve, note: str) -> Figure:
    """A specification curve; `note` stands below and says what the bars are."""
    points, scale = curve.ordered, scale_of(curve)
    fixed = [*(it.estimate for it in points), *curve.fixed]
    if not curve.zero and min(fixed) >= 0.0 and max(fixed) <= 100.0:  # the axis of a score has no more
        scale = replace(scale, low=max(scale.low, 0.0), high=min(scale.high, 100.0))
    rows = [(it.name, choice) for it in curve.open for choice in it.choices]
    figure = _new(_PAGE if len(points) > 20 else _COLUMN, 1.8 + 0.16 * len(rows))
    ratios = [1.5, 0.16 * max(1, len(rows))]
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    strip = 0.22 * (scale.high - scale.low)  # of the axis, for the readings that lie beyond it
    _draw_ruler(above, curve, scale, strip)
    for k, point in enumerate(points):
        _draw_reading(above, k, point, scale, strip)
        chosen = [r for r, (name, choice) in enumerate(rows) if point.choices.get(name) == choice]
        below.plot([k] * len(chosen), chosen, "s" if point.default else "o", color=_INK, ms=3.2)
    _draw_off(above, points, scale, strip)
    below.set(ylim=(len(rows) - 0.5, -0.5), xticks=[])
    figure.supxlabel(visible(note), fontsize=6.0)
    labels = (f"{name}: {choice}".replace("_", " ") for name, choice in rows)
    below.set_yticks(range(len(rows)), [visible(shortened(it, 44)) for it in labels])
    below.tick_params(axis="y", length=0)
    return figure


def _draw_ruler(axes: Axes, curve: Curve, scale: Scale, strip: float) -> None:
    """The axis as far as it goes, with two strokes where it is broken off; margin, zero, printed number."""
    sides = scale.beyond_ends
    axes.set_ylim(scale.low - strip * (-1 in sides), scale.high + strip * (1 in sides))
    axes.set_yticks(scale.ticks(), scale.labels())
    axes.spines["left"].set_bounds(scale.low, scale.high)
    axes.set_ylabel(visible(shortened(curve.axis, 40)))
    stroke: Any = [(-1.0, -0.5), (1.0, 0.5)]
    for side, end in ((-1, scale.low), (1, scale.high)):
        for shift in (0.0, 0.12 * side * strip) if side in sides else ():
            how = {"marker": stroke, "ms": 6, "mec": _QUIET, "mew": 0.7, "clip_on": False}
            axes.plot([0.0], [end + shift], transform=axes.get_yaxis_transform(), **how)
    if curve.margin is not None:
        axes.axhspan(*curve.margin, color=_BAND, linewidth=0, zorder=0)
    if curve.zero:
        axes.axhline(0.0, color=_QUIET, linewidth=0.6)
    if curve.target is not None:
        axes.axhline(curve.target, color=_INK, linestyle=_PRINTED, linewidth=0.8)
        axes.set_title(visible(shortened(curve.target_label, 40)), fontsize=6.5, loc="right", pad=3)


def _draw_reading(axes: Axes, place: int, point: CurvePoint, scale: Scale, strip: float) -> None:
    """Its interval as far as the axis goes, an arrowhead where it goes on; and its mark."""
    if point.interval is not None:
        low, high = (min(max(it, scale.low), scale.high) for it in point.interval)
        below, above = map(scale.beyond, point.interval)
        if below * above <= 0:
            axes.plot((place, place), (low, high), color=_INK, linewidth=0.8)
        for end, off, head in ((low, below < 0 <= above, "v"), (high, above > 0 >= below, "^")):
            if off:
                axes.plot([place], [end], head, color=_INK, ms=3, clip_on=False)
    y = {-1: scale.low - strip / 2, 0: point.estimate, 1: scale.high + strip / 2}
    _mark(axes, place, y[scale.beyond(point.estimate)], point.outcome)


def _draw_off(axes: Axes, points: Iterable[CurvePoint], scale: Scale, strip: float) -> None:
    """The values of the readings beyond either end of the axis."""
    for side, y, arrow in ((-1, scale.low - strip / 2, "↓"), (1, scale.high + strip / 2, "↑")):
        off = {k: it.estimate for k, it in enumerate(points) if scale.beyond(it.estimate) == side}
        if off:
            place, anchor, shift = (max(off), "left", 5) if side < 0 else (min(off), "right", -5)
            text = f"{arrow} {off_scale(list(off.values()))}"
            _note(axes, text, (place, y), (shift, 0), ha=anchor, va="center", fontsize=6.0)
