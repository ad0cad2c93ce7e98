"""Sentences about the split columns of a corpus and how a printed number lies to them; no verdict."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from audit.record import SplitNoise, SplitStudy
from reports import digits
from reports.wording.words import listed, plural

Bounds = tuple[float, float]

SPLITS_NOTE = (
    "Each column is one random split of the same documents. Verdicts on this page are about its own column; "
    "here all of them stand beside each other. SD columns: between runs on different columns, which is noise "
    "of the split and of the seed together. SD seeds: between seeds on one column. SD split: what is left "
    "for the split alone."
)
READINGS_NOTE = (
    "Where a paper does not say which split a number is about, it can be read in two ways. As one run on one "
    "unknown split: 95% of single runs on one more random split would fall into the first interval. As the "
    "mean over these very splits: 95% of such means, of one other run on each, would fall into the second. "
    "That a number lies inside says that it fits that reading; it is no verdict. Both are about our runs, "
    "with their departures from the paper."
)


def splits_title(study: SplitStudy) -> str:
    columns = max((len(it.columns) for it in study.noise), default=0)
    return f"{plural(columns, 'split column')} of “{study.corpus}”"


def reading(bounds: Bounds | None, printed: str | None, *, missing: str) -> str:
    """`58.06 to 77.94; 80.00 is 2.06 above`; `missing` says why there is no interval."""
    if bounds is None:
        return f"not known: {missing}"
    value = number(printed)
    if value is None:
        return digits.interval(bounds)
    shown = digits.interval(bounds, beside=(float(value),))
    half = Decimal(1).scaleb(int(value.as_tuple().exponent)) / 2  # the number before it was rounded
    above, below = float(value - half) - bounds[1], bounds[0] - float(value + half)
    if max(above, below) <= 1e-9:
        return f"{shown}; {printed} is inside"
    end, side = (bounds[1], "above") if above > below else (bounds[0], "below")
    return f"{shown}; {printed} is {digits.points(abs(float(value) - end))} {side}"


def one_split(it: SplitNoise) -> str:
    """The printed number as one run on one unknown split."""
    return reading(it.pi95_column, it.printed, missing="only one column was run")


def mean_of_splits(it: SplitNoise) -> str:
    """The printed number as the mean over these splits."""
    return reading(it.pi95_mean, it.printed, missing="no column was run with two seeds")


def number(printed: str | None) -> Decimal | None:
    """A printed number; None for a dash or what is none."""
    try:
        found = Decimal(printed) if printed else None
    except InvalidOperation:
        return None
    return found if found is not None and found.is_finite() else None


def split_plot(it: SplitNoise, name: str) -> str:
    """What the plot of one printed number shows, in words."""
    parts = [f"{name}, {it.metric}: mean {digits.points(it.mean)} over {plural(len(it.columns), 'column')}"]
    if it.pi95_column is not None:
        parts.append(f"dotted, one run on one more random split: {one_split(it)}")
    if it.pi95_mean is not None:
        parts.append(f"bar, the mean over these splits: {mean_of_splits(it)}")
    return "; ".join(parts) + "."


def splits_missing(study: SplitStudy) -> tuple[str, ...]:
    """What is not in the table, and why."""
    short = [it for it in study.noise if len(it.columns) < it.attempts]
    found = [f"{plural(study.failed, 'run')} failed."] if study.failed else []
    if short:
        names = list(dict.fromkeys(it.experiment for it in short))
        found.append(f"Not every column has a value of {listed(names)}.")
    return (*found, *study.left_out)
