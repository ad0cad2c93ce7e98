"""A claim under every reading of what the paper leaves open: sentences, curve and table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.record import ClaimRecord, OpenChoice, Readings, ReadingVerdict, Verdict
from reports import digits
from reports.curves import Curve, CurvePoint, specification_curve
from reports.fields import (
    DIFFERENCES,
    PRINTED_KINDS,
    centre,
    coverage,
    edges,
    field_seeds,
    further_off,
    readings_counted,
    target_of,
)
from reports.text import View, capital
from reports.words import STATUS_WORDS, UNTESTED, Status, reason

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


def reading_because(it: ReadingVerdict, claim: ClaimRecord, verdict: Verdict) -> str:
    """Why a reading came out as it did; of an open one that is further off than a decided one, the spread."""
    alone = _alone(it, verdict) if it.reason == "multiplicity" else ""
    own = _TWO_SETS if it.reason == "other_split" and claim.kind == "value" else reason(it.reason)
    parts = [own + alone]
    if it.outcome == "inconclusive" and it.n and further_off(it, verdict, centre(claim, verdict)):
        sd = f" (SD {digits.points(it.sd)})" if it.sd is not None else ""
        parts.insert(0, _TOO_WIDE.format(seeds=field_seeds(it.n), sd=sd))
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


def reading_view(
    claim: ClaimRecord, verdict: Verdict | None, readings: Readings | None, anchor: str
) -> View | None:
    """None where nothing is open in the claim's experiments, or none but the default reading was run."""
    if verdict is None or readings is None or not verdict.readings:
        return None
    open_here = open_in(claim, readings)
    return View(
        curve=specification_curve(curve_of(claim, verdict, open_here, anchor)),
        caption=curve_note(readings.limit),
        estimate="Difference" if claim.kind in DIFFERENCES else "Mean",
        interval=f"{coverage(verdict)[1]}% interval",
        rows=tuple(_reading_row(claim, it, verdict) for it in verdict.readings),
        open=tuple(open_choice(it) for it in open_here),
    )


def open_in(claim: ClaimRecord, readings: Readings) -> tuple[OpenChoice, ...]:
    """What is open in the claim's experiments, in the order of the claim file."""
    names = {name for it in claim.experiments for name in readings.of.get(it, ())}
    return tuple(it for it in readings.open if it.name in names)


def _reading_row(claim: ClaimRecord, it: ReadingVerdict, verdict: Verdict) -> View:
    marks = edges(claim, verdict)
    show = digits.signed if claim.kind in DIFFERENCES else digits.points
    status: Status = "not_tested" if it.reason in UNTESTED else it.outcome
    return View(
        reading=reading_name(it.reading),
        seeds=field_seeds(it.n) if it.n else digits.ABSENT,
        estimate=digits.ABSENT if it.estimate is None else show(it.estimate, beside=marks),
        interval=digits.ABSENT if it.ci95 is None else digits.interval(it.ci95, beside=marks),
        status=status,
        word=STATUS_WORDS[status],
        because=reading_because(it, claim, verdict),
    )


def curve_of(claim: ClaimRecord, verdict: Verdict, open_here: tuple[OpenChoice, ...], anchor: str) -> Curve:
    """Without the printed number where the runs are on other data, which share no axis with it."""
    difference = claim.kind in DIFFERENCES
    near = verdict.scope != "other_data" and claim.kind in PRINTED_KINDS
    target = verdict.target if near else None
    centre = 0.0 if difference and claim.kind not in PRINTED_KINDS else target
    margin = verdict.margin
    return Curve(
        id=f"curve-{anchor}",
        title=f"{len(verdict.readings)} readings of what the paper leaves open, by {claim.metric}",
        description=curve_description(claim, verdict),
        axis=f"difference in {claim.metric}" if difference else f"{claim.metric}, points",
        points=tuple(_reading_points(verdict, open_here)),
        open=open_here,
        target=target,
        target_label=f"printed {target_of(claim, verdict)}" if target is not None else "",
        margin=None if centre is None or margin is None else (centre - margin, centre + margin),
        zero=difference,
    )


def _reading_points(verdict: Verdict, open_here: tuple[OpenChoice, ...]) -> Iterator[CurvePoint]:
    default: Mapping[str, str] = {it.name: it.choices[0] for it in open_here}
    for it in verdict.readings:
        if it.estimate is not None:
            chosen = {**default, **it.reading}
            yield CurvePoint(chosen, it.estimate, it.ci95, it.outcome, default=not it.reading)
