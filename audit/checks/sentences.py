"""What the text says of its tables, held against them: better, best, rising, as good as.

A sentence is inconsistent only where no values within the rounding of the printed numbers bear it out; where
only the rounding could, the printed digits tie and the check cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from audit.checks.tables import SLIP, Number, Sheet, decimal, grouped
from audit.claims.names import UnresolvedError, cell_of
from audit.expression.grammar import ExpressionError, parse, references
from audit.expression.interval import UndefinedError
from audit.expression.meaning import evaluate, value_of
from audit.kinds import KINDS
from audit.kinds.costs import MARGIN, growth
from audit.names import counted
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed

_OTHER_FORMULA = "the size holds more or other parts than the formula"
_OURS = "our model is not built as the formula has it"
_OTHER_COUNT = "the sentence counts other operations"
_LARGER = "it holds for larger sizes only"
_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
#: Three decades, so that what is added once no longer shows at the upper end.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


# --------------------------------------------------------------------------- formulas


def formulas(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each arithmetic or structural statement: `sentence` or `structure`."""
    for claim in sheet.statements:
        if claim.expect is None:
            continue
        check = KINDS[claim.kind].check
        cells = Cells(sheet, claim)
        try:
            expression = parse(claim.expect)
            outcome = evaluate(expression, cells)
            numbers = [number for of in references(expression) for number in cells.numbers(of)]
            if len({number.cell.unit for number in numbers if number.cell.metric}) > 1:
                raise UndefinedError(f"{claim.expect}: some numbers are in percent and others fractions of 1")
        except (ExpressionError, UndefinedError) as err:
            yield sheet.finding(check, "untestable", [], str(err), claim=claim)
            continue
        text = f"{outcome.filled_in}: {outcome.reason}" if outcome.reason else outcome.filled_in
        reasons = (_OTHER_FORMULA if check == "structure" else _ROUGHLY, SLIP)
        yield sheet.finding(check, outcome.result, numbers, text, reasons, claim=claim)


def complexity(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each growth claim: untestable where the claim file counts no operations.

    The slope of log count on log size is held against the claimed power with a margin of 0.15, as logarithmic
    factors need it; where it differs over all sizes and not between the two largest, the check cannot tell.
    """
    for claim in sheet.statements:
        if "exponent" not in claim.details:
            continue
        formula, exponent = claim.details.get("operations"), float(claim.details["exponent"])
        if formula is None:
            text = f"nothing counts {claim.details['of']} here"
            yield sheet.finding("structure", "untestable", (), text, claim=claim)
            continue
        try:
            expression = parse(f"{formula} = 0")
            counts = [value_of(expression, Cells(sheet, claim, {"n": size})) for size in SIZES]
            test = growth(SIZES, [float(count) for count in counts], exponent=exponent)
        except (UndefinedError, ValueError, OverflowError) as err:
            text = f"{formula} has no growth: {err}"
            yield sheet.finding("structure", "untestable", (), text, claim=claim)
            continue
        last = test.local_slopes[-1]
        text = (
            f"{formula} grows as n^{decimal(test.slope, 4)} from n = {SIZES[0]:,} to {SIZES[-1]:,}, and as "
            f"n^{decimal(last, 4)} at the end; n^{decimal(exponent, 3)} is claimed, give or take {MARGIN}"
        )
        near = [abs(slope - exponent) <= MARGIN for slope in (test.slope, last)]
        result: FindingResult = "consistent" if all(near) else "untestable" if any(near) else "inconsistent"
        yield sheet.finding("structure", result, (), text, (_OTHER_COUNT, _LARGER), claim=claim)


def models(sheet: Sheet, count: Callable[[Mapping[str, Any]], int]) -> Iterator[Finding]:
    """One finding for each model that a structural statement names; `count` makes it and counts weights."""
    for claim in sheet.statements:
        for place, model in enumerate(claim.details.get("counted", ())):
            number = count(model)
            outcome = evaluate(parse(f"{model['equals']} = {number}"), Cells(sheet, claim))
            text = f"{model['model']} {model['variant']} has {number:,} numbers in "
            text += f"{', '.join(model['weights'])}, by the formula {model['equals']}: {outcome.filled_in}"
            subject = f"{claim.id}:model{place}"
            yield sheet.finding("structure", outcome.result, (), text, (_OURS,), claim=claim, subject=subject)


@dataclass(frozen=True)
class Cells:
    """Where an expression's numbers are: the sheet's cells, and the constants of its claim."""

    sheet: Sheet
    claim: ClaimRecord
    constants: Mapping[str, int] | None = None  # Further ones.

    def cell(self, reference: str) -> Printed:
        return self._number(reference).value

    def cells(self, reference: str) -> Sequence[Printed]:
        return [number.value for number in self.numbers(reference)]

    def others(self, reference: str) -> Sequence[Printed]:
        own = self._number(reference)
        return [other.value for other in self.sheet.line_of(own) if other.address != own.address]

    def constant(self, name: str) -> Printed | Fraction:
        value = {**self.claim.details.get("given", {}), **(self.constants or {})}[name]
        return printed(value) if isinstance(value, str) else Fraction(repr(value))

    def numbers(self, reference: str) -> Sequence[Number]:
        """The printed numbers that a reference leads to, with or without a star."""
        if "*" not in reference:
            return [self._number(reference)]
        table, row, column = (*reference.split("."), "")[:3]

        def fits(number: Number) -> bool:
            if not column:
                return number.cell.metric == self.claim.metric
            return number.cell.metric is not None if column == "*" else number.column == column

        numbers = (number for number in self.sheet.numbers.values() if number.table == table)
        return [number for number in numbers if row in ("*", number.row) and fits(number)]

    def _number(self, reference: str) -> Number:
        try:
            place = cell_of(reference, self.claim.metric or None, self.sheet.by_name).address
        except UnresolvedError as err:
            raise UndefinedError(str(err)) from err
        if place not in self.sheet.numbers:
            raise UndefinedError(f"{place} prints no number")
        return self.sheet.numbers[place]


# --------------------------------------------------------------------------- comparisons

Result = tuple[FindingResult, str]
_ALTERNATIVES = (_ROUGHLY, SLIP)
#: The worst first.
_ORDER: Sequence[FindingResult] = ("inconsistent", "untestable", "consistent")


def sentences(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each statement that compares printed numbers."""
    for claim in sheet.statements:
        numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
        comparison = KINDS[claim.kind].comparison
        if "winner" in claim.details:
            yield from _dominance(sheet, claim)
        elif comparison and len(numbers) == len(claim.experiments) > 1:
            in_percent = [number.percent for number in numbers]
            if len({number.cell.unit for number in in_percent}) == 1:
                result, text = COMPARISONS[comparison](claim, in_percent)
            else:
                shown = ", ".join(
                    f"{number.text} {number.cell.unit or 'without a unit'}" for number in numbers
                )
                result, text = "untestable", f"{shown}: the units differ"
            yield sheet.finding("sentence", result, numbers, text, _ALTERNATIVES, claim=claim)


def _is_less(first: Number, second: Number) -> Result:
    """Whether the first is below the second: surely not, only if the rounding helps, or as printed."""
    gap = second.value.value - first.value.value
    # by more than the coarser one's last digit, as both may be cut: 70 may be 70.9, which is above 70.8
    rounding = 2 * max(first.value.half_unit, second.value.half_unit)
    shown = f"{first.text} < {second.text}"
    if gap > 0:
        return "consistent", f"{shown} by {decimal(gap)}"
    if -gap < rounding:
        return "untestable", f"{shown}? The printed digits {'tie' if not gap else 'differ by their rounding'}"
    return "inconsistent", f"{shown} does not hold: {decimal(-gap)} the other way"


def _all(results: Sequence[Result]) -> Result:
    """All of them: the worst one decides, and is shown first."""
    worst = min((result for result, _ in results), key=_ORDER.index)
    return worst, "; ".join(text for result, text in results if result == worst)


def _falls(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """From the first number to the last."""
    return _all([_is_less(worse, better) for better, worse in pairwise(numbers)])


def _rises(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """The other way round, but for what is said to fall."""
    levels = numbers if claim.details.get("direction") != "falling" else list(reversed(numbers))
    return _all([_is_less(first, second) for first, second in pairwise(levels)])


def _best(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """The first number, of all of them or among the best."""
    best, *levels = numbers
    results = [_is_less(level, best) for level in levels if level.address != best.address]
    if not results:
        return "untestable", f"{best.text} stands alone"
    if claim.details.get("strength") == "among_best":
        results = [("consistent" if result == "untestable" else result, text) for result, text in results]
    return _all(results)


def _similar(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """No paper says how far apart "similar" numbers may be: only the margin of this audit can."""
    left, right = numbers[:2]
    gap = left.value.value - right.value.value
    margin = Fraction(str(claim.margin.value)) if claim.margin else Fraction(0)
    shown = f"{left.text} - {right.text} = {decimal(gap)}"
    if claim.details.get("no_loss") and gap >= 0:
        return "consistent", shown
    if abs(gap) <= margin:
        return "consistent", f"{shown}, within {decimal(margin)}"
    return "untestable", f"{shown}: more than {decimal(margin)}, but the text gives no size for it"


#: By `Claim.comparison`.
COMPARISONS = {"falls": _falls, "rises": _rises, "best": _best, "similar": _similar}


# --------------------------------------------------------------------------- best of all


def _dominance(sheet: Sheet, claim: ClaimRecord) -> Iterator[Finding]:
    """One finding: the lines (data set and metric) in which the method is not among the best."""
    settings = claim.details
    of_tables = {line: numbers for line, numbers in sheet.lines.items() if line[0] in settings["tables"]}
    lines: list[_Line] = []
    numbers: list[Number] = []
    nameless: set[str] = set()
    for (_, dataset, metric), line in of_tables.items():
        if dataset not in (settings.get("datasets") or (dataset,)):
            continue
        if metric not in (settings.get("metrics") or (metric,)):
            continue
        nameless |= {number.address for number in line if number.cell.method is None}
        winners = [number for number in line if number.cell.method == settings["winner"]]
        others = [number for number in line if number.cell.method not in (None, settings["winner"])]
        rivals = [
            other for other in others if other.cell.method in (settings.get("over") or (other.cell.method,))
        ]
        if len(winners) == 1 and rivals:
            numbers += winners
            result, text = _place(winners[0], rivals, int(settings.get("place", 1)))
            lines.append(_Line(dataset, metric, result, f"{dataset} {metric}: {text}"))
    if lines:
        at_least = settings.get("at_least")
        if at_least is not None:
            result, text = _in_enough(lines, int(at_least))
        else:
            result, text = _all([(line.result, line.text) for line in lines])
            text = f"in all {len(lines)} lines" if result == "consistent" else text
        text += f"; {counted(len(nameless), 'number')} of no named method left out" if nameless else ""
        yield sheet.finding("sentence", result, numbers, text, _ALTERNATIVES, claim=claim)


@dataclass(frozen=True)
class _Line:
    """What one line of a table says to a method that is said to be best."""

    dataset: str
    metric: str
    result: FindingResult
    text: str


def _place(winner: Number, rivals: Sequence[Number], place: int) -> Result:
    """Whether fewer than `place` rivals are better."""
    ahead = [rival for rival in rivals if _is_less(winner, rival)[0] == "consistent"]
    surely = [rival for rival in ahead if _is_less(rival, winner)[0] == "inconsistent"]
    level = [rival for rival in rivals if _is_less(rival, winner)[0] == "untestable" and rival not in ahead]
    higher = [rival.text for rival in sorted(ahead, key=lambda rival: rival.value.value)]
    shown = f"{winner.text}, beside {', '.join(higher) or 'nothing higher'}"
    # a method may stand in several rows, copied and run anew, say: it takes one place
    taken, most = (len({rival.cell.method for rival in of}) for of in (surely, ahead))
    if taken >= place:
        return "inconsistent", f"place {taken + 1}: {shown}"
    if most >= place or (place == 1 and level):
        return "untestable", f"the printed digits tie: {shown}"
    return "consistent", shown


def _in_enough(lines: Sequence[_Line], at_least: int) -> Result:
    """Whether in so many data sets, by what a reader may take that for.

    Data sets where it holds in most of the metrics; or as many data sets in each metric by itself.
    """
    by_dataset, by_metric = (
        grouped(lines, lambda line: line.dataset),
        grouped(lines, lambda line: line.metric),
    )
    in_most = [_count([line.result for line in group], len(group) // 2 + 1) for group in by_dataset.values()]
    in_each = [_count([line.result for line in group], at_least) for group in by_metric.values()]
    together, apart = _count(in_most, at_least), min(in_each, key=_ORDER.index)
    if apart == "consistent" != together:
        return apart, f"in {at_least} data sets or more in each metric by itself"
    text = f"in {in_most.count('consistent')} of {len(in_most)} data sets, {at_least} are said"
    failing = "; ".join(line.text for line in lines if line.result == "inconsistent")
    result = max(together, apart, key=_ORDER.index)
    return result, text if result == "consistent" or not failing else f"{text}; {failing}"


def _count(results: Sequence[FindingResult], at_least: int) -> FindingResult:
    """Whether it holds in so many of them; the tables may not show all that are meant."""
    if results.count("consistent") >= at_least:
        return "consistent"
    may_hold = len(results) - results.count("inconsistent") >= at_least
    return "untestable" if may_hold or len(results) < at_least else "inconsistent"
