"""P@k and nDCG@k of one experiment together: some set of documents must be able to give them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.checks import mixture
from audit.checks.finding import OTHER_DEFINITION, SLIP, decimal, finding
from audit.checks.mixture import Row
from audit.checks.sheet import Number, Sheet
from audit.record import Finding

_MIXED = "numbers of different runs or splits in one row"
_COPIED = "a slip in the table from which the row was copied"


def feasible_row(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each experiment that prints both P@k and nDCG@k for some k in 2 .. 5."""
    for profile in sheet.profiles:
        numbers = {metric: number for metric, number in profile.numbers.items() if mixture.is_known(metric)}
        deeper = {metric for metric in numbers if not metric.endswith("@1")}
        if len({metric.partition("@")[0] for metric in deeper}) == 2 and _in_range(numbers):
            row = mixture.joint({metric: number.value for metric, number in numbers.items()})
            yield finding(
                sheet,
                "feasible_row",
                "consistent" if row.possible else "inconsistent",
                list(numbers.values()),
                _shown(numbers, row),
                alternatives=(SLIP, _COPIED, _MIXED, OTHER_DEFINITION),
                subject=f"{profile.dataset}.{profile.experiment}",
            )


def _in_range(numbers: Mapping[str, Number]) -> bool:
    """What is out of 0..100 is a finding of another check, and no row of percentages."""
    return all(0 <= it.value.value <= 100 and it.cell.unit in (None, "percent") for it in numbers.values())


def _shown(numbers: Mapping[str, Number], row: Row) -> str:
    values = ", ".join(f"{metric} {number.text}" for metric, number in numbers.items())
    if row.certificate is None:
        return f"{values}: some documents give all of them"
    weights = {name: weight for name, weight in row.certificate.weights.items() if abs(weight) > 1e-9}
    unit = max(abs(weight) for weight in weights.values())
    combined = " ".join(f"{weight / unit:+.3f} {name}" for name, weight in weights.items())
    return (
        f"{values}: no documents give all of them, whatever their labels: every number would have to be "
        f"{decimal(row.slack, 3)} points wider. For any documents {combined} is at most "
        f"{decimal(row.certificate.largest / unit, 4)}; here it is at least "
        f"{decimal(row.certificate.smallest / unit, 4)}"
    )
