"""What the figures for a paper show, as data: `reports.drawing` draws them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.record import Audit, ClaimRecord, ExperimentRecord, Run, Scope, Verdict
from reports.claims import Told, by_claim, told
from reports.curves import Curve
from reports.fields import DIFFERENCES, coverage
from reports.lookup import Lookup, lookup
from reports.readings import curve_of, open_in
from reports.svg import IntervalPlot, PlotBounds, intervals_of
from reports.text import line, listed, shortened, slug
from reports.words import SCOPE_WORDS, Status

FIGURE_VALUES = "Printed values: ours minus the printed number"
VALUES_AXIS = "ours − printed, points"
FIGURE_DIFFERENCES = "Comparisons: difference of the means"
DIFFERENCES_AXIS = "difference, points"
LEARNING = "Learning curves, one line a seed"
FIGURE_EPOCH = "epoch"


def with_data(axis: str, elsewhere: str) -> str:
    """What an axis measures, and on what data where they are not the paper's."""
    return f"{axis} ({elsewhere})" if elsewhere else axis


def while_training(what: str, scope: Scope) -> str:
    """`P@1 while training, percent (stand-in data)`"""
    axis = what if what == "loss" else f"{what} while training, percent"
    return with_data(axis, "" if scope == "same_data" else SCOPE_WORDS[scope])


def bars(level: str) -> str:
    """Below a specification curve: what is drawn of each reading."""
    return f"bars: {level}% intervals; squares: the default reading"


def learning(what: str, titles: Sequence[str]) -> str:
    """What the learning curves show, for those who do not see them."""
    return f"{what} after each epoch, one line a seed, of {listed([f'“{title}”' for title in titles])}."


@dataclass(frozen=True)
class Panel:
    plot: IntervalPlot
    status: Status
    word: str
    elsewhere: str
    """On what data, where they are not the paper's; else empty."""


@dataclass(frozen=True)
class ForestRow:
    label: str
    part: str
    """The column or metric, which stands beside the label."""
    status: Status
    word: str
    elsewhere: str
    """As in `Panel`."""
    estimate: float
    target: float | None
    """Printed difference; None for a value, whose printed number is the zero of the axis."""
    margin: PlotBounds | None
    ci90: PlotBounds | None
    ci95: PlotBounds | None
    pi95: PlotBounds | None


@dataclass(frozen=True)
class LearningPanel:
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
    panels: tuple[Panel, ...] = ()
    forest: tuple[ForestRow, ...] = ()
    learning: tuple[LearningPanel, ...] = ()
    curve: Curve | None = None
    axis: str = ""
    """What the axis measures; of a curve, which has it itself, what its bars are."""


_ROWS = 40
_PANELS = 12
_PAPER_LABEL = 60


def paper_figures(audit: Audit) -> Iterator[PaperFigure]:
    """Sums first, then learning curves, then one figure for each claim that was judged, over its metrics."""
    claims, found = told(audit), lookup(audit)
    yield from _forests(claims, found)
    yield from _paper_learning(audit)
    yield from _paper_claims(claims, found)


def _paper_claims(claims: Sequence[Told], found: Lookup) -> Iterator[PaperFigure]:
    taken: set[str] = set()
    for members in by_claim(claims):
        name = stem = f"claim-{slug(members[0].claim.claim)}"
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        pairs = ((it, _paper_intervals(it, found)) for it in members)
        panels = tuple(Panel(plot, it.status, it.word, _elsewhere(it.verdict)) for it, plot in pairs if plot)
        if panels:
            said = " ".join(f"{it.plot.axis}: {it.plot.description}" for it in panels)
            yield PaperFigure(name, _title(members[0]), said, panels=panels)
        yield from _readings(members, found, name)


def _paper_intervals(it: Told, found: Lookup) -> IntervalPlot | None:
    """Only with a number to draw, and lanes with shortened names."""
    plot = intervals_of(it.claim, it.verdict, found.names(it.claim))
    if plot is None or (plot.estimate is None and not any(lane.values for lane in plot.lanes)):
        return None
    spans = [span for span in (plot.ci90, plot.ci95, plot.pi95, plot.margin) if span]
    numbers = [*plot.dots, *(end for span in spans for end in span)]
    numbers += [value for value in (plot.estimate, plot.target) if value is not None]
    numbers += [value for lane in plot.lanes for value in lane.values]
    if not all(_drawable(number) for number in numbers):
        return None
    lanes = tuple(replace(lane, label=shortened(line(lane.label), _PAPER_LABEL)) for lane in plot.lanes)
    return replace(plot, lanes=lanes, axis=shortened(line(plot.axis), _PAPER_LABEL))


def _readings(members: Sequence[Told], found: Lookup, name: str) -> Iterator[PaperFigure]:
    readings = found.audit.readings
    for it in members:
        if readings is None or it.verdict is None or len(it.verdict.readings) < 2:
            continue
        curve = curve_of(it.claim, it.verdict, open_in(it.claim, readings), found.anchors[it.claim.id])
        numbers = [number for point in curve.points for number in (point.estimate, *(point.interval or ()))]
        if len(curve.points) > 1 and all(map(_drawable, numbers)):
            file = f"{name}-readings-{slug(it.subject)}"
            yield PaperFigure(
                file,
                f"{_title(it)} ({curve.title})",
                curve.description,
                curve=curve,
                axis=bars(coverage(it.verdict)[1]),
            )


def _elsewhere(verdict: Verdict | None) -> str:
    scope = verdict.scope if verdict else None
    return "" if scope is None or scope == "same_data" else SCOPE_WORDS[scope]


def _title(it: Told) -> str:
    return shortened(line(it.title), 200)


def _drawable(number: float) -> bool:
    return math.isfinite(number) and abs(number) < 1e9


def _forests(claims: Sequence[Told], found: Lookup) -> Iterator[PaperFigure]:
    values = [row for it in claims if it.claim.kind == "value" and (row := _paper_value_row(it, found))]
    differences = [row for it in claims if it.claim.kind in DIFFERENCES and (row := _difference_row(it))]
    for name, rows, title, axis in (
        ("values", values, FIGURE_VALUES, VALUES_AXIS),
        ("comparisons", differences, FIGURE_DIFFERENCES, DIFFERENCES_AXIS),
    ):
        number = -(-len(rows) // _ROWS)
        for part in range(number):
            shown = tuple(rows[part * _ROWS : (part + 1) * _ROWS])
            file = name + (f"-{part + 1}" if number > 1 else "")
            said = "; ".join(f"{row.label}, {row.part}: {row.word.lower()}" for row in shown)
            yield PaperFigure(file, title, said, forest=shown, axis=axis)


def _paper_value_row(it: Told, found: Lookup) -> ForestRow | None:
    """Ours minus the printed number; none on other data, on which it is not judged."""
    verdict = it.verdict
    if verdict is None or verdict.target is None or verdict.scope == "other_data":
        return None
    place = found.places.get(it.claim.cells[0]) if it.claim.cells else None
    label, part = (place.row.label, place.column.label) if place else (it.title, it.subject)
    margin = None if verdict.margin is None else (-verdict.margin, verdict.margin)
    return _paper_row(it, (label, part), verdict.target, None, margin)


def _difference_row(it: Told) -> ForestRow | None:
    verdict = it.verdict
    if verdict is None:
        return None
    size = it.claim.negligible if it.claim.kind == "order" and verdict.margin is None else verdict.margin
    target = verdict.target if verdict.scope != "other_data" else None
    centre = _centre(it.claim, target)
    margin = None if size is None or centre is None else (centre - size, centre + size)
    return _paper_row(it, (it.title, it.subject), 0.0, target, margin)


def _centre(claim: ClaimRecord, target: float | None) -> float | None:
    return target if claim.kind == "gap" else 0.0


def _paper_row(
    it: Told, names: tuple[str, str], zero: float, target: float | None, margin: PlotBounds | None
) -> ForestRow | None:
    """Measured from `zero`; None where there is no finite number to draw."""
    verdict = it.verdict
    if verdict is None or verdict.estimate is None:
        return None
    label, part = names
    row = ForestRow(
        label=shortened(line(label), 3 * _PAPER_LABEL),
        part=shortened(line(part), 24),
        status=it.status,
        word=it.word,
        elsewhere=_elsewhere(verdict),
        estimate=verdict.estimate - zero,
        target=target,
        margin=margin,
        ci90=_less(verdict.ci90, zero),
        ci95=_less(verdict.ci95, zero),
        pi95=_less(verdict.pi95, zero) if it.claim.kind == "value" else None,
    )
    numbers = [row.estimate, *(row.ci95 or ()), *(row.pi95 or ()), *(row.margin or ()), row.target or 0.0]
    return row if all(map(_drawable, numbers)) else None


def _less(bounds: PlotBounds | None, zero: float) -> PlotBounds | None:
    return None if bounds is None else (bounds[0] - zero, bounds[1] - zero)


def _paper_learning(audit: Audit) -> Iterator[PaperFigure]:
    """Of each experiment with runs of its own; several experiments may rest on the same runs."""
    seen: set[tuple[str, ...]] = set()
    panels: dict[tuple[str, Scope], list[LearningPanel]] = {}
    for experiment in audit.experiments:
        runs = [run for run in experiment.runs if run.curve]
        keys = tuple(run.key for run in runs)
        if not runs or keys in seen:
            continue
        seen.add(keys)
        what = _measured(runs)
        if panel := _learning_panel(experiment, runs, what):
            panels.setdefault((what, experiment.scope), []).append(panel)
    for (what, scope), found in panels.items():
        number = -(-len(found) // _PANELS)
        for part in range(number):
            shown = tuple(found[part * _PANELS : (part + 1) * _PANELS])
            file = f"learning-{slug(what)}" + ("" if scope == "same_data" else f"-{slug(scope)}")
            file += f"-{part + 1}" if number > 1 else ""
            said = learning(what, [panel.title for panel in shown])
            axis = while_training(what, scope)
            yield PaperFigure(file, LEARNING, said, learning=shown, axis=axis)


def _measured(runs: Sequence[Run]) -> str:
    """P@1 where it was measured after epochs, else the first metric that was, else the loss."""
    kept = {name for run in runs for row in run.curve for name in row}
    metrics = [name for name in runs[0].metrics if name in kept]
    return "P@1" if "P@1" in metrics else (metrics or ["loss"])[0]


def _learning_panel(experiment: ExperimentRecord, runs: Sequence[Run], what: str) -> LearningPanel | None:
    seeds = tuple(
        tuple((row["epoch"], row[what]) for row in run.curve if what in row and "epoch" in row)
        for run in sorted(runs, key=lambda run: run.spec.seed)
    )
    drawn = tuple(it for it in seeds if it and all(_drawable(number) for pair in it for number in pair))
    title = shortened(line(experiment.title or experiment.id), _PAPER_LABEL + 12)
    return LearningPanel(title, drawn) if drawn else None
