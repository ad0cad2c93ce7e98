"""What `audit run --until-settled` goes by: the looks, their shares of the level, and the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from audit.errors import AuditError
from audit.looks import with_look
from audit.record import Look
from audit.stats.sequential import Schedule

DEFAULT_LOOKS = (3, 5, 8, 12, 20)


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


def looks_of(text: str) -> tuple[int, ...]:
    """The looks of `3,5,8`. Raises `AuditError` for anything but growing numbers from 2 to 1000."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and len(part) < 5 for part in parts):
        looks = tuple(int(part) for part in parts)
        if list(looks) == sorted(set(looks)) and looks[0] >= 2 and looks[-1] <= 1000:
            return looks
    raise AuditError(f"--looks {text!r}: write growing numbers of seeds from 2 to 1000, as in 3,5,8")


def declared(wanted: tuple[int, ...] | None, taken: Sequence[Look]) -> Schedule:
    """The schedule to go by: a new one, which shares what earlier looks left, or the one that was begun.

    Raises `AuditError` for other looks than those that were begun, which share all of the level.
    """
    old = max((look.declared for look in taken), key=len, default=())
    if old and wanted not in (None, old):
        raise AuditError(
            f"--looks {listed(wanted or ())}: looks were declared as {listed(old)}, which share all of the "
            "level; go on with those"
        )
    looks = old or wanted or DEFAULT_LOOKS
    return Schedule(
        looks, tuple(with_look([*taken, Look(looks[-1], 0.0, looks)], n, looks).level for n in looks)
    )


def listed(looks: Sequence[int]) -> str:
    """As they are typed: `3,5,8`."""
    return ",".join(map(str, looks))
