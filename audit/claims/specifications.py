"""Specifications of what a paper leaves open: which there are, and what an experiment is called under each.

A specification is a choice for each open thing. It is written as its departures from the default, open thing
-> choice: the default specification has none.

A claim file declares them before the runs, under the key `readings`:

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

Departures = Mapping[str, str]
Limit = Literal["full", "one_at_a_time"]

#: More specifications of one experiment than this are refused: nobody runs them, and no page shows them.
MOST = 200


def how_many(choices: Iterable[int], limit: Limit) -> int:
    """Specifications of so many choices for each open thing.

    >>> how_many([2, 3], "full"), how_many([2, 3], "one_at_a_time")
    (6, 4)
    """
    counts = list(choices)
    return prod(counts) if limit == "full" else 1 + sum(count - 1 for count in counts)


def grid(open_choices: Sequence[record.OpenChoice], limit: Limit) -> tuple[Departures, ...]:
    """All specifications, the default first, in the order of the claim file."""
    if limit == "one_at_a_time":
        single = ({thing.name: choice} for thing in open_choices for choice in thing.choices[1:])
        return ({}, *single)
    return tuple(
        {
            thing.name: choice
            for thing, choice in zip(open_choices, choices, strict=True)
            if choice != thing.choices[0]
        }
        for choices in product(*(thing.choices for thing in open_choices))
    )


def declared(
    specifications: record.Specifications | None, experiments: Iterable[str]
) -> tuple[Departures, ...]:
    """The specifications of a claim about these experiments; none where nothing is open in any of them.

    They share what has one name: under each specification all of them make the same choice of it.
    """
    if specifications is None:
        return ()
    names = {name for experiment in experiments for name in specifications.of.get(experiment, ())}
    open_choices = [thing for thing in specifications.open if thing.name in names]
    return grid(open_choices, specifications.limit) if open_choices else ()


def within(specification: Departures, names: Iterable[str]) -> Departures:
    """What is left of a specification for an experiment in which only `names` are open."""
    open_here = set(names)
    return {name: choice for name, choice in specification.items() if name in open_here}


def experiment_id(experiment: str, specification: Departures) -> str:
    """`rank_ae-delicious~divisor=slots`; the experiment's own id under the default specification."""
    choices = ",".join(f"{name}={choice}" for name, choice in specification.items())
    return f"{experiment}~{choices}" if choices else experiment


def in_words(specification: Departures) -> str:
    """`divisor: slots`."""
    return "; ".join(f"{name}: {choice}" for name, choice in specification.items()).replace("_", " ")


class Choice(Model):
    """What one choice sets otherwise than the experiment; the first choice sets nothing."""

    config: Mapping[Key, Setting] = {}
    """Keys of the model's configuration."""
    training: Mapping[Key, Setting] = {}
    """Fields of the training protocol, as in {optimiser: sgd}."""
    noise: Noise | None = None
    """Another noise in the training labels."""

    def changed_keys(self) -> tuple[str, ...]:
        """What it sets: `config.pooling`, `training.epochs`, `noise`."""
        config = (f"config.{key}" for key in self.config)
        training = (f"training.{key}" for key in self.training)
        return (*config, *training, *(["noise"] if self.noise else []))

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
        first, *others = self.choices.items()
        if first[1].changed_keys():
            text = "is the default, which is the experiment itself; write {} here, and this choice after it"
            yield ("choices", first[0]), text
        for place, (name, choice) in enumerate(others):
            if same := [other for other, earlier in others[:place] if earlier == choice]:
                yield ("choices", name), f"sets the same as choice {same[0]!r}; keep one of them"


class Specifications(Model):
    """The grid of readings of what the paper leaves open; fixed before the first run, as the margins are."""

    limit: Limit
    """full: every combination of choices. one_at_a_time: the default and each single departure from it."""
    open: Annotated[Mapping[Name, Open], Field(min_length=1)]
    """What is open, by a short name; experiments name in `readings` what is open in them."""

    def as_record(self, experiments: Mapping[str, Experiment]) -> record.Specifications:
        """With the experiments, each on one data set, in which something is open."""
        return record.Specifications(
            limit=self.limit,
            open=tuple(
                record.OpenChoice(name, thing.why, tuple(thing.choices)) for name, thing in self.open.items()
            ),
            of={name: experiment.readings for name, experiment in experiments.items() if experiment.readings},
        )


@dataclass(frozen=True)
class SpecifiedExperiment:
    """An experiment under another specification than the default."""

    base: str
    """Id of the experiment as the claim file describes it."""
    specification: Departures
    experiment: Experiment
    sets: tuple[str, ...]
    """The keys of the experiment that the specification sets, whatever else is set there."""


def specified_experiments(
    specifications: Specifications | None, experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, SpecifiedExperiment]]:
    """Every experiment under every specification but the default, with its id."""
    if specifications is None:
        return
    described = specifications.as_record(experiments)
    for base in described.of:
        for specification in declared(described, [base])[1:]:
            choices = [specifications.open[name].choices[choice] for name, choice in specification.items()]
            changed = experiments[base]
            for choice in choices:
                changed = choice.applied(changed)
            title = f"{changed.title} ({in_words(specification)})"
            yield (
                experiment_id(base, specification),
                SpecifiedExperiment(
                    base,
                    specification,
                    changed.model_copy(update={"title": title}),
                    tuple(key for choice in choices for key in choice.changed_keys()),
                ),
            )


def fixed(
    specifications: Specifications | None, experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What must not change once a run of an experiment has begun: its specifications, by an id of their own.

    Specifications that are declared later are seen by that: they stand beside the claims as something added.
    """
    for base, experiment in experiments.items():
        if specifications is not None and experiment.readings:
            open_here = {
                name: [{"name": key, **it.model_dump(mode="json")} for key, it in thing.choices.items()]
                for name, thing in specifications.open.items()
                if name in experiment.readings
            }
            id = f"readings:{base}"
            yield id, {"id": id, "limit": specifications.limit, "open": open_here}
