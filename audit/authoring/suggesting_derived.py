"""Printed numbers that are made of others: averages, average ranks, differences; as `arithmetic` claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from audit.authoring.suggesting_drafts import Draft
from audit.authoring.suggesting_fields import label_of
from audit.authoring.suggesting_labels import is_difference, is_mean
from audit.checks.gains import gain
from audit.checks.sheet import Number, Sheet
from audit.expression.errors import UndefinedError
from audit.expression.tokens import MOST_CHARACTERS
from audit.record import TableRecord

Part = Callable[[Number], str]


def derived(sheet: Sheet) -> Iterator[Draft]:
    """For each row or column that is named as an average or a difference, and each of average ranks."""
    for table in sheet.tables:
        numbers = [it for it in sheet.numbers.values() if it.table == table.id]
        yield from _ranks(sheet, table, numbers)
        for by_row in (True, False):
            yield from _of_lines(table, numbers, by_row=by_row)


def _of_lines(table: TableRecord, numbers: Sequence[Number], *, by_row: bool) -> Iterator[Draft]:
    """Rows (or columns) whose label says so; a number of theirs is made of those in its column (or row)."""
    own: Part = (lambda it: it.row) if by_row else (lambda it: it.column)
    across: Part = (lambda it: it.column) if by_row else (lambda it: it.row)
    for line in dict.fromkeys(map(own, numbers)):
        label = label_of(table, row=line) if by_row else label_of(table, column=line)
        made = [it for it in numbers if own(it) == line and it.cell.quantity != "average_rank"]
        groups = [[it for it in numbers if across(it) == across(of) and own(it) != line] for of in made]
        groups = [_like(of, group, table, by_row=by_row) for of, group in zip(made, groups, strict=True)]
        if not made or not all(len(group) > 1 for group in groups):
            continue
        if is_mean(label):
            terms = [
                f"mean({', '.join(map(_cell, group))}) = {_cell(of)}"
                for of, group in zip(made, groups, strict=True)
            ]
            says = f"{label} is the mean of the other {'rows' if by_row else 'columns'}"
            why = f"its label {label!r} says that it is an average"
            yield from _arithmetic(table, f"mean-{line}", says, why, terms, [made, *groups])
        elif is_difference(label):
            yield from _differences(table, label, line, made, groups, own)


def _like(of: Number, group: Sequence[Number], table: TableRecord, *, by_row: bool) -> list[Number]:
    """Those that `of` can be made of: of its metric, or of any where none has it; no averages themselves."""
    plain = [it for it in group if not _is_made(table, it, by_row=by_row)]
    same = [it for it in plain if it.cell.metric == of.cell.metric and it.cell.quantity == of.cell.quantity]
    return same if len(same) > 1 else [it for it in plain if it.cell.metric]


def _is_made(table: TableRecord, of: Number, *, by_row: bool) -> bool:
    label = label_of(table, row=of.row) if by_row else label_of(table, column=of.column)
    return is_mean(label) or is_difference(label)


def _differences(
    table: TableRecord,
    label: str,
    line: str,
    made: Sequence[Number],
    groups: Sequence[Sequence[Number]],
    own: Part,
) -> Iterator[Draft]:
    """Of the only two others, or of the one pair whose gains fit everywhere."""
    names = list(dict.fromkeys(own(it) for group in groups for it in group))
    pairs = [(a, b) for x, y in combinations(names, 2) for a, b in ((x, y), (y, x))]
    fitting = [pair for pair in pairs if _fits(pair, made, groups, own)]
    if len(fitting) != 1:
        return
    (new, old), terms, used = fitting[0], [], []
    for of, group in zip(made, groups, strict=True):
        by_name = {own(it): it for it in group}
        terms.append(f"improvement({_cell(by_name[new])}, {_cell(by_name[old])}) = {_cell(of)}")
        used.append([by_name[new], by_name[old]])
    says = f"{label} is the difference from {old} to {new}"
    why = f"its label {label!r} says that it is a difference, and of all pairs this one alone fits"
    yield from _arithmetic(table, f"difference-{line}", says, why, terms, [made, *used])


def _fits(
    pair: tuple[str, str], made: Sequence[Number], groups: Sequence[Sequence[Number]], own: Part
) -> bool:
    for of, group in zip(made, groups, strict=True):
        by_name = {own(it): it for it in group}
        if not {*pair} <= {*by_name}:
            return False
        try:
            if not gain(by_name[pair[0]].value, by_name[pair[1]].value).fits(*of.value.interval):
                return False
        except (UndefinedError, ZeroDivisionError):
            return False
    return True


def _ranks(sheet: Sheet, table: TableRecord, numbers: Sequence[Number]) -> Iterator[Draft]:
    """Average ranks as the means of the ranks that the row's own numbers have in their lines."""
    ranks = [it for it in numbers if it.cell.quantity == "average_rank"]
    groups = []
    for of in ranks:
        ranked = [it for it in numbers if it.row == of.row and it.cell.metric and it.cell.method]
        groups.append([it for it in ranked if it.cell.dataset and len(sheet.line_of(it)) > 1])
    if ranks and all(groups):
        terms = [
            f"mean({', '.join(f'rank({_cell(it)})' for it in group)}) = {_cell(of)}"
            for of, group in zip(ranks, groups, strict=True)
        ]
        why = "the column holds average ranks"
        says = "the average ranks are the means of the ranks in the table's other columns"
        yield from _arithmetic(table, f"ranks-{ranks[0].column}", says, why, terms, [ranks, *groups])


def _arithmetic(
    table: TableRecord, name: str, says: str, why: str, terms: Sequence[str], used: Sequence[Sequence[Number]]
) -> Iterator[Draft]:
    """One claim of all terms, or one for each where that would be too long."""
    whole = " and ".join(terms)
    cells = tuple(dict.fromkeys(it.address for group in used for it in group))
    if len(whole) < MOST_CHARACTERS:
        yield Draft(
            "arithmetic", f"{table.id}-{name}", says, why, (table.id,), {"expect": whole}, cells=cells
        )
        return
    for number, term in enumerate(terms, 1):
        keys, of = {"expect": term}, f"{table.id}-{name}-{number}"
        held = tuple(it for it in cells if it in term)
        yield Draft("arithmetic", of, f"{says} (part {number})", why, (table.id,), keys, cells=held)


def _cell(of: Number) -> str:
    return of.address
