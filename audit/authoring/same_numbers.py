"""Whether a table is one that the claim file has already, by its numbers."""

from __future__ import annotations

from collections.abc import Iterable

from audit.authoring.entry import About, entry
from audit.authoring.mapped import Mapped
from audit.claim import Paper
from audit.claim_source import Plain

#: Fewer numbers may be alike by chance, or since a row is printed in two tables.
LEAST = 4


def same_as(paper: Paper, mapped: Mapped, about: About) -> str | None:
    """`t3 has the same 24 numbers as t2`, or None. Nothing may be open in the table."""
    new = _printed(value for row in entry(mapped, about)["rows"] for value in row["values"])
    if len(new) < LEAST:
        return None
    for name, table in paper.tables.items():
        old = [it.printed for row in table.rows for it in row.values if it is not None]
        if old == new:
            return f"{about.id} has the same {len(new)} numbers as {name}"
    return None


def _printed(values: Iterable[Plain]) -> list[str]:
    """Row by row, dashes left out."""
    return [str(it["printed"] if isinstance(it, dict) else it) for it in values if it is not None]
