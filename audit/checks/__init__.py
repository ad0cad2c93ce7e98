"""Checks that need no run: a paper's tables tested against themselves.

Each check is a function from the tables to findings, exact on the printed strings.
"""

from __future__ import annotations

from collections.abc import Sequence

from audit.checks.bounds import bounds
from audit.record import Finding, TableRecord

CHECKS = (bounds,)


def all_findings(tables: Sequence[TableRecord]) -> tuple[Finding, ...]:
    """What every check finds, in the order of checks and tables."""
    return tuple(finding for check in CHECKS for finding in check(tables))
