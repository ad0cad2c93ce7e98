"""The sentence of a claim's verdict, with all that the record says of it: one for page and siblings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from audit.record import ClaimRecord, Deviation
from reports import wording
from reports.lookup import Lookup


def sentence(claim: ClaimRecord, found: Lookup) -> str:
    """The verdict on `claim` in a sentence or two; a claim without a verdict is not tested."""
    return _said(wording.verdict_sentence, claim, found)


def brief(claim: ClaimRecord, found: Lookup) -> str:
    """The same for the first screen, without intervals; its other metrics where they point another way."""
    others = [
        (it, found.verdicts[it.id])
        for it in found.audit.claims
        if it.claim == claim.claim and it.id != claim.id and it.id in found.verdicts
    ]
    return _said(partial(wording.brief_sentence, others=others), claim, found)


def _said(how: Callable[..., str], claim: ClaimRecord, found: Lookup) -> str:
    return how(
        claim,
        found.verdicts.get(claim.id),
        names=found.names(claim),
        departures=len(departures(claim, found)),
        settling=found.audit.settling.get(claim.id),
    )


def departures(claim: ClaimRecord, found: Lookup) -> list[Deviation]:
    """The departures from the paper behind the claim's runs, each once."""
    records = (found.experiments[key] for key in claim.experiments if key in found.experiments)
    return list(dict.fromkeys(deviation for record in records for deviation in record.deviations))
