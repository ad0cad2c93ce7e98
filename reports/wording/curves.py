"""Sentences about learning curves."""

from __future__ import annotations

from reports import digits
from reports.wording.words import plural

HEAD = "Learning curves"
NOTE = (
    "The score on held-out documents as training goes on, or the training loss where no score was measured "
    "on the way: thin, one line a seed; thick, their mean. No verdict hangs on them."
)
LOSS = "training loss"
EPOCH = "epoch"


LOG = "training loss, logarithmic axis"


def axis(metric: str, *, log: bool = False) -> str:
    """`P@1, held out, points`"""
    return (LOG if log else LOSS) if metric == "loss" else f"{metric}, held out, points"


def also(number: int) -> str:
    """Before the names of experiments of the same runs.

    >>> also(1)
    'and 1 more experiment of the same runs'
    """
    return f"and {plural(number, 'more experiment')} of the same runs"


def description(metric: str, seeds: int, first: float, last: float, best: tuple[float, float]) -> str:
    """What is drawn, with its numbers; `best` is the epoch and the value of the mean there.

    >>> description("P@1", 3, 41.2, 91.0, (17.0, 91.3))
    'P@1, held out, of 3 seeds by epoch: their mean goes from 41.20 to 91.00; highest 91.30 in epoch 17.'
    """
    what = LOSS if metric == "loss" else f"{metric}, held out,"
    peak = "lowest" if metric == "loss" else "highest"
    of = "it" if seeds == 1 else "their mean"
    return (
        f"{what} of {plural(seeds, 'seed')} by epoch: {of} goes from {_number(metric, first)} to "
        f"{_number(metric, last)}; {peak} {_number(metric, best[1])} in epoch {round(best[0], 1):g}."
    )


def _number(metric: str, value: float) -> str:
    return digits.points(value, decimals=4 if metric == "loss" else 2)
