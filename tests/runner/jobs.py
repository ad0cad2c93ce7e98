"""Runs of milliseconds, and listeners that write down what they hear."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from audit.record import Run, RunSpec
from audit.runner.channel import pulses
from audit.runner.engines import engine_of, resources_of
from audit.runner.execute import Means, Outcome, execute, running_in
from audit.runner.plan import Job
from audit.runner.resolve import DataRequest
from audit.storage.runs import Store
from reimpl.data.dataset import Dataset
from reimpl.protocol import Protocol
from tests.runner.papers import write_corpus

CONFIG = {
    "sweep": "words",
    "pooling": "max",
    "pools": 4,
    "windows": [2, 3],
    "maps": 3,
    "stride": 1,
    "relu": "after_pooling",
    "hidden": 5,
    "dropout_embedding": 0.25,
    "dropout_output": 0.5,
    "init": "xavier_uniform",
    "bias": "torch",
    "loss": "bce_mean",
}


def make_jobs(
    folder: Path, seeds: int = 1, *, config: dict[str, Any] | None = None, **protocol: Any
) -> list[Job]:
    """One job a seed: 40 documents in batches of 8, so that an epoch has 5 steps."""
    corpus = folder / "corpus"
    if not corpus.exists():
        write_corpus(corpus)
    request = DataRequest(corpus, "study2022", 12, "random:4", 4, folder / "cache")
    parts = {"name": "toy", "epochs": 3, "batch_size": 8, "length": 12, "learning_rate": 0.01, **protocol}
    fingerprint = request.load().fingerprint
    specs = [
        RunSpec("xml_cnn", "toy", {**CONFIG, **(config or {})}, asdict(Protocol(**parts)), fingerprint, seed)
        for seed in range(seeds)
    ]
    return [Job(spec, request, f"toy seed {spec.seed}", "cpu", {"toy2024": "m"}) for spec in specs]


@dataclass(frozen=True)
class Deadly(DataRequest):
    """Data that kill every process that reads them but one, as a lack of memory would."""

    parent: int = 0

    def load(self) -> Dataset:
        if os.getpid() != self.parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().load()


@dataclass(frozen=True)
class Counted(DataRequest):
    """Data that write down how often a run asked for them: once each time that it was begun."""

    log: Path = Path()
    together: int = 0  # Runs that begin to work at one time, however long each process takes to start.

    def load(self) -> Dataset:
        with self.log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        while len(self.log.read_text().splitlines()) < self.together:
            time.sleep(0.01)
        return super().load()


@dataclass
class Heard:
    """Listens, writes down, and does what `then` says at each progress."""

    then: Callable[[Job, int, int], None] = lambda job, done, total: None
    began_: list[int] = field(default_factory=list)
    ended_: list[int] = field(default_factory=list)
    again_: list[int] = field(default_factory=list)
    waited: list[int] = field(default_factory=list)
    stops: int = 0
    steps: list[tuple[int, int]] = field(default_factory=list)

    def began(self, job: Job) -> None:
        self.began_.append(job.spec.seed)

    def progress(self, job: Job, done: int, total: int, loss: float | None) -> None:
        self.steps.append((job.spec.seed, done))
        self.then(job, done, total)

    def ended(self, job: Job, run: Run) -> None:
        assert run.key == job.spec.key
        self.ended_.append(job.spec.seed)

    def say(self, text: str) -> None: ...

    def about(self, job: Job, text: str) -> None:
        (self.again_ if "tried again" in text else self.waited).append(job.spec.seed)

    def stopping(self) -> None:
        self.stops += 1


def carry_out_all(
    jobs: Sequence[Job], store: Store, heard: Heard, *, workers: int = 1, on: str = "local", **means: Any
) -> Outcome:
    """`execute` with the engine of that name."""
    screen: Any = heard
    engine = engine_of(on, workers, resources_of(means.pop("resources", None)))
    return execute(jobs, Means(store, **means), screen, engine)


def content(store: Store, key: str) -> dict[str, Any]:
    """What a run's record says, without times and what depends on the machine; predictions as bytes."""
    run = store.get(key)
    assert run is not None
    arrays = store.predictions(key) or {}
    return {
        "status": run.status,
        "reason": run.reason,
        "metrics": dict(run.metrics),
        "curve": [{name: value for name, value in row.items() if name != "seconds"} for row in run.curve],
        "notes": run.notes,
        "predictions": {name: (array.shape, array.tobytes()) for name, array in arrays.items()},
    }


def check_undisturbed(folder: Path, store: Store, jobs: Sequence[Job]) -> None:
    """Each run is on record once, as if nothing had been, and nothing is at work any more."""
    assert sorted(run.key for run in store.runs()) == sorted(job.spec.key for job in jobs)
    assert not list(running_in(store).glob("*.json"))
    alone = Store(folder / "undisturbed")
    carry_out_all(jobs, alone, Heard(), threads=1)
    for job in jobs:
        assert content(store, job.spec.key) == content(alone, job.spec.key)


@contextmanager
def trouble(store: Store, runs: int, make: Callable[[dict[str, int]], Any]) -> Iterator[list[Any]]:
    """Made once so many runs have an epoch of five steps behind them, given their processes by key. Yields
    a list for what it says."""
    said: list[Any] = []

    def watch() -> None:
        at_work: dict[str, int] = {}
        while len(at_work) < runs:
            time.sleep(0.02)
            told = pulses(running_in(store))
            at_work = {key: pulse.pid for key, pulse in told.items() if pulse.done > 5}
        said.append(make(at_work))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield said
    thread.join(timeout=60)
    assert said
