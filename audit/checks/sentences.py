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

from audit.checks.tables import SLIP, Number, Sheet, decimal, finding, grouped
from audit.claims.names import UnresolvedError, cell_of
from audit.expression.grammar import ExpressionError, parse, references
from audit.expression.interval import UndefinedError
from audit.expression.meaning import evaluate, value_of
from audit.kinds.costs import MARGIN, growth
from audit.names import counted
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed

Counter = Callable[[Mapping[str, Any]], int]
"""From what a claim file says of a model (`audit.kinds.stated.Counted`) to a number of weights."""

#: Three decades, so that what is added once no longer shows at the upper end.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)

_OTHER_FORMULA = "the size holds more or other parts than the formula"
_OURS = "our model is not built as the formula has it"
_OTHER_COUNT = "the sentence counts other operations"
_LARGER = "it holds for larger sizes only"


def formulas(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each arithmetic or structural statement: `sentence` or `structure`."""
    for claim in sheet.statements:
        if claim.expect is not None:
            yield _formula(sheet, claim, claim.expect)


def _formula(sheet: Sheet, claim: ClaimRecord, text: str) -> Finding:
    structural = claim.kind == "structural"
    check = "structure" if structural else "sentence"
    alternatives = (_OTHER_FORMULA if structural else _ROUGHLY, SLIP)
    held = Held(sheet, claim)
    try:
        expression = parse(text)
        outcome = evaluate(expression, held)
        numbers = [number for of in references(expression) for number in held.numbers(of)]
        if len({it.cell.unit for it in numbers if it.cell.metric}) > 1:
            raise UndefinedError(f"{text}: some of its numbers are in percent and others fractions of 1")
    except (ExpressionError, UndefinedError) as err:
        return finding(sheet, check, "untestable", [], str(err), claim=claim)
    said = f"{outcome.filled_in}: {outcome.reason}" if outcome.reason else outcome.filled_in
    return finding(sheet, check, outcome.result, numbers, said, claim=claim, alternatives=alternatives)


def complexity(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each growth claim: untestable where the claim file counts no operations.

    The slope of log count on log size is held against the claimed power with a margin of 0.15, as logarithmic
    factors need it; where it differs over all sizes and not between the two largest, the check cannot tell.
    """
    for claim in sheet.statements:
        if "exponent" in claim.details:
            yield _growth(sheet, claim)


def _growth(sheet: Sheet, claim: ClaimRecord) -> Finding:
    formula, exponent = claim.details.get("operations"), float(claim.details["exponent"])
    if formula is None:
        text = f"nothing counts {claim.details['of']} here"
        return finding(sheet, "structure", "untestable", (), text, claim=claim)
    try:
        expression = parse(f"{formula} = 0")
        counts = [value_of(expression, Held(sheet, claim, {"n": size})) for size in SIZES]
        test = growth(SIZES, [float(count) for count in counts], exponent=exponent)
    except (UndefinedError, ValueError, OverflowError) as err:
        return finding(sheet, "structure", "untestable", (), f"{formula} has no growth: {err}", claim=claim)
    last = test.local_slopes[-1]
    text = (
        f"{formula} grows as n^{decimal(test.slope, 4)} from n = {SIZES[0]:,} to {SIZES[-1]:,}, and as "
        f"n^{decimal(last, 4)} at the end; n^{decimal(exponent, 3)} is claimed, give or take {MARGIN}"
    )
    near = [abs(slope - exponent) <= MARGIN for slope in (test.slope, last)]
    result: FindingResult = "consistent" if all(near) else "untestable" if any(near) else "inconsistent"
    return finding(sheet, "structure", result, (), text, claim=claim, alternatives=(_OTHER_COUNT, _LARGER))


def models(sheet: Sheet, count: Counter) -> Iterator[Finding]:
    """One finding for each model that a structural statement names; `count` makes it and counts weights."""
    for claim in sheet.statements:
        for place, model in enumerate(claim.details.get("counted", ())):
            yield _counted(sheet, claim, place, model, count(model))


def _counted(
    sheet: Sheet, claim: ClaimRecord, place: int, counted: Mapping[str, Any], number: int
) -> Finding:
    outcome = evaluate(parse(f"{counted['equals']} = {number}"), Held(sheet, claim))
    text = (
        f"{counted['model']} {counted['variant']} has {number:,} numbers in {', '.join(counted['weights'])}, "
        f"by the formula {counted['equals']}: {outcome.filled_in}"
    )
    return finding(
        sheet,
        "structure",
        outcome.result,
        (),
        text,
        claim=claim,
        subject=f"{claim.id}:model{place}",
        alternatives=(_OURS,),
    )


@dataclass(frozen=True)
class Held:
    """Where an expression's numbers are: the sheet's cells, and the constants of its claim."""

    sheet: Sheet
    claim: ClaimRecord
    also: Mapping[str, int] | None = None
    """Further constants."""

    def cell(self, reference: str) -> Printed:
        return self._number(reference).value

    def cells(self, reference: str) -> Sequence[Printed]:
        return [number.value for number in self.numbers(reference)]

    def others(self, reference: str) -> Sequence[Printed]:
        own = self._number(reference)
        return [it.value for it in self.sheet.line_of(own) if it.address != own.address]

    def constant(self, name: str) -> Printed | Fraction:
        value = {**self.claim.details.get("given", {}), **(self.also or {})}[name]
        return printed(value) if isinstance(value, str) else Fraction(repr(value))

    def numbers(self, reference: str) -> Sequence[Number]:
        """The printed numbers that a reference leads to, with or without a star."""
        if "*" not in reference:
            return [self._number(reference)]
        table, row, *column = reference.split(".")
        return [
            number
            for number in self.sheet.numbers.values()
            if number.table == table and row in ("*", number.row) and self._in_column(number, column)
        ]

    def _in_column(self, number: Number, column: Sequence[str]) -> bool:
        if not column:
            return number.cell.metric == self.claim.metric
        return number.cell.metric is not None if column[0] == "*" else number.column == column[0]

    def _number(self, reference: str) -> Number:
        try:
            place = cell_of(reference, self.claim.metric or None, self.sheet.by_name).address
        except UnresolvedError as err:
            raise UndefinedError(str(err)) from err
        if place not in self.sheet.numbers:
            raise UndefinedError(f"{place} prints no number")
        return self.sheet.numbers[place]


_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
_ALTERNATIVES = (_ROUGHLY, SLIP)
#: The worst first.
_ORDER: Sequence[FindingResult] = ("inconsistent", "untestable", "consistent")


def sentences(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each statement that compares printed numbers."""
    for claim in sheet.statements:
        numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
        if "winner" in claim.details:
            yield from _dominance(sheet, claim)
        elif claim.kind in _TESTS and len(numbers) == len(claim.experiments) > 1:
            compared = [number.percent for number in numbers]
            units = {number.cell.unit for number in compared}
            result = _TESTS[claim.kind](claim, compared) if len(units) == 1 else _in_units(numbers)
            yield _finding(sheet, claim, numbers, *result)


Result = tuple[FindingResult, str]


def _finding(
    sheet: Sheet, claim: ClaimRecord, numbers: Sequence[Number], result: FindingResult, text: str
) -> Finding:
    return finding(sheet, "sentence", result, numbers, text, claim=claim, alternatives=_ALTERNATIVES)


# --------------------------------------------------------------------------- pairs


def _in_units(numbers: Sequence[Number]) -> Result:
    shown = ", ".join(f"{number.text} {number.cell.unit or 'without a unit'}" for number in numbers)
    return "untestable", f"{shown}: the units differ"


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
    ranked = sorted(results, key=lambda it: _ORDER.index(it[0]))
    worst = ranked[0][0]
    return worst, "; ".join(text for result, text in ranked if result == worst or worst == "consistent")


def _falls(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """From the first number to the last: orders, rankings."""
    return _all([_is_less(worse, better) for better, worse in pairwise(numbers)])


def _rises(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    """Costs, and trends but for falling ones."""
    levels = numbers if claim.details.get("direction") != "falling" else list(reversed(numbers))
    return _all([_is_less(first, second) for first, second in pairwise(levels)])


def _optimum(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    best, *levels = numbers
    others = [level for level in levels if level.address != best.address]
    if not others:
        return "untestable", f"{best.text} stands alone"
    results = [_is_less(other, best) for other in others]
    if claim.details.get("strength") == "among_best":
        results = [("consistent", it[1]) if it[0] == "untestable" else it for it in results]
    return _all(results)


def _equivalent(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
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


_TESTS = {
    "order": _falls,
    "gap": _falls,
    "significant": _falls,
    "ranking": _falls,
    "trend": _rises,
    "optimum": _optimum,
    "equivalent": _equivalent,
    "cost": _rises,
}


# --------------------------------------------------------------------------- best of all


def _dominance(sheet: Sheet, claim: ClaimRecord) -> Iterator[Finding]:
    """One finding: the lines (data set and metric) in which the method is not among the best."""
    settings = claim.details
    lines: list[_Line] = []
    numbers: list[Number] = []
    nameless: set[str] = set()
    for (table, dataset, metric), line in sheet.lines.items():
        wanted = settings.get("datasets"), settings.get("metrics")
        if table not in settings["tables"] or (wanted[0] and dataset not in wanted[0]):
            continue
        if wanted[1] and metric not in wanted[1]:
            continue
        nameless |= {it.address for it in line if it.cell.method is None}
        winners = [number for number in line if number.cell.method == settings["winner"]]
        others = [it for it in line if it.cell.method not in (None, settings["winner"])]
        rivals = [it for it in others if it.cell.method in (settings.get("over") or (it.cell.method,))]
        if len(winners) != 1 or not rivals:
            continue
        numbers += [winners[0]]
        result, text = _place(winners[0], rivals, int(settings.get("place", 1)))
        lines.append(_Line(dataset, metric, (result, f"{dataset} {metric}: {text}")))
    if lines:
        at_least = settings.get("at_least")
        result, text = _in_all(lines) if at_least is None else _in_enough(lines, int(at_least))
        left_out = f"; {counted(len(nameless), 'number')} of no named method left out" if nameless else ""
        yield _finding(sheet, claim, numbers, result, text + left_out)


@dataclass(frozen=True)
class _Line:
    """What one line of a table says to a method that is said to be best."""

    dataset: str
    metric: str
    result: Result


def _place(winner: Number, rivals: Sequence[Number], place: int) -> Result:
    """Whether fewer than `place` rivals are better."""
    ahead = [rival for rival in rivals if _is_less(winner, rival)[0] == "consistent"]
    surely = [rival for rival in ahead if _is_less(rival, winner)[0] == "inconsistent"]
    level = [rival for rival in rivals if _is_less(rival, winner)[0] == "untestable" and rival not in ahead]
    higher = [it.text for it in sorted(ahead, key=lambda it: it.value.value)]
    shown = f"{winner.text}, beside {', '.join(higher) or 'nothing higher'}"
    # a method may stand in several rows, copied and run anew, say: it takes one place
    taken, most = len({it.cell.method for it in surely}), len({it.cell.method for it in ahead})
    if taken >= place:
        return "inconsistent", f"place {taken + 1}: {shown}"
    if most >= place or (place == 1 and level):
        return "untestable", f"the printed digits tie: {shown}"
    return "consistent", shown


def _in_all(lines: Sequence[_Line]) -> Result:
    result, text = _all([line.result for line in lines])
    return result, text if result != "consistent" else f"in all {len(lines)} lines"


def _in_enough(lines: Sequence[_Line], at_least: int) -> Result:
    """Whether in so many data sets, by what a reader may take that for.

    Data sets where it holds in most of the metrics; or as many data sets in each metric by itself.
    """
    by_dataset, by_metric = grouped(lines, lambda it: it.dataset), grouped(lines, lambda it: it.metric)
    in_most = [_most([it.result[0] for it in group]) for group in by_dataset.values()]
    in_each = [_count([it.result[0] for it in group], at_least) for group in by_metric.values()]
    together, apart = _count(in_most, at_least), min(in_each, key=_ORDER.index)
    if apart == "consistent" != together:
        return apart, f"in {at_least} data sets or more in each metric by itself"
    text = f"in {in_most.count('consistent')} of {len(in_most)} data sets, {at_least} are said"
    failing = "; ".join(line.result[1] for line in lines if line.result[0] == "inconsistent")
    result = max(together, apart, key=_ORDER.index)
    return result, text if result == "consistent" or not failing else f"{text}; {failing}"


def _most(results: Sequence[FindingResult]) -> FindingResult:
    """Whether it holds in more than half of them."""
    if 2 * results.count("consistent") > len(results):
        return "consistent"
    return "untestable" if 2 * results.count("inconsistent") < len(results) else "inconsistent"


def _count(results: Sequence[FindingResult], at_least: int) -> FindingResult:
    """Whether it holds in so many of them; the tables may not show all that are meant."""
    if results.count("consistent") >= at_least:
        return "consistent"
    may_hold = len(results) - results.count("inconsistent") >= at_least
    return "untestable" if may_hold or len(results) < at_least else "inconsistent"
