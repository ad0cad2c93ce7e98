"""Tuning: what is to be sought for an experiment, studies on disk, and runs by the best values of one.

STORE/studies/KEY.json       a study whose budget was spent, in one step and with a seal
STORE/studies/KEY/           what the search works with: Optuna's journal, and locks of trials at work
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.claims.experiments import Experiment
from audit.claims.load import Paper
from audit.errors import PlanError, StoreError
from audit.json_errors import RecordError
from audit.record import Deviation, Json
from audit.runner.resolve import DataRequest, Resolved, UnfitError, check_protocol, resolved, selected
from audit.settings import RunSettings, TrainingSettings
from audit.storage.files import explained, read_sealed, write_sealed
from audit.study import STUDY_FORMAT, SearchRange, Study, StudySpec

if TYPE_CHECKING:
    from reimpl.protocol import TuningProtocol


def study_path(store: Path, key: str) -> Path:
    """The record of a study whose budget was spent; the search works in the folder of the same name."""
    return store / "studies" / f"{key}.json"


def put_study(store: Path, study: Study) -> Study:
    """Write the record, in place of an earlier one with fewer trials; returned with its seal."""
    path = study_path(store, study.key)
    with explained(path):
        write_sealed(path, study)
    return get_study(path)


def get_study(path: Path) -> Study:
    """The study of that record. Raises `StoreError` for a file that is not as it was written."""
    try:
        study: Study | None = read_sealed(path, Study, STUDY_FORMAT)
        if study is None or not path.stem == study.key == study.spec.key:
            raise RecordError(f"holds the study {study.key if study else None!r}")
    except RecordError as err:
        raise StoreError(
            f"{path}: no whole study ({err}); restore it, or move it away and `audit tune` writes it again"
        ) from err
    return study


def study_in(store: Path, spec: StudySpec) -> Study | None:
    """Raises `StoreError` for a record that is not as it was written."""
    path = study_path(store, spec.key)
    return get_study(path) if path.exists() else None


# --------------------------------------------------------------------------- what is to be sought


@dataclass(frozen=True)
class Question:
    """A study to be made: what decides it, and how a process gets at its data."""

    spec: StudySpec
    data: DataRequest  # With the rule by which documents are held out.
    device: str
    experiments: tuple[str, ...]
    protocol: str  # Name of the tuning protocol.
    trials: int  # That the protocol asks for.
    notes: tuple[str, ...] = ()


def questions(paper: Paper, settings: TrainingSettings) -> tuple[Question, ...]:
    """One for each different question of the experiments that are asked for, which share a study. Raises
    `PlanError` where none of them asks for tuning or can be had on the corpus."""
    check_protocol(settings.protocol)
    wanted = selected(paper, settings.only)
    experiments = paper.single_experiments.items()
    asking = {name: of for name, of in experiments if of.tuning and (wanted is None or name in wanted)}
    if not asking:
        which = "none of these experiments" if settings.only else "no experiment"
        raise PlanError(f"{paper.paper.key}: {which} asks for tuning in the claim file; add tuning: NAME")
    by_key: dict[str, Question] = {}
    unfit: list[str] = []
    for name, experiment in asking.items():
        try:
            plain = resolved(paper, name, experiment, settings)
        except UnfitError as err:
            unfit.append(f"{name}: {err}")
            continue
        question = question_of(name, experiment, plain, settings)
        same = by_key.get(question.spec.key, question)
        names, trials = dict.fromkeys((*same.experiments, name)), max(same.trials, question.trials)
        by_key[question.spec.key] = replace(same, experiments=tuple(names), trials=trials)
    if not by_key:
        raise PlanError(f"{paper.paper.key}: nothing can be tuned on this corpus ({unfit[0]})")
    return tuple(by_key.values())


def question_of(name: str, experiment: Experiment, plain: Resolved, settings: TrainingSettings) -> Question:
    """The question that the experiment's `tuning` puts. Raises `PlanError` where the protocol has nothing to
    seek, and `reimpl.errors.DataError`."""
    from reimpl.config_fields import as_dict, as_json
    from reimpl.errors import ConfigError
    from reimpl.protocol import space_of

    module, used, model = plain.module, plain.used, experiment.model or ""
    try:
        protocol = tuning_of(experiment)
        space = space_of(
            protocol,
            model,
            as_dict(plain.config),
            set_config=experiment.config,
            set_training=experiment.training,
            sizes=getattr(module, "SMALL", used.model) if used.model else {},
        )
    except ConfigError as err:
        raise PlanError(f"experiments.{name}: {err}") from err
    metric = protocol.metric_for(plain.catalogue)
    best = protocol.score == "best"
    training = replace(  # scored each epoch on the documents held out
        used,
        epochs=protocol.epochs or used.epochs,
        select="best_on_dev" if best else "last",
        select_metric=metric,
        select_above=None,
        keep_from=None,
        patience=protocol.patience if best else None,
        evaluate="every_epoch",
        evaluate_every=None,
        hold_out=None,
    )
    request = replace(plain.request, hold_out=protocol.hold_out)
    sought = {(of.target, of.key) for of in space}
    config, fixed = as_json(as_dict(plain.config)), as_json(training.as_dict())
    spec = StudySpec(
        model=model,
        config={key: value for key, value in config.items() if ("config", key) not in sought},
        training={key: value for key, value in fixed.items() if ("training", key) not in sought},
        space=tuple(
            SearchRange(of.name, choices=of.choices)
            if of.choices
            else SearchRange(of.name, float(of.low or 0), float(of.high or 0), of.log)
            for of in space
        ),
        data=request.load().fingerprint,
        metric=metric,
        sampler=protocol.sampler,
        pruner=protocol.pruner,
        precision=settings.precision,
        revision=getattr(module, "REVISION", 1),
    )
    notes = list(protocol.ours)  # what of the search is not the paper's
    if used.deviation:
        sizes = f"the reduced protocol {used.name} ({used.deviation})"
        notes.append(f"trials are of {sizes}; the sizes that it reduces are not sought")
    return Question(spec, request, settings.device, (name,), protocol.name, protocol.trials, tuple(notes))


def tuning_of(experiment: Experiment) -> TuningProtocol:
    """The protocol that the experiment names, with its overrides. Raises `ConfigError`."""
    from reimpl.protocol import tuning

    assert experiment.tuning is not None
    return tuning(experiment.tuning.model_dump(exclude_none=True))


# --------------------------------------------------------------------------- runs by the best values


class UntunedError(Exception):
    """No study in the store answers the experiment's question."""


def tuned(name: str, experiment: Experiment, plain: Resolved, settings: RunSettings) -> Resolved:
    """The experiment with the best values of its study, where it asks for one: in all four settings, since
    what was tuned is no departure. Raises `UntunedError` where there is no such study, `PlanError` where the
    protocol has nothing to seek."""
    if experiment.tuning is None:
        return plain
    protocol, store = tuning_of(experiment), settings.store
    if settings.untuned:
        what = "not tuned: the settings of the claim file"
        return replace(plain, tuning=(Deviation("tuning", protocol.source, what, "--untuned"),), untuned=True)
    if not any((store / "studies").glob("*.json")):  # most stores: nothing is held out only to be told so
        raise UntunedError(name)
    folder = settings.tuned_on.resolve() if settings.tuned_on else plain.request.folder
    asked = replace(plain, request=replace(plain.request, folder=folder))
    study = study_in(store, question_of(name, experiment, asked, settings).spec)
    if study is None or study.best is None:
        raise UntunedError(name)
    departures = list(study.notes)
    if (trials := len(study.trials)) < protocol.trials:
        departures.insert(0, f"{trials} trials instead of {protocol.trials}")
    if folder is not None and folder != plain.request.folder:
        warning = f"tuned on {folder.name}: its training documents may be among the test documents here"
        departures.insert(0, warning)
    here = f"{study.summary}; study {study.key}"
    why = "; ".join(departures) or "as in the paper"
    tuning, fewer = Deviation("tuning", protocol.source, here, why), trials < protocol.trials
    return with_values(replace(plain, study=study, tuning=(tuning,), untuned=fewer))


def with_values(plain: Resolved, own: Collection[str] = ()) -> Resolved:
    """With the best values of its study, but for the settings `own`, as in `config.margin`. Raises
    `reimpl.errors.ConfigError`."""
    from reimpl.config_fields import as_dict
    from reimpl.models import find_config
    from reimpl.protocol import with_training

    if plain.study is None or plain.study.best is None:
        return plain
    sought = plain.study.best.values
    config, training = by_target({name: value for name, value in sought.items() if name not in own})
    used, claimed = (
        find_config(plain.module, None, {**as_dict(of), **config})
        for of in (plain.config, plain.claimed_config)
    )
    return replace(
        plain,
        config=used,
        used=with_training(plain.used, training),
        claimed_config=claimed,
        claimed=with_training(plain.claimed, training),
    )


def by_target(values: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Values of a trial, parted into those of the configuration and those of the training."""
    parts: dict[str, dict[str, Json]] = {"config": {}, "training": {}}
    for name, value in values.items():
        target, _, key = name.partition(".")
        parts[target][key] = value
    return parts["config"], parts["training"]
