"""What it would take to settle open claims."""

from __future__ import annotations

from audit.record import Settling
from reports import digits
from reports.wording.words import capital

SETTLE_HEAD = "What would settle the open claims"
SETTLE_NOTE = (
    "Seeds an arm, those already run included, for a chance of 80%, if means and spread are as they are now; "
    "time by the run records. The cheapest first."
)


def to_settle(found: Settling) -> str:
    """`6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none`, or why there is no number."""
    if found.seeds is None or (found.reproduce, found.contradict) == (_NONE, _NONE):
        return found.text
    parts = (("reproduce", found.reproduce), ("contradict", found.contradict))
    needed = ", ".join(f"to {word} it {_seeds(numbers)}" for word, numbers in parts)
    return f"{found.text}: {needed}"


def time(seconds: float | None, device: str | None) -> str:
    """`24.0 min on a GPU`, as far as it is known."""
    if seconds is None:
        return "not known"
    return digits.duration(seconds) + (f" on a {device}" if device else "")


def chance(found: Settling) -> str:
    """`To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: none.`, or why there is no number."""
    pairs = (("reproduce", found.reproduce), ("contradict", found.contradict))
    if (found.reproduce, found.contradict) == (_NONE, _NONE):
        return f"{capital(found.text).rstrip('.')}."
    return " ".join(f"To {word} it: {_chances(*numbers)}." for word, numbers in pairs)


def _chances(fewest: int | None, more: int | None) -> str:
    if fewest is None:
        return "no number of seeds"
    return f"80% with {fewest} seeds, 90% with {'more than 100' if more is None else more}"


_NONE = (None, None)


def _seeds(numbers: tuple[int | None, int | None]) -> str:
    """`6 (7)`: for 80 and for 90%."""
    fewest, more = numbers
    if fewest is None:
        return "none"
    return f"{fewest} ({'more than 100' if more is None else more})"
