"""The open claims by what it would cost to settle them: a short list for the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from reports import wording
from reports.lookup import Lookup

#: So many claims are named; `audit plan` lists all.
_NAMED = 12


@dataclass(frozen=True)
class OpenClaim:
    title: str
    metric: str
    text: str
    href: str


@dataclass(frozen=True)
class OpenClaims:
    """Those that a number of seeds would settle, the cheapest first, and the rest by reason."""

    claims: tuple[OpenClaim, ...]
    rest: tuple[str, ...]


def open_claims(found: Lookup) -> OpenClaims:
    """Of the claims that were judged and are open; what was not tested is told elsewhere."""
    claims = {it.id: it for it in found.audit.claims}
    judged = {
        name: it
        for name, it in found.audit.settling.items()
        if name in claims and wording.status_of(found.verdicts.get(name)) == "inconclusive"
    }
    by_seeds = [name for name, it in judged.items() if it.seeds is not None]
    shown = tuple(
        OpenClaim(
            wording.claim_title(claims[name], found.names(claims[name])),
            wording.subject(claims[name]),
            wording.to_settle(judged[name]),
            f"#{found.anchors[name]}",
        )
        for name in by_seeds[:_NAMED]
    )
    more = len(by_seeds) - len(shown)
    reasons = Counter(it.text for it in judged.values() if it.seeds is None)
    rest = (
        [f"{wording.plural(more, 'further claim')}: more seeds than these, as `audit plan` lists."]
        if more > 0
        else []
    )
    rest += [f"{wording.plural(number, 'claim')}: {text}." for text, number in reasons.items()]
    return OpenClaims(shown, tuple(rest))
