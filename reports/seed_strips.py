"""Every seed behind a claim, in order: what it gave, or why it gave nothing."""

from __future__ import annotations

from dataclasses import dataclass

from audit.record import ClaimRecord, Run, Verdict
from reports import digits, wording
from reports.lookup import Lookup

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
    metric = metric_of(claim, experiment)
    runs = found.runs(experiment)
    seeds = [_seed(run, claim, metric, found.run_anchors[run.key]) for run in runs]
    recorded = {run.spec.seed for run in runs}
    if verdict and arm < len(verdict.seeds) and arm < len(verdict.values):
        judged = zip(verdict.seeds[arm], verdict.values[arm], strict=False)
        seeds += [Seed(str(s), _shown(claim, v), "", "", "") for s, v in judged if s not in recorded]
    name = found.title(experiment) + (f", {metric}" if metric != claim.metric else "")
    if claim.kind == "convergence" and any(it.value and it.note for it in seeds):
        name = wording.on_test(name, metric)
    return Strip(name, tuple(seeds)) if seeds else None


def _unjudged(claim: ClaimRecord, experiment: str, found: Lookup) -> Strip | None:
    """Runs of the other kind: imported ones beside ours, or ours beside imported ones."""
    record = found.experiments.get(experiment)
    runs = sorted(record.unjudged, key=lambda run: run.spec.seed) if record else []
    if not runs:
        return None
    name = wording.unjudged_strip(found.title(experiment), imported=runs[0].imported)
    return Strip(name, tuple(_seed(run, claim, metric_of(claim, experiment), "") for run in runs))


def metric_of(claim: ClaimRecord, experiment: str) -> str:
    """The claim's metric; where it is about several, the first that the experiment is named for."""
    lines = claim.details.get("lines", ())
    named = (line["metric"] for line in lines if experiment in (line["winner"], *line["rivals"]))
    return claim.metric or next(named, "")


def _seed(run: Run, claim: ClaimRecord, metric: str, run_anchor: str) -> Seed:
    value = _value(run, claim, metric) if run.status == "done" else None
    note = _reached(run, claim) if value is not None else wording.seed_note(run.status, run.reason)
    return Seed(
        seed=str(run.spec.seed),
        value="" if value is None else _shown(claim, value),
        note=note,
        key=run.key[:8],
        run=run_anchor,
    )


def _value(run: Run, claim: ClaimRecord, metric: str) -> float | None:
    """What the claim is about: the metric, or what the run cost."""
    if claim.kind not in _OF_COSTS:
        return run.metrics.get(metric)
    parameters = run.parameters or None
    size = parameters * _BYTES_A_NUMBER if parameters else None
    times = {"training_time": run.seconds or None, "prediction_time": run.prediction_seconds or None}
    costs = {**times, "parameters": parameters, "model_size": size}
    return costs.get(str(claim.details.get("quantity")))


def _shown(claim: ClaimRecord, value: float) -> str:
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
    return wording.reached(epoch, target=float(target), last=scored[-1]["epoch"])
