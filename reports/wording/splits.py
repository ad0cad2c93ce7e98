"""Sentences about the split columns of a corpus, and a printed number under both readings of its split."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from audit.record import SplitNoise, SplitStudy, SplitVerdict
from reports import digits
from reports.wording.words import STATUS_WORDS, listed, plural
from reports.wording.words import reason as usual_reason

Bounds = tuple[float, float]

SPLITS_NOTE = (
    "Each column is one random split of the same documents. Verdicts of claims are about this page’s own "
    "column; here all of them stand beside each other. SD columns: between runs on different columns, which "
    "is noise of the split and of the seed together. SD seeds: between seeds on one column. SD split: what "
    "is left for the split alone."
)
READINGS_NOTE = (
    "Where a paper does not say which split a number is about, it can be read in two ways. As one run on one "
    "unknown split: 95% of single runs on one more random split would fall into the first interval. As the "
    "mean over these very splits: 95% of such means, of one other run on each, would fall into the second. "
    "Both are about our runs, with their departures from the paper."
)
VERDICTS_NOTE = (
    "The printed number under each reading, by the test and the margin of its claim. Each verdict is taken "
    "alone, at the full level of 5%: nothing is corrected for other claims and metrics, and none of them is "
    "among the numbers at the top of the page."
)

#: Reason codes where they say something else of splits than of a claim: of one split, of their mean.
_OF_ONE_SPLIT = {
    "minimum_effect": "outside the margin, even allowing for one unusual split",
    "within_seed_spread": "one lucky split would explain the difference",
    "straddles_margin": "neither inside nor outside the margin; more columns may settle it",
    "no_variance_estimate": "one column says nothing about the spread of splits",
    "too_few_seeds": "too few columns; three is the least",
    "no_spread": "all columns gave one number, so there is no spread to judge by",
}
_OF_MEAN = {
    "minimum_effect": "outside the margin, even allowing for other seeds",
    "within_seed_spread": "lucky seeds would explain the difference",
    "no_variance_estimate": "no column was run with two seeds",
    "too_few_seeds": "too few seeds on one column; four is the least",
    "no_spread": "all seeds of a column gave one number, and are not declared to",
    "deterministic": "every run of a column gives the same number",
}


def splits_title(study: SplitStudy) -> str:
    columns = max((len(it.columns) for it in study.noise), default=0)
    return f"{plural(columns, 'split column')} of “{study.corpus}”"


def brief(metric: str, mean: str, sd: str) -> str:
    """Beside the name of an experiment whose numbers are folded."""
    return f"{metric} {mean}" + (f", SD columns {sd}" if sd != digits.ABSENT else "")


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


def because(of: SplitVerdict, *, mean: bool) -> str:
    """Its reason in words; of the mean over the columns, or of one split."""
    return (_OF_MEAN if mean else _OF_ONE_SPLIT).get(of.reason) or usual_reason(of.reason)


def word(of: SplitVerdict) -> str:
    return STATUS_WORDS[of.outcome]


def p_values(of: SplitVerdict) -> str:
    """`p (reproduced) 0.998, p (contradicted) 0.013`; empty where nothing was tested."""
    if of.p_reproduced is None or of.p_contradicted is None:
        return ""
    reproduced, contradicted = digits.p_value(of.p_reproduced), digits.p_value(of.p_contradicted)
    return f"p (reproduced) {reproduced}, p (contradicted) {contradicted}"


def both(it: SplitNoise) -> str:
    """`one unknown column: contradicted; mean of 10: contradicted`; empty where nothing is judged."""
    parts = [f"one unknown column: {it.as_one_split.outcome}"] if it.as_one_split else []
    parts += [f"mean of {it.as_mean.n}: {it.as_mean.outcome}"] if it.as_mean else []
    return "; ".join(parts)


def splits_at_claim(study: SplitStudy | None, claim: str) -> str:
    """The sentence of a claim's card; empty where nothing is judged."""
    of = next((it for it in study.noise if it.claim == claim), None) if study else None
    if of is None or not both(of):
        return ""
    alone = "Each alone, at the full level"
    alone += ", under the default reading of what else is open" if of.readings_declared > 1 else ""
    return f"Under each reading of the split: {both(of)}. {alone}."


def default_reading(study: SplitStudy) -> tuple[str, ...]:
    """That the columns were run under one reading of what else the paper leaves open."""
    several = {it.readings_declared for it in study.noise if it.claim and it.readings_declared > 1}
    if not several:
        return ()
    most = max(several)
    return (
        "The columns were run under the default reading of what else the paper leaves open, one of up to "
        f"{most}: the others may come to other verdicts.",
    )


def one_split(it: SplitNoise) -> str:
    """The printed number as one run on one unknown split."""
    return reading(it.pi95_column, it.printed, missing="only one column was run")


def mean_of_splits(it: SplitNoise) -> str:
    """The printed number as the mean over these splits; one column is no mean."""
    if len(it.columns) < 2:
        return "not known: only one column was run"
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


def on_one_column(study: SplitStudy) -> str:
    """That some experiments were tried on one column only, which says nothing of splits; empty for none."""
    alone = {it.experiment for it in study.noise if it.attempts < 2}
    if not alone:
        return ""
    are = "was run on one column only and is" if len(alone) == 1 else "were run on one column only and are"
    return f"{plural(len(alone), 'experiment')} {are} in the record alone."


def splits_missing(study: SplitStudy) -> tuple[str, ...]:
    """What is not in the table, and why."""
    short = [it for it in study.noise if len(it.columns) < it.attempts]
    found = [f"{plural(study.failed, 'run')} failed."] if study.failed else []
    if alone := on_one_column(study):
        found.append(alone)
    if short:
        names = list(dict.fromkeys(it.experiment for it in short))
        found.append(f"Not every column has a value of {listed(names)}.")
    return (*found, *study.left_out)
