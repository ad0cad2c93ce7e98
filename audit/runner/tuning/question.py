"""What is to be sought for an experiment: its trials' settings, its ranges, the documents held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audit.claims.experiments import Experiment
from audit.claims.load import Paper
from audit.errors import PlanError
from audit.record import Json
from audit.runner.data_request import DataRequest
from audit.runner.resolve import Resolved, Settings, UnfitError, check_protocol, resolved, selected
from audit.study import SearchRange, StudySpec

if TYPE_CHECKING:
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


def questions(
    paper: Paper,
    settings: Settings,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    epochs: int | None = None,
) -> tuple[Question, ...]:
    """One for each different question of the experiments that `only` names, in the order of the file.

    Experiments of one question share a study. Raises `PlanError` where none of them asks for tuning or can be
    had on the corpus, and what `make_plan` raises.
    """
    check_protocol(settings.protocol)
    wanted = selected(paper, only)
    asking = {
        name: it
        for name, it in paper.single_experiments.items()
        if (wanted is None or name in wanted) and it.tuning
    }
    if not asking:
        which = "none of these experiments" if only else "no experiment"
        raise PlanError(
            f"{paper.paper.key}: {which} asks for tuning in the claim file; "
            "add tuning: NAME, as in tuning: wang2019, or run it as it is"
        )
    found: dict[str, Question] = {}
    unfit: list[str] = []
    for name, experiment in asking.items():
        try:
            it = resolved(paper, name, experiment, settings)
        except UnfitError as err:
            unfit.append(f"{name}: {err}")
            continue
        question = question_of(name, experiment, it, settings, seed=seed, epochs=epochs)
        same = found.get(question.spec.key, question)
        names = tuple(dict.fromkeys((*same.experiments, name)))
        found[question.spec.key] = replace(same, experiments=names, trials=max(same.trials, question.trials))
    if not found:
        raise PlanError(f"{paper.paper.key}: nothing can be tuned on this corpus ({unfit[0]})")
    return tuple(found.values())


def question_of(
    name: str,
    experiment: Experiment,
    found: Resolved,
    settings: Settings,
    *,
    seed: int = 0,
    epochs: int | None = None,
) -> Question:
    """The question that the experiment's `tuning` puts; `epochs` of a trial instead of the protocol's.

    Raises `PlanError` where the protocol has nothing to seek, and `reimpl.errors.DataError`.
    """
    from reimpl.config_fields import as_dict, as_json
    from reimpl.errors import ConfigError
    from reimpl.models import code_of
    from reimpl.tuning import space_of

    module, used, model = found.module, found.used, experiment.model or ""
    try:
        protocol = tuning_of(experiment)
        space = space_of(
            protocol,
            model,
            as_dict(found.config),
            set_config=experiment.config,
            set_training=experiment.training,
            sizes=getattr(module, "SMALL", used.model) if used.model else {},
        )
    except ConfigError as err:
        raise PlanError(f"experiments.{name}: {err}") from err
    metric = protocol.metric_for(found.catalogue)
    best, whole_epochs = protocol.score == "best", protocol.epochs or used.epochs
    training = replace(  # scored each epoch on the documents held out
        used,
        epochs=epochs or whole_epochs,
        select="best_on_dev" if best else "last",
        select_metric=metric,
        select_above=None,
        keep_from=None,
        patience=protocol.patience if best else None,
        evaluate="every_epoch",
        evaluate_every=None,
        hold_out=None,
    )
    request = replace(found.request, hold_out=protocol.hold_out)
    sought = {(it.target, it.key) for it in space}
    config, fixed = as_json(as_dict(found.config)), as_json(training.as_dict())
    spec = StudySpec(
        model=model,
        config={key: it for key, it in config.items() if ("config", key) not in sought},
        training={key: it for key, it in fixed.items() if ("training", key) not in sought},
        space=tuple(map(_as_range, space)),
        data=request.load().fingerprint,
        metric=metric,
        sampler=protocol.sampler,
        pruner=protocol.pruner,
        seed=seed,
        precision=settings.precision,
        revision=getattr(module, "REVISION", 1),
        code=code_of(module),
    )
    notes = list(protocol.ours)  # what of the search is not the paper's
    if used.deviation:
        notes.append(
            f"trials are of the reduced protocol {used.name} ({used.deviation}); the sizes that it reduces "
            "are not sought"
        )
    if training.epochs != whole_epochs:
        instead = f"{training.epochs} epochs instead of {whole_epochs}"
        notes.append(f"a trial has {instead}: cheaper, and a cruder answer")
    return Question(spec, request, settings.device, (name,), protocol.name, protocol.trials, tuple(notes))


def tuning_of(experiment: Experiment) -> TuningProtocol:
    """The protocol that the experiment names, with its overrides. Raises `ConfigError`."""
    from reimpl.tuning import tuning

    assert experiment.tuning is not None
    return tuning(experiment.tuning.model_dump(exclude_none=True))


def by_target(values: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Values of a trial, parted into those of the configuration and those of the training."""
    parts: dict[str, dict[str, Json]] = {"config": {}, "training": {}}
    for name, value in values.items():
        target, _, key = name.partition(".")
        parts[target][key] = value
    return parts["config"], parts["training"]


def _as_range(it: Parameter) -> SearchRange:
    if it.choices:
        return SearchRange(it.name, choices=it.choices)
    assert it.low is not None and it.high is not None
    return SearchRange(it.name, float(it.low), float(it.high), it.log)
