"""Which statements the numbers of a table bear on one data set: better ones, best ones, sweeps.

A rule says what the table prints, never what the paper says. Of two equal numbers none is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from audit.authoring.suggesting_drafts import (
    Draft,
    common,
    draft_of,
    listed,
    metric_of,
    printed_pair,
    value,
    why_paired,
)
from audit.authoring.suggesting_fields import Competitor, Field, references
from audit.authoring.suggesting_labels import steps
from audit.checks.sheet import Sheet
from audit.stats.printed import printed

#: So few levels are no sweep.
FEWEST_LEVELS = 3


def better_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, a member and its ensemble, a factor; or the only two."""
    labels = field.labels
    for a, b in combinations(field.competitors, 2):
        why = why_paired(a, b, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            metrics = [it for it in common((a, b), field) if value(better, it) > value(worse, it)]
            for refs, named in references(sheet, field.table.id, (better, worse), metrics) if metrics else ():
                of = named or [metric_of((better,), refs[0])]
                says = f"{better.label} is better than {worse.label} in {listed(of)} on {field.dataset_name}"
                yield draft_of(
                    "order",
                    f"{field.table.id}-{better.name}-over-{worse.name}",
                    says,
                    f"{why}; {printed_pair(better, worse, of)}",
                    field,
                    {"better": refs[0], "worse": refs[1], "metric": named},
                    (better, worse),
                    of,
                )


def best_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """The best of three or more; where the highest number is printed twice, those that print it are among
    the best, and so is a best one whose spread reaches the next."""
    if len(field.competitors) < FEWEST_LEVELS or any(_is_all(it, field) for it in _sweeps(field)):
        return
    yield from _best(sheet, field, field.competitors, "prints the highest", "best")


def _best(
    sheet: Sheet, field: Field, of: Sequence[Competitor], why: str, name: str, told: str = "the best"
) -> Iterator[Draft]:
    for (at, alone, places), metrics in _tops(field, of).items():
        best, among = of[at], [of[i] for i in places]
        named_ones = [it.experiment for it in among if it.experiment]
        if len(set(named_ones)) < len(named_ones):
            continue  # one experiment in two rows competes with itself
        for refs, named in references(sheet, field.table.id, [best, *among], metrics):
            shown = named or [metric_of((best,), refs[0])]
            place = told if alone else f"among {told}"
            more = "" if alone else "; another prints the same, or lies within the printed spread"
            yield draft_of(
                "optimum",
                f"{field.table.id}-{name if alone else f'among-{name}'}-{best.name}",
                f"{best.label} is {place} of {len(among)} in {listed(shown)} on {field.dataset_name}",
                f"{why} {listed(shown)} of {len(among)}{_styled(best, shown)}{more}",
                field,
                {
                    "best": refs[0],
                    "among": refs[1:],
                    **({} if alone else {"strength": "among_best"}),
                    "metric": named,
                },
                among,
                shown,
            )


def _tops(field: Field, of: Sequence[Competitor]) -> dict[tuple[int, bool, tuple[int, ...]], list[str]]:
    """Who prints the highest number, whether nobody else may have it, and who competes -> the metrics."""
    groups: dict[tuple[int, bool, tuple[int, ...]], list[str]] = {}
    for metric in field.metrics:
        held = [i for i, it in enumerate(of) if metric in it.numbers]
        if len(held) < FEWEST_LEVELS:
            continue
        top = max(value(of[i], metric) for i in held)
        for i in held:
            if value(of[i], metric) == top:
                alone = _is_alone(of, i, held, metric)
                groups.setdefault((i, alone, tuple(held)), []).append(metric)
    return groups


def _is_alone(of: Sequence[Competitor], at: int, held: Sequence[int], metric: str) -> bool:
    """Whether no other prints the same number, nor one within the two spreads."""
    own = of[at].numbers[metric]
    low = own.value.value - _spread(own.cell.sd)
    others = [of[i].numbers[metric] for i in held if i != at]
    if any(it.value.value == own.value.value for it in others):
        return False
    if own.cell.sd is None:
        return True
    return all(it.value.value + _spread(it.cell.sd) < low for it in others)


def _spread(sd: str | None) -> Fraction:
    return printed(sd).value if sd else Fraction(0)


def _styled(best: Competitor, metrics: Sequence[str]) -> str:
    marks = [(best.numbers[it].cell.mark or "").split() for it in metrics]
    return " and has it in bold" if all("bold" in it for it in marks) else ""


# --------------------------------------------------------------------------- sweeps


def sweeps(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """Levels of one number: rising or falling throughout, or with the best level somewhere."""
    for levels, template in _sweeps(field):
        moves = {it: _direction(levels, it) for it in common(levels, field)}
        for direction in ("rising", "falling"):
            metrics = [it for it, way in moves.items() if way == direction]
            for refs, named in references(sheet, field.table.id, levels, metrics) if metrics else ():
                shown = named or [metric_of(levels[:1], refs[0])]
                yield draft_of(
                    "trend",
                    f"{field.table.id}-{direction}",
                    f"{listed(shown)} {_moves(direction, shown)} from "
                    f"{levels[0].label} to {levels[-1].label} on {field.dataset_name}",
                    f"{len(levels)} levels{_of(template)}, {direction} at every step",
                    field,
                    {"levels": refs, "direction": direction, "metric": named},
                    levels,
                    shown,
                )
        bent = tuple(it for it, way in moves.items() if way is None)
        part = Field(field.table, field.dataset, field.dataset_name, _only(levels, bent))
        if bent:
            why = f"of the levels{_of(template)} it prints the highest"
            yield from _best(sheet, part, part.competitors, why, "best", "the best level")


def _moves(direction: str, metrics: Sequence[str]) -> str:
    verb = "rise" if direction == "rising" else "fall"
    return verb if len(metrics) > 1 else f"{verb}s"


def _of(template: str) -> str:
    return f" of {template!r}" if template.strip("# ") else ""


def _only(levels: Sequence[Competitor], metrics: Sequence[str]) -> tuple[Competitor, ...]:
    return tuple(Competitor(it.label, it.name, {m: it.numbers[m] for m in metrics}) for it in levels)


def _sweeps(field: Field) -> list[tuple[list[Competitor], str]]:
    """Competitors whose labels differ in one number alone, by that number."""
    groups: dict[str, dict[Fraction, Competitor]] = {}
    for it in field.competitors:
        for template, number in steps(it.label):
            groups.setdefault(template, {}).setdefault(number, it)
    return [
        ([levels[number] for number in sorted(levels)], template)
        for template, levels in groups.items()
        if len(levels) >= FEWEST_LEVELS
    ]


def _is_all(sweep: tuple[list[Competitor], str], field: Field) -> bool:
    return len(sweep[0]) == len(field.competitors)


def _direction(levels: Sequence[Competitor], metric: str) -> str | None:
    values = [value(it, metric) for it in levels]
    pairs = list(pairwise(values))
    if all(a < b for a, b in pairs):
        return "rising"
    return "falling" if all(a > b for a, b in pairs) else None


#: Rules for one field at a time.
RULES: tuple[Callable[[Sheet, Field], Iterator[Draft]], ...] = (best_ones, better_ones, sweeps)
