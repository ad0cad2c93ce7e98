"""The runs that bear on one arm of a claim, ours or imported: which count, how many were tried, what lacks.

The rules of imported runs:

* An arm of a claim is all of one kind. Where both are there, ours are judged and imported ones shown;
  `--evidence imported` turns that round. A printed value is judged by the runs whose data are closer to the
  paper's own, ours where both are equally close. The choice never looks at a number.
* An arm of ours is not compared with an imported one: two programs differ in more than the claim.
* Nothing imported is overwritten. `--replace` adds a record that names those it stands in for, and keeps the
  margins that were fixed at the first look. An import names all its seeds, so that a lost one is missed.
* The data are the paper's own (`same_data`) only if the declared fingerprint is that of the claim file, or
  whoever imported states why; another split of its documents if that is stated; else they are other data.
* Imported runs contradict only where they are stated to be of the authors' own code, which is the one that
  the claim file names, if it names one; that, like all of an import, is not verified here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from audit.errors import StoreError, option
from audit.names import counted
from audit.record import (
    IMPORTED,
    SCOPES,
    ClaimRecord,
    Deviation,
    ExperimentRecord,
    FidelityCheck,
    Run,
    RunSpec,
    Scatter,
    Scope,
)
from audit.stats.printed import printed_count
from audit.stats.sample import DECIDING_SEEDS, Constant, Moderated, Prior, prior_of, sample

if TYPE_CHECKING:
    from audit.claims.load import Paper

#: Costs that are counted and not timed.
COUNTED = ("parameters", "model_size")

#: A metric, and the corpus that runs were tested on: name, test documents, split column.
Group = tuple[str, tuple[str, int, int | None]]
#: What is read of a run: a metric, or one of its costs; None where the record does not have it.
Reader = Callable[[Run, str], float | None]

Kind = Literal["ours", "imported"]
EVIDENCE: tuple[Kind, ...] = ("ours", "imported")

#: What departs where the stated code is not the claim file's.
OTHER_CODE = "authors' code"
#: How data are recorded of which the test documents are known; a digest of these and their labels follows.
OF_DOCUMENTS = "as imported, test documents "
#: In place of the fingerprint of data whose content nobody declared.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Arm:
    """One experiment as seen through one metric."""

    experiment: str
    record: ExperimentRecord | None = None  # None where the claim names an experiment that is not there.
    runs: tuple[Run, ...] = ()  # Those that are done and have the metric, one a seed, by seed.
    values: tuple[float, ...] = ()
    """The metric of each of `runs`, in percent (or what it cost); of one deterministic run, three times what
    it gave, as any other seeds would."""
    attempts: int = 0  # All runs: failed and interrupted ones count, so that dropping a seed shows.
    lacks: str | None = None
    """Reason code when there is no value: `not_run`, `run_failed`, `not_measured` of a cost, `other_data`."""
    failed: int = 0  # Seeds that were tried and failed.
    notes: tuple[str, ...] = ()  # Short warnings about these runs, for the badges of a verdict.
    raw: tuple[float, ...] = ()
    """What was measured, where `values` are without its spread, which is less than a test document."""
    group: Group | None = None  # Of which it is one whose variance is random; None where it has none.

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(run.spec.seed for run in self.runs)

    @property
    def still(self) -> bool:
        """Whether all its values are one number."""
        return len(set(self.values)) == 1

    @property
    def measured(self) -> tuple[float, ...]:
        """The values that were run, without a prior."""
        return self.raw or tuple(self.values)[: len(self.runs)]

    @property
    def deterministic(self) -> bool:
        """Declared by its model, and not belied by its runs."""
        return self.record is not None and self.record.deterministic and self.still

    def at(self, seeds: Iterable[int]) -> tuple[float, ...]:
        """The values of these seeds, in that order."""
        by_seed = dict(zip(self.seeds, self.values, strict=False))
        if self.deterministic:
            return Constant(self.values[0] for _ in seeds)
        values = tuple(by_seed[seed] for seed in seeds)
        return Moderated.of(values, self.values.prior) if isinstance(self.values, Moderated) else values

    @cached_property
    def origin(self) -> tuple[str, ...]:
        """Where imported runs come from, as warnings; none of ours."""
        sources = [(run, Provenance.of(run)) for run in self.runs if run.imported]
        if not sources:
            return ()
        stated, number, record = [source for _, source in sources], len(sources), self.record
        made_here = [bool(source.command) for source in stated]
        notes = [] if all(made_here) else ["imported, not verified here"]
        notes += ["run here by the claim file's command, not by our code"] if any(made_here) else []
        for says, name in (
            ("the authors' code", "authors_code"),
            ("the paper's own data", "same_data"),
            ("another split", "other_split"),
        ):
            notes += [f"{says}, as stated: {text}" for text in _distinct(stated, name)]
        if any(run.data.fingerprint == UNKNOWN and not (s.same_data or s.other_split) for run, s in sources):
            notes.append("no fingerprint of the data was declared")
        if replaced := sum(bool(source.replaces) for source in stated):
            word = "runs" if all(made_here) else "imported results"
            notes.append(f"{replaced} of {number} {word} replaced earlier ones")
        if record and any(deviation.what == OTHER_CODE for deviation in record.deviations):
            notes.append("the code as stated is not the code that the claim file names")
        return tuple(notes)

    @cached_property
    def scatter(self) -> Scatter:
        own = sample(tuple(self.values))
        if not isinstance(self.values, Moderated):
            return Scatter(own.sd)
        prior = self.values.prior
        return Scatter(own.sd, sample(self.values).sd, prior.df, math.sqrt(prior.at(own.mean)))


@dataclass(frozen=True)
class Evidence:
    """All experiments of a paper, as arms of its claims. A run that stands there twice (one key) counts once;
    so does a seed, and so do seeds with the very same results, unless they are declared deterministic: taken
    for several draws they would make us surer than we are. Values that differ by at most a third of one test
    document (or .01 points) are one value without spread. The others are moderated by their group's prior."""

    experiments: Mapping[str, ExperimentRecord]
    test_sizes: Mapping[str, int] = field(default_factory=dict)  # Data set id -> test documents as printed.
    priors: Mapping[Group, Prior] = field(default_factory=dict)  # Of the variance of any arm of a group.
    cache: dict[tuple[object, ...], Arm] = field(default_factory=dict, repr=False)
    """Arms by the id of their record, which they hold, and all else that decides them."""

    @classmethod
    def of(
        cls,
        claims: Iterable[ClaimRecord],
        experiments: Mapping[str, ExperimentRecord],
        test_sizes: Mapping[str, int] | None = None,
    ) -> Evidence:
        """With a prior by metric and corpus, over all arms of the paper; of arms that share a run the one
        with most runs counts. What is declared deterministic has no variance to give."""
        claims, plain = list(claims), cls(experiments, test_sizes or {})
        still = {name for claim in claims if claim.deterministic for name in claim.experiments}
        lines = [line for claim in claims for line in claim.details.get("lines", ())]
        groups: dict[Group, list[Arm]] = {}
        metrics = [*(claim.metric for claim in claims), *(line["metric"] for line in lines)]
        for metric in dict.fromkeys(metrics):
            arms = [plain.arm(name, metric) for name in experiments if name not in still]
            seen: set[str] = set()  # two names of one configuration have the same runs: they count once
            for arm in sorted(arms, key=lambda arm: -len(arm.runs)):
                keys = {run.key for run in arm.runs}
                if arm.group and not keys & seen:
                    groups.setdefault(arm.group, []).append(arm)
                    seen |= keys
        priors = {group: prior_of([arm.values for arm in arms]) for group, arms in groups.items()}
        return replace(plain, priors={group: prior for group, prior in priors.items() if prior})

    def arm(self, name: str, metric: str, *, cost: Reader | None = None, deterministic: bool = False) -> Arm:
        """The runs of an experiment for a metric, or for the cost of that name, which `cost` reads.
        `deterministic`: declared by the claim; then nothing is moderated, nor are costs."""
        record = self.experiments.get(name)
        if record is None:
            return Arm(name, lacks="not_run", notes=(f"no experiment named {name!r}",))
        plain = (id(record), name, metric, cost is not None, deterministic)
        if plain not in self.cache:
            self.cache[plain] = self._arm(name, record, metric, cost, deterministic)
        arm = self.cache[plain]
        prior = self.priors.get(arm.group) if arm.group else None
        if prior is None:
            return arm
        if (*plain, prior) not in self.cache:
            self.cache[*plain, prior] = replace(arm, values=Moderated.of(arm.values, prior))
        return self.cache[*plain, prior]

    def _arm(
        self, name: str, record: ExperimentRecord, metric: str, cost: Reader | None, deterministic: bool
    ) -> Arm:
        """Without a prior."""
        if record.corpus_of:
            other = f"the corpus is known to be {record.corpus_of}, another data set of the paper"
            return Arm(name, record, lacks="other_data", notes=(other,))
        by_seed: dict[int, list[Run]] = {}  # which one is first has nothing to do with what came out
        for run in sorted(record.runs, key=lambda run: (run.spec.seed, run.status != "done", run.key)):
            by_seed.setdefault(run.spec.seed, []).append(run)
        tried = [runs[0] for runs in by_seed.values()]
        twice = [str(seed) for seed, runs in by_seed.items() if len({run.key for run in runs}) > 1]
        done = [run for run in tried if run.status == "done"]
        read = [(run, value) for run in done if (value := (cost or _score)(run, metric)) is not None]
        notes, runs = [], [run for run, _ in read]
        if record.data and record.scope == "same_data" and runs and not runs[0].imported:
            notes += [f"declared to be the paper's data, and {size}" for size in record.data.sizes_apart]
        if twice:
            notes.append(f"more than one run of seed {', '.join(twice)}; one of each counts")
        if len(read) < len(done):
            notes.append(f"{metric} not measured in {len(done) - len(read)} of {len(done)} runs")
        versions: dict[str, dict[str, None]] = {}
        for run in runs:
            for library, version in sorted(run.versions.items()):
                versions.setdefault(library, {})[version] = None
        if mixed := [f"{of} {' and '.join(several)}" for of, several in versions.items() if len(several) > 1]:
            notes.append(f"seeds ran with different library versions: {', '.join(mixed)}")
        if 0 < len(read) < len(tried):
            notes.append(f"{len(read)} of {len(tried)} seeds")
        if cost is None and not (record.deterministic or deterministic):
            if alike := repeated(runs):
                notes.append(f"{len(alike)} more seeds gave exactly the same results; they count as one")
            read = [(run, value) for run, value in read if run.key not in alike]
        values: tuple[float, ...] = tuple(float(value) for _, value in read)
        raw: tuple[float, ...] = ()
        if record.deterministic and len(set(values)) > 1:
            notes.append("declared deterministic, but the runs differ")
        elif record.deterministic and values and (cost is None or metric in COUNTED):
            values = Constant(values[:1] * max(DECIDING_SEEDS, len(values)))
            notes.append("deterministic: one run suffices")
        # an import may not tell its documents, and has the printed number on the paper's own data
        printed = self.test_sizes.get(record.dataset, 0) if record.scope == "same_data" else 0
        documents = (read[0][0].data.n_test or printed) if read else 0
        third = 100.0 / documents / 3.0 if documents else math.inf
        finest, apart = min(0.01, third), max(values, default=0.0) - min(values, default=0.0)
        if cost is None and len(set(values)) > 1 and apart <= finest:
            values, raw, apart = (math.fsum(values) / len(values),) * len(values), values, 0.0
            notes.append(f"the seeds differ by at most {finest:.2g} points: no spread")
        failed, lacks = sum(run.status == "failed" for run in tried), None
        if not read and done:  # no run of ours measures F1, or a subset of the labels
            lacks = "not_measured" if cost or metric.endswith(("]", "-F1")) else "not_run"
        elif not read:
            lacks = "run_failed" if failed else "not_run"
        group: Group | None = None
        scatters = len(values) > 1 and sample(values).sd != 0.0 and (not documents or apart > third)
        if scatters and not (cost or deterministic or record.deterministic):
            data = read[0][0].data
            group = metric, (data.name, data.n_test, data.split_column)
        kept = tuple(run for run, _ in read)
        return Arm(name, record, kept, values, len(tried), lacks, failed, tuple(notes), raw, group)


def settings(run: Run) -> dict[str, object]:
    """All that decides a run but its data and its seed, by name."""
    spec = run.spec
    return {
        **{name: getattr(spec, name) for name in ("model", "precision", "revision", "code")},
        **{f"config {name}": value for name, value in spec.config.items()},
        **{f"protocol {name}": value for name, value in spec.protocol.items()},
    }


def _score(run: Run, metric: str) -> float | None:
    value = run.metrics.get(metric)
    return value if value is not None and math.isfinite(value) else None


def all_digits(metrics: Mapping[str, float]) -> tuple[tuple[str, float], ...] | None:
    """The values by name where one has more digits than are printed; None where equality may be chance."""
    fine = any(abs(value - round(value, 2)) > 1e-9 for value in metrics.values())
    return tuple(sorted(metrics.items())) if fine else None


def repeated(runs: Iterable[Run]) -> set[str]:
    """Keys of runs with all results of an earlier seed, in all digits, or with its very predictions (of
    imported ones): one run, or a seed without effect."""
    seen, alike = set[object](), set[str]()
    for run in runs:
        lists = run.predictions_sha256 if run.imported else None
        marks = {mark for mark in (all_digits(run.metrics), lists) if mark}
        if seen & marks:
            alike.add(run.key)
        seen |= marks
    return alike


def about_gone(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """`letters: 2 of 5 runs are gone (seeds 1, 3): run again`, of each that lost any."""
    texts = []
    for record in (record for record in experiments if record.gone):
        runs = counted(len({run.spec.seed for run in record.runs} | set(record.gone)), "run")
        are, seed = ("is", "seed") if len(record.gone) == 1 else ("are", "seeds")
        lost = f"{len(record.gone)} of {runs} {are} gone ({seed} {', '.join(map(str, record.gone))})"
        texts.append(f"{record.id}: {lost}: run again")
    return tuple(texts)


def about_code(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """How many runs are by other code than that by which they are judged, or by code that nobody knows."""
    judged = [record for record in experiments if record.sources]
    codes = {run.key: (record.sources, run.sources) for record in judged for run in record.runs}
    unknown = sum(not then for _, then in codes.values())
    other = [(today, then) for today, then in codes.values() if then and then != today]
    parts = dict.fromkeys(part for today, then in other for part in today if then.get(part) != today[part])
    texts = [f"{counted(len(other), 'run')} by other code than today's ({', '.join(parts)})"] if other else []
    texts += [f"{counted(unknown, 'run')} whose code is not recorded"] if unknown else []
    return tuple(f"{text}: --rerun-changed" for text in texts)


#: Reason codes for which runs may contradict nothing.
BARS = (
    "unverified_reimplementation",
    "unverified_import",
    "stand_in",
    "reduced_protocol",
    "untuned",
    "some_readings",
)


def barred(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool]) -> str | None:
    """Reason code for which these runs may contradict nothing, or None. To speak against a paper they must be
    of its own corpus (in this split or another), by its own protocol, with settings tuned where it tunes, and
    by models that passed their own checks; imported ones must be stated to be of the authors' own code."""
    records = [record for record in records if record.runs]
    for record in records:
        if any(run.imported for run in record.runs):
            stated = all(run.imported and Provenance.of(run).authors_code for run in record.runs)
            if not stated or any(d.what == OTHER_CODE for d in record.deviations):
                return "unverified_import"
        elif not all(fidelity.get(model) is True for model in record.models):
            return "unverified_reimplementation"
    short = {code for record in records for code in record.short or ()}
    if any(record.scope == "other_data" for record in records):
        short.add("stand_in")  # or it is declared to be the paper's, with far more or fewer documents
    return next((code for code in ("stand_in", "reduced_protocol", "untuned") if code in short), None)


def passed(checks: Iterable[FidelityCheck]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks; a model without checks is not there."""
    gate: dict[str, bool] = {}
    for check in checks:
        gate[check.model] = gate.get(check.model, True) and check.passed
    return gate


def worst_scope(arms: Sequence[Arm]) -> Scope | None:
    """The scope of a claim is that of its least fitting evidence; None where there is none."""
    scopes = [arm.record.scope for arm in arms if arm.record is not None and arm.runs]
    return max(scopes, key=SCOPES.index, default=None)


def same_test_set(arms: Sequence[Arm]) -> bool:
    """False when runs that the paper puts on one dataset were tested on different ones. Fingerprints of ours
    hold the vocabulary too, which may differ by design; those of imports are stated to be of the data. An
    import that gives only values does not tell how many documents there were (0), and is taken at its word
    for the name, and for the split."""
    tested: dict[tuple[str, str], set[object]] = {}
    for record, run in ((arm.record, run) for arm in arms if arm.record for run in arm.runs):
        data = run.data
        told: dict[str, object] = {"name": data.name, "size": data.n_test or None}
        if run.imported:
            told |= {"scope": record.scope, "split": Provenance.of(run).other_split}
            told["print"] = None if data.fingerprint == UNKNOWN else data.fingerprint
            told["documents"] = data.recipe if data.recipe.startswith(OF_DOCUMENTS) else None
        for what, value in told.items():
            tested.setdefault((record.dataset, what), set()).update(() if value is None else (value,))
    return all(len(values) <= 1 for values in tested.values())


def badges(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Warnings about the runs; where the runs of all arms come from, once."""
    origins = {arm.experiment: arm.origin for arm in arms}
    shared = next(iter(origins.values())) if len(set(origins.values())) == 1 else ()
    of_arms = (
        f"{arm.experiment}: {text}" if len(arms) > 1 and arm.record else text
        for arm in arms
        for text in (*(() if shared else origins[arm.experiment]), *arm.notes)
    )
    return (*shared, *of_arms)


# --------------------------------------------------------------------------- imported runs


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
    command: str = ""  # Digest of the experiment's own command, where that made the run here.

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
                text = f"{run.key}: not a valid record of an imported run ({err}); import its file again"
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
        for name in ("other_split", "command"):  # older records have none
            if not config[name]:
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
    """Experiment -> the imported runs that it may be judged by, by seed. Raises `StoreError` for two that say
    different things of one seed, and for an import that is not whole."""
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
    evidence: Kind = "ours",
) -> dict[str, ExperimentRecord]:
    """The experiments with the runs they are judged by; runs of the other kind are there to be shown. One of
    ours whose imported runs are on data closer to the paper's stands there a second time, with those:
    `assemble` points the printed values at it."""
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
    as_imported = "as the imported program has it"
    theirs = [replace(of, here=as_imported) for of in paper.departures_of(record.reading_of or record.id)]
    if text is not None and scope == "same_data":
        printed = printed_count(text).value
        for size in sorted({run.data.n_test for run in runs} - {0, printed}):
            here = f"printed {text} test documents, here {size:,}"
            apart.append(Deviation("test documents", text, here, "the data are the paper's own, as declared"))
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
        deviations=(*_deviations(paper, runs), *apart, *theirs),
        not_run=None,
        gone=(),
        sources={},
    )


def scope_of(paper: Paper, dataset: str, runs: Sequence[Run]) -> Scope:
    """`same_data` if that is declared, one way or the other, of every run; else `other_split` if that is.
    What is stated counts only where no fingerprint tells."""
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


def other_code(stated: str, paper: Paper) -> bool:
    """Whether the code that is stated to be the authors' is not the one that the claim file names, by its
    address, and its commit if another one stands there."""
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


def _deviations(paper: Paper, runs: Sequence[Run]) -> tuple[Deviation, ...]:
    """Who ran what and when it was imported, once for each lot; what is stated of the code."""
    stated, found = [Provenance.of(run) for run in runs], []
    for run, source in zip(runs, stated, strict=True):
        files = ", ".join(f"{file} (SHA-256 {sha256[:12]})" for file, sha256 in source.files)
        by = f"run by {source.by}" if source.by else "it does not say who ran it"
        here = f"imported from {files}; {by}; not verified here"
        why = f"imported {(run.finished or 'at an unknown time')[:10]}"
        if source.command:
            here = f"run here by the claim file's own command ({source.by}), not by our code"
            why = "it says which program"
        found.append(Deviation("runs", "the paper's own", here, why, source.authors_code or None))
    others = [code for code in _distinct(stated, "authors_code") if other_code(code, paper)]
    if (code := paper.paper.code) and others:
        named = " at commit ".join(filter(None, (code.url, code.commit)))
        why = "the code as stated is not the code that the claim file names"
        found.append(Deviation(OTHER_CODE, named, ", ".join(others), why))
    return tuple(dict.fromkeys(found))


def _distinct(stated: Iterable[Provenance], name: str) -> list[str]:
    return list(filter(None, dict.fromkeys(getattr(source, name) for source in stated)))
