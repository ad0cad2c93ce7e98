"""P@k and nDCG@k of one experiment together: some set of documents must be able to give them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.checks.feasible_row import RowFit, fit_row, is_modelled
from audit.checks.finding import OTHER_DEFINITION, SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.record import Finding

_COLUMN = "a column that holds another metric than its name says"
_MIXED = "numbers of different runs or splits in one row"
_COPIED = "a slip in the table from which the row was copied"


def joint(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each experiment that prints both P@k and nDCG@k for some k in 2 .. 5."""
    for profile in sheet.profiles:
        numbers = {metric: number for metric, number in profile.numbers.items() if is_modelled(metric)}
        deeper = {metric for metric in numbers if not metric.endswith("@1")}
        if len({metric.partition("@")[0] for metric in deeper}) == 2 and _in_range(numbers):
            row = _fit(numbers)
            if row is None:
                continue
            only_cut = not row.feasible and row.rounding is not None
            yield finding(
                sheet,
                "feasible_row",
                "consistent" if row.feasible else "untestable" if only_cut else "inconsistent",
                list(numbers.values()),
                _shown(numbers, row),
                detail=_detail(row),
                alternatives=_alternatives(numbers),
                subject=f"{profile.dataset}.{profile.experiment}",
            )


def one_cause(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with one in place of all the rows of a table whose P@k and nDCG@k do not go together.

    Where at least half of its rows do not, and three or more, the columns are in question and not each row.
    """
    tables: dict[str, list[Finding]] = {}
    for it in findings:
        if it.check in ("feasible_row", "identity") and it.claim is None:
            tables.setdefault(f"{it.id.partition(':')[0]} {it.cells[0].partition('.')[0]}", []).append(it)
    told = list(findings)
    for held in tables.values():
        wrong = [it for it in held if it.result == "inconsistent"]
        rows, of = ({it.cells[0] for it in some} for some in (wrong, held))
        if len(rows) > 2 and 2 * len(rows) >= len(of):
            told[told.index(wrong[0])] = _of_columns(wrong, len(rows), len(of))
            told = [it for it in told if it not in wrong]
    return told


def _of_columns(wrong: Sequence[Finding], rows: int, of: int) -> Finding:
    first = max(wrong, key=lambda it: it.weight)
    paper, table = first.id.partition(":")[0], first.cells[0].partition(".")[0]
    others = [it for found in wrong for it in found.alternatives if it != _COLUMN]
    return replace(
        first,
        id=f"{paper}:{first.check}:{table}",
        cells=tuple(dict.fromkeys(cell for it in wrong for cell in it.cells)),
        arithmetic=f"in {rows} of {of} rows P@k and nDCG@k do not go together; the first: {first.arithmetic}",
        alternatives=(_COLUMN, *dict.fromkeys(others)),
        where=f"{first.where.partition(':')[0]}: {rows} rows",
        detail="; ".join(it.arithmetic for it in wrong),
    )


def _in_range(numbers: Mapping[str, Number]) -> bool:
    """What is out of 0..100 is a finding of another check, and no row of percentages."""
    return all(0 <= it.value.value <= 100 and it.cell.unit in (None, "percent") for it in numbers.values())


def _alternatives(numbers: Mapping[str, Number]) -> tuple[str, ...]:
    copied = any(it.cell.source == "copied" for it in numbers.values())
    first = (_COPIED, SLIP) if copied else (SLIP,)
    return (*first, _COLUMN, _MIXED, OTHER_DEFINITION)


def _fit(numbers: dict[str, Number]) -> RowFit | None:
    """None where nDCG@1 beside P@1 is all that is wrong: another check says that in plain words."""
    row = fit_row({metric: number.value for metric, number in numbers.items()})
    if row.feasible or not {"P@1", "nDCG@1"} <= set(numbers):
        return row
    without = fit_row({name: it.value for name, it in numbers.items() if name != "nDCG@1"})
    return None if without.feasible else row


def _shown(numbers: Mapping[str, Number], row: RowFit) -> str:
    values = ", ".join(f"{metric} {number.text}" for metric, number in numbers.items())
    if row.certificate is None:
        return f"{values}: some documents give all of them"
    other = "cut" if row.rounding == "truncate" else "rounded up"
    cut = f", unless they were {other}" if row.rounding else ""
    return (
        f"{values}: no test documents give all of these together, whatever their labels{cut}; every number "
        f"would have to be off by {decimal(row.slack_pp, 3)} points or more{_twins(numbers)}"
    )


def _twins(numbers: Mapping[str, Number]) -> str:
    """Columns that print P@k once more under another name."""
    same = [
        f"nDCG@{k} as P@{k}"
        for k in range(2, 6)
        if f"P@{k}" in numbers and f"nDCG@{k}" in numbers and _close(numbers[f"P@{k}"], numbers[f"nDCG@{k}"])
    ]
    return f". Nearly the same is printed for {' and '.join(same)}" if same else ""


def _close(first: Number, second: Number) -> bool:
    """Closer than the two metrics come where documents have several labels."""
    return abs(first.value.value - second.value.value) <= 1


def _detail(row: RowFit) -> str:
    if row.certificate is None:
        return ""
    weights = {name: weight for name, weight in row.certificate.weights.items() if abs(weight) > 1e-6}
    combined = " ".join(f"{float(weight):+.3f} {name}" for name, weight in weights.items())
    return (
        f"for any documents {combined} is at most {decimal(row.certificate.largest_possible, 4)}; "
        f"by the printed numbers it is at least {decimal(row.certificate.smallest_reported, 4)}"
    )
