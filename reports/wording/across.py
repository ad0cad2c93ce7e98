"""Sentences about what several papers print of the same."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import PrintedIn
from reports import digits
from reports.wording.words import listed, plural

HEAD = "Across papers: one method, one collection, one metric"
NOTE = (
    "Every paper at hand that prints the number, and ours. Hatched: copied, with the paper that it is from. "
    "N: test documents as that paper prints them; other sizes are other splits. “Differs”: two "
    "numbers that are not copied from each other and that no rounding makes one, a baseline that drifts."
)
OURS = "Ours"
UNKNOWN_SIZE = "N not printed"
STAND_IN = "† On stand-in data or another split: not comparable with the numbers beside it."


def summary(rows: int, differing: int, sized: int, papers: Sequence[str]) -> str:
    """`39 numbers that other papers print too (liu2017); 12 differ by more than rounding, 9 of these for ...`

    `sized` of those differ though they are no copies and stand for one number of test documents.
    """
    others = f" ({listed(list(papers))})" if papers else ""
    held = f"{plural(rows, 'number')} that other papers print too{others}"
    if not differing:
        return f"{held}; none differs from another by more than rounding."
    verb = "differs" if differing == 1 else "differ"
    same = "none" if not sized else "all" if sized == differing else digits.count(sized)
    return (
        f"{held}; {digits.count(differing)} {verb} by more than rounding, {same} of these on test sets of "
        "one size."
    )


def differs(one_size: bool) -> str:
    """What stands beside a row whose numbers differ."""
    return "differs" if one_size else "differs; so may the test sets"


def none(papers: Sequence[str]) -> str:
    """Why there is no row."""
    if not papers:
        return "No other paper was at hand when this audit was made."
    return f"None of the {plural(len(papers), 'other paper')} at hand prints a number of this one."


def sizes(numbers: Sequence[int | None]) -> str:
    """`N = 3,865`, or several where one paper has the collection in several versions."""
    known = list(dict.fromkeys(it for it in numbers if it is not None))
    return f"N = {listed([digits.count(it) for it in known], word='or')}" if known else UNKNOWN_SIZE


def origin(found: PrintedIn) -> str:
    """What stands below a number: where it is from, unless it is the paper's own run."""
    if found.source == "copied":
        return f"from {found.copied_from}" if found.copied_from else "copied"
    return {"unknown": "source not said", "code_readme": "from its README", "stated": "stated"}.get(
        found.source, ""
    )


def collection(name: str, rows: int) -> str:
    return f"{name}: {plural(rows, 'number')}"
