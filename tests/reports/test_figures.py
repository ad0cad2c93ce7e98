"""The figures for a paper: what they show, the files, and that nothing runs into its neighbour or is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from audit.record import Audit, OpenChoice, Readings, ReadingVerdict, Verdict
from reports.curves import Curve, CurvePoint
from reports.figures import (
    DIFFERENCES_AXIS,
    FORMATS,
    ForestRow,
    LearningPanel,
    PaperFigure,
    draw_figure,
    paper_figures,
)
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
    (row,) = named(sample.tiny())["values"].forest
    assert (row.label, row.part, row.status) == ("Kim-CNN, words", "P@1", "inconclusive")
    assert row.estimate == pytest.approx(75.2 - 75.83)
    assert row.margin == (-0.5, 0.5) and row.target is None
    assert row.ci90 == pytest.approx((74.5686 - 75.83, 75.8314 - 75.83))


def test_nothing_on_other_data_is_set_against_a_printed_number() -> None:
    figures = named(sample.study("other_data"))
    forest = figures["comparisons"].forest
    assert "values" not in figures
    assert {(row.target, row.elsewhere) for row in forest} == {(None, "stand-in data")}
    assert "difference, points (stand-in data)" in texts(figures["comparisons"])
    order = next(figure for name, figure in figures.items() if name.startswith("claim-kim-cnn-is"))
    assert "difference in P@1, points (stand-in data): reproduced" in texts(order)


def test_sums_of_many_claims_are_cut_into_parts_and_what_cannot_be_drawn_is_left_out() -> None:
    audit = sample.study()
    pairs = [
        (replace(c, id=f"{k}{c.id}", claim=f"{k}{c.claim}"), replace(v, claim=f"{k}{c.id}"))
        for k in range(4)
        for c, v in zip(audit.claims, audit.verdicts, strict=True)
    ]
    claims, verdicts = zip(*pairs, strict=True)
    figures = named(replace(audit, claims=claims, verdicts=verdicts))
    assert [len(figures[f"values-{k}"].forest) for k in (1, 2, 3)] == [40, 40, 12]
    (verdict,) = sample.tiny().verdicts
    for it in (replace(verdict, estimate=1e300), Verdict(verdict.claim, "inconclusive", "not_run")):
        assert not named(replace(sample.tiny(), verdicts=(it,)))


# --------------------------------------------------------------------------- the files


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["values", "claim-kim-words", "learning-p1", "claim-kim-words-readings-p1"])
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


def made(figure: PaperFigure, monkeypatch: pytest.MonkeyPatch) -> Figure:
    """The figure itself, as it is when it would be saved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    kept: list[Any] = []

    def keep(drawn: Figure, kind: str) -> bytes:
        FigureCanvasAgg(drawn).draw()
        kept.append(drawn)
        return b"<svg></svg>"

    monkeypatch.setattr("reports.figures._saved", keep)
    draw_figure(figure, "svg")
    return kept[0]


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


def curve(**more: Any) -> PaperFigure:
    """Ten readings, the first of which collapsed, with an interval to below zero."""

    def point(k: int) -> CurvePoint:
        chosen = {POOLING.name: POOLING.choices[k % 2]}
        return CurvePoint(chosen, 58.0 + k, (56.0 + k, 60.0 + k), "contradicted", k == 3)

    collapsed = CurvePoint({POOLING.name: POOLING.choices[0]}, 10.3, (-7.0, 28.0), "inconclusive")
    given: dict[str, Any] = {"target": 69.26, "target_label": "printed 69.26", "margin": (68.76, 69.76)}
    given |= {"points": (collapsed, *map(point, range(9))), **more}
    shown = Curve("c", "t", "d", "P@1, points", open=(POOLING,), **given)
    return PaperFigure("c", "t", "d", "bars: 95% intervals; squares: the default reading", curve=shown)


def learning(number: int) -> PaperFigure:
    panel = LearningPanel("A method on a corpus", (((1.0, 3.0), (2.0, 60.0)),))
    axis = "P@1 while training, percent (stand-in data)"
    return PaperFigure("l", "t", "d", axis, learning=(panel,) * number)


LONG = "On the larger of the two corpora the method is worse with binary cross-entropy than with its own loss"
ROW = ForestRow(LONG, "nDCG@5", "inconclusive", "stand-in data", 1.0, *[None] * 5)
FIGURES = {
    "forest": PaperFigure("f", "t", "d", DIFFERENCES_AXIS, forest=(ROW,) * 3),
    "learning in one row": learning(3),
    "learning in two rows": learning(4),
    "readings": curve(),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_or_runs_into_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = made(FIGURES[name], monkeypatch)
    shown = boxes(figure)
    for text, box in shown.items():
        assert box.x0 >= -1 and box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1, text
    for (one, a), (other, b) in combinations(shown.items(), 2):
        assert not a.overlaps(b), (one, other)


def test_a_collapsed_reading_stands_beyond_a_broken_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its value; the axis is that of the others. That of a score does not go below zero, though an
    interval does; that of a difference may."""
    above = made(curve(), monkeypatch).axes[0]
    low, high = above.spines["left"].get_bounds()  # type: ignore[misc]
    assert 50.0 < low < 56.0 and 69.76 < high < 75.0 and above.get_ylim()[0] < low
    assert "↓ off the scale: 10.30" in [it.get_text() for it in above.texts]
    points = tuple(
        CurvePoint({POOLING.name: it}, mean, (mean - 5.0, mean + 5.0), "inconclusive")
        for it, mean in zip(POOLING.choices, (3.0, 9.0), strict=True)
    )
    plain = {"target": None, "margin": None, "points": points}
    assert made(curve(**plain), monkeypatch).axes[0].get_ylim()[0] == 0.0
    assert made(curve(zero=True, **plain), monkeypatch).axes[0].get_ylim()[0] < -2.0
