"""Sentences about claims that rest on the runs of another one, and about what rests on stand-in data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audit.record import Scope
from reports import digits
from reports.wording.words import plural

ON_STAND_IN = "On stand-in data: what holds there may not hold on the paper’s own"
ON_OWN_DATA = "Printed values, on the paper’s own corpus"
STAND_IN_NOTE = (
    "Another corpus was run in place of the paper’s. A verdict here is about that corpus, and settles "
    "nothing that is printed for the paper’s own."
)
AGAIN = "The same runs again"
AGAIN_NOTE = (
    "Claims about other data sets for which the same corpus was run. Each rests on the very runs of the "
    "claim that its line leads to, and adds no evidence."
)
#: In a redrawn table, in place of a mark.
SIGN = "″"
KEY = "″: judged on the very runs of the claim that it leads to, and no further evidence."
SAME = "same runs as"


def part_heading(scopes: Iterable[Scope | None]) -> str:
    """Above the claims that were judged on the paper's own data, where others were not."""
    if "other_split" in set(scopes):
        return "On the paper’s own data, or another split of it"
    return "On the paper’s own data"


def elsewhere(first: str) -> str:
    """Behind the sentence of a primary claim: how the claim came out on whose runs it rests."""
    other = first[:1].lower() + first[1:].rstrip(".")
    return f"It rests on the very runs of another claim, which is {other}:"


def mark(word: str, title: str) -> str:
    """What is said of a sign in a redrawn table."""
    return f"{word} on stand-in data, on the same runs as: {title}"


def aside(number: int, distinct: int, stand_in: int, imported: int = 0) -> str:
    """`7 different comparisons, all on stand-in data`, below one of the four numbers; empty where plain."""
    parts = []
    if 0 < distinct < number:
        parts.append(plural(distinct, "different comparison"))
    if stand_in:
        parts.append(f"{'all' if stand_in == number else digits.count(stand_in)} on stand-in data")
    if imported:
        parts.append(f"{'all' if imported == number else digits.count(imported)} on imported numbers")
    return ", ".join(parts)


def also(titles: Sequence[str]) -> str:
    """`the same runs stand for 2 further experiments: A; B`; empty where there are none."""
    if not titles:
        return ""
    return f"the same runs stand for {plural(len(titles), 'further experiment')}: {'; '.join(titles)}"


def rest(number: int) -> str:
    """Below the claims that could be settled: those that the same runs would settle."""
    rests = "rests" if number == 1 else "rest"
    return f"{plural(number, 'further claim')} on stand-in data {rests} on the same runs as one of these."
