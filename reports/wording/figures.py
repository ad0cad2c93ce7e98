"""Words in and about the figures for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from reports.wording.words import listed

VALUES = "Printed values: ours minus the printed number"
VALUES_AXIS = "ours − printed, points"
DIFFERENCES = "Comparisons: difference of the means"
DIFFERENCES_AXIS = "difference, points"
LEARNING = "Learning curves, one line a seed"
EPOCH = "epoch"
PRINTED = "printed"


def learning(what: str, titles: Sequence[str]) -> str:
    """What the learning curves show, for those who do not see them."""
    return f"{what} after each epoch, one line a seed, of {listed([f'“{title}”' for title in titles])}."
