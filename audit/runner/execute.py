"""Makes run records from jobs: one in this process, or all through an engine. Only a run imports torch."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import audit
from audit.errors import AuditError, StoreError
from audit.record import DataInfo, Run, Status, digest
from audit.runner.channel import Stop, Telling, interrupts, pulses
from audit.runner.engines import Died, Engine
from audit.runner.models import ChangedError, check_unchanged, fault_of
from audit.runner.plan import Job
from audit.runner.progress import Screen
from audit.storage.runs import SettledError, Store
from reimpl.errors import DataError, ReimplError

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.training import Result, Watch

#: Steps done, steps in all, mean loss of the epoch so far.
Progress = Callable[[int, int, float | None], None]

#: A file system that is not there just now, or full.
_TRANSIENT = {errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN}


class NotMade(Exception):  # noqa: N818 - no error
    """Why there is no record, in a word. stopped: the run can continue from its checkpoint. held: another
    process makes it. short: it lacked memory, and is to be tried with nothing else on its device."""


@dataclass(frozen=True)
class Means:
    """What a process needs besides the job."""

    store: Store
    threads: int | None = None
    retry_failed: bool = False
    rerun_changed: bool = False  # Whether runs by other code than today's are made anew.
    checkpoint_every: float = 60.0
    shared: bool = False  # Whether other runs may take the memory, so that a lack of it is not on record yet.


def carry_out(job: Job, means: Means, *, progress: Progress, stop: Callable[[], bool]) -> Run:
    """The run's record: read if it exists, else made and stored; a failure is recorded as well. Raises
    `NotMade`, `SettledError` if another process was faster, `StoreError`, and `ChangedError` if the code was
    edited meanwhile."""
    key = job.spec.key
    with means.store.claim(key, wait=0) as claim:
        if claim.record and stands(claim.record, job, means):
            return claim.record
        if not claim.held:
            raise NotMade("held")
        with Telling(running_in(means.store), key, job.title) as telling:

            def show(done: int, total: int, loss: float | None) -> None:
                telling.progress(done, total, loss)
                with suppress(OSError):  # a closed terminal is no fault of the run
                    progress(done, total, loss)

            run, arrays = _run(job, means, show, stop)
        return means.store.put(run, predictions=arrays, retry=means.retry_failed, anew=means.rerun_changed)


def stands(run: Run, job: Job, means: Means) -> bool:
    """Whether the stored record needs no further run."""
    if means.rerun_changed and run.sources != job.sources:
        return False
    return run.status == "done" or (run.status == "failed" and not means.retry_failed)


def _run(
    job: Job, means: Means, progress: Progress, stop: Callable[[], bool]
) -> tuple[Run, Mapping[str, Any] | None]:
    from reimpl.machine import is_out_of_memory
    from reimpl.metrics import hit_pattern
    from reimpl.training import Interrupted, Watch, begin_again

    started, data, store, code = now(), job.data.load(), means.store, digest(dict(job.sources))
    folder = store.checkpoint_path(job.spec.key)
    if not (folder / "code").exists() or (folder / "code").read_text() != code:
        shutil.rmtree(folder)  # other code left its state there
        (store.checkpoint_path(job.spec.key) / "code").write_text(code)
    checkpoint = folder / "state.pt"

    # where ensembles keep models that others of the same data and code may use
    same = {name: getattr(job.spec, name) for name in ("model", "data", "revision")}
    members = store.root / "members" / digest({**same, "sources": dict(job.sources)})
    watch = Watch(progress, stop, checkpoint, means.checkpoint_every, members=members)
    try:
        note = "its checkpoint could not be read, so the run started again"
        result = begin_again(partial(train_job, job, data, means.threads, watch), checkpoint, note)
    except Interrupted as err:
        raise NotMade("stopped") from err
    except ChangedError:  # no outcome of this run
        raise
    except (Exception, SystemExit) as err:  # a fault of one run must not end the others; it is on record
        if isinstance(err, SystemExit) and stop():  # the engine ends this process
            raise NotMade("stopped") from err
        if means.shared and is_out_of_memory(err):
            raise NotMade("short") from err
        if isinstance(err, OSError) and err.errno in _TRANSIENT:  # it says nothing about the run
            why = f"{job.title}: {os.strerror(err.errno)}; the same command continues from its checkpoint"
            raise StoreError(f"{folder}: {why}") from err
        reason = str(err) if isinstance(err, ReimplError) else fault_of(err, job.spec)
        return _record(job, data, started, None, reason), None
    if result.failed:
        if means.shared and result.out_of_memory:
            raise NotMade("short")
        return _record(job, data, started, result), None
    assert result.top_ids is not None
    arrays: dict[str, Any] = {"ids": result.top_ids, "scores": result.top_scores}
    with suppress(DataError):  # the truth is not kept; a run is worth as much without
        arrays |= hit_pattern(result.top_ids, (data.test.label_offsets, data.test.label_ids))
    return _record(job, data, started, result), arrays


def train_job(job: Job, data: Dataset, threads: int | None, watch: Watch) -> Result:
    """Train the job, by the model's own `train` if it has one. Raises `ChangedError`."""
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


def _record(
    job: Job, data: Dataset, started: str | None, result: Result | None, reason: str | None = None
) -> Run:
    import torch

    from reimpl.machine import peak_memory
    from reimpl.models import source_of_other

    # Of a model that is none of ours no commit of this project has the code.
    other = source_of_other(job.spec.model)
    status: Status = "failed" if result is None or result.failed else "done"
    made: dict[str, Any] = {"reason": reason, "peak_memory_bytes": peak_memory(torch.device(job.device))}
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
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def device_name(device: str) -> str:
    if device.startswith("cuda"):
        import torch

        # of a run whose process died on another machine no more is known
        return torch.cuda.get_device_name(device) if torch.cuda.is_available() else device
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"cpu ({model})"


@cache
def versions() -> dict[str, str]:
    """Versions of the packages on which a run's numbers depend."""
    import numpy
    import torch

    ours = {"numpy": numpy.__version__, "xmtc-audit": audit.__version__}
    return {"python": platform.python_version(), "torch": str(torch.__version__), **ours}


@cache
def _commit() -> dict[str, Any]:
    folder = Path(audit.__file__).resolve().parent.parent
    if not (folder / ".git").exists():
        return {}
    how: dict[str, Any] = {"cwd": folder, "stderr": subprocess.DEVNULL, "text": True, "timeout": 10}
    with suppress(OSError, subprocess.SubprocessError):
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], **how)
        changes = subprocess.check_output(["git", "status", "--porcelain", "-uno"], **how)
        return {"commit": commit.strip(), "dirty": bool(changes.strip())}
    return {}


def device_here(device: str, seat: int) -> str:
    """The device of this process; worker `seat` takes the GPUs in turn. Raises `AuditError`."""
    if device == "cpu":
        return device
    import torch

    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not there:
        none = f"torch {torch.__version__} finds no CUDA device for a run that asks for one"
        raise AuditError(f"{platform.node()}: {none}; run it where there is one, or plan it for the CPU")
    return f"cuda:{seat % there}" if device == "cuda" else device


@dataclass
class Outcome:
    """Records by key, and whether the suite was interrupted."""

    runs: dict[str, Run] = field(default_factory=dict)
    interrupted: bool = False


def execute(
    jobs: Sequence[Job], means: Means, screen: Screen, engine: Engine, *, wait: bool = True
) -> Outcome:
    """Get every job's record: from the store at once, the others through the engine. `wait`: also wait for
    runs that other commands are making, and take them over if their process dies. Raises `StoreError` if
    records cannot be read or written, and the errors of unreadable data."""
    outcome, open_jobs, store = Outcome(), [], means.store
    for job in jobs:
        run = store.get(job.spec.key)
        if run and stands(run, job, means):
            outcome.runs[job.spec.key] = run
            screen.ended(job, run)
        else:
            open_jobs.append(job)
    if not open_jobs:
        return outcome
    if said := store.locks.check():
        screen.say(said)
    with interrupts(running_in(store), screen.stopping) as stop:
        runs = _Runs(open_jobs, screen, outcome, stop, store)
        shared = engine.at_once is None or engine.at_once > 1
        engine.run(open_jobs, partial(_answer, replace(means, shared=shared), stop), runs)
        if runs.short and not stop():
            short, runs.short, runs.last = runs.short, [], means
            for job in short:
                screen.about(job, "ended for lack of memory or by a signal; it is tried again, alone")
            engine.run(short, partial(_answer, means, stop), runs, alone=True)
        runs.last = means  # a process that dies under one of these goes on record, and is not tried for ever
        for job in runs.elsewhere[:] if wait else ():
            screen.about(job, "another process is running it; waiting")
            while job.spec.key not in outcome.runs and not stop():
                with store.claim(job.spec.key, wait=1.0) as claim:
                    free = claim.held
                if free:  # it was made meanwhile, or whoever was at work on it is gone
                    engine.run([job], partial(_answer, means, stop), runs)
        outcome.interrupted |= stop()
    return outcome


def running_in(store: Store) -> Path:
    """The folder in which running tasks report progress."""
    return store.root / "running"


def _answer(
    means: Means, stop: Stop, job: Job, *, seat: int = 0, tell: Progress | None = None
) -> Run | str | tuple[str, Run] | Exception:
    """The outcome of the job, in whatever process; errors that end the command are returned as well."""
    try:
        job = replace(job, device=device_here(job.device, seat))
        return carry_out(job, means, progress=tell or (lambda done, total, loss: None), stop=stop)
    except NotMade as err:
        return str(err)
    except SettledError as err:
        return "faster", err.record
    except (AuditError, ReimplError) as err:
        return err


class _Runs:
    """Passes the engine's reports on to the screen and into the outcome."""

    def __init__(
        self, jobs: Sequence[Job], screen: Screen, outcome: Outcome, stop: Stop, store: Store
    ) -> None:
        self.jobs = {job.spec.key: job for job in jobs}
        self.screen, self.outcome, self.stop, self.store = screen, outcome, stop, store
        self.elsewhere: list[Job] = []  # Those that another command works on.
        self.short: list[Job] = []  # Those that lacked memory, or whose process died.
        self.last: Means | None = None  # Once the runs are alone, and a lack of memory goes on record.
        self.began, self.progress = screen.began, screen.progress

    def tick(self) -> None:
        for key, pulse in pulses(running_in(self.store)).items():
            if key in self.jobs and key not in self.outcome.runs:
                self.screen.began(self.jobs[key])
                if pulse.total:
                    self.screen.progress(self.jobs[key], pulse.done, pulse.total, pulse.loss)

    def ended(self, job: Job, answer: Any) -> None:
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Died) and self.last is not None:
            answer = self._failed(job, answer, self.last)
        if isinstance(answer, tuple):
            self.screen.about(job, "another process finished it first; its record counts")
            _, answer = answer
        if isinstance(answer, Run):
            self.outcome.runs[job.spec.key] = answer
            self.screen.ended(job, answer)
        elif answer == "held":
            self.elsewhere.append(job)
        elif answer == "stopped":
            self.outcome.interrupted = True
        else:
            self.short.append(job)

    def _failed(self, job: Job, died: Died, means: Means) -> Run:
        """The record of a run whose process died with no other run beside it: it stays in the count."""
        reason = f"{died.how}, beside other runs and alone; the system does this when memory is short"
        with means.store.claim(job.spec.key, wait=0) as claim:
            run = claim.record
            if not (run and run.status == "done" and stands(run, job, means)):  # else it died after its work
                run = replace(_record(job, job.data.load(), None, None, reason), peak_memory_bytes=None)
                try:
                    run = means.store.put(run, retry=means.retry_failed, anew=means.rerun_changed)
                except SettledError as err:
                    return err.record
        return run
