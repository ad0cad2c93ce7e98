"""Runs by the best values of a study, and what is told of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment
from audit.record import Deviation
from audit.runner.data_request import DataRequest
from audit.runner.tuning.question import question_of, tuning_of
from audit.storage import studies as study_store
from audit.study import Json, Study

if TYPE_CHECKING:
    from reimpl.protocol import Protocol


@dataclass(frozen=True)
class Settled:
    """An experiment's settings, as claimed and as used."""

    config: Any
    used: Protocol
    claimed_config: Any
    claimed: Protocol


class UntunedError(Exception):
    """No study in the store answers the experiment's question."""


@dataclass(frozen=True)
class Tuned:
    """Settings after the search, and what is told of it."""

    settings: Settled
    study: Study | None = None
    deviations: tuple[Deviation, ...] = ()
    untuned: bool = False
    """Whether the paper tunes, and here nothing was sought or in fewer trials."""


@dataclass(frozen=True)
class Choice:
    """What the user chose about tuning."""

    store: Path
    untuned: bool = False
    tuned_on: Path | None = None
    precision: str = "float32"


def tuned(
    name: str,
    experiment: Experiment,
    settings: Settled,
    *,
    module: ModuleType,
    catalogue: str | None,
    request: DataRequest,
    choice: Choice,
) -> Tuned:
    """The experiment's settings, with the best values of its study where it asks for one.

    Raises `UntunedError` where there is no such study, `PlanError` where the protocol has nothing to seek,
    and `StoreError` for a study that is not as it was written.
    """
    if experiment.tuning is None:
        return Tuned(settings)
    if choice.untuned:
        return Tuned(settings, deviations=(_not_tuned(experiment),), untuned=True)
    if not study_store.any_there(choice.store):  # most stores: nothing is held out only to be told so
        raise UntunedError(name)
    elsewhere = None
    sought_on = choice.tuned_on.resolve() if choice.tuned_on else request.folder
    if sought_on is not None and sought_on != request.folder:
        request, elsewhere = replace(request, folder=sought_on), sought_on.name
    question = question_of(
        name,
        experiment,
        catalogue=catalogue,
        module=module,
        config=settings.config,
        used=settings.used,
        request=request,
        precision=choice.precision,
        device="",
    )
    study = study_store.answering(choice.store, question.spec)
    if study is None:
        raise UntunedError(name)
    departure = _departure(study, experiment, elsewhere=elsewhere)
    fewer = study.counted < tuning_of(experiment).trials
    return Tuned(with_best(study, settings, module), study, (departure,), untuned=fewer)


def with_best(study: Study, settings: Settled, module: ModuleType) -> Settled:
    """The same with the best values of the study in all four: what was tuned is no departure.

    Raises `reimpl.errors.ConfigError`.
    """
    from reimpl.config_fields import as_dict
    from reimpl.models import find_config
    from reimpl.protocol import with_training

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


def with_kept(
    tuned: Settled, plain: Settled, config: Iterable[str], training: Iterable[str], module: ModuleType
) -> Settled:
    """The tuned settings, but for these keys of configuration and protocol: those are as in `plain`."""
    from reimpl.config_fields import as_dict
    from reimpl.models import find_config
    from reimpl.protocol import with_training

    keys, fields = list(config), list(training)

    def kept(new: Any, old: Any) -> Any:
        held = as_dict(old)
        return find_config(module, None, {**as_dict(new), **{key: held[key] for key in keys}})

    def trained(new: Protocol, old: Protocol) -> Protocol:
        return with_training(new, {key: getattr(old, key) for key in fields})

    return Settled(
        kept(tuned.config, plain.config),
        trained(tuned.used, plain.used),
        kept(tuned.claimed_config, plain.claimed_config),
        trained(tuned.claimed, plain.claimed),
    )


def _by_target(values: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    parts: dict[str, dict[str, Json]] = {"config": {}, "training": {}}
    for name, value in values.items():
        target, _, key = name.partition(".")
        parts[target][key] = value
    return parts["config"], parts["training"]


def _departure(study: Study, experiment: Experiment, *, elsewhere: str | None) -> Deviation:
    """How the tuning departs from the paper's; `elsewhere` names other documents that it was done on."""
    protocol = tuning_of(experiment)
    departures = list(study.notes)
    if study.counted < protocol.trials:
        departures.insert(0, f"{study.counted} trials instead of {protocol.trials}")
    if elsewhere:
        warning = f"tuned on {elsewhere}: its training documents may be among the test documents here"
        departures.insert(0, warning)
    here = f"{study.summary}; study {study.key}"
    return Deviation("tuning", protocol.source, here, "; ".join(departures) or "as in the paper")


def _not_tuned(experiment: Experiment) -> Deviation:
    source = tuning_of(experiment).source
    return Deviation("tuning", source, "not tuned: the settings of the claim file", "--untuned")
