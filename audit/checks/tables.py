"""A paper as the checks see it, and how a check reports: with a weight and innocent explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from audit.names import counted
from audit.record import Cell, ClaimRecord, DatasetRecord, Finding, FindingResult, PaperInfo, TableRecord
from audit.stats.printed import COUNTS, Printed, in_percent, printed, printed_count

if TYPE_CHECKING:
    from audit.claims.load import Paper

#: How much an inconsistency of each check tells. 5: no data set whatever gives these numbers. 4: one quantity
#: is printed in two ways. 3: a sentence and its own table differ. 2: numbers do not go with the printed test
#: size, or come from another split. 1: statistics that do not go with each other.
WEIGHTS = {
    **dict.fromkeys(("bounds", "recall", "feasible_row"), 5),
    **dict.fromkeys(("identity", "twice"), 4),
    **dict.fromkeys(("average_rank", "sentence", "significance", "structure"), 3),
    **dict.fromkeys(("granularity", "copies", "label_caps"), 2),
    "statistics": 1,
}

SLIP = "a misprint or an extraction error in the table"
OTHER_SIZE = "a number of test documents other than the printed one"
OTHER_DEFINITION = "another definition of the metric"
OF_LABELS = "P@k over min(k, labels) instead of over k"
LABEL_FREE = "unlabelled test documents counted in only one of the two metrics"
_FITTED = "interpreted this way after the table was seen, so the table is no evidence for the sentence"
#: So many rows are named where numbers are shown by their places.
_MOST_ROWS = 3

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, tuple[_Item, ...]]:
    """The items by their keys, both in the order of their coming."""
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return {name: tuple(group) for name, group in groups.items()}


def meet(first: Printed, second: Printed) -> bool:
    """Whether some number is printed as both: 83.6 and 83.60 can be one number, 56.11 and 56.21 cannot."""
    (low1, high1), (low2, high2) = first.interval, second.interval
    return low1 <= high2 and low2 <= high1


def cut(first: Printed, second: Printed) -> bool:
    """Whether the one with fewer digits is the other, cut off: 76.3 and 76.38."""
    coarse, fine = sorted((first, second), key=lambda number: number.decimals)
    return 0 <= fine.value - coarse.value < 2 * coarse.half_unit


def same_count(first: Printed, second: Printed) -> bool:
    """Whether two counts may be one: 3,000 may be 2,987 rounded, and 3,866 is not 3,865."""
    rounded = min(first.decimals, second.decimals) < 0
    return first.value == second.value or (rounded and meet(first, second))


def decimal(number: Fraction | float, digits: int = 10) -> str:
    """The number with at most so many digits, without an exponent: 0.945, 3865."""
    value = float(number)
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text and abs(value) >= 1 else text


def apart(first: Number, second: Number) -> str:
    """How far apart two numbers are, with the decimals that they are printed with: 0.10."""
    decimals = max(first.value.decimals, second.value.decimals, 0)
    return f"{float(abs(first.value.value - second.value.value)):.{decimals}f}"


@dataclass(frozen=True)
class Number:
    """A cell that prints a number."""

    cell: Cell
    value: Printed
    table: str
    row: str
    column: str
    runs: int | None = None  # Runs behind it, where the paper says that it is a mean.

    @property
    def basis(self) -> tuple[str | None, bool, int]:
        """Unit, whether a mean over runs, over how many: on other bases one thing may have other numbers."""
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
    def text(self) -> str:
        return self.value.text

    @property
    def experiment(self) -> str:
        """A row without an experiment is taken for one: what its columns print belongs together."""
        return self.cell.experiment or f"{self.table}.{self.row}"

    @property
    def percent(self) -> Number:
        """In percent, where a metric is printed as a fraction of 1 with two decimals or more."""
        if self.cell.metric and self.cell.unit == "fraction":
            with suppress(ValueError):
                text = in_percent(self.value.text)
                value = replace(printed(text), decimals=self.value.decimals - 2)
                return replace(self, cell=replace(self.cell, printed=text, unit="percent"), value=value)
        return self


@dataclass(frozen=True)
class Profile:
    """The metrics of one experiment on one data set; each metric once."""

    dataset: str
    experiment: str
    numbers: Mapping[str, Number]  # By metric.

    def get(self, *metrics: str) -> tuple[Number, ...]:
        """The numbers of those of `metrics` that are printed."""
        return tuple(self.numbers[metric] for metric in metrics if metric in self.numbers)

    @property
    def program(self) -> tuple[object, ...]:
        """Rows with this in common were measured by one program on the same documents."""
        cell = next(iter(self.numbers.values())).cell
        return self.dataset, cell.source, cell.copied_from


@dataclass(frozen=True)
class Sheet:
    """One paper as the checks see it."""

    paper: PaperInfo
    tables: tuple[TableRecord, ...]
    datasets: Mapping[str, DatasetRecord]
    statements: tuple[ClaimRecord, ...] = ()  # All that the text states, also what no run can decide.

    @cached_property
    def by_name(self) -> Mapping[str, TableRecord]:
        return {table.id: table for table in self.tables}

    @cached_property
    def numbers(self) -> Mapping[str, Number]:
        """Address to number, for all cells that hold a metric or a quantity. Where all metrics of an
        experiment on a data set end in 0, as a row that was copied from a table of fewer decimals and padded
        (82.40, 68.50, 57.70), they are taken for numbers without it."""

        def row(number: Number) -> tuple[str | None, ...]:
            return (number.table, number.cell.dataset, number.experiment) if number.cell.metric else ()

        numbers = []
        for table in self.tables:
            pairs = ((row, of) for row in table.rows for of in zip(table.columns, row.cells, strict=True))
            for line, (column, cell) in pairs:
                if cell.printed is not None and (cell.metric or cell.quantity):
                    value = (printed_count if cell.quantity in COUNTS else printed)(cell.printed)
                    numbers.append(Number(cell, value, table.id, line.id, column.id, table.runs))
        rows = {key: cells for key, cells in grouped(numbers, row).items() if key and len(cells) > 1}
        zeros = {key: min(cell.value.zeros_at_end for cell in cells) for key, cells in rows.items()}
        return {
            number.address: replace(number, value=number.value.without_zeros(zeros.get(row(number), 0)))
            for number in numbers
        }

    @cached_property
    def scores(self) -> tuple[Number, ...]:
        """The numbers of a metric on a data set."""
        return tuple(n for n in self.numbers.values() if n.cell.metric and n.cell.dataset)

    @cached_property
    def lines(self) -> Mapping[tuple[str, str, str], tuple[Number, ...]]:
        """By table, data set and metric the numbers that stand side by side, in the order of the table."""
        return grouped(self.scores, lambda of: (of.table, of.cell.dataset or "", of.cell.metric or ""))

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """All metrics of one experiment on one data set, where it is plain which belong together. Numbers of
        several tables go together only if no metric is printed in two ways among them."""
        profiles = []
        by_subject = grouped(self.scores, lambda number: (number.cell.dataset or "", number.experiment))
        for (dataset, experiment), numbers in by_subject.items():
            whole = _each_once(numbers)
            tables = [] if whole else grouped(numbers, lambda number: number.table).values()
            parts = [whole] if whole else map(_each_once, tables)
            profiles += [Profile(dataset, experiment, part) for part in parts if part]
        return tuple(profiles)

    @cached_property
    def by_method(self) -> Mapping[tuple[str | None, str | None], tuple[Number, ...]]:
        """Method and metric to the numbers, of whatever data set."""
        return grouped(self.numbers.values(), lambda number: (number.cell.method, number.cell.metric))

    @cached_property
    def across(self) -> Mapping[tuple[str, str, str], tuple[Number, ...]]:
        """The numbers that can be held against those of other papers, by method, collection and metric."""
        by_subject = grouped(self.numbers.values(), self.subject_across)
        return {subject: numbers for subject, numbers in by_subject.items() if subject}

    def subject_across(self, number: Number) -> tuple[str, str, str] | None:
        """Method, collection and metric, by which other papers know the number; None where they do not."""
        cell, dataset = number.cell, self.datasets.get(number.cell.dataset or "")
        if cell.method is None or cell.metric is None or dataset is None or dataset.catalogue is None:
            return None
        return cell.method, dataset.catalogue, cell.metric

    def statistic(self, dataset: str | None, name: str) -> Printed | None:
        """A statistic of the data set as printed; None where the paper prints none."""
        record = self.datasets.get(dataset or "")
        text = record.printed.get(name) if record else None
        return (printed_count if name in COUNTS else printed)(text) if text else None

    def test_count(self, dataset: str | None) -> Printed | None:
        """Test documents as printed, where that is a number of documents; below 0 decimals a rounded one."""
        count = self.statistic(dataset, "test")
        return count if count and count.value.denominator == 1 and count.value > 0 else None

    def places(self, numbers: Sequence[Number]) -> str:
        """Where numbers stand, as a reader finds them: `Table 3: CorNet, P@1 and N@1`."""
        by_row: dict[str, dict[str, None]] = {}
        for number in numbers:
            table = self.by_name[number.table]
            row = next(row.label for row in table.rows if row.id == number.row)
            column = next(column.label for column in table.columns if column.id == number.column)
            by_row.setdefault(f"{table.label}: {row}", {})[column] = None
        shown = [f"{row}, {' and '.join(columns)}" for row, columns in by_row.items()]
        more = len(shown) - _MOST_ROWS
        return "; ".join([*shown[:_MOST_ROWS], *([f"and {counted(more, 'more row')}"] if more > 0 else [])])

    def finding(
        self,
        check: str,
        result: FindingResult,
        numbers: Sequence[Number],
        arithmetic: str,
        alternatives: Iterable[str] = (),
        *,
        claim: ClaimRecord | None = None,
        subject: str = "",
        power: float | None = None,
        weight: int | None = None,
        detail: str = "",
    ) -> Finding:
        """What a check came to about numbers, or about a statement; `subject` names it where they do not."""
        cells = tuple(dict.fromkeys(number.address for number in numbers))
        where = self.places(numbers)
        note = " ".join(dict.fromkeys(number.cell.note for number in numbers if number.cell.note))
        if claim:
            subject, note = subject or claim.id, claim.note or ""
            parts = {"section ": claim.where.section, "page ": claim.where.page, "": claim.where.label}
            where = ", ".join(f"{word}{place}" for word, place in parts.items() if place)
            if claim.fitted:
                note += " (Chosen after the table was seen.)"
                if result == "consistent":
                    result, arithmetic = "untestable", f"{arithmetic}; {_FITTED}"
            if result == "inconsistent" and numbers:
                arithmetic += f" ({self.places(numbers)})"
        return Finding(
            check=check,
            result=result,
            cells=cells,
            arithmetic=arithmetic,
            alternatives=tuple(alternatives),
            id=f"{self.paper.key}:{check}:{subject or ''.join(cells[:1])}",
            weight=weight or WEIGHTS[check],
            power=power,
            claim=claim.id if claim else None,
            says=claim.says if claim else None,
            where=where,
            note=note or None,
            detail=detail,
            source="code_readme" if any(number.cell.source == "code_readme" for number in numbers) else "",
            verified=self.verified(numbers),
        )

    def verified(self, numbers: Iterable[Number]) -> bool:
        """Whether somebody compared the tables of these numbers with the page."""
        tables = {number.table for number in numbers}
        return bool(tables) and all(self.by_name[table].verified for table in tables)


def _each_once(numbers: Sequence[Number]) -> Mapping[str, Number] | None:
    """By metric; None where a metric is printed in two ways, or the numbers are of two sources or bases."""
    by_metric: dict[str, Number] = {}
    for number in numbers:
        if by_metric.setdefault(number.cell.metric or "", number).text != number.text:
            return None
    sources = {(number.cell.source, number.cell.copied_from, number.basis) for number in numbers}
    return by_metric if len(sources) == 1 else None


def left_out(profiles: Iterable[Profile], over_all: str, labelled: str) -> Fraction:
    """The largest share of test documents that may have no labels: 0 to one family, left out of another. Let
    x of the documents have none. Then P@k <= 1 - x wherever they count as 0; twice that is left, as folds
    differ. And if nDCG leaves them out, P@1 = (1 - x) nDCG@1 in each row, or the other way round: by x P@1
    they would differ, and all k rows that print the two alike round to the same with a chance of 1 % only if
    that is 1 - 0.01^(1/k) of what the rounding of one leaves. `profiles` are of one program."""
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


def sheet_of(paper: Paper) -> Sheet:
    return Sheet(
        paper=paper.info(),
        tables=paper.table_records(),
        datasets={
            name: DatasetRecord(name, data.name, data.catalogue, data.printed)
            for name, data in paper.datasets.items()
        },
        statements=paper.statements,
    )
