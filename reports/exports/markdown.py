"""The audit in at most forty lines of Markdown, to be pasted into a review form or a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from audit.record import Audit, Finding
from reports import wording
from reports.exports.told import Told, by_claim, line, most_pressing, told
from reports.headlines import values_on_own_data
from reports.lookup import lookup
from reports.protocol_box import protocol_box
from reports.same_runs import same_runs
from reports.strings import moment, shortened
from reports.wording import beside, settling
from reports.wording import protocol_box as box_words
from reports.wording import same_runs as words

LINES = 40
#: How many of each are told; with headings and blank lines they come to the forty.
_PRIMARY, _CONTRADICTED, _FINDINGS, _OPEN = 5, 5, 4, 5
#: Printed values among those of `_PRIMARY`, as on the first screen.
_VALUES = 2
_LONGEST = 600
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&!])")


def summary(audit: Audit) -> str:
    """Four numbers, the primary claims, contradictions, inconsistent numbers, what is open, how to rerun."""
    claims = told(audit)
    parts = [
        *_head(audit, claims),
        *_first(claims, audit),
        *_section(beside.CONTRADICTED, _contradicted(claims, audit), _CONTRADICTED, "contradicted claim"),
        *_section(beside.DISAGREE, _findings(audit.findings), _FINDINGS, "finding"),
        *_section(beside.OPEN, _open(audit, claims), _OPEN, "open claim"),
        *_rerun(audit),
    ]
    return "\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text from outside on one line, of which no character is Markdown, HTML or a formula."""
    return _SPECIAL.sub(r"\\\1", line(text))


def code(text: str) -> str:
    """A code span, in more backticks than stand anywhere in `text`."""
    held = line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", held)), default=0) + 1)
    pad = " " if held.startswith("`") or held.endswith("`") else ""
    return f"{fence}{pad}{held}{pad}{fence}"


# --------------------------------------------------------------------------- parts


def _head(audit: Audit, claims: Sequence[Told]) -> list[str]:
    counts = Counter(it.status for it in claims)
    numbers = ", ".join(f"{counts[key]} {wording.STATUS_WORDS[key].lower()}" for key in wording.STATUSES)
    by = escape(beside.made_by(shortened(audit.tool_version, 40), shortened(moment(audit.created), 40)))
    of = wording.plural(len(claims), "claim")
    return [
        f"## Audit of {escape(shortened(audit.paper.title or audit.paper.key, 200))}",
        "",
        " ".join(filter(None, (f"**{numbers}** of {of} ({by}).", *_ground(audit, claims))))
        + _protocol(audit),
    ]


def _ground(audit: Audit, claims: Sequence[Told]) -> tuple[str, ...]:
    """Whose data and whose runs the verdicts rest on."""
    return (
        _nothing(claims) or wording.resting_of(audit.verdicts),
        wording.on_imported(*lookup(audit).imported_and_judged),
        wording.counted_once(audit.share),
    )


def _protocol(audit: Audit) -> str:
    """What was reduced, and whether curves were still rising, as on the first screen."""
    box = protocol_box(lookup(audit))
    if box is None:
        return ""
    text = f"{box_words.TERM}: {box.text[:1].lower()}{box.text[1:]}"
    return f" {escape(' '.join(filter(None, (text, box.rising))))}"


def _nothing(claims: Sequence[Told]) -> str:
    return "" if any(it.status != "not_tested" for it in claims) else wording.NOTHING_TESTED


def _section(title: str, items: Sequence[str], limit: int, noun: str) -> list[str]:
    """A heading and at most `limit` lines, then how many more there are; nothing for no items."""
    if not items:
        return []
    more = len(items) - limit
    rest = [f"- {beside.further(more, noun)}"] if more > 0 else []
    return ["", f"**{title}**", "", *items[:limit], *rest]


def _first(claims: Sequence[Told], audit: Audit) -> list[str]:
    """The primary claims, and above them what the first screen has above them."""
    values = _each(_own_values(claims, audit), _headline)
    primary = _primary(claims, audit)
    if not values:
        return _section(beside.PRIMARY, primary, _PRIMARY, "primary claim")
    return _section(beside.PRIMARY_AND_VALUES, [*values, *primary], _PRIMARY, "primary claim")


def _own_values(claims: Sequence[Told], audit: Audit) -> list[Told]:
    own = {it.id for it in values_on_own_data(audit)}
    groups = by_claim([it for it in claims if it.claim.id in own])
    return [it for members in groups[:_VALUES] for it in members]


def _primary(claims: Sequence[Told], audit: Audit) -> list[str]:
    """On the paper's own data first; of one that has the runs of another, that it has."""
    first = same_runs(audit).claims
    titles = {it.claim.id: it.title for it in claims}
    groups = by_claim([it for it in claims if it.claim.primary])
    groups.sort(key=lambda members: wording.judged_on(most_pressing(members).verdict) == "other_data")

    def say(members: list[Told]) -> str:
        told = first.get(most_pressing(members).claim.id)
        more = f" ({words.SAME}: {escape(shortened(line(titles[told]), 200))})" if told else ""
        return _headline(members) + more

    return [say(members) for members in groups]


def _contradicted(claims: Sequence[Told], audit: Audit) -> list[str]:
    """Those that have not been told above."""
    shown = _own_values(claims, audit)
    found = [it for it in claims if it.status == "contradicted" and not it.claim.primary and it not in shown]
    return _each(found, _headline)


def _each(claims: Sequence[Told], say: Callable[[list[Told]], str]) -> list[str]:
    return [say(members) for members in by_claim(claims)]


def _headline(members: list[Told]) -> str:
    """How a claim came out over its metrics, and the sentence of the most pressing verdict."""
    worst = most_pressing(members)
    over = wording.headline([(it.subject, it.status) for it in members])
    said = shortened(line(worst.title), 200)
    return f"- **{escape(over)}** {escape(said)}. {escape(shortened(line(worst.sentence), _LONGEST))}"


def _findings(findings: Sequence[Finding]) -> list[str]:
    """Of the paper's own numbers, the weightiest first."""
    wrong = [it for it in findings if it.result == "inconsistent"]
    wrong.sort(key=lambda it: (bool(it.source), -it.weight))
    return [
        f"- {escape(shortened(line(wording.finding_place(it)), 200))}: "
        f"{escape(shortened(line(wording.finding_sentence(it)), _LONGEST))}"
        for it in wrong
    ]


def _open(audit: Audit, claims: Sequence[Told]) -> list[str]:
    """By the number of seeds that would settle them; metrics of a claim that need the same together."""
    judged = {it.claim.id: it for it in claims if it.status == "inconclusive"}
    metrics: dict[tuple[str, str], list[str]] = {}
    for name, found in audit.settling.items():
        if name in judged and found.seeds is not None:
            it = judged[name]
            needed = settling.short(found, wording.judged_on(it.verdict))
            metrics.setdefault((it.title, needed), []).append(it.subject)
    return [
        f"- {escape(shortened(line(title), 200))} ({escape(shortened(wording.listed(of), 80))}) – "
        f"{escape(line(text))}."
        for (title, text), of in metrics.items()
    ]


def _rerun(audit: Audit) -> list[str]:
    return ["", f"Rerun: {code(audit.command)}"] if audit.command else []
