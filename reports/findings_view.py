"""The findings page: checks that need no run, grouped, with the arithmetic filled in.

What is inconsistent stands first, by check; what concerns two papers, and what stands in the README of the
public code, are apart. Findings of one sort about one table are one entry with the others folded below it:
a column that holds another metric than its name says is one thing, and not twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from audit.record import Finding, FindingResult, untested
from reports.lookup import Lookup, unique_anchors
from reports.wording import UNREAD, is_unread
from reports.wording import printed_checks as words

_Key = TypeVar("_Key")

#: So many findings of one sort about one table are shown one by one; more are folded below the first.
_SHOWN = 2


@dataclass(frozen=True)
class FindingItem:
    """One finding, or the first of several that are alike; all texts are ready to be shown."""

    anchor: str
    result: FindingResult
    word: str
    sign: str
    place: str
    href: str
    """Of the first of its cells in the page; empty where there is none."""
    says: str
    """The sentence of the paper in our words; empty for a check of numbers alone."""
    note: str
    noted: str
    """Whether the note is of a reading, or of the numbers."""
    consider: str
    arithmetic: str
    strength: str
    power: str
    detail: str
    unread: str = ""
    """That its numbers were read once; empty where they were held against the page, or do not disagree."""
    alike: str = ""
    """`20 findings alike in Table 4; the first:`; empty for a single one."""
    folded: str = ""
    more: tuple[FindingItem, ...] = ()


@dataclass(frozen=True)
class FindingGroup:
    """The findings of one check."""

    title: str
    about: str
    counts: str
    quiet: str
    """Those of them that are not inconsistent, counted; empty where all are."""
    items: tuple[FindingItem, ...]


@dataclass(frozen=True)
class FindingPart:
    """Groups under one heading."""

    anchor: str
    title: str
    note: str
    groups: tuple[FindingGroup, ...]


@dataclass(frozen=True)
class FindingsSection:
    counts: str
    untested: str
    """Tables that no check could test; empty where there is none."""
    unread: str
    inconsistent: tuple[FindingGroup, ...]
    """Of the paper's own text and tables, the weightiest check first."""
    parts: tuple[FindingPart, ...]
    """Between papers, and in the README: each with all results."""
    others: FindingPart | None
    """What is consistent or untestable in the paper itself."""
    no_papers: str
    """Said where no other paper was at hand."""


def findings_section(found: Lookup) -> FindingsSection | None:
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
        FindingPart("findings-between", words.BETWEEN, words.BETWEEN_NOTE, show.groups(between)),
        FindingPart("findings-readme", words.README, words.README_NOTE, show.groups(readme)),
    )
    others = FindingPart("findings-others", words.OTHERS, words.OTHERS_NOTE, show.groups(rest))
    return FindingsSection(
        counts=words.counts([it.result for it in findings]),
        untested=words.untested(untested(found.audit.tables, findings)),
        unread=words.unread(findings),
        inconsistent=show.groups([it for it in own if it.result == "inconsistent"]),
        parts=tuple(part for part in parts if part.groups),
        others=others if others.groups else None,
        no_papers="" if found.audit.papers_beside else words.NO_PAPERS,
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

    def groups(self, findings: Sequence[Finding]) -> tuple[FindingGroup, ...]:
        """By check: those with an inconsistency first, then the weightiest."""
        held = _by(findings, lambda it: it.check)
        ordered = sorted(held.items(), key=lambda pair: max(map(_rank, pair[1])), reverse=True)
        return tuple(self._group(check, mine) for check, mine in ordered)

    def _group(self, check: str, findings: list[Finding]) -> FindingGroup:
        order: tuple[FindingResult, ...] = ("inconsistent", "untestable", "consistent")
        ranked = sorted(findings, key=lambda it: (order.index(it.result), -it.weight))
        return FindingGroup(
            title=words.title(check),
            about=words.about(check),
            counts=words.counts([it.result for it in findings]),
            quiet=words.counts([it.result for it in findings if it.result != "inconsistent"]),
            items=tuple(self._folded(ranked)),
        )

    def _folded(self, findings: Sequence[Finding]) -> Iterator[FindingItem]:
        for alike in _by(findings, self._sort).values():
            if len(alike) <= _SHOWN:
                yield from (self._item(it) for it in alike)
                continue
            place = self._table(alike[0])
            yield self._item(
                alike[0],
                alike=words.in_all(len(alike), place),
                folded=words.alike(len(alike) - 1, place),
                more=tuple(self._item(it) for it in alike[1:]),
            )

    def _sort(self, it: Finding) -> tuple[object, ...]:
        """Claims are told one by one; other findings go together by result, table and explanations."""
        return (it.id,) if it.claim else (it.result, self._table(it), it.alternatives)

    def _table(self, finding: Finding) -> str:
        """The table in which its first cell stands; empty where that is not in the audit."""
        place = next((self.found.places[it] for it in finding.cells if it in self.found.places), None)
        return place.table.label if place else ""

    def _item(
        self, it: Finding, *, alike: str = "", folded: str = "", more: tuple[FindingItem, ...] = ()
    ) -> FindingItem:
        place = next((self.found.places[cell] for cell in it.cells if cell in self.found.places), None)
        return FindingItem(
            anchor=self.anchors[finding_key(it)],
            result=it.result,
            word=words.RESULTS[it.result],
            sign=words.SIGNS[it.result],
            place=it.where or ", ".join(it.cells),
            href=f"#{place.anchor}" if place else "",
            says=it.says or "",
            note=it.note or "",
            noted=words.noted(it),
            consider=words.consider(it),
            arithmetic=words.arithmetic(it),
            strength=words.strength(it),
            power=words.power(it),
            detail=it.detail,
            unread=UNREAD if is_unread(it) else "",
            alike=alike,
            folded=folded,
            more=more,
        )


def _rank(finding: Finding) -> tuple[bool, int]:
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
