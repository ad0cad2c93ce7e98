"""What a printed table alone can say to "significantly better" in P@1, whoever pairs the documents.

P@1 and N fix how many documents each system gets right, and so b - c, the documents that only the first gets
right less those that only the second does. McNemar's p is least where c = 0 and greatest where c is as great
as N allows: p = 2 P[Bin(b + c, 1/2) <= c] grows with c for fixed b - c > 0. All this is noise of documents;
what other seeds would give is not in the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from audit.checks.grid import hits, pre_image
from audit.checks.tables import SLIP, Number, Sheet, meet
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.documents import mcnemar
from audit.stats.printed import Printed

LEVEL = 0.05
Label = Literal["must_be", "cannot_be", "undecidable"]

_RHETORICAL = "the word is used without a test"
#: In the name of a test, they say that it is one over documents.
_OVER_DOCUMENTS = ("mcnemar", "document", "instance")
_OTHER_TEST = "another test, over seeds or over other metrics"
_RESULTS: Mapping[Label, tuple[FindingResult, str]] = {
    "must_be": ("consistent", "significant however the documents pair"),
    "cannot_be": ("inconsistent", "not significant however the documents pair"),
    "undecidable": ("untestable", "the table alone cannot tell"),
}


def significance(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each "significantly better" in P@1 whose numbers and test size are printed."""
    for claim in sheet.statements:
        if "test" in claim.details and claim.metric == "P@1" and len(claim.cells) == 2:
            count = sheet.test_count(claim.dataset)
            numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
            in_percent = all(number.cell.unit in (None, "percent") for number in numbers)
            if count and in_percent and len(numbers) == 2:
                yield _of_claim(sheet, claim, count, *numbers)


def _of_claim(sheet: Sheet, claim: ClaimRecord, count: Printed, better: Number, worse: Number) -> Finding:
    documents, (low, high) = int(count.value), count.interval
    sizes = {max(int(low), 1), documents, int(high)} if count.decimals < 0 else {documents}
    every = [table_significance(better.value, worse.value, size) for size in sizes]
    labels = {of_size.label for of_size in every}
    result, why = _RESULTS[every[0].label if len(labels) == 1 else "undecidable"]
    test = claim.details.get("test")
    if better.value.value <= worse.value.value:
        tie = meet(better.value, worse.value)  # that is for another check
        result, why = "untestable", "the printed digits tie" if tie else "the order itself does not hold"
    elif test and not any(word in test.lower() for word in _OVER_DOCUMENTS):
        result, why = "untestable", f"the test is “{test}”, which is not said to be over documents"
    elif result == "inconsistent" and not (better.is_single and worse.is_single):
        # a test over runs may find any difference; a difference that documents alone bear out is no less
        result, why = "untestable", "means over runs can be told apart by less; single runs are not stated"
    gaps = [gap for of_size in every for gap in of_size.gap_documents]
    apart = " to ".join(dict.fromkeys(f"{gap:,}" for gap in (min(gaps), max(gaps))))
    best, worst = min(of_size.p_best for of_size in every), max(of_size.p_worst for of_size in every)
    text = (
        f"{better.text} and {worse.text} of {documents:,} documents are {apart} documents apart: "
        f"McNemar's p lies between {best:.2g} and {worst:.2g}; {why}"
    )
    reasons = (_RHETORICAL, _OTHER_TEST, SLIP)
    return sheet.finding("significance", result, (better, worse), text, reasons, claim=claim)


@dataclass(frozen=True)
class TableSignificance:
    """What two printed P@1 and the test size leave possible; all p are two-sided."""

    gap_documents: tuple[int, int]
    """Documents between the two, whichever is higher: the fewest and the most that the rounding leaves."""
    p_best: float
    """McNemar's exact p where they are furthest apart and the higher one has right all that the lower has."""
    p_worst: float
    """McNemar's exact p where they are closest and the lower one alone has as many right as there can be."""
    label: Label


def table_significance(first: Printed, second: Printed, documents: int) -> TableSignificance:
    """For two printed P@1 in percent on the same test documents, over all counts that rounding leaves.

    - `must_be`: p_worst <= LEVEL;
    - `cannot_be`: above LEVEL even where they are furthest apart, c = 0, and by the test that is the first to
      say "significant", the one-sided normal approximation of McNemar's: 2 documents apart or fewer at 0.05;
    - `undecidable`: anything else.

    Raises ValueError unless there are documents.
    """
    lower, higher = sorted((first, second), key=lambda number: number.value)
    (low2, high2), (low1, high1) = _counts(lower, documents), _counts(higher, documents)
    most, least = high1 - low2, max(low1 - high2, 0)
    # the least gap leaves the most documents to the lower one alone, too: both make p greatest
    c = min(low1, high2, documents - max(low1, high2))
    p_worst = mcnemar(least + c, c) if least else 1.0
    # one-sided: P[Z >= (b - c) / sqrt(b + c)] with c = 0
    cannot = math.erfc(math.sqrt(most / 2.0)) / 2.0 > LEVEL
    label: Label = "cannot_be" if cannot else "must_be" if p_worst <= LEVEL else "undecidable"
    return TableSignificance((least, most), mcnemar(most, 0), p_worst, label)


def _counts(number: Printed, documents: int) -> tuple[int, int]:
    """Fewest and most hits that are printed so, or those on either side of it."""
    if counts := hits(number, documents):
        return counts[0], counts[-1]
    image = pre_image(number)
    low, high = (image.low * documents / 100, image.high * documents / 100)
    return max(math.floor(low), 0), min(math.ceil(high), documents)
