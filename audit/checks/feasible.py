"""P@k and nDCG@k of one experiment together: some set of documents must be able to give them all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.checks.granularity import PLAUSIBLE, Rounding, pre_image
from audit.checks.tables import (
    LABEL_FREE,
    OF_LABELS,
    OTHER_DEFINITION,
    SLIP,
    Number,
    Profile,
    Sheet,
    decimal,
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


def least_widening(points: Array, low: Array, high: Array) -> tuple[float, Array]:
    """How far all of low..high must be widened so that a mixture of the points lies within; 0 if one does.
    `points` is (metrics, points), `low` and `high` (metrics,). Also the weights (metrics,) of the separating
    direction, from the dual variables; of no use if the widening is 0. By the simplex method, from a feasible
    basis: one point holds the whole share, and s, the widening, is as wide as it takes. Raises
    ArithmeticError if the steps do not come to an end."""
    metrics, size = points.shape
    rows = 2 * metrics + 1
    # columns: shares, s, slack of `high` by metric, slack of `low` by metric, right-hand side
    tableau = np.zeros((rows + 1, size + 1 + 2 * metrics + 1))
    tableau[:metrics, :size], tableau[metrics : 2 * metrics, :size] = points, -points
    tableau[: 2 * metrics, size] = -1.0
    tableau[: 2 * metrics, size + 1 : -1] = np.eye(2 * metrics)
    tableau[:metrics, -1], tableau[metrics : 2 * metrics, -1] = high, -low
    tableau[2 * metrics, :size], tableau[2 * metrics, -1] = 1.0, 1.0
    tableau[-1, size] = 1.0  # the last row is the objective: what each variable would change it by
    basis = [*range(size + 1, size + 1 + 2 * metrics), -1]

    def pivot(row: int, column: int) -> None:
        tableau[row] /= tableau[row, column]
        factors = tableau[:, column].copy()
        factors[row] = 0.0
        tableau[:] -= np.outer(factors, tableau[row])
        basis[row] = column

    # the point nearest to the row is a good one to start from
    pivot(2 * metrics, int(np.abs(points - ((low + high) / 2)[:, None]).sum(axis=0).argmin()))
    worst = int(tableau[: 2 * metrics, -1].argmin())
    if tableau[worst, -1] < 0.0:
        pivot(worst, size)
    for step in range(_MOST_STEPS):
        reduced = tableau[-1, :-1]
        falling = np.flatnonzero(reduced < -EPSILON)
        if not falling.size or tableau[-1, -1] >= -EPSILON:
            above, below = tableau[-1, size + 1 : -1].reshape(2, metrics)
            return max(-float(tableau[-1, -1]), 0.0), below - above
        entering = int(falling[0] if step >= _PATIENCE else reduced.argmin())
        column = tableau[:-1, entering]
        bounding = np.flatnonzero(column > EPSILON)
        if not bounding.size:
            raise ArithmeticError("a linear programme that is bounded below was found not to be")
        ratios = tableau[bounding, -1] / column[bounding]
        ties = bounding[ratios <= ratios.min() + EPSILON]
        # among equals the row of s, which ends it, then the first variable
        pivot(int(min(ties, key=lambda row: (basis[row] != size, basis[row]))), entering)
    raise ArithmeticError(f"a linear programme of {points.shape} points did not end")


RANKS = 5
#: Metrics are held as whole numbers of 1/UNIT, so that they are summed without rounding.
UNIT = 1 << 60
#: Points beyond which a row is impossible: metrics that were held in single precision are that far off.
SAFETY = Fraction(1, 10**5)
_WEIGHT_UNIT = 1 << 30

_METRIC = re.compile(rf"(?:P|nDCG)@[1-{RANKS}]")
Ends = tuple[Fraction, Fraction]
#: A metric of each sort of document: whole numbers on either side of UNIT times it.
Bounds = tuple[tuple[int, int], ...]


class Cell(NamedTuple):
    """A sort of document."""

    labels: int  # 5 stands for 5 or more.
    right: tuple[bool, ...]  # Which of the first five ranks are right.


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All 112, those with few labels first."""
    patterns = list(product((False, True), repeat=RANKS))
    return tuple(Cell(n, right) for n in range(RANKS + 1) for right in patterns if sum(right) <= n)


@lru_cache(maxsize=64)
def metric_bounds(metric: str, of_labels: bool = False) -> Bounds:
    """For each cell whole numbers (low, high) with low <= UNIT x metric <= high; the metric is a fraction.
    `of_labels`: P@k over min(k, labels). Logarithms are irrational, so that the two may differ."""
    family, _, k_text = metric.partition("@")
    k, bounds = int(k_text), []
    for cell in cells():
        if family == "P":
            value = point(Fraction(sum(cell.right[:k]), min(k, cell.labels) or 1 if of_labels else k))
        else:
            gained = tuple(rank for rank in range(1, k + 1) if cell.right[rank - 1])
            ideal = tuple(range(1, min(k, cell.labels) + 1))
            # two sums of discounts are the same interval where they are the same sum: exactly 1
            exact = gained in ((), ideal)
            value = point(bool(gained)) if exact else _discounts(gained) / _discounts(ideal)
        bounds.append((floor(value.low * UNIT), ceil(value.high * UNIT)))
    return tuple(bounds)


@lru_cache(maxsize=64)
def _discounts(ranks: Sequence[int]) -> Interval:
    return sum((point(1) / logarithm(point(rank + 1)) for rank in ranks), point(0))


class Certificate(NamedTuple):
    """A weighted sum of the metrics that no documents bring to what the row has at least."""

    weights: Mapping[str, Fraction]  # By metric; the greatest is 1 or -1.
    largest_possible: Fraction  # In points, for any documents.
    smallest_reported: Fraction  # In points, rounding taken off.

    @property
    def slack(self) -> Fraction:
        """By so many points all intervals must be widened before this proof ends."""
        size = sum((abs(weight) for weight in self.weights.values()), Fraction(0))
        return (self.smallest_reported - self.largest_possible) / size


class RowFit(NamedTuple):
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
    """Whether the printed metrics, by name and in percent, can hold for the same documents. `of_labels`: with
    P@k over min(k, labels). `skipped`: a family (`P` or `nDCG`) that leaves out documents without labels, and
    their share at most; to it each of them is as good as what is printed."""
    proofs: dict[Rounding, Certificate | None] = {}
    known = [metric_bounds(metric, of_labels) for metric in values]
    for rounding in PLAUSIBLE:
        images = [pre_image(number, rounding) for number in values.values()]
        ends, sorts = [(image.low / 100, image.high / 100) for image in images], known
        if skipped:  # two more sorts of documents, and their share as one more metric
            family, most = skipped
            pairs = zip(values, ends, strict=True)
            theirs = [of if metric.startswith(f"{family}@") else (0, 0) for metric, of in pairs]
            more = [tuple((floor(end * UNIT), ceil(end * UNIT)) for end in of) for of in (*theirs, (1, 1))]
            sorts = [a + b for a, b in zip([*known, ((0, 0),) * len(cells())], more, strict=True)]
            ends.append((Fraction(0), most))
        proofs[rounding] = _refutation((*values, "left out")[: len(ends)], ends, sorts)
        if proofs[rounding] is None:
            break
    return RowFit(next((how for how, proof in proofs.items() if proof is None), None), proofs["nearest"])


def _refutation(metrics: Sequence[str], ends: Sequence[Ends], sorts: Sequence[Bounds]) -> Certificate | None:
    """That the row is impossible, or None, by the inequality that the weights give, for each sort."""
    low, high = (np.array([float(end[side]) for end in ends]) for side in (0, 1))
    points = np.array([[low + high for low, high in of] for of in sorts], dtype=np.float64) / (2.0 * UNIT)
    try:
        slack, weights = least_widening(points, low, high)
    except ArithmeticError:  # numerical trouble proves nothing
        return None
    if slack <= float(SAFETY) / 100:
        return None
    whole = [round(float(weight / np.abs(weights).max()) * _WEIGHT_UNIT) for weight in weights]
    # of low and high the one that the sign of the weight makes greater
    most = max(
        sum(weight * bounds[weight > 0] for weight, bounds in zip(whole, each, strict=True))
        for each in zip(*sorts, strict=True)
    )
    least = sum((weight * end[weight < 0] for weight, end in zip(whole, ends, strict=True)), Fraction(0))
    proof = Certificate(
        {metric: Fraction(weight, _WEIGHT_UNIT) for metric, weight in zip(metrics, whole, strict=True)},
        Fraction(100 * most, UNIT * _WEIGHT_UNIT),
        100 * least / _WEIGHT_UNIT,
    )
    return proof if proof.slack > SAFETY else None


# --------------------------------------------------------------------------- the check

_COLUMN = "a column whose metric is not the one it names"
_MIXED = "numbers of different runs or splits in one row"
_COPIED = "a mistake in the table from which the row was copied"


def joint(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each experiment that prints both P@k and nDCG@k for some k in 2 .. 5. A row that no
    documents give by the usual definitions is inconsistent only if neither of two honest causes gives it.
    Documents without labels may be left out of one family (torchmetrics can skip them; others count 0): at
    most the share that the rows of the same documents leave (`tables.left_out`). And P@k may be over min(k,
    labels), as R-precision is: one program has one definition, so only where that gives more rows than the
    usual one does."""
    for rows in grouped(sheet.profiles, lambda profile: profile.program).values():
        fits: list[tuple[Profile, dict[str, Number], RowFit]] = []
        for row in rows:
            numbers = {metric: number for metric, number in row.numbers.items() if _METRIC.fullmatch(metric)}
            deeper = {metric.partition("@")[0] for metric in numbers if not metric.endswith("@1")}
            # what is out of 0..100 is a finding of another check
            sound = (0 <= n.value.value <= 100 and n.cell.unit in (None, "percent") for n in numbers.values())
            if len(deeper) == 2 and all(sound):
                values = {metric: number.value for metric, number in numbers.items()}
                fit, others = fit_row(values), {name: values[name] for name in values if name != "nDCG@1"}
                # where nDCG@1 beside P@1 is all that is wrong, another check says that in plain words
                if fit.feasible or not {"P@1", "nDCG@1"} <= set(values) or not fit_row(others).feasible:
                    fits.append((row, numbers, fit))
        usual = [fit.rounding is not None for *_, fit in fits]
        shares = ("nDCG", left_out(rows, "P", "nDCG")), ("P", left_out(rows, "nDCG", "P"))
        of_labels = [all(usual) or _gives(numbers, shares, of_labels=True) for _, numbers, _ in fits]
        for (row, numbers, fit), other in zip(fits, of_labels, strict=True):
            causes = []
            if fit.rounding is None:
                causes = [LABEL_FREE] if _gives(numbers, shares) else []
                causes += [OF_LABELS] if other and sum(of_labels) > sum(usual) else []
            copied = [_COPIED] if any(of.cell.source == "copied" for of in numbers.values()) else []
            text, detail = _shown(numbers, fit, causes)
            yield sheet.finding(
                "feasible_row",
                "consistent" if fit.feasible else "untestable" if fit.rounding or causes else "inconsistent",
                list(numbers.values()),
                text,
                [*causes, *copied, SLIP, _COLUMN, _MIXED, OTHER_DEFINITION],
                subject=f"{row.dataset}.{row.experiment}",
                detail=detail,
            )


def _gives(
    numbers: Mapping[str, Number], shares: Iterable[tuple[str, Fraction]], *, of_labels: bool = False
) -> bool:
    """Whether some documents give the numbers, with one of these shares of them left out."""
    values = {metric: number.value for metric, number in numbers.items()}
    return any(fit_row(values, of_labels=of_labels, skipped=share).rounding for share in shares)


def _shown(numbers: Mapping[str, Number], row: RowFit, causes: Sequence[str]) -> tuple[str, str]:
    values = ", ".join(f"{metric} {number.text}" for metric, number in numbers.items())
    proof = row.certificate
    if proof is None:
        return f"{values}: some documents give all of them", ""
    how = "cut" if row.rounding == "truncate" else "rounded up"
    unless = f", unless they were {how}" if row.rounding else ""
    both = (k for k in range(2, 6) if {f"P@{k}", f"nDCG@{k}"} <= set(numbers))
    # closer than the two metrics come where documents have several labels
    apart = {k: numbers[f"P@{k}"].value.value - numbers[f"nDCG@{k}"].value.value for k in both}
    twins = [f"nDCG@{k} as P@{k}" for k, gap in apart.items() if abs(gap) <= 1]
    same = f". Nearly the same is printed for {' and '.join(twins)}" if twins else ""
    also = f". It would be explained by {' or by '.join(causes)}" if causes else ""
    if row.rounding is None and not causes:
        also = f". Neither {LABEL_FREE}, nor {OF_LABELS} explain it"
    text = (
        f"{values}: by the usual definitions, over the same documents, no test documents give all of these "
        f"together, whatever their labels{unless}; every number would have to be off by "
        f"{decimal(row.slack_pp, 3)} points or more{same}{also}"
    )
    weights = {name: weight for name, weight in proof.weights.items() if abs(weight) > 1e-6}
    combined = " ".join(f"{float(weight):+.3f} {name}" for name, weight in weights.items())
    return text, (
        f"for any documents {combined} is at most {decimal(proof.largest_possible, 4)}; "
        f"by the printed numbers it is at least {decimal(proof.smallest_reported, 4)}"
    )


def one_cause(findings: Sequence[Finding]) -> list[Finding]:
    """One finding in place of all the rows of a table whose P@k and nDCG@k do not go together. Where three or
    more do not, and half of its rows, the columns are in question and not each row."""
    kept = list(findings)
    rows = [of for of in findings if of.check in ("feasible_row", "identity") and of.claim is None]
    tables = grouped(rows, lambda of: (of.id.partition(":")[0], of.cells[0].partition(".")[0]))
    for (paper, table), of_table in tables.items():
        wrong = [finding for finding in of_table if finding.result != "consistent"]
        places = {finding.cells[0] for finding in wrong}
        every = len({finding.cells[0] for finding in of_table})
        if len(places) < 3 or 2 * len(places) < every:
            continue
        first = max(wrong, key=lambda finding: (finding.result == "inconsistent", finding.weight))
        certain = len({finding.cells[0] for finding in wrong if finding.result == "inconsistent"})
        some = f", in {certain} of them by none of the known definitions" if 0 < certain < len(places) else ""
        others = [cause for finding in wrong for cause in finding.alternatives if cause != _COLUMN]
        kept[kept.index(wrong[0])] = replace(
            first,
            id=f"{paper}:{first.check}:{table}",
            cells=tuple(dict.fromkeys(cell for finding in wrong for cell in finding.cells)),
            arithmetic=f"P@k and nDCG@k disagree in {len(places)} of {every} rows{some}; {first.arithmetic}",
            alternatives=tuple(dict.fromkeys([_COLUMN, *others] if certain else [*others, _COLUMN])),
            where=f"{first.where.partition(':')[0]}: {len(places)} rows",
            detail="; ".join(finding.arithmetic for finding in wrong),
        )
        kept = [finding for finding in kept if finding not in wrong]
    return kept
