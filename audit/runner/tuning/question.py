"""What is to be sought for an experiment: its trials' settings, its ranges, the documents held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment
from audit.errors import PlanError
from audit.record import Json
from audit.runner.data_request import DataRequest
from audit.study import SearchRange, StudySpec

if TYPE_CHECKING:
    from reimpl.protocol import Protocol
    from reimpl.tuning import Parameter, TuningProtocol


@dataclass(frozen=True)
class Question:
    """A study to be made: what decides it, and how a process gets at its data."""

    spec: StudySpec
    data: DataRequest
    """With the rule by which documents are held out."""
    device: str
    experiments: tuple[str, ...]
    protocol: str
    """Name of the tuning protocol."""
    trials: int
    """That the protocol asks for."""
    notes: tuple[str, ...] = ()

    @property
    def epochs(self) -> int:
        """Of a whole trial."""
        return int(self.spec.training["epochs"])


def question_of(
    name: str,
    experiment: Experiment,
    *,
    catalogue: str | None,
    module: ModuleType,
    config: Any,
    used: Protocol,
    request: DataRequest,
    precision: str,
    device: str,
    seed: int = 0,
    epochs: int | None = None,
) -> Question:
    """The question that the experiment's `tuning` puts, for a model of `config` under the protocol `used`.

    `catalogue` is the data set's; some protocols have a metric of its own for it. `epochs` of a trial instead
    of the protocol's. Raises `PlanError` where the protocol has nothing to seek, and
    `reimpl.errors.DataError`.
    """
    from reimpl.config_fields import as_dict, as_json
    from reimpl.errors import ConfigError
    from reimpl.models import code_of

    try:
        protocol = tuning_of(experiment)
        space = _space(protocol, experiment, module, as_dict(config), used)
    except ConfigError as err:
        raise PlanError(f"experiments.{name}: {err}") from err
    metric = protocol.metric_for(catalogue)
    training = trial_training(protocol, used, metric, epochs)
    held = replace(request, hold_out=protocol.hold_out)
    spec = StudySpec(
        model=experiment.model or "",
        config=_without("config", as_json(as_dict(config)), space),
        training=_without("training", as_json(training.as_dict()), space),
        space=tuple(map(_as_range, space)),
        data=held.load().fingerprint,
        metric=metric,
        sampler=protocol.sampler,
        pruner=protocol.pruner,
        seed=seed,
        precision=precision,
        revision=getattr(module, "REVISION", 1),
        code=code_of(module),
    )
    notes = tuple(_notes(protocol, used, training, whole_epochs=protocol.epochs or used.epochs))
    return Question(spec, held, device, (name,), protocol.name, protocol.trials, notes)


def tuning_of(experiment: Experiment) -> TuningProtocol:
    """The protocol that the experiment names, with its overrides. Raises `ConfigError`."""
    from reimpl.tuning import tuning

    assert experiment.tuning is not None
    return tuning(experiment.tuning.model_dump(exclude_none=True))


def trial_training(
    protocol: TuningProtocol, used: Protocol, metric: str, epochs: int | None = None
) -> Protocol:
    """The training of a trial, scored each epoch on the documents held out (`without_test`)."""
    best = protocol.score == "best"
    return replace(
        used,
        epochs=epochs or protocol.epochs or used.epochs,
        select="best_on_dev" if best else "last",
        select_metric=metric,
        select_above=None,
        keep_from=None,
        patience=protocol.patience if best else None,
        evaluate="every_epoch",
        evaluate_every=None,
        hold_out=None,
    )


def _space(
    protocol: TuningProtocol,
    experiment: Experiment,
    module: ModuleType,
    config: Mapping[str, Any],
    used: Protocol,
) -> tuple[Parameter, ...]:
    from reimpl.tuning import space_of

    reduced = getattr(module, "SMALL", used.model) if used.model else {}
    return space_of(
        protocol,
        experiment.model or "",
        config,
        set_config=experiment.config,
        set_training=experiment.training,
        sizes=reduced,
    )


def _without(target: str, values: Mapping[str, Json], space: tuple[Parameter, ...]) -> dict[str, Json]:
    """What every trial has: without what is sought."""
    sought = {it.key for it in space if it.target == target}
    return {key: value for key, value in values.items() if key not in sought}


def _as_range(it: Parameter) -> SearchRange:
    if it.choices:
        return SearchRange(it.name, choices=it.choices)
    assert it.low is not None and it.high is not None
    return SearchRange(it.name, float(it.low), float(it.high), it.log)


def _notes(
    protocol: TuningProtocol, used: Protocol, training: Protocol, *, whole_epochs: int
) -> Iterator[str]:
    """What of the search is not the paper's."""
    yield from protocol.ours
    if used.deviation:
        yield (
            f"trials are of the reduced protocol {used.name} ({used.deviation}); the sizes that it reduces "
            "are not sought"
        )
    if training.epochs != whole_epochs:
        yield f"a trial has {training.epochs} epochs instead of {whole_epochs}: cheaper, and a cruder answer"
