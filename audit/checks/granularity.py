"""Printed P@1 against the printed number of test documents, and against other sizes of the same collection.

A number off the grid says little by itself: it may be a mean over runs or splits, of another number of
documents than the rounded one that is printed, or cut. So a number is called inconsistent only where the
paper states a single run and an exact number of documents, or where the whole column goes with another known
size of the collection far better than chance has it, as numbers copied from a table on another split do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from audit.checks import grid
from audit.checks.grid import Fingerprint, Rounding
from audit.checks.tables import MEANS, OTHER_SIZE, SLIP, Number, Sheet, cut, finding, meet, same_count
from audit.record import Finding
from audit.stats.printed import Printed, printed

#: Numbers go with a test size if a wrong one does as well no more often than this.
LEVEL = 0.05
#: They go with another size than the printed one if the best of the wrong sizes does as well no more often.
OTHER_LEVEL = 0.01
_COPIED = "numbers copied from a table on another split"
_ENSEMBLE = "several runs, splits or models behind one number"
_CUT = "cut after the last digit instead of rounded"


@dataclass(frozen=True)
class _Group:
    """P@1 of different experiments on one data set, with the values that count: padded zeros dropped."""

    name: str
    numbers: tuple[Number, ...]
    values: tuple[Printed, ...]
    documents: int
    single: frozenset[str]
    """Addresses of those that the paper states to be single runs."""
    rounded: bool
    """Whether the number of documents may be."""

    def must_fit(self, number: Number) -> bool:
        """Whether it can only be a share of so many documents."""
        return number.address in self.single and not self.rounded


def granularity(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """One finding for the P@1 of each data set, and one for each number that stands out.

    What is copied is taken by itself.
    """
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        for dataset in sheet.datasets:
            for copied in (False, True):
                numbers = _precision_at_1(sheet, dataset, by_key, copied=copied)
                documents = sheet.test_size(dataset)
                name = f"{dataset}{'-copied' if copied else ''}"
                if numbers and documents is None:
                    text = f"the paper prints no number of test documents for {dataset}"
                    yield finding(sheet, "granularity", "untestable", numbers, text, subject=name)
                elif numbers and documents is not None:
                    by_column = grid.without_padding([printed(number.text) for number in numbers])
                    fewest = zip(by_column, [number.value for number in numbers], strict=True)
                    values = tuple(min(both, key=lambda it: it.decimals) for both in fewest)
                    single = frozenset(it.address for it in numbers if _runs(it, by_key) == 1)
                    group = _Group(name, numbers, values, documents, single, sheet.is_rounded(dataset))
                    yield from _of_group(sheet, group, _candidates(sheets, sheet, dataset), copied=copied)


def _precision_at_1(
    sheet: Sheet, dataset: str, by_key: Mapping[str, Sheet], *, copied: bool
) -> tuple[Number, ...]:
    """P@1 in percent of each experiment once; means over runs have a grid too fine."""
    found: dict[tuple[str, str], Number] = {}
    for number in sheet.numbers.values():
        cell = number.cell
        if (cell.metric, cell.dataset, cell.source == "copied") != ("P@1", dataset, copied):
            continue
        if cell.unit in (None, "percent") and (_runs(number, by_key) or 1) == 1:
            found.setdefault((cell.experiment or number.address, number.text), number)
    return tuple(found.values())


def _runs(number: Number, by_key: Mapping[str, Sheet], passed: tuple[str, ...] = ()) -> int | None:
    """Runs behind it as stated, here or where it is copied from, link by link; None where nobody says.

    Of what is copied only the source knows: 2 for a mean over runs that are not counted.
    """
    if number.is_mean:
        return max(number.runs or 2, 2)
    if number.cell.source != "copied":
        return number.runs
    key = number.cell.copied_from
    if key is None or key in passed or key not in by_key:
        return None
    theirs = by_key[key].by_method.get((number.cell.method, number.cell.metric), ())
    stated = [
        _runs(it, by_key, (*passed, key))
        for it in theirs
        if it.cell.unit != number.cell.unit or meet(it.value, number.value) or cut(it.value, number.value)
    ]
    return max((it for it in stated if it and it > 1), default=None if None in stated or not stated else 1)


def _candidates(sheets: Sequence[Sheet], sheet: Sheet, dataset: str) -> dict[int, list[str]]:
    """Other test sizes that are printed for the collection, with the papers; none that may be rounded."""
    collection, own = sheet.datasets[dataset].catalogue, sheet.test_count(dataset)
    sizes: dict[int, list[str]] = {}
    for other in sheets:
        for held in other.datasets.values():
            size = other.test_count(held.id)
            known = collection and held.catalogue == collection and size and size.decimals == 0
            if size and own and known and not same_count(size, own):
                sizes.setdefault(int(size.value), []).append(other.paper.key)
    return sizes


def _of_group(
    sheet: Sheet, group: _Group, others: dict[int, list[str]], *, copied: bool
) -> Iterator[Finding]:
    documents = group.documents
    fits = {it.documents: it for it in grid.fingerprint(group.values, list({documents: None, **others}))}
    here = fits[documents]
    said = partial(finding, sheet, "granularity", subject=group.name)
    powers = [grid.power(value, documents) for value in group.values]
    if not any(powers):
        text = f"any value with these digits can come from {documents:,} test documents"
        yield said("untestable", group.numbers, text, power=0.0)
        return
    roundings = [grid.rounding_of(value, documents) for value in group.values]
    each = zip(group.numbers, group.values, powers, roundings, strict=True)
    off = [(number, value, way) for number, value, power, way in each if power and way != "nearest"]
    beside = ", ".join(
        f"{fits[size].feasible} of {fits[size].of} from {size:,} ({', '.join(papers)})"
        for size, papers in others.items()
        if size != documents
    )
    text = f"{_shown(here)}{beside and f'; {beside}'}"
    chosen = here.chance_p <= LEVEL
    if not off or chosen:
        yield said("consistent", group.numbers, text, power=float(max(powers)))
    if off and chosen:
        yield from (_stands_out(sheet, group, *it, here) for it in off)
    elif off:
        wrong = [number for number, _, way in off if way is None and group.must_fit(number)]
        elsewhere = _elsewhere(fits, documents)
        yield said(
            "inconsistent" if wrong or elsewhere else "untestable",
            wrong or [number for number, *_ in off],
            f"{text}; {elsewhere or _why_off(group, here, wrong)}",
            alternatives=([_COPIED] if copied or elsewhere else []) + [_ENSEMBLE, OTHER_SIZE, SLIP],
            power=float(max(powers)),
        )


def _elsewhere(fits: Mapping[int, Fingerprint], documents: int) -> str:
    """That all numbers go with another known size, as they would not by chance; empty where they do not."""
    best = min(fits.values(), key=lambda it: it.adjusted_p)
    if best.documents == documents or best.feasible < best.of or best.adjusted_p >= OTHER_LEVEL:
        return ""
    chance = f"one of {len(fits)} wrong sizes does so by chance in {_percent(best.adjusted_p)} of cases"
    return f"all go with {best.documents:,} ({chance})"


def _why_off(group: _Group, here: Fingerprint, wrong: Sequence[Number]) -> str:
    """Why numbers off the grid are called inconsistent, or are not."""
    if wrong:
        return f"{len(wrong)} of them cannot by cutting either, and single runs are stated"
    chances = [1 - grid.power(value, here.documents) for value in group.values]
    could_tell = grid.tail(chances, here.of) <= LEVEL
    hint = ", which hints at means over runs, splits or models" if could_tell else ""
    stated = len(group.single) == len(group.numbers)
    mute = sum(chance == 1 for chance in chances)
    who = f"{mute} fit any such number of documents; the rest go" if mute else "they go"
    unstated = "" if stated else "; how many runs are behind each is not stated"
    size = f"; {here.documents:,} may be rounded" if group.rounded else ""
    return f"{who} with it not clearly better than chance{hint}{unstated}{size}"


def _stands_out(
    sheet: Sheet, group: _Group, number: Number, value: Printed, way: Rounding | None, here: Fingerprint
) -> Finding:
    text = (
        f"{number.text} cannot come from {here.documents:,} documents by rounding, "
        f"as {here.feasible} of {here.of} numbers on this data set can"
    )
    must_fit = group.must_fit(number)
    if way is not None:
        text += f"; it can if it was {'cut' if way == 'truncate' else 'rounded up'}"
    elif not must_fit and number.address in group.single:
        text += f"; {here.documents:,} may be rounded"
    elif not must_fit:
        text += "; it is not stated to be a single run"
    return finding(
        sheet,
        "granularity",
        "inconsistent" if way is None and must_fit else "untestable",
        [number],
        text,
        alternatives=(SLIP, MEANS, _CUT, OTHER_SIZE),
        power=float(grid.power(value, here.documents, roundings=2)),
    )


def _shown(it: Fingerprint) -> str:
    text = f"{it.feasible} of {it.of} P@1 can come from {it.documents:,} test documents by rounding"
    by_chance = f"another number of documents does as well in {_percent(it.chance_p)} of cases"
    return f"{text} ({by_chance}){': not ' if it.infeasible else ''}{', '.join(it.infeasible)}"


def _percent(chance: float) -> str:
    return "nearly 0 %" if chance < 1e-4 else f"{100 * chance:.2g} %" if chance < 0.995 else "all"
