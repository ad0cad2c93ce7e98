"""What it would take to settle open claims."""

from __future__ import annotations

from audit.record import Settling

SETTLE_NOTE = (
    "Seeds an arm, those already run included, for a chance of 80% (90%), if means and spread are as they "
    "are now; time by the run records. The cheapest first."
)


def to_settle(found: Settling) -> str:
    """`6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none`, or why there is no number."""
    if found.seeds is None or (found.reproduce, found.contradict) == (_NONE, _NONE):
        return found.text
    parts = (("reproduce", found.reproduce), ("contradict", found.contradict))
    needed = ", ".join(f"to {word} it {_seeds(numbers)}" for word, numbers in parts)
    return f"{found.text}: {needed}"


_NONE = (None, None)


def _seeds(numbers: tuple[int | None, int | None]) -> str:
    """`6 (7)`: for 80 and for 90%."""
    fewest, more = numbers
    if fewest is None:
        return "none"
    return f"{fewest} ({'more than 100' if more is None else more})"
