"""The figures for a paper: what they show, the files, and that nothing runs into its neighbour or is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from audit.record import Audit, OpenChoice, Readings, ReadingVerdict
from reports.curves import Curve, CurvePoint, LearningCurves
from reports.figures import (
    DIFFERENCES_AXIS,
    Panel,
    PaperFigure,
    draw_curve,
    draw_figure,
    draw_forest,
    draw_learning,
    paper_figures,
)
from reports.svg import IntervalPlot
from tests.reports import every_kind, sample
from tests.reports.hostile import HOSTILE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"
CURVE = tuple({"epoch": float(k), "loss": 1.0 / k, "P@1": 70.0 + k} for k in (1, 2, 3))


def named(audit: Audit) -> dict[str, PaperFigure]:
    figures = list(paper_figures(audit))
    assert len({figure.name for figure in figures}) == len(figures)
    return {figure.name: figure for figure in figures}


def texts(figure: PaperFigure) -> list[str]:
    root = ElementTree.fromstring(draw_figure(figure, "svg"))
    return [it.text or "" for it in root.iter(f"{SVG}text")]


def with_all(audit: Audit) -> Audit:
    """With learning curves, and the one claim under two readings of one open choice."""
    experiment, (verdict,) = audit.experiments[0], audit.verdicts
    runs = tuple(replace(run, curve=CURVE if run.metrics else ()) for run in experiment.runs)
    kinds = (({}, 75.2, (74.0, 76.0)), ({"rate": "slow"}, 76.5, (76.0, 77.0)))
    readings = tuple(
        ReadingVerdict(reading, "inconclusive", "undecided", (2,), estimate, ci95=interval)
        for reading, estimate, interval in kinds
    )
    rate = OpenChoice("rate", "not stated", ("usual", "slow"))
    return replace(
        audit,
        experiments=(replace(experiment, runs=runs),),
        readings=Readings("full", (rate,), {"kim_words": ("rate",)}),
        verdicts=(replace(verdict, readings=readings),),
    )


# --------------------------------------------------------------------------- what they show


def test_values_are_measured_from_the_printed_number() -> None:
    ((row,), _) = named(sample.tiny())["values"].draw.args  # type: ignore[attr-defined]
    assert (row.label, row.part, row.status) == ("Kim-CNN, words", "P@1", "inconclusive")
    assert row.plot.estimate == pytest.approx(75.2 - 75.83)
    assert row.plot.margin == pytest.approx((-0.5, 0.5)) and row.plot.target is None
    assert row.plot.ci90 == pytest.approx((74.5686 - 75.83, 75.8314 - 75.83))


def test_nothing_on_other_data_is_set_against_a_printed_number() -> None:
    figures = named(sample.study("other_data"))
    rows, _ = figures["comparisons"].draw.args  # type: ignore[attr-defined]
    assert "values" not in figures
    assert {(row.plot.target, row.elsewhere) for row in rows} == {(None, "stand-in data")}
    assert "difference, points (stand-in data)" in texts(figures["comparisons"])


# --------------------------------------------------------------------------- the files


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("values", "pdf"),
        ("claim-kim-words", "svg"),
        ("learning-p1", "svg"),
        ("claim-kim-words-readings-p1", "png"),
    ],
)
def test_the_same_figure_is_the_same_bytes(name: str, kind: Any) -> None:
    """No clock, no version of a library, no chance; text is text, and who does not see it is told."""
    figure = named(with_all(sample.tiny()))[name]
    content = draw_figure(figure, kind)
    assert content == draw_figure(figure, kind)
    assert content.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])
    assert not re.search(rb"20\d\d-\d\d-\d\dT|CreationDate|ModDate|Matplotlib v", content)
    if kind == "svg":
        root = ElementTree.fromstring(content)
        assert [(it.tag, it.text) for it in root[:2]] == [
            (f"{SVG}title", figure.title),
            (f"{SVG}desc", figure.description),
        ]
        assert root.get("role") == "img" and len(texts(figure)) >= 4 and b'href="http' not in content


def test_every_kind_of_claim_can_be_drawn() -> None:
    for figure in paper_figures(every_kind.every_kind()):
        assert texts(figure)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_is_text(text: str) -> None:
    """Formulas, unknown signs, direction overrides and 10,000 characters; no warning either."""
    audit = with_all(sample.tiny())
    (table,), (experiment,) = audit.tables, audit.experiments
    figures = named(
        replace(
            audit,
            tables=(replace(table, rows=tuple(replace(row, label=text) for row in table.rows)),),
            experiments=(replace(experiment, title=text),),
            claims=tuple(replace(it, says=text) for it in audit.claims),
        )
    )
    for name in ("values", "learning-p1", "claim-kim-words"):
        shown = texts(figures[name])
        assert "\u202e" not in "".join(shown) and max(map(len, shown)) < 120


# --------------------------------------------------------------------------- layout


def boxes(figure: Figure) -> dict[str, Any]:
    """Of each text that is seen its rectangle."""
    found = [*figure.texts, figure._supxlabel, figure._supylabel]  # type: ignore[attr-defined]
    for axes in figure.axes:
        if axes.axison:
            found += [it for part in (axes, *axes.child_axes) for it in _texts(part)]
    shown = {id(it): it for it in found if it is not None and it.get_visible() and it.get_text().strip()}
    return {f"{k} {it.get_text()}": it.get_window_extent() for k, it in enumerate(shown.values())}


def _texts(axes: Any) -> Iterator[Any]:
    """Of an axis only the ticks that it reaches; inner axes have none."""
    yield from (axes.title, axes._left_title, axes._right_title, *axes.texts)
    for axis in (axes.xaxis, axes.yaxis):
        yield axis.label
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
        yield from (label for place, label in ticks if low <= place <= high)


POOLING = OpenChoice("pooling_divisor", "not stated", ("words_of_the_document", "vocabulary"))
#: Ten readings, the first of which collapsed, with an interval to below zero.
POINTS = (
    CurvePoint({POOLING.name: POOLING.choices[0]}, 10.3, (-7.0, 28.0), "inconclusive"),
    *(
        CurvePoint(
            {POOLING.name: POOLING.choices[k % 2]}, 58.0 + k, (56.0 + k, 60.0 + k), "contradicted", k == 3
        )
        for k in range(9)
    ),
)
CURVED = Curve("c", "t", "d", "P@1, points", POINTS, (POOLING,), 69.26, "printed 69.26", (68.76, 69.76))
LONG = "On the larger of the two corpora the method is worse with binary cross-entropy than with its own loss"
ROW = Panel(IntervalPlot("d", "a", 1.0), "inconclusive", "stand-in data", LONG, "nDCG@5")
LEARNED = ("A method on a corpus", LearningCurves("P@1", (((1.0, 3.0), (2.0, 60.0)),)))
DRAWN = {
    "forest": lambda: draw_forest([ROW] * 3, DIFFERENCES_AXIS),
    "learning": lambda: draw_learning([LEARNED] * 4, "P@1, held out (stand-in data)"),
    "readings": lambda: draw_curve(CURVED, "bars: 95% intervals; squares: the default reading"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_is_cut_or_runs_into_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collapsed reading stands beyond the axis of the others, with its value."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    kept: list[Figure] = []

    def keep(self: Figure, *_: Any, **__: Any) -> None:
        FigureCanvasAgg(self).draw()
        kept.append(self)

    monkeypatch.setattr(Figure, "savefig", keep)
    draw_figure(PaperFigure("f", "t", "d", DRAWN[name]), "png")
    shown = boxes(kept[0])
    for text, box in shown.items():
        assert box.x0 >= -1 and box.y0 >= -1, text
        assert box.x1 <= kept[0].bbox.x1 + 1 and box.y1 <= kept[0].bbox.y1 + 1, text
    for (one, a), (other, b) in combinations(shown.items(), 2):
        assert not a.overlaps(b), (one, other)
    if name == "readings":
        assert "↓ off the scale: 10.30" in [it.get_text() for it in kept[0].axes[0].texts]
        assert kept[0].axes[0].get_ylim()[0] > 50.0
