"""What `audit run` planned, kept in the store: which runs there are those of which experiment of a paper.

A run record knows its model and configuration, and no paper: one run may serve several. With the plan beside
the records a paper can be judged again, and without torch, from the store alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import StoreError
from audit.files import explained, write
from audit.json_errors import RecordError, first_problem, unread
from audit.record import (
    FORMAT_VERSION,
    ExperimentRecord,
    FidelityCheck,
    Run,
    RunSpec,
    digest,
    seal_of,
)
from audit.shared_readings import with_shared_readings

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.runner.plan import Plan

NOT_IN_STORE = "no run of it is in the store"
BY_COMMAND = "it has a command of its own, which `audit run --allow-commands` runs"
_CHANGED = "the claim file describes it otherwise than when it was run"


@dataclass(frozen=True)
class KeptPlan:
    """The newest plan of one report: a paper on one corpus."""

    paper: str
    """The paper's key."""
    report: str
    """Name of the report's folder."""
    experiments: tuple[ExperimentRecord, ...]
    """Without their runs."""
    keys: Mapping[str, tuple[str, ...]]
    """Experiment id -> keys of its runs."""
    definitions: Mapping[str, str]
    """Experiment id -> digest of its description in the claim file."""
    fidelity: tuple[FidelityCheck, ...]
    command: str
    format_version: int = FORMAT_VERSION
    seal: str = ""


def plan_of(
    paper: Paper, report: str, plan: Plan, fidelity: Sequence[FidelityCheck], *, command: str
) -> KeptPlan:
    """The plan as it is kept."""
    return KeptPlan(
        paper.paper.key,
        report,
        plan.experiments,
        dict(plan.keys),
        _definitions(paper),
        tuple(fidelity),
        command,
    )


def no_plan(paper: Paper) -> KeptPlan:
    """For a paper of which nothing was run here."""
    return KeptPlan(paper.paper.key, paper.paper.key, (), {}, {}, (), "")


def keep_plan(root: Path, plan: KeptPlan) -> None:
    """Write it into the store at `root`, in place of an earlier plan of the same report."""
    folder = root / "plans"
    content = json.loads(json.dumps(asdict(replace(plan, seal="")), allow_nan=False))
    content["seal"] = seal_of(content)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{plan.report}.json", json.dumps(content, indent=1, ensure_ascii=False).encode())


def kept_plans(root: Path, paper: str) -> list[KeptPlan]:
    """The plans of a paper, by report. Raises `StoreError` for one that is not as it was written."""
    folder = root / "plans"
    with explained(folder):
        found = [_read(path) for path in sorted(folder.glob("*.json"))]
    return [plan for plan in found if plan.paper == paper]


def with_stored_runs(plan: KeptPlan, paper: Paper, runs: Iterable[Run]) -> dict[str, ExperimentRecord]:
    """Every experiment of the claim file with its runs among `runs`: those of all seeds, not of some.

    An experiment that was described otherwise when it was run is without runs.
    """
    settled = [run for run in runs if not run.imported and run.status != "interrupted"]
    by_key = {run.key: run for run in settled}
    alike: dict[str, list[Run]] = {}
    for run in settled:
        alike.setdefault(_but_seed(run.spec), []).append(run)
    definitions = _definitions(paper)
    as_planned = {it for it in plan.keys if plan.definitions.get(it) == definitions.get(it)}
    records, shared = with_shared_readings(
        paper, plan.experiments, {it: plan.keys[it] for it in plan.keys if it in as_planned}
    )
    keys = {**shared, **plan.keys}
    planned = {it.id: it for it in records}
    found = {}
    readings = (name for name in paper.reading_experiments if name in planned)
    for name in (*paper.single_experiments, *readings):
        record = planned.get(name) or _without_runs(paper, name)
        if record.data is not None and record.dataset in paper.datasets:
            sheet = record.data
            another = paper.known_as(
                record.dataset, content=sheet.content, partition=sheet.partition, corpus=sheet.corpus
            )
            if another:
                if name in paper.single_experiments:
                    why = paper.of_another(another)
                    found[name] = replace(_without_runs(paper, name), not_run=why, corpus_of=another)
                continue
        if record.short is None and name in paper.single_experiments and name in planned:
            record = replace(record, short=_short_of_old(record, paper.single_experiments[name].protocol))
        if name in planned and name not in shared and plan.definitions.get(name) != definitions[name]:
            if name in paper.single_experiments:
                found[name] = replace(_without_runs(paper, name), not_run=_CHANGED)
            continue
        if name in paper.single_experiments and paper.single_experiments[name].never_run:
            record = replace(record, unavailable=True)  # plans of before did not tell
        first = next((by_key[key] for key in keys.get(name, ()) if key in by_key), None)
        mine = sorted(alike[_but_seed(first.spec)], key=lambda run: run.spec.seed) if first else []
        if mine or not record.reading:  # of a reading that was not run nothing is to be told
            found[name] = replace(
                record, runs=tuple(mine), not_run=None if mine else record.not_run or NOT_IN_STORE
            )
    return found


def _without_runs(paper: Paper, name: str) -> ExperimentRecord:
    experiment = paper.single_experiments[name]
    return ExperimentRecord(
        id=name,
        title=experiment.title,
        model=experiment.model or "",
        variant=experiment.variant or "",
        dataset=experiment.on,
        protocol=experiment.protocol or "",
        config={},
        not_run=experiment.never_run or (BY_COMMAND if experiment.command else NOT_IN_STORE),
        unavailable=experiment.never_run is not None,
    )


def _short_of_old(record: ExperimentRecord, protocol: str | None) -> tuple[str, ...]:
    """Plans of before did not tell whether a protocol was reduced; its name does."""
    return ("reduced_protocol",) if record.config and record.protocol != (protocol or "small") else ()


def _definitions(paper: Paper) -> dict[str, str]:
    """What decides how an experiment is run; its title does not, nor what came later and is not there."""
    readings = {name: it.experiment for name, it in paper.reading_experiments.items()}
    found = {}
    for name, it in {**paper.single_experiments, **readings}.items():
        idle = {key for key in ("noise", "training", "tuning", "command") if not getattr(it, key)}
        found[name] = digest(it.model_dump(mode="json", exclude={"title", "method", "readings", *idle}))
    return found


def _but_seed(spec: RunSpec) -> str:
    return replace(spec, seed=0).key


# --------------------------------------------------------------------------- reading


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(KeptPlan)


def _read(path: Path) -> KeptPlan:
    from pydantic import ValidationError

    try:
        text = path.read_bytes().decode()
        content = json.loads(text)
        plan: KeptPlan = _adapter().validate_json(text, strict=True)
    except ValidationError as err:
        raise _unsound(path, first_problem(err)) from err
    except (ValueError, RecursionError, RecordError) as err:
        raise _unsound(path, unread(err)) from err
    if plan.seal != seal_of(content):
        raise _unsound(path, "it was changed after it was written")
    return plan


def _unsound(path: Path, why: str) -> StoreError:
    return StoreError(f"{path}: no whole plan ({why}); delete it, and `audit run` writes it again")
