"""One page over the audits of several papers: four numbers each, and the way to each report."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import IMPORTED, Audit, ClaimRecord, Scope, Verdict
from reports import digits
from reports.lookup import aside, distinct
from reports.notes import runs_failed
from reports.text import View, listed, moment, plural
from reports.words import SCOPE_WORDS, STATUS_WORDS, STATUSES, Status, status_of

TITLE = "Reproducibility audits"
PAPER = "Paper and corpus"
NOTHING = "nothing was judged"
INDEX_NO_RUN = "none"
_INDEX_REDUCED = "reduced protocol"
_INDEX_IMPORTED = "numbers that were imported, not verified here"
_INDEX_WORDS: dict[Scope, str] = {**SCOPE_WORDS, "same_data": "the paper’s own data"}


def index_summary(papers: int, audits: int) -> str:
    """`3 audits of 2 papers`"""
    return f"{plural(audits, 'audit')} of {plural(papers, 'paper')}"


def rests_on(scopes: Sequence[Scope | None], *, reduced: int, imported: int) -> str:
    """On whose data those claims rest that were judged, and how many on a reduced protocol or others' runs.

    >>> rests_on(["other_data", "other_data"], reduced=2, imported=0)
    'stand-in data; reduced protocol'
    >>> rests_on(["same_data", "other_data", "other_data"], reduced=1, imported=0)
    'stand-in data for 2 of 3, the paper’s own data for 1; reduced protocol for 1 of 3'
    """
    of = len(scopes)
    if not of:
        return NOTHING
    counts = [(scopes.count(it), word) for it, word in _INDEX_WORDS.items()]
    held = sorted([it for it in counts if it[0]], reverse=True)
    parts = [_share(word, number, of if k == 0 else 0) for k, (number, word) in enumerate(held)]
    if len(held) == 1 and held[0][0] == of:
        parts = [held[0][1]]
    more = [
        _part(word, number, of)
        for word, number in ((_INDEX_REDUCED, reduced), (_INDEX_IMPORTED, imported))
        if number
    ]
    return "; ".join(it for it in (", ".join(parts), *more) if it)


def _part(word: str, number: int, of: int) -> str:
    return word if number == of else _share(word, number, of)


def _share(word: str, number: int, of: int) -> str:
    """`another split for 3 of 9`; without what it is of where that has been said."""
    return f"{word} for {digits.count(number)}" + (f" of {digits.count(of)}" if of else "")


def findings(inconsistent: int, total: int) -> str:
    """What the checks that need no run found."""
    if not total:
        return "not checked"
    return f"{digits.count(inconsistent)} of {plural(total, 'finding')} inconsistent"


def unread_line(names: Sequence[str]) -> str:
    """Records beside the others that could not be read; empty where all could."""
    if not names:
        return ""
    them = "it" if len(names) == 1 else "them"
    return f"Not shown, as no audit could be read from {them}: {listed(list(names))}."


Pair = tuple[ClaimRecord, Verdict]


def index_page(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> View:
    """Of (folder of the report, audit); `unread` are folders whose record is none. By folder."""
    rows = tuple(_index_row(folder, audit) for folder, audit in sorted(audits, key=lambda it: it[0]))
    papers = len({audit.paper.key for _, audit in audits})
    return View(summary=index_summary(papers, len(rows)), rows=rows, unread=unread_line(sorted(unread)))


def _index_row(folder: str, audit: Audit) -> View:
    verdicts = {it.claim: it for it in audit.verdicts}
    pairs: dict[Status, list[Pair]] = {it: [] for it in STATUSES}
    for claim in audit.claims:
        verdict = verdicts.get(claim.id) or Verdict(claim.id, "inconclusive", "not_run")
        pairs[status_of(verdict)].append((claim, verdict))
    judged = [pair for status in STATUSES if status != "not_tested" for pair in pairs[status]]
    inconsistent = sum(it.result == "inconsistent" for it in audit.findings)
    return View(
        title=audit.paper.title or audit.paper.key,
        report=folder,
        href=f"{_quoted(folder)}/report.html",
        counts=tuple(_count(it, pairs[it]) for it in STATUSES),
        total=len(audit.claims),
        rests_on=_rests_on(judged, audit),
        findings=findings(inconsistent, len(audit.findings)),
        date=moment(audit.created) or INDEX_NO_RUN,
    )


def _count(status: Status, pairs: Sequence[Pair]) -> View:
    """With the same words below as on the report: there, too, what was not tested has none about data."""
    if status == "not_tested":
        failed = sum(it.reason == "run_failed" for _, it in pairs)
        return View(
            status=status,
            word=STATUS_WORDS[status],
            count=len(pairs),
            note=runs_failed(failed),
            borrowed=False,
        )
    stand_in = sum(it.scope == "other_data" for _, it in pairs)
    note = aside(len(pairs), distinct(pairs), stand_in)
    return View(
        status=status,
        word=STATUS_WORDS[status],
        count=len(pairs),
        note=note,
        borrowed=0 < len(pairs) == stand_in,
    )


def _rests_on(judged: Sequence[Pair], audit: Audit) -> str:
    """A claim's protocol is reduced where that of one of its arms is."""
    protocols = {it.id: it.protocol for it in audit.experiments}
    arms = [[protocols.get(name, "") for name in claim.experiments] for claim, _ in judged]
    return rests_on(
        [it.scope for _, it in judged],
        reduced=sum(any(f"-{it}".endswith("-small") for it in held) for held in arms),
        imported=sum(IMPORTED in held for held in arms),
    )


def _quoted(folder: str) -> str:
    """As a relative address: `./` in front, so that no name is taken for a scheme."""
    from urllib.parse import quote

    return f"./{quote(folder)}"
