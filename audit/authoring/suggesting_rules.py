"""Which statements the numbers of a table bear: better ones, best ones, winners throughout, sweeps.

A rule says what the table prints, never what the paper says. Of two equal numbers none is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise

from audit.authoring.suggesting_fields import Competitor, Field, references
from audit.authoring.suggesting_labels import ensemble, full_model, left_out, one_change, steps
from audit.checks.sheet import Sheet
from audit.claim_source import Plain
from audit.stats.printed import printed

#: So few levels are no sweep.
FEWEST_LEVELS = 3


@dataclass(frozen=True)
class Draft:
    """A candidate before it has its id, its place and its marks."""

    kind: str
    name: str
    """What its id is made of."""
    says: str
    why: str
    tables: tuple[str, ...]
    keys: Mapping[str, Plain]
    """Keys of the kind, and `metric`."""
    bare: tuple[str, ...] = ()
    """Rows, as table.row, that have no experiment yet: the claim needs one."""
    cells: tuple[str, ...] = field(default=())


def better_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """Two that differ in one thing: a part left out, a member and its ensemble, a factor; or the only two."""
    labels = field.labels
    for a, b in combinations(field.competitors, 2):
        why = _why_paired(a, b, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            metrics = [it for it in _common((a, b), field) if _value(better, it) > _value(worse, it)]
            for refs, named in references(sheet, field.table.id, (better, worse), metrics) if metrics else ():
                of = named or [_metric_of((better,), refs[0])]
                says = f"{better.label} is better than {worse.label} in {_listed(of)} on {field.dataset_name}"
                yield _draft(
                    "order",
                    f"{field.table.id}-{_last(refs[0])}-over-{_last(refs[1])}",
                    says,
                    f"{why}; {_printed_pair(better, worse, of)}",
                    field,
                    {"better": refs[0], "worse": refs[1], "metric": named},
                    (better, worse),
                    of,
                )


def _why_paired(a: Competitor, b: Competitor, labels: Sequence[str]) -> str | None:
    """Why these two are held against each other; None where nothing in the table sets them side by side."""
    for full, part in ((a, b), (b, a)):
        if full_model(part.label, labels) == full.label:
            return f"{part.label!r} is {full.label!r} without {(left_out(part.label) or ('', ''))[1]!r}"
        if ensemble(part.label, labels) == full.label:
            return f"{part.label!r} is one numbered member of {full.label!r}"
    for full, part in ((a, b), (b, a)):
        if part.label.casefold() in full.label.casefold() and len(part.label) > 2:
            return f"{full.label!r} is {part.label!r} with something more, by its name"
    both_lack = left_out(a.label) and left_out(b.label)
    changed = None if both_lack else one_change(a.label, b.label)
    if changed:
        return f"the two differ in one thing, {changed[0] or 'nothing'!r} or {changed[1] or 'nothing'!r}"
    return "they are the only two of the table on this data set" if len(labels) == 2 else None


def best_ones(sheet: Sheet, field: Field) -> Iterator[Draft]:
    """The best of three or more; where the highest number is printed twice, those that print it are among
    the best, and so is a best one whose spread reaches the next."""
    if len(field.competitors) < FEWEST_LEVELS or any(_is_all(it, field) for it in _sweeps(field)):
        return
    yield from _best(sheet, field, field.competitors, "prints the highest", "best")


def _best(
    sheet: Sheet, field: Field, of: Sequence[Competitor], why: str, name: str, told: str = "the best"
) -> Iterator[Draft]:
    groups: dict[tuple[int, bool, tuple[int, ...]], list[str]] = {}
    for metric in field.metrics:
        held = [i for i, it in enumerate(of) if metric in it.numbers]
        if len(held) < FEWEST_LEVELS:
            continue
        top = max(_value(of[i], metric) for i in held)
        for i in held:
            if _value(of[i], metric) == top:
                alone = _is_alone(of, i, held, metric)
                groups.setdefault((i, alone, tuple(held)), []).append(metric)
    for (at, alone, held), metrics in groups.items():
        best, among = of[at], [of[i] for i in held]
        if len({it.experiment for it in among if it.experiment}) < len([it for it in among if it.experiment]):
            continue
        for refs, named in references(sheet, field.table.id, [best, *among], metrics):
            shown = named or [_metric_of((best,), refs[0])]
            place = told if alone else f"among {told}"
            more = "" if alone else "; another prints the same, or lies within the printed spread"
            yield _draft(
                "optimum",
                f"{field.table.id}-{name}-{_last(refs[0])}",
                f"{best.label} is {place} of {len(among)} in {_listed(shown)} on {field.dataset_name}",
                f"{why} {_listed(shown)} of {len(among)}{_styled(best, shown)}{more}",
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
        moves = {it: _direction(levels, it) for it in _common(levels, field)}
        for direction in ("rising", "falling"):
            metrics = [it for it, way in moves.items() if way == direction]
            for refs, named in references(sheet, field.table.id, levels, metrics) if metrics else ():
                shown = named or [_metric_of(levels[:1], refs[0])]
                yield _draft(
                    "trend",
                    f"{field.table.id}-{direction}-{field.dataset}",
                    f"{_listed(shown)} {_moves(direction, shown)} from "
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
    return tuple(Competitor(it.label, {m: it.numbers[m] for m in metrics}) for it in levels)


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
    values = [_value(it, metric) for it in levels]
    pairs = list(pairwise(values))
    if all(a < b for a, b in pairs):
        return "rising"
    return "falling" if all(a > b for a, b in pairs) else None


# --------------------------------------------------------------------------- throughout


def winners(fields: Sequence[Field]) -> Iterator[Draft]:
    """Methods that are best in every metric on two data sets or more, and those that are better than one
    other from which they differ in one thing. Where they stand in more data sets than they win, those that
    they win are named. Tables go together where they compare mostly the same methods.
    """
    for alike in _alike(fields):
        yield from _throughout(alike, None)
    methods = dict.fromkeys(of.method for it in fields for of in it.competitors if of.method)
    for a, b in combinations(methods, 2):
        pairs = [(it, [of for of in it.competitors if of.method in (a, b)]) for it in fields]
        set_beside = [(it, _why_paired(*of, it.labels)) for it, of in pairs if len(of) == 2]
        whys = [why for _, why in set_beside if why]
        if whys:
            yield from _throughout([it for it, why in set_beside if why], whys[0], (a, b))


def _alike(fields: Sequence[Field]) -> list[list[Field]]:
    """Tables with half of their methods in common, or more."""
    groups: list[tuple[set[str], list[Field]]] = []
    for it in fields:
        own = {of.method for of in it.competitors if of.method}
        for methods, held in groups:
            if own and 2 * len(own & methods) >= len(own | methods):
                held.append(it)
                break
        else:
            groups.append((own, [it]))
    return [held for _, held in groups]


def _throughout(fields: Sequence[Field], why: str | None, pair: tuple[str, ...] = ()) -> Iterator[Draft]:
    led: dict[str, list[Field]] = {}
    for it in fields:
        leaders = set(_leaders(it, pair))
        if len(leaders) == 1 and (leader := leaders.pop()):
            led.setdefault(leader, []).append(it)
    for winner, held in led.items():
        tables = tuple(dict.fromkeys(it.table.id for it in held))
        won = list(dict.fromkeys(it.dataset_name for it in held))
        if len(won) < 2:
            continue
        there = [it for it in fields if it.table.id in tables and _has(it, winner)]
        over = [it for it in pair if it != winner]
        datasets = list(dict.fromkeys(it.dataset for it in held))
        if any(it.dataset in datasets and it not in held for it in there):
            continue  # ahead in one table and not in another
        keys: dict[str, Plain] = {"winner": winner, "tables": list(tables)}
        keys |= ({"over": over} if over else {}) | ({"datasets": datasets} if len(there) > len(held) else {})
        of_all = len({it.dataset for it in there})
        where = f"{len(won)} of {of_all}" if of_all > len(won) else "both" if of_all == 2 else f"all {of_all}"
        beaten = f"better than {_named(held[0], over[0])}" if over else "the best"
        yield Draft(
            "dominance",
            "-".join([tables[0], winner, "throughout", *(f"over-{it}" for it in over)]),
            f"{_named(held[0], winner)} is {beaten} in every metric on {where} data sets",
            f"highest in every metric on {', '.join(won)}" + (f"; {why}" if why else ""),
            tables,
            keys,
            cells=tuple(n.address for it in held for of in it.competitors for n in of.numbers.values()),
        )


def _named(field: Field, method: str) -> str:
    """Its label, without the data set where that is a part of it."""
    label = next(it.label for it in field.competitors if it.method == method)
    return label.removeprefix(field.dataset_name).lstrip(" ,:/-") or label


def _has(field: Field, method: str) -> bool:
    return any(it.method == method for it in field.competitors)


def _leaders(field: Field, pair: Sequence[str]) -> Iterator[str | None]:
    """Who is ahead in each metric, of all or of two; None where two print the same, or one alone is there."""
    of = [it for it in field.competitors if it.method and (not pair or it.method in pair)]
    for metric in field.metrics:
        held = [it for it in of if metric in it.numbers]
        top = max((_value(it, metric) for it in held), default=None)
        best = [it.method for it in held if _value(it, metric) == top]
        yield best[0] if len(best) == 1 and len(held) > 1 else None


# --------------------------------------------------------------------------- parts


def _draft(
    kind: str,
    name: str,
    says: str,
    why: str,
    field: Field,
    keys: Mapping[str, Plain],
    of: Sequence[Competitor],
    metrics: Sequence[str],
) -> Draft:
    numbers = [it.numbers[metric] for it in of for metric in metrics]
    bare = dict.fromkeys(f"{it.table}.{it.row}" for it in numbers if it.cell.experiment is None)
    kept = {key: it for key, it in keys.items() if it is not None}
    cells = tuple(it.address for it in numbers)
    return Draft(kind, name, says, why, (field.table.id,), kept, tuple(bare), cells)


def _value(of: Competitor, metric: str) -> Fraction:
    return of.numbers[metric].value.value


def _common(of: Sequence[Competitor], field: Field) -> list[str]:
    return [metric for metric in field.metrics if all(metric in it.numbers for it in of)]


def _metric_of(of: Sequence[Competitor], reference: str) -> str:
    """The metric of a reference that names its column."""
    return next(metric for metric, it in of[0].numbers.items() if it.address == reference)


def _printed_pair(better: Competitor, worse: Competitor, metrics: Sequence[str]) -> str:
    pairs = [f"{better.numbers[it].text} against {worse.numbers[it].text}" for it in metrics[:3]]
    return ", ".join(pairs) + (", ..." if len(metrics) > 3 else "")


def _last(reference: str) -> str:
    """The row, and the column where it is named."""
    return reference.partition(".")[2]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


#: Rules for one field at a time.
RULES: tuple[Callable[[Sheet, Field], Iterator[Draft]], ...] = (best_ones, better_ones, sweeps)
