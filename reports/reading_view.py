"""A claim under every reading of what the paper leaves open: the curve and the table beside its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from audit.record import ClaimRecord, OpenChoice, Readings, ReadingVerdict, Verdict
from reports import digits, wording
from reports.specification_curve import Curve, Point, specification_curve
from reports.wording import Status


@dataclass(frozen=True)
class ReadingRow:
    """One reading; absent numbers are dashes."""

    reading: str
    seeds: str
    estimate: str
    interval: str
    status: Status
    word: str
    because: str


@dataclass(frozen=True)
class ReadingView:
    """All readings of one claim that were run."""

    curve: str
    """SVG drawn by `reports.specification_curve`; empty where the claim has no estimate to draw."""
    caption: str
    estimate: str
    """Heading of the estimates."""
    interval: str
    rows: tuple[ReadingRow, ...]
    open: tuple[str, ...]
    """What is open, and why, one sentence each."""


def reading_view(
    claim: ClaimRecord, verdict: Verdict | None, readings: Readings | None, anchor: str
) -> ReadingView | None:
    """None where nothing is open in the claim's experiments, or none but the default reading was run."""
    if verdict is None or readings is None or not verdict.readings:
        return None
    open_here = open_in(claim, readings)
    return ReadingView(
        curve=specification_curve(curve_of(claim, verdict, open_here, anchor)),
        caption=wording.curve_note(readings.limit),
        estimate="Difference" if claim.kind in wording.DIFFERENCES else "Mean",
        interval=f"{wording.coverage(verdict)[1]}% interval",
        rows=tuple(_row(claim, it, verdict) for it in verdict.readings),
        open=tuple(wording.open_choice(it) for it in open_here),
    )


def open_in(claim: ClaimRecord, readings: Readings) -> tuple[OpenChoice, ...]:
    """What is open in the claim's experiments, in the order of the claim file."""
    names = {name for it in claim.experiments for name in readings.of.get(it, ())}
    return tuple(it for it in readings.open if it.name in names)


def _row(claim: ClaimRecord, it: ReadingVerdict, verdict: Verdict) -> ReadingRow:
    marks = wording.edges(claim, verdict)
    show = digits.signed if claim.kind in wording.DIFFERENCES else digits.points
    status: Status = "not_tested" if it.reason in wording.UNTESTED else it.outcome
    return ReadingRow(
        reading=wording.reading_name(it.reading),
        seeds=wording.seeds(it.n) if it.n else digits.ABSENT,
        estimate=digits.ABSENT if it.estimate is None else show(it.estimate, beside=marks),
        interval=digits.ABSENT if it.ci95 is None else digits.interval(it.ci95, beside=marks),
        status=status,
        word=wording.STATUS_WORDS[status],
        because=wording.because(it, claim, verdict),
    )


def curve_of(claim: ClaimRecord, verdict: Verdict, open_here: tuple[OpenChoice, ...], anchor: str) -> Curve:
    """Without the printed number where the runs are on other data, which share no axis with it."""
    difference = claim.kind in wording.DIFFERENCES
    near = verdict.scope != "other_data" and claim.kind in wording.PRINTED
    target = verdict.target if near else None
    centre = 0.0 if difference and claim.kind not in wording.PRINTED else target
    margin = verdict.margin
    return Curve(
        id=f"curve-{anchor}",
        title=f"{len(verdict.readings)} readings of what the paper leaves open, by {claim.metric}",
        description=wording.curve_description(claim, verdict),
        axis=f"difference in {claim.metric}" if difference else f"{claim.metric}, points",
        points=tuple(_points(verdict, open_here)),
        open=open_here,
        target=target,
        target_label=f"printed {wording.target(claim, verdict)}" if target is not None else "",
        margin=None if centre is None or margin is None else (centre - margin, centre + margin),
        zero=difference,
    )


def _points(verdict: Verdict, open_here: tuple[OpenChoice, ...]) -> Iterator[Point]:
    default: Mapping[str, str] = {it.name: it.choices[0] for it in open_here}
    for it in verdict.readings:
        if it.estimate is not None:
            chosen = {**default, **it.reading}
            yield Point(chosen, it.estimate, it.ci95, it.outcome, default=not it.reading)
