"""The split columns of a corpus: noise of split and seed, two readings of each printed number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from audit.record import SplitNoise, SplitStudy, SplitVerdict
from reports import digits
from reports.lookup import Lookup
from reports.svg import IntervalPlot, Lane, interval_plot
from reports.text import View, listed, plural
from reports.words import STATUS_WORDS, reason

SplitsBounds = tuple[float, float]

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


def splits_brief(metric: str, mean: str, sd: str) -> str:
    """Beside the name of an experiment whose numbers are folded."""
    return f"{metric} {mean}" + (f", SD columns {sd}" if sd != digits.ABSENT else "")


def reading(bounds: SplitsBounds | None, printed: str | None, *, missing: str) -> str:
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


def splits_because(of: SplitVerdict, *, mean: bool) -> str:
    """Its reason in words; of the mean over the columns, or of one split."""
    return (_OF_MEAN if mean else _OF_ONE_SPLIT).get(of.reason) or reason(of.reason)


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


#: What is shown of an experiment for which the paper prints nothing.
USUAL = ("P@1", "P@3", "P@5")
_HEAD = (
    "",
    "metric",
    "mean",
    "SD columns",
    "SD seeds",
    "SD split",
    "one unknown split",
    "mean of these",
    "printed",
)


def shown(study: SplitStudy) -> list[SplitNoise]:
    """Metrics that are printed or usual, of the same runs once, if on several columns; the record has all."""
    of_runs = {study.runs.get(it.experiment): it.experiment for it in reversed(study.noise)}
    of_runs |= {study.runs.get(it.experiment): it.experiment for it in study.noise if it.printed is not None}
    return [
        it
        for it in study.noise
        if it.attempts > 1
        and (
            it.printed is not None
            or (it.metric in USUAL and of_runs[study.runs.get(it.experiment)] == it.experiment)
        )
    ]


def split_table(study: SplitStudy, *, values: bool = True) -> str:
    """A line for each metric that is printed or usual; printed numbers under both readings; all values.

    Without `values` a line of what some columns lack.
    """
    held = shown(study)
    lines = [*_aligned([_HEAD, *(_split_row_row(it) for it in held)]), ""]
    lines += _split_row_judged(held)
    lines += [_split_row_values(it) for it in held] if values else _lacking(held)
    if study.failed:
        lines.append(f"{plural(study.failed, 'run')} failed")
    alone = on_one_column(study)
    lines += [*([alone] if alone else []), *default_reading(study), *study.left_out]
    return "\n".join(lines).rstrip()


def _split_row_row(it: SplitNoise) -> tuple[str, ...]:
    return (
        it.experiment,
        it.metric,
        digits.points(it.mean),
        digits.points(it.sd_columns),
        digits.points(it.sd_seeds),
        digits.points(it.sd_split),
        digits.interval(it.pi95_column, beside=_split_row_marks(it)),
        digits.interval(it.pi95_mean, beside=_split_row_marks(it)),
        it.printed or digits.ABSENT,
    )


def _split_row_judged(held: Sequence[SplitNoise]) -> Iterator[str]:
    """The printed numbers that a claim is about, under both readings of their split."""
    found = [it for it in held if it.as_one_split]
    if not found:
        return
    yield "printed numbers under each reading of the split, each alone at the full level:"
    for it in found:
        yield f"{it.experiment} {it.metric}, printed {it.printed}"
        for name, of, mean in (
            ("one unknown split", it.as_one_split, False),
            (f"mean of these {len(it.columns)}", it.as_mean, True),
        ):
            if of is not None:
                ps = f"; {p_values(of)}" if p_values(of) else ""
                yield f"  {name}: {of.outcome} ({splits_because(of, mean=mean)}{ps})"
    yield ""


def _split_row_marks(it: SplitNoise) -> tuple[float, ...]:
    """An end of the interval is never rounded across the printed number."""
    try:
        return (float(it.printed),) if it.printed else ()
    except ValueError:
        return ()


def _split_row_values(it: SplitNoise) -> str:
    """`svm P@1  columns 0: 69.07, 1: 68.10; seeds on column 0: 0: 69.07, 1: 69.07`"""
    columns = _listed(it.columns, it.values)
    tried = f" ({len(it.columns)} of {it.attempts} columns)" if len(it.columns) < it.attempts else ""
    seeds = ""
    if len(it.seeds) > 1:
        seeds = f"; seeds on column {it.column}: {_listed(it.seeds, it.seed_values)}"
    return f"{it.experiment} {it.metric}  columns {columns}{tried}{seeds}"


def _lacking(held: Sequence[SplitNoise]) -> list[str]:
    """`not on every column: svm (2 of 3 columns)`"""
    found = dict.fromkeys(
        f"{it.experiment} ({len(it.columns)} of {it.attempts} columns)"
        for it in held
        if len(it.columns) < it.attempts
    )
    return [f"not on every column: {', '.join(found)}"] if found else []


def _listed(names: Sequence[int], values: Sequence[float]) -> str:
    return ", ".join(f"{name}: {digits.points(value)}" for name, value in zip(names, values, strict=True))


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


@dataclass(frozen=True)
class SplitGroup:
    """One experiment: what it measured, and the same column by column."""

    name: str
    rows: tuple[View, ...]
    values: tuple[View, ...]

    @property
    def printed(self) -> bool:
        """Whether the paper prints any of it."""
        return any(row.printed != digits.ABSENT for row in self.rows)

    @property
    def brief(self) -> str:
        """`P@1 61.92, SD columns 1.50`"""
        first = self.rows[0]
        return splits_brief(first.metric, first.mean, first.sd_columns)


@dataclass(frozen=True)
class SplitSection:
    title: str
    judged: tuple[View, ...]
    """Printed numbers that a claim is about."""
    rows: tuple[View, ...]
    columns: tuple[str, ...]
    values: tuple[View, ...]
    missing: tuple[str, ...]
    command: str
    note: str = SPLITS_NOTE
    readings: str = READINGS_NOTE
    verdicts: str = VERDICTS_NOTE

    @property
    def groups(self) -> tuple[SplitGroup, ...]:
        """Experiment by experiment, what is printed first."""
        held = (
            SplitGroup(
                name,
                tuple(row for row in self.rows if row.name == name),
                tuple(row for row in self.values if row.name == name),
            )
            for name in dict.fromkeys(row.name for row in self.rows)
        )
        return tuple(sorted(held, key=lambda it: not it.printed))


def split_section(found: Lookup) -> SplitSection | None:
    """None where the audit is of no split column, or nothing was measured."""
    study = found.audit.splits
    noise = shown(study) if study is not None else []
    if study is None or not noise:
        return None
    columns = sorted({column for it in noise for column in it.columns})
    return SplitSection(
        title=splits_title(study),
        judged=tuple(_split_judged(it, found) for it in noise if it.as_one_split),
        rows=tuple(_split_row(it, found.title(it.experiment)) for it in noise),
        columns=tuple(map(str, columns)),
        values=tuple(_split_values(it, columns, found.title(it.experiment)) for it in noise),
        verdicts=" ".join((VERDICTS_NOTE, *default_reading(study))),
        missing=splits_missing(study),
        command=study.command,
    )


def _split_judged(it: SplitNoise, found: Lookup) -> View:
    one = it.as_one_split
    margin = one.margin if one else None
    return View(
        name=found.title(it.experiment),
        metric=it.metric,
        printed=it.printed or digits.ABSENT,
        difference=digits.signed(one.difference if one else None, beside=_edges(margin)),
        margin=digits.margin_size(margin),
        one_split=_as(one, mean=False),
        mean_of_splits=_as(it.as_mean, mean=True),
        href=f"#{anchor}" if (anchor := found.anchors.get(it.claim or "")) else "",
    )


def _edges(margin: float | None) -> tuple[float, ...]:
    return () if margin is None else (-margin, margin)


def _as(of: SplitVerdict | None, *, mean: bool) -> View | None:
    if of is None:
        return None
    return View(status=of.outcome, word=word(of), because=splits_because(of, mean=mean), p=p_values(of))


def _split_row(it: SplitNoise, name: str) -> View:
    return View(
        name=name,
        metric=it.metric,
        printed=it.printed or digits.ABSENT,
        mean=digits.points(it.mean),
        sd_columns=digits.points(it.sd_columns),
        sd_seeds=digits.points(it.sd_seeds),
        sd_split=digits.points(it.sd_split),
        one_split=one_split(it),
        mean_of_splits=mean_of_splits(it),
        plot=_plot(it, name),
    )


def _plot(it: SplitNoise, name: str) -> str:
    printed = number(it.printed)
    if printed is None:
        return ""
    seeds = (Lane(f"seeds on column {it.column}", it.seed_values),) if len(it.seeds) > 1 else ()
    return interval_plot(
        IntervalPlot(
            description=split_plot(it, name),
            axis=f"{it.metric}, points",
            estimate=it.mean,
            target=float(printed),
            target_label=f"printed {it.printed}",
            ci95=it.pi95_mean,
            pi95=it.pi95_column,
            lanes=(Lane("columns, one run each", it.values), *seeds),
            one_axis=True,
        )
    )


def _split_values(it: SplitNoise, columns: list[int], name: str) -> View:
    of: Mapping[int, float] = dict(zip(it.columns, it.values, strict=True))
    seeds = (
        ", ".join(digits.points(value) for value in it.seed_values) if len(it.seeds) > 1 else digits.ABSENT
    )
    on = f" (column {it.column})" if len(it.seeds) > 1 else ""
    return View(
        name=name,
        metric=it.metric,
        values=tuple(digits.points(of.get(c)) for c in columns),
        seeds=f"{seeds}{on}",
    )
