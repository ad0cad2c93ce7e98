"""Split noise and seed noise as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.record import SplitNoise, SplitStudy
from reports import digits, wording
from reports.wording.splits import because, default_reading, on_one_column, p_values

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
    lines = [*_aligned([_HEAD, *(_row(it) for it in held)]), ""]
    lines += _judged(held)
    lines += [_values(it) for it in held] if values else _lacking(held)
    if study.failed:
        lines.append(f"{wording.plural(study.failed, 'run')} failed")
    alone = on_one_column(study)
    lines += [*([alone] if alone else []), *default_reading(study), *study.left_out]
    return "\n".join(lines).rstrip()


def _row(it: SplitNoise) -> tuple[str, ...]:
    return (
        it.experiment,
        it.metric,
        digits.points(it.mean),
        digits.points(it.sd_columns),
        digits.points(it.sd_seeds),
        digits.points(it.sd_split),
        digits.interval(it.pi95_column, beside=_marks(it)),
        digits.interval(it.pi95_mean, beside=_marks(it)),
        it.printed or digits.ABSENT,
    )


def _judged(held: Sequence[SplitNoise]) -> Iterator[str]:
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
                yield f"  {name}: {of.outcome} ({because(of, mean=mean)}{ps})"
    yield ""


def _marks(it: SplitNoise) -> tuple[float, ...]:
    """An end of the interval is never rounded across the printed number."""
    try:
        return (float(it.printed),) if it.printed else ()
    except ValueError:
        return ()


def _values(it: SplitNoise) -> str:
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
