"""What was not checked, and why: of equal rank with the findings, because what is absent reads as fine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports import digits
from reports.findings import title
from reports.lookup import Lookup
from reports.notes import unjudged
from reports.text import View, listed, plural
from reports.verdicts import unrun_lines
from reports.words import UNJUDGED, status_of

CLAIMS = "Claims"
EXPERIMENTS = "Experiments"
EXTRACTION = "Tables and figures"
NUMBERS = "Printed numbers"
UNCHECKED_CHECKS = "Checks without a run"
UNCHECKED_FURTHER = "Further"
UNKNOWN_TRANSCRIPTION = "How the numbers came into the claim file is not on record."


def of_claims(tested: int, total: int) -> str:
    """`10 of 168 claims were tested.`"""
    if not total:
        return "The claim file states no claim."
    if total == 1:
        return f"The one claim was {'' if tested else 'not '}tested."
    if tested == total:
        return f"All {plural(total, 'claim')} were tested."
    return f"{digits.count(tested)} of {plural(total, 'claim')} {'was' if tested == 1 else 'were'} tested."


def of_experiments(run: int, total: int) -> str:
    """`10 of 62 experiments were run.`"""
    if not total:
        return "The claim file describes no experiment."
    if total == 1:
        return f"The one experiment was {'' if run else 'not '}run."
    if run == total:
        return f"All {plural(total, 'experiment')} were run."
    return f"{digits.count(run)} of {plural(total, 'experiment')} {'was' if run == 1 else 'were'} run."


def not_run(number: int, why: str) -> str:
    """`42 experiments: A baseline of the paper; this toolkit has no implementation of it.`"""
    return f"{plural(number, 'experiment')}: {why.rstrip('.')}."


def extraction(tables: int, numbers: int, missing: int) -> str:
    """How much of the paper is in the claim file: the recall of the extraction, as far as it is known."""
    are = "is" if tables == 1 else "are"
    held = f"{plural(tables, 'table')} with {plural(numbers, 'printed number')} {are} in the claim file"
    if not missing:
        return f"{held}, and it names none that it leaves out."
    others = "table or figure" if missing == 1 else "tables and figures"
    are = "is" if missing == 1 else "are"
    return f"{held}; {digits.count(missing)} further {others} of the paper {are} not:"


def unverified(cells: int, total: int, tables: int) -> str:
    """How many printed numbers nobody held against the page."""
    if not total:
        return ""
    if not cells:
        return "Every printed number was held against the printed page."
    tell = f"held against the printed page ({plural(tables, 'table')})."
    if cells == total:
        return f"None of the {plural(total, 'printed number')} was {tell}"
    was = "was" if cells == 1 else "were"
    return f"{digits.count(cells)} of the {plural(total, 'printed number')} {was} not yet {tell}"


def read_by(transcription: str) -> str:
    return f"How they were read: {transcription.rstrip('.')}." if transcription else UNKNOWN_TRANSCRIPTION


def silent(own: int, copied: int) -> str:
    """How many numbers no claim speaks of, and how many are copies."""
    parts = []
    if own:
        has, them = ("has", "it") if own == 1 else ("have", "them")
        parts.append(f"{plural(own, 'printed number')} {has} no claim about {them}")
    if copied:
        are = "is" if copied == 1 else "are"
        parts.append(f"{digits.count(copied)} {are} copied from other papers, and not judged as this paper’s")
    return f"{listed(parts)}." if parts else ""


def table_line(table: str, own: int, copied: int) -> str:
    """`Table 3: 24 without a claim, 3 copied`"""
    parts = [f"{digits.count(own)} without a claim"] if own else []
    parts += [f"{digits.count(copied)} copied"] if copied else []
    return f"{table}: {', '.join(parts)}"


def untestable(title: str, number: int) -> str:
    return f"{title}: {plural(number, 'check')} could not tell from what is printed."


def papers(keys: Sequence[str]) -> str:
    """Which other papers it was held against."""
    if not keys:
        return "No other paper was at hand: copies and test sizes were not held against their source."
    others = f"{plural(len(keys), 'other paper')}: {listed(list(keys))}"
    return f"Held against {others}. Copies from any other one were not followed."


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what is folded below it."""

    text: str
    more: tuple[str, ...] = ()


def not_checked(found: Lookup) -> tuple[View, ...]:
    """By sort: claims, experiments, tables and figures, numbers, checks, and what the record says besides."""
    groups = (
        (CLAIMS, _unchecked_claims(found)),
        (EXPERIMENTS, _unchecked_experiments(found)),
        (EXTRACTION, _extraction(found)),
        (NUMBERS, _unchecked_numbers(found)),
        (UNCHECKED_CHECKS, _checks(found)),
        (UNCHECKED_FURTHER, _further(found)),
    )
    held = ((title, tuple(sentences)) for title, sentences in groups)
    return tuple(View(title=title, sentences=sentences) for title, sentences in held if sentences)


def _unchecked_claims(found: Lookup) -> Iterator[Sentence]:
    """How many were tested, and the reasons of those that could not be judged, counted."""
    claims, verdicts = found.audit.claims, found.verdicts
    tested = sum(status_of(verdicts.get(it.id)) != "not_tested" for it in claims)
    yield Sentence(of_claims(tested, len(claims)))
    reasons = Counter(verdicts[it.id].reason for it in claims if it.id in verdicts)
    for code in UNJUDGED:
        if code == "not_run":
            pairs = ((it, verdicts.get(it.id)) for it in claims)
            yield from map(Sentence, unrun_lines(pairs, found.quoted))
        elif reasons[code]:
            yield Sentence(unjudged(reasons[code], code=code))


def _unchecked_experiments(found: Lookup) -> Iterator[Sentence]:
    """By reason, most first; their names are folded."""
    experiments = found.audit.experiments
    yield Sentence(of_experiments(sum(bool(it.runs) for it in experiments), len(experiments)))
    reasons: dict[str, list[str]] = {}
    for it in experiments:
        if it.not_run:
            reasons.setdefault(it.not_run.rstrip("."), []).append(found.title(it.id))
    for why, titles in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield Sentence(not_run(len(titles), why), tuple(titles))


def _extraction(found: Lookup) -> Iterator[Sentence]:
    tables, missing = found.audit.tables, found.audit.missing
    yield Sentence(extraction(len(tables), len(_printed(found)), len(missing)))
    for it in missing:
        yield Sentence(f"{it.label}: {it.why.rstrip('.')}.")


def _unchecked_numbers(found: Lookup) -> Iterator[Sentence]:
    """Read by whom, held against the page by whom; those that no claim is about, by table."""
    tables = found.audit.tables
    if not tables:
        return
    unread = [it for it in tables if not it.verified]
    cells = sum(cell.printed is not None for it in unread for row in it.rows for cell in row.cells)
    if said := unverified(cells, len(_printed(found)), len(unread)):
        yield Sentence(said)
    yield Sentence(read_by(found.audit.transcription))
    spoken = {address for claim in found.audit.claims for address in claim.cells}
    by_table = []
    for table in tables:
        printed = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        copied = sum(cell.source == "copied" for cell in printed)
        own = sum(cell.source != "copied" and cell.address not in spoken for cell in printed)
        by_table.append((table.label, own, copied))
    if said := silent(sum(own for _, own, _ in by_table), sum(copied for *_, copied in by_table)):
        yield Sentence(said, tuple(table_line(*it) for it in by_table if any(it[1:])))


def _printed(found: Lookup) -> list[str]:
    """Addresses of all cells in which something is printed."""
    cells = (cell for table in found.audit.tables for row in table.rows for cell in row.cells)
    return [cell.address for cell in cells if cell.printed is not None]


def _checks(found: Lookup) -> Iterator[Sentence]:
    number = Counter(it.check for it in found.audit.findings if it.result == "untestable")
    for check, how_many in number.most_common():
        yield Sentence(untestable(title(check), how_many))
    if found.audit.findings:
        yield Sentence(papers(found.audit.papers_beside))


def _further(found: Lookup) -> Iterator[Sentence]:
    """What the record says besides; an experiment that was not run is told above."""
    told = {f"{it.title}: {it.not_run.rstrip('.')}." for it in found.audit.experiments if it.not_run}
    yield from (Sentence(it) for it in dict.fromkeys(found.audit.not_checked) if it not in told)
