"""Which statements the numbers of a table bear on one data set: better ones and best ones.

A rule says what the table prints, never what the paper says. Of two equal numbers none is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

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
from audit.checks.sheet import Sheet
from audit.stats.printed import printed

#: Of fewer none is called the best.
FEWEST = 3


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
    for (at, alone, places), metrics in _tops(field).items():
        best, among = field.competitors[at], [field.competitors[i] for i in places]
        named_ones = [it.experiment for it in among if it.experiment]
        if len(set(named_ones)) < len(named_ones):
            continue  # one experiment in two rows competes with itself
        for refs, named in references(sheet, field.table.id, [best, *among], metrics):
            shown = named or [metric_of((best,), refs[0])]
            place = "the best" if alone else "among the best"
            more = "" if alone else "; another prints the same, or lies within the printed spread"
            yield draft_of(
                "optimum",
                f"{field.table.id}-{'best' if alone else 'among-best'}-{best.name}",
                f"{best.label} is {place} of {len(among)} in {listed(shown)} on {field.dataset_name}",
                f"prints the highest {listed(shown)} of {len(among)}{_styled(best, shown)}{more}",
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


def _tops(field: Field) -> dict[tuple[int, bool, tuple[int, ...]], list[str]]:
    """Who prints the highest number, whether nobody else may have it, and who competes -> the metrics."""
    groups: dict[tuple[int, bool, tuple[int, ...]], list[str]] = {}
    of = field.competitors
    for metric in field.metrics:
        held = [i for i, it in enumerate(of) if metric in it.numbers]
        if len(held) < FEWEST:
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


#: Rules for one field at a time.
RULES: tuple[Callable[[Sheet, Field], Iterator[Draft]], ...] = (best_ones, better_ones)
