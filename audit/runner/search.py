"""A search by this command: in this process, or in worker processes that take part in it.

The workers have the search's folder in common, as have two commands with the same search: each takes the next
trial from there. What they came to is read from there as well.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from filelock import FileLock, Timeout

from audit.record import RunSpec
from audit.runner import carry_out
from audit.runner.models import fault_of
from audit.runner.plan import Job
from audit.runner.resolve import DataRequest
from audit.runner.tuned import Question, by_target, put_study
from audit.runner.workers import Workers, interrupts
from audit.storage.files import explained
from audit.study import Json, SearchRange, Study, StudySpec, Trial

if TYPE_CHECKING:
    import optuna

    from reimpl.data.dataset import Dataset

#: Trials by chance before TPE proposes any, and before a pruner ends any.
STARTUP = 10
PRUNE_FROM = 5
#: A trial whose process dies so often is given up, and counts as failed.
LIVES = 3
#: Seconds between two looks at trials that another process is at work on.
_PATIENCE = 0.3


class TrialStopped(Exception):  # noqa: N818 - a request, not an error
    """The trial was told to stop; its values are tried again by the next command."""


class TrialPruned(Exception):  # noqa: N818
    """The pruner ends the trial."""


@dataclass(frozen=True)
class Outcome:
    """What a trial came to: a score, or why there is none."""

    score: float | None = None
    reason: str | None = None


#: Values by name -> outcome. `report(epoch, score)` tells a point of the curve, and raises `TrialPruned`.
Objective = Callable[[int, Mapping[str, Json], Callable[[float, float], None]], Outcome]


@dataclass(frozen=True)
class Search:
    """One search in one folder. Whoever opens the same one takes part in it."""

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
        """Those that are over, by number; none where nobody began."""
        if not self.journal.exists():
            return ()
        records = map(_as_record, self._study().get_trials(deepcopy=False))
        return tuple(trial for trial in records if trial is not None)

    def work(
        self,
        objective: Objective,
        wanted: int,
        *,
        stop: Callable[[], bool] = lambda: False,
        until: float | None = None,
        after: Callable[[Trial], None] = lambda trial: None,
    ) -> None:
        """Make trials until `wanted` count, those of other processes among them.

        `stop` ends it between trials; the objective asks for itself and raises `TrialStopped`. After the
        moment `until` (`time.monotonic`) no trial is begun. `after` gets each trial of this process.
        """
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        study = self._study()
        while not stop() and (until is None or time.monotonic() < until):
            taken = self._take(study, wanted)
            if taken == "none left":
                return
            if isinstance(taken, str):
                time.sleep(_PATIENCE)
                continue
            trial, lock = taken
            try:
                after(_carried_out(study, trial, objective))
            finally:
                lock.release()

    def _take(self, study: optuna.Study, wanted: int) -> tuple[optuna.Trial, FileLock] | str:
        """A trial and the lock that is held for it; or `none left`, or `wait` while others are at work."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution

        with explained(self.folder), FileLock(self.folder / "take.lock"):
            self._bury(study)
            trials = study.get_trials(deepcopy=False)
            over = sum(record is not None and record.counts for record in map(_as_record, trials))
            running = sum(trial.state.name == "RUNNING" for trial in trials)
            if over + running >= wanted:
                return "wait" if running else "none left"
            # Trials that are tried again propose nothing new: what follows is what it would have been.
            study.sampler = self._sampler(sum("again" not in trial.user_attrs for trial in trials))
            trial = study.ask({
                of.name: CategoricalDistribution(of.choices)
                if of.choices
                else FloatDistribution(of.low or 0.0, of.high or 0.0, log=of.log)
                for of in self.space
            })  # fmt: skip
            lock = self._lock(trial.number)
            lock.acquire(timeout=0)
            return trial, lock

    def _bury(self, study: optuna.Study) -> None:
        """Trials without a process are over, and their values wait to be tried again."""
        from optuna.trial import Trial as Live
        from optuna.trial import TrialState

        for trial in study.get_trials(deepcopy=False, states=[TrialState.RUNNING]):
            with suppress(Timeout), self._lock(trial.number).acquire(timeout=0):
                deaths = trial.user_attrs.get("deaths", 0) + 1
                live = Live(study, trial._trial_id)
                why = f"its process ended {deaths} times" if deaths >= LIVES else "its process ended"
                live.set_user_attr("reason", why)
                live.set_user_attr("died", deaths < LIVES)
                study.tell(trial.number, state=TrialState.FAIL)
                if deaths < LIVES:
                    _again(study, trial.params, trial.number, deaths)

    def _lock(self, number: int) -> FileLock:
        return FileLock(self.folder / f"{number}.lock")

    def _study(self) -> optuna.Study:
        from optuna import create_study, logging
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        logging.set_verbosity(logging.ERROR)  # nothing on the screen
        with explained(self.journal):
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
                pruner=self._pruner(),
                load_if_exists=True,
            )

    def _sampler(self, number: int) -> optuna.samplers.BaseSampler:
        """With a seed of the proposal's own."""
        from optuna.samplers import RandomSampler, TPESampler

        seed = int.from_bytes(hashlib.sha256(f"{self.seed}:{number}".encode()).digest()[:4])
        if self.sampler == "tpe":
            return TPESampler(seed=seed, n_startup_trials=STARTUP)
        return RandomSampler(seed)

    def _pruner(self) -> optuna.pruners.BasePruner:
        from optuna.pruners import MedianPruner, NopPruner, SuccessiveHalvingPruner

        if self.pruner == "median":
            return MedianPruner(n_startup_trials=PRUNE_FROM, n_warmup_steps=max(1, self.epochs // 5))
        if self.pruner == "halving":
            return SuccessiveHalvingPruner(min_resource=max(1, self.epochs // 9), reduction_factor=3)
        return NopPruner()


def _carried_out(study: optuna.Study, trial: optuna.Trial, objective: Objective) -> Trial:
    """The trial as it ended. Raises `TrialStopped` after its values were put back."""
    from optuna.trial import TrialState

    began = time.monotonic()

    def report(epoch: float, score: float) -> None:
        trial.report(score, round(epoch))
        if trial.should_prune():
            raise TrialPruned

    def end(state: TrialState, score: float | None = None, **attributes: Json) -> None:
        for name, value in {"seconds": round(time.monotonic() - began, 3), **attributes}.items():
            trial.set_user_attr(name, value)
        study.tell(trial, score, state=state)

    try:
        outcome = objective(trial.number, dict(trial.params), report)
    except TrialPruned:
        end(TrialState.PRUNED, reason=f"ended early by the rule {type(study.pruner).__name__}")
    except TrialStopped:
        end(TrialState.FAIL, reason="it was interrupted", interrupted=True)
        _again(study, trial.params, trial.number, trial.user_attrs.get("deaths", 0))
        raise
    else:
        if outcome.score is None:
            end(TrialState.FAIL, reason=outcome.reason or "it has no score")
        else:
            end(TrialState.COMPLETE, outcome.score)
    record = _as_record(study.get_trials(deepcopy=False)[trial.number])
    assert record is not None
    return record


def _again(study: optuna.Study, values: Mapping[str, Json], number: int, deaths: int) -> None:
    study.enqueue_trial(dict(values), user_attrs={"again": number, "deaths": deaths})


def _as_record(trial: optuna.trial.FrozenTrial) -> Trial | None:
    """None while it waits or runs."""
    names: Mapping[str, Any] = {"COMPLETE": "done", "PRUNED": "pruned", "FAIL": "failed"}
    if trial.state.name not in names:
        return None
    state, curve = names[trial.state.name], trial.intermediate_values
    if state == "failed":
        state = next((other for other in ("interrupted", "died") if trial.user_attrs.get(other)), state)
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


@dataclass(frozen=True)
class Training:
    """The objective of a question: to be called for each trial, in this process."""

    question: Question
    threads: int | None = None
    stop: Callable[[], bool] = lambda: False
    progress: Callable[[int, float], None] = lambda number, share: None
    """Trial, share of its epochs that is done."""

    def __call__(
        self, number: int, values: Mapping[str, Json], report: Callable[[float, float], None]
    ) -> Outcome:
        """The score, in percent; what goes amiss in a trial is its outcome, and the search goes on."""
        from reimpl.errors import ReimplError
        from reimpl.training import Interrupted, Watch

        question, metric = self.question, self.question.spec.metric

        def evaluated(row: Mapping[str, float]) -> None:
            if metric in row:
                report(row["epoch"], row[metric])

        def progress(done: int, total: int, loss: float | None) -> None:
            self.progress(number, done / max(1, total))

        job = Job(settings_of(question.spec, values), question.data, "", question.device, {})
        try:
            watch = Watch(progress, self.stop, evaluated=evaluated)
            result = carry_out.train_job(job, without_test(question.data), self.threads, watch)
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


class Listener(Protocol):
    """Who is told how the search goes on."""

    def progress(self, shares: Mapping[int, float]) -> None: ...
    def ended(self, trial: Trial, over: int, best: Trial | None) -> None: ...


@dataclass(frozen=True)
class Budget:
    """What this command spends on it."""

    store: Path
    trials: int  # That are wanted in all, those of before among them.
    workers: int = 1
    threads: int | None = None
    timeout: float | None = None  # Seconds after which no trial is begun.


def carry_on(question: Question, budget: Budget, listener: Listener) -> Study | None:
    """The study when its budget is spent; None where it was interrupted. What there is is kept either way.

    Raises `StoreError` when the folder cannot be written.
    """
    spec = question.spec
    folder = budget.store / "studies" / spec.key
    search = Search(folder, spec.space, spec.sampler, spec.pruner, spec.seed, question.epochs)
    until = None if budget.timeout is None else time.monotonic() + budget.timeout
    with interrupts() as stop:
        body = partial(_take_part, question, search, budget, until)
        participants = _Participants(search, listener, body, stop)
        if sum(trial.counts for trial in search.trials()) < budget.trials:
            if budget.workers <= 1:
                body(0, participants.share, stop.is_set, participants.look)
            else:
                question.data.load()  # prepared once, and not by every worker at the same time
                workers = min(budget.workers, budget.trials)
                participants.run(workers, range(1, workers + 1))
            participants.look()
        if stop.is_set():
            return None
    return put_study(budget.store, _study(question, search.trials(), budget))


def _take_part(
    question: Question,
    search: Search,
    budget: Budget,
    until: float | None,
    _: int,
    progress: Callable[[int, float], None],
    stop: Callable[[], bool],
    look: Callable[[], None] = lambda: None,
) -> None:
    """Makes trials until there are enough, in whatever process."""
    training = Training(question, budget.threads, stop, progress)
    with suppress(TrialStopped):
        search.work(training, budget.trials, stop=stop, until=until, after=lambda trial: look())


class _Participants(Workers):
    """Tells the listener of each trial once, whoever made it."""

    def __init__(self, search: Search, listener: Listener, body: Callable[..., None], stop: threading.Event):
        super().__init__(body, stop)
        self.search, self.listener = search, listener
        self.known = {trial.number for trial in search.trials()}
        self.shares: dict[int, float] = {}

    def share(self, number: int, share: float) -> None:
        """So much of a trial is done."""
        self.shares[number] = share
        self.listener.progress(self.shares)

    def message(self, task: int, number: int, share: float) -> None:
        self.share(number, share)

    def look(self) -> None:
        """Tells of trials that are over since the last look."""
        trials = self.search.trials()
        done = [trial for trial in trials if trial.state == "done"]
        best = max(done, key=lambda trial: (trial.score or 0.0, -trial.number), default=None)
        over = sum(trial.counts and trial.number in self.known for trial in trials)
        for trial in trials:
            if trial.number not in self.known:
                self.known.add(trial.number)
                self.shares.pop(trial.number, None)
                over += trial.counts
                self.listener.ended(trial, over, best)


def _study(question: Question, trials: tuple[Trial, ...], budget: Budget) -> Study:
    from importlib.metadata import version

    data = without_test(question.data)
    assert data.dev is not None
    rule = next((note for note in data.notes if note.startswith("dev:")), None)
    return Study(
        key=question.spec.key,
        spec=question.spec,
        protocol=question.protocol,
        trials=trials,
        wanted=budget.trials,
        seconds=round(sum(trial.seconds for trial in trials), 3),
        data=data.name,
        validation=rule or f"dev: {data.dev.size} documents that the corpus brings for it",
        n_train=data.train.size,
        n_validation=data.dev.size,
        timeout=budget.timeout,
        device=carry_out.device_name(question.device),
        versions={**carry_out.versions(), "optuna": version("optuna")},
        notes=question.notes,
        finished=carry_out.now(),
    )
