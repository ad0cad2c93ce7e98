"""The first screen's claims: on the paper's own data, then on a stand-in, then the untested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from audit.record import Audit, ClaimRecord
from reports import wording
from reports.lookup import Lookup
from reports.sentences import brief
from reports.wording import STATUS_WORDS, Status
from reports.wording import same_runs as words
from reports.wording.splits import splits_at_claim

#: What needs a reader's eye comes first; a headline speaks of the first of its metrics' verdicts.
ORDER: tuple[Status, ...] = ("contradicted", "inconclusive", "reproduced", "not_tested")
_OWN, _STAND_IN, _UNTESTED = 0, 1, 2


@dataclass(frozen=True)
class HeadlineMark:
    metric: str
    status: Status
    word: str
    href: str


@dataclass(frozen=True)
class Headline:
    """One claim over all its metrics."""

    title: str
    marks: tuple[HeadlineMark, ...]
    """None where the claim rests on the runs of another one, whose verdict counts."""
    summary: str
    sentence: str
    stand_in: bool
    heading: str = ""
    """Above the first of those that rest on stand-in data, and of those that are not primary."""
    href: str = ""
    """To the claim that has the same runs; empty where the claim has an entry of its own."""
    link: str = ""


def headlines(found: Lookup) -> tuple[Headline, ...]:
    """Metrics of one claim together, with the sentence of their most pressing verdict.

    A verdict on stand-in data never stands above one on the paper's own: by data first, then by urgency.
    """
    primary = [claim for claim in found.audit.claims if claim.primary]
    made = [_headline(list(members), found) for _, members in groupby(primary, key=lambda it: it.claim)]
    return tuple(headline for _, headline in sorted(made, key=lambda pair: pair[0]))


def on_own_data(found: Lookup, limit: int) -> tuple[Headline, ...]:
    """Printed values that were judged on the paper's own corpus, where no primary claim was.

    What is asked first is whether the paper's numbers hold: that stands above the primary claims then. Whose
    data a verdict rests on decides, never how it came out; in the claim file's order.
    """
    groups = groupby(values_on_own_data(found.audit), key=lambda it: it.claim)
    made = [_headline(list(members), found)[1] for _, members in groups]
    return tuple(replace(it, heading="" if k else words.ON_OWN_DATA) for k, it in enumerate(made[:limit]))


def values_on_own_data(audit: Audit) -> tuple[ClaimRecord, ...]:
    """The claims of `on_own_data`, metric by metric; none where a primary claim was judged on own data."""
    on_own = {
        it.claim
        for it in audit.verdicts
        if wording.status_of(it) != "not_tested" and it.scope in ("same_data", "other_split")
    }
    judged = [claim for claim in audit.claims if claim.id in on_own]
    if any(claim.primary for claim in judged):
        return ()
    return tuple(claim for claim in judged if claim.kind == "value")


def headed(items: Sequence[Headline]) -> tuple[Headline, ...]:
    """The same, where those on stand-in data begin under a heading that says what they are."""
    return tuple(_headed(items))


def _headed(items: Sequence[Headline]) -> Iterator[Headline]:
    begun = False
    for it in items:
        yield replace(it, heading=words.ON_STAND_IN) if it.stand_in and not begun else it
        begun = begun or it.stand_in


def _headline(claims: list[ClaimRecord], found: Lookup) -> tuple[tuple[int, int], Headline]:
    """With its place on the screen: whose data it rests on, and how pressing it is."""
    statuses = [wording.status_of(found.verdicts.get(claim.id)) for claim in claims]
    pairs = [(wording.subject(claim), status) for claim, status in zip(claims, statuses, strict=True)]
    pressing, worst = min((ORDER.index(status), k) for k, status in enumerate(statuses))
    claim = claims[worst]
    data = _UNTESTED if statuses[worst] == "not_tested" else _data(claim, found)
    marks = tuple(
        HeadlineMark(metric, status, STATUS_WORDS[status], f"#{found.anchors[member.id]}")
        for member, (metric, status) in zip(claims, pairs, strict=True)
    )
    headline = Headline(
        title=wording.claim_title(claim, found.names(claim)),
        marks=marks,
        summary=wording.headline(pairs),
        sentence=" ".join(filter(None, (brief(claim, found), splits_at_claim(found.audit.splits, claim.id)))),
        stand_in=data == _STAND_IN,
    )
    first = found.same.claims.get(claim.id)
    return (data, pressing), _again(headline, first, found) if first and data == _STAND_IN else headline


def _data(claim: ClaimRecord, found: Lookup) -> int:
    verdict = found.verdicts.get(claim.id)
    return _STAND_IN if verdict is not None and verdict.scope == "other_data" else _OWN


def _again(headline: Headline, first: str, found: Lookup) -> Headline:
    """Without marks of its own: its runs are told at another claim, with how that one came out."""
    claim = next(it for it in found.audit.claims if it.id == first)
    all_of_it = [it for it in found.audit.claims if it.claim == claim.claim]
    over = wording.headline(
        [(wording.subject(it), wording.status_of(found.verdicts.get(it.id))) for it in all_of_it]
    )
    return replace(
        headline,
        marks=(),
        sentence=f"{headline.sentence} {words.elsewhere(over)}",
        href=f"#{found.anchors[first]}",
        link=wording.claim_title(claim, found.names(claim)),
    )
