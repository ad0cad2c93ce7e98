"""The machine of a search: trials proposed by Optuna, shared by processes through a journal, each run once.

    FOLDER/journal.log     Optuna's journal: all that is known of the trials
    FOLDER/journal.lock    held while somebody reads or writes it
    FOLDER/take.lock       held while somebody takes the next trial
    FOLDER/N.lock          held by the process that is at work on trial N

The system frees a lock when its holder dies. So a trial that is marked as running and whose lock is free has
no process any more: its values are tried again, and the one that died stays on record.

What trial k proposes hangs on the seed and k, and, where the sampler learns, on the trials that were over by
then: a search by one process that was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from filelock import FileLock, Timeout

from audit.storage.files import explained
from audit.study import Json, SearchRange, Trial

if TYPE_CHECKING:
    import optuna

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
    epochs: int = 1
    """Of a trial that is not ended early."""

    @property
    def journal(self) -> Path:
        return self.folder / "journal.log"

    def trials(self) -> tuple[Trial, ...]:
        """Those that are over, by number; none where nobody began."""
        if not self.journal.exists():
            return ()
        over = [_as_record(it) for it in self._study().get_trials(deepcopy=False)]
        return tuple(it for it in over if it is not None)

    def work(
        self,
        objective: Objective,
        wanted: int,
        *,
        stop: Callable[[], bool] = lambda: False,
        until: float | None = None,
        told: Callable[[Trial], None] = lambda trial: None,
    ) -> None:
        """Make trials until `wanted` count, those of other processes among them.

        `stop` ends it between trials; the objective asks for itself and raises `TrialStopped`. After the
        moment `until` (`time.monotonic`) no trial is begun. `told` hears of each trial of this process.
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
                told(_carried_out(study, trial, objective))
            finally:
                lock.release()

    # ----------------------------------------------------------------- taking the next trial

    def _take(self, study: optuna.Study, wanted: int) -> tuple[optuna.Trial, FileLock] | str:
        """A trial and the lock that is held for it; or `none left`, or `wait` while others are at work."""
        with explained(self.folder), FileLock(self.folder / "take.lock"):
            self._bury(study)
            found = study.get_trials(deepcopy=False)
            over = [it for it in map(_as_record, found) if it is not None and it.counts]
            running = [it for it in found if it.state.name == "RUNNING"]
            if len(over) + len(running) >= wanted:
                return "wait" if running else "none left"
            # Trials that are tried again propose nothing new: what follows is what it would have been.
            study.sampler = self._sampler(sum("again" not in it.user_attrs for it in found))
            trial = study.ask({it.name: _distribution(it) for it in self.space})
            lock = self._lock(trial.number)
            lock.acquire(timeout=0)
            return trial, lock

    def _bury(self, study: optuna.Study) -> None:
        """Trials without a process are over, and their values wait to be tried again."""
        from optuna.trial import Trial as Live
        from optuna.trial import TrialState

        for it in study.get_trials(deepcopy=False, states=[TrialState.RUNNING]):
            with suppress(Timeout), self._lock(it.number).acquire(timeout=0):
                died = it.user_attrs.get("deaths", 0) + 1
                given_up = died >= LIVES
                why = f"its process ended {died} times" if given_up else "its process ended"
                live = Live(study, it._trial_id)
                live.set_user_attr("reason", why)
                live.set_user_attr("died", not given_up)
                study.tell(it.number, state=TrialState.FAIL)
                if not given_up:
                    _again(study, it.params, it.number, died)

    def _lock(self, number: int) -> FileLock:
        return FileLock(self.folder / f"{number}.lock")

    # ----------------------------------------------------------------- Optuna

    def _study(self) -> optuna.Study:
        from optuna import create_study, logging
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        logging.set_verbosity(logging.ERROR)  # nothing on the screen
        with explained(self.journal):
            # Lock files of Optuna outlive a killed process for half a minute; those of the system do not.
            lock = FileLock(self.journal.with_suffix(".lock"))
            _mend(self.journal, lock)
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

        drawn = hashlib.sha256(f"{self.seed}:{number}".encode()).digest()
        seed = int.from_bytes(drawn[:4])
        return (
            TPESampler(seed=seed, n_startup_trials=STARTUP) if self.sampler == "tpe" else RandomSampler(seed)
        )

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
    values = dict(trial.params)

    def report(epoch: float, score: float) -> None:
        trial.report(score, round(epoch))
        if trial.should_prune():
            raise TrialPruned

    def end(state: TrialState, score: float | None = None, **attributes: Json) -> None:
        for name, value in {"seconds": round(time.monotonic() - began, 3), **attributes}.items():
            trial.set_user_attr(name, value)
        study.tell(trial, score, state=state)

    try:
        outcome = objective(trial.number, values, report)
    except TrialPruned:
        end(TrialState.PRUNED, reason=f"ended early by the rule {type(study.pruner).__name__}")
    except TrialStopped:
        end(TrialState.FAIL, reason="it was interrupted", interrupted=True)
        _again(study, values, trial.number, trial.user_attrs.get("deaths", 0))
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


def _as_record(it: optuna.trial.FrozenTrial) -> Trial | None:
    """None while it waits or runs."""
    names: Mapping[str, Any] = {"COMPLETE": "done", "PRUNED": "pruned", "FAIL": "failed"}
    if it.state.name not in names:
        return None
    state = names[it.state.name]
    if state == "failed":
        state = next((other for other in ("interrupted", "died") if it.user_attrs.get(other)), state)
    curve = it.intermediate_values
    last = curve[max(curve)] if curve else None
    return Trial(
        number=it.number,
        state=state,
        values=dict(it.params),
        score=it.value if it.state.name == "COMPLETE" else last if it.state.name == "PRUNED" else None,
        epochs=float(max(curve)) if curve else None,
        seconds=float(it.user_attrs.get("seconds", 0.0)),
        reason=it.user_attrs.get("reason"),
    )


def _distribution(it: SearchRange) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if it.choices:
        return CategoricalDistribution(it.choices)
    assert it.low is not None and it.high is not None
    return FloatDistribution(it.low, it.high, log=it.log)


def _mend(journal: Path, lock: FileLock) -> None:
    """A last line that a killed writer did not finish goes: the next one would be written into it."""
    if not journal.exists():
        return
    with lock:
        content = journal.read_bytes()
        if content and not content.endswith(b"\n"):
            with journal.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)
