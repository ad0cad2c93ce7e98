"""What the text says of its tables, held against them: better, best, rising, as good as.

A sentence is inconsistent only where no values within the rounding of the printed numbers bear it out; where
only the rounding could, the printed digits tie and the check cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet, grouped
from audit.names import counted
from audit.record import ClaimRecord, Finding, FindingResult

_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
_ALTERNATIVES = (_ROUGHLY, SLIP)
#: The worst first.
_ORDER: Sequence[FindingResult] = ("inconsistent", "untestable", "consistent")


def sentences(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each statement that compares printed numbers."""
    for claim in sheet.statements:
        numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
        if claim.kind == "dominance":
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
