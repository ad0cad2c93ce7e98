"""How the settings of tuned experiments were found: what was sought, the budget, and every trial."""

from __future__ import annotations

from dataclasses import dataclass

from audit.record import Study, Trial
from reports import digits, wording
from reports.lookup import Lookup
from reports.wording import named


@dataclass(frozen=True)
class TrialRow:
    number: str
    outcome: str
    """done, or what became of it and why."""
    values: tuple[str, ...]
    """In the order of the study's settings."""
    score: str
    epochs: str
    seconds: str
    best: bool


@dataclass(frozen=True)
class StudyView:
    experiments: str
    names: tuple[str, ...]
    """Of all of them, where `experiments` does not tell; empty where it does."""
    summary: str
    """tuned: 40 trials (12 pruned), best P@1 61.22 with ..."""
    facts: tuple[str, ...]
    """Ranges, documents held out, budget, and where the record is."""
    settings: tuple[str, ...]
    metric: str
    rows: tuple[TrialRow, ...]


def study_views(found: Lookup) -> tuple[StudyView, ...]:
    """Each study once, under the experiments that use its values, in their order."""
    users: dict[str, list[str]] = {}
    studies: dict[str, Study] = {}
    for experiment in found.audit.experiments:
        if experiment.study is not None and experiment.runs:
            studies.setdefault(experiment.study.key, experiment.study)
            users.setdefault(experiment.study.key, []).append(found.title(experiment.id))
    return tuple(_view(study, users[key]) for key, study in studies.items())


def _view(study: Study, titles: list[str]) -> StudyView:
    names = tuple(it.name for it in study.spec.space)
    best = study.best
    return StudyView(
        experiments=named.heading(titles),
        names=named.untold(titles),
        summary=study.summary,
        facts=wording.study_facts(study),
        settings=tuple(name.partition(".")[2].replace("_", " ") for name in names),
        metric=study.spec.metric,
        rows=tuple(_row(it, names, it is best) for it in study.trials),
    )


def _row(trial: Trial, names: tuple[str, ...], best: bool) -> TrialRow:
    return TrialRow(
        number=str(trial.number),
        outcome=trial.state if not trial.reason else f"{trial.state}: {trial.reason}",
        values=tuple(trial.shown(name) for name in names),
        score=digits.points(trial.score) if trial.score is not None else digits.ABSENT,
        epochs=f"{trial.epochs:.0f}" if trial.epochs else digits.ABSENT,
        seconds=digits.duration(trial.seconds),
        best=best,
    )
