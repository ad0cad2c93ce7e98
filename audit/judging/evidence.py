"""The runs that bear on one arm of a claim: which have its metric, how many were tried, what is lacking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from audit.judging.imported import (
    OF_DOCUMENTS,
    OTHER_CODE,
    UNKNOWN,
    Provenance,
    origin,
    repeats,
    speaks_against,
)
from audit.names import counted
from audit.record import SCOPES, ClaimRecord, ExperimentRecord, Run, Scatter, Scope
from audit.stats.sample import Moderated, Prior, prior_of, sample

#: Costs that are counted and not timed.
COUNTED = ("parameters", "model_size")
#: Seeds from which on an arm decides by its own spread.
_DECIDING = 3

#: A metric, and the corpus that runs were tested on: name, test documents, split column.
Group = tuple[str, tuple[str, int, int | None]]
#: What is read of a run: a metric, or one of its costs; None where the record does not have it.
Reader = Callable[[Run, str], float | None]


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

    @cached_property
    def origin(self) -> tuple[str, ...]:
        """Where its runs come from, as warnings; none of ours."""
        other = self.record is not None and any(it.what == OTHER_CODE for it in self.record.deviations)
        unlike = "the code as stated is not the code that the claim file names"
        return (*origin(self.runs), *((unlike,) if other and self.runs else ()))

    @cached_property
    def scatter(self) -> Scatter:
        own = sample(tuple(self.values))
        if not isinstance(self.values, Moderated):
            return Scatter(own.sd)
        prior = self.values.prior
        return Scatter(own.sd, sample(self.values).sd, prior.df, math.sqrt(prior.at(own.mean)))


@dataclass(frozen=True)
class Evidence:
    """All experiments of a paper, as arms of its claims.

    A run that stands there twice (one key) counts once. So does a seed: two runs with one seed, by another
    precision or revision, are no two draws, and taken for such they would make us surer than we are. Nor are
    seeds with the very same results, unless they are declared deterministic. Values that are apart by no more
    than a third of one test document (or .01 points) are one value, which has no spread. The others are
    moderated by the prior of their group.
    """

    experiments: Mapping[str, ExperimentRecord]
    test_sizes: Mapping[str, int] = field(default_factory=dict)  # Data set id -> test documents as printed.
    priors: Mapping[Group, Prior] = field(default_factory=dict)
    """What the arms of each group say of the variance of any of them."""
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
            for name, record in experiments.items():
                arm = plain.arm(name, metric)
                if not record.deterministic and name not in still and plain._scatters(arm):
                    groups.setdefault(_group(metric, arm), []).append(arm)
        priors = {group: prior_of([arm.values for arm in _once(arms)]) for group, arms in groups.items()}
        known = {group: prior for group, prior in priors.items() if prior is not None}
        return replace(plain, priors=known)

    def arm(self, name: str, metric: str, *, cost: Reader | None = None, deterministic: bool = False) -> Arm:
        """The runs of an experiment for a metric, or for the cost of that name, which `cost` reads.

        `deterministic`: declared by the claim; then nothing is moderated, nor are costs.
        """
        record = self.experiments.get(name)
        if record is None:
            return Arm(name, lacks="not_run", notes=(f"no experiment named {name!r}",))
        plain, moderated = (id(record), name, metric, cost is not None, deterministic), bool(self.priors)
        if (*plain, moderated) not in self.cache:
            if (*plain, False) not in self.cache:
                self.cache[*plain, False] = self._arm(name, record, metric, cost, deterministic)
            arm = self.cache[*plain, False]
            if moderated and not (cost or deterministic or record.deterministic) and self._scatters(arm):
                prior = self.priors.get(_group(metric, arm))
                arm = replace(arm, values=Moderated.of(arm.values, prior)) if prior else arm
            self.cache[*plain, moderated] = arm
        return self.cache[*plain, moderated]

    def _arm(
        self, name: str, record: ExperimentRecord, metric: str, cost: Reader | None, deterministic: bool
    ) -> Arm:
        """Without a prior."""
        if record.corpus_of:
            other = f"the corpus is known to be {record.corpus_of}, another data set of the paper"
            return Arm(name, record, lacks="other_data", notes=(other,))
        keys: dict[int, set[str]] = {}
        first: dict[int, Run] = {}  # of each seed; which one has nothing to do with what came out
        for run in sorted(record.runs, key=lambda run: (run.spec.seed, run.status != "done", run.key)):
            first.setdefault(run.spec.seed, run)
            keys.setdefault(run.spec.seed, set()).add(run.key)
        tried, twice = list(first.values()), [seed for seed, runs in keys.items() if len(runs) > 1]
        done = [run for run in tried if run.status == "done"]
        read = [(run, value) for run in done if (value := (cost or _score)(run, metric)) is not None]
        runs = [run for run, _ in read]
        ours = record.data if record.scope == "same_data" and read and not read[0][0].imported else None
        sizes = ours.sizes_apart if ours else ()
        notes = [f"declared to be the paper's data, and {size}" for size in sizes]
        if twice:
            notes.append(f"more than one run of seed {', '.join(map(str, twice))}; one of each counts")
        if len(read) < len(done):
            notes.append(f"{metric} not measured in {len(done) - len(read)} of {len(done)} runs")
        notes += _made_differently(runs)
        if 0 < len(read) < len(tried):
            notes.append(f"{len(read)} of {len(tried)} seeds")
        if cost is None and not (record.deterministic or deterministic):
            if alike := _repeated(runs):
                notes.append(f"{len(alike)} more seeds gave the very same results; they count as one")
            read = [(run, value) for run, value in read if run.key not in alike]
        values: tuple[float, ...] = tuple(float(value) for _, value in read)
        raw: tuple[float, ...] = ()
        if record.deterministic and len(set(values)) > 1:
            notes.append("declared deterministic, but the runs differ")
        elif record.deterministic and values and (cost is None or metric in COUNTED):
            values = values if len(values) >= _DECIDING else values[:1] * _DECIDING
            notes.append("deterministic: one run is enough")
        documents = self._documents(record, read[0][0]) if read else 0
        finest = min(0.01, 100.0 / documents / 3.0) if documents else 0.01
        if cost is None and len(set(values)) > 1 and max(values) - min(values) <= finest:
            values, raw = (math.fsum(values) / len(values),) * len(values), values
            notes.append(f"the seeds are apart by at most {finest:.2g} points: no spread")
        failed, lacks = sum(run.status == "failed" for run in tried), None
        if not read and done:  # no run of ours measures F1, or a subset of the labels
            lacks = "not_measured" if cost or metric.endswith(("]", "-F1")) else "not_run"
        elif not read:
            lacks = "run_failed" if failed else "not_run"
        kept = tuple(run for run, _ in read)
        return Arm(name, record, kept, values, len(tried), lacks, failed, tuple(notes), raw)

    def _scatters(self, arm: Arm) -> bool:
        """Whether there is a variance: values further apart than a third of one test document."""
        if len(arm.values) < 2 or sample(tuple(arm.values)).sd == 0.0 or arm.record is None:
            return False
        documents = self._documents(arm.record, arm.runs[0])
        return not documents or max(arm.values) - min(arm.values) > 100.0 / documents / 3.0

    def _documents(self, record: ExperimentRecord, run: Run) -> int:
        """Test documents; an import may not tell, and has the printed number on the paper's own data."""
        printed = self.test_sizes.get(record.dataset, 0) if record.scope == "same_data" else 0
        return run.data.n_test or printed


def _group(metric: str, arm: Arm) -> Group:
    data = arm.runs[0].data
    return metric, (data.name, data.n_test, data.split_column)


def _once(arms: Iterable[Arm]) -> list[Arm]:
    """Two names of one configuration have the same runs: they count once."""
    kept: list[Arm] = []
    seen: set[str] = set()
    for arm in sorted(arms, key=lambda arm: -len(arm.runs)):
        keys = {run.key for run in arm.runs}
        if not keys & seen:
            kept.append(arm)
            seen |= keys
    return kept


def _score(run: Run, metric: str) -> float | None:
    value = run.metrics.get(metric)
    return value if value is not None and math.isfinite(value) else None


def all_digits(metrics: Mapping[str, float]) -> tuple[tuple[str, float], ...] | None:
    """The values by name where one has more digits than are printed; None where equality may be chance."""
    fine = any(abs(value - round(value, 2)) > 1e-9 for value in metrics.values())
    return tuple(sorted(metrics.items())) if fine else None


def _repeated(runs: Sequence[Run]) -> set[str]:
    """Keys of runs with all results of an earlier seed, in all digits: one run, or a seed without effect."""
    seen: set[tuple[tuple[str, float], ...]] = set()
    seeds, alike = {run.spec.seed for run in runs}, set()
    for run in runs:
        values = all_digits(run.metrics)
        if (values and values in seen) or repeats(run) in seeds:
            alike.add(run.key)
        elif values:
            seen.add(values)
    return alike


def _made_differently(runs: Sequence[Run]) -> list[str]:
    """That seeds are of several library versions, or of several codes."""
    versions: dict[str, dict[str, None]] = {}
    codes: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for run in runs:
        for name, version in sorted(run.versions.items()):
            versions.setdefault(name, {})[version] = None
        if run.sources:
            codes.setdefault(tuple(sorted(run.sources.items())), []).append(run.spec.seed)
    mixed = [f"{name} {' and '.join(several)}" for name, several in versions.items() if len(several) > 1]
    notes = [f"seeds of different library versions: {', '.join(mixed)}"] if mixed else []
    if len(codes) > 1:
        names = dict.fromkeys(part for code in codes for part, _ in code)
        parts = [name for name in names if len({dict(code).get(name) for code in codes}) > 1]
        seeds = " than seeds ".join(", ".join(map(str, group)) for group in codes.values())
        notes.append(f"by other code ({', '.join(parts)}): seeds {seeds}")
    return notes


def about_gone(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """`letters: 2 of 5 runs are gone (seeds 1, 3): run again`, of each that lost any."""
    said = []
    for record in experiments:
        runs = counted(len({run.spec.seed for run in record.runs} | set(record.gone)), "run")
        are, seed = ("is", "seed") if len(record.gone) == 1 else ("are", "seeds")
        lost = f"{len(record.gone)} of {runs} {are} gone ({seed} {', '.join(map(str, record.gone))})"
        said += [f"{record.id}: {lost}: run again"] if record.gone else []
    return tuple(said)


def about_code(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """How many runs are by other code than that by which they are judged, or by code that nobody knows."""
    other: dict[str, list[str]] = {}
    unknown: set[str] = set()
    for record in experiments:
        for run in record.runs if record.sources else ():
            if not run.sources:
                unknown.add(run.key)
            elif run.sources != record.sources:
                other[run.key] = [
                    part for part in record.sources if run.sources.get(part) != record.sources[part]
                ]
    parts = ", ".join(dict.fromkeys(part for changed in other.values() for part in changed))
    said = [f"{counted(len(other), 'run')} by other code than today's ({parts})"] if other else []
    said += [f"{counted(len(unknown), 'run')} whose code is not recorded"] if unknown else []
    return tuple(f"{text}: --rerun-changed" for text in said)


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
    """Reason code for which these runs may contradict nothing, or None.

    To speak against a paper they must be of its own corpus (in this split or another), by its own protocol,
    with settings tuned where it tunes, and by models that passed their own checks. Of imported runs no more
    is known than what is stated of them.
    """
    records = [record for record in records if record.runs]
    for record in records:
        if any(run.imported for run in record.runs):
            if not speaks_against(record.runs) or any(d.what == OTHER_CODE for d in record.deviations):
                return "unverified_import"
        elif not all(fidelity.get(model) is True for model in record.models):
            return "unverified_reimplementation"
    short = {code for record in records for code in record.short or ()}
    if any(record.scope == "other_data" for record in records):
        short.add("stand_in")  # or it is declared to be the paper's, with far more or fewer documents
    return next((code for code in ("stand_in", "reduced_protocol", "untuned") if code in short), None)


def worst_scope(arms: Sequence[Arm]) -> Scope | None:
    """The scope of a claim is that of its least fitting evidence; None where there is none."""
    scopes = [arm.record.scope for arm in arms if arm.record is not None and arm.runs]
    return max(scopes, key=SCOPES.index, default=None)


def share_runs(arms: Sequence[Arm]) -> bool:
    """True when two arms resolve to a common run: such a comparison would compare a thing with itself."""
    keys = [run.key for arm in arms for run in arm.runs]
    return len(set(keys)) < len(keys)


def same_test_set(arms: Sequence[Arm]) -> bool:
    """False when runs that the paper puts on one dataset were tested on different ones.

    Fingerprints of ours are no criterion: they hold the vocabulary too, which may differ by design; those of
    imports are stated to be of the data. Arms on different datasets are compared with each other where the
    paper itself does so. An import that gives only values does not tell how many documents there were (0),
    and is taken at its word for the name, and for the split.
    """
    tested: dict[tuple[str, str], set[object]] = {}
    for arm in arms:
        for run in arm.runs if arm.record else ():
            on = arm.record.dataset if arm.record else ""
            tested.setdefault((on, "name"), set()).add(run.data.name)
            tested.setdefault((on, "size"), set()).update({run.data.n_test} - {0})
            if run.imported:
                tested.setdefault((on, "scope"), set()).add(arm.record.scope if arm.record else "")
                tested.setdefault((on, "split"), set()).add(Provenance.of(run).other_split)
                tested.setdefault((on, "print"), set()).update({run.data.fingerprint} - {UNKNOWN})
                known = {run.data.recipe} if run.data.recipe.startswith(OF_DOCUMENTS) else set()
                tested.setdefault((on, "documents"), set()).update(known)
    return all(len(it) <= 1 for it in tested.values())


def of_one_kind(arms: Sequence[Arm]) -> bool:
    """False when some arms are ours and others imported: two programs differ in more than the claim."""
    return len({run.imported for arm in arms for run in arm.runs}) <= 1


def by_seed(arm: Arm, seeds: Sequence[int]) -> tuple[float, ...]:
    """The values of `seeds`, in that order."""
    at = dict(zip(arm.seeds, arm.values, strict=False))
    values = tuple(arm.values[0] if arm.deterministic else at[seed] for seed in seeds)
    return Moderated.of(values, arm.values.prior) if isinstance(arm.values, Moderated) else values


def common_seeds(arms: Sequence[Arm]) -> list[int]:
    """Those that all arms have; a deterministic one has any."""
    random = [set(arm.seeds) for arm in arms if not arm.deterministic]
    return sorted(set.intersection(*random)) if random else list(range(_DECIDING))


def badges(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Warnings about the runs; where the runs of all arms come from, once."""
    several, origins = len(arms) > 1, {arm.experiment: arm.origin for arm in arms}
    shared = next(iter(origins.values())) if len(set(origins.values())) == 1 else ()
    of_arms = (
        f"{arm.experiment}: {text}" if several and arm.record else text
        for arm in arms
        for text in ((*origins[arm.experiment], *arm.notes) if not shared else arm.notes)
    )
    return (*shared, *of_arms)
