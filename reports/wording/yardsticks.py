"""Sentences about other models on the data of a claim, and about all split columns of it."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import SplitNoise
from reports import digits
from reports.wording.words import listed, plural

TERM = "On the same data"
COLUMNS_TERM = "Over split columns"
TUNED_ALIKE = "tuned on the same held-out documents"
TUNED = "tuned"
UNTUNED = "not tuned"


def reaches(
    title: str, metric: str, mean: float, *, seeds: int, tuned: str, columns: SplitNoise | None
) -> str:
    """`“Linear SVM”, tuned on the same held-out documents, reaches 69.70 P@1 (3 seeds)`"""
    how = f", {tuned}," if tuned else ""
    also = ""
    if columns is not None:
        also = f"; {digits.points(columns.mean)} is its mean over {len(columns.columns)} split columns"
    return f"“{title}”{how} reaches {digits.points(mean)} {metric} ({plural(seeds, 'seed')}){also}"


def over_columns(held: Sequence[tuple[str, SplitNoise]]) -> str:
    """`means over 10 columns: “A” 61.90 and “B” 60.12`"""
    numbers = {len(it.columns) for _, it in held}
    over = f"{min(numbers)} columns" if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)} columns"
    means = listed([f"“{title}” {digits.points(it.mean)}" for title, it in held])
    return f"{'mean' if len(held) == 1 else 'means'} over {over}: {means}"
