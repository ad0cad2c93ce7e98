"""Sentences about the readings of what a paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping

from audit.record import ClaimRecord, OpenChoice, ReadingVerdict, Verdict
from reports import digits
from reports.wording.fields import DIFFERENCES, centre, coverage, readings_counted, seeds
from reports.wording.reading_counts import further_off
from reports.wording.words import capital, reason

_CURVE_NOTE = (
    "{which} By size, a disc where the claim is reproduced, a cross where it is contradicted, a ring where "
    "it is open; below, the choices that each reading makes. The dotted stem marks the default reading. The "
    "claim is decided only where all readings agree."
)
_WHICH = {
    "one_at_a_time": (
        "One change at a time: the default reading of what the paper leaves open, and each reading that "
        "departs from it in one point; no two changes were made together."
    ),
    "full": "Readings of what the paper leaves open: every combination of the declared choices.",
}
_TOO_WIDE = "{seeds} spread too widely{sd}"
_TWO_SETS = "the noise of two test sets leaves it open"


def curve_note(limit: str) -> str:
    """The caption of the curve: which readings were declared, and how they are drawn."""
    return _CURVE_NOTE.format(which=_WHICH[limit])


def because(it: ReadingVerdict, claim: ClaimRecord, verdict: Verdict) -> str:
    """Why a reading came out as it did; of an open one that is further off than a decided one, the spread."""
    alone = _alone(it, verdict) if it.reason == "multiplicity" else ""
    own = _TWO_SETS if it.reason == "other_split" and claim.kind == "value" else reason(it.reason)
    parts = [own + alone]
    if it.outcome == "inconclusive" and it.n and further_off(it, verdict, centre(claim, verdict)):
        sd = f" (SD {digits.points(it.sd)})" if it.sd is not None else ""
        parts.insert(0, _TOO_WIDE.format(seeds=seeds(it.n), sd=sd))
    return "; ".join(parts)


def over_readings(verdict: Verdict, *, what: str = "") -> str:
    """Behind the name of what is over all readings, such as the `largest` p; empty where one was run."""
    if len(verdict.readings) < 2:
        return ""
    return (
        f", {what} of {len(verdict.readings)} readings" if what else f", all {len(verdict.readings)} readings"
    )


def shown_reading(default: ReadingVerdict, verdict: Verdict) -> str:
    """`the default of 15 readings, which alone is contradicted`"""
    return f"the default of {len(verdict.readings)} readings, by itself {default.outcome}"


def _alone(it: ReadingVerdict, verdict: Verdict) -> str:
    """What the reading would be if the claim were the paper's only one."""
    if it.p_reproduced is None:
        return ""
    return f" (alone: {'reproduced' if it.p_reproduced <= verdict.level else 'contradicted'})"


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
