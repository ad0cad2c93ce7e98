"""The most that P@k can be, given how many labels the test documents have."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from audit.stats.printed import Printed

LabelCounts = Mapping[int, int | Fraction]
"""Number of labels -> documents with so many, or their share. The greatest may stand for all above, too."""


def cap(counts: LabelCounts, k: int) -> Fraction:
    """100 mean(min(k, labels)) / k in percent: a document has no more hits than labels, nor than k.

    The documents must be those of the test set. Raises ValueError for no documents, and for k above the
    greatest number of labels in `counts`, where it would matter what that stands for.
    """
    shares = as_shares(counts)
    if not 1 <= k <= max(shares):
        raise ValueError(
            f"label counts up to {max(shares)!r} bound P@k for k of 1..{max(shares)}, got k={k!r}"
        )
    return 100 * sum((share * min(k, labels) for labels, share in shares.items()), Fraction(0)) / k


def cap_from_mean(mean_labels: Printed, k: int) -> Fraction:
    """The most that P@k can be if only the mean number of labels is printed: 100 mean / k, at most 100.

    mean(min(k, labels)) <= min(k, mean) is all that holds for every distribution. The mean may be as high as
    its rounding allows. It must be the test documents' own mean; most papers print that of other documents.
    """
    return min(Fraction(100), 100 * mean_labels.interval[1] / k)


def exceeds(number: Printed, cap: Fraction) -> bool:
    """Whether the number is above the cap by more than its rounding."""
    return number.interval[0] > cap


def as_shares(counts: LabelCounts) -> dict[int, Fraction]:
    """Number of labels -> share of the documents; shares sum to 1.

    Raises ValueError for negative numbers and for no documents.
    """
    total = sum(counts.values(), Fraction(0))
    if total <= 0 or min(counts) < 0 or min(counts.values()) < 0:
        raise ValueError(f"label counts need documents and no negative number, got {dict(counts)!r}")
    return {labels: Fraction(documents) / total for labels, documents in sorted(counts.items())}
