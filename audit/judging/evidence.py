"""The runs that bear on one arm of a claim: which have its metric, how many were tried, what is lacking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from audit.judging.imported import OTHER_CODE, origin, repeats, speaks_against
from audit.names import counted
from audit.record import (
    ClaimRecord,
    ExperimentRecord,
    Run,
    Scatter,
    Scope,
)
from audit.stats.sample import Moderated, Prior, prior_of, sample

_SCOPES: tuple[Scope, ...] = ("same_data", "other_split", "other_data")  # from best to worst

#: Costs that are counted and not timed.
COUNTED = ("parameters", "model_size")
#: Seeds from which on an arm decides by its own spread.
_DECIDING = 3

#: Reason codes for which runs may contradict nothing.
BARS = (
    "unverified_reimplementation",
    "unverified_import",
    "stand_in",
    "reduced_protocol",
    "untuned",
    "some_readings",
)

#: A metric, and the corpus that runs were tested on: name, test documents, split column.
Group = tuple[str, tuple[str, int, int | None]]
#: What the arms of each group say of the variance of any of them.
Priors = Mapping[Group, Prior]

#: Key of `gather` -> the record that it is of, which must stay as long as its id stands in the key, and the
#: arm.
Cache = dict[tuple[int, str, str, bool, bool, int], tuple[ExperimentRecord | None, "Arm"]]

#: What is read of a run: a metric, or one of its costs; None where the record does not have it.
Reader = Callable[[Run, str], float | None]


@dataclass(frozen=True)
class Arm:
    """One experiment as seen through one metric."""

    experiment: str
    record: ExperimentRecord | None
    """None where the claim names an experiment that is not there."""
    runs: tuple[Run, ...]
    """Those that are done and have the metric, one a seed, by seed."""
    values: tuple[float, ...]
    """The metric of each of `runs`, in percent (or what it cost); of one deterministic run, three times what
    it gave, as any other seeds would."""
    attempts: int
    """All runs: failed and interrupted ones count, so that dropping a seed shows."""
    lacks: str | None
    """Reason code when there is no value: `not_run`, `run_failed`, `not_measured` of a cost, `other_data`."""
    failed: int = 0
    """Seeds that were tried and failed."""
    notes: tuple[str, ...] = ()
    """Short warnings about these runs, for the badges of a verdict."""
    raw: tuple[float, ...] = ()
    """What was measured, where `values` are without its spread, which is less than a test document."""

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(run.spec.seed for run in self.runs)

    @property
    def measured(self) -> tuple[float, ...]:
        """The values that were run, without a prior."""
        return self.raw or tuple(self.values)[: len(self.runs)]

    @property
    def deterministic(self) -> bool:
        """Declared by its model, and not belied by its runs."""
        return self.record is not None and self.record.deterministic and len(set(self.values)) == 1

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
        common = math.sqrt(prior.variance * prior.scale(own.mean))
        return Scatter(own.sd, sample(self.values).sd, prior.df, common)


def about_gone(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """`letters: 2 of 5 runs are gone (seeds 1, 3): run again`, of each that lost any."""
    said = []
    for it in experiments:
        runs = len({run.spec.seed for run in it.runs} | set(it.gone))
        seeds = ", ".join(map(str, it.gone))
        if len(it.gone) == 1:
            said.append(f"{it.id}: 1 of {counted(runs, 'run')} is gone (seed {seeds}): run again")
        elif it.gone:
            said.append(f"{it.id}: {len(it.gone)} of {runs} runs are gone (seeds {seeds}): run again")
    return tuple(said)


def about_code(experiments: Iterable[ExperimentRecord]) -> tuple[str, ...]:
    """How many runs are by other code than that by which they are judged, or by code that nobody knows."""
    other: dict[str, tuple[str, ...]] = {}
    unknown: set[str] = set()
    for it in experiments:
        for run in it.runs if it.sources else ():
            if not run.sources:
                unknown.add(run.key)
            elif run.sources != it.sources:
                other[run.key] = tuple(
                    part for part in it.sources if run.sources.get(part) != it.sources[part]
                )
    parts = ", ".join(dict.fromkeys(part for changed in other.values() for part in changed))
    said = [f"{counted(len(other), 'run')} by other code than today's ({parts})"] if other else []
    said += [f"{counted(len(unknown), 'run')} whose code is not recorded"] if unknown else []
    return tuple(f"{it}: --rerun-changed" for it in said)


def gather(
    experiment: str,
    experiments: Mapping[str, ExperimentRecord],
    *,
    metric: str,
    cost: Reader | None = None,
    priors: Priors | None = None,
    deterministic: bool = False,
    test_sizes: Mapping[str, int] = MappingProxyType({}),
    cache: Cache | None = None,
) -> Arm:
    """The evidence of `experiment` for `metric`, or for the quantity of that name, which `cost` reads.

    A run that stands there twice (one key) counts once. So does a seed: two runs with one seed, by another
    precision or revision, are no two draws, and taken for such they would make us surer than we are. Nor are
    seeds with the very same results, unless they are declared `deterministic`. Values that are apart by no
    more than a third of one test document (or .01 points) are one value, which has no spread. The others are
    moderated by the prior of their group, where `priors` have one. `test_sizes` as in `compare`. What was
    gathered before is taken from `cache`, which is that of one judgement: one set of test sizes, and records
    that stay.
    """
    record = experiments.get(experiment)
    key = (id(record), experiment, metric, cost is not None, deterministic, id(priors) if priors else 0)
    if cache is not None and key in cache:
        return cache[key][1]
    if priors and record is not None and not record.deterministic:
        arm = gather(
            experiment,
            experiments,
            metric=metric,
            cost=cost,
            deterministic=deterministic,
            test_sizes=test_sizes,
            cache=cache,
        )
        prior = priors.get(_group(metric, arm.runs[0])) if arm.runs else None
        if prior and _scatter(arm.values, _documents(record, arm.runs[0], test_sizes)):
            arm = replace(arm, values=Moderated.of(arm.values, prior))
    else:
        arm = _gathered(experiment, record, metric, cost, deterministic, test_sizes)
    if cache is not None:
        cache[key] = (record, arm)
    return arm


def _gathered(
    experiment: str,
    record: ExperimentRecord | None,
    metric: str,
    cost: Reader | None,
    deterministic: bool,
    test_sizes: Mapping[str, int],
) -> Arm:
    """Without a prior."""
    if record is None:
        missing = (f"no experiment named {experiment!r}",)
        return Arm(experiment, None, (), (), attempts=0, lacks="not_run", notes=missing)
    if record.corpus_of:
        other = f"the corpus is known to be {record.corpus_of}, another data set of the paper"
        return Arm(experiment, record, (), (), attempts=0, lacks="other_data", notes=(other,))
    tried, twice = _one_a_seed(_distinct(record.runs))
    sizes = record.data.sizes_apart if record.data and record.scope == "same_data" else ()
    done = [run for run in tried if run.status == "done"]
    read = [(run, value) for run in done if (value := (cost or _score)(run, metric)) is not None]
    notes = [f"declared to be the paper's data, and {it}" for it in sizes if read]
    if twice:
        notes.append(f"more than one run of seed {', '.join(map(str, twice))}; one of each counts")
    if len(read) < len(done):
        notes.append(f"{metric} not measured in {len(done) - len(read)} of {len(done)} runs")
    if mixed := _versions_that_differ([run for run, _ in read]):
        notes.append(f"seeds of different library versions: {', '.join(mixed)}")
    if mixed_code := _codes_that_differ([run for run, _ in read]):
        notes.append(mixed_code)
    if 0 < len(read) < len(tried):
        notes.append(f"{len(read)} of {len(tried)} seeds")
    if cost is None and not (record.deterministic or deterministic):
        alike = _repeated([run for run, _ in read])
        read = [(run, value) for run, value in read if run.key not in alike]
        if alike:
            notes.append(f"{len(alike)} more seeds gave the very same results; they count as one")
    values = tuple(float(value) for _, value in read)
    if record.deterministic and len(set(values)) > 1:
        notes.append("declared deterministic, but the runs differ")
    elif record.deterministic and values and (cost is None or metric in COUNTED):
        values = values if len(values) >= _DECIDING else values[:1] * _DECIDING
        notes.append("deterministic: one run is enough")
    documents = _documents(record, read[0][0], test_sizes) if read else 0
    raw: tuple[float, ...] = ()
    if cost is None and len(set(values)) > 1 and max(values) - min(values) <= _finest(documents):
        raw = values
        values = (math.fsum(values) / len(values),) * len(values)
        notes.append(f"the seeds are apart by at most {_finest(documents):.2g} points: no spread")
    return Arm(
        experiment,
        record,
        runs=tuple(run for run, _ in read),
        values=values,
        attempts=len(tried),
        failed=sum(run.status == "failed" for run in tried),
        lacks=None if read else _lack(tried, done, unmeasured=_unmeasured(metric, cost)),
        notes=tuple(notes),
        raw=raw,
    )


def priors_of(
    claims: Iterable[ClaimRecord],
    experiments: Mapping[str, ExperimentRecord],
    test_sizes: Mapping[str, int] = MappingProxyType({}),
    cache: Cache | None = None,
) -> Priors:
    """By metric and corpus, over all arms of a paper; of arms that share a run the one with most runs counts.

    What is declared deterministic has no variance to give.
    """
    claims = list(claims)
    still = {name for it in claims if it.deterministic for name in it.experiments}
    still |= {name for name, it in experiments.items() if it.deterministic}
    lines = [line for it in claims for line in it.details.get("lines", ())]
    metrics = dict.fromkeys([*(it.metric for it in claims), *(line["metric"] for line in lines)])
    groups: dict[Group, list[Arm]] = {}
    for metric in metrics:
        for name in experiments:
            arm = gather(name, experiments, metric=metric, test_sizes=test_sizes, cache=cache)
            if arm.runs and name not in still and _scatter(arm.values, _documents_of(arm, test_sizes)):
                groups.setdefault(_group(metric, arm.runs[0]), []).append(arm)
    priors = {it: prior_of([arm.values for arm in _without_doubles(arms)]) for it, arms in groups.items()}
    return {group: prior for group, prior in priors.items() if prior is not None}


def _without_doubles(arms: Iterable[Arm]) -> list[Arm]:
    """Two names of one configuration have the same runs: they count once."""
    kept: list[Arm] = []
    seen: set[str] = set()
    for arm in sorted(arms, key=lambda arm: -len(arm.runs)):
        keys = {run.key for run in arm.runs}
        if not keys & seen:
            kept.append(arm)
            seen |= keys
    return kept


def _group(metric: str, run: Run) -> Group:
    return metric, (run.data.name, run.data.n_test, run.data.split_column)


def _scatter(values: Sequence[float], documents: int) -> bool:
    """Whether there is a variance: two values or more, further apart than a third of one test document."""
    if len(values) < 2 or sample(values).sd == 0.0:
        return False
    return not documents or max(values) - min(values) > 100.0 / documents / 3.0


def _finest(documents: int) -> float:
    """What no scatter over seeds can be below: a third of one test document, and a unit of two decimals."""
    return min(0.01, 100.0 / documents / 3.0) if documents else 0.01


def _documents_of(arm: Arm, test_sizes: Mapping[str, int]) -> int:
    return _documents(arm.record, arm.runs[0], test_sizes) if arm.record else 0


def _documents(record: ExperimentRecord, run: Run, test_sizes: Mapping[str, int]) -> int:
    """Test documents of a run; an import may not tell, and has the printed number on the paper's own data."""
    printed = test_sizes.get(record.dataset, 0) if record.scope == "same_data" else 0
    return run.data.n_test or printed


def _unmeasured(metric: str, cost: Reader | None) -> str:
    """The reason where runs that are done lack it: no run of ours measures F1, or a subset of the labels."""
    return "not_measured" if cost or metric.endswith(("]", "-F1")) else "not_run"


def all_digits(metrics: Mapping[str, float]) -> tuple[tuple[str, float], ...] | None:
    """The values by name where one has more digits than are printed; None where equality may be chance."""
    fine = any(abs(value - round(value, 2)) > 1e-9 for value in metrics.values())
    return tuple(sorted(metrics.items())) if fine else None


def _repeated(runs: Sequence[Run]) -> set[str]:
    """Keys of runs with all results of an earlier seed, in all digits: one run, or a seed without effect."""
    seen: set[tuple[tuple[str, float], ...]] = set()
    seeds = {run.spec.seed for run in runs}
    found = set()
    for run in runs:
        values = all_digits(run.metrics)
        if (values and values in seen) or repeats(run) in seeds:
            found.add(run.key)
        elif values:
            seen.add(values)
    return found


def _score(run: Run, metric: str) -> float | None:
    value = run.metrics.get(metric)
    return value if value is not None and math.isfinite(value) else None


def _versions_that_differ(runs: Sequence[Run]) -> list[str]:
    """`torch 2.6.0 and 2.13.0` for each library of which the runs had several versions."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for name, version in sorted(run.versions.items()):
            found.setdefault(name, {})[version] = None
    return [f"{name} {' and '.join(versions)}" for name, versions in found.items() if len(versions) > 1]


def _codes_that_differ(runs: Sequence[Run]) -> str:
    """`seeds 0, 1 by other code (training) than seeds 2, 3`; empty where all are by one code, or unknown."""
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for run in runs:
        if run.sources:
            groups.setdefault(tuple(sorted(run.sources.items())), []).append(run.spec.seed)
    if len(groups) < 2:
        return ""
    names = dict.fromkeys(part for it in groups for part, _ in it)
    parts = [it for it in names if len({dict(group).get(it) for group in groups}) > 1]
    seeds = " than seeds ".join(", ".join(map(str, it)) for it in groups.values())
    return f"by other code ({', '.join(parts)}): seeds {seeds}"


def worst_scope(arms: Sequence[Arm]) -> Scope | None:
    """The scope of a claim is that of its least fitting evidence; None where there is none."""
    scopes = [arm.record.scope for arm in arms if arm.record is not None and arm.runs]
    return max(scopes, key=_SCOPES.index, default=None)


def barred(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool]) -> str | None:
    """Reason code for which these runs may contradict nothing, or None.

    To speak against a paper they must be of its own corpus (in this split or another), by its own protocol,
    with settings tuned where it tunes, and by models that passed their own checks. Of imported runs no more
    is known than what is stated of them.
    """
    held = [it for it in records if it.runs]
    for it in held:
        if any(run.imported for run in it.runs):
            if not speaks_against(it.runs) or any(d.what == OTHER_CODE for d in it.deviations):
                return "unverified_import"
        elif not all(fidelity.get(model) is True for model in it.models):
            return "unverified_reimplementation"
    if any(it.scope == "other_data" for it in held):
        return "stand_in"  # or it is declared to be the paper's, with far more or fewer documents
    short = {code for it in held for code in it.short or ()}
    return next((code for code in ("stand_in", "reduced_protocol", "untuned") if code in short), None)


def share_runs(arms: Sequence[Arm]) -> bool:
    """True when two arms resolve to a common run: such a comparison would compare a thing with itself."""
    keys = [run.key for arm in arms for run in arm.runs]
    return len(set(keys)) < len(keys)


def same_test_set(arms: Sequence[Arm]) -> bool:
    """False when runs that the paper puts on one dataset were tested on different ones.

    Fingerprints are no criterion here: they hold the vocabulary too, which may differ by design. Arms on
    different datasets are compared with each other where the paper itself does so. An import that gives only
    values does not tell how many documents there were (0), and is taken at its word for the name.
    """
    names: dict[str, set[str]] = {}
    sizes: dict[str, set[int]] = {}
    for arm in arms:
        if arm.record is not None:
            on = arm.record.dataset
            names.setdefault(on, set()).update(run.data.name for run in arm.runs)
            sizes.setdefault(on, set()).update(run.data.n_test for run in arm.runs if run.data.n_test)
    return all(len(it) <= 1 for it in names.values()) and all(len(it) <= 1 for it in sizes.values())


def of_one_kind(arms: Sequence[Arm]) -> bool:
    """False when some arms are ours and others imported: two programs differ in more than the claim."""
    return len({run.imported for arm in arms for run in arm.runs}) <= 1


def by_seed(arm: Arm, seeds: Sequence[int]) -> tuple[float, ...]:
    """The values of `seeds`, in that order."""
    held = dict(zip(arm.seeds, arm.values, strict=False))
    values = tuple(arm.values[0] if arm.deterministic else held[seed] for seed in seeds)
    return Moderated.of(values, arm.values.prior) if isinstance(arm.values, Moderated) else values


def common_seeds(arms: Sequence[Arm]) -> list[int]:
    """Those that all arms have; a deterministic one has any."""
    held = [set(arm.seeds) for arm in arms if not arm.deterministic]
    return sorted(set.intersection(*held)) if held else list(range(_DECIDING))


def badges(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Warnings about the runs; where the runs of all arms come from, once."""
    several = len(arms) > 1
    origins = {arm.experiment: arm.origin for arm in arms}
    shared = next(iter(origins.values())) if len(set(origins.values())) == 1 else ()
    of_arms = (
        f"{arm.experiment}: {it}" if several and arm.record else it
        for arm in arms
        for it in ((*origins[arm.experiment], *arm.notes) if not shared else arm.notes)
    )
    return (*shared, *of_arms)


def _distinct(runs: Sequence[Run]) -> list[Run]:
    """One run for each key, a done one if there is, ordered by seed."""
    best: dict[str, Run] = {}
    for run in runs:
        if run.key not in best or run.status == "done":
            best[run.key] = run
    return sorted(best.values(), key=lambda run: (run.spec.seed, run.key))


def _one_a_seed(runs: Sequence[Run]) -> tuple[list[Run], list[int]]:
    """The first run of each seed, a done one if there is, and the seeds that had several.

    `runs` are ordered by seed and key: which one counts has nothing to do with what came out.
    """
    first: dict[int, Run] = {}
    for run in runs:
        held = first.setdefault(run.spec.seed, run)
        if held.status != "done" and run.status == "done":
            first[run.spec.seed] = run
    seeds = [run.spec.seed for run in runs]
    return list(first.values()), [seed for seed in first if seeds.count(seed) > 1]


def _lack(tried: Sequence[Run], done: Sequence[Run], *, unmeasured: str) -> str:
    """Why there is no value: every attempt failed, or nothing was (completely) run or measured."""
    if done:
        return unmeasured
    return "run_failed" if any(run.status == "failed" for run in tried) else "not_run"
