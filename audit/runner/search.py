"""A search for settings: Optuna proposes, and trials train on held-out data, wherever an engine runs them.

STORE/studies/KEY/ holds Optuna's journal, and a lock for each trial: any number of workers and commands
share a search. A trial that was interrupted, or whose process died, is made first, with the same values."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from filelock import FileLock
from rich.console import Console

from audit.errors import AuditError, option
from audit.record import RunSpec
from audit.runner.channel import Stop, Telling, interrupts, pulses
from audit.runner.engines import Died, Engine
from audit.runner.execute import device_here, device_name, now, train_job, versions
from audit.runner.models import fault_of
from audit.runner.plan import Job
from audit.runner.progress import run_bars
from audit.runner.resolve import DataRequest, Question, by_target, put_study
from audit.storage.files import explained
from audit.storage.locks import Locks
from audit.study import Json, SearchRange, Study, StudySpec, Trial, shown
from reimpl.errors import ReimplError

if TYPE_CHECKING:
    import optuna

    from reimpl.data.dataset import Dataset

#: Trials by chance before TPE proposes any, and before a pruner ends any.
STARTUP = 10
PRUNE_FROM = 5
#: A trial whose process dies so often is given up, and counts as failed.
LIVES = 3


class TrialStopped(Exception):  # noqa: N818 - a request, not an error
    """The trial was asked to stop; the next command makes it."""


class TrialPruned(Exception):  # noqa: N818
    """The pruner ends the trial."""


@dataclass(frozen=True)
class Outcome:
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
    storage: str = ""  # URL of Optuna's storage, where it is not the journal in the folder.

    def trials(self) -> tuple[Trial, ...]:
        """Finished trials, by number."""
        records = map(_as_record, self.study().get_trials(deepcopy=False))
        return tuple(trial for trial in records if trial is not None)

    @contextmanager
    def next(self, wanted: int) -> Iterator[int | None]:
        """The number of a trial that this process holds while the block runs: one that was begun and
        abandoned, or a new one until there are `wanted`; None if there is none."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution

        locks = _locks_of(self.folder)
        with ExitStack() as ours:
            with locks.hold(self.folder / "next"):
                study, number = self.study(), None
                every = study.get_trials(deepcopy=False)
                for left in (trial.number for trial in every if trial.state.name == "RUNNING"):
                    with ExitStack() as tried:  # free where the process that began it is gone
                        held = tried.enter_context(locks.hold(self.folder / f"trial-{left}", wait=0))
                        if held and not self.given_up(left):
                            number = left
                            ours.push(tried.pop_all())
                            break
                if number is None and len(every) < wanted:
                    study.sampler = self._sampler(len(every))
                    number = study.ask({
                        of.name: CategoricalDistribution(of.choices)
                        if of.choices
                        else FloatDistribution(of.low or 0.0, of.high or 0.0, log=of.log)
                        for of in self.space
                    }).number  # fmt: skip
                    ours.enter_context(locks.hold(self.folder / f"trial-{number}"))
            yield number

    def make(self, number: int, objective: Objective) -> Trial:
        """The finished trial. Raises `TrialStopped`, after which it can be made again."""
        from optuna.trial import Trial as Live

        began, study = time.monotonic(), self.study()
        trial = study.get_trials(deepcopy=False)[number]
        live, seen, times = Live(study, trial._trial_id), set(trial.intermediate_values), _times_begun(trial)
        live.set_user_attr("begun", times + 1)

        def report(epoch: float, score: float) -> None:
            if round(epoch) not in seen:  # a trial that was begun before has reported its first epochs
                live.report(score, round(epoch))
            if live.should_prune():
                raise TrialPruned

        try:
            outcome = objective(number, dict(trial.params), report)
        except TrialPruned:
            rule, state = type(study.pruner).__name__, "PRUNED"
            outcome = Outcome(reason=f"ended early by the rule {rule}")
        except TrialStopped:
            live.set_user_attr("begun", times)
            raise
        else:
            state = "FAIL" if outcome.score is None else "COMPLETE"
        return self._end(number, state, outcome, round(time.monotonic() - began, 3))

    def given_up(self, number: int) -> bool:
        """Whether its process died so often that the trial counts as failed, which is recorded."""
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
        from optuna import create_study, logging
        from optuna.pruners import MedianPruner, NopPruner
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        logging.set_verbosity(logging.ERROR)  # nothing on the screen
        pruner: Any = NopPruner()
        if self.pruner == "median":
            pruner = MedianPruner(n_startup_trials=PRUNE_FROM, n_warmup_steps=max(1, self.epochs // 5))
        path = self.folder / "journal.log"
        with explained(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            # Lock files of Optuna outlive a killed process for half a minute; those of the system do not.
            lock = FileLock(path.with_suffix(".lock"))
            if path.exists():  # a line that a killed writer did not finish would spoil the next
                with lock, path.open("r+b") as file:
                    content = file.read()
                    file.truncate(content.rfind(b"\n") + 1)
            journal = JournalFileBackend(str(path), lock_obj=cast(Any, lock))
            try:
                return create_study(
                    storage=self.storage or JournalStorage(journal),
                    study_name=self.folder.name,
                    direction="maximize",
                    sampler=self._sampler(0),
                    pruner=pruner,
                    load_if_exists=True,
                )
            except Exception as err:  # of a database any of its driver's
                if not self.storage:
                    raise
                why = str(err).strip().splitlines()[0][:120]
                how = "write it as sqlite:///FILE or DRIVER://HOST/NAME, and install its driver"
                raise AuditError(f"{option('storage', self.storage)}: {why}; {how}") from err

    def _sampler(self, number: int) -> optuna.samplers.BaseSampler:
        """A sampler with the proposal's own seed, so that an interrupted search proposes the same values."""
        from optuna.samplers import RandomSampler, TPESampler

        seed = int.from_bytes(hashlib.sha256(f"{self.seed}:{number}".encode()).digest()[:4])
        if self.sampler == "tpe":
            return TPESampler(seed=seed, n_startup_trials=STARTUP)
        return RandomSampler(seed)


@cache
def _locks_of(folder: Path) -> Locks:
    """The locks of that search's store, one object per process."""
    return Locks(folder.parent.parent)


def _times_begun(trial: optuna.trial.FrozenTrial) -> int:
    return int(trial.user_attrs.get("begun", 0))


def _as_record(trial: optuna.trial.FrozenTrial) -> Trial | None:
    """The trial as a record; None while it waits or runs."""
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
    """The data with the held-out documents as test set: a search cannot see the real test documents."""
    data = request.load()
    assert data.dev is not None
    return replace(data, test=data.dev)


def settings_of(spec: StudySpec, values: Mapping[str, Json]) -> RunSpec:
    """The run of a trial with these values."""
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
    progress: Callable[[int, int, float | None], None],
    stop: Callable[[], bool],
    number: int,
    values: Mapping[str, Json],
    report: Callable[[float, float], None],
) -> Outcome:
    """The score in percent; a failure is the trial's outcome, and the search continues."""
    from reimpl.training import Interrupted, Watch

    metric = question.spec.metric

    def evaluated(row: Mapping[str, float]) -> None:
        if metric in row:
            report(row["epoch"], row[metric])

    job = Job(settings_of(question.spec, values), question.data, "", question.device, {})
    try:
        watch = Watch(progress, stop, evaluated=evaluated)
        result = train_job(job, without_test(question.data), threads, watch)
    except Interrupted as err:
        raise TrialStopped from err
    except TrialPruned:
        raise
    except ReimplError as err:
        return Outcome(reason=str(err))
    except (Exception, SystemExit) as err:  # a fault of one trial must not end the others
        if isinstance(err, SystemExit) and stop():  # the engine ends this process
            raise TrialStopped from err
        return Outcome(reason=fault_of(err, job.spec))
    if result.failed:
        return Outcome(reason=result.reason)
    score = result.metrics.get(metric)
    return Outcome(score, None if score is not None else f"its {metric} was not measured")


@dataclass(frozen=True)
class Making:
    """What a process needs to make a trial; several processes share a search."""

    question: Question
    search: Search
    wanted: int  # Trials in all.
    threads: int | None
    until: float | None  # Seconds since 1970 after which no trial begins.
    stop: Stop

    def __call__(self, task: int, *, seat: int = 0, tell: Any = None) -> Trial | AuditError | None:
        """Make one more trial; None if there are enough, or it was asked to stop."""
        if self.stop() or (self.until is not None and time.time() >= self.until):
            return None
        try:
            question = replace(self.question, device=device_here(self.question.device, seat))
            with self.search.next(self.wanted) as number:
                if number is None:
                    return None
                with Telling(self.search.folder / "running", str(number), f"trial {number}") as telling:

                    def progress(done: int, total: int, loss: float | None) -> None:
                        telling.progress(done, total, loss)
                        if tell is not None:
                            tell(done, total, loss)

                    train = partial(train_trial, question, self.threads, progress, self.stop)
                    return self.search.make(number, train)
        except TrialStopped:
            return None
        except AuditError as err:
            return err


def carry_on(
    question: Question,
    store: Path,
    console: Console,
    engine: Engine,
    *,
    trials: int,
    threads: int | None = None,
    timeout: float | None = None,
    storage: str = "",
) -> Study | None:
    """The study once it has that many trials, including earlier ones and those of other commands, or after
    `timeout` seconds. None if it was interrupted; finished trials are kept. Raises `AuditError`."""
    spec, until = question.spec, None if timeout is None else time.time() + timeout
    folder = store / "studies" / spec.key
    epochs = spec.training["epochs"]
    search = Search(folder, spec.space, spec.sampler, spec.pruner, spec.seed, epochs, storage)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with interrupts(folder / "running") as stop:
        participants = _Trials(question, search, trials, console, stop)
        participants.announce(engine.at_once)
        making = Making(question, search, trials, threads, until, stop)
        question.data.load()  # prepared once, and not by every worker at the same time
        with participants.bars:
            # again for trials whose process died, or that another command left
            while left := max(0, trials - len(search.trials())):
                if stop() or (until is not None and time.time() >= until):
                    break
                participants.made = 0
                engine.run(range(left), making, participants)
                if not participants.made:
                    time.sleep(1.0)  # other commands are at work on the rest
        if stop():
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


class _Trials:
    """Shows each trial: a bar on a terminal, a line per trial everywhere."""

    def __init__(self, question: Question, search: Search, trials: int, console: Console, stop: Stop) -> None:
        self.question, self.search, self.trials = question, search, trials
        self.console, self.stop = console, stop
        self.made = 0
        self.over, self.best = len(search.trials()), ""
        self.bars = run_bars(console)
        self.bar = self.bars.add_task(question.experiments[0], total=float(trials), state="")

    def announce(self, at_once: int | None) -> None:
        question, spec = self.question, self.question.spec
        first, *others = question.experiments
        names = first + (f" and {len(others)} alike" if others else "")
        ended = "" if spec.pruner == "none" else f", ended early by {spec.pruner}"
        self._say(
            f"{names}: {question.protocol}, {self.trials} trials of up to {spec.training['epochs']} epochs, "
            f"{spec.sampler}{ended}; {spec.metric} on documents held out; {question.device}, "
            f"{at_once or 'as many as fit'} at a time"
        )
        for setting in spec.space:
            self._say(f"  {setting.name.partition('.')[2]}: {setting}")

    def began(self, task: int) -> None: ...

    def progress(self, *_: Any) -> None:
        self.tick()

    def tick(self) -> None:
        at_work = sum(of.share for of in pulses(self.search.folder / "running").values())
        self.bars.update(self.bar, completed=self.over + at_work, state=self.best)

    def ended(self, task: int, trial: Any) -> None:
        if isinstance(trial, Exception):
            raise trial
        if trial is None or isinstance(trial, Died):
            self.made += trial is not None
            return
        self.over, self.made = self.over + 1, self.made + 1
        metric, trials = self.question.spec.metric, self.search.trials()
        if scores := [of.score for of in trials if of.state == "done" and of.score is not None]:
            self.best = f"best {metric} {max(scores):.2f}"
        what = f"{metric} {trial.score:.2f}" if trial.state == "done" else f"{trial.state}: {trial.reason}"
        after = f", {trial.epochs:.0f} epochs" if trial.epochs else ""
        values = f"({shown(trial.values)}; {trial.seconds:.0f} s{after})"
        self._say(f"[{self.over}/{self.trials}] trial {trial.number}: {what}  {values}  {self.best}".rstrip())
        self.tick()

    def _say(self, text: str) -> None:
        self.console.out(text, highlight=False)
