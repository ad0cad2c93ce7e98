"""Runs by the best values of a study, and what is told of that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from audit.claims.experiments import Experiment
from audit.record import Deviation
from audit.runner.resolve import Resolved, Settings
from audit.runner.tuning.question import by_target, question_of, tuning_of
from audit.storage import studies as study_store
from audit.study import Study


class UntunedError(Exception):
    """No study in the store answers the experiment's question."""


def tuned(name: str, experiment: Experiment, found: Resolved, settings: Settings) -> Resolved:
    """The experiment with the best values of its study, where it asks for one: in all four settings, since
    what was tuned is no departure.

    Raises `UntunedError` where there is no such study, `PlanError` where the protocol has nothing to seek,
    and `StoreError` for a study that is not as it was written.
    """
    if experiment.tuning is None:
        return found
    protocol, store = tuning_of(experiment), settings.cache.parent
    if settings.untuned:
        what = "not tuned: the settings of the claim file"
        return replace(found, tuning=(Deviation("tuning", protocol.source, what, "--untuned"),), untuned=True)
    if not study_store.any_there(store):  # most stores: nothing is held out only to be told so
        raise UntunedError(name)
    asked, elsewhere = found, ""
    sought_on = settings.tuned_on.resolve() if settings.tuned_on else found.request.folder
    if sought_on is not None and sought_on != found.request.folder:
        asked, elsewhere = replace(found, request=replace(found.request, folder=sought_on)), sought_on.name
    study = study_store.answering(store, question_of(name, experiment, asked, settings).spec)
    if study is None or study.best is None:
        raise UntunedError(name)
    departure = _departure(study, experiment, elsewhere=elsewhere)
    fewer = study.counted < protocol.trials
    return _with_values(replace(found, study=study, tuning=(departure,), untuned=fewer))


def with_study_of(base: Resolved, plain: Resolved, own: Collection[str]) -> Resolved:
    """`plain` with what was sought for `base`, but for the settings `own`, as in `config.margin`."""
    return _with_values(replace(plain, study=base.study, tuning=base.tuning, untuned=base.untuned), own)


def _with_values(found: Resolved, own: Collection[str] = ()) -> Resolved:
    """With the best values of its study. Raises `reimpl.errors.ConfigError`."""
    from reimpl.config_fields import as_dict
    from reimpl.models import find_config
    from reimpl.protocol import with_training

    if found.study is None or found.study.best is None:
        return found
    sought = found.study.best.values
    config, training = by_target({name: value for name, value in sought.items() if name not in own})
    return replace(
        found,
        config=find_config(found.module, None, {**as_dict(found.config), **config}),
        used=with_training(found.used, training),
        claimed_config=find_config(found.module, None, {**as_dict(found.claimed_config), **config}),
        claimed=with_training(found.claimed, training),
    )


def _departure(study: Study, experiment: Experiment, *, elsewhere: str) -> Deviation:
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
