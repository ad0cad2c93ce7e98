"""Nothing in a figure for a paper runs into its neighbour or is cut; specification curves by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from audit.record import OpenChoice
from reports.curves import Curve, CurvePoint
from reports.figures import ForestRow, LearningPanel, PaperFigure

pytest.importorskip("matplotlib", reason="needs the extra figures")

from reports.drawing import draw_figure
from reports.figures import DIFFERENCES_AXIS, bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONG = "On the larger of the two corpora the method is worse with binary cross-entropy than with its own loss"
SEEDS = (((1.0, 3.0), (2.0, 60.0)),)
POOLING = OpenChoice("pooling_divisor", "not stated", ("words_of_the_document", "vocabulary"))


def made(figure: PaperFigure, monkeypatch: pytest.MonkeyPatch) -> Figure:
    """The figure itself, as it is when it would be saved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    held: list[Any] = []

    def keep(drawn: Figure, kind: str, **_: str) -> bytes:
        FigureCanvasAgg(drawn).draw()
        held.append(drawn)
        return b""

    monkeypatch.setattr("reports.drawing.saved", keep)
    draw_figure(figure, "svg")
    return held[0]


def boxes(figure: Figure) -> dict[str, Any]:
    """Of each text that is seen its rectangle."""
    found = [*figure.texts, figure._supxlabel, figure._supylabel]  # type: ignore[attr-defined]
    for axes in figure.axes:
        if axes.axison:
            found += _texts(axes)
            found += [it for child in axes.child_axes for it in _texts(child)]
    shown = {id(it): it for it in found if it is not None and it.get_visible() and it.get_text().strip()}
    return {f"{k} {it.get_text()}": it.get_window_extent() for k, it in enumerate(shown.values())}


def _texts(axes: Any) -> Iterator[Any]:
    """Of an axis only the ticks that it reaches."""
    yield from (axes.title, axes._left_title, axes._right_title, *axes.texts)
    for axis in (axes.xaxis, axes.yaxis):
        yield axis.label
        low, high = sorted(axis.get_view_interval())
        ticks = zip(
            axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False
        )  # inner axes have none
        yield from (label for place, label in ticks if low <= place <= high)


def rows(number: int, part: str) -> tuple[ForestRow, ...]:
    one = ForestRow(
        LONG, part, "inconclusive", "Inconclusive", "stand-in data", 1.0, None, None, None, None, None
    )
    return (one,) * number


def curve(**more: Any) -> PaperFigure:
    """Fifteen readings, the first of which collapsed, with an interval to below zero."""
    points = [CurvePoint({POOLING.name: POOLING.choices[0]}, 10.3, (-7.0, 28.0), "inconclusive")]
    points += [
        CurvePoint(
            {POOLING.name: POOLING.choices[k % 2]}, 58.0 + k, (56.0 + k, 60.0 + k), "contradicted", k == 3
        )
        for k in range(9)
    ]
    given: dict[str, Any] = {"target": 69.26, "target_label": "printed 69.26", "margin": (68.76, 69.76)}
    held = Curve("c", "t", "d", "P@1, points", tuple(points), (POOLING,), **(given | more))
    return PaperFigure("c", "t", "d", curve=held, axis=bars("95"))


def learning(number: int) -> PaperFigure:
    panel = LearningPanel("A method on a corpus", SEEDS)
    axis = "P@1 while training, percent (stand-in data)"
    return PaperFigure("l", "t", "d", learning=(panel,) * number, axis=axis)


FIGURES = {
    "forest": PaperFigure("f", "t", "d", forest=rows(3, "nDCG@5"), axis=DIFFERENCES_AXIS),
    "learning in one row": learning(3),
    "learning in two rows": learning(4),
    "readings": curve(),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_or_runs_into_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = made(FIGURES[name], monkeypatch)
    held = boxes(figure)
    for text, box in held.items():
        assert box.x0 >= -1 and box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1, text
    for (one, a), (other, b) in combinations(held.items(), 2):
        assert not a.overlaps(b), (one, other)


def test_a_collapsed_reading_stands_beyond_a_broken_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its value; the axis is that of the others, and their marks are apart from each other."""
    above = made(curve(), monkeypatch).axes[0]
    low, high = above.spines["left"].get_bounds()  # type: ignore[misc]
    assert 50.0 < low < 56.0 and 69.76 < high < 75.0
    assert all(low <= it <= high for it in above.get_yticks())
    assert above.get_ylim()[0] < low  # the strip
    assert "↓ off the scale: 10.30" in [it.get_text() for it in above.texts]


def test_the_axis_of_a_score_does_not_go_below_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though an interval does; that of a difference may."""
    points = tuple(
        CurvePoint({POOLING.name: it}, mean, (mean - 5.0, mean + 5.0), "inconclusive")
        for it, mean in zip(POOLING.choices, (3.0, 9.0), strict=True)
    )
    none = {"target": None, "margin": None, "points": points}
    figure = curve()
    assert figure.curve is not None
    score = replace(figure, curve=replace(figure.curve, **none))
    assert made(score, monkeypatch).axes[0].get_ylim()[0] == 0.0
    difference = replace(figure, curve=replace(figure.curve, zero=True, **none))
    assert made(difference, monkeypatch).axes[0].get_ylim()[0] < -2.0
