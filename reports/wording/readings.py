"""Sentences about the readings of what a paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping

from audit.record import ClaimRecord, OpenChoice, Verdict
from reports import digits
from reports.wording.fields import DIFFERENCES, coverage, readings_counted
from reports.wording.words import capital

CURVE_NOTE = (
    "Every reading of what the paper leaves open, by size: a disc where the claim is reproduced, a cross "
    "where it is contradicted, a ring where it is open; below, the choices that each reading makes. The "
    "dotted stem marks the default reading. The claim is decided only where all readings agree."
)


def reading_name(reading: Mapping[str, str]) -> str:
    """`pooling divisor: slots`, or `default`."""
    return "; ".join(f"{name}: {choice}" for name, choice in reading.items()).replace("_", " ") or "default"


def open_choice(it: OpenChoice) -> str:
    """What is open, its choices, and why."""
    name, first, *others = (text.replace("_", " ") for text in (it.name, *it.choices))
    before = ", ".join((f"{first} (default)", *others[:-1]))
    return f"{capital(name)}: {before} or {others[-1]}. {it.why.rstrip('.')}."


def curve_description(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the curve shows, for those who do not see it."""
    show = digits.signed if claim.kind in DIFFERENCES else digits.points
    known = sorted(it.estimate for it in verdict.readings if it.estimate is not None)
    run = f"{len(verdict.readings)} of {verdict.readings_declared} declared readings"
    parts = [f"{run}: {readings_counted(verdict)}"]
    if known:
        what = "differences" if claim.kind in DIFFERENCES else "means"
        parts.append(
            f"{what} from {show(known[0])} to {show(known[-1])}, with {coverage(verdict)[1]}% intervals"
        )
    if verdict.estimate is not None:
        parts.append(f"the default reading {show(verdict.estimate)}")
    return f"{capital('; '.join(parts))}. The table has each."
