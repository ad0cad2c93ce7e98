"""Interval plots: drawn where the numbers are, readable without seeing them, safe with any text."""

from __future__ import annotations

import math
import re
from dataclasses import replace
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


def test_lanes_in_the_units_of_the_intervals_share_their_axis() -> None:
    """Columns 74 and 78 beside a printed 76.38: one axis over all; the printed line goes past them."""
    plot = replace(
        PLOT, dots=(), lanes=(Lane("columns", (74.0, 78.0)), Lane("seeds", (75.0,))), one_axis=True
    )
    root = drawn(plot)
    axis = axis_over([74.0, 78.0])
    assert sorted(dots(root)) == pytest.approx([axis.x(value) for value in (74.0, 75.0, 78.0)], abs=0.5)
    assert len(of_class(root, "axis")) == 1
    lowest = max(
        float(y) for path in of_class(root, "seed") for y in re.findall(r" ([\d.]+)h0", path.get("d", ""))
    )
    (target,) = of_class(root, "target")
    assert float(target.get("d", "").partition("V")[2]) > lowest
    assert len(of_class(drawn(replace(plot, one_axis=False)), "axis")) == 2


def test_absent_numbers_are_not_drawn() -> None:
    """A single run without an interval is one dot and its mean."""
    root = drawn(IntervalPlot("d", "P@1, points", estimate=75.5, dots=(75.5,)))
    present = {name for name in ("band", "ci90", "ci95", "pi", "target", "zero") if of_class(root, name)}
    assert present == set()
    assert len(dots(root)) == 1


def test_comparison_has_zero_and_both_arms() -> None:
    """A comparison shows no difference as a line, and each arm's runs on an axis of their own."""
    lanes = (Lane("words", (75.1, 75.2)), Lane("embeddings", (45.0, 46.0, 44.0)))
    root = drawn(IntervalPlot("d", "difference", estimate=30.1, zero=True, lanes=lanes, lanes_axis="P@1"))
    assert len(of_class(root, "zero")) == 1
    assert len(dots(root)) == 5
    assert [text.text for text in of_class(root, "lane")] == ["words", "embeddings"]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, 1e300])
def test_nothing_to_draw(value: float | None) -> None:
    """Without a finite number there is no plot, rather than a broken one."""
    assert interval_plot(IntervalPlot("d", "a", estimate=value)) == ""


def test_screen_readers_get_title_and_numbers() -> None:
    """The plot is an image, and its name is its first child, the title, which holds the numbers."""
    root = drawn(PLOT)
    assert root.get("role") == "img"
    assert (root[0].tag, root[0].text) == (f"{SVG}title", "Printed 76.38.")
    assert drawn(replace(PLOT, name="Short"))[0].text == "Short"


def test_text_stays_text() -> None:
    """Labels can be found and copied."""
    texts = [text.text for text in drawn(PLOT).iter(f"{SVG}text")]
    assert "printed 76.38" in texts
    assert "P@1, points" in texts
    assert {"75", "76"} <= set(texts)


@pytest.mark.parametrize("place", ["target_label", "axis", "lanes_axis"])
def test_long_labels_are_cut(place: str) -> None:
    """A label that cannot fit is cut; the whole of it is in the page anyway."""
    plot = replace(PLOT, lanes=(Lane("x" * 10_000, (1.0, 2.0)),), **{place: "x" * 10_000})
    root = drawn(plot)
    assert max(len(text.text or "") for text in root.iter(f"{SVG}text")) <= 52


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
