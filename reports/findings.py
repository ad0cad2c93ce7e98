"""Checks that need no run, grouped, with the arithmetic filled in; and what was not checked, and why.

What is absent reads as fine: it stands at the rank of what was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from audit.record import Finding, FindingResult, untested
from reports import numbers
from reports.lookup import Lookup, Place
from reports.sentences import UNJUDGED, status_of
from reports.text import View, capital, grouped, joined, listed, plural, shortened, unique_slugs
from reports.verdicts import unjudged_lines

#: Check -> its heading, and what it looks at in one sentence.
_CHECKS: Mapping[str, tuple[str, str]] = {
    "bounds": (
        "Hits that grow with k",
        "k · P@k, the right labels among the first k, cannot shrink, nor grow by more than one a place.",
    ),
    "identity": (
        "P@1 and nDCG@1",
        "Both are the share of documents whose first label is right, so that they are one number.",
    ),
    "feasible_row": (
        "One row, one set of documents",
        "Whether any test documents at all, whatever their labels, could give all numbers of a row together.",
    ),
    "twice": (
        "One number in two places",
        "A metric of one experiment, or a statistic of a data set, that is printed twice is one number.",
    ),
    "average_rank": ("Mean ranks", "Printed mean ranks against the ranks in the table that they are of."),
    "sentence": ("Sentences and tables", "What the text states, worked out from the paper’s own tables."),
    "significance": (
        "“Significant” and the size of the test set",
        "The range of p that McNemar’s test can give with the printed numbers, however the documents pair.",
    ),
    "structure": ("Sizes and formulas", "Numbers of parameters, shapes and formulas, worked out."),
    "complexity": (
        "Growth of the cost",
        "Stated growth of time or memory against operations that are counted.",
    ),
    "granularity": (
        "Fractions of the test set",
        "P@1 is a whole number of documents divided by all of them, so that few last digits can occur.",
    ),
    "copies": (
        "Copied numbers and their source",
        "Numbers that are copied from another paper, against that paper and its test set.",
    ),
    "label_caps": (
        "P@k and the labels of a document",
        "P@k cannot exceed what the mean number of labels allows.",
    ),
    "statistics": ("Statistics of the collections", "Sizes and means of a collection against each other."),
}
#: Beside the word, so that it is told by shape too.
SIGNS: Mapping[FindingResult, str] = {"inconsistent": "≠", "untestable": "?", "consistent": "="}
#: How much an inconsistency tells, by the weight of the finding.
_STRENGTHS: Mapping[int, str] = {
    5: "no test documents whatever give these numbers",
    4: "one quantity in two ways",
    3: "a sentence and its own table",
    2: "numbers that do not go with the printed test size, or that come from another run or split",
    1: "statistics that do not go with each other",
}
#: Beside an inconsistency whose numbers were read once.
UNREAD = "numbers not yet verified by a second reader"

# --------------------------------------------------------------------------- one finding


def check_title(check: str) -> str:
    """The heading of a check; a name that is not known here with its underscores opened."""
    return _CHECKS[check][0] if check in _CHECKS else capital(check.replace("_", " "))


def finding_name(finding: Finding) -> str:
    """Its id; of one without, check and cells."""
    return finding.id or f"{finding.check}: {' '.join(finding.cells)}"


def finding_key(finding: Finding) -> str:
    """The same, and of one without an id what it says."""
    return finding.id or f"{finding_name(finding)} {finding.arithmetic}"


def is_unread(finding: Finding) -> bool:
    """Whether it says that numbers disagree which nobody but their first reader has held against the page."""
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
    """The other explanations first, then the arithmetic, then the result."""
    return joined(
        finding.alternatives and f"May be {listed(finding.alternatives, word='or')}.",
        finding.note and f"{noted(finding)}: {finding.note.rstrip('.')}.",
        f"{finding.arithmetic.rstrip('.')}. {capital(finding.result)}.",
        f"{capital(UNREAD)}." if is_unread(finding) else "",
    )


# --------------------------------------------------------------------------- all of them


def findings_section(index: Lookup) -> View | None:
    """All findings of the audit; None where no check is on record."""
    findings, beside = index.audit.findings, index.audit.papers_beside
    if not findings:
        return None
    between = [it for it in findings if is_between(it, beside)]
    own = [it for it in findings if not it.source and it not in between]
    anchors = unique_slugs("f", map(finding_key, findings))
    lacking = untested(index.audit.tables, findings)

    def groups(of: Sequence[Finding]) -> list[View]:
        """By check: those with an inconsistency first, then the weightiest."""

        def rank(group: tuple[str, list[Finding]]) -> tuple[bool, int]:
            return max((it.result == "inconsistent", it.weight) for it in group[1])

        by_check = grouped(of, lambda it: it.check)
        return [_group(*it, anchors, index) for it in sorted(by_check.items(), key=rank, reverse=True)]

    return View(
        counts=_counts(findings),
        untested=f"No check could test {listed(lacking, word='or')}." if lacking else "",
        unread=_unread(findings),
        no_papers="" if beside else "No other paper was at hand to hold this one against.",
        inconsistent=groups([it for it in own if it.result == "inconsistent"]),
        between=groups(between),
        readme=groups([it for it in findings if it.source and it not in between]),
        others=groups([it for it in own if it.result != "inconsistent"]),
    )


def _counts(findings: Sequence[Finding]) -> str:
    """`5 inconsistent, 204 consistent, 13 untestable`; what does not occur is left out."""
    number = Counter(it.result for it in findings)
    order: tuple[FindingResult, ...] = ("inconsistent", "consistent", "untestable")
    return ", ".join(f"{numbers.count(number[it])} {it}" for it in order if number[it])


def _unread(findings: Sequence[Finding]) -> str:
    """How many inconsistencies rest on numbers that nobody held against the page."""
    total = sum(it.result == "inconsistent" for it in findings)
    number = sum(map(is_unread, findings))
    if not number:
        return ""
    of = f"{number} of the {total}" if number < total else f"All {number}"
    which = "The inconsistent one rests" if total == 1 else f"{of} inconsistent ones rest"
    return f"{which} on a transcription that nobody has yet held against the printed page."


def _group(check: str, findings: list[Finding], anchors: Mapping[str, str], index: Lookup) -> View:
    """More than two findings of one sort about one table are folded below the first."""
    order: tuple[FindingResult, ...] = ("inconsistent", "untestable", "consistent")

    def table(it: Finding) -> str:
        place = _first_place(it, index)
        return place.table.label if place else ""

    def sort(it: Finding) -> tuple[object, ...]:
        """Claims are told one by one; other findings go together by result, table and explanations."""
        return (it.id,) if it.claim else (it.result, table(it), it.alternatives)

    entries = []
    for alike in grouped(
        sorted(findings, key=lambda it: (order.index(it.result), -it.weight)), sort
    ).values():
        own = [_entry(it, anchors, index) for it in alike]
        if len(own) > 2:
            where = f" in {label}" if (label := table(alike[0])) else ""
            said = f"{plural(len(own), 'finding')} alike{where}; the first:"
            folded = f"{numbers.count(len(own) - 1)} more like it{where}"
            own = [own[0].but(alike=said, folded=folded, more=own[1:])]
        entries += own
    return View(
        title=check_title(check),
        about=_CHECKS.get(check, ("", ""))[1],
        counts=_counts(findings),
        quiet=_counts([it for it in findings if it.result != "inconsistent"]),
        entries=entries,
    )


def _first_place(finding: Finding, index: Lookup) -> Place | None:
    """Where its first cell stands that is in the audit."""
    return next((index.places[it] for it in finding.cells if it in index.places), None)


def _entry(it: Finding, anchors: Mapping[str, str], index: Lookup) -> View:
    """One finding: how much it tells, and the chance that the check sees another last digit."""
    place, wrong = _first_place(it, index), it.result == "inconsistent"
    weighty = f": {_STRENGTHS[it.weight]}" if it.weight in _STRENGTHS else ""
    power = "" if it.power is None else "The check could not see another last digit."
    if it.power is not None and it.power > 0:
        power = f"Another last digit would be seen in {100 * it.power:.0f}% of cases."
    others = listed(it.alternatives, word="or")
    return View(
        of=it,
        result=it.result,
        anchor=anchors[finding_key(it)],
        sign=SIGNS[it.result],
        word=capital(it.result),
        place=it.where or ", ".join(it.cells),
        href=f"#{place.anchor}" if place else "",
        noted=noted(it),
        consider=f"First consider: {others}." if wrong and others else "",
        arithmetic=f"{it.arithmetic.rstrip('.')}.",
        strength=f"Strength {it.weight} of 5{weighty}." if wrong else "",
        power=power,
        unread=UNREAD if is_unread(it) else "",
        alike="",
        folded="",
        more=(),
    )


def inconsistencies(section: View | None, index: Lookup) -> Iterator[tuple[str, str, str, str]]:
    """Text, place, link and caveat: of the paper's own text and tables by name, of the rest as numbers."""
    if section is None:
        return
    own = [(it.of.says or group.title, it) for group in section.inconsistent for it in group.entries]
    for title, it in own[:5]:  # all are in their own section
        text = f"Inconsistent: {shortened(title, 80)}"
        yield text, shortened(it.place, 80), f"#{it.anchor}", it.unread
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


def not_checked(index: Lookup) -> Iterator[tuple[str, list[tuple[str, Sequence[str]]]]]:
    """By sort, sentences with what is folded below each."""
    for title, sentences in (
        ("Claims", _claims(index)),
        ("Experiments", _experiments(index)),
        ("Tables and figures", _extraction(index)),
        ("Printed numbers", _numbers(index)),
        ("Checks without a run", _checks(index)),
        ("Further", _further(index)),
    ):
        told: list[tuple[str, Sequence[str]]] = []
        told += [it if isinstance(it, tuple) else (it, ()) for it in sentences]
        if told:
            yield title, told


def _how_many(done: int, total: int, noun: str, verb: str) -> str:
    """`10 of 168 claims were tested.`"""
    if total == 1:
        return f"The one {noun} was {'' if done else 'not '}{verb}."
    if done == total:
        return f"All {plural(total, noun)} were {verb}."
    return f"{numbers.count(done)} of {plural(total, noun)} {'was' if done == 1 else 'were'} {verb}."


def _claims(index: Lookup) -> Iterator[str]:
    """How many were tested, and the reasons of those that could not be judged, counted."""
    pairs = [(it, index.verdicts[it.id]) for it in index.audit.claims]
    tested = sum(status_of(verdict) != "not_tested" for _, verdict in pairs)
    none = "The claim file states no claim."
    yield _how_many(tested, len(pairs), "claim", "tested") if pairs else none
    yield from unjudged_lines(pairs, index.quoted, UNJUDGED)


def _experiments(index: Lookup) -> Iterator[str | tuple[str, list[str]]]:
    """By reason, most first; their names are folded."""
    experiments = index.audit.experiments
    run, total = sum(bool(it.runs) for it in experiments), len(experiments)
    none = "The claim file describes no experiment."
    yield _how_many(run, total, "experiment", "run") if total else none
    reasons = grouped((it for it in experiments if it.not_run), lambda it: str(it.not_run).rstrip("."))
    for why, those in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield f"{plural(len(those), 'experiment')}: {why.rstrip('.')}.", [index.title(it.id) for it in those]


def _extraction(index: Lookup) -> Iterator[str]:
    """How much of the paper is in the claim file: the recall of the extraction, as far as it is known."""
    tables, missing = index.audit.tables, index.audit.missing
    printed = sum(cell.printed is not None for table in tables for row in table.rows for cell in row.cells)
    are = "is" if len(tables) == 1 else "are"
    known = f"{plural(len(tables), 'table')} with {plural(printed, 'printed number')} {are} in the claim file"
    if missing:
        others, are = ("table or figure", "is") if len(missing) == 1 else ("tables and figures", "are")
        yield f"{known}; {numbers.count(len(missing))} further {others} of the paper {are} not:"
    else:
        yield f"{known}, and it names none that it leaves out."
    yield from (f"{it.label}: {it.why.rstrip('.')}." for it in missing)


def _numbers(index: Lookup) -> Iterator[str | tuple[str, list[str]]]:
    """Read by whom, held against the page by whom; those that no claim is about, by table."""
    tables = index.audit.tables
    if not tables:
        return
    spoken = {address for claim in index.audit.claims for address in claim.cells}
    unread = total = own = copied = 0
    by_table = []
    for table in tables:
        cells = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        copies = sum(cell.source == "copied" for cell in cells)
        silent = sum(cell.source != "copied" and cell.address not in spoken for cell in cells)
        parts = [f"{numbers.count(silent)} without a claim"] if silent else []
        parts += [f"{numbers.count(copies)} copied"] if copies else []
        by_table += [f"{table.label}: {', '.join(parts)}"] if parts else []
        total, own, copied = total + len(cells), own + silent, copied + copies
        unread += 0 if table.verified else len(cells)
    printed = plural(total, "printed number")
    tell = f"held against the printed page ({plural(sum(not it.verified for it in tables), 'table')})."
    if total and not unread:
        yield "Every printed number was held against the printed page."
    elif total and unread == total:
        yield f"None of the {printed} was {tell}"
    elif total:
        yield f"{numbers.count(unread)} of the {printed} {'was' if unread == 1 else 'were'} not yet {tell}"
    read = index.audit.transcription.rstrip(".")
    unknown = "How the numbers came into the claim file is not on record."
    yield f"How they were read: {read}." if index.audit.transcription else unknown
    parts = []
    if own:
        has, them = ("has", "it") if own == 1 else ("have", "them")
        parts.append(f"{plural(own, 'printed number')} {has} no claim about {them}")
    if copied:
        are = "is" if copied == 1 else "are"
        parts.append(
            f"{numbers.count(copied)} {are} copied from other papers, and not judged as this paper’s"
        )
    if parts:
        yield f"{listed(parts)}.", by_table


def _checks(index: Lookup) -> Iterator[str]:
    findings, beside = index.audit.findings, index.audit.papers_beside
    for check, number in Counter(it.check for it in findings if it.result == "untestable").most_common():
        yield f"{check_title(check)}: {plural(number, 'check')} could not tell from what is printed."
    if findings and beside:
        others = f"{plural(len(beside), 'other paper')}: {listed(beside)}"
        yield f"Held against {others}. Copies from any other one were not followed."
    elif findings:
        yield "No other paper was at hand: copies and test sizes were not held against their source."


def _further(index: Lookup) -> Iterator[str]:
    """What the record says besides; an experiment that was not run is told above."""
    told = {f"{it.title}: {it.not_run.rstrip('.')}." for it in index.audit.experiments if it.not_run}
    yield from (it for it in dict.fromkeys(index.audit.not_checked) if it not in told)
