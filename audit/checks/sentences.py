"""What the text says of its tables, held against them: better, best, rising, as good as.

A sentence is inconsistent only where no values within the rounding of the printed numbers bear it out; where
only the rounding could, the printed digits tie and the check cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from audit.checks.finding import SLIP, decimal, finding
from audit.checks.sheet import Number, Sheet
from audit.record import ClaimRecord, Finding, FindingResult

_ROUGHLY = "the sentence speaks roughly, or of other numbers than these"
_ALTERNATIVES = (_ROUGHLY, SLIP)
_LESS_IS_BETTER = ("training_time", "prediction_time", "model_size", "parameters", "average_rank")


def sentences(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each statement that compares printed numbers."""
    for claim in sheet.statements:
        numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
        if claim.kind == "dominance":
            yield from _dominance(sheet, claim)
        elif claim.kind in _TESTS and len(numbers) == len(claim.experiments) > 1:
            yield _finding(sheet, claim, numbers, *_TESTS[claim.kind](claim, numbers))


Result = tuple[FindingResult, str]


def _finding(
    sheet: Sheet, claim: ClaimRecord, numbers: Sequence[Number], result: FindingResult, text: str
) -> Finding:
    return finding(sheet, "sentence", result, numbers, text, claim=claim, alternatives=_ALTERNATIVES)


# --------------------------------------------------------------------------- pairs


def _is_less(first: Number, second: Number) -> Result:
    """Whether the first is below the second: surely not, only if the rounding helps, or as printed."""
    gap = second.value.value - first.value.value
    rounding = first.value.half_unit + second.value.half_unit
    shown = f"{first.text} < {second.text}"
    if gap > 0:
        return "consistent", f"{shown} by {decimal(gap)}"
    if -gap < rounding:
        return "untestable", f"{shown}? The printed digits {'tie' if not gap else 'differ by their rounding'}"
    return "inconsistent", f"{shown} does not hold: {decimal(-gap)} the other way"


def _all(results: Sequence[Result]) -> Result:
    """All of them: the worst one decides, and is shown first."""
    order: Sequence[FindingResult] = ("inconsistent", "untestable", "consistent")
    ranked = sorted(results, key=lambda it: order.index(it[0]))
    worst = ranked[0][0]
    return worst, "; ".join(text for result, text in ranked if result == worst or worst == "consistent")


def _order(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    better, worse = numbers[:2]
    return _is_less(worse, better)


def _cost(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    cheaper, dearer = numbers[:2]
    return _is_less(cheaper, dearer)


def _ranking(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    return _all([_is_less(worse, better) for better, worse in pairwise(numbers)])


def _trend(claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    levels = numbers if claim.details.get("direction") == "rising" else list(reversed(numbers))
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
    "order": _order,
    "gap": _order,
    "significant": _order,
    "ranking": _ranking,
    "trend": _trend,
    "optimum": _optimum,
    "equivalent": _equivalent,
    "cost": _cost,
}


# --------------------------------------------------------------------------- best of all


def _dominance(sheet: Sheet, claim: ClaimRecord) -> Iterator[Finding]:
    """One finding: the lines (data set and metric) in which the method is not among the best."""
    settings = claim.details
    by_dataset: dict[str, list[Result]] = {}
    numbers: list[Number] = []
    for (table, dataset, metric), line in sheet.lines.items():
        wanted = settings.get("datasets"), settings.get("metrics")
        if table not in settings["tables"] or (wanted[0] and dataset not in wanted[0]):
            continue
        if wanted[1] and metric not in wanted[1]:
            continue
        winners = [number for number in line if number.cell.method == settings["winner"]]
        rivals = _rivals(line, settings["winner"], settings.get("over"))
        if len(winners) != 1 or not rivals:
            continue
        numbers += [winners[0]]
        result, text = _place(winners[0], rivals, int(settings.get("place", 1)))
        by_dataset.setdefault(dataset, []).append((result, f"{dataset} {metric}: {text}"))
    if not by_dataset:
        return
    result, text = _in_enough(by_dataset, settings.get("at_least"))
    yield _finding(sheet, claim, numbers, result, text)


def _rivals(line: Sequence[Number], winner: str, over: Sequence[str] | None) -> list[Number]:
    others = [number for number in line if number.cell.method not in (None, winner)]
    return [number for number in others if not over or number.cell.method in over]


def _place(winner: Number, rivals: Sequence[Number], place: int) -> Result:
    """Whether fewer than `place` rivals are better."""
    ahead = [rival for rival in rivals if _is_less(winner, rival)[0] == "consistent"]
    surely = [rival for rival in ahead if _is_less(rival, winner)[0] == "inconsistent"]
    level = [rival for rival in rivals if _is_less(rival, winner)[0] == "untestable" and rival not in ahead]
    shown = (
        f"{winner.text}, beside {', '.join(it.text for it in sorted(ahead, key=_value)) or 'nothing higher'}"
    )
    if len(surely) >= place:
        return "inconsistent", f"place {len(surely) + 1}: {shown}"
    if len(ahead) >= place or (place == 1 and level):
        return "untestable", f"the printed digits tie: {shown}"
    return "consistent", shown


def _most(results: Sequence[Result]) -> Result:
    """Whether it holds in more than half of the metrics."""
    failing = [text for result, text in results if result == "inconsistent"]
    holding = sum(result == "consistent" for result, _ in results)
    if 2 * holding > len(results):
        return "consistent", "; ".join(text for _, text in results)
    may_hold = 2 * (len(results) - len(failing)) > len(results)
    return ("untestable" if may_hold else "inconsistent"), "; ".join(failing)


def _value(number: Number) -> Fraction:
    return number.value.value


def _in_enough(by_dataset: dict[str, list[Result]], at_least: int | None) -> Result:
    """All lines of all data sets; or so many data sets, each counted if it holds in most of its metrics."""
    if at_least is not None:
        together = {dataset: _most(results) for dataset, results in by_dataset.items()}
    else:
        together = {dataset: _all(results) for dataset, results in by_dataset.items()}
        result, text = _all(list(together.values()))
        return (
            result,
            text if result != "consistent" else f"in all {sum(map(len, by_dataset.values()))} lines",
        )
    holds = sum(result == "consistent" for result, _ in together.values())
    may_hold = holds + sum(result == "untestable" for result, _ in together.values())
    text = f"in {holds} of {len(together)} data sets, {at_least} are said"
    if holds >= at_least:
        return "consistent", text
    failing = "; ".join(text for result, text in together.values() if result == "inconsistent")
    return ("untestable" if may_hold >= at_least else "inconsistent"), f"{text}; {failing}"
