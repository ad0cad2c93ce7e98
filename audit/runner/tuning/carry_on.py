"""A search by this command: in this process, or in worker processes that take part in it.

The workers have nothing but the search's folder in common, as have two commands with the same search: each
takes the next trial from there. What they came to is read from there as well.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from audit.errors import AuditError, option
from audit.runner.carry_out import _device_name, _now, _versions
from audit.runner.execute import _held_back, _interrupts, _manner, _portable
from audit.runner.tuning.question import Question
from audit.runner.tuning.search import Search, TrialStopped
from audit.runner.tuning.trial import Training, without_test
from audit.storage import studies as study_store
from audit.study import Study, Trial

_POLL = 0.3
#: Workers that may end before any trial is over, before the command gives up.
_STILLBORN = 2


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


def search_of(question: Question, store: Path) -> Search:
    """Where the trials of a question are found and made."""
    spec = question.spec
    folder = study_store.folder_of(store, spec.key)
    return Search(folder, spec.space, spec.sampler, spec.pruner, spec.seed, question.epochs)


def carry_on(question: Question, way: Way, listener: Listener) -> Study | None:
    """The study when its budget is spent; None where it was interrupted. What there is is kept either way.

    Raises `StoreError` when the folder cannot be written.
    """
    search = search_of(question, way.store)
    known = {it.number for it in search.trials()}
    told = _Told(search, listener, known)
    with _interrupts() as stop:
        if len(_counting(search.trials())) < way.trials:
            if way.workers <= 1:
                _here(question, search, way, told, stop)
            else:
                _together(question, search, way, told, stop)
        if stop.is_set():
            return None
    return study_store.put(way.store, _study(question, search.trials(), way))


def _counting(trials: tuple[Trial, ...]) -> list[Trial]:
    return [it for it in trials if it.counts]


class _Told:
    """Tells the listener of each trial once, whoever made it."""

    def __init__(self, search: Search, listener: Listener, known: set[int]) -> None:
        self.search, self.listener, self.known = search, listener, known

    def look(self) -> None:
        trials = self.search.trials()
        over = _counting(trials)
        done = [it for it in over if it.state == "done"]
        best = max(done, key=lambda it: (it.score or 0.0, -it.number), default=None)
        new = [it for it in trials if it.number not in self.known]
        before = len(over) - len(_counting(tuple(new)))
        for trial in new:
            self.known.add(trial.number)
            before += trial.counts
            self.listener.ended(trial, before, best)


def _here(question: Question, search: Search, way: Way, told: _Told, stop: threading.Event) -> None:
    def progress(number: int, share: float) -> None:
        told.listener.progress({number: share})

    training = Training(question, way.threads, stop.is_set, progress)
    with suppress(TrialStopped):
        search.work(training, way.trials, stop=stop.is_set, until=_until(way), told=lambda trial: told.look())
    told.look()


def _until(way: Way) -> float | None:
    return None if way.timeout is None else time.monotonic() + way.timeout


# --------------------------------------------------------------------------- worker processes


@dataclass
class _Worker:
    process: Any
    pipe: Connection


def _together(question: Question, search: Search, way: Way, told: _Told, stop: threading.Event) -> None:
    question.data.load()  # prepared once, and not by every worker at the same time
    context = multiprocessing.get_context("spawn")
    flag = context.RawValue(ctypes.c_bool, False)
    until, stillborn = _until(way), 0

    def start() -> _Worker:
        here, there = context.Pipe()
        left = None if until is None else max(0.0, until - time.monotonic())
        process = context.Process(
            target=_work, args=(there, question, search, way, left, flag, os.getpid()), daemon=True
        )
        resource_tracker.ensure_running()
        with _held_back():
            process.start()
        there.close()
        return _Worker(process, here)

    workers = [start() for _ in range(min(way.workers, way.trials))]
    try:
        while workers:
            flag.value = stop.is_set()
            workers[0].process.join(_POLL)
            before = len(told.known)
            told.look()
            stillborn = 0 if len(told.known) > before else stillborn
            told.listener.progress(_shares(search, question.epochs))
            for worker in [it for it in workers if not it.process.is_alive()]:
                workers.remove(worker)
                if _ended_well(worker) or stop.is_set():
                    continue
                stillborn += 1
                if stillborn > _STILLBORN:
                    how = _manner(worker.process.exitcode)
                    raise AuditError(f"worker processes end with {how}; use {option('jobs', 1)}")
                workers.append(start())  # what it was at is tried again
    finally:
        flag.value = True
        for worker in workers:
            worker.process.join(timeout=10)
            if worker.process.is_alive():
                worker.process.terminate()


def _shares(search: Search, epochs: int) -> dict[int, float]:
    return {number: done / epochs for number, (done, _) in search.running().items()}


def _ended_well(worker: _Worker) -> bool:
    """False for one that was killed; raises what it sent before it ended."""
    try:
        if worker.pipe.poll():
            raise worker.pipe.recv()
    except (EOFError, OSError):
        pass
    finally:
        worker.pipe.close()
    return bool(worker.process.exitcode == 0)


def _work(
    pipe: Connection,
    question: Question,
    search: Search,
    way: Way,
    left: float | None,
    flag: Any,
    parent: int,
) -> None:
    """Body of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; its flag reaches us at the next step
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def stop() -> bool:
        return bool(flag.value) or os.getppid() != parent

    until = None if left is None else time.monotonic() + left
    try:
        search.work(Training(question, way.threads, stop), way.trials, stop=stop, until=until)
    except TrialStopped:
        return
    except (Exception, SystemExit) as err:
        with suppress(OSError):
            pipe.send(_portable(err))


# --------------------------------------------------------------------------- the record


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
