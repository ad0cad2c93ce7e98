"""Checks that need no run, grouped, with the arithmetic filled in; and what was not checked, and why. What is
absent reads as fine: it stands at the rank of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from audit.record import Finding, FindingResult, untested
from reports import numbers
from reports.lookup import Lookup, Place
from reports.sentences import TEXTS, UNJUDGED
from reports.text import View, capital, grouped, joined, listed, shortened, unique_slugs

_ORDER: tuple[FindingResult, ...] = ("inconsistent", "untestable")
#: Beside the word, so that it is told by shape too.
SIGNS: dict[FindingResult, str] = {"inconsistent": "≠", "untestable": "?", "consistent": "="}
#: Beside an inconsistency whose numbers were read once.
UNREAD = "numbers not yet verified by a second reader"

# --------------------------------------------------------------------------- one finding


def check_title(check: str) -> str:
    """The heading of a check; a name that is not known here with its underscores opened."""
    title: str = TEXTS["checks"].get(check, (capital(check.replace("_", " ")),))[0]
    return title


def finding_name(finding: Finding) -> str:
    """Its id; of one without, check and cells."""
    return finding.id or f"{finding.check}: {' '.join(finding.cells)}"


def anchors_of(findings: Sequence[Finding]) -> list[str]:
    """The fragment of each: by its id, or by what it says."""
    keys = [finding.id or f"{finding_name(finding)} {finding.arithmetic}" for finding in findings]
    slugs = unique_slugs("f", keys)
    return [slugs[key] for key in keys]


def is_unread(finding: Finding) -> bool:
    """Whether it says that numbers disagree which only one reader has compared with the page."""
    return finding.result == "inconsistent" and not finding.verified


def finding_place(finding: Finding) -> str:
    """Where it stands, and in what if not in the paper; the cells where that is not known."""
    place = finding.where or ", ".join(finding.cells)
    return f"{place} (from the README of the public code, not from the paper)" if finding.source else place


def noted(finding: Finding) -> str:
    """What a note is: how a sentence was read, or what is known of its numbers."""
    return "Read as" if finding.claim else "Known from elsewhere"


def finding_sentence(finding: Finding) -> str:
    """The result and its arithmetic, then what else could explain it."""
    return joined(
        f"{capital(finding.result)}: {finding.arithmetic.rstrip('.')}.",
        finding.note and f"{noted(finding)}: {finding.note.rstrip('.')}.",
        finding.alternatives and f"Possible explanations: {listed(finding.alternatives, word='or')}.",
        f"{capital(UNREAD)}." if is_unread(finding) else "",
    )


# --------------------------------------------------------------------------- all of them


def findings_section(index: Lookup) -> View | None:
    """All findings of the audit; None where no check is on record."""
    findings, beside = index.audit.findings, index.audit.papers_beside
    if not findings:
        return None
    named = zip(findings, anchors_of(findings), strict=True)
    entries = [_entry(finding, anchor, index) for finding, anchor in named]
    total, unread = len(index.inconsistent), sum(map(is_unread, findings))
    which = "All" if unread == total else f"{unread} of"
    which = "The inconsistency rests" if total == 1 else f"{which} {total} inconsistencies rest"
    if unread == total:  # said once, at the head
        entries = [entry.but(unread="") for entry in entries]
    wrong = grouped((it for it in entries if it.result == "inconsistent"), lambda it: it.of.part(beside))
    lacking = untested(index.audit.tables, findings)
    return View(
        counts=_counts(entries),
        key=index.audit.paper.key,
        untested=f"No check could test {listed(lacking, word='or')}." if lacking else "",
        unread=f"{which} on {UNREAD}." if unread else "",
        no_papers="" if beside else "No other paper was available for comparison.",
        inconsistent=_groups(wrong.get("own", ())),
        between=_groups(wrong.get("between", ())),
        readme=_groups(wrong.get("readme", ())),
        others=_groups([entry for entry in entries if entry.result != "inconsistent"]),
    )


def _counts(entries: Sequence[View]) -> str:
    """`5 inconsistent, 204 consistent, 13 untestable`; what does not occur is left out."""
    number = Counter(entry.result for entry in entries)
    return ", ".join(
        f"{numbers.count(number[result])} {result}"
        for result in ("inconsistent", "consistent", "untestable")
        if number[result]
    )


def _groups(entries: Sequence[View]) -> list[View]:
    """By check: those with an inconsistency first, then the weightiest. Of several findings of one sort
    about one table all but the first are folded, of the consistent ones no more is told than how many there
    are; claims that are not consistent are told one by one."""

    def sort(entry: View) -> tuple[object, ...]:
        return (entry.of.id,) if entry.of.claim else (entry.result, entry.table, entry.of.alternatives)

    groups = []
    for check, own in grouped(entries, lambda entry: entry.of.check).items():
        shown = []
        consistent = [entry for entry in own if entry.result == "consistent"]
        telling = [entry for entry in own if entry.result != "consistent"]
        telling.sort(key=lambda entry: (_ORDER.index(entry.result), -entry.of.weight))
        for alike in grouped(telling, sort).values():
            if len(alike) > 1:
                where = f" in {alike[0].table}" if alike[0].table else ""
                folded = f"{numbers.count(len(alike) - 1)} more like this{where}"
                alike = [alike[0].but(folded=folded, more=alike[1:])]
            shown += alike
        groups.append(
            View(
                title=check_title(check),
                about=TEXTS["checks"].get(check, ("", ""))[1],
                counts=_counts(own),
                consistent=[
                    f"{table or 'in no table'}: {numbers.count(len(those))}"
                    for table, those in grouped(consistent, lambda entry: entry.table).items()
                ],
                entries=shown,
                rank=max((entry.result == "inconsistent", entry.of.weight) for entry in own),
            )
        )
    return sorted(groups, key=lambda group: group.rank, reverse=True)


def _entry(finding: Finding, anchor: str, index: Lookup) -> View:
    """One finding: how much it tells, and the chance that the check sees another last digit."""
    place: Place | None = next((index.places[cell] for cell in finding.cells if cell in index.places), None)
    others = listed(finding.alternatives, word="or") if finding.result == "inconsistent" else ""
    return View(
        of=finding,
        result=finding.result,
        anchor=anchor,
        sign=SIGNS[finding.result],
        word=capital(finding.result),
        place=finding.where or ", ".join(finding.cells),
        href=f"#{place.anchor}" if place else "",
        table=place.table.label if place else "",
        noted=noted(finding),
        consider=others and f"Possible explanations: {others}.",
        arithmetic=f"{finding.arithmetic.rstrip('.')}.",
        strength=TEXTS["strengths"].get(str(finding.weight), ""),
        unread=UNREAD if is_unread(finding) else "",
        folded="",
        more=(),
    )


def inconsistencies(index: Lookup) -> Iterator[tuple[str, str, str]]:
    """Text, place and link: of the paper's own text and tables by name, of the rest as numbers."""
    section = findings_section(index)
    if section is None:
        return
    own = [(entry.of.says or group.title, entry) for group in section.inconsistent for entry in group.entries]
    for title, entry in own[:5]:  # all are in their own section
        said, place = f"Inconsistent: {shortened(title, 80)}", shortened(entry.place, 80)
        yield said, place, f"#{entry.anchor}"
    of = Counter(finding.part(index.audit.papers_beside) for finding in index.inconsistent)
    for number, text, href in (
        (len(own) - 5, "more", "#findings"),
        (of["between"], "inconsistent between papers", "#findings-between"),
        (of["readme"], "inconsistent in the README of the public code, not in the paper", "#findings-readme"),
    ):
        if number > 0:
            yield f"{numbers.count(number)} {text}", "", href


def not_checked(index: Lookup) -> View:
    """Numbers and reasons of all that was not tested, run, extracted, compared or decided."""
    audit, spoken = index.audit, {address for claim in index.audit.claims for address in claim.cells}
    lacking = [experiment for experiment in audit.experiments if experiment.not_run]
    reasons = grouped(lacking, lambda experiment: str(experiment.not_run).rstrip("."))
    told = {f"{experiment.title}: {why}." for why, those in reasons.items() for experiment in those}
    tables = []
    for table in audit.tables:
        cells = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        copies = sum(cell.source == "copied" for cell in cells)
        silent = sum(cell.source != "copied" and cell.address not in spoken for cell in cells)
        tables.append(View(of=table, cells=len(cells), copied=copies, silent=silent))
    open_checks = Counter(finding.check for finding in audit.findings if finding.result == "untestable")
    return View(
        claims=len(index.pairs),
        tested=sum(index.status(claim) != "not_tested" for claim in audit.claims),
        reasons=index.unjudged_lines(UNJUDGED),
        experiments=len(audit.experiments),
        run=len(index.run_experiments),
        different=len(index.different_experiments),
        not_run=[
            (why, [index.title(experiment.id) for experiment in those])
            for why, those in sorted(reasons.items(), key=lambda pair: -len(pair[1]))
        ],
        tables=tables,
        missing=audit.missing,
        transcription=audit.transcription.rstrip("."),
        checks=[(check_title(check), number) for check, number in open_checks.most_common()],
        beside=audit.papers_beside,
        further=[sentence for sentence in dict.fromkeys(audit.not_checked) if sentence not in told],
    )
