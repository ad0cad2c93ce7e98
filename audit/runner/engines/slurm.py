"""An array of Slurm tasks, one a run, by submitit; a task whose time is over is queued again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import submitit
from submitit.core.utils import FailedJobError, UncompletedJobError

from audit.errors import AuditError, option
from audit.names import seconds_of
from audit.runner.channel import ENDING
from audit.runner.engines import Died, Listener, Resources, Work

_POLL = 2.0
#: Seconds for a step to come to its end and for a checkpoint, of the 90 that submitit leaves.
_GRACE = 60.0
#: Times that a task whose time is over is queued again. Preempted ones are not counted.
_TIMES = 100


class OnSlurm:
    """`cluster=local` starts all tasks at once as processes of this machine, to try it out. `logs`: the
    folder of submitit's files, which all machines see; one in the store where it is not given."""

    TAKES = ("partition", "account", "qos", "constraint", "time", "logs", "cluster")

    def __init__(self, at_once: int | None, resources: Resources) -> None:
        """Raises `AuditError` for a time that is none, or where no Slurm is."""
        self.at_once, self.resources, more = at_once, resources, resources.more
        self.seconds = seconds_of(more.get("time", "1h"), option=f"{option('resources')} time=")
        self.cluster = more.get("cluster", "slurm")
        if self.cluster not in ("slurm", "local"):
            raise AuditError(f"{option('resources')} cluster={self.cluster}: give slurm or local")
        if self.cluster == "slurm" and shutil.which("srun") is None:
            here, without = option("resources", "cluster=local"), option("submit", True)
            how = f"{here} tests it here, and {without} works without it"
            raise AuditError(f"{option('on', 'slurm')}: this machine has no Slurm (no command srun); {how}")

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        executor = self._executor(listener.stop.path.parent / "slurm", alone)
        jobs = dict(zip(executor.map_array(_Task(work), list(tasks)), tasks, strict=True))
        try:
            while jobs:
                time.sleep(_POLL)
                listener.tick()
                for job, task in list(jobs.items()):
                    if listener.stop() and job.state == "PENDING":
                        job.cancel()
                        answer: Any = "stopped"
                    elif not job.done():
                        continue
                    else:
                        answer = _answer(job)
                    del jobs[job]
                    listener.ended(task, answer)
        finally:  # none goes on that nobody waits for
            for job in jobs:
                job.cancel(check=False)

    def _executor(self, logs: Path, alone: bool) -> Any:
        asked, more = self.resources, self.resources.more
        given = {
            "timeout_min": max(1, round(self.seconds / 60)),
            "slurm_array_parallelism": 1 if alone else self.at_once,
            "cpus_per_task": asked.cpus,
            "gpus_per_node": asked.gpus and max(1, round(asked.gpus)),
            "mem_gb": asked.memory and asked.memory / 2**30 * (2 if alone else 1),
            **{f"slurm_{name}": more.get(name) for name in ("partition", "account", "qos", "constraint")},
        }
        try:
            folder = more.get("logs", logs)
            executor = submitit.AutoExecutor(folder, cluster=self.cluster, slurm_max_num_timeout=_TIMES)
            executor.update_parameters(**{name: value for name, value in given.items() if value is not None})
        except (TypeError, ValueError, RuntimeError) as err:
            raise AuditError(f"{option('on', 'slurm')}: {err}") from err
        return executor


@dataclass
class _Task:
    """What submitit pickles. The work is done in a thread of its own: when the time is over, submitit raises
    `SystemExit` in the first thread, wherever that is just then."""

    work: Work
    at_work: Future[Any] | None = field(default=None, init=False)

    def __call__(self, task: Any) -> Any:
        with ThreadPoolExecutor(1) as thread:
            self.at_work = thread.submit(self.work, task)
            return self.at_work.result()

    def checkpoint(self, task: Any) -> Any:
        """Called shortly before the time is over; the next process goes on where this one stops."""
        ENDING.set()
        if self.at_work is not None:
            wait([self.at_work], timeout=_GRACE)
        return submitit.helpers.DelayedSubmission(_Task(self.work), task)


def _answer(job: Any) -> Any:
    try:
        return job.result()
    except FailedJobError as err:
        return AuditError(f"{option('on', 'slurm')}: {str(err).strip().splitlines()[-1]}")
    except UncompletedJobError:
        return Died(f"its Slurm task {job.job_id} ended without an answer ({job.state})")
