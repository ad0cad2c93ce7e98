"""Cells of the redrawn tables: what stands below the printed number."""

from __future__ import annotations

from dataclasses import replace

from reports.lookup import lookup
from reports.render import html
from reports.table_view import table_views
from tests.reports import sample
from tests.reports.markup import parsed


def test_a_judged_value_has_its_interval() -> None:
    """At the level at which it was judged, below our mean and beside n."""
    (table,) = table_views(lookup(sample.tiny()))
    (cell,) = table.rows[0].cells
    assert (cell.ours, cell.interval, cell.n) == ("75.20 ± 0.14", "95%: 73.93 to 76.47", "n = 2")
    assert "95%: 73.93 to 76.47" in parsed(html(sample.tiny())).text


def test_a_cell_of_a_comparison_has_none() -> None:
    """The interval of a difference is not that of either side."""
    audit = sample.tiny()
    claims = tuple(replace(it, kind="order") for it in audit.claims)
    (table,) = table_views(lookup(replace(audit, claims=claims)))
    assert table.rows[0].cells[0].interval == ""


def test_ours_stand_in_a_table_whose_rows_are_metrics() -> None:
    """Where methods head the columns, a cell has its metric itself: Table 2 of Wang et al. 2019."""
    audit = sample.tiny()
    (table,) = audit.tables
    (column,) = table.columns
    (row,) = table.rows
    (cell,) = row.cells
    turned = replace(
        table,
        columns=(replace(column, metric=None),),
        rows=(replace(row, cells=(replace(cell, metric="P@1"),)),),
    )
    (shown,) = table_views(lookup(replace(audit, tables=(turned,))))
    (drawn,) = shown.rows[0].cells
    assert (drawn.ours, drawn.n) == ("75.20 ± 0.14", "n = 2")
