"""Which experiments something is about, where they are many: a heading, and the names it does not tell."""

from __future__ import annotations

from collections.abc import Sequence

from reports.wording.words import listed, plural

#: Before the names.
WHICH = "Which experiments"
_FEW = 2


def heading(titles: Sequence[str]) -> str:
    """Both of two, the first of more.

    >>> heading(["A", "B"]), heading(["A", "B", "C"])
    ('A; B', 'A and 2 more experiments')
    """
    if len(titles) <= _FEW:
        return "; ".join(titles)
    return f"{titles[0]} and {plural(len(titles) - 1, 'more experiment')}"


def untold(titles: Sequence[str]) -> tuple[str, ...]:
    """All titles, where the heading does not tell all of them."""
    return tuple(titles) if len(titles) > _FEW else ()


def all_but(total: int, others: Sequence[str]) -> str:
    """Where most share something.

    >>> all_but(12, ["A"])
    'All 12 experiments that were run but “A”'
    """
    return f"All {plural(total, 'experiment')} that were run but {listed([f'“{it}”' for it in others])}"
