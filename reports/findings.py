"""The findings section: checks that need no run, grouped, with the arithmetic filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from audit.record import Finding, FindingResult, untested
from reports import digits
from reports.lookup import Lookup, unique_anchors
from reports.notes import BETWEEN_PAPERS, IN_README, INCONSISTENT, more_of_them
from reports.text import View, capital, listed, plural, shortened

#: Check -> its heading, and what it looks at in one sentence.
CHECKS_CHECKS: Mapping[str, tuple[str, str]] = {
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
RESULTS: Mapping[FindingResult, str] = {
    "inconsistent": "Inconsistent",
    "untestable": "Untestable",
    "consistent": "Consistent",
}
#: Beside the word, so that it is told by shape too.
SIGNS: Mapping[FindingResult, str] = {"inconsistent": "≠", "untestable": "?", "consistent": "="}
#: How much an inconsistency tells, by the weight of the finding.
STRENGTHS: Mapping[int, str] = {
    5: "no test documents whatever give these numbers",
    4: "one quantity in two ways",
    3: "a sentence and its own table",
    2: "numbers that do not go with the printed test size, or that come from another run or split",
    1: "statistics that do not go with each other",
}
BETWEEN = "Between papers"
BETWEEN_NOTE = (
    "Numbers that concern two papers: copies against their source, and sizes of one collection in several."
)
README = "In the README of the public code"
README_NOTE = "These numbers stand in the public code, not in the paper."
OTHERS = "Consistent and untestable"
OTHERS_NOTE = "Untestable: what is printed does not suffice to tell. Nothing is held against such a number."
NO_PAPERS = "No other paper was at hand to hold this one against."


def title(check: str) -> str:
    """The heading of a check; a name that is not known here with its underscores opened."""
    return CHECKS_CHECKS[check][0] if check in CHECKS_CHECKS else capital(check.replace("_", " "))


def checks_about(check: str) -> str:
    return CHECKS_CHECKS[check][1] if check in CHECKS_CHECKS else ""


def checks_counts(results: Sequence[FindingResult]) -> str:
    """`5 inconsistent, 204 consistent, 13 untestable`; what does not occur is left out."""
    number = Counter(results)
    order: tuple[FindingResult, ...] = ("inconsistent", "consistent", "untestable")
    return ", ".join(f"{digits.count(number[it])} {it}" for it in order if number[it])


def checks_mark(finding: Finding) -> str:
    """The label of a mark at a cell."""
    return f"{RESULTS[finding.result]}: {title(finding.check)}"


def noted(finding: Finding) -> str:
    """What a note is: how a sentence was read, or what is known of its numbers."""
    return "Read as" if finding.claim else "Known from elsewhere"


def consider(finding: Finding) -> str:
    """What else could explain an inconsistency; empty for a check that found none, or none is known."""
    if finding.result != "inconsistent" or not finding.alternatives:
        return ""
    return f"First consider: {listed(finding.alternatives, word='or')}."


def arithmetic(finding: Finding) -> str:
    return f"{finding.arithmetic.rstrip('.')}."


def strength(finding: Finding) -> str:
    """`Strength 4 of 5: one quantity in two ways.`; only of what is inconsistent."""
    if finding.result != "inconsistent":
        return ""
    words = STRENGTHS.get(finding.weight)
    return f"Strength {finding.weight} of 5{f': {words}' if words else ''}."


def checks_power(finding: Finding) -> str:
    """The chance that the check sees another last digit; empty where that has no meaning."""
    if finding.power is None:
        return ""
    if finding.power <= 0:
        return "The check could not see another last digit."
    return f"Another last digit would be seen in {100 * finding.power:.0f}% of cases."


def untested_tables(tables: Sequence[str]) -> str:
    return f"No check could test {listed(tables, word='or')}." if tables else ""


def checks_unread(findings: Sequence[Finding]) -> str:
    """How many inconsistencies rest on numbers that nobody held against the page."""
    inconsistent = [it for it in findings if it.result == "inconsistent"]
    number = sum(not it.verified for it in inconsistent)
    if not number:
        return ""
    of = f"{number} of the {len(inconsistent)}" if number < len(inconsistent) else f"All {number}"
    which = "The inconsistent one rests" if len(inconsistent) == 1 else f"{of} inconsistent ones rest"
    return f"{which} on a transcription that nobody has yet held against the printed page."


def more_alike(number: int, place: str) -> str:
    """What is folded below the first of several findings of one sort about one table."""
    return (
        f"{digits.count(number)} more like it in {place}" if place else f"{digits.count(number)} more like it"
    )


def in_all(number: int, place: str) -> str:
    """`20 rows of Table 4 alike`, above the first of them."""
    return (
        f"{plural(number, 'finding')} alike in {place}; the first:"
        if place
        else f"{plural(number, 'finding')} alike; the first:"
    )


_Key = TypeVar("_Key")

#: So many findings of one sort about one table are shown one by one; more are folded below the first.
_SHOWN = 2


def findings_section(found: Lookup) -> View | None:
    """All findings of the audit; None where no check is on record."""
    findings = found.audit.findings
    if not findings:
        return None
    show = _Shower(found)
    between = [it for it in findings if is_between(it, found.audit.papers_beside)]
    readme = [it for it in findings if it.source and it not in between]
    own = [it for it in findings if not it.source and it not in between]
    rest = [it for it in own if it.result != "inconsistent"]
    parts = (
        View(anchor="findings-between", title=BETWEEN, note=BETWEEN_NOTE, groups=show.groups(between)),
        View(anchor="findings-readme", title=README, note=README_NOTE, groups=show.groups(readme)),
    )
    others = View(anchor="findings-others", title=OTHERS, note=OTHERS_NOTE, groups=show.groups(rest))
    return View(
        counts=checks_counts([it.result for it in findings]),
        untested=untested_tables(untested(found.audit.tables, findings)),
        unread=checks_unread(findings),
        inconsistent=show.groups([it for it in own if it.result == "inconsistent"]),
        parts=tuple(part for part in parts if part.groups),
        others=others if others.groups else None,
        no_papers="" if found.audit.papers_beside else NO_PAPERS,
    )


def is_between(finding: Finding, beside: Sequence[str]) -> bool:
    """Whether it is about two papers: a cell of another one has its key and a colon in front."""
    across = finding.check == "copies" or finding.id.startswith("across:")
    return across or any(cell.partition(":")[0] in beside for cell in finding.cells)


def finding_anchors(findings: Sequence[Finding]) -> dict[str, str]:
    """Name of a finding, as `finding_key` gives it -> fragment of its deep link, unique in the page."""
    return unique_anchors("f", [finding_key(it) for it in findings])


class _Shower:
    """Findings as they are shown, each with its own fragment of the page."""

    def __init__(self, found: Lookup) -> None:
        self.found = found
        self.anchors = finding_anchors(found.audit.findings)

    def groups(self, findings: Sequence[Finding]) -> tuple[View, ...]:
        """By check: those with an inconsistency first, then the weightiest."""
        held = _by(findings, lambda it: it.check)
        ordered = sorted(held.items(), key=lambda pair: max(map(_finding_rank, pair[1])), reverse=True)
        return tuple(self._group(check, mine) for check, mine in ordered)

    def _group(self, check: str, findings: list[Finding]) -> View:
        order: tuple[FindingResult, ...] = ("inconsistent", "untestable", "consistent")
        ranked = sorted(findings, key=lambda it: (order.index(it.result), -it.weight))
        return View(
            title=title(check),
            about=checks_about(check),
            counts=checks_counts([it.result for it in findings]),
            quiet=checks_counts([it.result for it in findings if it.result != "inconsistent"]),
            items=tuple(self._folded(ranked)),
        )

    def _folded(self, findings: Sequence[Finding]) -> Iterator[View]:
        for alike in _by(findings, self._sort).values():
            if len(alike) <= _SHOWN:
                yield from (self._item(it) for it in alike)
                continue
            place = self._table(alike[0])
            yield self._item(
                alike[0],
                alike=in_all(len(alike), place),
                folded=more_alike(len(alike) - 1, place),
                more=tuple(self._item(it) for it in alike[1:]),
            )

    def _sort(self, it: Finding) -> tuple[object, ...]:
        """Claims are told one by one; other findings go together by result, table and explanations."""
        return (it.id,) if it.claim else (it.result, self._table(it), it.alternatives)

    def _table(self, finding: Finding) -> str:
        """The table in which its first cell stands; empty where that is not in the audit."""
        place = next((self.found.places[it] for it in finding.cells if it in self.found.places), None)
        return place.table.label if place else ""

    def _item(self, it: Finding, *, alike: str = "", folded: str = "", more: tuple[View, ...] = ()) -> View:
        place = next((self.found.places[cell] for cell in it.cells if cell in self.found.places), None)
        return View(
            anchor=self.anchors[finding_key(it)],
            result=it.result,
            word=RESULTS[it.result],
            sign=SIGNS[it.result],
            place=it.where or ", ".join(it.cells),
            href=f"#{place.anchor}" if place else "",
            says=it.says or "",
            note=it.note or "",
            noted=noted(it),
            consider=consider(it),
            arithmetic=arithmetic(it),
            strength=strength(it),
            power=checks_power(it),
            detail=it.detail,
            unread=UNREAD if is_unread(it) else "",
            alike=alike,
            folded=folded,
            more=more,
        )


def _finding_rank(finding: Finding) -> tuple[bool, int]:
    return finding.result == "inconsistent", finding.weight


def finding_key(finding: Finding) -> str:
    """Its id; of one without, what it says."""
    return finding.id or f"{finding.check}: {' '.join(finding.cells)} {finding.arithmetic}"


def _by(findings: Sequence[Finding], key: Callable[[Finding], _Key]) -> dict[_Key, list[Finding]]:
    """In the order in which each first appears."""
    held: dict[_Key, list[Finding]] = {}
    for it in findings:
        held.setdefault(key(it), []).append(it)
    return held


#: So many are named; all are in their own section.
_FIRST_SCREEN_NAMED = 5
_LENGTH = 80


def inconsistencies(
    section: View | None, findings: Sequence[Finding], beside: Sequence[str]
) -> tuple[View, ...]:
    """Of the paper's own text and tables by name; between papers and in its code's README as numbers."""
    if section is None:
        return ()
    own = [(item.says or group.title, item) for group in section.inconsistent for item in group.items]
    lines = [
        View(
            text=INCONSISTENT.format(title=shortened(title, _LENGTH)),
            place=shortened(item.place, _LENGTH),
            href=f"#{item.anchor}",
            unread=item.unread,
        )
        for title, item in own[:_FIRST_SCREEN_NAMED]
    ]
    found = [it for it in findings if it.result == "inconsistent"]
    between = sum(is_between(it, beside) for it in found)
    readme = sum(bool(it.source) and not is_between(it, beside) for it in found)
    counted = (
        (len(own) - _FIRST_SCREEN_NAMED, "", "#findings"),
        (between, BETWEEN_PAPERS, "#findings-between"),
        (readme, IN_README, "#findings-readme"),
    )
    return (
        *lines,
        *(
            View(text=more_of_them(n, where), place="", href=href, unread="")
            for n, where, href in counted
            if n > 0
        ),
    )


#: Beside an inconsistency whose numbers were read once.
UNREAD = "numbers not yet verified by a second reader"


def finding_place(finding: Finding) -> str:
    """Where it stands, and in what if not in the paper; the cells where that is not known."""
    place = finding.where or ", ".join(finding.cells)
    return f"{place} (from the README of the public code, not from the paper)" if finding.source else place


def finding_sentence(finding: Finding) -> str:
    """The other explanations first, then the arithmetic, then the result."""
    may = f"May be {listed(finding.alternatives, word='or')}. " if finding.alternatives else ""
    read = f"{noted(finding)}: {finding.note.rstrip('.')}. " if finding.note else ""
    caveat = f" {capital(UNREAD)}." if is_unread(finding) else ""
    return f"{may}{read}{finding.arithmetic.rstrip('.')}. {capital(finding.result)}.{caveat}"


def is_unread(finding: Finding) -> bool:
    """Whether it says that numbers disagree which nobody but their first reader has held against the page."""
    return finding.result == "inconsistent" and not finding.verified
