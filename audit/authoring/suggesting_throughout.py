"""Who is best in every metric on several data sets, or better than one other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from audit.authoring.suggesting_drafts import Draft, value, why_paired
from audit.authoring.suggesting_fields import Field
from audit.claim_source import Plain


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
        set_beside = [(it, why_paired(of[0], of[1], it.labels)) for it, of in pairs if len(of) == 2]
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
        top = max((value(it, metric) for it in held), default=None)
        best = [it.method for it in held if value(it, metric) == top]
        yield best[0] if len(best) == 1 and len(held) > 1 else None
