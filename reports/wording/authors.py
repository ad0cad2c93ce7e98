"""Sentences about what the authors said."""

from __future__ import annotations

from audit.record import AuthorResponse

HEAD = "The authors"
NOT_ASKED = "Not yet asked."
HOW = "Their answer is shown here word for word; it goes into the claim file under “author_response”."
EFFECT = "Effect on this audit"
NO_EFFECT = "not yet worked in"


def asked(said: AuthorResponse | None) -> str:
    """When they were asked and whether they answered."""
    if said is None:
        return NOT_ASKED
    if said.answered is None:
        return f"Asked on {said.asked}; no answer yet."
    return f"Asked on {said.asked}, answered on {said.answered}:"
