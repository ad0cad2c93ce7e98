"""Plots of the page: drawn where the numbers are, readable without seeing them, safe with any text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.record import ExperimentRecord, OpenChoice, Outcome
from reports.curves import Curve, CurvePoint, specification_curve
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


# --------------------------------------------------------------------------- learning curves


def experiment(*curves: Sequence[Mapping[str, float]], select: str = "") -> ExperimentRecord:
    (kim,) = sample.tiny().experiments
    spec = replace(kim.runs[0].spec, protocol={"select_metric": select} if select else {})
    runs = (replace(kim.runs[0], key=f"run{k}", curve=tuple(it), spec=spec) for k, it in enumerate(curves))
    return replace(kim, runs=tuple(runs))


def lines(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """The points of every path of a kind."""
    paths = re.findall(rf'class="{kind}" d="M([^"]*)"', svg)
    return [[(float(x), float(y)) for x, y in (it.split() for it in path.split("L"))] for path in paths]


def labels(svg: str) -> list[tuple[str, float, str]]:
    """Kind, place and text of the numbers and names in the drawing."""
    texts = re.findall(r'<text class="(\w+)" x="([\d.]+)" y="[\d.]+">([^<]*)<', svg)
    return [(kind, float(x), text) for kind, x, text in texts]
