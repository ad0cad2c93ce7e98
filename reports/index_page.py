"""One page over the audits of several papers: four numbers each, and the way to each report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Audit
from reports import wording
from reports.strings import moment
from reports.wording import STATUS_WORDS, STATUSES, Status
from reports.wording import index as words


@dataclass(frozen=True)
class IndexCount:
    status: Status
    word: str
    count: int


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
    number = Counter(wording.status_of(verdicts.get(it.id)) for it in audit.claims)
    inconsistent = sum(it.result == "inconsistent" for it in audit.findings)
    return IndexRow(
        title=audit.paper.title or audit.paper.key,
        report=folder,
        href=f"{_quoted(folder)}/report.html",
        counts=tuple(IndexCount(it, STATUS_WORDS[it], number[it]) for it in STATUSES),
        total=len(audit.claims),
        findings=words.findings(inconsistent, len(audit.findings)),
        date=moment(audit.created) or words.NO_RUN,
    )


def _quoted(folder: str) -> str:
    """As a relative address: `./` in front, so that no name is taken for a scheme."""
    from urllib.parse import quote

    return f"./{quote(folder)}"
