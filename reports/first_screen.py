"""The inconsistencies of the printed numbers on the first screen: one line each, the rest counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.record import Finding
from reports.findings_view import FindingsSection, is_between
from reports.strings import shortened
from reports.wording import controls as words

#: So many are named; all are in their own section.
_NAMED = 5
_LENGTH = 80


@dataclass(frozen=True)
class Line:
    text: str
    place: str
    href: str
    unread: str = ""
    """That the numbers were read once; empty where a second reader verified them."""


def inconsistencies(
    section: FindingsSection | None, findings: Sequence[Finding], beside: Sequence[str]
) -> tuple[Line, ...]:
    """Of the paper's own text and tables by name; between papers and in its code's README as numbers."""
    if section is None:
        return ()
    own = [(item.says or group.title, item) for group in section.inconsistent for item in group.items]
    lines = [
        Line(
            words.INCONSISTENT.format(title=shortened(title, _LENGTH)),
            shortened(item.place, _LENGTH),
            f"#{item.anchor}",
            item.unread,
        )
        for title, item in own[:_NAMED]
    ]
    found = [it for it in findings if it.result == "inconsistent"]
    between = sum(is_between(it, beside) for it in found)
    readme = sum(bool(it.source) and not is_between(it, beside) for it in found)
    counted = (
        (len(own) - _NAMED, "", "#findings"),
        (between, words.BETWEEN_PAPERS, "#findings-between"),
        (readme, words.IN_README, "#findings-readme"),
    )
    return (*lines, *(Line(words.more_of_them(n, where), "", href) for n, where, href in counted if n > 0))
