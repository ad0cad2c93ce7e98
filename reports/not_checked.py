"""What was not checked, and why: of equal rank with the findings, because what is absent reads as fine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reports import wording
from reports.lookup import Lookup
from reports.wording import printed_checks
from reports.wording import unchecked as words


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what is folded below it."""

    text: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotCheckedGroup:
    title: str
    sentences: tuple[Sentence, ...]


def not_checked(found: Lookup) -> tuple[NotCheckedGroup, ...]:
    """By sort: claims, experiments, tables and figures, numbers, checks, and what the record says besides."""
    groups = (
        (words.CLAIMS, _claims(found)),
        (words.EXPERIMENTS, _experiments(found)),
        (words.EXTRACTION, _extraction(found)),
        (words.NUMBERS, _numbers(found)),
        (words.CHECKS, _checks(found)),
        (words.FURTHER, _further(found)),
    )
    held = ((title, tuple(sentences)) for title, sentences in groups)
    return tuple(NotCheckedGroup(title, sentences) for title, sentences in held if sentences)


def _claims(found: Lookup) -> Iterator[Sentence]:
    """How many were tested, and the reasons of those that could not be judged, counted."""
    claims, verdicts = found.audit.claims, found.verdicts
    tested = sum(wording.status_of(verdicts.get(it.id)) != "not_tested" for it in claims)
    yield Sentence(words.of_claims(tested, len(claims)))
    reasons = Counter(verdicts[it.id].reason for it in claims if it.id in verdicts)
    for code in wording.UNJUDGED:
        if code == "not_run":
            pairs = ((it, verdicts.get(it.id)) for it in claims)
            yield from map(Sentence, wording.unrun_lines(pairs, found.quoted))
        elif reasons[code]:
            yield Sentence(wording.unjudged(reasons[code], code=code))


def _experiments(found: Lookup) -> Iterator[Sentence]:
    """By reason, most first; their names are folded."""
    experiments = found.audit.experiments
    yield Sentence(words.of_experiments(sum(bool(it.runs) for it in experiments), len(experiments)))
    reasons: dict[str, list[str]] = {}
    for it in experiments:
        if it.not_run:
            reasons.setdefault(it.not_run.rstrip("."), []).append(found.title(it.id))
    for why, titles in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield Sentence(words.not_run(len(titles), why), tuple(titles))


def _extraction(found: Lookup) -> Iterator[Sentence]:
    tables, missing = found.audit.tables, found.audit.missing
    yield Sentence(words.extraction(len(tables), len(_printed(found)), len(missing)))
    for it in missing:
        yield Sentence(f"{it.label}: {it.why.rstrip('.')}.")


def _numbers(found: Lookup) -> Iterator[Sentence]:
    """Read by whom, held against the page by whom; those that no claim is about, by table."""
    tables = found.audit.tables
    if not tables:
        return
    unread = [it for it in tables if not it.verified]
    cells = sum(cell.printed is not None for it in unread for row in it.rows for cell in row.cells)
    if said := words.unverified(cells, len(_printed(found)), len(unread)):
        yield Sentence(said)
    yield Sentence(words.read_by(found.audit.transcription))
    spoken = {address for claim in found.audit.claims for address in claim.cells}
    by_table = []
    for table in tables:
        printed = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        copied = sum(cell.source == "copied" for cell in printed)
        own = sum(cell.source != "copied" and cell.address not in spoken for cell in printed)
        by_table.append((table.label, own, copied))
    if said := words.silent(sum(own for _, own, _ in by_table), sum(copied for *_, copied in by_table)):
        yield Sentence(said, tuple(words.by_table(*it) for it in by_table if any(it[1:])))


def _printed(found: Lookup) -> list[str]:
    """Addresses of all cells in which something is printed."""
    cells = (cell for table in found.audit.tables for row in table.rows for cell in row.cells)
    return [cell.address for cell in cells if cell.printed is not None]


def _checks(found: Lookup) -> Iterator[Sentence]:
    number = Counter(it.check for it in found.audit.findings if it.result == "untestable")
    for check, how_many in number.most_common():
        yield Sentence(words.untestable(printed_checks.title(check), how_many))
    if found.audit.findings:
        yield Sentence(words.papers(found.audit.papers_beside))


def _further(found: Lookup) -> Iterator[Sentence]:
    """What the record says besides; an experiment that was not run is told above."""
    told = {f"{it.title}: {it.not_run.rstrip('.')}." for it in found.audit.experiments if it.not_run}
    yield from (Sentence(it) for it in dict.fromkeys(found.audit.not_checked) if it not in told)
