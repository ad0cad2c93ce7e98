"""What it would take to settle open claims."""

from __future__ import annotations

from audit.record import Scope, Settling, Verdict
from reports import digits
from reports.wording import reading_counts
from reports.wording.words import capital

SETTLE_HEAD = "What would settle the open claims"
SETTLE_NOTE = (
    "Seeds an arm, those already run included, for a chance of 80%, if means and spread are as they are now; "
    "time by the run records. The cheapest first."
)


#: Of runs on other data than the paper's.
ON_STAND_IN = "on this stand-in"
NEVER_PRINTED = "a stand-in can never settle the printed number, which is about the paper’s own data"
#: Said where nobody has worked out how many.
MORE_SEEDS = "; more seeds may settle it"


STAND_IN_NOTE = (
    "What runs on a stand-in settle holds for the stand-in: those claims stand last, and what is printed for "
    "the paper’s own data stays open."
)


def is_on_stand_in(scope: Scope | None) -> bool:
    return scope == "other_data"


def to_settle(found: Settling, scope: Scope | None = None, verdict: Verdict | None = None) -> str:
    """`6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none`, or why there is no number.

    Of a claim that was judged on other data it says that this is about the stand-in alone; `verdict` tells
    of one whose readings differ which way they point.
    """
    needed = reading_counts.to_settle(verdict) or _needed(found)
    return f"{ON_STAND_IN}: {needed}; {NEVER_PRINTED}" if is_on_stand_in(scope) else needed


def short(found: Settling, scope: Scope | None, verdict: Verdict | None = None) -> str:
    """`6 seeds, 0.4 GPU-hours`, and on whose data."""
    text = reading_counts.to_settle(verdict) or found.text
    return f"{ON_STAND_IN}: {text}" if is_on_stand_in(scope) else text


def in_a_sentence(found: Settling | None, scope: Scope | None) -> str:
    """`; to settle it: 6 seeds`, in place of `MORE_SEEDS`."""
    if not is_on_stand_in(scope):
        return f"; to settle it: {found.text}" if found else MORE_SEEDS
    if found is None:
        return f"{MORE_SEEDS} {ON_STAND_IN}"
    return f"; to settle it {ON_STAND_IN}: {found.text} ({NEVER_PRINTED})"


def _needed(found: Settling) -> str:
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


def chance(found: Settling, scope: Scope | None = None) -> str:
    """`To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: none.`, or why there is no number."""
    of = f"{capital(ON_STAND_IN)}. " if is_on_stand_in(scope) else ""
    return f"{of}{_chance(found)}"


def _chance(found: Settling) -> str:
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
