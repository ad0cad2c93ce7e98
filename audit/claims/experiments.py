"""What a claim file asks to run: experiments, and specifications of what the paper leaves open. A
specification ("reading" in claim files) is its departures from the default: open setting -> choice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import PurePosixPath
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from audit import record
from audit.claims.schema import (
    MODULE,
    Count,
    Fingerprint,
    Key,
    Metric,
    Misfit,
    Model,
    Name,
    Setting,
    Shorthand,
    Text,
    repeated,
)
from audit.claims.source import visible
from audit.errors import AuditError
from audit.names import seconds_of


class Noise(Model):
    """Noise that the experiment puts into its training labels; validation and test labels stay clean."""

    kind: Literal["missing", "flipped", "swapped"]
    """missing: labels lost. flipped: entries of the label matrix. swapped: labels lost, as many others
    added."""
    rate: Annotated[float, Field(strict=True, ge=0, le=1)]
    """Share of the labels that the noise changes, 0 to 1, as in 0.6."""
    seed: Annotated[int, Field(strict=True, ge=0)] = 0
    """Seed of the noise; all seeds and methods learn from the same noisy labels."""


class Tuning(Shorthand):
    """How settings are searched before the runs; a protocol's name alone stands for it unchanged."""

    text_keys = ("protocol",)

    protocol: Text
    """Name of a tuning protocol, as in wang2019."""
    trials: Count | None = None
    """Number of settings that are tried."""
    metric: Metric | None = None
    """Metric to maximise on the held-out documents, as in P@3."""
    hold_out: Text | None = None
    """Rule for holding documents out, if the corpus has no validation documents."""
    sampler: Text | None = None
    """Sampler of settings: random or tpe."""
    pruner: Text | None = None
    """Rule that stops trials early: none or median."""
    score: Text | None = None
    """Which epoch of a trial counts: best or last."""
    patience: Count | None = None
    """Epochs in a row without a gain that end a trial."""
    epochs: Count | None = None
    """Epochs of a trial, if fewer than those of a run."""


class Command(Model):
    """A program that makes the experiment's runs; run only with `--allow-commands`."""

    run: Annotated[tuple[Annotated[str, AfterValidator(visible)], ...], Field(min_length=1)]
    """The program and its words, read by no shell; {seed} and {out} stand for the seed and a folder."""
    results: Text
    """The file under {out} that holds the metrics of the run, or its predictions."""
    time_limit: Text = "24h"
    """Time limit, as in 90s, 30m, 2h."""
    cwd: Text | None = None
    """Folder to run it in, relative to the claim file; default: an empty one."""
    truth: Text | None = None
    """True labels of the predicted documents, relative to `cwd`; `results` are then predictions."""
    unit: Literal["percent", "fraction"] | None = None
    """Unit of the metrics; required where both are possible."""
    authors_code: Text | None = None
    """The authors' code that it runs, as URL and commit; only such runs may contradict."""
    same_data: Text | None = None
    """Why its data are the paper's own, if no fingerprint shows it."""
    fingerprint: Fingerprint | None = None
    """Identity of its corpus, as `audit data describe` gives it."""

    def misfits(self) -> Iterator[Misfit]:
        """A word may hold {seed}, the number of the seed, {out}, an empty folder, and {{ for a brace."""
        named: set[str | None] = set()
        for index, word in enumerate(self.run):
            try:
                parts = list(Formatter().parse(word))
            except ValueError:
                yield ("run", index), f"{word!r} has a single brace; write {{{{ or }}}} for one"
                return
            named |= {name for _, name, _, _ in parts}
            for _, name, spec, conversion in parts:
                if name is not None and (name not in ("seed", "out") or spec or conversion):
                    placeholders = "placeholders are {seed} and {out}; write {{ for a brace"
                    yield ("run", index), f"{word!r} has {{{name}}}, and {placeholders}"
                    return
        if not self.run[0].strip():
            yield ("run",), "does not begin with a program; name one, as in python"
        for key, why in (
            ("seed", "every run would be the same"),
            ("out", "the place of its results would be unknown"),
        ):
            if key not in named:
                yield ("run",), f"has no {{{key}}}, so {why}; add it where the program takes it"
        path = PurePosixPath(self.results)
        if path.is_absolute() or ".." in path.parts or "\\" in self.results or not path.name:
            text = f"{self.results!r} is not a file under {{out}}; give its name there, as in metrics.json"
            yield ("results",), text
        try:
            seconds_of(self.time_limit, option="time_limit")
        except AuditError as err:
            yield ("time_limit",), str(err).removeprefix("time_limit ")


class Experiment(Model):
    """What a row claims to have run: either what to run here, or why it cannot be run here."""

    title: Text
    """The experiment in a few words, for the report."""
    dataset: Name | None = None
    """The data set for training and test."""
    datasets: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    """Several data sets instead: one experiment on each, named experiment-dataset."""
    method: Name | None = None
    """Common name of the method across claim files, as in xml_cnn."""
    model: Annotated[str, StringConstraints(pattern=MODULE)] | None = None
    """Name of the model's file in reimpl, as in xml_cnn."""
    variant: Text | None = None
    """Name of a variant in that file."""
    config: Mapping[Key, Setting] = {}
    """Keys that differ from the variant; `audit list model NAME` shows them."""
    protocol: Text | None = None
    """Name of a training protocol, as in chen2022."""
    training: Mapping[Key, Setting] = {}
    """Fields that differ from the protocol, as in {epochs: 10}; `audit list training` shows them."""
    recipe: Text | None = None
    """Name of the recipe that turns texts into token ids and word vectors."""
    vectors: Text | None = None
    """Initial word vectors as the paper or its code states them, as in GloVe 6B, 300 components."""
    vocabulary: Literal["all", "reduced"] = "all"
    """reduced: only words that the benchmark's bag-of-words features know."""
    noise: Noise | None = None
    """Noise in the labels of 80% of the training documents; the other 20% are for validation."""
    readings: tuple[Name, ...] = ()
    """Open choices that concern it, by their names under `readings.open`."""
    tuning: Tuning | None = None
    """How settings are tuned before the runs, as in wang2019; keys of config and training stay fixed."""
    command: Command | None = None
    """A program of its own that makes the runs; then model, variant, protocol and recipe are left out."""
    unavailable: Text | None = None
    """Why it cannot be run here, in one sentence; then model, variant, protocol and recipe are left out."""

    def misfits(self) -> Iterator[Misfit]:
        if (self.dataset is None) == (self.datasets is None):
            yield ("dataset",), "name the data set in dataset, or several in datasets"
        yield from repeated(("datasets",), self.datasets or ())
        to_run = ("model", "variant", "protocol", "recipe")
        keys = (*to_run, "config", "training", "noise", "tuning", "readings")
        stated = [key for key in keys if key in self.model_fields_set and getattr(self, key) is not None]
        if self.command is not None:
            for key in (*stated, *(["unavailable"] if self.unavailable is not None else [])):
                yield (key,), "excludes command, which makes the runs; drop one of them"
        elif self.unavailable is not None:
            text = "excludes unavailable; drop one of them"
            yield from (((key,), text) for key in stated)
        elif missing := [key for key in to_run if key not in stated]:
            what = f"lacks {', '.join(missing)}"
            yield (), f"{what}; add what to run, or say in unavailable why it cannot be run"
        if self.noise is not None and self.tuning is not None:
            yield ("tuning",), "excludes noise; drop one of them"

    @property
    def never_run(self) -> str | None:
        """Why nothing runs it here; None if its model or its own program does."""
        if self.command is not None:
            return None
        return self.unavailable or (None if self.model else f"this toolkit has no model {self.model!r} yet")

    @property
    def on(self) -> str:
        """The data set of an experiment on one; those on several are split before they are used."""
        assert self.dataset is not None
        return self.dataset


class Departure(Model):
    """A difference between what the paper says and what its public code does."""

    what: Text
    """The setting that differs, in a few words."""
    paper: Text
    """What the paper says, in your own words."""
    silent: bool = False
    """Whether the paper says nothing, or leaves something open; the page counts these."""
    code: Text
    """What the public code does, in your own words."""
    source: Text
    """File and line, or place in the text, that shows it."""
    experiments: tuple[Name, ...] | None = None
    """The experiments it concerns; default: all, except with the protocol baseline."""


# --------------------------------------------------------------------------- what the paper leaves open

Departures = Mapping[str, str]
Limit = Literal["full", "one_at_a_time"]

#: More specifications of one experiment than this are refused: nobody runs them, and no page shows them.
MOST = 200


def grid(open_choices: Sequence[record.OpenChoice], limit: Limit) -> tuple[Departures, ...]:
    if limit == "one_at_a_time":
        single = ({thing.name: choice} for thing in open_choices for choice in thing.choices[1:])
        return ({}, *single)
    every = (zip(open_choices, of, strict=True) for of in product(*(it.choices for it in open_choices)))
    return tuple({it.name: of for it, of in pairs if of != it.choices[0]} for pairs in every)


def declared(
    specifications: record.Specifications | None, experiments: Iterable[str]
) -> tuple[Departures, ...]:
    """The specifications of a claim about these experiments; under each, all make the same choice for a
    setting of one name. Empty if nothing is open in any of them."""
    if specifications is None:
        return ()
    names = {name for experiment in experiments for name in specifications.of.get(experiment, ())}
    open_choices = [thing for thing in specifications.open if thing.name in names]
    return grid(open_choices, specifications.limit) if open_choices else ()


def experiment_id(experiment: str, specification: Departures, open_here: Collection[str]) -> str:
    """`rank_ae-delicious~divisor=slots`, from the choices of the experiment's open settings."""
    chosen = ",".join(f"{name}={choice}" for name, choice in specification.items() if name in open_here)
    return f"{experiment}~{chosen}" if chosen else experiment


def in_words(specification: Departures) -> str:
    return "; ".join(f"{name}: {choice}" for name, choice in specification.items()).replace("_", " ")


class Choice(Model):
    """What one choice sets differently from the experiment; the first choice sets nothing."""

    config: Mapping[Key, Setting] = {}
    """Keys of the model's configuration."""
    training: Mapping[Key, Setting] = {}
    """Fields of the training protocol, as in {optimiser: sgd}."""
    noise: Noise | None = None
    """Another noise in the training labels."""

    def changed_keys(self) -> tuple[str, ...]:
        """The keys that it sets: `config.pooling`, `training.epochs`, `noise`."""
        config = (f"config.{key}" for key in self.config)
        training = (f"training.{key}" for key in self.training)
        return (*config, *training, *(["noise"] if self.noise else []))

    def applied(self, experiment: Experiment) -> Experiment:
        changes: dict[str, Any] = {
            "config": {**experiment.config, **self.config},
            "training": {**experiment.training, **self.training},
        }
        return experiment.model_copy(update=changes | ({"noise": self.noise} if self.noise else {}))


class Open(Model):
    """A setting that the paper leaves open."""

    why: Text
    """What the paper says about it and what it leaves open, with the place."""
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
    """Open choices by a short name; experiments list theirs under `readings`."""

    def as_record(self, experiments: Mapping[str, Experiment]) -> record.Specifications:
        """The record, with the experiments, each on one data set, that have open settings."""
        return record.Specifications(
            limit=self.limit,
            open=tuple(record.OpenChoice(it, of.why, tuple(of.choices)) for it, of in self.open.items()),
            of={name: experiment.readings for name, experiment in experiments.items() if experiment.readings},
        )


@dataclass(frozen=True)
class SpecifiedExperiment:
    base: str  # Id of the experiment as the claim file describes it.
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
            changed = changed.model_copy(update={"title": title})
            sets = tuple(key for choice in choices for key in choice.changed_keys())
            name = experiment_id(base, specification, specification)
            yield name, SpecifiedExperiment(base, specification, changed, sets)


def fixed(
    specifications: Specifications | None, experiments: Mapping[str, Experiment]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What must not change once a run of an experiment has begun: its specifications, by ids of their own, so
    that those declared later are noticed."""
    for base, experiment in experiments.items():
        if specifications is not None and experiment.readings:
            open_here = {
                name: [{"name": key, **of.model_dump(mode="json")} for key, of in thing.choices.items()]
                for name, thing in specifications.open.items()
                if name in experiment.readings
            }
            id = f"readings:{base}"
            yield id, {"id": id, "limit": specifications.limit, "open": open_here}
