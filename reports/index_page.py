"""One page over the audits of several papers: four numbers each, and the way to each report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import IMPORTED, Audit, ClaimRecord, Verdict
from reports import wording
from reports.same_runs import distinct
from reports.strings import moment
from reports.wording import STATUS_WORDS, STATUSES, Status
from reports.wording import index as words
from reports.wording import same_runs as again

Pair = tuple[ClaimRecord, Verdict]


@dataclass(frozen=True)
class IndexCount:
    status: Status
    word: str
    count: int
    note: str = ""
    """How many different comparisons they are, and on whose data."""
    borrowed: bool = False
    """Whether all of them rest on stand-in data, so that the number has less weight: as on the report."""


@dataclass(frozen=True)
class IndexRow:
    """One audit."""

    title: str
    report: str
    """Name of its folder: the key, and the corpus where the paper has several."""
    href: str
    counts: tuple[IndexCount, ...]
    """In the order of the statuses; they add up to `total`."""
    total: int
    rests_on: str
    """On whose data, and on what protocol, those claims rest that were judged."""
    findings: str
    date: str


@dataclass(frozen=True)
class IndexPage:
    summary: str
    rows: tuple[IndexRow, ...]
    unread: str


def build(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> IndexPage:
    """Of (folder of the report, audit); `unread` are folders whose record is none. By folder."""
    rows = tuple(_row(folder, audit) for folder, audit in sorted(audits, key=lambda it: it[0]))
    papers = len({audit.paper.key for _, audit in audits})
    return IndexPage(words.summary(papers, len(rows)), rows, words.unread(sorted(unread)))


def _row(folder: str, audit: Audit) -> IndexRow:
    verdicts = {it.claim: it for it in audit.verdicts}
    pairs: dict[Status, list[Pair]] = {it: [] for it in STATUSES}
    for claim in audit.claims:
        verdict = verdicts.get(claim.id) or Verdict(claim.id, "inconclusive", "not_run")
        pairs[wording.status_of(verdict)].append((claim, verdict))
    judged = [pair for status in STATUSES if status != "not_tested" for pair in pairs[status]]
    inconsistent = sum(it.result == "inconsistent" for it in audit.findings)
    return IndexRow(
        title=audit.paper.title or audit.paper.key,
        report=folder,
        href=f"{_quoted(folder)}/report.html",
        counts=tuple(_count(it, pairs[it]) for it in STATUSES),
        total=len(audit.claims),
        rests_on=_rests_on(judged, audit),
        findings=words.findings(inconsistent, len(audit.findings)),
        date=moment(audit.created) or words.NO_RUN,
    )


def _count(status: Status, pairs: Sequence[Pair]) -> IndexCount:
    """With the same words below as on the report: there, too, what was not tested has none about data."""
    if status == "not_tested":
        failed = sum(it.reason == "run_failed" for _, it in pairs)
        return IndexCount(status, STATUS_WORDS[status], len(pairs), wording.runs_failed(failed))
    stand_in = sum(it.scope == "other_data" for _, it in pairs)
    note = again.aside(len(pairs), distinct(pairs), stand_in)
    return IndexCount(status, STATUS_WORDS[status], len(pairs), note, borrowed=0 < len(pairs) == stand_in)


def _rests_on(judged: Sequence[Pair], audit: Audit) -> str:
    """A claim's protocol is reduced where that of one of its arms is."""
    protocols = {it.id: it.protocol for it in audit.experiments}
    arms = [[protocols.get(name, "") for name in claim.experiments] for claim, _ in judged]
    return words.rests_on(
        [it.scope for _, it in judged],
        reduced=sum(any(f"-{it}".endswith("-small") for it in held) for held in arms),
        imported=sum(IMPORTED in held for held in arms),
    )


def _quoted(folder: str) -> str:
    """As a relative address: `./` in front, so that no name is taken for a scheme."""
    from urllib.parse import quote

    return f"./{quote(folder)}"
