"""Sentences about what the authors said, and how verdicts came out over the audits of a paper."""

from __future__ import annotations

from audit.record import AuthorResponse
from reports.wording.words import plural

HEAD = "The authors"
NOT_ASKED = "Not yet asked."
HOW = "Their answer is shown here word for word; it goes into the claim file under “author_response”."
EFFECT = "Effect on this audit"
NO_EFFECT = "not yet worked in"
HISTORY = "History"
HISTORY_NOTE = "In the earlier audits that were given, oldest first, with what differs where a verdict does."
SAME = "Claims whose verdict never changed"


def asked(said: AuthorResponse | None) -> str:
    """When they were asked and whether they answered."""
    if said is None:
        return NOT_ASKED
    if said.answered is None:
        return f"Asked on {said.asked}; no answer yet."
    return f"Asked on {said.asked}, answered on {said.answered}:"


def history(changed: int, total: int, audits: int) -> str:
    """`3 of 40 claims came out otherwise in one of 2 earlier audits.`"""
    earlier = "the earlier audit" if audits == 1 else f"one of {plural(audits, 'earlier audit')}"
    if not changed:
        return f"None of {plural(total, 'claim')} came out otherwise in {earlier}."
    return f"{changed} of {plural(total, 'claim')} came out otherwise in {earlier}."
