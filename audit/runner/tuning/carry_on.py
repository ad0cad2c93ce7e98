"""A search by this command: in this process, or in worker processes that take part in it.

The workers have the search's folder in common, as have two commands with the same search: each takes the next
trial from there. What they came to is read from there as well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from audit.runner.carry_out import _device_name, _now, _versions
from audit.runner.tuning.question import Question
from audit.runner.tuning.search import Search, TrialStopped
from audit.runner.tuning.trial import Training, without_test
from audit.runner.workers import Workers, interrupts
from audit.storage import studies as study_store
from audit.study import Study, Trial


class Listener(Protocol):
    """Who is told how the search goes on."""

    def progress(self, shares: Mapping[int, float]) -> None: ...
    def ended(self, trial: Trial, over: int, best: Trial | None) -> None: ...


@dataclass(frozen=True)
class Way:
    """How this command goes about it."""

    store: Path
    trials: int
    """That are wanted in all, those of before among them."""
    workers: int = 1
    threads: int | None = None
    timeout: float | None = None
    """Seconds after which no trial is begun."""


def carry_on(question: Question, way: Way, listener: Listener) -> Study | None:
    """The study when its budget is spent; None where it was interrupted. What there is is kept either way.

    Raises `StoreError` when the folder cannot be written.
    """
    spec = question.spec
    folder = study_store.folder_of(way.store, spec.key)
    search = Search(folder, spec.space, spec.sampler, spec.pruner, spec.seed, question.epochs)
    until = None if way.timeout is None else time.monotonic() + way.timeout
    with interrupts() as stop:
        participants = _Participants(
            search, listener, partial(_take_part, question, search, way, until), stop
        )
        if sum(it.counts for it in search.trials()) < way.trials:
            if way.workers <= 1:
                _take_part(
                    question, search, way, until, 0, participants.share, stop.is_set, participants.look
                )
            else:
                question.data.load()  # prepared once, and not by every worker at the same time
                participants.run(min(way.workers, way.trials), range(1, min(way.workers, way.trials) + 1))
            participants.look()
        if stop.is_set():
            return None
    return study_store.put(way.store, _study(question, search.trials(), way))


def _take_part(
    question: Question,
    search: Search,
    way: Way,
    until: float | None,
    _: int,
    progress: Callable[[int, float], None],
    stop: Callable[[], bool],
    look: Callable[[], None] = lambda: None,
) -> None:
    """Makes trials until there are enough, in whatever process."""
    training = Training(question, way.threads, stop, progress)
    with suppress(TrialStopped):
        search.work(training, way.trials, stop=stop, until=until, told=lambda trial: look())


class _Participants(Workers):
    """Tells the listener of each trial once, whoever made it."""

    def __init__(self, search: Search, listener: Listener, body: Callable[..., None], stop: threading.Event):
        super().__init__(body, stop)
        self.search, self.listener = search, listener
        self.known = {it.number for it in search.trials()}
        self.shares: dict[int, float] = {}

    def share(self, number: int, share: float) -> None:
        """So much of a trial is done."""
        self.shares[number] = share
        self.listener.progress(self.shares)

    def told(self, task: int, number: int, share: float) -> None:
        self.share(number, share)

    def look(self) -> None:
        """Tells of trials that are over since the last look."""
        trials = self.search.trials()
        done = [it for it in trials if it.state == "done"]
        best = max(done, key=lambda it: (it.score or 0.0, -it.number), default=None)
        over = sum(it.counts and it.number in self.known for it in trials)
        for trial in trials:
            if trial.number not in self.known:
                self.known.add(trial.number)
                self.shares.pop(trial.number, None)
                over += trial.counts
                self.listener.ended(trial, over, best)


def _study(question: Question, trials: tuple[Trial, ...], way: Way) -> Study:
    from importlib.metadata import version

    data = without_test(question.data)
    assert data.dev is not None
    held = next((note for note in data.notes if note.startswith("dev:")), None)
    return Study(
        key=question.spec.key,
        spec=question.spec,
        protocol=question.protocol,
        trials=trials,
        wanted=way.trials,
        seconds=round(sum(it.seconds for it in trials), 3),
        data=data.name,
        validation=held or f"dev: {data.dev.size} documents that the corpus brings for it",
        n_train=data.train.size,
        n_validation=data.dev.size,
        timeout=way.timeout,
        device=_device_name(question.device),
        versions={**_versions(), "optuna": version("optuna")},
        notes=question.notes,
        finished=_now(),
    )
