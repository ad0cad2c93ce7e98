"""The split columns of a corpus: noise of split and seed, two readings of each printed number."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from audit.record import SplitNoise, SplitStudy, SplitVerdict
from reports import numbers
from reports.lookup import Lookup
from reports.sentences import TEXTS, reason
from reports.svg import Bounds, Row, forest
from reports.text import View, grouped, joined, listed, plural


def splits_because(of: SplitVerdict, *, mean: bool) -> str:
    """Its reason in words; of the mean over the columns, or of one split."""
    return TEXTS["splits"]["mean" if mean else "one"].get(of.reason) or reason(of.reason)


def p_values(of: SplitVerdict) -> str:
    """`p (reproduced) 0.998, p (contradicted) 0.013`; empty where nothing was tested."""
    if of.p_reproduced is None or of.p_contradicted is None:
        return ""
    reproduced, contradicted = numbers.p_value(of.p_reproduced), numbers.p_value(of.p_contradicted)
    return f"p (reproduced) {reproduced}, p (contradicted) {contradicted}"


def _printed_in(bounds: Bounds | None, printed: str | None, *, missing: str) -> str:
    """`58.06 to 77.94; 80.00 is 2.06 above`; `missing` says why there is no interval."""
    if bounds is None:
        return f"not known: {missing}"
    value = _number(printed)
    if value is None:
        return numbers.interval(bounds)
    shown = numbers.interval(bounds, beside=(float(value),))
    half = Decimal(1).scaleb(int(value.as_tuple().exponent)) / 2  # the number before it was rounded
    above, below = float(value - half) - bounds[1], bounds[0] - float(value + half)
    if max(above, below) <= 1e-9:
        return f"{shown}; {printed} is inside"
    end, side = (bounds[1], "above") if above > below else (bounds[0], "below")
    return f"{shown}; {printed} is {numbers.points(abs(float(value) - end))} {side}"


def as_one_split(noise: SplitNoise) -> str:
    """The printed number as one run on one unknown split."""
    return _printed_in(noise.pi95_column, noise.printed, missing="only one column was run")


def as_mean(noise: SplitNoise) -> str:
    """The printed number as the mean over these splits; one column is no mean."""
    if len(noise.columns) < 2:
        return "not known: only one column was run"
    return _printed_in(noise.pi95_mean, noise.printed, missing="no column was run with two seeds")


def _number(printed: str | None) -> Decimal | None:
    """A printed number; None for a dash or what is none."""
    try:
        value = Decimal(printed) if printed else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() else None


def splits_of_claim(study: SplitStudy | None, claim: str) -> str:
    """How the printed number came out under both readings of the split; empty where nothing is judged."""
    of = next((row for row in study.noise if row.claim == claim), None) if study else None
    if of is None or not (of.as_one_split or of.as_mean):
        return ""
    both = joined(
        of.as_one_split and f"one unknown column: {of.as_one_split.outcome}",
        of.as_mean and f"mean of {of.as_mean.n}: {of.as_mean.outcome}",
        by="; ",
    )
    return f"{of.metric} under each reading of the split: {both}."


def default_specification(study: SplitStudy) -> tuple[str, ...]:
    """That the columns were run under one reading of what else the paper leaves open."""
    several = [row.readings_declared for row in study.noise if row.claim and row.readings_declared > 1]
    said = "The columns were run under the default reading of what else the paper leaves open, one of up to "
    return (f"{said}{max(several)}: the others may lead to other verdicts.",) if several else ()


def _not_run(study: SplitStudy) -> list[str]:
    """Runs that failed, and experiments of one column only, which says nothing of splits."""
    number = len({row.experiment for row in study.noise if row.attempts < 2})
    were = "was" if number == 1 else "were"
    said = [f"{plural(study.failed, 'run')} failed."] if study.failed else []
    said += [f"{plural(number, 'experiment')} {were} run on one column only."] if number else []
    return said


def shown(study: SplitStudy) -> list[SplitNoise]:
    """Metrics that are printed or usual, of the same runs once, if on several columns; the record has all."""
    of_runs = {study.runs.get(row.experiment): row.experiment for row in reversed(study.noise)}
    printed = [row for row in study.noise if row.printed is not None]
    of_runs |= {study.runs.get(row.experiment): row.experiment for row in printed}
    usual = [row for row in study.noise if row.metric in ("P@1", "P@3", "P@5")]
    usual = [row for row in usual if of_runs[study.runs.get(row.experiment)] == row.experiment]
    return [row for row in study.noise if row.attempts > 1 and (row in printed or row in usual)]


# --------------------------------------------------------------------------- on a terminal


def split_table(study: SplitStudy) -> str:
    """A line for each metric that is printed or usual; printed numbers under both readings."""
    noise = shown(study)
    head = ("", "metric", "mean", "SD columns", "SD seeds", "SD split")
    rows: list[tuple[str, ...]] = [(*head, "one unknown split", "mean of these", "printed")]
    for of in noise:
        # no end is rounded across the printed number
        mark = (float(of.printed),) if of.printed and _number(of.printed) else ()
        known = map(numbers.points, (of.mean, of.sd_columns, of.sd_seeds, of.sd_split))
        spans = (numbers.interval(span, beside=mark) for span in (of.pi95_column, of.pi95_mean))
        rows.append((of.experiment, of.metric, *known, *spans, of.printed or numbers.ABSENT))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows] + [""]
    if judged := [row for row in noise if row.as_one_split]:
        lines.append("printed numbers under each reading of the split, each alone at the full level:")
        for row in judged:
            lines.append(f"{row.experiment} {row.metric}, printed {row.printed}")
            sides = {"one unknown split": row.as_one_split, f"mean of these {len(row.columns)}": row.as_mean}
            for name, side in sides.items():
                if side is not None:
                    because = joined(splits_because(side, mean=side is row.as_mean), p_values(side), by="; ")
                    lines.append(f"  {name}: {side.outcome} ({because})")
        lines.append("")
    if lacking := dict.fromkeys(f"{row.experiment}{tried}" for row in noise if (tried := _tried(row))):
        lines.append(f"not on every column: {', '.join(lacking)}")
    return "\n".join([*lines, *_not_run(study), *default_specification(study), *study.left_out]).rstrip()


def _values(noise: SplitNoise) -> str:
    """`svm P@1  columns 0: 69.07, 1: 68.10; seeds on column 0: 0: 69.07, 1: 69.07`"""

    def pairs(names: Sequence[int], values: Sequence[float]) -> str:
        return ", ".join(f"{k}: {numbers.points(value)}" for k, value in zip(names, values, strict=True))

    columns = f"columns {pairs(noise.columns, noise.values)}{_tried(noise)}"
    seeds = f"; seeds on column {noise.column}: {pairs(noise.seeds, noise.seed_values)}"
    return f"{noise.experiment} {noise.metric}  {columns}{seeds if len(noise.seeds) > 1 else ''}"


def _tried(noise: SplitNoise) -> str:
    number = len(noise.columns)
    return f" ({number} of {noise.attempts} columns)" if number < noise.attempts else ""


# --------------------------------------------------------------------------- on the page


def split_section(index: Lookup) -> View | None:
    """None where the audit is of no split column, or nothing was measured."""
    study = index.audit.splits
    noise = shown(study) if study is not None else []
    if study is None or not noise:
        return None
    missing = _not_run(study)
    if short := dict.fromkeys(row.experiment for row in study.noise if len(row.columns) < row.attempts):
        missing.append(f"Not every column has a value of {listed(list(short))}.")
    plots = []
    for name, own in grouped(noise, lambda row: index.title(row.experiment)).items():
        printed = ((row, _number(row.printed)) for row in own)
        rows = [_plot_row(row, float(number)) for row, number in printed if number is not None]
        said = f"{name}: runs on each column, measured from the printed number"
        plots.append((said, forest(rows, "ours − printed, points", said, zero=0.0).svg()))
    return View(
        title=f"{plural(max(len(row.columns) for row in study.noise), 'split column')} of “{study.corpus}”",
        noise=[(row, index.title(row.experiment), index.anchors.get(row.claim or "", "")) for row in noise],
        values_of=[_values(row) for row in noise],
        plots=[plot for plot in plots if plot[1]],
        default=default_specification(study),
        missing=[*missing, *study.left_out],
        command=study.command,
    )


def _plot_row(noise: SplitNoise, printed: float) -> Row:
    """Thin: 95% of means over these splits; dotted: of single runs on one more; dots: columns."""

    def moved(span: Bounds | None) -> Bounds | None:
        return (span[0] - printed, span[1] - printed) if span else None

    outer, single = moved(noise.pi95_mean), moved(noise.pi95_column)
    dots = tuple(value - printed for value in noise.values)
    return Row(noise.metric, estimate=noise.mean - printed, outer=outer, prediction=single, dots=dots)
