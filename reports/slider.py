"""What the page needs to judge the claims at another margin: the bands of the record, and where to begin.

The bands are those of the comparator: the margins, in points, at which a claim would be reproduced or
contradicted if it is taken alone. The page only looks on which side of their ends a
margin lies; no statistics are done there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from audit.record import ClaimRecord, Margin, Verdict
from reports import digits
from reports.lookup import Lookup
from reports.notes import fixed_margin, slider_sentence
from reports.text import View, plural

#: Ends of the slider, in points.
_TOPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_STEPS = 200
#: How much of the slider a character of a label takes on the narrowest screen: 7.6 of 280 pixels.
_REJUDGING_CHARACTER = 0.0272


def band_of(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """Margin and the four ends of the band, a dash for none: `0.5 1.02 - - 0.3`; empty where none moves it.

    A sixth word `u` says that the runs may contradict nothing.
    """
    if verdict is None or not movable(claim, verdict):
        return ""
    numbers = (verdict.margin, *_ends(verdict))
    words = ["-" if number is None else repr(float(number)).removesuffix(".0") for number in numbers]
    return " ".join([*words, "u"] if verdict.barred else words)


def movable(claim: ClaimRecord, verdict: Verdict) -> bool:
    """Whether a margin in points decides; not so where readings are still to be run, whatever the margin, nor
    where the paper's other claims keep it open: the band is that of the claim alone.
    """
    if claim.kind == "complexity" or verdict.margin is None or verdict.reason == "multiplicity":
        return False
    if verdict.readings and len(verdict.readings) < verdict.readings_declared:
        return False
    return any(end is not None for end in _ends(verdict))


def slider(found: Lookup) -> View:
    """Where the slider begins and ends, and what was fixed."""
    claims = found.audit.claims
    moved = [
        (claim, verdict)
        for claim in claims
        if (verdict := found.verdicts.get(claim.id)) is not None and movable(claim, verdict)
    ]
    used = Counter(claim.margin.value for claim, _ in moved if claim.margin is not None)
    top = _top(used, [end for _, verdict in moved for end in _ends(verdict) if end is not None])
    ticks = tuple(_ticks({margin: used[margin] for margin in sorted(used) if margin <= top}, top))
    return View(
        movable=len(moved),
        start=_plain(max(used, key=lambda margin: (used[margin], -margin))) if used else "0",
        top=_plain(top),
        step=_plain(top / _STEPS),
        ticks=ticks,
        rows=1 + max((tick.row for tick in ticks), default=0),
        sentence=slider_sentence(len(moved), len(claims)),
        fixed=_fixed(claims),
    )


def _ticks(used: Mapping[float, int], top: float) -> Iterator[View]:
    """One for each margin, upwards; a label begins at its mark and reaches to the right."""
    labels = {
        margin: f"{digits.margin_size(margin)} ({plural(number, 'claim')})" for margin, number in used.items()
    }
    step = top / _STEPS  # where the slider begins
    places = [max(0.0, (margin - step) / (top - step)) for margin in labels]
    rows = label_rows(
        [(x, _REJUDGING_CHARACTER * len(label)) for x, label in zip(places, labels.values(), strict=True)]
    )
    for (margin, label), place, row in zip(labels.items(), places, rows, strict=True):
        yield View(value=_plain(margin), label=label, place=_plain(place), row=row)


def label_rows(labels: Sequence[tuple[float, float]]) -> list[int]:
    """In which row below the slider each label hangs, given where it begins, upwards, and how long it is.

    The last hangs highest. One before it may hang beside it if it ends before the marks of all that hang as
    low or lower, which pass by it.
    """
    rows: list[int] = []
    begins = [start for start, _ in labels]
    for place in reversed(range(len(labels))):
        end = sum(labels[place])
        right = list(zip(begins[place + 1 :], rows, strict=True))
        rows.insert(0, next(row for row in count() if all(end < x for x, low in right if low >= row)))
    return rows


def _top(margins: Iterable[float], ends: Sequence[float]) -> float:
    """At least twice the largest margin, and far enough for nine in ten of the flips."""
    known = sorted(ends)
    most = known[min(len(known) - 1, int(0.9 * len(known)))] if known else 0.0
    needed = max(2.0 * max(margins, default=0.0), 1.1 * most)
    return next((top for top in _TOPS if top >= needed), _TOPS[-1])


def _fixed(claims: Sequence[ClaimRecord]) -> tuple[str, ...]:
    """Each margin with its reason, the most frequent first."""
    number: Counter[Margin] = Counter(claim.margin for claim in claims if claim.margin is not None)
    return tuple(fixed_margin(margin, claims) for margin, claims in number.most_common())


def _ends(verdict: Verdict) -> tuple[float | None, ...]:
    return (
        verdict.margin_reproduced_from,
        verdict.margin_reproduced_up_to,
        verdict.margin_contradicted_from,
        verdict.margin_contradicted_up_to,
    )


def _plain(number: float) -> str:
    """As a number of the page: no exponent, no needless digits."""
    return f"{number:.6f}".rstrip("0").rstrip(".")
