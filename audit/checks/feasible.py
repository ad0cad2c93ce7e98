"""P@k and nDCG@k of one experiment together: some set of documents must be able to give them all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from audit.checks.grid import PLAUSIBLE, Rounding, pre_image
from audit.checks.tables import (
    LABEL_FREE,
    OF_LABELS,
    OTHER_DEFINITION,
    SLIP,
    Number,
    Profile,
    Sheet,
    alike,
    decimal,
    finding,
    grouped,
    left_out,
)
from audit.expression.interval import Interval, logarithm, point
from audit.record import Finding
from audit.stats.printed import Printed

Array = NDArray[np.float64]

#: Below this a number in the tableau, whose entries are about 1, is rounding error.
EPSILON = 1e-10
#: After so many steps without an end, Bland's rule, under which no basis comes twice.
_PATIENCE = 100
_MOST_STEPS = 2000


@dataclass(frozen=True)
class Widening:
    """Where the programme ended."""

    slack: float
    weights: Array
    """(metrics,): the separating direction, from the dual variables; of no use if the slack is 0."""
    shares: Array
    """(points,): the mixture that comes closest."""


def least_widening(points: Array, low: Array, high: Array) -> Widening:
    """`points` is (metrics, points), `low` and `high` (metrics,).

    Raises ArithmeticError if the steps do not come to an end.
    """
    tableau, basis = _start(points, low, high)
    size = points.shape[1]
    for step in range(_MOST_STEPS):
        # the last row is the objective: what each variable would change it by
        entering = _entering(tableau[-1, :-1], bland=step >= _PATIENCE)
        if entering is None or tableau[-1, -1] >= -EPSILON:
            return _read(tableau, basis, size, len(low))
        _pivot(tableau, basis, _leaving(tableau, basis, entering, size), entering)
    raise ArithmeticError(f"a linear programme of {points.shape} points did not end")


def _start(points: Array, low: Array, high: Array) -> tuple[Array, list[int]]:
    """A tableau in a feasible basis: one point holds the whole share, and s is as wide as it takes.

    Columns: shares, s, slack of `high` by metric, slack of `low` by metric, right-hand side.
    """
    metrics, size = points.shape
    rows = 2 * metrics + 1
    tableau = np.zeros((rows + 1, size + 1 + 2 * metrics + 1))
    tableau[:metrics, :size], tableau[metrics : 2 * metrics, :size] = points, -points
    tableau[: 2 * metrics, size] = -1.0
    tableau[: 2 * metrics, size + 1 : -1] = np.eye(2 * metrics)
    tableau[:metrics, -1], tableau[metrics : 2 * metrics, -1] = high, -low
    tableau[2 * metrics, :size], tableau[2 * metrics, -1] = 1.0, 1.0
    tableau[-1, size] = 1.0
    basis = [*range(size + 1, size + 1 + 2 * metrics), -1]
    # the point nearest to the row is a good one to start from
    nearest = int(np.abs(points - ((low + high) / 2)[:, None]).sum(axis=0).argmin())
    _pivot(tableau, basis, 2 * metrics, nearest)
    worst = int(tableau[: 2 * metrics, -1].argmin())
    if tableau[worst, -1] < 0.0:
        _pivot(tableau, basis, worst, size)
    return tableau, basis


def _entering(reduced: Array, *, bland: bool) -> int | None:
    if bland:
        falling = np.flatnonzero(reduced < -EPSILON)
        return int(falling[0]) if falling.size else None
    steepest = int(reduced.argmin())
    return steepest if reduced[steepest] < -EPSILON else None


def _leaving(tableau: Array, basis: Sequence[int], entering: int, size: int) -> int:
    """The row that reaches 0 first; among equals the one of s, which ends it, then the first variable."""
    column = tableau[:-1, entering]
    rows = np.flatnonzero(column > EPSILON)
    if not rows.size:
        raise ArithmeticError("a linear programme that is bounded below was found not to be")
    ratios = tableau[rows, -1] / column[rows]
    ties = rows[ratios <= ratios.min() + EPSILON]
    return int(min(ties, key=lambda row: (basis[row] != size, basis[row])))


def _pivot(tableau: Array, basis: list[int], row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    factors = tableau[:, column].copy()
    factors[row] = 0.0
    tableau -= np.outer(factors, tableau[row])
    basis[row] = column


def _read(tableau: Array, basis: Sequence[int], size: int, metrics: int) -> Widening:
    shares = np.zeros(size)
    for row, variable in enumerate(basis):
        if variable < size:
            shares[variable] = max(tableau[row, -1], 0.0)
    above, below = tableau[-1, size + 1 : -1].reshape(2, metrics)
    return Widening(max(-float(tableau[-1, -1]), 0.0), below - above, shares)


RANKS = 5
#: Metrics are held as whole numbers of 1/UNIT, so that they are summed without rounding.
UNIT = 1 << 60
#: Points beyond which a row is impossible: metrics that were held in single precision are that far off.
SAFETY = Fraction(1, 10**5)
_WEIGHT_UNIT = 1 << 30

_METRIC = re.compile(rf"(?P<family>P|nDCG)@(?P<k>[1-{RANKS}])")
Ends = tuple[Fraction, Fraction]
#: A metric of each sort of document: whole numbers on either side of UNIT times it.
Bounds = tuple[tuple[int, int], ...]


# --------------------------------------------------------------------------- sorts of documents


@dataclass(frozen=True)
class Cell:
    """A sort of document."""

    labels: int
    """5 stands for 5 or more."""
    right: tuple[bool, ...]
    """Which of the first five ranks are right."""


def is_modelled(metric: str) -> bool:
    """Whether `metric` is P@k or nDCG@k with k of 1..5."""
    return _METRIC.fullmatch(metric) is not None


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All 112, those with few labels first."""
    patterns = list(product((False, True), repeat=RANKS))
    return tuple(
        Cell(labels, right) for labels in range(RANKS + 1) for right in patterns if sum(right) <= labels
    )


@lru_cache(maxsize=64)
def metric_bounds(metric: str, of_labels: bool = False) -> Bounds:
    """For each cell whole numbers (low, high) with low <= UNIT x metric <= high; the metric is a fraction.

    They are equal for P@1, and otherwise close to what UNIT resolves: logarithms are irrational. `of_labels`:
    P@k over min(k, labels).
    Raises ValueError for a metric that is not modelled.
    """
    match = _METRIC.fullmatch(metric)
    if match is None:
        raise ValueError(f"the linear programme knows P@1..P@5 and nDCG@1..nDCG@5, not {metric!r}")
    value = partial(_precision, of_labels=of_labels) if match["family"] == "P" else _ndcg
    exact = [value(cell, int(match["k"])) for cell in cells()]
    return tuple((floor(it.low * UNIT), ceil(it.high * UNIT)) for it in exact)


def _precision(cell: Cell, k: int, *, of_labels: bool) -> Interval:
    return point(Fraction(sum(cell.right[:k]), min(k, cell.labels) or 1 if of_labels else k))


def _ndcg(cell: Cell, k: int) -> Interval:
    """Two sums of discounts are the same interval where they are the same sum: exactly 1."""
    gained = tuple(rank for rank in range(1, k + 1) if cell.right[rank - 1])
    ideal = tuple(range(1, min(k, cell.labels) + 1))
    if gained in ((), ideal):
        return point(bool(cell.labels) and gained == ideal)
    return _discounts(gained) / _discounts(ideal)


@lru_cache(maxsize=64)
def _discounts(ranks: Sequence[int]) -> Interval:
    return sum((point(1) / logarithm(point(rank + 1)) for rank in ranks), point(0))


# --------------------------------------------------------------------------- a row


@dataclass(frozen=True)
class Certificate:
    """A weighted sum of the metrics that no documents bring to what the row has at least."""

    weights: Mapping[str, Fraction]
    """By metric; the greatest is 1 or -1."""
    largest_possible: Fraction
    """In points, for any documents."""
    smallest_reported: Fraction
    """In points, rounding taken off."""

    @property
    def slack(self) -> Fraction:
        """By so many points all intervals must be widened before this proof ends."""
        size = sum((abs(weight) for weight in self.weights.values()), Fraction(0))
        return (self.smallest_reported - self.largest_possible) / size


@dataclass(frozen=True)
class RowFit:
    """What can be said of one row."""

    rounding: Rounding | None
    """The first of `nearest`, `truncate`, `ceil` by which the row is possible, if there is one."""
    certificate: Certificate | None
    """That the numbers cannot all be rounded to the nearest; None where they can."""

    @property
    def feasible(self) -> bool:
        return self.certificate is None

    @property
    def slack_pp(self) -> float:
        """The least number of points by which all intervals must be widened alike."""
        return float(self.certificate.slack) if self.certificate else 0.0


def fit_row(
    values: Mapping[str, Printed], *, of_labels: bool = False, skipped: tuple[str, Fraction] | None = None
) -> RowFit:
    """Whether the printed metrics, by name and in percent, can hold for the same documents.

    `of_labels`: with P@k over min(k, labels). `skipped`: a family (`P` or `nDCG`) that leaves out documents
    without labels, and their share at most; to it each of them is as good as what is printed.
    Raises ValueError for a metric other than P@k and nDCG@k, k of 1..5 (see `is_modelled`), and for none.
    """
    if not values:
        raise ValueError("the linear programme needs a metric")
    ways: dict[Rounding, Certificate | None] = {}
    known = [metric_bounds(metric, of_labels) for metric in values]
    for way in PLAUSIBLE:
        images = [pre_image(number, way) for number in values.values()]
        ends, sorts = [(it.low / 100, it.high / 100) for it in images], known
        if skipped:  # two more sorts of documents, and their share as one more metric
            family, most = skipped
            theirs = [
                of if it.startswith(f"{family}@") else (0, 0) for it, of in zip(values, ends, strict=True)
            ]
            more = [tuple((floor(end * UNIT), ceil(end * UNIT)) for end in of) for of in (*theirs, (1, 1))]
            sorts = [a + b for a, b in zip([*known, ((0, 0),) * len(cells())], more, strict=True)]
            ends.append((Fraction(0), most))
        ways[way] = _refutation((*values, "left out")[: len(ends)], ends, sorts)
        if ways[way] is None:
            break
    return RowFit(next((way for way, proof in ways.items() if proof is None), None), ways["nearest"])


def _refutation(metrics: Sequence[str], ends: Sequence[Ends], sorts: Sequence[Bounds]) -> Certificate | None:
    """A proof that the row is impossible, or None. `sorts` are the metrics of each sort of document."""
    import numpy as np  # here and in `simplex` only: not needed by papers without nDCG

    low, high = (np.array([float(end[side]) for end in ends]) for side in (0, 1))
    points = np.array([[low + high for low, high in of] for of in sorts], dtype=np.float64) / (2.0 * UNIT)
    try:
        found = least_widening(points, low, high)
    except ArithmeticError:  # numerical trouble proves nothing
        return None
    if found.slack <= float(SAFETY) / 100:
        return None
    proof = certificate(metrics, ends, list(map(float, found.weights)), sorts)
    return proof if proof.slack > SAFETY else None


def certificate(
    metrics: Sequence[str], ends: Sequence[Ends], weights: Sequence[float], sorts: Sequence[Bounds]
) -> Certificate:
    """The inequality that any weights give, exactly; it proves something only if its slack is above 0.

    `ends` are the least and greatest value of each metric as fractions of 1, `sorts` its bounds for each sort
    of document. Raises ValueError if all weights are 0.
    """
    greatest = max(map(abs, weights))
    if greatest == 0:
        raise ValueError("a certificate needs a weight that is not 0")
    whole = [round(weight / greatest * _WEIGHT_UNIT) for weight in weights]
    # of low and high the one that the sign of the weight makes greater
    most = max(
        sum(w * bounds[w > 0] for w, bounds in zip(whole, each, strict=True))
        for each in zip(*sorts, strict=True)
    )
    least = sum((w * end[w < 0] for w, end in zip(whole, ends, strict=True)), Fraction(0))
    return Certificate(
        {metric: Fraction(w, _WEIGHT_UNIT) for metric, w in zip(metrics, whole, strict=True)},
        Fraction(100 * most, UNIT * _WEIGHT_UNIT),
        100 * least / _WEIGHT_UNIT,
    )


_COLUMN = "a column that holds another metric than its name says"
_MIXED = "numbers of different runs or splits in one row"
_COPIED = "a slip in the table from which the row was copied"


def joint(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each experiment that prints both P@k and nDCG@k for some k in 2 .. 5.

    A row that no documents give by the usual definitions is inconsistent only if neither of two honest causes
    gives it. Documents without labels may be left out of one family (torchmetrics can skip them; others count
    0): at most the share that the rows of the same documents leave (`tables.left_out`). And P@k may be over
    min(k, labels), as R-precision is: one program has one definition, so only where that gives more rows than
    the usual one does.
    """
    for rows in grouped(sheet.profiles, alike).values():
        modelled = [(row, _modelled(row)) for row in rows]
        fits = [(row, numbers, fit) for row, numbers in modelled if numbers and (fit := _fit(numbers))]
        usual = [fit.rounding is not None for *_, fit in fits]
        some = ("nDCG", left_out(rows, "P", "nDCG")), ("P", left_out(rows, "nDCG", "P"))
        others = [all(usual) or _gives(numbers, some, of_labels=True) for _, numbers, _ in fits]
        for (row, numbers, fit), other in zip(fits, others, strict=True):
            causes = []
            if fit.rounding is None:
                causes = [LABEL_FREE] if _gives(numbers, some) else []
                causes += [OF_LABELS] if other and sum(others) > sum(usual) else []
            yield finding(
                sheet,
                "feasible_row",
                "consistent" if fit.feasible else "untestable" if fit.rounding or causes else "inconsistent",
                list(numbers.values()),
                _shown(numbers, fit, causes),
                detail=_detail(fit),
                alternatives=[*causes, *_alternatives(numbers)],
                subject=f"{row.dataset}.{row.experiment}",
            )


def _modelled(profile: Profile) -> dict[str, Number]:
    """The numbers that the programme knows; none where they are of one family, or no percentages."""
    numbers = {metric: number for metric, number in profile.numbers.items() if is_modelled(metric)}
    deeper = {metric.partition("@")[0] for metric in numbers if not metric.endswith("@1")}
    return numbers if len(deeper) == 2 and _in_range(numbers) else {}


def _gives(
    numbers: Mapping[str, Number], some: Iterable[tuple[str, Fraction]], *, of_labels: bool = False
) -> bool:
    """Whether some documents give the numbers, with one of these shares of them left out."""
    values = {metric: number.value for metric, number in numbers.items()}
    return any(fit_row(values, of_labels=of_labels, skipped=it).rounding for it in some)


def one_cause(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with one in place of all the rows of a table whose P@k and nDCG@k do not go together.

    Where at least half of its rows do not, and three or more, the columns are in question and not each row.
    It is inconsistent if a row is.
    """
    tables: dict[str, list[Finding]] = {}
    for it in findings:
        if it.check in ("feasible_row", "identity") and it.claim is None:
            tables.setdefault(f"{it.id.partition(':')[0]} {it.cells[0].partition('.')[0]}", []).append(it)
    told = list(findings)
    for held in tables.values():
        wrong = [it for it in held if it.result != "consistent"]
        rows, of = ({it.cells[0] for it in some} for some in (wrong, held))
        if len(rows) > 2 and 2 * len(rows) >= len(of):
            told[told.index(wrong[0])] = _of_columns(wrong, len(rows), len(of))
            told = [it for it in told if it not in wrong]
    return told


def _of_columns(wrong: Sequence[Finding], rows: int, of: int) -> Finding:
    first = max(wrong, key=lambda it: (it.result == "inconsistent", it.weight))
    certain = len({it.cells[0] for it in wrong if it.result == "inconsistent"})
    some = f", in {certain} of them by none of the known definitions" if 0 < certain < rows else ""
    paper, table = first.id.partition(":")[0], first.cells[0].partition(".")[0]
    others = [it for found in wrong for it in found.alternatives if it != _COLUMN]
    return replace(
        first,
        id=f"{paper}:{first.check}:{table}",
        cells=tuple(dict.fromkeys(cell for it in wrong for cell in it.cells)),
        arithmetic=f"in {rows} of {of} rows P@k and nDCG@k do not go together{some}; the first: "
        f"{first.arithmetic}",
        alternatives=tuple(dict.fromkeys([_COLUMN, *others] if certain else [*others, _COLUMN])),
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


def _fit(numbers: Mapping[str, Number]) -> RowFit | None:
    """None where nDCG@1 beside P@1 is all that is wrong: another check says that in plain words."""
    row = fit_row({metric: number.value for metric, number in numbers.items()})
    if row.feasible or not {"P@1", "nDCG@1"} <= set(numbers):
        return row
    without = fit_row({name: it.value for name, it in numbers.items() if name != "nDCG@1"})
    return None if without.feasible else row


def _shown(numbers: Mapping[str, Number], row: RowFit, causes: Sequence[str]) -> str:
    values = ", ".join(f"{metric} {number.text}" for metric, number in numbers.items())
    if row.certificate is None:
        return f"{values}: some documents give all of them"
    other = "cut" if row.rounding == "truncate" else "rounded up"
    cut = f", unless they were {other}" if row.rounding else ""
    also = f". It would be explained by {' or by '.join(causes)}" if causes else ""
    if row.rounding is None and not causes:
        also = f". Neither {LABEL_FREE}, nor {OF_LABELS} explain it"
    return (
        f"{values}: by the usual definitions, over the same documents, no test documents give all of these "
        f"together, whatever their labels{cut}; every number would have to be off by "
        f"{decimal(row.slack_pp, 3)} points or more{_twins(numbers)}{also}"
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
