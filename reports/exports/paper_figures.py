"""What the figures for a paper show, as data: `reports.exports.drawing` draws them.

The interval plots and specification curves are those of the page, by the same data (`reports.claim_plots`,
`reports.reading_view`); two more sum them up. The page draws its own by hand, because there matplotlib would
take 90 ms and 8 kB for each of a thousand (see `reports.figures`). A paper takes few, and wants one typeface,
inches, PDF and PNG: that is matplotlib's work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit.record import Audit, ClaimRecord, ExperimentRecord, Run, Scope, Verdict
from reports import wording
from reports.claim_plots import intervals_of
from reports.exports.figure_data import ForestRow, LearningPanel, Panel, PaperFigure
from reports.exports.told import Told, by_claim, line, told
from reports.figures import Bounds, IntervalPlot
from reports.lookup import Lookup, lookup
from reports.reading_view import curve_of, open_in
from reports.strings import shortened, slug
from reports.wording import figures

_ROWS = 40
_PANELS = 12
_LABEL = 60


def paper_figures(audit: Audit) -> Iterator[PaperFigure]:
    """Sums first, then learning curves, then one figure for each claim that was judged, over its metrics."""
    claims, found = told(audit), lookup(audit)
    yield from _forests(claims, found)
    yield from _learning(audit)
    yield from _claims(claims, found)


# --------------------------------------------------------------------------- claims


def _claims(claims: Sequence[Told], found: Lookup) -> Iterator[PaperFigure]:
    taken: set[str] = set()
    for members in by_claim(claims):
        name = stem = f"claim-{slug(members[0].claim.claim)}"
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name)
        pairs = ((it, _intervals(it, found)) for it in members)
        panels = tuple(Panel(plot, it.status, it.word, _elsewhere(it.verdict)) for it, plot in pairs if plot)
        if panels:
            said = " ".join(f"{it.plot.axis}: {it.plot.description}" for it in panels)
            yield PaperFigure(name, _title(members[0]), said, panels=panels)
        yield from _readings(members, found, name)


def _intervals(it: Told, found: Lookup) -> IntervalPlot | None:
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
    lanes = tuple(replace(lane, label=shortened(line(lane.label), _LABEL)) for lane in plot.lanes)
    return replace(plot, lanes=lanes, axis=shortened(line(plot.axis), _LABEL))


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
                axis=figures.bars(wording.coverage(it.verdict)[1]),
            )


def _elsewhere(verdict: Verdict | None) -> str:
    scope = verdict.scope if verdict else None
    return "" if scope is None or scope == "same_data" else wording.SCOPE_WORDS[scope]


def _title(it: Told) -> str:
    return shortened(line(it.title), 200)


def _drawable(number: float) -> bool:
    return math.isfinite(number) and abs(number) < 1e9


# --------------------------------------------------------------------------- sums


def _forests(claims: Sequence[Told], found: Lookup) -> Iterator[PaperFigure]:
    values = [row for it in claims if it.claim.kind == "value" and (row := _value_row(it, found))]
    differences = [
        row for it in claims if it.claim.kind in wording.DIFFERENCES and (row := _difference_row(it))
    ]
    for name, rows, title, axis in (
        ("values", values, figures.VALUES, figures.VALUES_AXIS),
        ("comparisons", differences, figures.DIFFERENCES, figures.DIFFERENCES_AXIS),
    ):
        number = -(-len(rows) // _ROWS)
        for part in range(number):
            shown = tuple(rows[part * _ROWS : (part + 1) * _ROWS])
            file = name + (f"-{part + 1}" if number > 1 else "")
            said = "; ".join(f"{row.label}, {row.part}: {row.word.lower()}" for row in shown)
            yield PaperFigure(file, title, said, forest=shown, axis=axis)


def _value_row(it: Told, found: Lookup) -> ForestRow | None:
    """Ours minus the printed number; none on other data, on which it is not judged."""
    verdict = it.verdict
    if verdict is None or verdict.target is None or verdict.scope == "other_data":
        return None
    place = found.places.get(it.claim.cells[0]) if it.claim.cells else None
    label, part = (place.row.label, place.column.label) if place else (it.title, it.subject)
    margin = None if verdict.margin is None else (-verdict.margin, verdict.margin)
    return _row(it, (label, part), verdict.target, None, margin)


def _difference_row(it: Told) -> ForestRow | None:
    verdict = it.verdict
    if verdict is None:
        return None
    size = it.claim.negligible if it.claim.kind == "order" and verdict.margin is None else verdict.margin
    target = verdict.target if verdict.scope != "other_data" else None
    centre = _centre(it.claim, target)
    margin = None if size is None or centre is None else (centre - size, centre + size)
    return _row(it, (it.title, it.subject), 0.0, target, margin)


def _centre(claim: ClaimRecord, target: float | None) -> float | None:
    return target if claim.kind == "gap" else 0.0


def _row(
    it: Told, names: tuple[str, str], zero: float, target: float | None, margin: Bounds | None
) -> ForestRow | None:
    """Measured from `zero`; None where there is no finite number to draw."""
    verdict = it.verdict
    if verdict is None or verdict.estimate is None:
        return None
    label, part = names
    row = ForestRow(
        label=shortened(line(label), 3 * _LABEL),
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


def _less(bounds: Bounds | None, zero: float) -> Bounds | None:
    return None if bounds is None else (bounds[0] - zero, bounds[1] - zero)


# --------------------------------------------------------------------------- learning curves


def _learning(audit: Audit) -> Iterator[PaperFigure]:
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
            said = figures.learning(what, [panel.title for panel in shown])
            axis = figures.while_training(what, scope)
            yield PaperFigure(file, figures.LEARNING, said, learning=shown, axis=axis)


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
    title = shortened(line(experiment.title or experiment.id), _LABEL + 12)
    return LearningPanel(title, drawn) if drawn else None
