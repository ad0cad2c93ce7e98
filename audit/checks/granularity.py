"""Printed P@1 against the printed number of test documents, and against other sizes of the same collection.

A single number off the grid says little: it may be a mean over runs, or cut. So numbers are taken together.
Where those of a paper go with its test size far better than chance has it, the one that does not is worth a
look; where they do not, the test size is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.checks.agreement import cut
from audit.checks.finding import MEANS, OTHER_SIZE, SLIP, finding
from audit.checks.fingerprint import Fingerprint, fingerprint
from audit.checks.grid import Granularity, without_padding
from audit.checks.grid import granularity as granularity_of
from audit.checks.same_value import meet
from audit.checks.sheet import Number, Sheet
from audit.record import Finding, FindingResult
from audit.stats.printed import Printed

#: Numbers go with a test size if a wrong one does as well no more often than this.
LEVEL = 0.05
_COPIED = "numbers copied from a table on another split"
_ENSEMBLE = "several runs, splits or models behind one number"
_CUT = "cut after the last digit instead of rounded"


@dataclass(frozen=True)
class _Group:
    """P@1 of different experiments on one data set, with the values that count: padded zeros dropped."""

    dataset: str
    numbers: tuple[Number, ...]
    values: tuple[Printed, ...]
    documents: int

    @property
    def pairs(self) -> list[tuple[Number, Printed]]:
        return list(zip(self.numbers, self.values, strict=True))


def granularity(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """One finding for the P@1 of each data set, and one for each number that stands out."""
    for sheet in sheets:
        for dataset, copied in _datasets(sheet):
            numbers = _precision_at_1(sheet, dataset, sheets, copied=copied)
            documents = sheet.test_size(dataset)
            if numbers and documents is None:
                text = f"the paper prints no number of test documents for {dataset}"
                yield _finding(sheet, "untestable", numbers, text, dataset, copied=copied)
            elif numbers and documents is not None:
                values = without_padding([number.value for number in numbers])
                group = _Group(dataset, numbers, values, documents)
                yield from _of_group(sheet, group, _candidates(sheets, sheet, dataset), copied=copied)


def _datasets(sheet: Sheet) -> Iterator[tuple[str, bool]]:
    for dataset in sheet.datasets:
        yield dataset, False
        yield dataset, True


def _precision_at_1(
    sheet: Sheet, dataset: str, sheets: Sequence[Sheet], *, copied: bool
) -> tuple[Number, ...]:
    """P@1 in percent of each experiment once; means over runs have a grid too fine."""
    by_key = {other.paper.key: other for other in sheets}
    found: dict[tuple[str, str], Number] = {}
    for number in sheet.numbers.values():
        cell = number.cell
        if (cell.metric, cell.dataset, cell.source == "copied") != ("P@1", dataset, copied):
            continue
        if cell.unit in (None, "percent") and not _is_mean(number, by_key):
            found.setdefault((cell.experiment or number.address, number.text), number)
    return tuple(found.values())


def _is_mean(number: Number, by_key: Mapping[str, Sheet], passed: tuple[str, ...] = ()) -> bool:
    """Whether it is said to be a mean over runs, here or where it is copied from, link by link."""
    if number.is_mean:
        return True
    key = number.cell.copied_from if number.cell.source == "copied" else None
    if key is None or key in passed or key not in by_key:
        return False
    theirs = by_key[key].by_method.get((number.cell.method, number.cell.metric), ())
    return any(
        _is_mean(it, by_key, (*passed, key))
        for it in theirs
        if it.cell.unit != number.cell.unit or meet(it.value, number.value) or cut(it.value, number.value)
    )


def _candidates(sheets: Sequence[Sheet], sheet: Sheet, dataset: str) -> dict[int, list[str]]:
    """Test sizes that other papers print for the collection, with these papers."""
    collection = sheet.datasets[dataset].catalogue
    sizes: dict[int, list[str]] = {}
    for other in sheets:
        for held in other.datasets.values():
            size = other.test_size(held.id)
            if other is not sheet and collection and held.catalogue == collection and size:
                sizes.setdefault(size, []).append(other.paper.key)
    return sizes


def _of_group(
    sheet: Sheet, group: _Group, others: dict[int, list[str]], *, copied: bool
) -> Iterator[Finding]:
    documents = group.documents
    sizes = [documents, *(size for size in others if size != documents)]
    fits = {it.documents: it for it in fingerprint(group.values, sizes)}
    here = fits[documents]
    each = [(number, granularity_of(value, documents=documents)) for number, value in group.pairs]
    power = max(float(it.hits.power) for _, it in each)
    if power == 0:
        text = f"any value with these digits can come from {documents:,} test documents"
        yield _finding(sheet, "untestable", group.numbers, text, group.dataset, copied=copied, power=0.0)
        return
    off = [(number, it) for number, it in each if it.outcome != "untestable" and it.rounding != "nearest"]
    never = [number for number, it in off if it.outcome == "infeasible"]
    text = f"{_shown(here)}{_beside(fits, others, documents)}"
    if not off:
        yield _finding(sheet, "consistent", group.numbers, text, group.dataset, copied=copied, power=power)
    elif here.chance_p > LEVEL:
        yield finding(
            sheet,
            "granularity",
            "inconsistent" if never else "untestable",
            [number for number, _ in off],
            f"{text}; by cutting too, {len(never)} cannot",
            alternatives=([_COPIED] if copied else []) + [_ENSEMBLE, OTHER_SIZE, SLIP],
            power=power,
            subject=_subject(group.dataset, copied=copied),
        )
    else:
        yield _finding(sheet, "consistent", group.numbers, text, group.dataset, copied=copied, power=power)
        for number, it in off:
            yield _stands_out(sheet, number, here, it)


def _stands_out(sheet: Sheet, number: Number, here: Fingerprint, it: Granularity) -> Finding:
    text = (
        f"{number.text} cannot come from {here.documents:,} documents by rounding, "
        f"as {here.feasible} of {here.of} numbers on this data set can"
    )
    if it.rounding is not None:
        text += f"; it can if it was {'cut' if it.rounding == 'truncate' else 'rounded up'}"
    return finding(
        sheet,
        "granularity",
        "inconsistent" if it.rounding is None else "untestable",
        [number],
        text,
        alternatives=(SLIP, MEANS, _CUT, OTHER_SIZE),
        power=float(it.power),
    )


def _shown(it: Fingerprint) -> str:
    text = f"{it.feasible} of {it.of} P@1 can come from {it.documents:,} test documents by rounding"
    by_chance = f"another number of documents does as well in {_percent(it.chance_p)} of cases"
    return f"{text} ({by_chance}){': not ' if it.infeasible else ''}{', '.join(it.infeasible)}"


def _percent(chance: float) -> str:
    return "nearly 0 %" if chance < 1e-4 else f"{100 * chance:.2g} %" if chance < 0.995 else "all"


def _beside(fits: Mapping[int, Fingerprint], others: dict[int, list[str]], documents: int) -> str:
    shown = [
        f"{fits[size].feasible} of {fits[size].of} from {size:,} ({', '.join(papers)})"
        for size, papers in others.items()
        if size != documents
    ]
    return f"; {', '.join(shown)}" if shown else ""


def _subject(dataset: str, *, copied: bool) -> str:
    return f"{dataset}{'-copied' if copied else ''}"


def _finding(
    sheet: Sheet,
    result: FindingResult,
    numbers: Sequence[Number],
    text: str,
    dataset: str,
    *,
    copied: bool,
    power: float | None = None,
) -> Finding:
    return finding(
        sheet,
        "granularity",
        result,
        numbers,
        text,
        power=power,
        subject=_subject(dataset, copied=copied),
    )
