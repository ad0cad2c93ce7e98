"""What the authors said."""

from __future__ import annotations

from dataclasses import dataclass

from reports.lookup import Lookup
from reports.wording import authors as words


@dataclass(frozen=True)
class AuthorSlot:
    """Empty texts where there is nothing."""

    sentence: str
    answer: str
    effect: str


def author_slot(found: Lookup) -> AuthorSlot:
    """Also where nobody asked: that is said."""
    said = found.audit.author_response
    answered = said is not None and said.answer is not None
    return AuthorSlot(
        sentence=words.asked(said),
        answer=(said.answer or "") if said else "",
        effect=(said.effect or words.NO_EFFECT) if said and answered else "",
    )
