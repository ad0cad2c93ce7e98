"""What is written beside the page from the same record: each a pure function, audit in and text out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from audit.record import Audit
from reports.exports.junit import junit
from reports.exports.latex import latex
from reports.exports.markdown import summary
from reports.exports.table_csv import claims_csv

__all__ = ["EXPORTS", "Export"]


@dataclass(frozen=True)
class Export:
    file: str
    """Name beside `report.html`."""
    what: str
    write: Callable[[Audit], str]


#: By the name that `--also` knows. The names of the files are `report.`, so that they lie together.
EXPORTS = {
    "csv": Export("report.csv", "one row a claim", claims_csv),
    "markdown": Export("report.md", "at most 40 lines for a review form", summary),
    "junit": Export("report.junit.xml", "a test report for CI", junit),
    "latex": Export("report.tex", "tables for a paper", latex),
}
