"""P@k and nDCG@k of one experiment together: some set of documents must be able to give them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.checks.feasible_row import RowFit, fit_row
from audit.checks.finding import OTHER_DEFINITION, SLIP, decimal, finding
from audit.checks.label_cells import is_modelled
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
            row = fit_row({metric: number.value for metric, number in numbers.items()})
            only_cut = not row.feasible and row.rounding is not None
            yield finding(
                sheet,
                "feasible_row",
                "consistent" if row.feasible else "untestable" if only_cut else "inconsistent",
                list(numbers.values()),
                _shown(numbers, row),
                alternatives=(SLIP, _COLUMN, _COPIED, _MIXED, OTHER_DEFINITION),
                subject=f"{profile.dataset}.{profile.experiment}",
            )


def _in_range(numbers: Mapping[str, Number]) -> bool:
    """What is out of 0..100 is a finding of another check, and no row of percentages."""
    return all(0 <= it.value.value <= 100 and it.cell.unit in (None, "percent") for it in numbers.values())


def _shown(numbers: Mapping[str, Number], row: RowFit) -> str:
    values = ", ".join(f"{metric} {number.text}" for metric, number in numbers.items())
    if row.certificate is None:
        return f"{values}: some documents give all of them"
    weights = {name: weight for name, weight in row.certificate.weights.items() if abs(weight) > 1e-6}
    combined = " ".join(f"{float(weight):+.3f} {name}" for name, weight in weights.items())
    cut = (
        f", unless they were {'cut' if row.rounding == 'truncate' else 'rounded up'}" if row.rounding else ""
    )
    return (
        f"{values}: no documents give all of them, whatever their labels{cut}: every number would have to be "
        f"{decimal(row.slack_pp, 3)} points wider. For any documents {combined} is at most "
        f"{decimal(row.certificate.largest_possible, 4)}; here it is at least "
        f"{decimal(row.certificate.smallest_reported, 4)}"
    )
