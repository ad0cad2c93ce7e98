"""Each claim with its verdict in the words of the page: what every export says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from audit.record import Audit, ClaimRecord, Verdict
from reports import digits
from reports.fields import COMPARISONS, DIFFERENCES, edges, medians, share_held, subject_of
from reports.lookup import Lookup, lookup
from reports.notes import epochs_to, power_text, times
from reports.verdicts import claim_title, sentence
from reports.words import PRESSING, STATUS_WORDS, Status, status_of


@dataclass(frozen=True)
class Told:
    claim: ClaimRecord
    verdict: Verdict | None
    status: Status
    title: str
    subject: str
    """The metric, or what stands in its place."""
    sentence: str
    where: str
    """`section 3.2, page 1991`; empty where the claim file does not say."""

    imported: bool
    """Whether its numbers were imported, not verified here."""

    @property
    def word(self) -> str:
        return STATUS_WORDS[self.status]


def told(audit: Audit) -> tuple[Told, ...]:
    """All claims in the order of the record; a claim without a verdict is not tested."""
    found = lookup(audit)
    return tuple(_told(claim, found) for claim in audit.claims)


def _told(claim: ClaimRecord, found: Lookup) -> Told:
    verdict, names = found.verdicts.get(claim.id), found.names(claim)
    place = claim.where
    where = (
        f"section {place.section}" if place.section else "",
        place.label or "",
        "" if place.page is None else f"page {place.page}",
    )
    return Told(
        claim=claim,
        verdict=verdict,
        status=status_of(verdict),
        title=claim_title(claim, names),
        subject=subject_of(claim),
        sentence=sentence(claim, found),
        where=", ".join(part for part in where if part),
        imported=found.imported(claim),
    )


def by_claim(claims: Sequence[Told]) -> list[list[Told]]:
    """Neighbours that are one claim of the file, over its metrics."""
    return [list(members) for _, members in groupby(claims, key=lambda it: it.claim.claim)]


def most_pressing(claims: Sequence[Told]) -> Told:
    """Of one claim's metrics, the first with the verdict that most needs a reader's eye."""
    return min(claims, key=lambda it: PRESSING.index(it.status))


def shown_about(claim: ClaimRecord, verdict: Verdict) -> str:
    """The metric, or what stands in its place: `P@1`, `training time`, `epochs to 57.70 nDCG@5`."""
    subject = subject_of(claim)
    if claim.kind == "convergence" and verdict.target is not None:
        return epochs_to(digits.points(verdict.target), subject)
    return subject


def printed(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number, the printed difference with its sign, or the claimed exponent; else a dash."""
    if claim.kind == "value":
        return claim.printed[0] if claim.printed else digits.points(verdict.target)
    if claim.kind in DIFFERENCES:
        return digits.signed(verdict.target)
    if claim.kind == "complexity" and verdict.target is not None:
        return power_text(digits.points(verdict.target))
    return digits.ABSENT


def ours(claim: ClaimRecord, verdict: Verdict) -> str:
    """`+1.66 (1.10 to 2.22)`, `× 1.62 (...)`, `power 1.05 (...)`, `11.49 / not reached`, or a share."""
    if claim.kind in COMPARISONS:
        return share_held(claim, verdict) or digits.ABSENT
    if claim.kind == "convergence":
        return " / ".join(medians(verdict)) or digits.ABSENT
    marks = edges(claim, verdict)
    if claim.kind == "value":
        return digits.mean_sd(verdict.estimate, verdict.sd, beside=marks)
    if verdict.estimate is None:
        return digits.ABSENT
    number = digits.points(verdict.estimate, beside=marks)
    text = {"cost": times(number), "complexity": power_text(number)}.get(claim.kind)
    text = text or digits.signed(verdict.estimate, beside=marks)
    return f"{text} ({digits.interval(verdict.ci95, beside=marks)})" if verdict.ci95 else text
