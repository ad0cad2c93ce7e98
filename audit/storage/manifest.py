"""What a store keeps of a paper besides its runs: what was planned, recorded and fixed, and the looks taken.

STORE/manifests/PAPER.json       one file under one seal: with it a paper is judged from the store alone
STORE/margins/PAPER/HASH.json    claim and metric -> kind, cells, experiments, margin, ...; runs hold the hash

A look belongs to what is judged now if it saw one of its experiments: whatever corpus, protocol, precision or
configuration makes other runs begins with no look taken, and renamed experiments do not lose theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

from audit.claims.load import Paper
from audit.claims.source import read as read_yaml
from audit.errors import AuditError, StoreError
from audit.json_errors import RecordError
from audit.names import first_of, short
from audit.record import (
    BY_COMMAND,
    FORMAT_VERSION,
    GONE,
    IMPORTED,
    NOT_IN_STORE,
    ExperimentRecord,
    FidelityCheck,
    Look,
    Outcome,
    Run,
    RunSpec,
    Verdict,
    digest,
)
from audit.storage.files import explained, read_sealed, write, write_sealed
from audit.storage.locks import Locks

_UNKNOWN = "it records missing runs and the looks taken: restore it, or choose another --store"
_CHANGED = "the claim file describes it differently from when it was run"


@dataclass(frozen=True)
class KeptPlan:
    """The newest plan of one report: a paper on one corpus."""

    paper: str  # Its key.
    report: str  # Name of the report's folder.
    experiments: tuple[ExperimentRecord, ...]  # Without their runs.
    keys: Mapping[str, tuple[str, ...]]  # Experiment id -> keys of its runs.
    definitions: Mapping[str, str]  # Experiment id -> digest of its description in the claim file.
    fidelity: tuple[FidelityCheck, ...]
    command: str
    asked: tuple[str, ...] = ()  # Keys of the runs that were asked for, not of what was left out.
    request: str = ""  # Digest of what decided the plan (`audit.pipeline.suite`); empty in older ones.
    # Path of the claim file, and what was chosen for the runs, for those who make them elsewhere.
    claims: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Taken:
    """A look, and `RunSpec.arm` of each experiment that was judged at it."""

    look: Look
    arms: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    paper: str
    plans: Mapping[str, KeptPlan] = field(default_factory=dict)  # Report -> its newest plan.
    # `RunSpec.arm` -> key and seed of each run that was ever on record, done or failed.
    settled: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    looks: tuple[Taken, ...] = ()  # In the order in which they were first taken.
    # Report, and whose runs judged -> claim -> how it was first decided, among how many claims.
    decided: Mapping[str, Mapping[str, tuple[Outcome, int]]] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION
    seal: str = ""


@dataclass(frozen=True)
class Ledger:
    """Reads and writes the manifest of one paper in one store. All methods raise `StoreError`."""

    store: Path
    paper: str

    @property
    def path(self) -> Path:
        return self.store / "manifests" / f"{self.paper}.json"

    def _read(self) -> Manifest:
        """The manifest; an empty one if there is no file."""
        try:
            manifest: Manifest | None = read_sealed(self.path, Manifest, FORMAT_VERSION)
        except RecordError as err:
            raise StoreError(f"{self.path}: changed since it was written ({err}); {_UNKNOWN}") from err
        return manifest or Manifest(self.paper)

    def _change(self, change: Callable[[Manifest], Manifest]) -> None:
        """Read, change and write the manifest while no other process does."""
        with Locks(self.store).hold(self.path), explained(self.path):
            write_sealed(self.path, change(self._read()))

    def plans(self) -> list[KeptPlan]:
        """The kept plans, by report."""
        return [plan for _, plan in sorted(self._read().plans.items())]

    def plan(self, report: str) -> KeptPlan | None:
        return self._read().plans.get(report)

    def keep(self, plan: KeptPlan) -> None:
        """Keep the plan, replacing an earlier one of the same report."""
        self._change(lambda manifest: replace(manifest, plans={**manifest.plans, plan.report: plan}))

    def note_settled(self, specs: Iterable[RunSpec]) -> None:
        """Note which of these runs have a record, so that a later loss is noticed."""
        known = self._read().settled
        new = [spec for spec in specs if spec.key not in known.get(spec.arm, ()) and self._has(spec.key)]

        def change(manifest: Manifest) -> Manifest:
            settled = {arm: dict(runs) for arm, runs in manifest.settled.items()}
            for spec in new:
                settled.setdefault(spec.arm, {})[spec.key] = spec.seed
            return replace(manifest, settled=settled)

        if new:
            self._change(change)

    def lost_seeds(self) -> dict[str, tuple[int, ...]]:
        """`RunSpec.arm` -> seeds of runs that were recorded and are gone."""
        settled = self._read().settled.items()
        lost = {arm: sorted(n for key, n in runs.items() if not self._has(key)) for arm, runs in settled}
        return {arm: tuple(seeds) for arm, seeds in lost.items() if seeds}

    def _has(self, key: str) -> bool:
        return (self.store / f"{key}.json").exists()

    def decided(self, report: str) -> Mapping[str, tuple[Outcome, int]]:
        """Claim -> how an earlier judgement of the report first decided it, and among how many claims."""
        return self._read().decided.get(report, {})

    def note_decided(self, report: str, verdicts: Iterable[Verdict], among: int) -> None:
        """Record the verdicts that were reached for the first time."""
        before = self.decided(report)
        new = {it.claim: (it.outcome, among) for it in verdicts if it.outcome != "inconclusive"}
        if not before.keys() >= new.keys():
            decided = {report: {**new, **before}}
            self._change(lambda manifest: replace(manifest, decided={**manifest.decided, **decided}))

    def judged(self) -> bool:
        """Whether anything of the paper was judged in this store."""
        return bool(self._read().looks)

    def looks(self, arms: Iterable[str]) -> tuple[Look, ...]:
        """The looks that used one of the arms, each once, in the order in which they were first taken."""
        wanted = set(arms)
        return tuple(taken.look for taken in self._read().looks if wanted.intersection(taken.arms))

    def take(self, look: Look, arms: Iterable[str]) -> tuple[Look, ...]:
        """Record the look, once however often it is taken; returns all looks at these runs."""
        asked = {*arms, *look.runs}

        def change(manifest: Manifest) -> Manifest:
            old, looks = manifest.looks, [taken.look for taken in manifest.looks]
            same = [
                taken
                for k, taken in enumerate(old)
                if taken.look.is_same(look, looks[:k]) and asked.intersection(taken.arms)
            ]
            whole = reduce(lambda joined, taken: taken.look.joined(joined), same, look)
            all_arms = asked.union(*(taken.arms for taken in same))
            new = Taken(replace(whole, level=look.level), tuple(sorted(all_arms)))
            place = old.index(same[0]) if same else len(old)
            kept = [taken for taken in old if taken not in same]
            return replace(manifest, looks=(*kept[:place], new, *kept[place:]))

        self._change(change)
        return self.looks(asked)


def with_stored_runs(
    plan: KeptPlan, paper: Paper, runs: Iterable[Run], lost: Mapping[str, tuple[int, ...]] | None = None
) -> dict[str, ExperimentRecord]:
    """Every experiment of the claim file with all its seeds among `runs`; `lost` are missing seeds, by arm.
    An experiment whose description has changed since its runs has none."""
    arms: dict[str, list[Run]] = {}
    for run in runs:
        if not run.imported and run.status != "interrupted":
            arms.setdefault(run.spec.arm, []).append(run)
    now = definitions(paper)
    planned = {record.id: record for record in plan.experiments}

    def without_runs(name: str, why: str = "", corpus_of: str = "") -> ExperimentRecord:
        experiment = paper.single_experiments[name]
        never = experiment.never_run
        why = why or never or (BY_COMMAND if experiment.command else NOT_IN_STORE)
        return replace(paper.without_runs(name, why, unavailable=never is not None), corpus_of=corpus_of)

    found = {}
    for name in (*paper.single_experiments, *(it for it in paper.specified_experiments if it in planned)):
        plain = name in paper.single_experiments  # a reading that was not run has nothing to report
        record = planned.get(name) or without_runs(name)
        if (sheet := record.data) is not None and record.dataset in paper.datasets:
            identity = {it: getattr(sheet, it) for it in ("content", "partition", "corpus")}
            another = paper.known_as(record.dataset, **identity)
            if another and plain:
                found[name] = without_runs(name, paper.of_another(another), another)
            if another:
                continue
        if name in planned and record.short is None:
            record = replace(record, short=("reduced_protocol",))  # an older plan: safe is to contradict none
        if name in planned and plan.definitions.get(name) != now[name]:
            if plain:
                found[name] = without_runs(name, _CHANGED)
            continue
        arm = next(iter(plan.keys.get(name, ())), "")  # the first seed of every plan is 0
        mine = tuple(sorted(arms.get(arm, ()), key=lambda run: run.spec.seed))
        gone = (lost or {}).get(arm, ())
        if mine or gone or not record.reading:
            why_none = None if mine else GONE if gone else record.not_run or NOT_IN_STORE
            found[name] = replace(record, runs=mine, gone=gone, not_run=why_none)
    return found


def with_lost_imports(
    experiments: Mapping[str, ExperimentRecord], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, ExperimentRecord]:
    """Experiments judged by imported runs, with the seeds of such runs that are gone."""
    found = dict(experiments)
    for name, record in experiments.items():
        gone = lost.get(f"{IMPORTED} {name.removesuffix(f' ({IMPORTED})')}", ())
        if gone and all(run.imported for run in record.runs):
            found[name] = replace(record, gone=tuple(sorted({*record.gone, *gone})))
    return found


def definitions(paper: Paper) -> dict[str, str]:
    """Experiment -> digest of all that determines its runs; its title and absent keys do not count."""
    specified = {name: it.experiment for name, it in paper.specified_experiments.items()}
    found = {}
    for name, experiment in {**paper.single_experiments, **specified}.items():
        idle = {key for key in ("noise", "training", "tuning", "command") if not getattr(experiment, key)}
        content = experiment.model_dump(mode="json", exclude={"title", "method", "readings", *idle})
        found[name] = digest(content)
    return found


Fixed = Mapping[str, Mapping[str, Any]]
#: A claim that is not what it was when the runs began, and how: `margin 2.1 -> 2.5`, `no longer there`.
Change = tuple[str, str]

#: So many changed claims are named; the others are counted.
_NAMED = 3
#: What is fixed beside the claims: the address of the authors' code, by which imported runs may contradict.
_CODE = "code"


def keep_fixed(root: Path, paper: Paper) -> None:
    """Write what the claim file fixes now into the store at `root`, once per hash."""
    path = _path(root, paper.paper.key, paper.margins_hash)
    with explained(path):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, (json.dumps({"claims": paper.fixed}, indent=1, ensure_ascii=False) + "\n").encode())


def superseded(root: Path, paper: Paper) -> Mapping[str, str]:
    """Earlier hashes that the claim file takes over -> the reason, and what has changed since."""
    changes, now = {}, json.loads(json.dumps(paper.fixed))
    for mark, why in paper.superseded.items():
        before = _read(_path(root, paper.paper.key, mark), mark)
        texts = [f"{claim} ({what})" for claim, what in sorted(_changes(before or {}, now))]
        what = f"; changed since: {first_of(texts, 2 * _NAMED)}" if texts else ""
        changes[mark] = f"{why.rstrip('.')}{what}"
    return changes


def grown_since(
    root: Path, paper: Paper, runs: Iterable[Run], *, path: Path
) -> Mapping[str, tuple[str, ...]]:
    """Earlier hashes of which every claim still stands -> ids of the claims that were added since. `runs` are
    those of the store; `path` is the claim file. Raises `AuditError` where claims were changed after runs of
    them began and the file does not declare a new audit: it names them, and what to write. Raises
    `StoreError` where runs are there and their manifest is gone."""
    key, now = paper.paper.key, paper.margins_hash
    marks, ledger = [run.margins[key] for run in runs if key in run.margins], Ledger(root, key)
    if marks and ledger._read() == Manifest(key):
        raise StoreError(f"{ledger.path}: missing, but there are {len(marks)} runs of {key}; {_UNKNOWN}")
    fixed = json.loads(json.dumps(paper.fixed))
    grown: dict[str, tuple[str, ...]] = {}
    refused: dict[str, list[Change]] = {}
    for mark in dict.fromkeys(marks):
        if mark in (now, *paper.superseded):
            continue
        before = _read(_path(root, key, mark), mark)
        if before is None:
            refused[mark] = [("claims or margins", "the record does not say which")]
            continue
        if changes := list(_changes(before, fixed)):
            refused[mark] = changes
        else:
            grown[mark] = tuple(name for name in fixed if name not in before and name != _CODE)
    if refused:
        changed = sorted({change for changes in refused.values() for change in changes})
        why = "what was changed after the runs, and why"
        items = ", ".join(f'{{hash: {mark}, why: "{why}"}}' for mark in refused)
        raise AuditError(
            f"{_listed(changed, path)} changed after runs in the store had begun under "
            f"{' and '.join(refused)} (now {now}). Margins must be fixed before the runs: take "
            f"the change back, or declare a new audit of these runs, with your reason, in {path}:\n"
            f"supersedes: [{items}]"
        )
    return grown


def _changes(before: Fixed, now: Fixed) -> Iterator[Change]:
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            yield name, "no longer there"
        elif keys := [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]:
            yield name, ", ".join(f"{key} {_shown(old, key)} -> {_shown(new, key)}" for key in keys)


def _shown(claim: Mapping[str, Any], key: str) -> str:
    value = claim.get(key)
    if key == "margin" and value:
        return f"{value[0]:g} ({value[1]})"
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return short(text, 60)


def _listed(changes: Iterable[Change], path: Path) -> str:
    """The changes with their lines; metrics of one claim that changed alike count once."""
    lines, metrics = claim_lines(path), dict[tuple[str, str], list[str]]()
    for claim, what in changes:
        name, _, metric = claim.partition(":")
        metrics.setdefault((name, what), []).append(metric)
    texts = [
        f"{path}{f':{lines[name]}' if name in lines else ''}: {' '.join((name, *filter(None, of)))} ({what})"
        for (name, what), of in metrics.items()
    ]
    return first_of(texts, _NAMED).replace("), ", "); ")


def claim_lines(path: Path) -> dict[str, int]:
    """Claim id -> its line in the file; empty for a paper made in Python."""
    if not path.exists():
        return {}
    source = read_yaml(path)
    claims: Any = source.content.get("claims") or []
    return {claim["id"]: source.lines.get(("claims", k), 1) for k, claim in enumerate(claims)}


def _path(root: Path, paper: str, mark: str) -> Path:
    return root / "margins" / paper / f"{mark}.json"


def _read(path: Path, mark: str) -> Fixed | None:
    """None if there is no such file. Raises `StoreError` for one whose hash does not match its name."""
    with explained(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        fixed: Fixed = json.loads(content)["claims"]
        sound = digest(list(fixed.values())) == mark
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        how = "restore it, or move it away and declare a new audit"
        raise StoreError(f"{path}: changed since it was written; {how}")
    return fixed
