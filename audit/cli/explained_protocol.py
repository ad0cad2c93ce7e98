"""The departures from the paper behind a claim's runs, as `audit explain` lists them."""

from __future__ import annotations

from collections.abc import Iterator

from audit.record import ClaimRecord, Deviation
from reports.lookup import Lookup
from reports.sentences import status_of
from reports.text import plural
from reports.verdicts import departures


def protocol_texts(claim: ClaimRecord, found: Lookup) -> Iterator[str]:
    """Their number, and each where the verdict's sentence points at them: beside a contradiction."""
    there = departures(claim, found)
    if not there:
        return
    number = f"{plural(len(there), 'departure')} from the paper"
    if status_of(found.verdicts.get(claim.id)) != "contradicted":
        yield f"{number}; the page lists {'it' if len(there) == 1 else 'them'} under “Protocol”"
        return
    yield number
    yield from map(_told, there)


def _told(it: Deviation) -> str:
    """`epochs: the paper 50; here 20 (a smaller corpus)`"""
    here = "as configured" if it.as_set or not it.here else it.here
    code = f"; its public code: {it.code}" if it.code else ""
    return (
        f"{it.what}: the paper: {it.paper or 'nothing'}{code}; here: {here}{f' ({it.why})' if it.why else ''}"
    )
