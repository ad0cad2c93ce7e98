"""Printed P@1 against the printed number of test documents, and against other sizes of the same collection.

A number off the grid says little by itself: it may be a mean over runs or splits, of another number of
documents than the rounded one that is printed, or cut. So a number is called inconsistent only where the
paper states a single run and an exact number of documents, or where the whole column goes with another known
size of the collection far better than chance has it, as numbers copied from a table on another split do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from audit.checks import grid
from audit.checks.grid import Fingerprint
from audit.checks.tables import OTHER_SIZE, SLIP, Number, Sheet, cut, meet, same_count
from audit.record import Finding
from audit.stats.printed import Printed, printed

#: Numbers go with a test size if a wrong one does as well no more often than this.
LEVEL = 0.05
#: They go with another size than the printed one if the best of the wrong sizes does as well no more often.
OTHER_LEVEL = 0.01
_COPIED = "numbers copied from a table on another split"
_ENSEMBLE = "several runs, splits or models behind one number"
_CUT = "cut after the last digit instead of rounded"


def granularity(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """One finding for the P@1 of each data set, and one for each number that stands out.

    What is copied is taken by itself.
    """
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        for dataset in sheet.datasets:
            for copied in (False, True):
                numbers = _precision_at_1(sheet, dataset, by_key, copied=copied)
                count = sheet.test_count(dataset)
                subject = f"{dataset}{'-copied' if copied else ''}"
                if numbers and count is None:
                    text = f"the paper prints no number of test documents for {dataset}"
                    yield sheet.finding("granularity", "untestable", numbers, text, subject=subject)
                elif numbers and count is not None:
                    single = {number.address for number in numbers if _runs(number, by_key) == 1}
                    others = _candidates(sheets, sheet, dataset)
                    yield from _of_group(sheet, numbers, count, single, others, subject, copied=copied)


def _precision_at_1(
    sheet: Sheet, dataset: str, by_key: Mapping[str, Sheet], *, copied: bool
) -> tuple[Number, ...]:
    """P@1 in percent of each experiment once; means over runs have a grid too fine."""
    numbers: dict[tuple[str, str], Number] = {}
    for number in sheet.numbers.values():
        cell = number.cell
        asked = (cell.metric, cell.dataset, cell.source == "copied") == ("P@1", dataset, copied)
        if asked and cell.unit in (None, "percent") and (_runs(number, by_key) or 1) == 1:
            numbers.setdefault((cell.experiment or number.address, number.text), number)
    return tuple(numbers.values())


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
    stated = [
        _runs(theirs, by_key, (*passed, key))
        for theirs in by_key[key].by_method.get((number.cell.method, number.cell.metric), ())
        if theirs.cell.unit != number.cell.unit
        or meet(theirs.value, number.value)
        or cut(theirs.value, number.value)
    ]
    several = [runs for runs in stated if runs and runs > 1]
    return max(several, default=None if None in stated or not stated else 1)


def _candidates(sheets: Sequence[Sheet], sheet: Sheet, dataset: str) -> dict[int, list[str]]:
    """Other test sizes that are printed for the collection, with the papers; none that may be rounded."""
    collection, own = sheet.datasets[dataset].catalogue, sheet.test_count(dataset)
    sizes: dict[int, list[str]] = {}
    for other, theirs in ((paper, of) for paper in sheets for of in paper.datasets.values()):
        size = other.test_count(theirs.id) if collection and theirs.catalogue == collection else None
        if own and size and size.decimals == 0 and not same_count(size, own):
            sizes.setdefault(int(size.value), []).append(other.paper.key)
    return sizes


def _of_group(
    sheet: Sheet,
    numbers: Sequence[Number],
    count: Printed,
    single: set[str],
    others: dict[int, list[str]],
    subject: str,
    *,
    copied: bool,
) -> Iterator[Finding]:
    """`single`: addresses of those that are stated to be single runs: these must be shares of `count`."""
    documents, finding = int(count.value), partial(sheet.finding, "granularity")
    must_fit = single if count.decimals >= 0 else set()
    without = grid.without_padding([printed(number.text) for number in numbers])
    pairs = zip(without, (number.value for number in numbers), strict=True)
    values = [min(pair, key=lambda value: value.decimals) for pair in pairs]
    powers = [grid.power(value, documents) for value in values]
    if not any(powers):
        text = f"any value with these digits can come from {documents:,} test documents"
        yield finding("untestable", numbers, text, subject=subject, power=0.0)
        return
    fits = {fit.documents: fit for fit in grid.fingerprint(values, list({documents: None, **others}))}
    here, most = fits[documents], float(max(powers))
    by_chance = f"another number of documents does as well in {_percent(here.chance_p)} of cases"
    text = f"{here.feasible} of {here.of} P@1 can come from {documents:,} test documents by rounding "
    text += f"({by_chance})"
    text += f": not {', '.join(here.infeasible)}" if here.infeasible else ""
    elsewhere = [
        f"{fits[size].feasible} of {here.of} from {size:,} ({', '.join(papers)})"
        for size, papers in others.items()
        if size != documents
    ]
    text += f"; {', '.join(elsewhere)}" if elsewhere else ""
    roundings = [grid.rounding_of(value, documents) for value in values]
    of_each = zip(numbers, values, powers, roundings, strict=True)
    off = [(number, value, how) for number, value, power, how in of_each if power and how != "nearest"]
    chosen = here.chance_p <= LEVEL
    if not off or chosen:
        yield finding("consistent", numbers, text, subject=subject, power=most)
    rounded = f"{documents:,} may be rounded"
    if chosen:
        for number, value, how in off:
            why = (
                f"{number.text} cannot come from {documents:,} documents by rounding, as {here.feasible} of "
            )
            why += f"{here.of} numbers on this data set can"
            if how is not None:
                why += f"; it can if it was {'cut' if how == 'truncate' else 'rounded up'}"
            elif number.address not in must_fit:
                why += f"; {rounded if number.address in single else 'it is not stated to be a single run'}"
            yield finding(
                "inconsistent" if how is None and number.address in must_fit else "untestable",
                [number],
                why,
                (SLIP, _ENSEMBLE, _CUT, OTHER_SIZE),
                power=float(grid.power(value, documents, roundings=2)),
            )
    elif off:
        wrong = [number for number, _, how in off if how is None and number.address in must_fit]
        split = _split(fits, documents)
        why = "they go with it not clearly better than chance"
        if len(single) < len(numbers):
            why += "; how many runs are behind each is not stated"
        if count.decimals < 0:
            why += f"; {rounded}"
        if wrong:
            why = f"{len(wrong)} of them cannot by cutting either, and single runs are stated"
        yield finding(
            "inconsistent" if wrong or split else "untestable",
            wrong or [number for number, *_ in off],
            f"{text}; {split or why}",
            [*([_COPIED] if copied or split else []), _ENSEMBLE, OTHER_SIZE, SLIP],
            subject=subject,
            power=most,
        )


def _split(fits: Mapping[int, Fingerprint], documents: int) -> str:
    """That all numbers go with another known size, as they would not by chance; empty where they do not."""
    best = min(fits.values(), key=lambda fit: fit.adjusted_p)
    if best.documents == documents or best.feasible < best.of or best.adjusted_p >= OTHER_LEVEL:
        return ""
    chance = f"one of {len(fits)} wrong sizes does so by chance in {_percent(best.adjusted_p)} of cases"
    return f"all go with {best.documents:,} ({chance})"


def _percent(chance: float) -> str:
    return "nearly 0 %" if chance < 1e-4 else f"{100 * chance:.2g} %" if chance < 0.995 else "all"
