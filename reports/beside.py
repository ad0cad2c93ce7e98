"""Every seed behind a claim, other models on the same data, and all split columns of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.record import ClaimRecord, ExperimentRecord, Run, SplitNoise, Verdict
from reports import digits
from reports.lookup import Lookup
from reports.notes import on_test, reached, seed_note, unjudged_strip
from reports.protocol import settings_anchors
from reports.tables import mean_and_sd
from reports.text import View, listed, plural

_BYTES_A_NUMBER = 4
#: Kinds that are about what runs cost.
_OF_COSTS = ("cost", "complexity")


@dataclass(frozen=True)
class Seed:
    """One run of a strip. `value` is empty where the run has none, and `note` says why."""

    seed: str
    value: str
    note: str
    key: str
    run: str
    """Fragment of the run's record; empty where there is no record."""


@dataclass(frozen=True)
class Strip:
    """Every seed of one experiment, in order."""

    name: str
    seeds: tuple[Seed, ...]

    @property
    def numbered(self) -> tuple[tuple[str, Seed], ...]:
        """Each seed with its number, empty where it is that of its place: lists count by themselves."""
        return tuple(("" if it.seed == str(place) else it.seed, it) for place, it in enumerate(self.seeds))


def strips(claim: ClaimRecord, verdict: Verdict | None, found: Lookup) -> tuple[Strip, ...]:
    """One strip for each experiment of the claim that has any seed; then what is shown and was not judged."""
    arms = (_strip(claim, verdict, arm, found) for arm in range(len(claim.experiments)))
    beside = (_unjudged(claim, experiment, found) for experiment in dict.fromkeys(claim.experiments))
    return tuple(strip for strip in (*arms, *beside) if strip)


def _strip(claim: ClaimRecord, verdict: Verdict | None, arm: int, found: Lookup) -> Strip | None:
    """All seeds of one experiment: those on record, then those that only the verdict knows."""
    experiment = claim.experiments[arm]
    metric = seed_metric_of(claim, experiment)
    runs = found.runs(experiment)
    seeds = [_seed(run, claim, metric, found.run_anchors[run.key]) for run in runs]
    recorded = {run.spec.seed for run in runs}
    if verdict and arm < len(verdict.seeds) and arm < len(verdict.values):
        judged = zip(verdict.seeds[arm], verdict.values[arm], strict=False)
        seeds += [Seed(str(s), _seed_shown(claim, v), "", "", "") for s, v in judged if s not in recorded]
    name = found.title(experiment) + (f", {metric}" if metric != claim.metric else "")
    if claim.kind == "convergence" and any(it.value and it.note for it in seeds):
        name = on_test(name, metric)
    return Strip(name, tuple(seeds)) if seeds else None


def _unjudged(claim: ClaimRecord, experiment: str, found: Lookup) -> Strip | None:
    """Runs of the other kind: imported ones beside ours, or ours beside imported ones."""
    record = found.experiments.get(experiment)
    runs = sorted(record.unjudged, key=lambda run: run.spec.seed) if record else []
    if not runs:
        return None
    name = unjudged_strip(found.title(experiment), imported=runs[0].imported)
    return Strip(name, tuple(_seed(run, claim, seed_metric_of(claim, experiment), "") for run in runs))


def seed_metric_of(claim: ClaimRecord, experiment: str) -> str:
    """The claim's metric; where it is about several, the first that the experiment is named for."""
    lines = claim.details.get("lines", ())
    named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
    return claim.metric or next(named, "")


def _seed(run: Run, claim: ClaimRecord, metric: str, run_anchor: str) -> Seed:
    value = _seed_value(run, claim, metric) if run.status == "done" else None
    note = _reached(run, claim) if value is not None else seed_note(run.status, run.reason)
    return Seed(
        seed=str(run.spec.seed),
        value="" if value is None else _seed_shown(claim, value),
        note=note,
        key=run.key[:8],
        run=run_anchor,
    )


def _seed_value(run: Run, claim: ClaimRecord, metric: str) -> float | None:
    """What the claim is about: the metric, or what the run cost."""
    if claim.kind not in _OF_COSTS:
        return run.metrics.get(metric)
    parameters = run.parameters or None
    size = parameters * _BYTES_A_NUMBER if parameters else None
    times = {"training_time": run.seconds or None, "prediction_time": run.prediction_seconds or None}
    costs = {**times, "parameters": parameters, "model_size": size}
    return costs.get(str(claim.details.get("quantity")))


def _seed_shown(claim: ClaimRecord, value: float) -> str:
    """A score in points, a time in seconds, a size in bytes, a number of weights."""
    of = claim.details.get("quantity") if claim.kind in _OF_COSTS else None
    if of in ("training_time", "prediction_time"):
        return digits.duration(value)
    if of == "model_size":
        return digits.memory(round(value))
    return digits.count(round(value)) if of == "parameters" else digits.points(value)


def _reached(run: Run, claim: ClaimRecord) -> str:
    """For convergence: the epoch at which the run reached the score that counts."""
    target = claim.details.get("target") if claim.kind == "convergence" else None
    scored = [row for row in run.curve if claim.metric in row and "epoch" in row]
    if target is None or not scored:
        return ""
    epoch = next((row["epoch"] for row in scored if row[claim.metric] >= target), None)
    return reached(epoch, target=float(target), last=scored[-1]["epoch"])


YARDSTICK_TERM = "On the same data"
COLUMNS_TERM = "Over split columns"
TUNED_ALIKE = "tuned on the same held-out documents"
TUNED = "tuned"
UNTUNED = "not tuned"


def reaches(
    title: str, metric: str, mean: float, *, seeds: int, tuned: str, columns: SplitNoise | None
) -> str:
    """`“Linear SVM”, tuned on the same held-out documents, reaches 69.70 P@1 (3 seeds)`"""
    how = f", {tuned}," if tuned else ""
    also = ""
    if columns is not None:
        also = f"; {digits.points(columns.mean)} is its mean over {len(columns.columns)} split columns"
    return f"“{title}”{how} reaches {digits.points(mean)} {metric} ({plural(seeds, 'seed')}){also}"


def means_over_columns(held: Sequence[tuple[str, SplitNoise]]) -> str:
    """`means over 10 columns: “A” 61.90 and “B” 60.12`"""
    numbers = {len(it.columns) for _, it in held}
    over = f"{min(numbers)} columns" if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)} columns"
    means = listed([f"“{title}” {digits.points(it.mean)}" for title, it in held])
    return f"{'mean' if len(held) == 1 else 'means'} over {over}: {means}"


#: So many other models are named; the tables have all.
_BESIDE_NAMED = 3
#: What every other model is held against, where it was run.
_YARDSTICK = "linear"


def others_on_its_data(claim: ClaimRecord, found: Lookup) -> tuple[View, ...]:
    """Means of other models by its metric on the very documents of its runs: the linear, then the best."""
    own = [found.experiments[it] for it in claim.experiments if it in found.experiments]
    documents = {digest for it in own for digest in _beside_documents(it)}
    if not claim.metric or len(documents) != 1:
        return ()
    others = _beside_others(own, documents, found)
    held = [(it, values) for it in others if (values := _beside_values(it, claim.metric))]
    held.sort(key=lambda pair: (pair[0].model != _YARDSTICK, -mean_and_sd(pair[1])[0]))
    anchors = settings_anchors(found)
    return tuple(
        View(
            text=reaches(
                found.title(it.id),
                claim.metric,
                mean_and_sd(values)[0],
                seeds=len(values),
                tuned=_tuned(it, own),
                columns=_noise(it.id, claim.metric, found),
            ),
            href=f"#{anchors[it.id]}",
        )
        for it, values in held[:_BESIDE_NAMED]
    )


def over_columns(claim: ClaimRecord, found: Lookup) -> View | None:
    """The claim's experiments over all split columns of the corpus; None where one column was run."""
    noise = [it for name in claim.experiments if (it := _noise(name, claim.metric, found))]
    if not noise or len(noise) < len(claim.experiments):
        return None
    return View(text=means_over_columns([(found.title(it.experiment), it) for it in noise]), href="#splits")


def _beside_others(
    own: list[ExperimentRecord], documents: set[str], found: Lookup
) -> Iterator[ExperimentRecord]:
    models = {it.model for it in own}
    for it in found.audit.experiments:
        again = it.reading_of or it.id in found.same.experiments
        if it.runs and not again and it.model not in models and _beside_documents(it) == documents:
            yield it


def _beside_documents(it: ExperimentRecord) -> set[str]:
    """Digests of what its runs were trained and tested on; of the documents alone where they are known."""
    if not it.runs:
        return set()
    return {it.data.content} if it.data else {run.data.fingerprint for run in it.runs}


def _beside_values(it: ExperimentRecord, metric: str) -> list[float]:
    return [run.metrics[metric] for run in it.runs if run.status == "done" and metric in run.metrics]


def _tuned(it: ExperimentRecord, own: list[ExperimentRecord]) -> str:
    """How its settings were found, as far as that tells whether the comparison is fair."""
    if it.study is None:
        return UNTUNED if any(other.study for other in own) else ""
    same = all(other.study and other.study.validation == it.study.validation for other in own)
    return TUNED_ALIKE if same else TUNED


def _noise(experiment: str, metric: str, found: Lookup) -> SplitNoise | None:
    held = found.audit.splits.noise if found.audit.splits else ()
    several = (it for it in held if len(it.columns) > 1)
    return next((it for it in several if (it.experiment, it.metric) == (experiment, metric)), None)
