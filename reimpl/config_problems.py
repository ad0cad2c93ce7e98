"""What is wrong with the model, variant and configuration of an experiment, as a run would find it.

Importing this module does not import torch; asking does, since the models define their configurations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from reimpl.errors import ConfigError
from reimpl.models import find_config, find_model

Place = tuple[str | int, ...]


def config_problems(
    model: str, variant: str | None, config: Mapping[str, Any]
) -> Iterator[tuple[Place, str]]:
    """Each problem with the keys that lead to it from the experiment, as ("config", "maps"), and a sentence.

    A key that is unknown or of another type is told and left out, and the rest is looked at; where keys do
    not go together, nothing more is said.
    """
    try:
        module = find_model(model)
    except ConfigError as err:
        yield ("model",), str(err)
        return
    if variant is not None and variant not in module.VARIANTS:
        known = ", ".join(module.VARIANTS)
        yield ("variant",), f"model {model!r} has no variant {variant!r}; known are {known}"
        return
    yield from _in_config(module, variant, config)


def _in_config(
    module: ModuleType, variant: str | None, config: Mapping[str, Any]
) -> Iterator[tuple[Place, str]]:
    found = _problem(module, variant, config)
    while found is not None:
        yield ("config", *found.place), str(found)
        rest = without(config, found.place) if found.alone else None
        if rest is None:
            return
        config, found = rest, _problem(module, variant, rest)


def _problem(module: ModuleType, variant: str | None, config: Mapping[str, Any]) -> ConfigError | None:
    try:
        find_config(module, variant, config)
    except ConfigError as err:
        return err
    return None


def without(config: Mapping[str, Any], place: Place) -> dict[str, Any] | None:
    """The configuration without the key at `place`; None where it does not stand there."""
    if not place or place[0] not in config:
        return None
    key, *within = place
    inner = config[str(key)]
    if within and isinstance(inner, Mapping) and (less := without(inner, tuple(within))) is not None:
        return {**config, str(key): less}
    return {name: value for name, value in config.items() if name != key}
