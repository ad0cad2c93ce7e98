"""Interval plots: drawn where the numbers are, readable without seeing them, safe with any text."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.svg import WIDTH, Axis, IntervalPlot, Lane, axis_over, interval_plot

SVG = "{http://www.w3.org/2000/svg}"
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


def drawn(plot: IntervalPlot) -> ElementTree.Element:
    """The plot as XML; the name space that HTML gives by itself is put in."""
    return ElementTree.fromstring(
        interval_plot(plot).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def dots(root: ElementTree.Element) -> list[float]:
    """Where the seeds stand: strokes of no length."""
    return [float(x) for path in of_class(root, "seed") for x in re.findall(r"M([\d.]+) ", path.get("d", ""))]


def test_axis_is_linear_and_inside() -> None:
    """The ends of the axis are the ends of the drawing, and the middle is in the middle."""
    axis = Axis(70.0, 80.0)
    assert (axis.x(70), axis.x(75), axis.x(80)) == (12, 170, 328)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (74.0, 77.0, (74, 75, 76, 77)),
        (-0.4, 1.2, (0, 0.5, 1)),
        (0.0, 100.0, (0, 20, 40, 60, 80, 100)),
        (75.41, 75.52, (75.45, 75.50)),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: tuple[float, ...]) -> None:
    """Ticks stand at multiples of 1, 2 or 5."""
    step = min(b - a for a, b in pairwise(expected))
    ticks = Axis(low, high).ticks()
    assert ticks == pytest.approx(expected, abs=step / 1e6)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8))
def test_everything_is_inside_the_drawing(values: list[float]) -> None:
    """Any values get an axis that holds them all, with two to seven ticks."""
    axis = axis_over(values)
    assert all(12 <= axis.x(value) <= 328 for value in values)
    assert 2 <= len(axis.ticks()) <= 7


def test_marks_stand_where_the_numbers_are() -> None:
    """Dots, mean, target and margin are at their places on one axis, to the pixel."""
    root = drawn(PLOT)
    axis = axis_over([74.6, 76.9])
    assert dots(root) == pytest.approx([axis.x(value) for value in PLOT.dots], abs=0.5)
    (band,) = of_class(root, "band")
    left, right = re.findall(r"[MH]([\d.]+)", band.get("d", ""))[:2]
    assert float(left) == pytest.approx(axis.x(75.88), abs=0.5)
    assert float(right) == pytest.approx(axis.x(76.88), abs=0.5)
    (target,) = of_class(root, "target")
    assert target.get("d", "").startswith(f"M{axis.x(76.38):.0f} ")
    (thick,) = of_class(root, "ci90")
    assert thick.get("d") == f"M{axis.x(75.36):.0f} 34H{axis.x(76.16):.0f}"


@pytest.mark.parametrize("value", [None, math.nan, math.inf, 1e300])
def test_nothing_to_draw(value: float | None) -> None:
    """Without a finite number there is no plot, rather than a broken one."""
    assert interval_plot(IntervalPlot("d", "a", estimate=value)) == ""


def test_labels_do_not_leave_the_drawing() -> None:
    """A label at the edge is moved inside."""
    root = drawn(IntervalPlot("d", "a", target=1.0, target_label="printed 76.3812", dots=(0.0, 1.0)))
    (label,) = [text for text in root.iter(f"{SVG}text") if text.text == "printed 76.3812"]
    assert float(label.get("x", "nan")) + 3.2 * len("printed 76.3812") <= WIDTH


@given(st.text(min_size=1))
def test_any_text_is_escaped(text: str) -> None:
    """Markup in titles, labels and lanes is text, and nothing but the plot's own elements comes out."""
    hostile = f"<script>alert(1)</script>\"'>{text}"
    lanes = (Lane(hostile, (1.0,)),)
    plot = IntervalPlot(hostile, hostile, 1.0, 2.0, hostile, lanes=lanes, lanes_axis=hostile)
    allowed = {"svg", "title", "path", "text"}
    assert {element.tag.removeprefix(SVG) for element in drawn(plot).iter()} <= allowed


def test_plots_are_light() -> None:
    """A thousand plots must not make the page heavy: 1 kB each at most."""
    assert len(interval_plot(PLOT)) < 1000
