"""Does what an experiment names exist? `KnownNames` is what may be named, `names_here` what is here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from audit.claims.names import FileNames, PlainMapping, entries, mapping, sequence
from audit.claims.schema import MODULE, Tuning
from audit.claims.source import KeyPath, Problem, is_visible
from audit.names import OTHER_MODELS, known_names


@dataclass(frozen=True)
class KnownNames:
    """What experiments may name."""

    models: Mapping[str, Sequence[str] | None]
    """Each model with its variants; None where they are not known without loading the model."""
    protocols: Sequence[str]
    recipes: Sequence[str]
    training: Callable[[str, Mapping[str, Any]], tuple[str | None, str] | None] = lambda protocol, changes: (
        None
    )
    """What is wrong with these changes of that protocol: the key, if it is one, and a sentence; or None."""
    tuning: Callable[[str | None, Any], tuple[str | None, str] | None] = lambda model, said: None
    """The same of how a model's settings are sought."""
    config: Callable[[str, str | None, Mapping[str, Any]], Iterable[tuple[KeyPath, str]]] = lambda *_: ()
    """The same of a model, a variant and keys that differ: paths from the experiment, and sentences. It may
    load the model; where it is left out, configurations are not looked at."""


def unknown_names(names: FileNames, known: KnownNames) -> Iterator[Problem]:
    """Each name of a model, variant, protocol or recipe that is not among the known ones."""
    for path, entry in entries(names.content, "experiments"):
        yield from _in_experiment(path, entry, known)
        yield from _in_config(path, entry, known)
    yield from dict.fromkeys(_in_readings(names, known))  # of several experiments said once


def _in_readings(names: FileNames, known: KnownNames) -> Iterator[Problem]:
    """Choices that change the protocol of an experiment as it cannot be changed."""
    there = mapping(mapping(names.content.get("readings")).get("open"))
    for _, entry in entries(names.content, "experiments"):
        for name in (it for it in sequence(entry.get("readings")) if isinstance(it, str)):
            for choice, content in mapping(mapping(there.get(name)).get("choices")).items():
                held, chosen = mapping(entry.get("training")), mapping(mapping(content).get("training"))
                path = ("readings", "open", name, "choices", choice)
                for found in _in_training(path, {**entry, "training": {**held, **chosen}}, known):
                    if found.path[-1] in chosen or found.path[-1] not in held:  # else it is the experiment's
                        yield found
                yield from _in_choice(path, entry, mapping(mapping(content).get("config")), known)


def _in_experiment(path: KeyPath, entry: PlainMapping, known: KnownNames) -> Iterator[Problem]:
    choices: dict[str, Collection[str]] = {
        "model": known.models,
        "protocol": known.protocols,
        "recipe": known.recipes,
    }
    for key, choice in choices.items():
        name = _readable(key, entry)
        if name and name not in choice:
            more = f"; {OTHER_MODELS}" if key == "model" else ""
            yield Problem((*path, key), f"there is no {key} {name!r}; {known_names(name, choice)}{more}")
    model, variant = _readable("model", entry), _readable("variant", entry)
    variants = known.models.get(model) if model else None  # of an unknown model nothing more is said
    if variant and variants is not None and variant not in variants:
        text = f"model {model!r} has no variant {variant!r}; {known_names(variant, variants)}"
        yield Problem((*path, "variant"), text)
    yield from _in_training(path, entry, known)
    yield from _in_tuning(path, entry, known)


def _in_config(path: KeyPath, entry: PlainMapping, known: KnownNames) -> Iterator[Problem]:
    for place, why in _of_config(entry, mapping(entry.get("config")), known):
        yield Problem((*path, *place), why)


def _in_choice(
    path: KeyPath, entry: PlainMapping, config: PlainMapping, known: KnownNames
) -> Iterator[Problem]:
    """What a choice makes of an experiment that is sound without it."""
    held = mapping(entry.get("config"))
    if config and not _of_config(entry, held, known):
        for place, why in _of_config(entry, {**held, **config}, known):
            yield Problem((*path, *place), why)


def _of_config(entry: PlainMapping, config: PlainMapping, known: KnownNames) -> list[tuple[KeyPath, str]]:
    """Problems of what is run with these keys; none where the names are not sound, or nothing is run."""
    model, variant = _readable("model", entry), _readable("variant", entry)
    variants = known.models.get(model) if model else None
    idle = entry.get("unavailable") is not None
    if model is None or variant is None or idle or model not in known.models or not _is_finite(config):
        return []
    if variants is not None and variant not in variants:
        return []
    return list(known.config(model, variant, config))


def _is_finite(value: Any) -> bool:
    """Whether it has none of YAML's numbers that JSON has not, which are told already."""
    held = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return all(map(_is_finite, held)) and not (isinstance(value, float) and not math.isfinite(value))


def _in_tuning(path: KeyPath, entry: PlainMapping, known: KnownNames) -> Iterator[Problem]:
    said = entry.get("tuning")
    if said is not None and entry.get("noise") is not None:
        yield Problem((*path, "tuning"), "stands beside noise; drop one of them")
    elif isinstance(said, str | dict) and _is_sound(said):
        found = known.tuning(_readable("model", entry), said)
        if found is not None:
            key, why = found
            held = (key,) if key and isinstance(said, dict) and key in said else ()
            yield Problem((*path, "tuning", *held), why)


def _is_sound(said: Any) -> bool:
    """Whether `audit.claims.schema` has nothing to say about it."""
    try:
        Tuning.model_validate(said)
    except ValidationError:
        return False
    return True


def _in_training(path: KeyPath, entry: PlainMapping, known: KnownNames) -> Iterator[Problem]:
    protocol, training = _readable("protocol", entry), entry.get("training")
    if protocol and protocol in known.protocols and isinstance(training, dict) and training:
        while training and (found := known.training(protocol, training)):
            key, why = found
            yield Problem((*path, "training", *((key,) if key else ())), why)
            if key not in training:
                return
            training = {name: value for name, value in training.items() if name != key}  # what else is wrong


def _readable(key: str, entry: PlainMapping) -> str | None:
    """The name as it is read; None where `audit.claims.schema` refuses it already."""
    value = entry.get(key)
    if not isinstance(value, str):
        return None
    if key == "model":
        return value if re.fullmatch(MODULE, value) else None
    return value.strip() if is_visible(value.strip()) else None


def names_here(*, configs: bool = False) -> KnownNames:
    """Found without loading torch.

    With `configs`, the configuration of each experiment is built as a run does it, which loads torch as soon
    as a file has an experiment that runs here.
    """
    from reimpl.data.recipe import RECIPES
    from reimpl.models import config_problems, known_models, known_variants
    from reimpl.protocol import PROTOCOLS, problem
    from reimpl.tuning import problem as tuning_problem

    models = {name: known_variants(name) for name in known_models()}
    names = KnownNames(models, tuple(PROTOCOLS), tuple(RECIPES), problem, tuning_problem)
    return replace(names, config=config_problems) if configs else names
