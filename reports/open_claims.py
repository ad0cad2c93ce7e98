"""The open claims by what it would cost to settle them: a short list for the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from audit.record import ClaimRecord, Scope, Settling, Verdict
from reports import digits, wording
from reports.lookup import Lookup
from reports.wording import same_runs
from reports.wording import settling as words

#: So many claims are named; `audit plan` lists all.
_NAMED = 40


@dataclass(frozen=True)
class OpenClaim:
    title: str
    metric: str
    text: str
    """All of it in one line."""
    href: str
    seeds: str
    """An arm, those already run included, for a chance of 80 %."""
    runs: str
    """Still to be made."""
    time: str
    """Of those runs: `0.4 h on a GPU`."""
    chance: str
    """With how many seeds it is reproduced or contradicted with a chance of 80 and of 90 %."""


@dataclass(frozen=True)
class OpenClaims:
    """Those that a number of seeds would settle, the cheapest first, and the rest by reason."""

    claims: tuple[OpenClaim, ...]
    rest: tuple[str, ...]
    stand_in: str = ""
    """What seeds on other data do not settle; empty where all are on the paper's own."""


def open_claims(found: Lookup) -> OpenClaims:
    """Of the claims that are open, and those whose runs failed; the rest is told elsewhere."""
    claims = {it.id: it for it in found.audit.claims}
    judged = {
        name: it
        for name, it in found.audit.settling.items()
        if name in claims and _is_open(found.verdicts.get(name))
    }
    again = [name for name in judged if _is_told(name, found)]
    judged = {name: it for name, it in judged.items() if name not in again}
    by_seeds = [name for name, it in judged.items() if it.seeds is not None]
    by_seeds.sort(key=lambda name: _scope(name, found) == "other_data")  # the paper's own data first
    shown = tuple(_open(claims[name], judged[name], found) for name in by_seeds[:_NAMED])
    more = len(by_seeds) - len(shown)
    reasons = Counter(
        words.short(it, _scope(name, found), found.verdicts.get(name))
        for name, it in judged.items()
        if it.seeds is None
    )
    rest = (
        [f"{wording.plural(more, 'further claim')}: more seeds than these, as `audit plan` lists."]
        if more > 0
        else []
    )
    rest += [f"{wording.plural(number, 'claim')}: {text}." for text, number in reasons.items()]
    rest += [same_runs.rest(len(again))] if again else []
    stand_in = any(_scope(name, found) == "other_data" for name in by_seeds)
    return OpenClaims(shown, tuple(rest), words.STAND_IN_NOTE if stand_in else "")


def _scope(name: str, found: Lookup) -> Scope | None:
    return wording.judged_on(found.verdicts.get(name))


def _is_told(name: str, found: Lookup) -> bool:
    """Whether another claim rests on the same runs, and is open for the same reason."""
    first = found.verdicts.get(found.same.claims.get(name, ""))
    own = found.verdicts[name]
    return first is not None and (first.outcome, first.reason) == (own.outcome, own.reason)


def _is_open(verdict: Verdict | None) -> bool:
    """Inconclusive, or to be judged as soon as its runs come to their end."""
    failed = verdict is not None and verdict.reason == "run_failed"
    return failed or wording.status_of(verdict) == "inconclusive"


def _open(claim: ClaimRecord, found: Settling, of: Lookup) -> OpenClaim:
    runs = sum(found.missing.values())
    scope = _scope(claim.id, of)
    return OpenClaim(
        title=wording.claim_title(claim, of.names(claim)),
        metric=wording.subject(claim),
        text=wording.to_settle(found, scope, of.verdicts.get(claim.id)),
        href=f"#{of.anchors[claim.id]}",
        seeds=digits.ABSENT if found.seeds is None else str(found.seeds),
        runs=str(runs) if runs else digits.ABSENT,
        time=words.time(found.seconds, found.device),
        chance=words.chance(found, scope),
    )
