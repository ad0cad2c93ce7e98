"""What a printed table alone can say to "significantly better" in P@1, whoever pairs the documents.

P@1 and N fix how many documents each system gets right, and so b - c, the documents that only the first gets
right less those that only the second does. McNemar's p is least where c = 0 and greatest where c is as great
as N allows: p = 2 P[Bin(b + c, 1/2) <= c] grows with c for fixed b - c > 0. All this is noise of documents;
what other seeds would give is not in the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.checks.grid import hits, pre_image
from audit.checks.tables import SLIP, Sheet, finding, meet
from audit.record import ClaimRecord, Finding, FindingResult
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
            documents = sheet.test_size(claim.dataset)
            numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
            in_percent = all(number.cell.unit in (None, "percent") for number in numbers)
            if documents and in_percent and len(numbers) == 2:
                yield _of_claim(sheet, claim, documents)


def _of_claim(sheet: Sheet, claim: ClaimRecord, documents: int) -> Finding:
    better, worse = (sheet.numbers[cell] for cell in claim.cells)
    low, high = (sheet.test_count(claim.dataset) or better.value).interval
    sizes = {max(int(low), 1), documents, int(high)} if sheet.is_rounded(claim.dataset) else {documents}
    every = [table_significance(better.value, worse.value, size) for size in sizes]
    labels = {it.label for it in every}
    result, said = _RESULTS[every[0].label if len(labels) == 1 else "undecidable"]
    test = claim.details.get("test")
    if better.value.value <= worse.value.value:
        tie = meet(better.value, worse.value)  # that is for another check
        result, said = "untestable", "the printed digits tie" if tie else "the order itself does not hold"
    elif test and not any(word in test.lower() for word in _OVER_DOCUMENTS):
        result, said = "untestable", f"the test is “{test}”, which is not said to be over documents"
    elif result == "inconsistent" and not (better.is_single and worse.is_single):
        # a test over runs may find any difference; a difference that documents alone bear out is no less
        result, said = "untestable", "means over runs can be told apart by less; single runs are not stated"
    gaps = [number for it in every for number in it.gap_documents]
    unpaired = [p for it in every for p in it.p_unpaired]
    best, worst = min(it.p_best for it in every), max(it.p_worst for it in every)
    text = (
        f"{better.text} and {worse.text} of {documents:,} documents are {_span(gaps, ',')} documents apart: "
        f"McNemar's p lies between {best:.2g} and {worst:.2g}, unpaired p {_span(unpaired, '.2g')}; {said}"
    )
    reasons = (_RHETORICAL, _OTHER_TEST, SLIP)
    return finding(sheet, "significance", result, (better, worse), text, claim=claim, alternatives=reasons)


def _span(numbers: Sequence[float], form: str) -> str:
    return " to ".join(dict.fromkeys(f"{number:{form}}" for number in (min(numbers), max(numbers))))


@dataclass(frozen=True)
class TableSignificance:
    """What two printed P@1 and the test size leave possible; all p are two-sided."""

    gap_documents: tuple[int, int]
    """Documents between the two, whichever is higher: the fewest and the most that the rounding leaves."""
    p_best: float
    """McNemar's exact p where they are furthest apart and the higher one has right all that the lower has."""
    p_worst: float
    """McNemar's exact p where they are closest and the lower one alone has as many right as there can be."""
    p_unpaired: tuple[float, float]
    """Pooled z test, as if each system had had its own documents, at both gaps."""
    label: Label


def table_significance(first: Printed, second: Printed, documents: int) -> TableSignificance:
    """For two printed P@1 in percent on the same test documents, over all counts that rounding leaves.

    - `must_be`: p_worst <= LEVEL;
    - `cannot_be`: above LEVEL even where they are furthest apart, c = 0, and by the test that is the first to
      say "significant", the one-sided normal approximation of McNemar's: 2 documents apart or fewer at 0.05;
    - `undecidable`: anything else.

    Raises ValueError unless there are documents.
    """
    (low2, high2), (low1, high1) = (_counts(it, documents) for it in sorted((first, second), key=_value))
    most, least = high1 - low2, max(low1 - high2, 0)
    # the least gap leaves the most documents to the lower one, too: both make p greatest
    c = _most_only_lower(low1, high2, documents)
    p_worst = mcnemar_two_sided(least + c, c) if least else 1.0
    # one-sided: P[Z >= (b - c) / sqrt(b + c)] with c = 0
    cannot = math.erfc(math.sqrt(most / 2.0)) / 2.0 > LEVEL
    return TableSignificance(
        gap_documents=(least, most),
        p_best=mcnemar_two_sided(most, 0),
        p_worst=p_worst,
        p_unpaired=(
            _pooled_z(high1, low2, documents),
            _pooled_z(low1, high2, documents) if least else 1.0,
        ),
        label="cannot_be" if cannot else "must_be" if p_worst <= LEVEL else "undecidable",
    )


def _value(number: Printed) -> Fraction:
    return number.value


def mcnemar_two_sided(b: int, c: int) -> float:
    """min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)]), exact but for double precision; 0.0 below 1e-308.

    The greatest term by log-gamma, the others by their ratios: C(n, i - 1) = C(n, i) i / (n - i + 1).
    """
    n, i = b + c, min(b, c)
    log_term = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) - n * math.log(2.0)
    total, term = 0.0, 1.0
    while term > 1e-18 * total and i >= 0:
        total += term
        term *= i / (n - i + 1)
        i -= 1
    return min(1.0, 2.0 * math.exp(log_term + math.log(total)))


def _counts(number: Printed, documents: int) -> tuple[int, int]:
    """Fewest and most hits that are printed so, or those on either side of it."""
    if found := hits(number, documents):
        return found[0], found[-1]
    image = pre_image(number)
    low, high = (image.low * documents / 100, image.high * documents / 100)
    return max(math.floor(low), 0), min(math.ceil(high), documents)


def _most_only_lower(hits1: int, hits2: int, documents: int) -> int:
    """The most documents that only the lower one can have right."""
    return min(min(hits1, hits2), documents - max(hits1, hits2))


def _pooled_z(hits1: int, hits2: int, documents: int) -> float:
    """Two-sided p of z = (p1 - p2) / sqrt(2 p (1 - p) / N), p = (p1 + p2) / 2."""
    pooled = (hits1 + hits2) / (2 * documents)
    if hits1 == hits2:
        return 1.0
    z = (hits1 - hits2) / documents / math.sqrt(2.0 * pooled * (1.0 - pooled) / documents)
    return math.erfc(abs(z) / math.sqrt(2.0))
