"""How a check reports: findings with their weight, their subject and what should be considered first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from audit.record import Cell, ClaimRecord, DatasetRecord, Finding, FindingResult, PaperInfo, TableRecord
from audit.stats.printed import COUNTS, Printed, in_percent, printed, printed_count


def meet(first: Printed, second: Printed) -> bool:
    """Whether some number is printed as both: 83.6 and 83.60 can be one number, 56.11 and 56.21 cannot.

    For the same method, metric and data set in two places; for P@1 and nDCG@1 of one row, which are both the
    share of documents whose first label is right.
    """
    (low1, high1), (low2, high2) = first.interval, second.interval
    return low1 <= high2 and low2 <= high1


def cut(first: Printed, second: Printed) -> bool:
    """Whether the one with fewer digits is the other, cut off: 76.3 and 76.38."""
    coarse, fine = sorted((first, second), key=lambda it: it.decimals)
    return 0 <= fine.value - coarse.value < 2 * coarse.half_unit


def same_count(first: Printed, second: Printed) -> bool:
    """Whether two counts may be one: 3,000 may be 2,987 rounded, and 3,866 is not 3,865."""
    rounded = min(first.decimals, second.decimals) < 0
    return first.value == second.value or (rounded and meet(first, second))


def apart(first: Printed, second: Printed) -> Fraction:
    """How far apart the printed values are, without sign."""
    return abs(first.value - second.value)


_MOST_ROWS = 3
"""So many rows are named where numbers are shown by their places."""
Line = tuple[str, str, str]
"""Table, data set and metric: numbers that stand side by side for comparison."""
Across = tuple[str, str, str]
"""Method, collection and metric: what names a number across papers."""
Basis = tuple[str | None, bool, int]
"""Unit, whether a mean over runs, and over how many."""


_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, tuple[_Item, ...]]:
    """The items by their keys, both in the order of their coming."""
    found: dict[_Key, list[_Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return {name: tuple(group) for name, group in found.items()}


@dataclass(frozen=True)
class Number:
    """A cell that prints a number."""

    cell: Cell
    value: Printed
    table: str
    row: str
    column: str
    runs: int | None = None
    """Runs behind it, where the paper says that it is a mean."""

    @property
    def basis(self) -> Basis:
        """Numbers of one thing on different bases need not be the same number: a mean and one run, say."""
        return self.cell.unit, self.is_mean, self.runs or 1

    @property
    def is_mean(self) -> bool:
        """Whether it is said to be a mean over runs: a spread stands beside no single run."""
        return (self.runs or 1) > 1 or self.cell.sd is not None

    @property
    def is_single(self) -> bool:
        """Whether it is said to be a single run."""
        return self.runs == 1 and self.cell.sd is None

    @property
    def address(self) -> str:
        return self.cell.address

    @property
    def percent(self) -> Number:
        """In percent, where a metric is printed as a fraction of 1 with two decimals or more."""
        if not self.cell.metric or self.cell.unit != "fraction":
            return self
        try:
            text = in_percent(self.value.text)
        except ValueError:
            return self
        cell = replace(self.cell, printed=text, unit="percent")
        return replace(self, cell=cell, value=replace(printed(text), decimals=self.value.decimals - 2))

    @property
    def text(self) -> str:
        """As printed."""
        return self.value.text


@dataclass(frozen=True)
class Sheet:
    """One paper as the checks see it."""

    paper: PaperInfo
    tables: tuple[TableRecord, ...]
    datasets: Mapping[str, DatasetRecord]
    statements: tuple[ClaimRecord, ...] = ()
    """All that the text states, also what no run can decide."""

    @cached_property
    def numbers(self) -> Mapping[str, Number]:
        """Address to number, for all cells that hold a metric or a quantity.

        A row that is copied from a table of fewer decimals may be padded: 82.40, 68.50, 57.70. Where all
        metrics of an experiment on a data set end in 0, they are taken for numbers without it.
        """
        found = [number for table in self.tables for number in _numbers(table)]
        rows: dict[tuple[str | None, ...], list[Number]] = {}
        for number in found:
            row = (number.table, number.cell.dataset, _experiment(number)) if number.cell.metric else ()
            rows.setdefault(row, []).append(number)
        padded = {
            it.address: zeros
            for row, held in rows.items()
            if len(row) and len(held) > 1 and (zeros := min(it.value.zeros_at_end for it in held))
            for it in held
        }
        return {
            it.address: replace(it, value=it.value.without_zeros(padded.get(it.address, 0))) for it in found
        }

    @cached_property
    def lines(self) -> Mapping[Line, tuple[Number, ...]]:
        """Numbers of one metric on one data set in one table, in the order of the table."""
        scores = (it for it in self.numbers.values() if it.cell.metric and it.cell.dataset)
        return grouped(scores, lambda it: (it.table, str(it.cell.dataset), str(it.cell.metric)))

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """All metrics of one experiment on one data set, where it is plain which belong together."""
        return tuple(_profiles(self.numbers.values()))

    @cached_property
    def by_method(self) -> Mapping[tuple[str | None, str | None], tuple[Number, ...]]:
        """Method and metric to the numbers, of whatever data set."""
        return grouped(self.numbers.values(), lambda it: (it.cell.method, it.cell.metric))

    @cached_property
    def across(self) -> Mapping[Across, tuple[Number, ...]]:
        """The numbers that can be held against those of other papers."""
        found = grouped(self.numbers.values(), self.subject_across)
        return {subject: numbers for subject, numbers in found.items() if subject}

    def subject_across(self, number: Number) -> Across | None:
        """Under which name other papers know what the number is; None where they do not."""
        cell, held = number.cell, self.datasets.get(number.cell.dataset or "")
        if cell.method is None or cell.metric is None or held is None or held.catalogue is None:
            return None
        return cell.method, held.catalogue, cell.metric

    @cached_property
    def by_name(self) -> Mapping[str, TableRecord]:
        """The tables by their names, for references."""
        return {table.id: table for table in self.tables}

    @cached_property
    def verified_tables(self) -> frozenset[str]:
        return frozenset(table.id for table in self.tables if table.verified)

    def line_of(self, number: Number) -> tuple[Number, ...]:
        """The number and those that stand beside it: same table, data set and metric."""
        key = number.table, number.cell.dataset or "", number.cell.metric or ""
        return self.lines.get(key, (number,))

    def named(self, numbers: Sequence[Number]) -> str:
        """Where numbers stand, as a reader finds them: `Table 3: CorNet, P@1 and N@1`."""
        tables = {table.id: table for table in self.tables}
        found: dict[tuple[str, str], list[str]] = {}
        for number in numbers:
            table = tables[number.table]
            row = next(it.label for it in table.rows if it.id == number.row)
            column = next(it.label for it in table.columns if it.id == number.column)
            found.setdefault((table.label, row), []).append(column)
        return "; ".join(
            f"{table}: {row}, {' and '.join(dict.fromkeys(columns))}"
            for (table, row), columns in list(found.items())[:_MOST_ROWS]
        ) + (f"; and {len(found) - _MOST_ROWS} more rows" if len(found) > _MOST_ROWS else "")

    def statistic(self, dataset: str | None, name: str) -> Printed | None:
        """A statistic of the data set as printed; None where the paper prints none."""
        held = self.datasets.get(dataset or "")
        text = held.printed.get(name) if held else None
        return (printed_count if name in COUNTS else printed)(text) if text else None

    def test_count(self, dataset: str | None) -> Printed | None:
        """Test documents as printed, where that is a number of documents."""
        held = self.statistic(dataset, "test")
        return held if held and held.value.denominator == 1 and held.value > 0 else None

    def test_size(self, dataset: str | None) -> int | None:
        held = self.test_count(dataset)
        return int(held.value) if held else None

    def is_rounded(self, dataset: str | None) -> bool:
        """Whether the number of test documents may be a rounded one: 3,000, about 3,865 and 3.8K."""
        held = self.test_count(dataset)
        return held is not None and held.decimals < 0


@dataclass(frozen=True)
class Profile:
    """The metrics of one experiment on one data set; each metric once."""

    dataset: str
    experiment: str
    numbers: Mapping[str, Number]
    """By metric."""

    def get(self, *metrics: str) -> tuple[Number, ...]:
        """The numbers of those of `metrics` that are printed."""
        return tuple(self.numbers[metric] for metric in metrics if metric in self.numbers)


def _numbers(table: TableRecord) -> Iterator[Number]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell.printed is not None and (cell.metric or cell.quantity):
                value = (printed_count if cell.quantity in COUNTS else printed)(cell.printed)
                yield Number(cell, value, table.id, row.id, column.id, table.runs)


def alike(profile: Profile) -> tuple[object, ...]:
    """Rows with this in common were measured by one program on the same documents."""
    cell = next(iter(profile.numbers.values())).cell
    return profile.dataset, cell.source, cell.copied_from


def left_out(profiles: Iterable[Profile], over_all: str, labelled: str) -> Fraction:
    """The largest share of test documents that may have no labels: 0 to one family, left out of another.

    Let x of the documents have none. Then P@k <= 1 - x wherever they count as 0; twice that is left, as folds
    differ. And if nDCG leaves them out, P@1 = (1 - x) nDCG@1 in each row, or the other
    way round: where half of the rows print the two alike, x is next to nothing. By x P@1 they would differ,
    and all k such rows round to the same with a chance of 1 % only if that is 1 - 0.01^(1/k) of what the
    rounding of one leaves.
    `profiles` are `alike`. 1 where nothing is known.
    """
    levels, same, pairs = [Fraction(1)], [], 0
    for profile in profiles:
        first, second = (profile.numbers.get(f"{family}@1") for family in (over_all, labelled))
        if first and second:
            pairs += 1
            if meet(first.value, second.value) and first.value.value:
                same.append(1 - first.value.interval[0] / second.value.interval[1])
        scores = (number for name, number in profile.numbers.items() if name.startswith(f"{over_all}@"))
        levels += [2 - number.value.interval[0] / 50 for number in scores]
    if same and 2 * len(same) >= pairs:
        levels.append(min(same) * Fraction(1 - 0.01 ** (1 / len(same))))
    return max(min(levels), Fraction(0))


def _experiment(number: Number) -> str:
    """A row without an experiment is taken for one: what its columns print belongs together."""
    return number.cell.experiment or f"{number.table}.{number.row}"


def _profiles(numbers: Iterable[Number]) -> Iterator[Profile]:
    """Numbers of several tables go together only if no metric is printed in two ways among them."""
    scores = (it for it in numbers if it.cell.metric and it.cell.dataset)
    by_subject = grouped(scores, lambda it: (str(it.cell.dataset), _experiment(it)))
    for (dataset, experiment), whole in by_subject.items():
        parts = [whole] if _each_once(whole) else grouped(whole, lambda it: it.table).values()
        for part in parts:
            if by_metric := _each_once(part):
                yield Profile(dataset, experiment, by_metric)


def _each_once(numbers: Sequence[Number]) -> Mapping[str, Number] | None:
    """By metric; None where a metric is printed in two ways, or the numbers are of two sources or bases."""
    found: dict[str, Number] = {}
    for number in numbers:
        other = found.setdefault(number.cell.metric or "", number)
        if other.text != number.text:
            return None
    sources = {(number.cell.source, number.cell.copied_from, number.basis) for number in numbers}
    return found if len(sources) == 1 else None


def address_in(paper: str, number: Number) -> str:
    """The address of a number of another paper than the one that a finding is about."""
    return f"{paper}:{number.address}"


#: How much an inconsistency of each check tells. 5: no data set whatever gives these numbers. 4: one quantity
#: is printed in two ways. 3: a sentence and its own table differ. 2: numbers do not go with the printed test
#: size, or come from another split. 1: statistics that do not go with each other.
WEIGHTS = {
    "bounds": 5,
    "feasible_row": 5,
    "identity": 4,
    "twice": 4,
    "average_rank": 3,
    "sentence": 3,
    "significance": 3,
    "structure": 3,
    "granularity": 2,
    "copies": 2,
    "label_caps": 2,
    "statistics": 1,
}

SLIP = "a slip in typing or in extracting the table"
MEANS = "means over several runs"
OTHER_SIZE = "another number of test documents than the one printed"
_FITTED = "so read after the table was seen, which is no evidence for the sentence"
OTHER_DEFINITION = "another definition of the metric"
OF_LABELS = "P@k over min(k, labels) instead of over k"
LABEL_FREE = "test documents without labels, counted in one metric and not in the other"


def finding(
    sheet: Sheet,
    check: str,
    result: FindingResult,
    numbers: Sequence[Number],
    arithmetic: str,
    *,
    alternatives: Sequence[str] = (),
    power: float | None = None,
    subject: str | None = None,
    claim: ClaimRecord | None = None,
    weight: int | None = None,
    detail: str = "",
) -> Finding:
    """A finding about some numbers of one paper; `subject` names it where the first number does not."""
    if claim and claim.fitted and result == "consistent":
        result, arithmetic = "untestable", f"{arithmetic}; {_FITTED}"
    cells = tuple(dict.fromkeys(number.address for number in numbers))
    tables = {number.table for number in numbers}
    about = subject or (claim.id if claim else cells[0] if cells else "")
    return Finding(
        check=check,
        result=result,
        cells=cells,
        arithmetic=arithmetic,
        alternatives=tuple(alternatives),
        id=f"{sheet.paper.key}:{check}:{about}",
        weight=weight or WEIGHTS[check],
        power=power,
        claim=claim.id if claim else None,
        says=claim.says if claim else None,
        where=_place(claim) if claim else sheet.named(numbers),
        note=_note(claim, numbers),
        detail=detail,
        source="code_readme" if any(it.cell.source == "code_readme" for it in numbers) else "",
        verified=bool(tables) and tables <= sheet.verified_tables,
    )


def _note(claim: ClaimRecord | None, numbers: Sequence[Number]) -> str | None:
    """How the claim was read; of numbers alone, what is known of them from elsewhere."""
    if claim is None:
        return " ".join(dict.fromkeys(it.cell.note for it in numbers if it.cell.note)) or None
    return f"{claim.note} (Chosen after the table was seen.)" if claim.fitted else claim.note


def _place(claim: ClaimRecord) -> str:
    """`section 3.2, page 1992, Table 4`, as far as it is known."""
    where = claim.where
    parts = [
        f"section {where.section}" if where.section else "",
        f"page {where.page}" if where.page else "",
        where.label or "",
    ]
    return ", ".join(part for part in parts if part)


def decimal(number: Fraction | float, digits: int = 10) -> str:
    """The number with at most so many digits, without an exponent: 0.945, 3865."""
    value = float(number)
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text and abs(value) >= 1 else text
