"""Specification curves: every reading where its number is, its choices below, readable without seeing it."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from audit.readings import grid
from audit.record import OpenChoice, Outcome
from reports.curves import Curve, CurvePoint, specification_curve
from reports.svg import WIDTH

SVG = "{http://www.w3.org/2000/svg}"
DIVISOR = OpenChoice("pooling_divisor", "not stated", ("words", "slots"))
RATE = OpenChoice("rate", "not stated", ("usual", "slow", "fast"))
#: Estimates 66, 64, 69, 67 of the readings default, slots, slow, fast.
POINTS = (
    CurvePoint(
        {"pooling_divisor": "words", "rate": "usual"}, 66.0, (65.0, 67.0), "inconclusive", default=True
    ),
    CurvePoint({"pooling_divisor": "slots", "rate": "usual"}, 64.0, (63.5, 64.5), "contradicted"),
    CurvePoint({"pooling_divisor": "words", "rate": "slow"}, 69.0, (68.8, 69.2), "reproduced"),
    CurvePoint({"pooling_divisor": "words", "rate": "fast"}, 67.0, None, "inconclusive"),
)
CURVE = Curve(
    id="curve-c",
    title="4 readings",
    description="Means from 64 to 69.",
    axis="P@1, points",
    points=POINTS,
    open=(DIVISOR, RATE),
    target=69.26,
    target_label="printed 69.26",
    margin=(68.76, 69.76),
)


def drawn(curve: Curve) -> ElementTree.Element:
    return ElementTree.fromstring(
        specification_curve(curve).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [it for it in root.iter() if it.get("class") == name]


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib[name])


def start(element: ElementTree.Element) -> tuple[float, float]:
    """Where a path begins."""
    x, y = element.attrib["d"][1:].replace("V", " ").replace("H", " ").replace("l", " ").split()[:2]
    return float(x), float(y)


def test_readings_stand_by_size_and_higher_numbers_higher() -> None:
    """64 (cross), 66 and 67 (rings), 69 (disc) from left to right and upwards."""
    root = drawn(CURVE)
    (cross,), rings, (disc,) = of_class(root, "cross"), of_class(root, "ring"), of_class(root, "disc")
    xs = [start(cross)[0], *(number(it, "cx") for it in rings), number(disc, "cx")]
    ys = [start(cross)[1], *(number(it, "cy") for it in rings), number(disc, "cy")]
    assert len(rings) == 2
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)


def test_the_scale_is_linear() -> None:
    """66, 67 and 69: twice as far from 67 to 69 as from 66 to 67."""
    root = drawn(CURVE)
    (low, high), (disc,) = of_class(root, "ring"), of_class(root, "disc")
    y66, y67, y69 = (number(it, "cy") for it in (low, high, disc))
    assert (y67 - y69) == pytest.approx(2 * (y66 - y67), abs=0.3)


def test_each_reading_has_one_dot_for_each_open_thing_in_the_row_of_its_choice() -> None:
    """By size: 64 slots usual; 66 words usual; 67 words fast; 69 words slow."""
    root = drawn(CURVE)
    columns = sorted({number(it, "cx") for it in of_class(root, "taken")})
    rows = sorted({number(it, "cy") for it in of_class(root, "taken")})
    assert (len(columns), len(rows)) == (4, 5)
    taken = {
        (columns.index(number(it, "cx")), rows.index(number(it, "cy"))) for it in of_class(root, "taken")
    }
    words, slots, usual, slow, fast = range(5)
    assert taken == {
        (0, slots),
        (0, usual),
        (1, words),
        (1, usual),
        (2, words),
        (2, fast),
        (3, words),
        (3, slow),
    }
    places = [number(it, "cx") for it in of_class(root, "ring")] + [
        number(it, "cx") for it in of_class(root, "disc")
    ]
    assert sorted(places) == columns[1:]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7])
def test_from_2_to_200_readings_all_is_inside_and_apart(count: int) -> None:
    """Full grids of 2, 4, ... 128 readings: everything within the drawing, no two readings at one place."""
    held = tuple(OpenChoice(f"o{k}", "w", ("a", "b")) for k in range(count))
    outcomes: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
    points = tuple(
        CurvePoint(
            {it.name: reading.get(it.name, "a") for it in held},
            50.0 + math.sin(k),
            (49.0 + math.sin(k), 51.0 + math.sin(k)),
            outcomes[k % 3],
            not reading,
        )
        for k, reading in enumerate(grid(held, "full"))
    )
    root = drawn(replace(CURVE, points=points, open=held))
    height = float(root.attrib["height"])
    spans = of_class(root, "span")
    assert len({start(it)[0] for it in spans}) == len(points) == 2**count
    for it in spans:
        x, y = start(it)
        assert 138 <= x <= WIDTH and 0 <= y <= height
    rows = [*of_class(root, "taken"), *of_class(root, "stroke")]
    assert len(rows) == count * 2**count
    assert all(0 <= float(it.get("cy") or start(it)[1]) <= height for it in rows)


FAR = OpenChoice("rate", "not stated", ("usual", *(f"r{k}" for k in range(1, 10))))


def with_one_far_out(value: float, interval: tuple[float, float] | None = None) -> Curve:
    """Nine readings from 60 to 64, the default at 60, and one far from them."""
    near = [
        CurvePoint({"rate": name}, 60.0 + 0.5 * k, (59.5 + 0.5 * k, 60.5 + 0.5 * k), "inconclusive", not k)
        for k, name in enumerate(FAR.choices[:9])
    ]
    far = CurvePoint({"rate": "r9"}, value, interval, "contradicted")
    return replace(CURVE, points=(*near, far), open=(FAR,), target=66.0, margin=(65.5, 66.5))


@pytest.mark.parametrize(("value", "interval"), [(10.3, (-6.7, 27.4)), (140.0, (120.0, 160.0)), (10.3, None)])
def test_a_reading_that_would_squeeze_the_others_stands_off_the_scale(
    value: float, interval: tuple[float, float] | None
) -> None:
    """The axis is over the others and the printed number; the far one is a mark beyond its break, with its
    value in words, and an arrow."""
    root = drawn(with_one_far_out(value, interval))
    (cross,) = of_class(root, "cross")
    rings = [number(it, "cy") for it in of_class(root, "ring")]
    target = start(of_class(root, "target")[0])[1]
    assert max(rings) - target > 80  # without the cut 140 units would hold 130 points
    edge = start(cross)[1]
    assert edge > max(rings) if value < 60 else edge < min([*rings, target])
    assert len(of_class(root, "break")) == 1
    assert f"off the scale: {value:.2f}" in "".join(root.itertext())
    assert len(of_class(root, "span")) == 9


def test_the_interval_of_a_reading_off_the_scale_is_drawn_as_far_as_it_reaches() -> None:
    """From 5 to 62: from the lower end of the axis up to 62, with an arrowhead at the end that is cut."""
    root = drawn(with_one_far_out(10.0, (5.0, 62.0)))
    spans = [it.attrib["d"] for it in of_class(root, "span")]
    cut = [it for it in spans if "l3 4 3-4" in it]
    assert len(spans) == 10 and len(cut) == 1
    ring = of_class(root, "ring")[4]  # the reading at 62
    assert float(cut[0].partition("V")[2].partition("M")[0]) == pytest.approx(number(ring, "cy"), abs=0.11)


def test_too_little_or_no_finite_number_is_no_drawing() -> None:
    assert specification_curve(replace(CURVE, points=POINTS[:1])) == ""
    assert specification_curve(replace(CURVE, points=())) == ""
    assert specification_curve(replace(CURVE, target=math.inf)) == ""


def test_any_text_is_safe() -> None:
    bad = OpenChoice("<b>", "w", ('"&', "</svg>"))
    points = tuple(replace(it, choices={"<b>": c}) for it, c in zip(POINTS[:2], bad.choices, strict=True))
    text = specification_curve(replace(CURVE, title="<script>", points=points, open=(bad,)))
    assert "<script>" not in text and "<b>" not in text
    assert text.count("</svg>") == 1
