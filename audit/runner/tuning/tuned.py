"""Runs by the best values of a study, and what is told of that."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audit.record import Deviation
from audit.study import Json, Study, number

if TYPE_CHECKING:
    from reimpl.protocol import Protocol
    from reimpl.tuning import TuningProtocol


@dataclass(frozen=True)
class Settled:
    """An experiment's settings, as claimed and as used."""

    config: Any
    used: Protocol
    claimed_config: Any
    claimed: Protocol


def with_best(study: Study, settings: Settled, module: ModuleType) -> Settled:
    """The same with the best values of the study in all four: what was tuned is no departure.

    Raises `reimpl.errors.ConfigError`.
    """
    from reimpl.config_fields import as_dict
    from reimpl.models import find_config
    from reimpl.training_changes import with_training

    best = study.best
    assert best is not None
    config, training = _by_target(best.values)

    def changed(old: Any) -> Any:
        return find_config(module, None, {**as_dict(old), **config})

    return Settled(
        changed(settings.config),
        with_training(settings.used, training),
        changed(settings.claimed_config),
        with_training(settings.claimed, training),
    )


def _by_target(values: Any) -> tuple[dict[str, Json], dict[str, Json]]:
    parts: dict[str, dict[str, Json]] = {"config": {}, "training": {}}
    for name, value in values.items():
        target, _, key = name.partition(".")
        parts[target][key] = value
    return parts["config"], parts["training"]


def deviation_of(study: Study, protocol: TuningProtocol, *, elsewhere: str | None) -> Deviation:
    """How the tuning departs from the paper's; `elsewhere` names other documents that it was done on."""
    departures = list(study.notes)
    if study.counted < protocol.trials:
        departures.insert(0, f"{study.counted} trials instead of {protocol.trials}")
    if elsewhere:
        departures.insert(
            0, f"tuned on {elsewhere}, whose training documents may be among the test documents here"
        )
    here = f"{study.summary}; study {study.key}"
    return Deviation("tuning", protocol.source, here, "; ".join(departures) or "as in the paper")


def not_tuned(protocol: TuningProtocol, names: tuple[str, ...]) -> Deviation:
    """Of an experiment that is run without the tuning that it asks for."""
    sought = ", ".join(name.partition(".")[2] for name in names)
    return Deviation("tuning", f"{sought} tuned ({protocol.source})", "not tuned", "--untuned")


def values_in_words(study: Study) -> str:
    """`balance = 0.012, margin = 0.08`"""
    best = study.best
    assert best is not None
    return ", ".join(f"{name.partition('.')[2]} = {number(it)}" for name, it in best.values.items())
