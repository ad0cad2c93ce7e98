"""Plots of the page: drawn where the numbers are, readable without seeing them, safe with any text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.record import ExperimentRecord, OpenChoice, Outcome
from reports.curves import Curve, CurvePoint, LearningCurves, curves_of, learning_plot, specification_curve
from reports.svg import IntervalPlot, axis_over, interval_plot
from tests.reports import sample

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    """As XML; the name space that HTML gives by itself is put in."""
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def place(element: ElementTree.Element) -> tuple[float, float]:
    """The centre of a circle, or where a path begins."""
    if "cx" in element.attrib:
        return float(element.attrib["cx"]), float(element.attrib["cy"])
    x, y = re.findall(r"[\d.]+", element.attrib["d"])[:2]
    return float(x), float(y)


# --------------------------------------------------------------------------- intervals

PLOT = IntervalPlot(
    description="Printed 76.38.",
    axis="P@1, points",
    estimate=75.76,
    target=76.38,
    target_label="printed 76.38",
    margin=(75.88, 76.88),
    ci90=(75.36, 76.16),
    ci95=(75.17, 76.35),
    pi95=(74.6, 76.9),
    dots=(75.50, 75.83, 75.96),
)


def test_marks_stand_where_the_numbers_are() -> None:
    """Dots, mean, target and margin are at their places on one axis, to the pixel; a plot is light."""
    svg, axis = interval_plot(PLOT), axis_over([74.6, 76.9])
    paths = {it.get("class"): it.get("d", "") for it in parsed(svg).iter(f"{SVG}path")}
    dots = [float(x) for x in re.findall(r"M([\d.]+) ", paths["seed"])]
    assert dots == pytest.approx([axis.x(value) for value in PLOT.dots], abs=0.5)
    assert paths["band"].startswith(f"M{axis.x(75.88):.0f} 18H{axis.x(76.88):.0f}V")
    assert paths["target"].startswith(f"M{axis.x(76.38):.0f} ")
    assert paths["ci90"] == f"M{axis.x(75.36):.0f} 34H{axis.x(76.16):.0f}"
    assert len(svg) < 1000


@pytest.mark.parametrize("value", [None, math.nan, math.inf, 1e300])
def test_nothing_to_draw(value: float | None) -> None:
    """Without a finite number there is no plot, rather than a broken one."""
    assert interval_plot(IntervalPlot("d", "a", estimate=value)) == ""


@given(st.text(min_size=1))
def test_any_text_is_escaped(text: str) -> None:
    """Markup in titles, labels and lanes is text, and nothing but the plot's own elements comes out."""
    hostile = f"<script>alert(1)</script>\"'>{text}"
    lanes = ((hostile, (1.0,)),)
    plot = IntervalPlot(hostile, hostile, 1.0, 2.0, hostile, lanes=lanes, lanes_axis=hostile)
    allowed = {"svg", "title", "path", "text"}
    assert {element.tag.removeprefix(SVG) for element in parsed(interval_plot(plot)).iter()} <= allowed


# --------------------------------------------------------------------------- specification curves

DIVISOR = OpenChoice("pooling_divisor", "not stated", ("words", "slots"))
RATE = OpenChoice("rate", "not stated", ("usual", "slow", "fast"))


def point(divisor: str, rate: str, value: float, half: float, outcome: Outcome) -> CurvePoint:
    choices = {"pooling_divisor": divisor, "rate": rate}
    default = (divisor, rate) == ("words", "usual")
    return CurvePoint(choices, value, (value - half, value + half), outcome, default)


CURVE = Curve(
    id="curve-c",
    title="4 readings",
    description="Means from 64 to 69.",
    axis="P@1, points",
    points=(
        point("words", "usual", 66.0, 1.0, "inconclusive"),
        point("slots", "usual", 64.0, 0.5, "contradicted"),
        point("words", "slow", 69.0, 0.2, "reproduced"),
        point("words", "fast", 67.0, 0.0, "inconclusive"),
    ),
    open=(DIVISOR, RATE),
    target=69.26,
    target_label="printed 69.26",
    margin=(68.76, 69.76),
)


def test_readings_stand_by_size_on_a_linear_scale_with_their_choices_below() -> None:
    """64 (cross), 66 and 67 (rings), 69 (disc) from left to right and upwards."""
    root = parsed(specification_curve(CURVE))
    marks = [place(it) for kind in ("cross", "ring", "disc") for it in of_class(root, kind)]
    assert [x for x, _ in marks] == sorted(x for x, _ in marks)
    assert [y for _, y in marks] == sorted((y for _, y in marks), reverse=True)
    (_, y66), (_, y67), (_, y69) = marks[1:]
    assert (y67 - y69) == pytest.approx(2 * (y66 - y67), abs=0.3)
    taken = [place(it) for it in of_class(root, "taken")]
    columns, rows = sorted({x for x, _ in taken}), sorted({y for _, y in taken})
    words, slots, usual, slow, fast = range(5)
    expected = {(0, slots), (0, usual), (1, words), (1, usual), (2, words), (2, fast), (3, words), (3, slow)}
    assert {(columns.index(x), rows.index(y)) for x, y in taken} == expected
    assert [x for x, _ in marks[1:]] == columns[1:]


@pytest.mark.parametrize(("value", "interval"), [(10.3, (-6.7, 27.4)), (140.0, (120.0, 160.0)), (10.3, None)])
def test_a_reading_that_would_squeeze_the_others_stands_off_the_scale(
    value: float, interval: tuple[float, float] | None
) -> None:
    """The axis is over the nine others and the printed number; the far one is a mark beyond its break, with
    its value in words."""
    far = OpenChoice("rate", "not stated", tuple(f"r{k}" for k in range(10)))
    near = [
        CurvePoint({"rate": f"r{k}"}, 60.0 + 0.5 * k, (59.5 + 0.5 * k, 60.5 + 0.5 * k), "inconclusive", not k)
        for k in range(9)
    ]
    points = (*near, CurvePoint({"rate": "r9"}, value, interval, "contradicted"))
    curve = replace(CURVE, points=points, open=(far,), target=66.0, margin=(65.5, 66.5))
    root = parsed(specification_curve(curve))
    rings = [place(it)[1] for it in of_class(root, "ring")]
    target, edge = place(of_class(root, "target")[0])[1], place(of_class(root, "cross")[0])[1]
    assert max(rings) - target > 80  # without the cut 140 units would hold 130 points
    assert edge > max(rings) if value < 60 else edge < min([*rings, target])
    assert len(of_class(root, "break")) == 1 and len(of_class(root, "span")) == 9
    assert f"off the scale: {value:.2f}" in "".join(root.itertext())


# --------------------------------------------------------------------------- learning curves


def experiment(*curves: Sequence[Mapping[str, float]], select: str = "") -> ExperimentRecord:
    (kim,) = sample.tiny().experiments
    spec = replace(kim.runs[0].spec, protocol={"select_metric": select} if select else {})
    runs = (replace(kim.runs[0], key=f"run{k}", curve=tuple(it), spec=spec) for k, it in enumerate(curves))
    return replace(kim, runs=tuple(runs))


def test_the_score_that_chose_the_checkpoint_is_drawn() -> None:
    """Numbers that are none are left out."""
    both = [{"epoch": float(k), "P@1": 1.0 * k, "nDCG@5": 2.0 * k} for k in (1, 2)]
    assert curves_of(experiment(both, select="nDCG@5")) == LearningCurves(
        "nDCG@5", (((1.0, 2.0), (2.0, 4.0)),)
    )
    assert curves_of(experiment(both, select="R@5")) == LearningCurves("P@1", (((1.0, 1.0), (2.0, 2.0)),))
    broken = [{"epoch": float(k), "P@1": it} for k, it in enumerate((1.0, math.nan, 3.0, math.inf), 1)]
    assert curves_of(experiment(broken)) == LearningCurves("P@1", (((1.0, 1.0), (3.0, 3.0)),))


def lines(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """The points of every path of a kind."""
    paths = re.findall(rf'class="{kind}" d="M([^"]*)"', svg)
    return [[(float(x), float(y)) for x, y in (it.split() for it in path.split("L"))] for path in paths]


def test_higher_scores_are_drawn_higher_and_the_mean_between_its_seeds() -> None:
    seeds = (((1.0, 10.0), (2.0, 30.0), (3.0, 20.0)), ((1.0, 12.0), (2.0, 28.0), (3.0, 22.0)))
    svg = learning_plot(LearningCurves("P@1", seeds))
    (first, second), (mean,) = lines(svg, "run"), lines(svg, "mean-line")
    assert [x for x, _ in mean] == [44.0, 184.0, 324.0]
    assert mean[0][1] > mean[2][1] > mean[1][1]
    for k in range(3):
        assert mean[k][1] == pytest.approx((first[k][1] + second[k][1]) / 2, abs=0.11)


def labels(svg: str) -> list[tuple[str, float, str]]:
    """Kind, place and text of the numbers and names in the drawing."""
    texts = re.findall(r'<text class="(\w+)" x="([\d.]+)" y="[\d.]+">([^<]*)<', svg)
    return [(kind, float(x), text) for kind, x, text in texts]


def test_a_loss_that_falls_far_is_drawn_by_its_logarithm() -> None:
    """100, 10, 1: equal steps downwards, and its ticks are powers of ten; a score is never drawn so."""

    def ups(svg: str) -> list[str]:
        return [text for kind, _, text in labels(svg) if kind == "up"]

    line = ((1.0, 100.0), (2.0, 10.0), (3.0, 1.0))
    svg = learning_plot(LearningCurves("loss", (line,)))
    ((_, first), (_, second), (_, third)) = lines(svg, "run")[0]
    assert second - first == pytest.approx(third - second, abs=0.11)
    assert ups(svg) == ["1", "10", "100", "epoch"] and "training loss, logarithmic axis" in svg
    between = learning_plot(LearningCurves("loss", (((1.0, 0.7), (2.0, 0.03)),)))
    assert ups(between) == ["0.05", "0.1", "0.2", "0.5", "epoch"]
    for metric, plain in (("P@1", line), ("loss", line[1:]), ("loss", (*line, (4.0, 0.0)))):
        assert "logarithmic" not in learning_plot(LearningCurves(metric, (plain,)))
