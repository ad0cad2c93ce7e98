"""Granularity: P@1 over N documents is a multiple of 1/N, so not every printed number can be one. Brown and
Heathers (2017), The GRIM test, Social Psychological and Personality Science 8(4). A number off the grid says
little by itself: it may be a mean over runs or splits, of another number of documents than the rounded one
that is printed, or cut. So it is inconsistent only where the paper states a single run and an exact number of
documents, or where the whole column goes with another known size far better than by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor, prod
from typing import Literal, NamedTuple

from audit.checks.tables import OTHER_SIZE, SLIP, Number, Sheet, cut, meet, same_count
from audit.record import Finding
from audit.stats.printed import Printed, printed

Rounding = Literal["nearest", "truncate", "ceil"]
"""`nearest`: it is not known where ties go."""

#: In the order in which they are thought of: other ways of rounding only where the usual one does not do.
PLAUSIBLE: tuple[Rounding, ...] = ("nearest", "truncate", "ceil")


@dataclass(frozen=True)
class PreImage:
    """The values that are printed as one number."""

    low: Fraction
    high: Fraction
    with_low: bool = True  # Whether `low` itself is one of them.
    with_high: bool = True

    def __contains__(self, value: Fraction | int) -> bool:
        above = self.low <= value if self.with_low else self.low < value
        below = value <= self.high if self.with_high else value < self.high
        return above and below


def pre_image(number: Printed, rounding: Rounding = "nearest") -> PreImage:
    """All values printed as `number` >= 0: 76.38 comes from 76.375..76.385, or 76.38..76.39 if cut."""
    v, h = number.value, number.half_unit
    if rounding == "truncate":
        return PreImage(v, v + 2 * h, with_high=False)
    if rounding == "ceil":
        return PreImage(v - 2 * h, v, with_low=False)
    return PreImage(v - h, v + h)


def hits(number: Printed, documents: int, rounding: Rounding = "nearest") -> range:
    """The whole numbers m of 0..N for which 100 m / N is printed as `number`; empty where there is none."""
    image, units = pre_image(number, rounding), Fraction(documents, 100)
    least, greatest = ceil(image.low * units), floor(image.high * units)
    least += not image.with_low and least == image.low * units
    greatest -= not image.with_high and greatest == image.high * units
    return range(max(least, 0), min(greatest, documents) + 1)


def power(number: Printed, documents: int, *, roundings: int = 1) -> Fraction:
    """Chance that a number which has nothing to do with this test set is found out; 0: it cannot be. Of the
    possible metric values for each printed one, which may have been made by so many `roundings`."""
    density = Fraction(documents, 100) / Fraction(10) ** number.decimals
    return max(Fraction(0), 1 - roundings * density)


def rounding_of(number: Printed, documents: int) -> Rounding | None:
    """The first rounding of `PLAUSIBLE` by which `number` can come from so many documents, if one does."""
    return next((rounding for rounding in PLAUSIBLE if hits(number, documents, rounding)), None)


def without_padding(column: Sequence[Printed]) -> tuple[Printed, ...]:
    """The numbers without the zeros that pad four fifths of a column: 82.40, 68.50 are 82.4, 68.5."""
    zeros = [number.zeros_at_end for number in column]
    most = Fraction(4, 5) * len(zeros)
    padding = max((z for z in zeros if sum(end >= z for end in zeros) >= most), default=0)
    return tuple(it.without_zeros(padding) if it.zeros_at_end >= padding else it for it in column)


class Fingerprint(NamedTuple):
    """One candidate number of test documents against all numbers."""

    documents: int
    feasible: int  # Numbers that so many documents can give.
    of: int
    infeasible: tuple[str, ...]  # The other numbers, as printed.
    chance_p: float  # Chance that a wrong number of documents does as well or better.
    adjusted_p: float  # The same for the best of all candidates at most (Bonferroni).


def fingerprint(numbers: Iterable[Printed], candidates: Sequence[int]) -> tuple[Fingerprint, ...]:
    """Each candidate number of documents against all `numbers`, P@1 of several systems on one test set. What
    is printed twice counts once: a copy tells no more than the number. A wrong test size N meets a number
    with d decimals by chance with probability N/(100 10^d), so that chance_p is the binomial tail P[Bin(R,
    N/(100 10^d)) >= feasible] where all R numbers have the same d."""
    distinct = list({(number.value, number.decimals): number for number in numbers}.values())
    found = []
    for documents in candidates:
        infeasible = tuple(number.text for number in distinct if not hits(number, documents))
        feasible = len(distinct) - len(infeasible)
        chance = tail([1 - power(number, documents) for number in distinct], feasible)
        adjusted = float(min(Fraction(1), len(candidates) * chance))
        found.append(Fingerprint(documents, feasible, len(distinct), infeasible, float(chance), adjusted))
    return tuple(found)


def tail(chances: Sequence[Fraction], at_least: int) -> Fraction:
    """P[at least so many of independent events happen]: the generating function is prod (1 - p + p x)."""
    counts = [1]
    for p in chances:
        miss, hit = p.denominator - p.numerator, p.numerator
        shifted = zip([*counts, 0], [0, *counts], strict=True)
        counts = [miss * same + hit * one_less for same, one_less in shifted]
    return Fraction(sum(counts[at_least:]), prod(p.denominator for p in chances))


#: Numbers go with a test size if a wrong one does as well no more often than this.
LEVEL = 0.05
#: They go with another size than the printed one if the best of the wrong sizes does as well no more often.
OTHER_LEVEL = 0.01
_COPIED = "numbers copied from a table about another split"
_ENSEMBLE = "several runs, splits or models behind one number"
_CUT = "truncated after the last digit instead of rounded"


def granularity(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """One finding for the P@1 of a data set, what is copied by itself, and one for each that stands out."""
    by_key = {sheet.paper.key: sheet for sheet in sheets}
    for sheet in sheets:
        for dataset, copied in product(sheet.datasets, (False, True)):
            once: dict[tuple[str, str], Number] = {}  # of each experiment
            for number in sheet.numbers.values():
                cell = number.cell
                asked = (cell.metric, cell.dataset, cell.source == "copied") == ("P@1", dataset, copied)
                if asked and cell.unit in (None, "percent") and (_runs(number, by_key) or 1) == 1:
                    once.setdefault((cell.experiment or number.address, number.text), number)
            numbers, count = tuple(once.values()), sheet.test_count(dataset)
            subject = f"{dataset}{'-copied' if copied else ''}"
            if numbers and count is None:
                text = f"the paper prints no number of test documents for {dataset}"
                yield sheet.finding("granularity", "untestable", numbers, text, subject=subject)
            elif numbers and count is not None:
                single = {number.address for number in numbers if _runs(number, by_key) == 1}
                # other test sizes that papers print for the collection; none that may be rounded
                collection, others = sheet.datasets[dataset].catalogue, dict[int, list[str]]()
                for paper, theirs in ((of, data) for of in sheets for data in of.datasets.values()):
                    is_it = collection and theirs.catalogue == collection
                    size = paper.test_count(theirs.id) if is_it else None
                    if size and size.decimals == 0 and not same_count(size, count):
                        others.setdefault(int(size.value), []).append(paper.paper.key)
                yield from _of_group(sheet, numbers, count, single, others, subject, copied=copied)


def _runs(number: Number, by_key: Mapping[str, Sheet], passed: tuple[str, ...] = ()) -> int | None:
    """Runs behind it as stated, here or where it is copied from; 2: an uncounted mean, None: unknown."""
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
    without = without_padding([printed(number.text) for number in numbers])
    pairs = zip(without, (number.value for number in numbers), strict=True)
    values = [min(pair, key=lambda value: value.decimals) for pair in pairs]
    powers = [power(value, documents) for value in values]
    if not any(powers):
        text = f"any value with these digits can come from {documents:,} test documents"
        yield finding("untestable", numbers, text, subject=subject, power=0.0)
        return
    fits = {fit.documents: fit for fit in fingerprint(values, list({documents: None, **others}))}
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
    roundings = [rounding_of(value, documents) for value in values]
    of_each = zip(numbers, values, powers, roundings, strict=True)
    off = [(number, value, how) for number, value, power, how in of_each if power and how != "nearest"]
    chosen = here.chance_p <= LEVEL
    if not off or chosen:
        yield finding("consistent", numbers, text, subject=subject, power=most)
    rounded = f"{documents:,} may be rounded"
    if chosen:
        for number, value, how in off:
            why = f"{number.text} cannot come from {documents:,} documents by rounding, as {here.feasible} "
            why += f"of {here.of} numbers on this data set can"
            if how is not None:
                why += f"; it can if it was {'cut' if how == 'truncate' else 'rounded up'}"
            elif number.address not in must_fit:
                why += f"; {rounded if number.address in single else 'it is not stated to be a single run'}"
            yield finding(
                "inconsistent" if how is None and number.address in must_fit else "untestable",
                [number],
                why,
                (SLIP, _ENSEMBLE, _CUT, OTHER_SIZE),
                power=float(power(value, documents, roundings=2)),
            )
    elif off:
        wrong = [number for number, _, how in off if how is None and number.address in must_fit]
        split, best = "", min(fits.values(), key=lambda fit: fit.adjusted_p)
        # all numbers go with another known size, as they would not by chance
        if best.documents != documents and best.feasible == best.of and best.adjusted_p < OTHER_LEVEL:
            split = f"all go with {best.documents:,} (one of {len(fits)} wrong sizes does so by chance in "
            split += f"{_percent(best.adjusted_p)} of cases)"
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


def _percent(chance: float) -> str:
    return "nearly 0%" if chance < 1e-4 else f"{100 * chance:.2g}%" if chance < 0.995 else "all"
