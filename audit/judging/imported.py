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
from audit.record import IMPORTED, SCOPES, Deviation, ExperimentRecord, Run, RunSpec, Scope
from audit.stats.printed import printed_count

if TYPE_CHECKING:
    from audit.claims.load import Paper


Evidence = Literal["ours", "imported"]
EVIDENCE: tuple[Evidence, ...] = ("ours", "imported")

#: What departs where the stated code is not the claim file's.
OTHER_CODE = "authors' code"
#: How data are recorded of which the test documents are known; a digest of these and their labels follows.
OF_DOCUMENTS = "as imported, test documents "
#: In place of the fingerprint of data whose content nobody declared.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Provenance:
    """Where an imported run comes from: the configuration of its spec."""

    paper: str
    experiment: str
    files: tuple[tuple[str, str], ...]  # Names and SHA-256 of the files that the numbers stand in.
    by: str = ""
    authors_code: str = ""
    same_data: str = ""
    unit: str = "percent"
    seeds: tuple[int, ...] = ()  # All seeds of this experiment that were in the import.
    replaces: tuple[str, ...] = ()  # Keys of the imported runs that this one stands in for.
    other_split: str = ""  # Why the data are another split of the paper's documents, as stated.
    same_lists_as: int | None = None
    """Another seed with the same predictions or values, where both are stated to be runs of their own."""
    command: str = ""
    """Digest of the experiment's own command, where that made the run here (`audit.runner.commands`)."""

    @classmethod
    def of(cls, run: Run) -> Provenance:
        """Read once of each run. Raises `StoreError` for a record that is no import's."""
        kept: Provenance | None = run.__dict__.get("_provenance")  # no field: equal runs stay equal
        if kept is None:
            config = dict(run.spec.config)
            try:
                sources = config.pop("sources")
                config["files"] = tuple((str(source["file"]), str(source["sha256"])) for source in sources)
                config |= {name: tuple(config[name]) for name in ("seeds", "replaces")}
                kept = run.__dict__["_provenance"] = cls(**config)
            except (KeyError, TypeError, ValueError) as err:
                text = f"{run.key}: no record of an imported run ({err}); import its file again"
                raise StoreError(text) from err
        return kept

    @property
    def from_files(self) -> str:
        return ", ".join(file for file, _ in self.files)

    def spec(self, *, seed: int, fingerprint: str | None) -> RunSpec:
        """No model and no protocol has the name that stands there, so no run of ours can have its key."""
        config: dict[str, Any] = dict(vars(self))
        config["sources"] = [{"file": file, "sha256": sha256} for file, sha256 in config.pop("files")]
        config |= {name: list(config[name]) for name in ("seeds", "replaces")}
        for name in ("other_split", "same_lists_as", "command"):  # older records have none
            if config[name] in ("", None):
                del config[name]
        protocol, data = {"name": IMPORTED}, fingerprint or UNKNOWN
        return RunSpec(IMPORTED, "", config, protocol, data=data, seed=seed, precision=UNKNOWN)


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
    kept: dict[str, dict[int, Run]] = {}
    for (experiment, seed), alike in sorted(counting(runs, paper).items()):
        first = kept.setdefault(experiment, {})[seed] = alike[0]
        for other in alike[1:]:
            if (first.status, first.metrics) != (other.status, other.metrics):
                one, two = Provenance.of(first).from_files, Provenance.of(other).from_files
                raise StoreError(
                    f"{root}: {experiment!r}, seed {seed}, was imported from {one} and from {two} with other "
                    f"values; import the one that counts with {option('replace', True)}"
                )
    for experiment, by_seed in kept.items():
        imports = [Provenance.of(run) for run in by_seed.values()]
        lost = {seed for source in imports for seed in source.seeds} - set(by_seed)
        if lost:
            there, gone = (", ".join(map(str, sorted(seeds))) for seeds in (by_seed, lost))
            raise StoreError(
                f"{root}: of the imported seeds of {experiment!r} ({there} are there) {gone} is missing; "
                f"import {imports[0].from_files} again"
            )
    return {name: tuple(by_seed.values()) for name, by_seed in kept.items()}


def with_imported(
    paper: Paper,
    experiments: Mapping[str, ExperimentRecord],
    imported: Mapping[str, Sequence[Run]],
    *,
    evidence: Evidence = "ours",
) -> dict[str, ExperimentRecord]:
    """The experiments with the runs they are judged by; runs of the other kind are there to be shown.

    An experiment of ours whose imported runs are on data closer to the paper's stands there a second time,
    with those: `assemble` points the printed values at it. Names that the claim file has not (any more) are
    passed over.
    """
    found = dict(experiments)
    for name, runs in imported.items():
        record = found.get(name)
        if record is None:
            continue
        judged = _judged_by(paper, record, runs)
        if not (record.runs or record.gone) or evidence == "imported":
            found[name] = judged
            continue
        found[name] = replace(record, unjudged=tuple(runs))
        if SCOPES.index(judged.scope) < SCOPES.index(record.scope):
            title = f"{record.title} (imported)"
            found[beside(name)] = replace(judged, id=beside(name), title=title)
    return found


def beside(experiment: str) -> str:
    """Id of an experiment's imported runs, where its printed values go by them and other claims by ours."""
    return f"{experiment} (imported)"


def _judged_by(paper: Paper, record: ExperimentRecord, runs: Sequence[Run]) -> ExperimentRecord:
    scope, data = scope_of(paper, record.dataset, runs), paper.datasets[record.dataset]
    prints = dict.fromkeys(run.data.fingerprint for run in runs)
    another = (paper.known_as(record.dataset, content=digest, partition=digest) for digest in prints)
    # where there are not as many test documents as are printed, and whether a tenth more or fewer
    text, apart, far = data.printed.get("test"), [], False
    if text is not None and scope == "same_data":
        printed = printed_count(text).value
        for size in sorted({run.data.n_test for run in runs} - {0, printed}):
            here = f"printed {text} test documents, here {size:,}"
            apart.append(Deviation("test documents", text, here, "the data are the paper's as stated"))
            far |= abs(size - printed) > printed / 10
    return replace(
        record,
        corpus_of=next(filter(None, another), ""),
        model=IMPORTED,
        variant="",
        protocol=IMPORTED,
        config={},
        short=("stand_in",) if far else None,
        runs=tuple(runs),
        unjudged=record.runs,
        scope=scope,
        deviations=(*_deviations(paper, data.name, runs, scope), *apart),
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
        source, content = Provenance.of(run), run.data.fingerprint
        another = bool(known) and content not in (*known, UNKNOWN)
        theirs = content in known or (bool(source.same_data) and not another)
        same.append(theirs and not source.other_split)
        near.append(theirs or bool(source.other_split))
    return "same_data" if all(same) else "other_split" if all(near) else "other_data"


def origin(runs: Sequence[Run]) -> tuple[str, ...]:
    """Short warnings that belong beside every verdict on these runs; none where they are ours."""
    sources = [(run, Provenance.of(run)) for run in runs if run.imported]
    stated, number = [source for _, source in sources], len(sources)
    if not stated:
        return ()
    made_here = [bool(source.command) for source in stated]
    notes = [] if all(made_here) else ["imported, not verified here"]
    notes += ["run here by the claim file's command, not by our code"] if any(made_here) else []
    for says, name in (
        ("the authors' code", "authors_code"),
        ("the paper's own data", "same_data"),
        ("another split", "other_split"),
    ):
        notes += [f"{says}, as stated: {text}" for text in _distinct(stated, name)]
    if any(
        run.data.fingerprint == UNKNOWN and not (source.same_data or source.other_split)
        for run, source in sources
    ):
        notes.append("no fingerprint of the data was declared")
    lots = len({(run.finished or "", source.files) for run, source in sources if not source.command})
    notes += [f"imported in {lots} lots"] if lots > 1 else []
    if replaced := sum(bool(source.replaces) for source in stated):
        word = "runs" if all(made_here) else "imported results"
        notes.append(f"{replaced} of {number} {word} replaced earlier ones")
    if alike := sum(source.same_lists_as is not None for source in stated):
        verb = "has" if alike == 1 else "have"
        of_seed = "the results of another seed, as stated of runs of their own"
        notes.append(f"{alike} of {number} imported runs {verb} {of_seed}")
    return tuple(notes)


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
    same = any(known.startswith(commit) or commit.startswith(known) for commit in commits)
    pattern = rf"(?<![\w.-]){re.escape(address)}(?:\.git)?(?![\w-])"
    there = re.search(pattern, stated.lower().replace(":", "/"))
    return there is None or bool(code.commit and commits and not same)


def _deviations(paper: Paper, name: str, runs: Sequence[Run], scope: Scope) -> tuple[Deviation, ...]:
    """Who ran what and when it was imported, once for each lot; what is stated of data and code."""
    stated, found = [Provenance.of(run) for run in runs], []
    for run, source in zip(runs, stated, strict=True):
        files = ", ".join(f"{file} (SHA-256 {sha256[:12]})" for file, sha256 in source.files)
        by = f"run by {source.by}" if source.by else "who ran it is not said"
        here = f"imported from {files}; {by}; not verified here"
        why = f"imported {(run.finished or 'at an unknown time')[:10]}"
        if source.command:
            here = f"run here by the claim file's own command ({source.by}), not by our code"
            why = "it says which program"
        found.append(Deviation("runs", "the paper's own", here, why, source.authors_code or None))
    why, same = "not verified here", _distinct(stated, "same_data")
    here = f"stated to be the same: {'; '.join(same)}"
    if scope == "other_split":
        here = f"stated to be another split: {'; '.join(_distinct(stated, 'other_split'))}"
    elif scope == "other_data":
        here = f"{', '.join(filter(None, dict.fromkeys(run.data.name for run in runs)))}, as the import says"
        why = "no fingerprint that is the paper's was declared"
    if same or scope != "same_data":  # else a fingerprint vouches for them
        found.append(Deviation("data", name, here, why))
    others = [code for code in _distinct(stated, "authors_code") if other_code(code, paper)]
    if (code := paper.paper.code) and others:
        named = " at commit ".join(filter(None, (code.url, code.commit)))
        why = "the code as stated is not the code that the claim file names"
        found.append(Deviation(OTHER_CODE, named, ", ".join(others), why))
    return tuple(dict.fromkeys(found))


def _distinct(stated: Iterable[Provenance], name: str) -> list[str]:
    return list(filter(None, dict.fromkeys(getattr(source, name) for source in stated)))
