"""What one figure for a paper shows: finite numbers and text on one line, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

from reports.figures import Bounds, IntervalPlot
from reports.specification_curve import Curve
from reports.wording import Status


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
    margin: Bounds | None
    ci90: Bounds | None
    ci95: Bounds | None
    pi95: Bounds | None


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
