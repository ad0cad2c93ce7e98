"""What a store holds of a paper beside its runs: what was planned, what was on record, the looks taken.

    STORE/manifests/PAPER.json    one file under one seal, as that of a run record

A run record knows its model and configuration, and no paper: one run may serve several. With the plans beside
the records a paper can be judged again, and without torch, from the store alone. A run that was once on
record and is gone is seen, and so is a look that was taken.

A look belongs to what is judged now if it saw one of its experiments: whatever corpus, protocol, precision or
configuration makes other runs begins with no look taken, and renamed experiments do not lose theirs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from audit.claims.shared_specifications import with_shared_readings
from audit.errors import StoreError
from audit.json_errors import RecordError, first_problem, unread
from audit.record import (
    FORMAT_VERSION,
    IMPORTED,
    ExperimentRecord,
    FidelityCheck,
    Look,
    Run,
    RunSpec,
    digest,
    seal_of,
)
from audit.storage.files import explained, write

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.runner.plan import Plan


NOT_IN_STORE = "no run of it is in the store"
GONE = "its runs were on record and are gone; `audit run` runs them again"
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
    asked: tuple[str, ...] = ()
    """Keys of the runs that were asked for, not of what was left out."""
    request: str = ""
    """Digest of what decided the plan (`audit.pipeline.remembered`); empty in older ones."""


@dataclass(frozen=True)
class Taken:
    """A look, and what it saw."""

    look: Look
    arms: tuple[str, ...]
    """Key of seed 0 of each experiment that was judged."""


@dataclass(frozen=True)
class Manifest:
    """Of one paper in one store."""

    paper: str
    plans: Mapping[str, KeptPlan] = field(default_factory=dict)
    """Report -> its newest plan."""
    settled: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Key of seed 0 (of imported runs their experiment) -> key and seed of each run of these settings that
    was ever on record, done or failed."""
    looks: tuple[Taken, ...] = ()
    """In the order in which they were first taken."""
    format_version: int = FORMAT_VERSION
    seal: str = ""


def plan_of(
    paper: Paper, report: str, plan: Plan, fidelity: Sequence[FidelityCheck], *, command: str, request: str
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
        tuple(job.spec.key for job in plan.jobs),
        request,
    )


def no_plan(paper: Paper) -> KeptPlan:
    """For a paper of which nothing was run here."""
    return KeptPlan(paper.paper.key, paper.paper.key, (), {}, {}, (), "")


def keep_plan(root: Path, plan: KeptPlan) -> None:
    """Write it into the store at `root`, in place of an earlier plan of the same report."""
    _change(root, plan.paper, lambda held: replace(held, plans={**held.plans, plan.report: plan}))


def kept_plans(root: Path, paper: str) -> list[KeptPlan]:
    """The plans of a paper, by report. Raises `StoreError` where they are not as they were written."""
    return [plan for _, plan in sorted(_read(root, paper).plans.items())]


# --------------------------------------------------------------------------- runs on record


def note_settled(root: Path, paper: str, specs: Iterable[RunSpec]) -> None:
    """Put on record which of these runs have a record, so that one that is lost later is seen."""
    there = [spec for spec in specs if _record(root, spec.key).exists()]

    def change(held: Manifest) -> Manifest:
        settled = {arm: dict(runs) for arm, runs in held.settled.items()}
        for spec in there:
            settled.setdefault(_arm(spec), {})[spec.key] = spec.seed
        return replace(held, settled=settled)

    if there:
        _change(root, paper, change)


def lost_seeds(root: Path, paper: str) -> dict[str, tuple[int, ...]]:
    """Key of seed 0 -> seeds of the runs that were on record and are gone."""
    found = {
        arm: tuple(sorted(seed for key, seed in runs.items() if not _record(root, key).exists()))
        for arm, runs in _read(root, paper).settled.items()
    }
    return {arm: seeds for arm, seeds in found.items() if seeds}


def with_lost_imports(
    experiments: Mapping[str, ExperimentRecord], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, ExperimentRecord]:
    """Those that imported runs judge, or would, with the seeds of such runs that are gone."""
    found = dict(experiments)
    for name, it in experiments.items():
        gone = lost.get(_imported(name.removesuffix(f" ({IMPORTED})")), ())
        if gone and all(run.imported for run in it.runs):
            found[name] = replace(it, gone=tuple(sorted({*it.gone, *gone})))
    return found


def _arm(spec: RunSpec) -> str:
    return _imported(spec.config["experiment"]) if spec.model == IMPORTED else spec.arm


def _imported(experiment: str) -> str:
    return f"{IMPORTED} {experiment}"


def check_there(root: Path, paper: str, runs: Iterable[Run]) -> None:
    """Raises `StoreError` where runs of the paper are there and their manifest is gone."""
    made = sum(paper in run.margins for run in runs)
    if made and _read(root, paper) == Manifest(paper):
        raise StoreError(
            f"{_path(root, paper)}: gone, and {made} runs of {paper} are there: nobody knows which runs are "
            "missing, nor which looks were taken; restore it, or choose another --store"
        )


def _record(root: Path, key: str) -> Path:
    return root / f"{key}.json"


# --------------------------------------------------------------------------- looks


@dataclass(frozen=True)
class Ledger:
    """The looks at one paper's runs in one store."""

    store: Path
    paper: str

    def looks(self, arms: Iterable[str]) -> tuple[Look, ...]:
        """Those that saw one of the arms, each once, in the order in which they were first taken."""
        wanted = set(arms)
        held = _read(self.store, self.paper).looks
        return tuple({it.look: None for it in held if wanted.intersection(it.arms)})

    def judged(self) -> bool:
        """Whether anything of the paper was judged in this store."""
        return bool(_read(self.store, self.paper).looks)

    def take(self, look: Look, arms: Iterable[str]) -> tuple[Look, ...]:
        """Put the look on record; returns all looks at these runs.

        The same look at the same runs is one look, however often it is taken. Raises `StoreError`.
        """
        asked = set(arms)

        def change(held: Manifest) -> Manifest:
            same = [it for it in held.looks if _same(it.look, look) and asked.intersection(it.arms)]
            new = Taken(look, tuple(sorted(asked.union(*(it.arms for it in same)))))
            place = held.looks.index(same[0]) if same else len(held.looks)
            kept = [it for it in held.looks if it not in same]
            return replace(held, looks=(*kept[:place], new, *kept[place:]))

        _change(self.store, self.paper, change)
        return self.looks(asked)


def _same(one: Look, other: Look) -> bool:
    """The same number of seeds, at whatever level."""
    return (one.seeds, bool(one.declared)) == (other.seeds, bool(other.declared))


# --------------------------------------------------------------------------- which runs are whose


def with_stored_runs(
    plan: KeptPlan, paper: Paper, runs: Iterable[Run], lost: Mapping[str, tuple[int, ...]] | None = None
) -> dict[str, ExperimentRecord]:
    """Every experiment of the claim file with its runs among `runs`: those of all seeds, not of some.

    `lost` are the seeds that are gone, by the key of seed 0. An experiment that was described otherwise when
    it was run is without runs.
    """
    arms: dict[str, list[Run]] = {}
    for run in runs:
        if not run.imported and run.status != "interrupted":
            arms.setdefault(run.spec.arm, []).append(run)
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
        arm = next(iter(keys.get(name, ())), "")  # the first seed of every plan is 0
        mine = sorted(arms.get(arm, ()), key=lambda run: run.spec.seed)
        gone = (lost or {}).get(arm, ())
        if mine or gone or not record.reading:  # of a reading that was not run nothing is to be told
            why_none = None if mine else GONE if gone else record.not_run or NOT_IN_STORE
            found[name] = replace(record, runs=tuple(mine), gone=gone, not_run=why_none)
    return found


def _without_runs(paper: Paper, name: str) -> ExperimentRecord:
    it = paper.single_experiments[name]
    why = it.never_run or (BY_COMMAND if it.command else NOT_IN_STORE)
    return paper.without_runs(name, why, unavailable=it.never_run is not None)


def _short_of_old(record: ExperimentRecord, protocol: str | None) -> tuple[str, ...]:
    """Plans of before did not tell whether a protocol was reduced; its name does."""
    return ("reduced_protocol",) if record.config and record.protocol != (protocol or "small") else ()


def _definitions(paper: Paper) -> dict[str, str]:
    """What decides how an experiment is run; its title does not, nor what came later and is not there."""
    readings = {name: it.experiment for name, it in paper.reading_experiments.items()}
    found = {}
    for name, it in {**paper.single_experiments, **readings}.items():
        idle = {key for key in ("noise", "training", "tuning", "command") if not getattr(it, key)}
        content = it.model_dump(mode="json", exclude={"title", "method", "readings", *idle})
        dataset = paper.datasets.get(it.dataset or "")
        strata = dataset.strata if dataset else {}
        groups = {group: [of.from_, of.to] for group, of in strata.items()}
        found[name] = digest([content, groups] if groups else content)
    return found


# --------------------------------------------------------------------------- reading and writing


def _path(root: Path, paper: str) -> Path:
    return root / "manifests" / f"{paper}.json"


def _change(root: Path, paper: str, change: Callable[[Manifest], Manifest]) -> None:
    """Read, change and write the manifest while no other process does."""
    path = _path(root, paper)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            content = json.loads(json.dumps(asdict(change(_read(root, paper))), allow_nan=False))
            content["seal"] = seal_of(content)
            write(path, json.dumps(content, indent=1, ensure_ascii=False).encode())
            for old in (*_old_plans(root, paper), root / "looks" / f"{paper}.json"):
                old.unlink(missing_ok=True)


def _read(root: Path, paper: str) -> Manifest:
    """An empty one where there is none. Raises `StoreError` for one that is not as it was written."""
    path = _path(root, paper)
    with explained(path):
        try:
            held: Manifest = _sealed(path, Manifest)
            return held
        except FileNotFoundError:
            return _of_older_store(root, paper)


def _of_older_store(root: Path, paper: str) -> Manifest:
    """Plans lay in files of their own, and so did the looks, without a seal."""
    plans = {plan.report: plan for plan in _old_plans(root, paper).values()}
    path = root / "looks" / f"{paper}.json"
    try:
        held = json.loads(path.read_bytes())["looks"]
        looks = tuple(
            Taken(Look(it["seeds"], it["level"], tuple(it["declared"])), tuple(it["runs"])) for it in held
        )
    except FileNotFoundError:
        looks = ()
    except (ValueError, KeyError, TypeError) as err:
        raise _unsound(path, unread(err)) from err
    return Manifest(paper, plans, looks=looks)


def _old_plans(root: Path, paper: str) -> dict[Path, KeptPlan]:
    plans = {path: _sealed(path, KeptPlan) for path in sorted((root / "plans").glob("*.json"))}
    return {path: plan for path, plan in plans.items() if plan.paper == paper}


@cache
def _adapter(kind: type[Any]) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _sealed(path: Path, kind: Any) -> Any:
    from pydantic import ValidationError

    text = path.read_bytes()
    try:
        content = json.loads(text.decode())
        held = _adapter(kind).validate_json(text, strict=True)
    except ValidationError as err:
        raise _unsound(path, first_problem(err)) from err
    except (ValueError, RecursionError, RecordError) as err:
        raise _unsound(path, unread(err)) from err
    if content.get("seal") != seal_of(content):
        raise _unsound(path, "it was changed after it was written")
    return held


def _unsound(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path}: not as it was written ({why}); without it nobody knows which runs are missing, nor which "
        "looks were taken: restore it, or choose another --store"
    )
