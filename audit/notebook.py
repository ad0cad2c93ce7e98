"""Verdicts and audits as small HTML tables, which notebooks show; nothing but a record goes in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit.record import Audit, ClaimRecord, Verdict

#: Longer tables are cut, and say so: the page has the rest.
MOST_ROWS = 40

_COLOURS = {"reproduced": "#1a7f37", "contradicted": "#b42318", "inconclusive": "#8a6d00"}
_HEAD = ("claim", "verdict", "why", "estimate", "printed", "margin", "95 % interval", "seeds")


def verdict_html(verdict: Verdict) -> str:
    """One verdict as a table of one row."""
    return _table([_row(verdict, None)])


def audit_html(audit: Audit) -> str:
    """Title, counts, and a row for each claim that was judged, then the others as far as there is room."""
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    pairs.sort(key=lambda pair: pair[1].p_reproduced is None)  # stable: in the order of the file
    counts = Counter[str](verdict.outcome for verdict in audit.verdicts)
    told = ", ".join(f"{counts[name]} {name}" for name in _COLOURS)
    rows = [_row(verdict, claim) for claim, verdict in pairs[:MOST_ROWS]]
    more = len(pairs) - len(rows)
    return (
        f"<div><p><b>{escape(audit.paper.key)}</b>: {escape(audit.paper.title)}<br>"
        f"{len(pairs)} claims: {told}</p>{_table(rows)}"
        f"{f'<p>and {more} more; audit.report writes them all</p>' if more else ''}</div>"
    )


def _row(verdict: Verdict, claim: ClaimRecord | None) -> Sequence[str]:
    colour = _COLOURS[verdict.outcome]
    title = f' title="{escape(claim.says)}"' if claim else ""
    margin = claim.margin.value if claim and claim.margin else None
    return (
        f"<span{title}>{escape(verdict.claim)}</span>",
        f'<b style="color:{colour}">{verdict.outcome}</b>',
        escape(verdict.reason.replace("_", " ")),
        _number(verdict.estimate),
        _number(verdict.target),
        _number(margin),
        " to ".join(_number(it) for it in verdict.ci95) if verdict.ci95 else "",
        ", ".join(map(str, verdict.n)),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _table(rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
