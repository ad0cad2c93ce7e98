"""What a store holds of a paper beside its runs: what was planned, what was on record, the looks taken.

    STORE/manifests/PAPER.json    one file under one seal, as that of a run record

A run record knows its model and configuration, and no paper: one run may serve several. With the plans beside
the records a paper can be judged again, and without torch, from the store alone. A run that was once on
record and is gone is seen, and so is a look that was taken.

A look belongs to what is judged now if it saw one of its experiments: whatever corpus, protocol, precision or
configuration makes other runs begins with no look taken, and renamed experiments do not lose theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from audit.claims.shared_specifications import with_shared_readings
from audit.errors import StoreError
from audit.json_errors import RecordError
from audit.record import (
    FORMAT_VERSION,
    IMPORTED,
    ExperimentRecord,
    FidelityCheck,
    Look,
    Outcome,
    Run,
    RunSpec,
    Verdict,
    digest,
)
from audit.storage.files import explained, read_sealed, write_sealed

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
    """Digest of what decided the plan (`audit.pipeline.start`); empty in older ones."""


@dataclass(frozen=True)
class Taken:
    """A look, and what it saw."""

    look: Look
    arms: tuple[str, ...]
    """`RunSpec.arm` of each experiment that was judged."""


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
    decided: Mapping[str, Mapping[str, tuple[Outcome, int]]] = field(default_factory=dict)
    """Report, and whose runs judged -> claim -> how it was first decided, and among how many that could be
    tested."""
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


def decided(root: Path, paper: str, report: str) -> Mapping[str, tuple[Outcome, int]]:
    """Claim -> how an earlier judgement of the report first decided it, and among how many claims."""
    return _read(root, paper).decided.get(report, {})


def note_decided(root: Path, paper: str, report: str, verdicts: Iterable[Verdict], among: int) -> None:
    """Put on record what was decided for the first time."""
    before = decided(root, paper, report)
    new = {it.claim: (it.outcome, among) for it in verdicts if it.outcome != "inconclusive"}
    if not before.keys() >= new.keys():
        _change(root, paper, lambda held: replace(held, decided={**held.decided, report: {**new, **before}}))


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
            settled.setdefault(spec.arm, {})[spec.key] = spec.seed
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
        gone = lost.get(f"{IMPORTED} {name.removesuffix(f' ({IMPORTED})')}", ())
        if gone and all(run.imported for run in it.runs):
            found[name] = replace(it, gone=tuple(sorted({*it.gone, *gone})))
    return found


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
        taken = _read(self.store, self.paper).looks
        return tuple(it.look for it in taken if wanted.intersection(it.arms))

    def judged(self) -> bool:
        """Whether anything of the paper was judged in this store."""
        return bool(_read(self.store, self.paper).looks)

    def take(self, look: Look, arms: Iterable[str]) -> tuple[Look, ...]:
        """Put the look on record; returns all looks at these runs.

        The same look at the same runs is one look, however often it is taken. Raises `StoreError`.
        """
        asked = {*arms, *look.runs}

        def change(held: Manifest) -> Manifest:
            looks = [it.look for it in held.looks]
            same = [
                it
                for k, it in enumerate(held.looks)
                if it.look.is_same(look, looks[:k]) and asked.intersection(it.arms)
            ]
            whole = reduce(lambda all_of, it: it.look.joined(all_of), same, look)
            new = Taken(
                replace(whole, level=look.level), tuple(sorted(asked.union(*(it.arms for it in same))))
            )
            place = held.looks.index(same[0]) if same else len(held.looks)
            kept = [it for it in held.looks if it not in same]
            return replace(held, looks=(*kept[:place], new, *kept[place:]))

        _change(self.store, self.paper, change)
        return self.looks(asked)


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
    same = {
        name: keys for name, keys in plan.keys.items() if plan.definitions.get(name) == definitions.get(name)
    }
    records, shared = with_shared_readings(paper, plan.experiments, same)
    keys = {**shared, **plan.keys}
    planned = {it.id: it for it in records}
    found = {}
    readings = (name for name in paper.reading_experiments if name in planned)
    for name in (*paper.single_experiments, *readings):
        plain = name in paper.single_experiments  # of a reading that was not run nothing is to be told
        record = planned.get(name) or _without_runs(paper, name)
        if (sheet := record.data) is not None and record.dataset in paper.datasets:
            another = paper.known_as(
                record.dataset, content=sheet.content, partition=sheet.partition, corpus=sheet.corpus
            )
            if another and plain:
                why = paper.of_another(another)
                found[name] = replace(_without_runs(paper, name), not_run=why, corpus_of=another)
            if another:
                continue
        if (
            name in planned and record.short is None
        ):  # a plan of before, which did not tell: safe is to contradict none
            record = replace(record, short=("reduced_protocol",))
        if name in planned and name not in shared and plan.definitions.get(name) != definitions[name]:
            if plain:
                found[name] = replace(_without_runs(paper, name), not_run=_CHANGED)
            continue
        arm = next(iter(keys.get(name, ())), "")  # the first seed of every plan is 0
        mine = sorted(arms.get(arm, ()), key=lambda run: run.spec.seed)
        gone = (lost or {}).get(arm, ())
        if mine or gone or not record.reading:
            why_none = None if mine else GONE if gone else record.not_run or NOT_IN_STORE
            found[name] = replace(record, runs=tuple(mine), gone=gone, not_run=why_none)
    return found


def _without_runs(paper: Paper, name: str) -> ExperimentRecord:
    it = paper.single_experiments[name]
    why = it.never_run or (BY_COMMAND if it.command else NOT_IN_STORE)
    return paper.without_runs(name, why, unavailable=it.never_run is not None)


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
            write_sealed(path, change(_read(root, paper)))


def _read(root: Path, paper: str) -> Manifest:
    """An empty one where there is none. Raises `StoreError` for one that is not as it was written."""
    path = _path(root, paper)
    try:
        held: Manifest | None = read_sealed(path, Manifest, FORMAT_VERSION)
    except RecordError as err:
        raise StoreError(
            f"{path}: not as it was written ({err}); without it nobody knows which runs are missing, nor "
            "which looks were taken: restore it, or choose another --store"
        ) from err
    return held or Manifest(paper)
