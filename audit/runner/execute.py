"""One job -> one run record, in this process. Imports torch when it is called."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import audit
from audit.record import DataInfo, Run, Status, digest
from audit.runner.models import ChangedError, check_unchanged, fault_of
from audit.runner.plan import Job
from audit.storage.runs import Store

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.training import Result, Watch


import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import Literal

from audit.runner.progress import Screen
from audit.runner.workers import LIVES, Workers, interrupts

#: Steps done, steps in all, mean loss of the epoch so far.
Progress = Callable[[int, int, float | None], None]


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """The run was interrupted and can go on from its checkpoint."""


class HeldElsewhere(Exception):  # noqa: N818
    """Another process is at work on the same run."""


@dataclass(frozen=True)
class Means:
    """What a process needs beside the job."""

    store: Store
    threads: int | None = None
    retry_failed: bool = False
    rerun_changed: bool = False  # Whether runs by other code than today's are made anew.
    checkpoint_every: float = 60.0
    wait: float = 0.0  # Seconds to wait for another process that holds the run.


def carry_out(job: Job, means: Means, *, progress: Progress, stop: Callable[[], bool]) -> Run:
    """The run's record: read when it is there, else made and kept; what goes amiss in it is on record. Raises
    `Stopped`, `HeldElsewhere`, `StoreError`, and `ChangedError` where the code was edited meanwhile."""
    key = job.spec.key
    with means.store.claim(key, wait=means.wait) as claim:
        if claim.record and stands(claim.record, job, means):
            return claim.record
        if not claim.held:
            raise HeldElsewhere(key)
        run, arrays = _run(job, means, progress, stop)
        return means.store.put(run, predictions=arrays, retry=means.retry_failed, anew=means.rerun_changed)


def stands(run: Run, job: Job, means: Means) -> bool:
    """Whether the record that is there needs no further run."""
    if means.rerun_changed and run.sources != job.sources:
        return False
    return run.status == "done" or (run.status == "failed" and not means.retry_failed)


def _run(
    job: Job, means: Means, progress: Progress, stop: Callable[[], bool]
) -> tuple[Run, Mapping[str, Any] | None]:
    from reimpl.errors import ReimplError
    from reimpl.machine import CheckpointError
    from reimpl.training import Interrupted, Watch

    started, data, store, code = now(), job.data.load(), means.store, digest(dict(job.sources))
    folder = store.checkpoint_path(job.spec.key)
    if not (folder / "code").exists() or (folder / "code").read_text() != code:
        shutil.rmtree(folder)  # other code left its state there
        (store.checkpoint_path(job.spec.key) / "code").write_text(code)
    checkpoint = folder / "state.pt"

    def show(done: int, total: int, loss: float | None) -> None:
        with suppress(OSError):  # a closed terminal or a parent that is gone is no fault of the run
            progress(done, total, loss)

    members = store.members_path(job.spec, job.sources)
    watch = Watch(show, stop, checkpoint, means.checkpoint_every, members=members)
    try:
        try:
            result = train_job(job, data, means.threads, watch)
        except CheckpointError:  # it says nothing about the run
            checkpoint.unlink()
            note = "a checkpoint could not be read, so the run was begun again"
            result = train_job(job, data, means.threads, watch)
            result = replace(result, notes=(*result.notes, note))
    except Interrupted as err:
        raise Stopped(job.spec.key) from err
    except ChangedError:  # no outcome of this run
        raise
    except ReimplError as err:
        return failed(job, data, str(err), started), None
    except (Exception, SystemExit) as err:  # a fault of one run must not end the others; it is on record
        return failed(job, data, fault_of(err, job.spec), started), None
    if result.failed:
        return _record(job, data, started, result), None
    arrays = {"ids": result.top_ids, "scores": result.top_scores, **_of_documents(result, data)}
    return _record(job, data, started, result), arrays


def _of_documents(result: Result, data: Dataset) -> dict[str, Any]:
    """What each test document came to, since the truth is not kept; a run is worth as much without."""
    from reimpl.errors import DataError
    from reimpl.metrics import hit_pattern

    assert result.top_ids is not None
    with suppress(DataError):
        return hit_pattern(result.top_ids, (data.test.label_offsets, data.test.label_ids))
    return {}


def train_job(job: Job, data: Dataset, threads: int | None, watch: Watch) -> Result:
    """The job's training, by the model's own `train` where it has one. Raises `ChangedError`."""
    import torch

    from reimpl.batching import width_of_split
    from reimpl.models import find_config, find_model
    from reimpl.protocol import Protocol
    from reimpl.training import train

    if threads:
        torch.set_num_threads(threads)
    spec = job.spec
    check_unchanged(spec, job.sources)
    module = find_model(spec.model)
    config = find_config(module, None, spec.config)
    protocol = Protocol(**spec.protocol)
    how: dict[str, Any] = {"seed": spec.seed, "device": job.device, "precision": spec.precision}
    how["watch"] = watch
    if hasattr(module, "train"):
        own: Result = module.train(config, data, protocol, **how)
        return own
    length = width_of_split(data.train, protocol) or protocol.length

    def build(vectors: torch.Tensor) -> torch.nn.Module:
        network: torch.nn.Module = module.build(
            config,
            vectors=vectors,
            labels=data.n_labels,
            length=length,
            padding_id=data.padding_id,
            freeze_padding=not data.padding_trainable,
        )
        return network

    return train(build, data, protocol, loss_name=config.loss, **how)


def failed(job: Job, data: Dataset, reason: str, started: str | None = None) -> Run:
    """A failed run's record: it stays in the count."""
    return _record(job, data, started, None, reason)


def _record(
    job: Job, data: Dataset, started: str | None, result: Result | None, reason: str | None = None
) -> Run:
    import torch

    from reimpl.models import source_of_other

    # Of a model that is none of ours no commit of this project has the code.
    other = source_of_other(job.spec.model)
    status: Status = "failed" if result is None or result.failed else "done"
    made: dict[str, Any] = {"reason": reason}
    if result is not None:
        same = ("curve", "peak_memory_bytes", "parameters", "notes")
        made = {name: getattr(result, name) for name in same}
        made |= {"metrics": dict(result.metrics), "reason": reason or result.reason}
        made["seconds"] = round(result.seconds, 3)
        if result.prediction_seconds is not None:
            made["prediction_seconds"] = round(result.prediction_seconds, 3)
    return Run(
        key=job.spec.key,
        spec=job.spec,
        status=status,
        data=DataInfo(
            name=data.name,
            fingerprint=data.fingerprint,
            recipe=data.preprocessing,
            n_train=data.train.size,
            n_test=data.test.size,
            n_labels=data.n_labels,
            counts={name: float(count) for name, count in data.counts.items()},  # as they are read back
            notes=data.notes,
        ),
        host=platform.node() or None,
        device=device_name(job.device),
        threads=torch.get_num_threads() if job.device == "cpu" else None,
        versions={**versions(), **({f"model {job.spec.model}": other} if other is not None else {})},
        **_commit(),
        margins=dict(job.margins),
        sources=dict(job.sources),
        started=started,
        finished=now(),
        **made,
    )


def now() -> str:
    """ISO 8601, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def device_name(device: str) -> str:
    """The GPU or the processor, by the name that its maker gave it."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"cpu ({model})"


@cache
def versions() -> dict[str, str]:
    """Of what a run's numbers depend on."""
    import numpy
    import torch

    ours = {"numpy": numpy.__version__, "xmtc-audit": audit.__version__}
    return {"python": platform.python_version(), "torch": str(torch.__version__), **ours}


@cache
def _commit() -> dict[str, Any]:
    """Commit of the checkout that this package runs from, and whether it has changes."""
    folder = Path(audit.__file__).resolve().parent.parent
    if not (folder / ".git").exists():
        return {}
    told = []
    for words in (("rev-parse", "HEAD"), ("status", "--porcelain", "-uno")):
        with suppress(OSError, subprocess.SubprocessError):
            told.append(
                subprocess.check_output(
                    ["git", *words], cwd=folder, stderr=subprocess.DEVNULL, text=True, timeout=10
                ).strip()
            )
    return {"commit": told[0], "dirty": bool(told[1])} if len(told) == 2 else {}


@dataclass
class Outcome:
    """Records by key, and whether the suite was interrupted."""

    runs: dict[str, Run] = field(default_factory=dict)
    interrupted: bool = False


def execute(
    jobs: Sequence[Job],
    store: Store,
    screen: Screen,
    *,
    workers: int = 1,
    threads: int | None = None,
    retry_failed: bool = False,
    rerun_changed: bool = False,
    checkpoint_every: float = 60.0,
) -> Outcome:
    """Have every job's record: those in the store at once, the others by running them. Raises `StoreError`
    when records cannot be read or written."""
    means = Means(store, threads, retry_failed, rerun_changed, checkpoint_every)
    outcome, open_jobs = Outcome(), []
    for job in jobs:
        run = store.get(job.spec.key)
        if run and stands(run, job, means):
            outcome.runs[job.spec.key] = run
            screen.ended(job, run)
        else:
            open_jobs.append(job)
    if not open_jobs:
        return outcome
    with interrupts(screen.stopping) as stop:
        suite = _Runs(means, screen, outcome, stop)
        if workers <= 1 or len(open_jobs) == 1:
            suite.run_here(open_jobs, means)
        else:
            suite.run(min(workers, len(open_jobs)), open_jobs)
        # Runs that another command works on; those whose process died are taken over.
        for job in suite.elsewhere[:]:
            screen.waiting(job)
            while job.spec.key not in outcome.runs and not stop.is_set():
                suite.run_here([job], replace(means, wait=1.0))
        outcome.interrupted |= stop.is_set()
    return outcome


def _answer(
    means: Means, job: Job, progress: Callable[[int, int, float | None], None], stop: Callable[[], bool]
) -> Run | Literal["held", "stopped"]:
    try:
        return carry_out(job, means, progress=progress, stop=stop)
    except HeldElsewhere:
        return "held"
    except Stopped:
        return "stopped"


class _Runs(Workers):
    """The jobs of a suite; `elsewhere` are those that another command works on."""

    def __init__(self, means: Means, screen: Screen, outcome: Outcome, stop: threading.Event) -> None:
        super().__init__(partial(_answer, means), stop)
        self.means, self.screen, self.outcome = means, screen, outcome
        self.elsewhere: list[Job] = []
        self.deaths = Counter[str]()

    def run_here(self, jobs: Sequence[Job], means: Means) -> None:
        """Carries them out in this process, until it is stopped."""
        for job in jobs:
            if self.stop.is_set():
                return
            self.began(job)
            self.ended(job, _answer(means, job, partial(self.message, job), self.stop.is_set))

    def began(self, job: Job) -> None:
        self.screen.began(job)

    def message(self, job: Job, done: int, total: int, loss: float | None) -> None:
        self.screen.progress(job, done, total, loss)

    def ended(self, job: Job, answer: Run | Literal["held", "stopped"]) -> None:
        if isinstance(answer, Run):
            self.outcome.runs[job.spec.key] = answer
            self.screen.ended(job, answer)
        elif answer == "held":
            self.elsewhere.append(job)
        else:
            self.outcome.interrupted = True

    def died(self, job: Job, how: str, *, ready: bool) -> bool:
        self.deaths[job.spec.key] += ready
        if self.deaths[job.spec.key] < LIVES:
            return True
        reason = f"its process ended with {how}, {LIVES} times; the system ends processes short of memory so"
        means = self.means
        with means.store.claim(job.spec.key, wait=0) as claim:
            run = claim.record
            if not (run and run.status == "done" and stands(run, job, means)):  # else it died after its work
                run = failed(job, job.data.load(), reason)
                run = means.store.put(run, retry=means.retry_failed, anew=means.rerun_changed)
        self.ended(job, run)
        return False
