"""What `audit run --until-settled` goes by: the looks, their shares of the level, and the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from audit.errors import AuditError
from audit.record import Look
from audit.stats.sequential import Schedule, extended, schedule

DEFAULT_LOOKS = (3, 5, 8, 12, 20)
Split = Literal["equal", "halving"]


def _clock() -> float:
    return time.monotonic()


@dataclass
class Budget:
    """Wall-clock time of the whole command."""

    seconds: float | None
    """None: no limit."""
    began: float = field(default_factory=lambda: _clock())

    @property
    def left(self) -> float:
        return float("inf") if self.seconds is None else self.seconds - (_clock() - self.began)


@dataclass(frozen=True)
class Wanted:
    """What the user said about looks; None where nothing was said."""

    looks: tuple[int, ...] | None = None
    split: Split | None = None


def looks_of(text: str) -> tuple[int, ...]:
    """The looks of `3,5,8`. Raises `AuditError` for anything but growing numbers from 2 to 1000."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and len(part) < 5 for part in parts):
        looks = tuple(int(part) for part in parts)
        if list(looks) == sorted(set(looks)) and looks[0] >= 2 and looks[-1] <= 1000:
            return looks
    raise AuditError(f"--looks {text!r}: write growing numbers of seeds from 2 to 1000, as in 3,5,8")


def declared(wanted: Wanted, taken: Sequence[Look]) -> Schedule:
    """The schedule to go by: a new one, or the one of which looks were taken, longer only where halving.

    Raises `AuditError` where the level that is left does not allow what is wanted.
    """
    before = [look for look in taken if look.split is not None]
    if not before:
        return schedule(wanted.looks or DEFAULT_LOOKS, split=wanted.split or "equal")
    old = max(before, key=lambda look: len(look.declared))
    assert old.split is not None
    held = schedule(old.declared, split=old.split)
    said = f"--looks {listed(old.declared)} --spending {old.split}"
    if wanted.split not in (None, old.split):
        raise AuditError(f"--spending {wanted.split}: looks were taken by {said}; go on with those")
    looks = wanted.looks or old.declared
    if looks[: len(old.declared)] != old.declared:
        raise AuditError(
            f"--looks {listed(looks)}: looks were taken by {said}; go on with those, or with later ones "
            "after them"
        )
    try:
        for look in looks[len(old.declared) :]:
            held = extended(held, look)
    except ValueError as err:
        raise AuditError(
            f"--looks {listed(looks)}: looks were taken by {said}, which share all of the level; "
            "only --spending halving leaves some for a further look"
        ) from err
    return held


def listed(looks: Sequence[int]) -> str:
    """As they are typed: `3,5,8`."""
    return ",".join(map(str, looks))
