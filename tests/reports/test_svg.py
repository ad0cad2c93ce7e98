"""Plots of the page: drawn where the numbers are, readable without seeing them, safe with any text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.record import OpenChoice, Outcome, SpecificationVerdict
from reports.svg import Row, axis_over, forest, specification_curve

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    """As XML; the name space that HTML gives by itself is put in."""
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


ROW = Row(
    "P@1",
    "contradicted",
    estimate=-0.62,
    margin=(-0.5, 0.5),
    inner=(-1.02, -0.22),
    outer=(-1.21, -0.03),
    prediction=(-1.78, 0.52),
    dots=(-0.88, -0.55, -0.42),
)


def test_marks_stand_where_the_numbers_are() -> None:
    """Dots, mean, zero and margin are at their places on one axis, to a tenth of a pixel; a plot is light."""
    svg, axis = forest([ROW], "ours − printed", "Intervals.", zero=0.0).svg(), axis_over([-1.78, 0.52], 66)
    paths = {it.get("class"): it.get("d", "") for it in parsed(svg).iter(f"{SVG}path")}
    dots = [float(x) for x in re.findall(r"M([\d.]+) ", paths["seed"])]
    assert dots == pytest.approx([axis.at(value) for value in ROW.dots], abs=0.1)
    for kind, value in (("band", -0.5), ("zero", 0.0), ("inner", -1.02), ("outer", -1.21)):
        assert float(re.findall(r"[\d.]+", paths[kind])[0]) == pytest.approx(axis.at(value), abs=0.1), kind
    assert len(svg) < 1500


def test_what_has_no_finite_number_is_not_drawn() -> None:
    assert forest([], "", "").svg() == ""
    assert forest([Row("P@1", estimate=float("nan"))], "", "").svg() == ""


@given(st.text(min_size=1))
def test_any_text_is_escaped(text: str) -> None:
    """Markup in titles, labels and headings is text, and nothing but the plot's own elements comes out."""
    hostile = f"<script>alert(1)</script>\"'>{text}"
    drawing = forest([Row(hostile, estimate=1.0, target=2.0, heading=hostile)], hostile, hostile)
    allowed = {"svg", "title", "path", "text", "circle"}
    assert {element.tag.removeprefix(SVG) for element in parsed(drawing.svg()).iter()} <= allowed


def point(divisor: str, rate: str, value: float, half: float, outcome: Outcome) -> SpecificationVerdict:
    changed = {"pooling_divisor": divisor} if divisor != "words" else {}
    changed |= {"rate": rate} if rate != "usual" else {}
    interval = (value - half, value + half)
    return SpecificationVerdict(changed, outcome, "undecided", estimate=value, ci95=interval)


def test_readings_stand_by_size_on_a_linear_scale_with_their_choices_below() -> None:
    """64 (cross), 66 and 67 (rings), 69 (disc) from left to right and upwards."""
    drawing = specification_curve(
        [
            point("words", "usual", 66.0, 1.0, "inconclusive"),
            point("slots", "usual", 64.0, 0.5, "contradicted"),
            point("words", "slow", 69.0, 0.2, "reproduced"),
            point("words", "fast", 67.0, 0.0, "inconclusive"),
        ],
        [
            OpenChoice("pooling_divisor", "not stated", ("words", "slots")),
            OpenChoice("rate", "not stated", ("usual", "slow", "fast")),
        ],
        title="4 readings",
        axis="P@1, points",
        target=69.26,
        margin=(68.76, 69.76),
    )
    (cross,) = [lines for kind, lines in drawing.lines if kind == "cross"]
    marks = [(sum(x for x, _ in cross[0]) / 2, sum(y for _, y in cross[0]) / 2)]
    marks += [(x, y) for kind, x, y, _ in drawing.discs if kind in ("ring", "disc")]
    assert [x for x, _ in marks] == sorted(x for x, _ in marks)
    (_, y66), (_, y67), (_, y69) = marks[1:]
    assert (y67 - y69) == pytest.approx(2 * (y66 - y67), abs=0.3)
    taken = [(x, y) for kind, x, y, _ in drawing.discs if kind == "taken"]
    columns, rows = sorted({x for x, _ in taken}), sorted({y for _, y in taken})
    words, slots, usual, slow, fast = range(5)
    expected = {(0, slots), (0, usual), (1, words), (1, usual), (2, words), (2, fast), (3, words), (3, slow)}
    assert {(columns.index(x), rows.index(y)) for x, y in taken} == expected
