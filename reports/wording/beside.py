"""Words of what is written beside the page: tables for a paper, the summary for a review form."""

from __future__ import annotations

from collections.abc import Iterable

from audit.record import Scope
from reports import digits
from reports.wording.words import SCOPE_WORDS, listed, plural

PRIMARY = "Primary claims"
PRIMARY_AND_VALUES = "Printed values, and the primary claims"
CONTRADICTED = "Contradicted"
DISAGREE = "Printed numbers that disagree"
OPEN = "Open, the cheapest to settle first"
VALUES = "printed values and ours, mean ± standard deviation over seeds."
COMPARISONS = (
    "Comparisons stated by the paper: the printed difference, and ours with its interval (95% unless stated)."
)
#: By kind, what stands in a table of comparisons in place of a difference.
_IN_PLACE = {
    "cost": "× is how many times as much the second takes.",
    "complexity": "A power is that by which the cost grows with the size: claimed, and ours.",
    "convergence": "Epochs are the medians over seeds of both until the score is reached.",
}


def in_place(kinds: Iterable[str]) -> str:
    """What the numbers are that are no differences, for the kinds of claim that a table has."""
    held = set(kinds)
    return " ".join(said for kind, said in _IN_PLACE.items() if kind in held)


def epochs_to(score: str, metric: str) -> str:
    """`epochs to 57.70 nDCG@5`"""
    return f"epochs to {score} {metric}".rstrip()


def times(ratio: str) -> str:
    return f"× {ratio}"


def power(exponent: str) -> str:
    return f"power {exponent}"


def numbers(subject: str, printed: str, ours: str) -> str:
    """`P@1: printed 75.83, ours 75.20 ± 0.14`"""
    return f"{subject}: printed {printed}, ours {ours}"


def further(number: int, noun: str) -> str:
    """How many a short list leaves out."""
    return f"{plural(number, f'further {noun}')}: see the report."


def tested(number: int, of: int) -> str:
    """How many claims of a kind have a row in a table of those that were tested."""
    if number == of:
        return f"All {plural(of, 'claim')} were tested." if of > 1 else "The one claim was tested."
    return f"{digits.count(number)} of {plural(of, 'claim')} were tested."


def elsewhere(scopes: Iterable[Scope | None]) -> str:
    """What a dagger at our numbers means; empty where no run used other data than the paper."""
    others = {SCOPE_WORDS[scope] for scope in scopes if scope not in (None, "same_data")}
    return f"† On {listed(sorted(others), word='or')}, not on the paper’s own data." if others else ""


def made_by(version: str, newest_run: str) -> str:
    """`xmtc-audit 0.1.0, newest run 2026-03-01 12:30 UTC`"""
    tool = f"xmtc-audit {version}".strip()
    return f"{tool}, newest run {newest_run}" if newest_run else tool
