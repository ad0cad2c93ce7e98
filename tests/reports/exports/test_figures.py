"""The figures for a paper: what they show, and the files."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from audit.record import Audit, OpenChoice, Readings, ReadingVerdict, Verdict
from reports.drawing import FORMATS
from reports.figures import PaperFigure, paper_figures
from tests.reports import every_kind, sample
from tests.reports.exports.hostile import HOSTILE

pytest.importorskip("matplotlib", reason="needs the extra figures")

from reports.drawing import draw_figure

SVG = "{http://www.w3.org/2000/svg}"
CURVE = tuple({"epoch": float(k), "loss": 1.0 / k, "P@1": 70.0 + k} for k in (1, 2, 3))


def named(audit: Audit) -> dict[str, PaperFigure]:
    figures = list(paper_figures(audit))
    names = [figure.name for figure in figures]
    assert len(set(names)) == len(names)
    return {figure.name: figure for figure in figures}


def drawn(figure: PaperFigure) -> ElementTree.Element:
    return ElementTree.fromstring(draw_figure(figure, "svg"))


def texts(figure: PaperFigure) -> list[str]:
    return [it.text or "" for it in drawn(figure).iter(f"{SVG}text")]


def with_curves(audit: Audit, curve: Any = CURVE) -> Audit:
    experiment = audit.experiments[0]
    runs = tuple(replace(run, curve=curve if run.metrics else ()) for run in experiment.runs)
    return replace(audit, experiments=(replace(experiment, runs=runs),))


def with_readings() -> Audit:
    """The one claim under two readings of one open choice."""
    audit = sample.tiny()
    kinds = (({}, 75.2, (74.0, 76.0)), ({"rate": "slow"}, 76.5, (76.0, 77.0)))
    verdicts = tuple(
        ReadingVerdict(reading, "inconclusive", "undecided", (2,), estimate, ci95=interval)
        for reading, estimate, interval in kinds
    )
    rate = OpenChoice("rate", "not stated", ("usual", "slow"))
    return replace(
        audit,
        readings=Readings("full", (rate,), {"kim_words": ("rate",)}),
        verdicts=(replace(audit.verdicts[0], readings=verdicts),),
    )


# --------------------------------------------------------------------------- what they show


def test_values_are_measured_from_the_printed_number() -> None:
    (row,) = named(sample.tiny())["values"].forest
    assert (row.label, row.part, row.word) == ("Kim-CNN, words", "P@1", "Inconclusive")
    assert row.estimate == pytest.approx(75.2 - 75.83)
    assert row.margin == (-0.5, 0.5)
    assert row.ci90 == pytest.approx((74.5686 - 75.83, 75.8314 - 75.83))
    assert row.pi95 == pytest.approx((72.9993 - 75.83, 77.4007 - 75.83))
    assert row.target is None


def test_nothing_on_other_data_is_set_against_a_printed_number() -> None:
    figures = named(sample.study("other_data"))
    assert "values" not in figures
    assert all(row.target is None for row in figures["comparisons"].forest)
    assert {row.elsewhere for row in figures["comparisons"].forest} == {"stand-in data"}
    assert "difference, points (stand-in data)" in texts(figures["comparisons"])
    order = next(figure for name, figure in figures.items() if name.startswith("claim-kim-cnn-is"))
    assert "difference in P@1, points (stand-in data): reproduced" in texts(order)


def test_sums_of_many_claims_are_cut_into_parts() -> None:
    audit = sample.study()
    many = [
        (replace(c, id=f"{k}{c.id}", claim=f"{k}{c.claim}"), v)
        for k in range(4)
        for c, v in zip(audit.claims, audit.verdicts, strict=True)
    ]
    audit = replace(
        audit, claims=tuple(c for c, _ in many), verdicts=tuple(replace(v, claim=c.id) for c, v in many)
    )
    figures = named(audit)
    assert [len(figures[f"values-{k}"].forest) for k in (1, 2, 3)] == [40, 40, 12]


def test_numbers_that_cannot_be_drawn_are_left_out() -> None:
    (verdict,) = sample.tiny().verdicts
    audit = replace(sample.tiny(), verdicts=(replace(verdict, estimate=1e300),))
    assert not named(audit)
    assert not named(replace(audit, verdicts=(Verdict(verdict.claim, "inconclusive", "not_run"),)))


# --------------------------------------------------------------------------- the files


def one_of_each() -> list[PaperFigure]:
    tiny = named(sample.tiny())
    return [
        tiny["values"],
        tiny["claim-kim-words"],
        named(with_curves(sample.tiny()))["learning-p1"],
        named(with_readings())["claim-kim-words-readings-p1"],
    ]


@pytest.mark.parametrize("figure", one_of_each(), ids=lambda figure: figure.name)
@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_figure_is_the_same_bytes(figure: PaperFigure, kind: Any) -> None:
    """No clock, no version of a library, no chance."""
    content = draw_figure(figure, kind)
    assert content == draw_figure(figure, kind)
    assert content.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])
    assert not re.search(rb"20\d\d-\d\d-\d\dT|CreationDate|ModDate|Matplotlib v", content)


@pytest.mark.parametrize("figure", one_of_each(), ids=lambda figure: figure.name)
def test_text_is_text_and_who_does_not_see_it_is_told(figure: PaperFigure) -> None:
    root = drawn(figure)
    assert root.get("role") == "img"
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert (root[0].text, root[1].text) == (figure.title, figure.description)
    assert len(list(root.iter(f"{SVG}text"))) >= 4
    assert not re.search(r"(?i)href=\"http", ElementTree.tostring(root, encoding="unicode"))


def test_every_kind_of_claim_can_be_drawn() -> None:
    for figure in paper_figures(every_kind.every_kind()):
        drawn(figure)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_is_text(text: str) -> None:
    """Formulas, unknown signs, direction overrides and 10,000 characters; no warning either."""
    audit = sample.tiny()
    (table,), (experiment,) = audit.tables, audit.experiments
    rows = tuple(replace(row, label=text) for row in table.rows)
    audit = replace(
        audit,
        paper=replace(audit.paper, title=text),
        tables=(replace(table, rows=rows),),
        experiments=(replace(experiment, title=text),),
        claims=tuple(replace(it, says=text) for it in audit.claims),
    )
    figures = named(with_curves(audit))
    for name in ("values", "learning-p1", "claim-kim-words"):
        root = drawn(figures[name])
        assert "\u202e" not in "".join(root.itertext())
        assert max(len(it.text or "") for it in root.iter(f"{SVG}text")) < 120
