"""The figures for a paper: what they show, and the files."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from audit.record import Audit, OpenChoice, Specifications, SpecificationVerdict
from reports.cards import interval_row
from reports.figures import FORMATS, PaperFigure, draw_figure, drawn_figures
from tests.reports import every_kind, sample
from tests.reports.hostile import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
CURVE = tuple({"epoch": float(k), "loss": 1.0 / k, "P@1": 70.0 + k} for k in (1, 2, 3))


def named(audit: Audit) -> dict[str, PaperFigure]:
    figures = drawn_figures(audit)
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
        SpecificationVerdict(reading, "inconclusive", "undecided", (2,), estimate, ci95=interval)
        for reading, estimate, interval in kinds
    )
    rate = OpenChoice("rate", "not stated", ("usual", "slow"))
    return replace(
        audit,
        experiments=(replace(experiment, runs=runs),),
        readings=Specifications("full", (rate,), {"kim_words": ("rate",)}),
        verdicts=(replace(verdict, readings=readings),),
    )


def test_values_are_measured_from_the_printed_number() -> None:
    audit = sample.tiny()
    row = interval_row(audit.claims[0], audit.verdicts[0]) or pytest.fail()
    assert (row.label, row.outcome, row.target) == ("P@1", "inconclusive", None)
    assert row.estimate == pytest.approx(75.2 - 75.83)
    assert row.margin == pytest.approx((-0.5, 0.5))
    assert row.inner == pytest.approx((74.5686 - 75.83, 75.8314 - 75.83))


def test_every_kind_of_claim_can_be_drawn() -> None:
    for figure in drawn_figures(every_kind.every_kind()):
        assert texts(figure)


def test_the_same_audit_gives_the_same_bytes_in_each_format() -> None:
    figure = named(sample.tiny())["values"]
    for kind in FORMATS:
        assert draw_figure(figure, kind) == draw_figure(figure, kind)


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
    for name in ("values", "learning-kim-words", "claim-kim-words", "claim-kim-words-readings-p1"):
        shown = texts(figures[name])
        assert "\u202e" not in "".join(shown) and max(map(len, shown)) < 120
