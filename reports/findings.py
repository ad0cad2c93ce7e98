"""Checks that need no run, grouped, with the arithmetic filled in; and what was not checked, and why.

What is absent reads as fine: it stands at the rank of what was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from audit.record import Finding, FindingResult, untested
from reports import numbers
from reports.lookup import Lookup, Place
from reports.sentences import TEXTS, UNJUDGED, unjudged_lines
from reports.text import View, capital, grouped, joined, listed, plural, quoted, shortened, unique_slugs

_ORDER: tuple[FindingResult, ...] = ("inconsistent", "untestable", "consistent")
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
    keys = [it.id or f"{finding_name(it)} {it.arithmetic}" for it in findings]
    slugs = unique_slugs("f", keys)
    return [slugs[key] for key in keys]


def is_unread(finding: Finding) -> bool:
    """Whether it says that numbers disagree which only one reader has compared with the page."""
    return finding.result == "inconsistent" and not finding.verified


def is_between(finding: Finding, beside: Sequence[str]) -> bool:
    """Whether it is about two papers: a cell of another one has its key and a colon in front."""
    across = finding.check == "copies" or finding.id.startswith("across:")
    return across or any(cell.partition(":")[0] in beside for cell in finding.cells)


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
    entries = [_entry(it, anchor, index) for it, anchor in zip(findings, anchors_of(findings), strict=True)]
    between = [it for it in entries if is_between(it.of, beside)]
    own = [it for it in entries if not it.of.source and it not in between]
    lacking = untested(index.audit.tables, findings)
    total, unread = sum(it.result == "inconsistent" for it in findings), sum(map(is_unread, findings))
    return View(
        counts=_counts(entries),
        untested=f"No check could test {listed(lacking, word='or')}." if lacking else "",
        unread=f"{unread} of {plural(total, 'inconsistency').replace('ys', 'ies')} rest on numbers "
        f"that nobody has yet compared with the printed page."
        if unread
        else "",
        no_papers="" if beside else "No other paper was available for comparison.",
        inconsistent=_groups([it for it in own if it.result == "inconsistent"]),
        between=_groups(between),
        readme=_groups([it for it in entries if it.of.source and it not in between]),
        others=_groups([it for it in own if it.result != "inconsistent"]),
    )


def _counts(entries: Sequence[View]) -> str:
    """`5 inconsistent, 204 consistent, 13 untestable`; what does not occur is left out."""
    number = Counter(it.result for it in entries)
    return ", ".join(
        f"{numbers.count(number[it])} {it}"
        for it in ("inconsistent", "consistent", "untestable")
        if number[it]
    )


def _groups(entries: Sequence[View]) -> list[View]:
    """By check: those with an inconsistency first, then the weightiest. More than two findings of one sort
    about one table are folded below the first; claims are told one by one."""
    groups = []
    for check, own in grouped(entries, lambda it: it.of.check).items():
        shown = []
        own = sorted(own, key=lambda it: (_ORDER.index(it.result), -it.of.weight))
        for alike in grouped(
            own, lambda it: (it.of.id,) if it.of.claim else (it.result, it.table, it.of.alternatives)
        ).values():
            where = f" in {alike[0].table}" if alike[0].table else ""
            if len(alike) > 2:
                alike = [
                    alike[0].but(
                        folded=f"{numbers.count(len(alike) - 1)} more like this{where}", more=alike[1:]
                    )
                ]
            shown += alike
        groups.append(
            View(
                title=check_title(check),
                about=TEXTS["checks"].get(check, ("", ""))[1],
                counts=_counts(own),
                quiet=_counts([it for it in own if it.result != "inconsistent"]),
                entries=shown,
                rank=max((it.result == "inconsistent", it.of.weight) for it in own),
            )
        )
    return sorted(groups, key=lambda it: it.rank, reverse=True)


def _entry(it: Finding, anchor: str, index: Lookup) -> View:
    """One finding: how much it tells, and the chance that the check sees another last digit."""
    place: Place | None = next((index.places[cell] for cell in it.cells if cell in index.places), None)
    others = listed(it.alternatives, word="or") if it.result == "inconsistent" else ""
    return View(
        of=it,
        result=it.result,
        anchor=anchor,
        sign=SIGNS[it.result],
        word=capital(it.result),
        place=it.where or ", ".join(it.cells),
        href=f"#{place.anchor}" if place else "",
        table=place.table.label if place else "",
        noted=noted(it),
        consider=others and f"Possible explanations: {others}.",
        arithmetic=f"{it.arithmetic.rstrip('.')}.",
        strength=TEXTS["strengths"].get(str(it.weight), ""),
        unread=UNREAD if is_unread(it) else "",
        folded="",
        more=(),
    )


def inconsistencies(index: Lookup) -> Iterator[tuple[str, str, str, str]]:
    """Text, place, link and caveat: of the paper's own text and tables by name, of the rest as numbers."""
    section = findings_section(index)
    if section is None:
        return
    own = [(it.of.says or group.title, it) for group in section.inconsistent for it in group.entries]
    for title, it in own[:5]:  # all are in their own section
        yield f"Inconsistent: {shortened(title, 80)}", shortened(it.place, 80), f"#{it.anchor}", it.unread
    wrong = [it for it in index.audit.findings if it.result == "inconsistent"]
    between = [it for it in wrong if is_between(it, index.audit.papers_beside)]
    readme = sum(bool(it.source) and it not in between for it in wrong)
    for number, text, href in (
        (len(own) - 5, "more", "#findings"),
        (len(between), "inconsistent between papers", "#findings-between"),
        (readme, "inconsistent in the README of the public code, not in the paper", "#findings-readme"),
    ):
        if number > 0:
            yield f"{numbers.count(number)} {text}", "", href, ""


# --------------------------------------------------------------------------- what was not checked


def not_checked(index: Lookup) -> View:
    """Numbers and reasons of all that was not tested, run, extracted, compared or decided."""
    audit, spoken = index.audit, {address for claim in index.audit.claims for address in claim.cells}
    told = {f"{it.title}: {it.not_run.rstrip('.')}." for it in audit.experiments if it.not_run}
    reasons = grouped((it for it in audit.experiments if it.not_run), lambda it: str(it.not_run).rstrip("."))
    tables = []
    for table in audit.tables:
        cells = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        copies = sum(cell.source == "copied" for cell in cells)
        silent = sum(cell.source != "copied" and cell.address not in spoken for cell in cells)
        tables.append(View(of=table, cells=len(cells), copied=copies, silent=silent))
    pairs = [(it, index.verdicts[it.id]) for it in audit.claims]
    open_checks = Counter(it.check for it in audit.findings if it.result == "untestable").most_common()
    return View(
        claims=len(pairs),
        tested=sum(index.status(claim) != "not_tested" for claim, _ in pairs),
        reasons=list(unjudged_lines(pairs, lambda claim: quoted(index.names(claim)), UNJUDGED)),
        experiments=len(audit.experiments),
        run=sum(bool(it.runs) for it in audit.experiments),
        not_run=[
            (why, [index.title(it.id) for it in those])
            for why, those in sorted(reasons.items(), key=lambda pair: -len(pair[1]))
        ],
        tables=tables,
        missing=audit.missing,
        transcription=audit.transcription.rstrip("."),
        checks=[(check_title(check), number) for check, number in open_checks],
        beside=audit.papers_beside,
        further=[it for it in dict.fromkeys(audit.not_checked) if it not in told],
    )
