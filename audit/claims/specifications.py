"""Readings of what a paper leaves open: which there are, and what an experiment is called under each.

A reading is a choice for each open thing. It is written as its departures from the default, open thing ->
choice: the default reading has none.

A claim file declares them before the runs:

readings:
  limit: one_at_a_time
  open:
    divisor:
      why: Section 2.4 averages over the words, and does not say over which.
      choices:
        words: {}                              # the default: the experiment as it is described
        vocabulary: {config: {pooling: slots}}
experiments:
  rank_ae: {..., readings: [divisor]}"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Annotated, Any, Literal

from pydantic import Field

from audit import record
from audit.claims.experiments import Experiment, Noise
from audit.claims.schema import Key, Misfit, Model, Name, Setting, Text
from audit.record import OpenChoice
from audit.record import Readings as ReadingsRecord

Departures = Mapping[str, str]
Limit = Literal["full", "one_at_a_time"]

#: More readings of one experiment than this are refused: nobody runs them, and no page shows them.
MOST = 200


def how_many(choices: Iterable[int], limit: Limit) -> int:
    """ReadingsRecord of so many choices for each open thing.

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


def declared(readings: ReadingsRecord | None, experiments: Iterable[str]) -> tuple[Departures, ...]:
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


class Choice(Model):
    """What one choice sets otherwise than the experiment; the first choice sets nothing."""

    config: Mapping[Key, Setting] = {}
    """Keys of the model's configuration."""
    training: Mapping[Key, Setting] = {}
    """Fields of the training protocol, as in {optimiser: sgd}."""
    noise: Noise | None = None
    """Another noise in the training labels."""

    def applied(self, experiment: Experiment) -> Experiment:
        """The experiment with this choice."""
        changes: dict[str, Any] = {
            "config": {**experiment.config, **self.config},
            "training": {**experiment.training, **self.training},
        }
        return experiment.model_copy(update=changes | ({"noise": self.noise} if self.noise else {}))


class Open(Model):
    """Something that the paper leaves open."""

    why: Text
    """What the paper says of it and what it does not, with the place."""
    choices: Annotated[Mapping[Name, Choice], Field(min_length=2)]
    """Its choices by a short name. The first is the default and sets nothing: it is the experiment itself."""

    def misfits(self) -> Iterator[Misfit]:
        first, *others = [(name, it.model_dump()) for name, it in self.choices.items()]
        if first[1] != Choice().model_dump():
            text = "is the default, which is the experiment itself; write {} here, and this choice after it"
            yield ("choices", first[0]), text
        for place, (name, sets) in enumerate(others):
            same = [other for other, what in others[:place] if what == sets]
            if same:
                yield ("choices", name), f"sets the same as choice {same[0]!r}; keep one of them"


class Readings(Model):
    """The grid of readings of what the paper leaves open; fixed before the first run, as the margins are."""

    limit: Literal["full", "one_at_a_time"]
    """full: every combination of choices. one_at_a_time: the default and each single departure from it."""
    open: Annotated[Mapping[Name, Open], Field(min_length=1)]
    """What is open, by a short name; experiments name in `readings` what is open in them."""

    def as_record(self, experiments: Mapping[str, Experiment]) -> record.Readings:
        """With the experiments, each on one data set, in which something is open."""
        return record.Readings(
            limit=self.limit,
            open=tuple(record.OpenChoice(name, it.why, tuple(it.choices)) for name, it in self.open.items()),
            of={name: it.readings for name, it in experiments.items() if it.readings},
        )

    def applied(self, experiment: Experiment, reading: Departures) -> Experiment:
        """The experiment under another reading, with a title that says so."""
        changed = experiment
        for name, choice in reading.items():
            changed = self.open[name].choices[choice].applied(changed)
        return changed.model_copy(update={"title": f"{experiment.title} ({in_words(reading)})"})


@dataclass(frozen=True)
class ReadingExperiment:
    """An experiment under another reading than the default."""

    base: str
    """Id of the experiment as the claim file describes it."""
    reading: Departures
    experiment: Experiment
    config: Mapping[str, Any]
    """What the reading sets of the model's configuration, whatever else is set there."""
    training: Mapping[str, Any]
    """The same of the protocol."""


def reading_experiments(
    readings: Readings | None, experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, ReadingExperiment]]:
    """Every experiment under every reading but the default, with its id."""
    if readings is None:
        return
    described = readings.as_record(experiments)
    for base, names in described.of.items():
        for reading in grid([it for it in described.open if it.name in names], readings.limit)[1:]:
            chosen = [readings.open[name].choices[choice] for name, choice in reading.items()]
            config = {key: value for it in chosen for key, value in it.config.items()}
            training = {key: value for it in chosen for key, value in it.training.items()}
            changed = readings.applied(experiments[base], reading)
            yield experiment_id(base, reading), ReadingExperiment(base, reading, changed, config, training)


def fixed(
    readings: Readings | None, experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What must not change once a run of an experiment has begun: its readings, by an id of their own.

    Readings that are declared later are seen by that: they stand beside the claims as something added.
    """
    if readings is None:
        return
    for base, experiment in experiments.items():
        if experiment.readings:
            open_here = {
                name: [{"name": key, **it.model_dump(mode="json")} for key, it in held.choices.items()]
                for name, held in readings.open.items()
                if name in experiment.readings
            }
            entry = {"id": f"readings:{base}", "limit": readings.limit, "open": open_here}
            yield f"readings:{base}", entry
