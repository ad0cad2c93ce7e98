"""What the checks that need no run look at, and how a finding of theirs is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from audit.record import Finding, FindingResult
from reports import digits
from reports.wording.words import capital, listed, plural

#: Check -> its heading, and what it looks at in one sentence.
CHECKS: Mapping[str, tuple[str, str]] = {
    "bounds": (
        "Hits that grow with k",
        "k · P@k, the right labels among the first k, cannot shrink, nor grow by more than one a place.",
    ),
    "identity": (
        "P@1 and nDCG@1",
        "Both are the share of documents whose first label is right, so that they are one number.",
    ),
    "feasible_row": (
        "One row, one set of documents",
        "Whether any test documents at all, whatever their labels, could give all numbers of a row together.",
    ),
    "twice": (
        "One number in two places",
        "A metric of one experiment, or a statistic of a data set, that is printed twice is one number.",
    ),
    "average_rank": ("Mean ranks", "Printed mean ranks against the ranks in the table that they are of."),
    "sentence": ("Sentences and tables", "What the text states, worked out from the paper’s own tables."),
    "significance": (
        "“Significant” and the size of the test set",
        "The range of p that McNemar’s test can give with the printed numbers, however the documents pair.",
    ),
    "structure": ("Sizes and formulas", "Numbers of parameters, shapes and formulas, worked out."),
    "complexity": (
        "Growth of the cost",
        "Stated growth of time or memory against operations that are counted.",
    ),
    "granularity": (
        "Fractions of the test set",
        "P@1 is a whole number of documents divided by all of them, so that few last digits can occur.",
    ),
    "copies": (
        "Copied numbers and their source",
        "Numbers that are copied from another paper, against that paper and its test set.",
    ),
    "label_caps": (
        "P@k and the labels of a document",
        "P@k cannot exceed what the mean number of labels allows.",
    ),
    "statistics": ("Statistics of the collections", "Sizes and means of a collection against each other."),
}
RESULTS: Mapping[FindingResult, str] = {
    "inconsistent": "Inconsistent",
    "untestable": "Untestable",
    "consistent": "Consistent",
}
#: Beside the word, so that it is told by shape too.
SIGNS: Mapping[FindingResult, str] = {"inconsistent": "≠", "untestable": "?", "consistent": "="}
#: How much an inconsistency tells, by the weight of the finding.
STRENGTHS: Mapping[int, str] = {
    5: "no test documents whatever give these numbers",
    4: "one quantity in two ways",
    3: "a sentence and its own table",
    2: "numbers that do not go with the printed test size, or that come from another run or split",
    1: "statistics that do not go with each other",
}

FINDINGS_HEAD = "Consistency of the printed numbers"
NOTE = (
    "The printed numbers and sentences held against each other, without any run. A finding is about numbers, "
    "not people; what else could explain it comes first."
)
NONE = "No check of the printed numbers is on record."
BETWEEN = "Between papers"
BETWEEN_NOTE = (
    "Numbers that concern two papers: copies against their source, and sizes of one collection in several."
)
README = "In the README of the public code"
README_NOTE = "These numbers stand in the public code, not in the paper."
OTHERS = "Consistent and untestable"
OTHERS_NOTE = "Untestable: what is printed does not suffice to tell. Nothing is held against such a number."
NO_PAPERS = "No other paper was at hand to hold this one against."


def title(check: str) -> str:
    """The heading of a check; a name that is not known here with its underscores opened."""
    return CHECKS[check][0] if check in CHECKS else capital(check.replace("_", " "))


def about(check: str) -> str:
    return CHECKS[check][1] if check in CHECKS else ""


def counts(results: Sequence[FindingResult]) -> str:
    """`5 inconsistent, 204 consistent, 13 untestable`; what does not occur is left out."""
    number = Counter(results)
    order: tuple[FindingResult, ...] = ("inconsistent", "consistent", "untestable")
    return ", ".join(f"{digits.count(number[it])} {it}" for it in order if number[it])


def mark(finding: Finding) -> str:
    """The label of a mark at a cell."""
    return f"{RESULTS[finding.result]}: {title(finding.check)}"


def noted(finding: Finding) -> str:
    """What a note is: how a sentence was read, or what is known of its numbers."""
    return "Read as" if finding.claim else "Known from elsewhere"


def consider(finding: Finding) -> str:
    """What else could explain an inconsistency; empty for a check that found none, or none is known."""
    if finding.result != "inconsistent" or not finding.alternatives:
        return ""
    return f"First consider: {listed(finding.alternatives, word='or')}."


def arithmetic(finding: Finding) -> str:
    return f"{finding.arithmetic.rstrip('.')}."


def strength(finding: Finding) -> str:
    """`Strength 4 of 5: one quantity in two ways.`; only of what is inconsistent."""
    if finding.result != "inconsistent":
        return ""
    words = STRENGTHS.get(finding.weight)
    return f"Strength {finding.weight} of 5{f': {words}' if words else ''}."


def power(finding: Finding) -> str:
    """The chance that the check sees another last digit; empty where that has no meaning."""
    if finding.power is None:
        return ""
    if finding.power <= 0:
        return "The check could not see another last digit."
    return f"Another last digit would be seen in {100 * finding.power:.0f}% of cases."


def untested(tables: Sequence[str]) -> str:
    return f"No check could test {listed(tables, word='or')}." if tables else ""


def unread(findings: Sequence[Finding]) -> str:
    """How many inconsistencies rest on numbers that nobody held against the page."""
    inconsistent = [it for it in findings if it.result == "inconsistent"]
    number = sum(not it.verified for it in inconsistent)
    if not number:
        return ""
    of = f"{number} of the {len(inconsistent)}" if number < len(inconsistent) else f"All {number}"
    which = "The inconsistent one rests" if len(inconsistent) == 1 else f"{of} inconsistent ones rest"
    return f"{which} on a transcription that nobody has yet held against the printed page."


def alike(number: int, place: str) -> str:
    """What is folded below the first of several findings of one sort about one table."""
    return (
        f"{digits.count(number)} more like it in {place}" if place else f"{digits.count(number)} more like it"
    )


def in_all(number: int, place: str) -> str:
    """`20 rows of Table 4 alike`, above the first of them."""
    return (
        f"{plural(number, 'finding')} alike in {place}; the first:"
        if place
        else f"{plural(number, 'finding')} alike; the first:"
    )
