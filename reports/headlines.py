"""The first screen's claims: on the paper's own data, then on a stand-in, then the untested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from audit.record import Audit, ClaimRecord, Scope, Settling, Verdict
from reports import digits
from reports.fields import subject_of
from reports.lookup import ON_OWN_DATA, SAME_ON_STAND_IN, Lookup, rest_on_same_runs, same_elsewhere
from reports.splits import splits_at_claim
from reports.text import View, plural
from reports.verdicts import (
    SETTLE_STAND_IN_NOTE,
    brief,
    chance,
    claim_title,
    over_metrics,
    settle_to_settle,
    short,
    time,
)
from reports.words import ORDER, STATUS_WORDS, judged_on, status_of

_OWN, _STAND_IN, _UNTESTED = 0, 1, 2


def headlines(found: Lookup) -> tuple[View, ...]:
    """Metrics of one claim together, with the sentence of their most pressing verdict.

    A verdict on stand-in data never stands above one on the paper's own: by data first, then by urgency.
    """
    primary = [claim for claim in found.audit.claims if claim.primary]
    made = [_headline(list(members), found) for _, members in groupby(primary, key=lambda it: it.claim)]
    return tuple(headline for _, headline in sorted(made, key=lambda pair: pair[0]))


def on_own_data(found: Lookup, limit: int) -> tuple[View, ...]:
    """Printed values that were judged on the paper's own corpus, where no primary claim was.

    What is asked first is whether the paper's numbers hold: that stands above the primary claims then. Whose
    data a verdict rests on decides, never how it came out; in the claim file's order.
    """
    groups = groupby(values_on_own_data(found.audit), key=lambda it: it.claim)
    made = [_headline(list(members), found)[1] for _, members in groups]
    return tuple(it.but(heading="" if k else ON_OWN_DATA) for k, it in enumerate(made[:limit]))


def values_on_own_data(audit: Audit) -> tuple[ClaimRecord, ...]:
    """The claims of `on_own_data`, metric by metric; none where a primary claim was judged on own data."""
    on_own = {
        it.claim
        for it in audit.verdicts
        if status_of(it) != "not_tested" and it.scope in ("same_data", "other_split")
    }
    judged = [claim for claim in audit.claims if claim.id in on_own]
    if any(claim.primary for claim in judged):
        return ()
    return tuple(claim for claim in judged if claim.kind == "value")


def headed(items: Sequence[View]) -> tuple[View, ...]:
    """The same, where those on stand-in data begin under a heading that says what they are."""
    return tuple(_with_headings(items))


def _with_headings(items: Sequence[View]) -> Iterator[View]:
    begun = False
    for it in items:
        yield it.but(heading=SAME_ON_STAND_IN) if it.stand_in and not begun else it
        begun = begun or it.stand_in


def _headline(claims: list[ClaimRecord], found: Lookup) -> tuple[tuple[int, int], View]:
    """With its place on the screen: whose data it rests on, and how pressing it is."""
    statuses = [status_of(found.verdicts.get(claim.id)) for claim in claims]
    pairs = [(subject_of(claim), status) for claim, status in zip(claims, statuses, strict=True)]
    pressing, worst = min((ORDER.index(status), k) for k, status in enumerate(statuses))
    claim = claims[worst]
    data = _UNTESTED if statuses[worst] == "not_tested" else _whose_data(claim, found)
    marks = tuple(
        View(metric=metric, status=status, word=STATUS_WORDS[status], href=f"#{found.anchors[member.id]}")
        for member, (metric, status) in zip(claims, pairs, strict=True)
    )
    headline = View(
        title=claim_title(claim, found.names(claim)),
        marks=marks,
        summary=over_metrics(pairs),
        sentence=" ".join(filter(None, (brief(claim, found), splits_at_claim(found.audit.splits, claim.id)))),
        stand_in=data == _STAND_IN,
        heading="",
        href="",
        link="",
    )
    first = found.same.claims.get(claim.id)
    return (data, pressing), _headline_again(
        headline, first, found
    ) if first and data == _STAND_IN else headline


def _whose_data(claim: ClaimRecord, found: Lookup) -> int:
    verdict = found.verdicts.get(claim.id)
    return _STAND_IN if verdict is not None and verdict.scope == "other_data" else _OWN


def _headline_again(headline: View, first: str, found: Lookup) -> View:
    """Without marks of its own: its runs are told at another claim, with how that one came out."""
    claim = next(it for it in found.audit.claims if it.id == first)
    all_of_it = [it for it in found.audit.claims if it.claim == claim.claim]
    over = over_metrics([(subject_of(it), status_of(found.verdicts.get(it.id))) for it in all_of_it])
    return headline.but(
        marks=(),
        sentence=f"{headline.sentence} {same_elsewhere(over)}",
        href=f"#{found.anchors[first]}",
        link=claim_title(claim, found.names(claim)),
    )


#: So many claims are named; `audit plan` lists all.
_OPEN_NAMED = 40


def open_claims(found: Lookup) -> View:
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
    shown = tuple(_open_open(claims[name], judged[name], found) for name in by_seeds[:_OPEN_NAMED])
    more = len(by_seeds) - len(shown)
    reasons = Counter(
        short(it, _scope(name, found), found.verdicts.get(name))
        for name, it in judged.items()
        if it.seeds is None
    )
    rest = (
        [f"{plural(more, 'further claim')}: more seeds than these, as `audit plan` lists."]
        if more > 0
        else []
    )
    rest += [f"{plural(number, 'claim')}: {text}." for text, number in reasons.items()]
    rest += [rest_on_same_runs(len(again))] if again else []
    stand_in = any(_scope(name, found) == "other_data" for name in by_seeds)
    return View(claims=shown, rest=tuple(rest), stand_in=SETTLE_STAND_IN_NOTE if stand_in else "")


def _scope(name: str, found: Lookup) -> Scope | None:
    return judged_on(found.verdicts.get(name))


def _is_told(name: str, found: Lookup) -> bool:
    """Whether another claim rests on the same runs, and is open for the same reason."""
    first = found.verdicts.get(found.same.claims.get(name, ""))
    own = found.verdicts[name]
    return first is not None and (first.outcome, first.reason) == (own.outcome, own.reason)


def _is_open(verdict: Verdict | None) -> bool:
    """Inconclusive, or to be judged as soon as its runs come to their end."""
    failed = verdict is not None and verdict.reason == "run_failed"
    return failed or status_of(verdict) == "inconclusive"


def _open_open(claim: ClaimRecord, found: Settling, of: Lookup) -> View:
    runs = sum(found.missing.values())
    scope = _scope(claim.id, of)
    return View(
        title=claim_title(claim, of.names(claim)),
        metric=subject_of(claim),
        text=settle_to_settle(found, scope, of.verdicts.get(claim.id)),
        href=f"#{of.anchors[claim.id]}",
        seeds=digits.ABSENT if found.seeds is None else str(found.seeds),
        runs=str(runs) if runs else digits.ABSENT,
        time=time(found.seconds, found.device),
        chance=chance(found, scope),
    )
