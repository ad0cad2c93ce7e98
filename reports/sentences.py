"""The sentence of a claim's verdict, with all that the record says of it: one for page and siblings."""

from __future__ import annotations

from collections.abc import Callable

from audit.record import ClaimRecord
from reports import wording
from reports.lookup import Lookup


def sentence(claim: ClaimRecord, found: Lookup) -> str:
    """The verdict on `claim` in a sentence or two; a claim without a verdict is not tested."""
    return _said(wording.verdict_sentence, claim, found)


def brief(claim: ClaimRecord, found: Lookup) -> str:
    """The same for the first screen, without intervals."""
    return _said(wording.brief_sentence, claim, found)


def _said(how: Callable[..., str], claim: ClaimRecord, found: Lookup) -> str:
    return how(
        claim,
        found.verdicts.get(claim.id),
        names=found.names(claim),
        departures=_departures(claim, found),
        settling=found.audit.settling.get(claim.id),
    )


def _departures(claim: ClaimRecord, found: Lookup) -> int:
    """How many different departures from the paper lie behind the claim's runs."""
    records = [found.experiments[key] for key in claim.experiments if key in found.experiments]
    return len({deviation for record in records for deviation in record.deviations})
