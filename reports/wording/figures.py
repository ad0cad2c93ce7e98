"""Words in and about the figures for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import Scope
from reports.wording.words import SCOPE_WORDS, listed

VALUES = "Printed values: ours minus the printed number"
VALUES_AXIS = "ours − printed, points"
DIFFERENCES = "Comparisons: difference of the means"
DIFFERENCES_AXIS = "difference, points"
LEARNING = "Learning curves, one line a seed"
EPOCH = "epoch"
PRINTED = "printed"


def with_data(axis: str, elsewhere: str) -> str:
    """What an axis measures, and on what data where they are not the paper's."""
    return f"{axis} ({elsewhere})" if elsewhere else axis


def while_training(what: str, scope: Scope) -> str:
    """`P@1 while training, percent (stand-in data)`"""
    axis = what if what == "loss" else f"{what} while training, percent"
    return with_data(axis, "" if scope == "same_data" else SCOPE_WORDS[scope])


def bars(level: str) -> str:
    """Below a specification curve: what is drawn of each reading."""
    return f"bars: {level}% intervals; squares: the default reading"


def learning(what: str, titles: Sequence[str]) -> str:
    """What the learning curves show, for those who do not see them."""
    return f"{what} after each epoch, one line a seed, of {listed([f'“{title}”' for title in titles])}."
