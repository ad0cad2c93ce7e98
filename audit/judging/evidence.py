"""The runs that bear on one arm of a claim: which have its metric, how many were tried, what is lacking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from audit.judging.imported import OF_DOCUMENTS, OTHER_CODE, UNKNOWN, Provenance, origin
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
        values = tuple(self.values[0] if self.deterministic else by_seed[seed] for seed in seeds)
        return Moderated.of(values, self.values.prior) if isinstance(self.values, Moderated) else values

    @cached_property
    def origin(self) -> tuple[str, ...]:
        """Where its runs come from, as warnings; none of ours."""
        deviations = self.record.deviations if self.record and self.runs else ()
        other = any(deviation.what == OTHER_CODE for deviation in deviations)
        unlike = ("the code as stated is not the code that the claim file names",) if other else ()
        return (*origin(self.runs), *unlike)

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

        `deterministic`: declared by the claim; then nothing is moderated, nor are costs.
        """
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
        # an import may not tell its documents, and has the printed number on the paper's own data
        printed = self.test_sizes.get(record.dataset, 0) if record.scope == "same_data" else 0
        documents = (read[0][0].data.n_test or printed) if read else 0
        third = 100.0 / documents / 3.0 if documents else math.inf
        finest, apart = min(0.01, third), max(values, default=0.0) - min(values, default=0.0)
        if cost is None and len(set(values)) > 1 and apart <= finest:
            values, raw, apart = (math.fsum(values) / len(values),) * len(values), values, 0.0
            notes.append(f"the seeds are apart by at most {finest:.2g} points: no spread")
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


def _repeated(runs: Sequence[Run]) -> set[str]:
    """Keys of runs with all results of an earlier seed, in all digits: one run, or a seed without effect."""
    seen: set[tuple[tuple[str, float], ...]] = set()
    seeds, alike = {run.spec.seed for run in runs}, set()
    for run in runs:
        values = all_digits(run.metrics)
        stated = Provenance.of(run).same_lists_as if run.imported else None
        if (values and values in seen) or stated in seeds:
            alike.add(run.key)
        elif values:
            seen.add(values)
    return alike


def _made_differently(runs: Sequence[Run]) -> list[str]:
    """That seeds are of several library versions, or of several codes."""
    versions: dict[str, dict[str, None]] = {}
    codes: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for run in runs:
        for name, version in sorted(run.versions.items()):
            versions.setdefault(name, {})[version] = None
        if run.sources:
            codes.setdefault(tuple(sorted(run.sources.items())), []).append(str(run.spec.seed))
    mixed = [f"{name} {' and '.join(several)}" for name, several in versions.items() if len(several) > 1]
    notes = [f"seeds of different library versions: {', '.join(mixed)}"] if mixed else []
    if len(codes) > 1:
        names = dict.fromkeys(part for code in codes for part, _ in code)
        parts = [name for name in names if len({dict(code).get(name) for code in codes}) > 1]
        seeds = " than seeds ".join(", ".join(group) for group in codes.values())
        notes.append(f"by other code ({', '.join(parts)}): seeds {seeds}")
    return notes


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
    """Reason code for which these runs may contradict nothing, or None.

    To speak against a paper they must be of its own corpus (in this split or another), by its own protocol,
    with settings tuned where it tunes, and by models that passed their own checks. Of imported runs no more
    is known than what is stated of them: all must be stated to be of the authors' own code.
    """
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


def worst_scope(arms: Sequence[Arm]) -> Scope | None:
    """The scope of a claim is that of its least fitting evidence; None where there is none."""
    scopes = [arm.record.scope for arm in arms if arm.record is not None and arm.runs]
    return max(scopes, key=SCOPES.index, default=None)


def same_test_set(arms: Sequence[Arm]) -> bool:
    """False when runs that the paper puts on one dataset were tested on different ones.

    Fingerprints of ours are no criterion: they hold the vocabulary too, which may differ by design; those of
    imports are stated to be of the data. Arms on different datasets are compared with each other where the
    paper itself does so. An import that gives only values does not tell how many documents there were (0),
    and is taken at its word for the name, and for the split.
    """
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
