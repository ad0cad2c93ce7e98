"""Who held a table's numbers against the page, and whether they are still those numbers.

A record of it names the numbers by their fingerprint. Where a number was changed, added or taken out since,
the record says nothing about the table any more: it counts as unverified until somebody looks again. Records
without a fingerprint (written by hand) are taken at their word.
"""

from __future__ import annotations

from collections.abc import Mapping

from audit import record
from audit.claim_model import Table, Transcription


def fingerprint(tables: Mapping[str, Table]) -> str:
    """Digest of all numbers of `tables` by their addresses, as printed, each with its spread and mark.

    Labels, captions and the order of rows and columns do not enter: what somebody saw on the page stays seen.
    """
    return record.digest(
        [
            [f"{name}.{row.id}.{column.id}", it.printed if it else None, it and it.sd, it and it.mark]
            for name, table in sorted(tables.items())
            for row in sorted(table.rows, key=lambda row: row.id)
            for column, it in sorted(zip(table.columns, row.values, strict=False), key=lambda at: at[0].id)
        ]
    )


def verified(name: str, tables: Mapping[str, Table], whole: Transcription | None) -> str | None:
    """`A. Reader, 2026-11-28` for a table whose numbers somebody held against the page as they are now.

    `whole` is the paper's own record, which goes for every table that has none.
    """
    own = tables[name].transcription
    said, of = (own, {name: tables[name]}) if own else (whole, tables)
    if said is None or said.verified_by is None or is_outdated(said, of):
        return None
    return f"{said.verified_by}, {said.date or 'no date'}"


def is_outdated(said: Transcription, tables: Mapping[str, Table]) -> bool:
    """Whether a number was changed since somebody verified them."""
    return said.fingerprint is not None and said.fingerprint != fingerprint(tables)
