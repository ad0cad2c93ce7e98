"""Models for the runs: those of a folder, their fidelity checks, and counts of their weights."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import AuditError, PlanError, option
from audit.record import FidelityCheck, RunSpec
from audit.record import models_of as models_in
from reimpl.errors import ConfigError

if TYPE_CHECKING:
    from audit.runner.plan import Plan


class ChangedError(AuditError):
    """The code that determines a run has changed since the runs were planned."""


def check_unchanged(spec: RunSpec, sources: Mapping[str, str]) -> None:
    """Raises `ChangedError` if this process has other code than the plan was made with."""
    from reimpl.models import sources_of

    if sources and sources_of(models_in(spec.model, spec.config)) != sources:
        raise ChangedError("the code was edited after the runs were planned; give the same command again")


def fault_of(err: BaseException, spec: RunSpec) -> str:
    """`ValueError: oops (mine/net.py:31)`: with the last line of a user's model in the traceback, if any."""
    from reimpl.models import fault, find_model

    modules = []
    for model in models_in(spec.model, spec.config):
        with suppress(ConfigError):
            modules.append(find_model(model))
    return fault(err, *modules)


@contextmanager
def models_of(folder: Path | None) -> Iterator[None]:
    """Register the models of the folder, here and in worker processes. Raises `AuditError` if it has none."""
    from reimpl.models import FOLDERS, files_of_models, forget

    if folder is None:
        yield
        return
    before = os.environ.get(FOLDERS)
    os.environ[FOLDERS] = os.pathsep.join(filter(None, [str(folder.resolve()), before]))
    try:
        if not any(path.parent == folder.resolve() for path in files_of_models().values()):
            none = "it has no model file; `audit add model NAME` writes one"
            raise AuditError(f"{option('models', folder)}: {none}")
        forget(folder.resolve())
        yield
    finally:
        if before is None:
            os.environ.pop(FOLDERS, None)
        else:
            os.environ[FOLDERS] = before


def with_way_out(err: ConfigError, model: str, config: Mapping[str, Any]) -> str:
    """The message; if the model, or its base, is missing, also what would add it."""
    from reimpl.models import known_models

    if set(models_in(model, config)) <= set(known_models()):
        return err.message
    return f"{err.message}; `{option('models', 'DIR')}` adds those of a folder"


def fidelity(plan: Plan) -> tuple[FidelityCheck, ...]:
    """Run the checks of every model in the plan, and of models inside those; imports torch."""
    from reimpl.fidelity import check

    models = dict.fromkeys(name for job in plan.jobs for name in models_in(job.spec.model, job.spec.config))
    return tuple(
        FidelityCheck(model=of.model, name=of.name, passed=of.passed, detail=of.detail)
        for model in models
        for of in check(model)
    )


def count_weights(counted: Mapping[str, Any]) -> int:
    """The number of weights that `counted` (`audit.kinds.stated.Counted`) asks for. Raises `PlanError`."""
    import torch

    from reimpl.models import find_config, find_model

    try:
        module = find_model(counted["model"])
        config = find_config(module, counted["variant"], counted["config"])
        with torch.device("meta"):  # shapes but no memory: a million labels cost nothing
            model = module.build(
                config,
                vectors=torch.empty(counted["vocabulary"], counted["dimension"]),
                labels=counted["labels"],
                length=counted["length"],
                padding_id=0,
                freeze_padding=False,
            )
    except ConfigError as err:
        raise PlanError(f"counted: {with_way_out(err, counted['model'], counted['config'])}") from err
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    matched = set[str]()
    for pattern in counted["weights"]:
        names = {name for name in sizes if fnmatchcase(name, pattern)}
        if not names:
            raise PlanError(f"counted.weights: the model has no {pattern!r}; it has {', '.join(sizes)}")
        matched |= names
    return sum(sizes[name] for name in matched)
