"""The readings of a claim, as `audit explain` lists them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from audit.judging.verdicts import about_readings
from audit.record import ClaimRecord, Readings, ReadingVerdict, Verdict
from reports import numbers
from reports.sentences import DIFFERENCES
from reports.verdicts import coverage, edges, open_choice, reading_name

_WIDTH = 110
_RULE = (
    "one verdict a reading, each at the full level; together they err no more often than the one under the "
    "paper's own reading, so that nothing is corrected for their number, and the p-values of the claim are "
    "the largest of theirs"
)


def readings_lines(claim: ClaimRecord, verdict: Verdict, readings: Readings | None) -> Iterator[str]:
    """What is open, and a line for each reading that was run; nothing where nothing is open."""
    if readings is None or not verdict.readings_declared:
        return
    yield f"readings of what the paper leaves open: {verdict.readings_declared} declared"
    names = {name for it in claim.experiments for name in readings.of.get(it, ())}
    for it in readings.open:
        yield from _wrapped(open_choice(it)) if it.name in names else ()
    if not verdict.readings:
        yield "  the default reading alone was run; `audit run --readings` runs the others"
        return
    counts = Counter(it.outcome for it in verdict.readings)
    yield from _wrapped(f"{about_readings(counts, verdict.readings_declared)}: {_RULE}")
    yield from _table(claim, verdict)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _table(claim: ClaimRecord, verdict: Verdict) -> Iterator[str]:
    rows = [_row(claim, verdict, it) for it in verdict.readings]
    what = "difference" if claim.kind in DIFFERENCES else "mean"
    head = ("reading", "seeds", what, f"{coverage(verdict)[1]}% interval", "verdict")
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    for row in (head, *rows):
        yield "  " + _line(row, widths)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Numbers to the right."""
    cells = [
        row[0].ljust(widths[0]),
        *(cell.rjust(width) for cell, width in zip(row[1:4], widths[1:4], strict=True)),
    ]
    return "  ".join((*cells, row[4]))


def _row(claim: ClaimRecord, verdict: Verdict, it: ReadingVerdict) -> tuple[str, ...]:
    show = numbers.signed if claim.kind in DIFFERENCES else numbers.points
    marks = edges(claim, verdict)
    return (
        reading_name(it.reading),
        " and ".join(dict.fromkeys(map(str, it.n))) or numbers.ABSENT,
        numbers.ABSENT if it.estimate is None else show(it.estimate, beside=marks),
        numbers.ABSENT if it.ci95 is None else numbers.interval(it.ci95, beside=marks),
        f"{it.outcome} ({it.reason})",
    )
