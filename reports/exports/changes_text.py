"""What changed between two audits, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from reports.changes import Change, Changes
from reports.exports.markdown import code, escape
from reports.exports.told import line
from reports.strings import shortened, visible
from reports.wording import Status
from reports.wording import changes as words

ICONS: dict[Status | None, str] = {
    "reproduced": "✓",
    "contradicted": "✗",
    "inconclusive": "◐",
    "not_tested": "–",
    None: " ",
}
_LONGEST = 600


def terminal(changes: Changes) -> str:
    """A line for each claim whose verdict changed and one for what differs behind it, then the rest."""
    return "\n".join(_terminal(changes))


def _terminal(changes: Changes) -> Iterator[str]:
    yield f"{line(changes.paper)}\nold: {line(changes.before)}\nnew: {line(changes.after)}\n{changes.counts}"
    for it, metrics in _together(changes.flipped):
        yield f"{_icons(it)}  {visible(it.of)} ({metrics})  {it.flip}\n        {visible(it.causes)}"
    for group in (changes.added, changes.gone):
        for it, metrics in _together(group):
            yield f"{_icons(it)}  {visible(it.of)} ({metrics})  {it.flip}"
    for finding in changes.findings:
        yield f"{'✗' if finding.worse else ' '}       {visible(finding.id)}  {finding.flip}"


def _together(changes: Sequence[Change]) -> Iterator[tuple[Change, str]]:
    """Neighbours that are metrics of one claim, with the same verdict and causes: the first, and all."""
    for _, group in groupby(changes, key=lambda it: (it.of, it.flip, it.causes)):
        members = list(group)
        yield members[0], line(", ".join(it.subject for it in members))


def _icons(change: Change) -> str:
    """`◐ → ✓`"""
    return f"{ICONS[change.before]} → {ICONS[change.after]}"


def markdown(changes: Changes) -> str:
    """The same with the sentences of the verdicts as they are now."""
    parts = [
        f"## Changes in the audit of {escape(shortened(line(changes.paper), 200))}",
        "",
        f"Old: {escape(changes.before)}.  ",
        f"New: {escape(changes.after)}.",
        "",
        f"**{escape(changes.counts)}**",
        *_list(words.FLIPPED, [_flipped(it) for it in changes.flipped]),
        *_list(words.ADDED, [_one(it) for it in changes.added]),
        *_list(words.GONE, [_one(it) for it in changes.gone]),
        *_list(words.FINDINGS, [_finding(it.id, it.flip, it.sentence) for it in changes.findings]),
    ]
    return "\n".join(parts) + "\n"


def _list(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"**{title}**", "", *items] if items else []


def _flipped(it: Change) -> str:
    return f"{_one(it)} *{escape(line(it.causes))}.*"


def _one(it: Change) -> str:
    said = escape(shortened(line(it.sentence), _LONGEST))
    return f"- {code(it.claim)} {escape(it.flip)}: {escape(shortened(line(it.title), 200))}. {said}"


def _finding(name: str, flip: str, sentence: str) -> str:
    return f"- {code(name)} {escape(flip)}: {escape(shortened(line(sentence), _LONGEST))}"
