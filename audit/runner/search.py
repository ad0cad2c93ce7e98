"""A search for settings: Optuna proposes, trials train on what is held out, here or in worker processes.

STORE/studies/KEY/ holds Optuna's journal, and a lock: one command works on a search. A trial that was
interrupted, or whose process was killed, is made first by the next command, with the same values.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from filelock import FileLock, Timeout
from rich.console import Console

from audit.errors import AuditError
from audit.record import RunSpec
from audit.runner.execute import device_name, now, train_job, versions
from audit.runner.models import fault_of
from audit.runner.plan import Job
from audit.runner.progress import run_bars
from audit.runner.resolve import DataRequest, Question, by_target, put_study
from audit.runner.workers import Workers, interrupts
from audit.storage.files import explained
from audit.study import Json, SearchRange, Study, StudySpec, Trial, shown

if TYPE_CHECKING:
    import optuna

    from reimpl.data.dataset import Dataset

#: Trials by chance before TPE proposes any, and before a pruner ends any.
STARTUP = 10
PRUNE_FROM = 5
#: A trial whose process dies so often is given up, and counts as failed.
LIVES = 3


class TrialStopped(Exception):  # noqa: N818 - a request, not an error
    """The trial was told to stop; the next command makes it."""


class TrialPruned(Exception):  # noqa: N818
    """The pruner ends the trial."""


@dataclass(frozen=True)
class Outcome:
    """What a trial came to: a score, or why there is none."""

    score: float | None = None
    reason: str | None = None


#: Trial, values -> outcome. `report(epoch, score)` tells a point of the curve, and raises `TrialPruned`.
Objective = Callable[[int, Mapping[str, Json], Callable[[float, float], None]], Outcome]


@dataclass(frozen=True)
class Search:
    """One search in one folder."""

    folder: Path
    space: tuple[SearchRange, ...]
    sampler: str
    pruner: str
    seed: int = 0
    epochs: int = 1  # Of a trial that is not ended early.

    @property
    def journal(self) -> Path:
        return self.folder / "journal.log"

    def trials(self) -> tuple[Trial, ...]:
        """Those that are over, by number."""
        records = map(_as_record, self.study().get_trials(deepcopy=False))
        return tuple(trial for trial in records if trial is not None)

    def proposals(self, wanted: int, until: float | None = None) -> Iterator[int]:
        """Trials to be made until there are `wanted`: first those that were begun before, then new ones.
        After the moment `until` (`time.monotonic`) none is begun."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution

        study = self.study()
        begun = [trial.number for trial in study.get_trials(deepcopy=False) if trial.state.name == "RUNNING"]
        while until is None or time.monotonic() < until:
            if begun:
                number = begun.pop(0)
                if not self.given_up(number):
                    yield number
                continue
            there = len(study.get_trials(deepcopy=False))
            if there >= wanted:
                return
            study.sampler = self._sampler(there)
            yield study.ask({
                of.name: CategoricalDistribution(of.choices)
                if of.choices
                else FloatDistribution(of.low or 0.0, of.high or 0.0, log=of.log)
                for of in self.space
            }).number  # fmt: skip

    def make(self, number: int, objective: Objective) -> Trial:
        """The trial as it ended. Raises `TrialStopped`, after which it can be made again."""
        from optuna.trial import Trial as Live

        began, study = time.monotonic(), self.study()
        trial = study.get_trials(deepcopy=False)[number]
        live, told, times = Live(study, trial._trial_id), set(trial.intermediate_values), _times_begun(trial)
        live.set_user_attr("begun", times + 1)

        def report(epoch: float, score: float) -> None:
            if round(epoch) not in told:  # a trial that was begun before has told of its first epochs
                live.report(score, round(epoch))
            if live.should_prune():
                raise TrialPruned

        try:
            outcome = objective(number, dict(trial.params), report)
        except TrialPruned:
            outcome, state = (
                Outcome(reason=f"ended early by the rule {type(study.pruner).__name__}"),
                "PRUNED",
            )
        except TrialStopped:
            live.set_user_attr("begun", times)
            raise
        else:
            state = "FAIL" if outcome.score is None else "COMPLETE"
        return self._end(number, state, outcome, round(time.monotonic() - began, 3))

    def given_up(self, number: int) -> bool:
        """Whether its process died so often that the trial failed, which goes on record."""
        if _times_begun(self.study().get_trials(deepcopy=False)[number]) < LIVES:
            return False
        self._end(number, "FAIL", Outcome(reason=f"its process ended {LIVES} times"), 0.0)
        return True

    def _end(self, number: int, state: str, outcome: Outcome, seconds: float) -> Trial:
        from optuna.trial import Trial as Live
        from optuna.trial import TrialState

        study = self.study()
        live = Live(study, study.get_trials(deepcopy=False)[number]._trial_id)
        live.set_user_attr("seconds", seconds)
        if outcome.score is None:
            live.set_user_attr("reason", outcome.reason or "it has no score")
        study.tell(number, outcome.score, state=TrialState[state])
        record = _as_record(study.get_trials(deepcopy=False)[number])
        assert record is not None
        return record

    def study(self) -> optuna.Study:
        """Optuna's."""
        from optuna import create_study, logging
        from optuna.pruners import MedianPruner, NopPruner, SuccessiveHalvingPruner
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        logging.set_verbosity(logging.ERROR)  # nothing on the screen
        pruner: Any = NopPruner()
        if self.pruner == "median":
            pruner = MedianPruner(n_startup_trials=PRUNE_FROM, n_warmup_steps=max(1, self.epochs // 5))
        elif self.pruner == "halving":
            pruner = SuccessiveHalvingPruner(min_resource=max(1, self.epochs // 9), reduction_factor=3)
        with explained(self.journal):
            self.folder.mkdir(parents=True, exist_ok=True)
            # Lock files of Optuna outlive a killed process for half a minute; those of the system do not.
            lock = FileLock(self.journal.with_suffix(".lock"))
            if self.journal.exists():  # a line that a killed writer did not finish would spoil the next
                with lock, self.journal.open("r+b") as file:
                    content = file.read()
                    file.truncate(content.rfind(b"\n") + 1)
            storage = JournalStorage(JournalFileBackend(str(self.journal), lock_obj=cast(Any, lock)))
            return create_study(
                storage=storage,
                study_name=self.folder.name,
                direction="maximize",
                sampler=self._sampler(0),
                pruner=pruner,
                load_if_exists=True,
            )

    def _sampler(self, number: int) -> optuna.samplers.BaseSampler:
        """With a seed of the proposal's own, so that a search that goes on proposes what one go would."""
        from optuna.samplers import RandomSampler, TPESampler

        seed = int.from_bytes(hashlib.sha256(f"{self.seed}:{number}".encode()).digest()[:4])
        if self.sampler == "tpe":
            return TPESampler(seed=seed, n_startup_trials=STARTUP)
        return RandomSampler(seed)


def _times_begun(trial: optuna.trial.FrozenTrial) -> int:
    return int(trial.user_attrs.get("begun", 0))


def _as_record(trial: optuna.trial.FrozenTrial) -> Trial | None:
    """None while it waits or runs."""
    names: Mapping[str, Any] = {"COMPLETE": "done", "PRUNED": "pruned", "FAIL": "failed"}
    if trial.state.name not in names:
        return None
    state, curve = names[trial.state.name], trial.intermediate_values
    last = curve[max(curve)] if curve else None
    return Trial(
        number=trial.number,
        state=state,
        values=dict(trial.params),
        score={"done": trial.value, "pruned": last}.get(state),
        epochs=float(max(curve)) if curve else None,
        seconds=float(trial.user_attrs.get("seconds", 0.0)),
        reason=trial.user_attrs.get("reason"),
    )


# --------------------------------------------------------------------------- trials that train


def without_test(request: DataRequest) -> Dataset:
    """The data with the documents held out in the place of the test ones: there is no way to those."""
    data = request.load()
    assert data.dev is not None
    return replace(data, test=data.dev)


def settings_of(spec: StudySpec, values: Mapping[str, Json]) -> RunSpec:
    """The run that a trial with these values is."""
    config, training = by_target(values)
    return RunSpec(
        model=spec.model,
        variant="",
        config={**spec.config, **config},
        protocol={**spec.training, **training},
        data=spec.data,
        seed=spec.seed,
        precision=spec.precision,
        revision=spec.revision,
    )


def train_trial(
    question: Question,
    threads: int | None,
    progress: Callable[..., None],  # Gets the trial's number and the share of its epochs that is done.
    stop: Callable[[], bool],
    number: int,
    values: Mapping[str, Json],
    report: Callable[[float, float], None],
) -> Outcome:
    """The score, in percent; what goes amiss in a trial is its outcome, and the search goes on."""
    from reimpl.errors import ReimplError
    from reimpl.training import Interrupted, Watch

    metric = question.spec.metric

    def evaluated(row: Mapping[str, float]) -> None:
        if metric in row:
            report(row["epoch"], row[metric])

    def show(done: int, total: int, loss: float | None) -> None:
        progress(number, done / max(1, total))

    job = Job(settings_of(question.spec, values), question.data, "", question.device, {})
    try:
        watch = Watch(show, stop, evaluated=evaluated)
        result = train_job(job, without_test(question.data), threads, watch)
    except Interrupted as err:
        raise TrialStopped from err
    except TrialPruned:
        raise
    except ReimplError as err:
        return Outcome(reason=str(err))
    except (Exception, SystemExit) as err:  # a fault of one trial must not end the others
        return Outcome(reason=fault_of(err, job.spec))
    if result.failed:
        return Outcome(reason=result.reason)
    score = result.metrics.get(metric)
    return Outcome(score, None if score is not None else f"nothing measured its {metric}")


def _make(
    question: Question,
    search: Search,
    threads: int | None,
    number: int,
    tell: Callable[..., None],
    stop: Callable[[], bool],
) -> Trial | None:
    """The trial, in whatever process; None where it was told to stop."""
    try:
        return search.make(number, partial(train_trial, question, threads, tell, stop))
    except TrialStopped:
        return None


def carry_on(
    question: Question,
    store: Path,
    console: Console,
    *,
    trials: int,
    workers: int = 1,
    threads: int | None = None,
    timeout: float | None = None,
) -> Study | None:
    """The study when there are so many trials, earlier ones included, or `timeout` seconds are over. None
    where it was interrupted; what there is is kept. Raises `AuditError` when the folder cannot be written, or
    where another command is at work there."""
    spec, until = question.spec, None if timeout is None else time.monotonic() + timeout
    folder = store / "studies" / spec.key
    search = Search(folder, spec.space, spec.sampler, spec.pruner, spec.seed, spec.training["epochs"])
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / "search.lock").acquire(timeout=0)
    except Timeout as err:
        raise AuditError(f"{folder}: another command is at work on this search; let it finish") from err
    with lock, interrupts() as stop:
        body, numbers = partial(_make, question, search, threads), search.proposals(trials, until)
        participants = _Trials(question, search, trials, console, body, stop)
        participants.announce(workers)
        with participants.bars:
            if workers <= 1:
                while not stop.is_set() and (number := next(numbers, None)) is not None:
                    tell = partial(participants.message, number)
                    participants.ended(number, body(number, tell, stop.is_set))
            else:
                question.data.load()  # prepared once, and not by every worker at the same time
                participants.run(min(workers, trials), numbers)
        if stop.is_set():
            return None
        made = search.trials()
    data = without_test(question.data)
    assert data.dev is not None
    rule = next((note for note in data.notes if note.startswith("dev:")), None)
    study = Study(
        key=spec.key,
        spec=spec,
        protocol=question.protocol,
        trials=made,
        wanted=trials,
        seconds=round(sum(trial.seconds for trial in made), 3),
        data=data.name,
        validation=rule or f"dev: {data.dev.size} documents that the corpus brings for it",
        n_train=data.train.size,
        n_validation=data.dev.size,
        timeout=timeout,
        device=device_name(question.device),
        versions={**versions(), "optuna": version("optuna")},
        notes=question.notes,
        finished=now(),
    )
    return put_study(store, study)


class _Trials(Workers):
    """Tells of each trial: a bar on a terminal, a line a trial everywhere."""

    def __init__(
        self,
        question: Question,
        search: Search,
        trials: int,
        console: Console,
        body: Callable[..., Trial | None],
        stop: threading.Event,
    ) -> None:
        super().__init__(body, stop)
        self.question, self.search, self.trials, self.console = question, search, trials, console
        self.shares: dict[int, float] = {}
        self.over, self.best = len(search.trials()), ""
        self.bars = run_bars(console)
        self.bar = self.bars.add_task(question.experiments[0], total=float(trials), state="")

    def announce(self, workers: int) -> None:
        """What is about to be sought, on what."""
        question, spec = self.question, self.question.spec
        first, *others = question.experiments
        names = first + (f" and {len(others)} alike" if others else "")
        ended = "" if spec.pruner == "none" else f", ended early by {spec.pruner}"
        self._say(
            f"{names}: {question.protocol}, {self.trials} trials of up to {spec.training['epochs']} epochs, "
            f"{spec.sampler}{ended}; {spec.metric} on documents held out; {question.device}, "
            f"{workers} at a time"
        )
        for setting in spec.space:
            self._say(f"  {setting.name.partition('.')[2]}: {setting}")

    def message(self, task: int, number: int, share: float) -> None:
        self.shares[number] = share
        self._show()

    def ended(self, number: int, trial: Trial | None) -> None:
        self.shares.pop(number, None)
        if trial is None:
            return
        self.over += 1
        metric, trials = self.question.spec.metric, self.search.trials()
        if scores := [of.score for of in trials if of.state == "done" and of.score is not None]:
            self.best = f"best {metric} {max(scores):.2f}"
        what = f"{metric} {trial.score:.2f}" if trial.state == "done" else f"{trial.state}: {trial.reason}"
        after = f", {trial.epochs:.0f} epochs" if trial.epochs else ""
        values = f"({shown(trial.values)}; {trial.seconds:.0f} s{after})"
        self._say(f"[{self.over}/{self.trials}] trial {number}: {what}  {values}  {self.best}".rstrip())
        self._show()

    def died(self, number: int, how: str, *, ready: bool) -> bool:
        if not self.search.given_up(number):
            return True
        self.ended(number, next(trial for trial in self.search.trials() if trial.number == number))
        return False

    def _show(self) -> None:
        self.bars.update(self.bar, completed=self.over + sum(self.shares.values()), state=self.best)

    def _say(self, text: str) -> None:
        self.console.out(text, highlight=False)
