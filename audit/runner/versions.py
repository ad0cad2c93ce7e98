"""Models from a folder are edited between runs, and while they go on: which version of a file a run is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from audit.errors import AuditError
from audit.names import counted
from audit.record import ExperimentRecord, Run, RunSpec

if TYPE_CHECKING:
    from audit.runner.plan import Job


class ChangedError(AuditError):
    """A model's file is not any more what it was when the runs were planned."""


def codes_of(spec: RunSpec) -> dict[str, str]:
    """The models of a run, those that it is put on too, with what their files held; empty where none did."""
    return {spec.model: spec.code, **dict(_of_bases(spec.config))}


def _of_bases(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    base, inner = config.get("base"), config.get("base_config")
    if isinstance(base, str):
        yield base, str(config.get("base_code", ""))
        yield from _of_bases(inner if isinstance(inner, Mapping) else {})


def sources_of(record: ExperimentRecord) -> Mapping[str, str]:
    """Digests of the code that decides its runs, as it is now; see `reimpl.models.sources_of`."""
    from reimpl.models import sources_of as of_models

    return of_models(record.models)


def check_unchanged(spec: RunSpec) -> None:
    """Raises `ChangedError` where this process cannot have the models as they were when the run was planned.

    One that loaded them before has them still, whatever was edited since.
    """
    from reimpl.errors import ConfigError
    from reimpl.models import code_of, find_model

    for model, code in codes_of(spec).items():
        if not code:
            continue
        try:
            now = code_of(find_model(model, code))
        except ConfigError as err:
            raise ChangedError(_changed(model, str(err))) from err
        if now != code:
            raise ChangedError(_changed(model, "its file holds something else now"))


def _changed(model: str, why: str) -> str:
    return f"model {model!r} was edited after its runs were planned ({why}); give the same command again"


def told(err: BaseException, spec: RunSpec) -> str:
    """`ValueError: oops (mine/net.py:31)`: with the last line of a model of others, where one led to it."""
    from reimpl.errors import ConfigError
    from reimpl.models import fault, find_model

    modules = []
    for model, code in codes_of(spec).items():
        with suppress(ConfigError):
            modules.append(find_model(model, code))
    return fault(err, *modules)


def of_other_versions(jobs: Iterable[Job], runs: Iterable[Run]) -> tuple[str, ...]:
    """What is to be told of runs, on the same data, of files that were edited since: a sentence a file."""
    now: dict[str, str] = {}
    data = set()
    for job in jobs:
        now |= {model: code for model, code in codes_of(job.spec).items() if code}
        data.add(job.spec.data)
    if not now:
        return ()
    others: dict[tuple[str, bool], int] = {}
    for run in runs:
        for model, code in codes_of(run.spec).items() if run.spec.data in data else ():
            if now.get(model, code) != code:
                others[model, bool(code)] = others.get((model, bool(code)), 0) + 1
    return tuple(_told(model, known, n) for (model, known), n in sorted(others.items()))


def _told(model: str, known: bool, runs: int) -> str:
    from reimpl.models import files_of_models, shown

    path = files_of_models().get(model)
    file = f"model {model!r}" if path is None else str(shown(path))
    version = "another version" if known else "an unknown version"
    verb = "is" if runs == 1 else "are"
    return f"{counted(runs, 'run')} of {version} of {file} {verb} in the store and {verb} not used"
