"""Does what an experiment names exist? `KnownNames` is what may be named, `names_here` what is here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment
from audit.claims.source import KeyPath, Problem
from audit.names import OTHER_MODELS, known_names

if TYPE_CHECKING:
    from audit.claims.load import Paper

Fault = tuple[str | None, str] | None
"""What is wrong: the key, if it is one, and a sentence."""


@dataclass(frozen=True)
class KnownNames:
    """What experiments may name."""

    models: Mapping[str, Sequence[str] | None]
    """Each model with its variants; None where they are not known without loading the model."""
    protocols: Sequence[str]
    recipes: Sequence[str]
    training: Callable[[str, Mapping[str, Any]], Fault] = lambda protocol, changes: None
    """What is wrong with these changes of that protocol; None for nothing."""
    tuning: Callable[[str | None, Any], Fault] = lambda model, settings: None
    """The same of how a model's settings are sought."""
    config: Callable[[str, str | None, Mapping[str, Any]], tuple[KeyPath, str] | None] = lambda *_: None
    """The same of a model, a variant and keys that differ, with the path from the experiment. It may load the
    model; where it is left out, configurations are not looked at."""


def unknown_names(paper: Paper, known: KnownNames) -> Iterator[Problem]:
    """Each name of a model, variant, protocol or recipe that is not among the known ones, and what is set of
    them as it cannot be."""
    in_choices: dict[Problem, None] = {}  # of several experiments told once
    for name, experiment in paper.experiments.items():
        own = [*_in_training(experiment, known), *_in_config(experiment, known)]
        for place, text in (*_in_names(experiment, known), *own):
            yield Problem(("experiments", name, *place), text)
        for thing in experiment.readings:
            opened = paper.readings.open.get(thing) if paper.readings else None
            for choice_name, choice in opened.choices.items() if opened else ():
                changed = choice.applied(experiment)
                faults = [
                    *_in_training(changed, known),
                    *(_in_config(changed, known) if choice.config else ()),
                ]
                path: KeyPath = ("readings", "open", thing, "choices", choice_name)
                for place, text in faults:
                    if (place, text) not in own:
                        in_choices[Problem((*path, *place), text)] = None
    yield from in_choices


def _in_names(experiment: Experiment, known: KnownNames) -> Iterator[tuple[KeyPath, str]]:
    model, variant = experiment.model, experiment.variant
    for key, names in (("model", known.models), ("protocol", known.protocols), ("recipe", known.recipes)):
        name = getattr(experiment, key)
        if name and name not in names:
            more = f"; {OTHER_MODELS}" if key == "model" else ""
            yield (key,), f"there is no {key} {name!r}; {known_names(name, names)}{more}"
    variants = known.models.get(model or "")  # of an unknown model nothing more is said
    if variant and variants is not None and variant not in variants:
        yield ("variant",), f"model {model!r} has no variant {variant!r}; {known_names(variant, variants)}"
    if experiment.tuning is not None:
        fault = known.tuning(model, experiment.tuning.model_dump(exclude_unset=True))
        if fault is not None:
            yield ("tuning", *filter(None, fault[:1])), fault[1]


def _in_config(experiment: Experiment, known: KnownNames) -> Iterator[tuple[KeyPath, str]]:
    """Of what is run with these keys; nothing where its model or variant is unknown, or it cannot be run."""
    model, variant = experiment.model, experiment.variant
    variants = known.models.get(model or "", ())
    if model and variant and (variants is None or variant in variants):
        fault = known.config(model, variant, experiment.config)
        yield from [fault] if fault else []


def _in_training(experiment: Experiment, known: KnownNames) -> Iterator[tuple[KeyPath, str]]:
    protocol, changes = experiment.protocol or "", experiment.training
    if changes and protocol in known.protocols and (fault := known.training(protocol, changes)):
        yield ("training", *filter(None, fault[:1])), fault[1]


def names_here(*, configs: bool = False) -> KnownNames:
    """Found without loading torch.

    With `configs`, the configuration of each experiment is built as a run does it, which loads torch as soon
    as a file has an experiment that runs here.
    """
    from reimpl.data.preprocessing import PREPROCESSINGS
    from reimpl.models import config_problem, known_models, known_variants
    from reimpl.protocol import PROTOCOLS, problem
    from reimpl.tuning import problem as tuning_problem

    models = {name: known_variants(name) for name in known_models()}
    names = KnownNames(models, tuple(PROTOCOLS), tuple(PREPROCESSINGS), problem, tuning_problem)
    return replace(names, config=config_problem) if configs else names
