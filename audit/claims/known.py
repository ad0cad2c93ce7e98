"""Does what an experiment names exist? `KnownNames` is what may be named, `names_here` what is here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment
from audit.claims.source import KeyPath, Problem
from audit.names import OTHER_MODELS, known_names

if TYPE_CHECKING:
    from audit.claims.load import Paper

Found = tuple[str | None, str] | None
"""What is wrong: the key, if it is one, and a sentence."""


@dataclass(frozen=True)
class KnownNames:
    """What experiments may name."""

    models: Mapping[str, Sequence[str] | None]
    """Each model with its variants; None where they are not known without loading the model."""
    protocols: Sequence[str]
    recipes: Sequence[str]
    training: Callable[[str, Mapping[str, Any]], Found] = lambda protocol, changes: None
    """What is wrong with these changes of that protocol; None for nothing."""
    tuning: Callable[[str | None, Any], Found] = lambda model, said: None
    """The same of how a model's settings are sought."""
    config: Callable[[str, str | None, Mapping[str, Any]], tuple[KeyPath, str] | None] = lambda *_: None
    """The same of a model, a variant and keys that differ, with the path from the experiment. It may load the
    model; where it is left out, configurations are not looked at."""


def unknown_names(paper: Paper, known: KnownNames) -> Iterator[Problem]:
    """Each name of a model, variant, protocol or recipe that is not among the known ones, and what is set of
    them as it cannot be."""
    in_choices: dict[Problem, None] = {}  # of several experiments said once
    for name, experiment in paper.experiments.items():
        path: KeyPath = ("experiments", name)
        yield from (Problem((*path, *place), text) for place, text in _in_experiment(experiment, known))
        for open_name in experiment.readings:
            opened = paper.readings.open.get(open_name) if paper.readings else None
            for choice_name, choice in opened.choices.items() if opened else ():
                place = ("readings", "open", open_name, "choices", choice_name)
                changed = choice.applied(experiment)
                found = [
                    *_in_training(changed, known),
                    *(_in_config(changed, known) if choice.config else ()),
                ]
                own = [*_in_training(experiment, known), *_in_config(experiment, known)]
                in_choices |= {
                    Problem((*place, *at), text): None for at, text in found if (at, text) not in own
                }
    yield from in_choices


def _in_experiment(it: Experiment, known: KnownNames) -> Iterator[tuple[KeyPath, str]]:
    choices: Mapping[str, Collection[str]] = {
        "model": known.models,
        "protocol": known.protocols,
        "recipe": known.recipes,
    }
    for key, choice in choices.items():
        name = getattr(it, key)
        if name and name not in choice:
            more = f"; {OTHER_MODELS}" if key == "model" else ""
            yield (key,), f"there is no {key} {name!r}; {known_names(name, choice)}{more}"
    variants = known.models.get(it.model or "")  # of an unknown model nothing more is said
    if it.variant and variants is not None and it.variant not in variants:
        yield (
            ("variant",),
            f"model {it.model!r} has no variant {it.variant!r}; {known_names(it.variant, variants)}",
        )
    yield from _in_training(it, known)
    yield from _in_config(it, known)
    if it.tuning is not None:
        found = known.tuning(it.model, it.tuning.model_dump(exclude_unset=True))
        if found is not None:
            yield ("tuning", *filter(None, found[:1])), found[1]


def _in_config(it: Experiment, known: KnownNames) -> list[tuple[KeyPath, str]]:
    """Of what is run with these keys; nothing where its model or variant is unknown, or it cannot be run."""
    variants = known.models.get(it.model or "", ())
    if it.model is None or it.variant is None or (variants is not None and it.variant not in variants):
        return []
    found = known.config(it.model, it.variant, it.config)
    return [found] if found else []


def _in_training(it: Experiment, known: KnownNames) -> Iterator[tuple[KeyPath, str]]:
    changed = it.training if it.protocol in known.protocols else {}
    if changed and (found := known.training(it.protocol or "", changed)):
        yield ("training", *filter(None, found[:1])), found[1]


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
