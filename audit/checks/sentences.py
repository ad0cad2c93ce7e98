"""What the text says of its tables, held against them: better, best, as good as, significant. A sentence is
inconsistent only where no values within the rounding of the printed numbers bear it out; where only the
rounding could, the printed digits tie and the check cannot tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from audit.checks.granularity import hits, pre_image
from audit.checks.tables import SLIP, Number, Sheet, apart, decimal, grouped, meet
from audit.claims.links import UnresolvedError, cell_of
from audit.expression.grammar import ExpressionError, parse, references
from audit.expression.interval import UndefinedError
from audit.expression.meaning import Meaning, evaluate
from audit.kinds import KINDS
from audit.kinds.costs import MARGIN, growth, local_slopes
from audit.record import ClaimRecord, Finding, FindingResult
from audit.stats.printed import Printed, printed
from audit.stats.sample import mcnemar

_OTHER_FORMULA = "the printed size includes parts that the formula leaves out, or other ones"
_OURS = "our model differs from the formula"
_OTHER_COUNT = "the sentence counts other operations"
_LARGER = "it holds only for larger sizes"
_ROUGHLY = "a sentence that is approximate or about other numbers"
#: Three decades, so that what is added once no longer shows at the upper end.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


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
        if check == "sentence" and outcome.result == "inconsistent":
            left, right = (*expression.parts, expression)[:2]
            fails = "" if ", claimed:" in text else ", which does not hold"
            text = f"the sentence says {claim.expect}; the printed numbers give {text}{fails}"
            if (left.op, expression.text, right.op) == ("cell", "=", "number"):
                text = f"the text says {right.text}, the table prints {numbers[0].text}"
        reasons = (_OTHER_FORMULA if check == "structure" else _ROUGHLY, SLIP)
        yield sheet.finding(check, outcome.result, numbers, text, reasons, claim=claim)


def complexity(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each growth claim: untestable where the claim file counts no operations. The slope of
    log count on log size is held against the claimed power with a margin, as logarithmic factors need it;
    where only one of all sizes and the two largest differs, the check cannot tell."""
    for claim in sheet.statements:
        if "exponent" not in claim.details:
            continue
        formula, exponent = claim.details.get("operations"), float(claim.details["exponent"])
        if formula is None:
            text = f"nothing counts {claim.details['of']} here"
            yield sheet.finding("structure", "untestable", (), text, claim=claim)
            continue
        try:
            operations = parse(f"{formula} = 0").parts[0]
            values = [Meaning(Cells(sheet, claim, {"n": size})).number(operations)[0].face for size in SIZES]
            # one number each, but for logarithms, of which it is the middle of the bounds
            counts = [float((value.low + value.high) / 2) for value in values]
            slope = growth(SIZES, counts, exponent=exponent).estimate or 0.0
        except (UndefinedError, ValueError, OverflowError) as err:
            text = f"{formula} has no growth: {err}"
            yield sheet.finding("structure", "untestable", (), text, claim=claim)
            continue
        last = local_slopes([math.log(size) for size in SIZES[-2:]], list(map(math.log, counts[-2:])))[0]
        text = (
            f"{formula} grows as n^{decimal(slope, 4)} from n = {SIZES[0]:,} to {SIZES[-1]:,}, and as "
            f"n^{decimal(last, 4)} at the end; n^{decimal(exponent, 3)} is claimed, give or take {MARGIN}"
        )
        near = [abs(power - exponent) <= MARGIN for power in (slope, last)]
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
        line = self.sheet.lines.get((own.table, own.cell.dataset or "", own.cell.metric or ""), ())
        return [other.value for other in line if other.address != own.address]

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
                result, text = _compared(comparison, claim, in_percent)
            else:
                shown = ", ".join(f"{it.text} {it.cell.unit or 'without a unit'}" for it in numbers)
                result, text = "untestable", f"{shown}: the units differ"
            yield sheet.finding("sentence", result, numbers, text, _ALTERNATIVES, claim=claim)


def _is_less(first: Number, second: Number) -> Result:
    """Whether the first is below the second: surely not, only if the rounding helps, or as printed."""
    gap = second.value.value - first.value.value
    # by more than the coarser one's last digit, as both may be cut: 70 may be 70.9, which is above 70.8
    rounding = 2 * max(first.value.half_unit, second.value.half_unit)
    shown = f"{first.text} < {second.text}"
    if gap > 0:
        return "consistent", f"{shown} by {apart(first, second)}"
    if -gap < rounding:
        return "untestable", f"{shown}? The printed digits {'tie' if not gap else 'differ by their rounding'}"
    where = f"{second.text} ({second.address}) is to be above {first.text} ({first.address})"
    return "inconsistent", f"{where}, and is {apart(first, second)} below"


def _all(results: Sequence[Result]) -> Result:
    """All of them: the worst one decides, and is shown first."""
    worst = min((result for result, _ in results), key=_ORDER.index)
    return worst, "; ".join(text for result, text in results if result == worst)


def _compared(comparison: str, claim: ClaimRecord, numbers: Sequence[Number]) -> Result:
    settings = claim.details
    match comparison:
        case "falls":  # from the first number to the last
            return _all([_is_less(worse, better) for better, worse in pairwise(numbers)])
        case "rises":  # the other way round, but for what is said to fall
            levels = numbers if settings.get("direction") != "falling" else list(reversed(numbers))
            return _all([_is_less(first, second) for first, second in pairwise(levels)])
        case "best":  # the first number, of all of them or among the best
            best, *others = numbers
            results = [_is_less(level, best) for level in others if level.address != best.address]
            if not results:
                return "untestable", f"{best.text} stands alone"
            if settings.get("strength") == "among_best":
                results = [("consistent" if of == "untestable" else of, text) for of, text in results]
            return _all(results)
    # no paper says how far apart "similar" numbers may be: only the margin of this audit can
    gap = numbers[0].value.value - numbers[1].value.value
    margin = Fraction(str(claim.margin.value)) if claim.margin else Fraction(0)
    shown = f"{numbers[0].text} - {numbers[1].text} = {decimal(gap)}"
    if settings.get("no_loss") and gap >= 0:
        return "consistent", shown
    if abs(gap) <= margin:
        return "consistent", f"{shown}, within {decimal(margin)}"
    return "untestable", f"{shown}: more than {decimal(margin)}, but the text states no size"


class _Line(NamedTuple):
    """What one line of a table says to a method that is said to be best."""

    dataset: str
    metric: str
    result: FindingResult
    text: str


def _dominance(sheet: Sheet, claim: ClaimRecord) -> Iterator[Finding]:
    """One finding: the lines (data set and metric) in which the method is not among the best."""
    settings, lines, numbers = claim.details, list[_Line](), list[Number]()
    for (table, dataset, metric), line in sheet.lines.items():
        if (
            table not in settings["tables"]
            or dataset not in (settings.get("datasets") or (dataset,))
            or metric not in (settings.get("metrics") or (metric,))
        ):
            continue
        winners = [number for number in line if number.cell.method == settings["winner"]]
        others = [number for number in line if number.cell.method not in (None, settings["winner"])]
        rivals = [it for it in others if it.cell.method in (settings.get("over") or (it.cell.method,))]
        if len(winners) == 1 and rivals:
            numbers += winners
            result, text = _place(winners[0], rivals, int(settings.get("place", 1)))
            lines.append(_Line(dataset, metric, result, f"{dataset} {metric}: {text}"))
    if not lines:
        return
    if (at_least := settings.get("at_least")) is not None:
        result, text = _in_enough(lines, int(at_least))
    else:
        result, text = _all([(line.result, line.text) for line in lines])
        text = f"in all {len(lines)} lines" if result == "consistent" else text
    yield sheet.finding("sentence", result, numbers, text, _ALTERNATIVES, claim=claim)


def _place(winner: Number, rivals: Sequence[Number], place: int) -> Result:
    """Whether fewer than `place` rivals are better."""
    ahead = [rival for rival in rivals if _is_less(winner, rival)[0] == "consistent"]
    surely = [rival for rival in ahead if _is_less(rival, winner)[0] == "inconsistent"]
    level = [rival for rival in rivals if _is_less(rival, winner)[0] == "untestable" and rival not in ahead]
    higher = [rival.text for rival in sorted(ahead, key=lambda rival: rival.value.value)]
    shown = f"{winner.text}, below {', '.join(higher)}" if higher else f"{winner.text}, with none above it"
    # a method may stand in several rows, copied and run anew, say: it takes one place
    taken, most = (len({rival.cell.method for rival in of}) for of in (surely, ahead))
    if taken >= place:
        return "inconsistent", f"it has place {taken + 1}: {shown}"
    if most >= place or (place == 1 and level):
        return "untestable", f"the printed digits tie: {shown}"
    return "consistent", shown


def _in_enough(lines: Sequence[_Line], at_least: int) -> Result:
    """Whether in so many data sets: in most of the metrics each, or as many in each metric by itself."""
    by_dataset = grouped(lines, lambda line: line.dataset)
    by_metric = grouped(lines, lambda line: line.metric)
    in_most = [_count([line.result for line in group], len(group) // 2 + 1) for group in by_dataset.values()]
    in_each = [_count([line.result for line in group], at_least) for group in by_metric.values()]
    together, each = _count(in_most, at_least), min(in_each, key=_ORDER.index)
    if each == "consistent" != together:
        return each, f"in {at_least} data sets or more in each metric by itself"
    text = f"in {in_most.count('consistent')} of {len(in_most)} data sets, {at_least} are said"
    failing = "; ".join(line.text for line in lines if line.result == "inconsistent")
    result = max(together, each, key=_ORDER.index)
    return result, text if result == "consistent" or not failing else f"{text}; {failing}"


def _count(results: Sequence[FindingResult], at_least: int) -> FindingResult:
    """Whether it holds in so many of them; the tables may not show all that are meant."""
    if results.count("consistent") >= at_least:
        return "consistent"
    may_hold = len(results) - results.count("inconsistent") >= at_least
    return "untestable" if may_hold or len(results) < at_least else "inconsistent"


# --------------------------------------------------------------------------- significantly better

LEVEL = 0.05
#: In the name of a test, they say that it is one over documents.
_OVER_DOCUMENTS = ("mcnemar", "document", "instance")
_OTHER_TEST = "another test, for example over seeds or over other metrics"
_SIGNIFICANT: Mapping[str, Result] = {
    "must_be": ("consistent", "significant however the documents pair"),
    "cannot_be": ("inconsistent", "not significant however the documents pair"),
    "undecidable": ("untestable", "the table alone cannot tell"),
}


def significance(sheet: Sheet) -> Iterator[Finding]:
    """One finding for each "significantly better" in P@1 whose numbers and test size are printed. P@1 and N
    fix how many documents each system gets right, and so b - c, the documents that only the first gets right
    less those that only the second does. What other seeds would give is not in the table."""
    for claim in sheet.statements:
        if "test" not in claim.details or claim.metric != "P@1" or len(claim.cells) != 2:
            continue
        count, test = sheet.test_count(claim.dataset), claim.details["test"]
        numbers = [sheet.numbers[cell] for cell in claim.cells if cell in sheet.numbers]
        in_percent = all(number.cell.unit in (None, "percent") for number in numbers)
        if count is None or len(numbers) != 2 or not in_percent:
            continue
        (better, worse), documents = numbers, int(count.value)
        low, high = map(int, count.interval)
        sizes = {max(low, 1), documents, high} if count.decimals < 0 else {documents}
        every = [table_significance(better.value, worse.value, size) for size in sizes]
        labels = {of_size.label for of_size in every}
        result, why = _SIGNIFICANT[every[0].label if len(labels) == 1 else "undecidable"]
        if better.value.value <= worse.value.value:
            tie = meet(better.value, worse.value)  # that is for another check
            result, why = "untestable", "the printed digits tie" if tie else "the order itself does not hold"
        elif test and not any(word in test.lower() for word in _OVER_DOCUMENTS):
            result, why = "untestable", f"the test is “{test}”, which is not said to be over documents"
        elif result == "inconsistent" and not (better.is_single and worse.is_single):
            # a test over runs may find any difference; a difference that documents alone bear out is no less
            result = "untestable"
            why = "means over runs can differ significantly by less; the paper does not state single runs"
        gaps = [gap for of_size in every for gap in of_size.gap_documents]
        between = " to ".join(dict.fromkeys(f"{gap:,}" for gap in (min(gaps), max(gaps))))
        best, worst = min(of_size.p_best for of_size in every), max(of_size.p_worst for of_size in every)
        text = (
            f"{better.text} and {worse.text} of {documents:,} documents are {between} documents apart: "
            f"McNemar's p lies between {best:.2g} and {worst:.2g}; {why}"
        )
        reasons = ("the word is used without a test", _OTHER_TEST, SLIP)
        yield sheet.finding("significance", result, numbers, text, reasons, claim=claim)


class TableSignificance(NamedTuple):
    """What two printed P@1 and the test size leave possible; all p are two-sided."""

    gap_documents: tuple[int, int]
    """Documents between the two, whichever is higher: the fewest and the most that the rounding leaves."""
    p_best: float
    """McNemar's exact p where they are furthest apart and the higher one has right all that the lower has."""
    p_worst: float
    """McNemar's exact p where they are closest and the lower one alone has as many right as there can be."""
    label: Literal["must_be", "cannot_be", "undecidable"]


def table_significance(first: Printed, second: Printed, documents: int) -> TableSignificance:
    """For two printed P@1 in percent on the same test documents, over all counts that rounding leaves.
    McNemar's p = 2 P[Bin(b + c, 1/2) <= c] grows with c for fixed b - c > 0: it is least where c = 0 and
    greatest where c is as great as N allows. `must_be`: p_worst <= LEVEL. `cannot_be`: above LEVEL even where
    they are furthest apart, c = 0, and by the test that is the first to say "significant", the one-sided
    normal approximation of McNemar's: 2 documents apart or fewer at 0.05."""
    lower, higher = sorted((first, second), key=lambda number: number.value)
    (low2, high2), (low1, high1) = _hits_around(lower, documents), _hits_around(higher, documents)
    most, least = high1 - low2, max(low1 - high2, 0)
    # the least gap leaves the most documents to the lower one alone, too: both make p greatest
    c = min(low1, high2, documents - max(low1, high2))
    p_worst = mcnemar(least + c, c) if least else 1.0
    # one-sided: P[Z >= (b - c) / sqrt(b + c)] with c = 0
    cannot = math.erfc(math.sqrt(most / 2.0)) / 2.0 > LEVEL
    label: Literal["must_be", "cannot_be", "undecidable"] = "must_be" if p_worst <= LEVEL else "undecidable"
    return TableSignificance((least, most), mcnemar(most, 0), p_worst, "cannot_be" if cannot else label)


def _hits_around(number: Printed, documents: int) -> tuple[int, int]:
    """Fewest and most hits that are printed so, or those on either side of it."""
    if counts := hits(number, documents):
        return counts[0], counts[-1]
    image = pre_image(number)
    low, high = (image.low * documents / 100, image.high * documents / 100)
    return max(math.floor(low), 0), min(math.ceil(high), documents)
