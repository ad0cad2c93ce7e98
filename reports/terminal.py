"""The verdicts as plain text for a terminal: the same sentences as on the page."""

from __future__ import annotations

from collections import Counter

from audit.record import Audit

_ICONS = {"reproduced": "✓", "contradicted": "✗", "inconclusive": "◐", "not tested": "–"}


def summary(audit: Audit) -> str:
    """One line a claim, and the four numbers that add up to all claims."""
    lines, counts = [], Counter[str]()
    width = max((len(claim.id) for claim in audit.claims), default=0)
    for claim, verdict in zip(audit.claims, audit.verdicts, strict=True):
        word = "not tested" if verdict.reason == "not_run" else verdict.outcome
        counts[word] += 1
        why = "" if word in ("reproduced", "not tested") else f"({verdict.reason.replace('_', ' ')})"
        estimate = (
            ""
            if verdict.estimate is None
            else f"{verdict.estimate:+.2f}"
            if len(verdict.n) > 1
            else f"{verdict.estimate:.2f}"
        )
        lines.append(f"{_ICONS[word]} {word:12} {claim.id:{width}} {estimate:>7} {why}".rstrip())
    numbers = ", ".join(f"{counts[word]} {word}" for word in _ICONS)
    return "\n".join([*lines, "", f"{len(audit.claims)} claims: {numbers}"])
