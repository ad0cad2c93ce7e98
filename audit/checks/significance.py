"""What a printed table alone can say to "significantly better" in P@1: must be, cannot be, or undecidable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.checks.finding import SLIP, finding
from audit.checks.sheet import Sheet
from audit.checks.table_significance import Label, table_significance
from audit.record import ClaimRecord, Finding, FindingResult

_RHETORICAL = "the word is used without a test"
_OTHER_TEST = "another test, over seeds or over other metrics"
_RESULTS: Mapping[Label, tuple[FindingResult, str]] = {
    "must_be": ("consistent", "significant however the documents pair"),
    "cannot_be": ("inconsistent", "not significant however the documents pair"),
    "undecidable": ("untestable", "the table alone cannot tell"),
}


def significance(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each "significantly better" in P@1 whose numbers and test size are printed."""
    for claim in sheet.statements:
        if claim.kind == "significant" and claim.metric == "P@1" and len(claim.cells) == 2:
            documents = sheet.test_size(claim.dataset)
            numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
            in_percent = all(number.cell.unit in (None, "percent") for number in numbers)
            if documents and in_percent and len(numbers) == 2:
                yield _of_claim(sheet, claim, documents)


def _of_claim(sheet: Sheet, claim: ClaimRecord, documents: int) -> Finding:
    better, worse = (sheet.numbers[cell] for cell in claim.cells)
    bounds = table_significance(better.value, worse.value, documents=documents)
    text = (
        f"{better.text} and {worse.text} of {documents:,} documents are {bounds.gap_documents:,} documents "
        f"apart: McNemar's p lies between {bounds.p_best:.2g} and {bounds.p_worst:.2g}, unpaired p "
        f"{bounds.p_unpaired:.2g}"
    )
    low, high = (sheet.test_count(claim.dataset) or better.value).interval
    sizes = {max(int(low), 1), documents, int(high)} if sheet.is_rounded(claim.dataset) else {documents}
    labels = {table_significance(better.value, worse.value, documents=size).label for size in sizes}
    result, said = _RESULTS[bounds.label if len(labels) == 1 else "undecidable"]
    if better.value.value <= worse.value.value:
        result, said = "untestable", "the order itself does not hold"  # that is for another check
    elif result == "inconsistent" and not (better.is_single and worse.is_single):
        # a test over runs may find any difference; a difference that documents alone bear out is no less
        result, said = "untestable", "means over runs can be told apart by less; single runs are not stated"
    text = f"{text}; {said}"
    return finding(
        sheet,
        "significance",
        result,
        (better, worse),
        text,
        claim=claim,
        alternatives=(_RHETORICAL, _OTHER_TEST, SLIP),
    )
