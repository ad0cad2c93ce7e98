"""Imported runs, which others made: which of them count, of what they are evidence, what is said of them.

The rules, all in one place:

* A run of an experiment is either ours or imported, and an arm of a claim is all of one kind. Where both are
  there, ours are judged and imported ones shown; `--evidence imported` turns that round for every
  experiment that has imported runs. The choice never looks at a number.
* A printed value is judged by the runs whose data are closer to the paper's own, ours where both are equally
  close: it has one arm, so nothing is compared across programs. All other claims go by the rule above.
* An arm of ours is not compared with an imported one: two programs differ in more than the claim.
* Nothing imported is ever overwritten. `--replace` adds a record that names the ones it stands in for; these
  count no more, the new one says so, and keeps the margins that were fixed at the first look.
* An import names all its seeds in each record, so that one that is taken away later is missed.
* The data are the paper's own (`same_data`) only if the declared fingerprint is that of the claim file, or
  whoever imported states why; they are another split of its documents if that is stated. Else they are other
  data, also under the paper's name for them.
* The gate of fidelity is about our implementations. Imported runs contradict only where they are stated to be
  of the authors' own code, which is the one that the claim file names, if it names one; that, like all of an
  import, is not verified here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from audit.errors import StoreError, option
from audit.record import IMPORTED, Deviation, ExperimentRecord, Run, RunSpec, Scope

if TYPE_CHECKING:
    from audit.claims.load import Paper


Evidence = Literal["ours", "imported"]
EVIDENCE: tuple[Evidence, ...] = ("ours", "imported")

_SCOPES: tuple[Scope, ...] = ("same_data", "other_split", "other_data")
"""From the paper's own data to stand-ins."""

#: What departs where the stated code is not the claim file's.
OTHER_CODE = "authors' code"
#: In place of the fingerprint of data whose content nobody declared.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Provenance:
    """Where an imported run comes from: the configuration of its spec."""

    paper: str
    experiment: str
    files: tuple[tuple[str, str], ...]
    """Names and SHA-256 of the files that the numbers stand in."""
    by: str = ""
    authors_code: str = ""
    same_data: str = ""
    unit: str = "percent"
    seeds: tuple[int, ...] = ()
    """All seeds of this experiment that were in the import."""
    replaces: tuple[str, ...] = ()
    """Keys of the imported runs that this one stands in for."""
    other_split: str = ""
    """Why the data are another split of the paper's documents, as stated."""
    same_lists_as: int | None = None
    """Another seed with the same predictions or values, where both are stated to be runs of their own."""
    command: str = ""
    """Digest of the experiment's own command, where that made the run here (`audit.runner.commands`)."""

    @classmethod
    def of(cls, run: Run) -> Provenance:
        """Read once of each run. Raises `StoreError` for a record that is no import's."""
        kept: Provenance | None = run.__dict__.get("_provenance")
        if kept is None:
            kept = cls._read(run)
            run.__dict__["_provenance"] = (
                kept  # as `cached_property` does: no field, so equal runs stay equal
            )
        return kept

    @classmethod
    def _read(cls, run: Run) -> Provenance:
        held = run.spec.config
        try:
            return cls(
                paper=str(held["paper"]),
                experiment=str(held["experiment"]),
                files=tuple((str(it["file"]), str(it["sha256"])) for it in held["sources"]),
                by=str(held["by"]),
                authors_code=str(held["authors_code"]),
                same_data=str(held["same_data"]),
                other_split=str(held.get("other_split", "")),
                unit=str(held["unit"]),
                seeds=tuple(int(it) for it in held["seeds"]),
                replaces=tuple(str(it) for it in held["replaces"]),
                same_lists_as=None if (seed := held.get("same_lists_as")) is None else int(seed),
                command=str(held.get("command", "")),
            )
        except (KeyError, TypeError, ValueError) as err:
            raise StoreError(
                f"{run.key}: no record of an imported run ({err}); import its file again"
            ) from err

    def spec(self, *, seed: int, fingerprint: str | None) -> RunSpec:
        """No model and no protocol has the name that stands there, so no run of ours can have its key."""
        config: dict[str, Any] = {
            "paper": self.paper,
            "experiment": self.experiment,
            "sources": [{"file": file, "sha256": sha256} for file, sha256 in self.files],
            "by": self.by,
            "authors_code": self.authors_code,
            "same_data": self.same_data,
            **({"other_split": self.other_split} if self.other_split else {}),  # older records have none
            **({} if self.same_lists_as is None else {"same_lists_as": self.same_lists_as}),
            **({"command": self.command} if self.command else {}),
            "unit": self.unit,
            "seeds": list(self.seeds),
            "replaces": list(self.replaces),
        }
        return RunSpec(
            IMPORTED,
            "",
            config,
            {"name": IMPORTED},
            data=fingerprint or UNKNOWN,
            seed=seed,
            precision=UNKNOWN,
        )


# --------------------------------------------------------------------------- which count


def counting(runs: Iterable[Run], paper: str) -> dict[tuple[str, int], list[Run]]:
    """Experiment and seed -> the imported runs that no other one replaces, the first imported first."""
    mine = [run for run in runs if run.imported and Provenance.of(run).paper == paper]
    gone = {key for run in mine for key in Provenance.of(run).replaces}
    found: dict[tuple[str, int], list[Run]] = {}
    for run in sorted(mine, key=lambda run: (run.finished or "", run.key)):
        if run.key not in gone:
            found.setdefault((Provenance.of(run).experiment, run.spec.seed), []).append(run)
    return found


def active(runs: Iterable[Run], paper: str, root: Path) -> dict[str, tuple[Run, ...]]:
    """Experiment -> the imported runs that it may be judged by, by seed.

    Raises `StoreError` for two that say different things of one seed, and for an import that is not whole.
    """
    found: dict[str, dict[int, Run]] = {}
    for (experiment, seed), alike in sorted(counting(runs, paper).items()):
        for other in alike[1:]:
            _refuse_difference(alike[0], other, root)
        found.setdefault(experiment, {})[seed] = alike[0]
    for experiment, by_seed in found.items():
        imports = [Provenance.of(run) for run in by_seed.values()]
        lost = {seed for it in imports for seed in it.seeds} - set(by_seed)
        if lost:
            raise StoreError(
                f"{root}: of the imported seeds of {experiment!r} ({_listed(by_seed)} are there) "
                f"{_listed(lost)} is missing; import {_files(imports[0])} again"
            )
    return {name: tuple(by_seed.values()) for name, by_seed in found.items()}


def _refuse_difference(first: Run, other: Run, root: Path) -> None:
    if (first.status, first.metrics) != (other.status, other.metrics):
        one, two = Provenance.of(first), Provenance.of(other)
        raise StoreError(
            f"{root}: {one.experiment!r}, seed {first.spec.seed}, was imported from {_files(one)} and from "
            f"{_files(two)} with other values; import the one that counts with {option('replace', True)}"
        )


def with_imported(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    imported: Mapping[str, Sequence[Run]],
    *,
    evidence: Evidence = "ours",
) -> dict[str, ExperimentRecord]:
    """The experiments with the runs they are judged by; runs of the other kind are there to be shown.

    An experiment of ours whose imported runs are on data closer to the paper's stands there a second time,
    with those: `aimed` points the printed values at it.
    """
    found = dict(experiments)
    for name, runs in imported.items():
        record = found.get(name)
        if record is None:
            continue  # the claim file has lost it; `strangers` says so
        if (record.runs or record.gone) and evidence == "ours":
            found[name] = replace(record, unjudged=tuple(runs))
            closer = _judged_by(paper, record, runs)
            if _SCOPES.index(closer.scope) < _SCOPES.index(record.scope):
                title = f"{record.title} (imported)"
                found[beside(name)] = replace(closer, id=beside(name), title=title)
        else:
            found[name] = _judged_by(paper, record, runs)
    return found


def beside(experiment: str) -> str:
    """Id of an experiment's imported runs, where its printed values go by them and other claims by ours."""
    return f"{experiment} (imported)"


def strangers(
    experiments: Mapping[str, ExperimentRecord], imported: Mapping[str, Sequence[Run]]
) -> tuple[str, ...]:
    """Names that imported runs have and the claim file has not (any more)."""
    return tuple(name for name in imported if name not in experiments)


def _judged_by(paper: Paper, record: ExperimentRecord, runs: Sequence[Run]) -> ExperimentRecord:
    scope = scope_of(paper, record.dataset, runs)
    prints = dict.fromkeys(run.data.fingerprint for run in runs)
    another = [paper.known_as(record.dataset, content=it, partition=it) for it in prints]
    return replace(
        record,
        corpus_of=next(filter(None, another), ""),
        model=IMPORTED,
        variant="",
        protocol=IMPORTED,
        config={},
        short=None,
        runs=tuple(runs),
        unjudged=record.runs,
        scope=scope,
        deviations=(*_origins(runs), *_data(paper, record.dataset, runs, scope), *_other_code(paper, runs)),
        not_run=None,
        gone=(),
        sources={},
    )


def scope_of(paper: Paper, dataset: str, runs: Sequence[Run]) -> Scope:
    """`same_data` if that is declared, one way or the other, of every run; else `other_split` if that is.

    What is stated counts only where no fingerprint tells: one that is not the paper's speaks against it.
    """
    data = paper.datasets[dataset]
    known = (*(data.content or ()), *(data.partition or ()))
    same, near = [], []
    for run in runs:
        it, its_content = Provenance.of(run), run.data.fingerprint in known
        another = bool(known) and not its_content and run.data.fingerprint != UNKNOWN
        stated = bool(it.same_data) and not another
        same.append((its_content or stated) and not it.other_split)
        near.append(its_content or stated or bool(it.other_split))
    return "same_data" if all(same) else "other_split" if all(near) else "other_data"


# --------------------------------------------------------------------------- what is said of them


def origin(runs: Sequence[Run]) -> tuple[str, ...]:
    """Short warnings that belong beside every verdict on these runs; none where they are ours."""
    runs = [run for run in runs if run.imported]
    held = [Provenance.of(run) for run in runs]
    if not held:
        return ()
    made_here = [bool(it.command) for it in held]
    notes = [] if all(made_here) else ["imported, not verified here"]
    notes += ["run here by the claim file's command, not by our code"] if any(made_here) else []
    notes += [f"the authors' code, as stated: {it}" for it in _distinct(p.authors_code for p in held)]
    notes += [f"the paper's own data, as stated: {it}" for it in _distinct(p.same_data for p in held)]
    notes += [f"another split, as stated: {it}" for it in _distinct(p.other_split for p in held)]
    if any(
        run.data.fingerprint == UNKNOWN and not (p.same_data or p.other_split)
        for run, p in zip(runs, held, strict=True)
    ):
        notes.append("no fingerprint of the data was declared")
    lots = len({(run.finished or "", p.files) for run, p in zip(runs, held, strict=True) if not p.command})
    if lots > 1:
        notes.append(f"imported in {lots} lots")
    replaced = sum(bool(it.replaces) for it in held)
    if replaced:
        word = "runs" if all(made_here) else "imported results"
        notes.append(f"{replaced} of {len(held)} {word} replaced earlier ones")
    alike = sum(it.same_lists_as is not None for it in held)
    if alike:
        verb = "has" if alike == 1 else "have"
        notes.append(
            f"{alike} of {len(held)} imported runs {verb} the results of another seed, as stated of runs of "
            "their own"
        )
    return tuple(notes)


def may_be_older(run: Run) -> bool:
    """Than the margins on record: whether it was made before it came here."""
    return run.imported and not Provenance.of(run).command


def repeats(run: Run) -> int | None:
    """The seed whose results an imported run has; None for another."""
    return Provenance.of(run).same_lists_as if run.imported else None


def speaks_against(runs: Sequence[Run]) -> bool:
    """Whether imported runs may contradict a claim: all of them are stated to be of the authors' own code."""
    return bool(runs) and all(run.imported and Provenance.of(run).authors_code for run in runs)


def _origins(runs: Sequence[Run]) -> tuple[Deviation, ...]:
    """Who ran what, and when it was imported, once for each lot."""
    lots: dict[Deviation, None] = {}
    for run in runs:
        it = Provenance.of(run)
        if it.command:
            here = f"run here by the claim file's own command ({it.by}), not by our code"
            lots[
                Deviation("runs", "the paper's own", here, "it says which program", it.authors_code or None)
            ] = None
            continue
        files = ", ".join(f"{file} (SHA-256 {sha256[:12]})" for file, sha256 in it.files)
        by = f"run by {it.by}" if it.by else "who ran it is not said"
        lot = Deviation(
            what="runs",
            paper="the paper's own",
            code=it.authors_code or None,
            here=f"imported from {files}; {by}; not verified here",
            why=f"imported {(run.finished or 'at an unknown time')[:10]}",
        )
        lots[lot] = None
    return tuple(lots)


def other_code(stated: str, paper: Paper) -> bool:
    """Whether the code that is stated to be the authors' is not the one that the claim file names.

    The claim file's address has to stand there, and its commit, if another commit does.
    """
    code = paper.paper.code
    if code is None or not stated:
        return False
    address = re.sub(r"^https?://(www\.)?|(\.git)?/?$", "", code.url.lower())
    commits = re.findall(r"\b[0-9a-f]{7,40}\b", stated.lower().replace(address, ""))
    known = (code.commit or "").lower()
    same = [it for it in commits if known.startswith(it) or it.startswith(known)]
    there = re.search(
        rf"(?<![\w.-]){re.escape(address)}(?:\.git)?(?![\w-])", stated.lower().replace(":", "/")
    )
    return there is None or bool(code.commit and commits and not same)


def _other_code(paper: Paper, runs: Sequence[Run]) -> tuple[Deviation, ...]:
    code = paper.paper.code
    stated = [
        it for it in _distinct(Provenance.of(run).authors_code for run in runs) if other_code(it, paper)
    ]
    if code is None or not stated:
        return ()
    named = " at commit ".join(it for it in (code.url, code.commit) if it)
    why = "the code as stated is not the code that the claim file names"
    return (Deviation(OTHER_CODE, named, ", ".join(stated), why),)


def _data(paper: Paper, dataset: str, runs: Sequence[Run], scope: Scope) -> tuple[Deviation, ...]:
    """What is known of the data, where no fingerprint vouches for them."""
    stated = _distinct(Provenance.of(run).same_data for run in runs)
    if scope == "same_data" and not stated:
        return ()
    if scope == "other_split":
        splits = "; ".join(_distinct(Provenance.of(run).other_split for run in runs))
        here = f"stated to be another split: {splits}"
        return (Deviation("data", paper.datasets[dataset].name, here, "not verified here"),)
    names = ", ".join(_distinct(run.data.name for run in runs))
    here = (
        f"stated to be the same: {'; '.join(stated)}"
        if scope == "same_data"
        else f"{names}, as the import says"
    )
    why = "not verified here" if scope == "same_data" else "no fingerprint that is the paper's was declared"
    return (Deviation("data", paper.datasets[dataset].name, here, why),)


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(it for it in texts if it))


def _files(provenance: Provenance) -> str:
    return ", ".join(file for file, _ in provenance.files)


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(seeds)))
