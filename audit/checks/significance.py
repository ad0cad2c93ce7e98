"""What a printed table alone can say to "significantly better" in P@1: must be, cannot be, or undecidable.

P@1 and the number of documents fix the difference b - c of the documents that only one of the two systems
gets right. McNemar's exact p is least for c = 0, and greatest for as many as there can be. This is noise of
the test documents only, not of seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from audit.checks.finding import SLIP, finding
from audit.checks.multiples import on_grid
from audit.checks.sheet import Sheet
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.mcnemar import mcnemar
from audit.stats.printed import Printed

LEVEL = 0.05
Label = Literal["must_be", "cannot_be", "undecidable"]

_RHETORICAL = "the word is used without a test"
_OTHER_TEST = "another test, over seeds or over other metrics"


@dataclass(frozen=True)
class Bounds:
    """Between which p-values any pairing of the two systems' documents must lie."""

    hits: tuple[int, int]
    exact: tuple[bool, bool]
    """Whether the printed value comes from so many documents by rounding; else the nearest count is taken."""
    gap: int
    """Documents by which they differ."""
    most_discordant: int
    """The greatest c: documents that only the worse system gets right."""
    best: float
    """Two-sided exact McNemar p with c = 0."""
    worst: float
    """The same with the greatest c."""
    unpaired: float
    """Two-sided pooled z test, as if the systems had been tested on different documents."""
    label: Label
    """By the counts within the rounding that are the most favourable, or the least."""


def bounds_of(first: Printed, second: Printed, documents: int) -> Bounds:
    """For two printed P@1 in percent on the same `documents` documents."""
    (a, a_most, exact_a), (b, b_most, exact_b) = (_hits(number, documents) for number in (first, second))
    spare = _spare(a, b, documents)
    worst = mcnemar(abs(a - b) + spare, spare).p_two_sided
    widest, closest = abs(a_most - b), abs(a - b_most)
    if a < b:
        widest, closest = closest, widest
    least = mcnemar(closest + spare, spare).p_two_sided if (a_most - b) * (a - b_most) > 0 else 1.0
    must, cannot = max(worst, least) <= LEVEL, mcnemar(widest, 0).p_two_sided > LEVEL
    return Bounds(
        hits=(a, b),
        exact=(exact_a, exact_b),
        gap=abs(a - b),
        most_discordant=spare,
        best=mcnemar(abs(a - b), 0).p_two_sided,
        worst=worst,
        unpaired=_pooled_z(a, b, documents),
        label="must_be" if must else "cannot_be" if cannot else "undecidable",
    )


def _spare(a: int, b: int, documents: int) -> int:
    """The most documents that only the worse of two systems can get right."""
    return min(min(a, b), documents - max(a, b))


def _hits(number: Printed, documents: int) -> tuple[int, int, bool]:
    """The fewest and most hits that print so, and True; else the nearest count and False."""
    grid = on_grid(number, documents=documents)
    if grid.m_min is None or grid.m_max is None:
        nearest = round(number.value * documents / 100)
        return nearest, nearest, False
    return grid.m_min, grid.m_max, True


def _pooled_z(a: int, b: int, documents: int) -> float:
    pooled = (a + b) / (2 * documents)
    variance = pooled * (1 - pooled) * 2 / documents
    if variance == 0:
        return 1.0
    return math.erfc(abs(a - b) / documents / math.sqrt(2 * variance))


def significance(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each "significantly better" in P@1 whose numbers and test size are printed."""
    for claim in sheet.statements:
        if claim.kind == "significant" and claim.metric == "P@1" and len(claim.cells) == 2:
            documents = sheet.test_size(claim.dataset)
            if documents and all(cell in sheet.numbers for cell in claim.cells):
                yield _of_claim(sheet, claim, documents)


def _of_claim(sheet: Sheet, claim: ClaimRecord, documents: int) -> Finding:
    better, worse = (sheet.numbers[cell] for cell in claim.cells)
    bounds = bounds_of(better.value, worse.value, documents)
    text = (
        f"{better.text} and {worse.text} of {documents:,} documents are {bounds.gap:,} documents apart: "
        f"McNemar's p lies between {bounds.best:.2g} and {bounds.worst:.2g}, unpaired p {bounds.unpaired:.2g}"
    )
    if better.value.value <= worse.value.value:
        result: FindingResult = "untestable"  # the other direction is for another check
        text += "; the order itself does not hold"
    else:
        by_label: dict[Label, FindingResult] = {
            "must_be": "consistent",
            "cannot_be": "inconsistent",
            "undecidable": "untestable",
        }
        result = by_label[bounds.label]
        words = {
            "must_be": "significant however the documents pair",
            "cannot_be": "not significant however the documents pair",
            "undecidable": "the table alone cannot tell",
        }
        text += f"; {words[bounds.label]}"
    return finding(
        sheet,
        "significance",
        result,
        (better, worse),
        text,
        claim=claim,
        alternatives=(_RHETORICAL, _OTHER_TEST, SLIP),
    )
