"""Readings of what a paper leaves open: which there are, and what an experiment is called under each.

A reading is a choice for each open thing. It is written as its departures from the default, open thing ->
choice: the default reading has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Literal

from audit.record import OpenChoice, Readings

Departures = Mapping[str, str]
Limit = Literal["full", "one_at_a_time"]

#: More readings of one experiment than this are refused: nobody runs them, and no page shows them.
MOST = 200


def how_many(choices: Iterable[int], limit: Limit) -> int:
    """Readings of so many choices for each open thing.

    >>> how_many([2, 3], "full"), how_many([2, 3], "one_at_a_time")
    (6, 4)
    """
    counts = list(choices)
    return prod(counts) if limit == "full" else 1 + sum(it - 1 for it in counts)


def grid(open_choices: Sequence[OpenChoice], limit: Limit) -> tuple[Departures, ...]:
    """All readings, the default first, in the order of the claim file."""
    if limit == "one_at_a_time":
        single = ({it.name: choice} for it in open_choices for choice in it.choices[1:])
        return ({}, *single)
    found = []
    for chosen in product(*(it.choices for it in open_choices)):
        pairs = zip(open_choices, chosen, strict=True)
        found.append({it.name: choice for it, choice in pairs if choice != it.choices[0]})
    return tuple(found)


def declared(readings: Readings | None, experiments: Iterable[str]) -> tuple[Departures, ...]:
    """The readings of a claim about these experiments; none where nothing is open in any of them.

    They share what has one name: under each reading all of them make the same choice of it.
    """
    if readings is None:
        return ()
    names = {name for it in experiments for name in readings.of.get(it, ())}
    found = [it for it in readings.open if it.name in names]
    return grid(found, readings.limit) if found else ()


def within(reading: Departures, names: Iterable[str]) -> Departures:
    """What is left of a reading for an experiment in which only `names` are open."""
    held = set(names)
    return {name: choice for name, choice in reading.items() if name in held}


def experiment_id(experiment: str, reading: Departures) -> str:
    """`rank_ae-delicious~divisor=slots`; the experiment's own id under the default reading."""
    chosen = ",".join(f"{name}={choice}" for name, choice in reading.items())
    return f"{experiment}~{chosen}" if chosen else experiment


def in_words(reading: Departures) -> str:
    """`divisor: slots`, or `the default reading`."""
    text = "; ".join(f"{name}: {choice}" for name, choice in reading.items())
    return text.replace("_", " ") or "the default reading"
