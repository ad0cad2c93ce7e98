"""An array of Slurm tasks, one a run, by submitit; a task whose time is over is queued again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import submitit
from submitit.core.utils import FailedJobError, UncompletedJobError

from audit.errors import AuditError, option
from audit.names import seconds_of
from audit.runner.channel import ENDING
from audit.runner.engines import Died, Listener, Resources, Work

_POLL = 2.0


class OnSlurm:
    """`cluster=local` starts the tasks as processes of this machine, to try it out."""

    TAKES = ("partition", "account", "qos", "constraint", "time", "logs", "cluster")

    def __init__(self, at_once: int | None, resources: Resources) -> None:
        self.at_once, self.resources = at_once, resources

    def run(self, tasks: Sequence[Any], work: Work, listener: Listener, *, alone: bool = False) -> None:
        jobs = dict(zip(self._executor(alone).map_array(_Task(work), list(tasks)), tasks, strict=True))
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

    def _executor(self, alone: bool) -> Any:
        asked, more = self.resources, self.resources.more
        seconds = seconds_of(more.get("time", "1h"), option=option("resources", "time"))
        given = {
            "timeout_min": max(1, round(seconds / 60)),
            "slurm_array_parallelism": 1 if alone else self.at_once,
            "cpus_per_task": asked.cpus,
            "gpus_per_node": asked.gpus and max(1, round(asked.gpus)),
            "mem_gb": asked.memory and asked.memory / 2**30 * (2 if alone else 1),
            **{f"slurm_{name}": more.get(name) for name in ("partition", "account", "qos", "constraint")},
        }
        try:
            logs = more.get("logs", "audit-slurm")
            executor = submitit.AutoExecutor(logs, cluster=more.get("cluster", "slurm"))
            executor.update_parameters(**{name: value for name, value in given.items() if value is not None})
        except (TypeError, ValueError, RuntimeError) as err:
            raise AuditError(f"{option('on', 'slurm')}: {err}") from err
        return executor


@dataclass
class _Task:
    """What submitit pickles."""

    work: Work

    def __call__(self, task: Any) -> Any:
        return self.work(task)

    def checkpoint(self, task: Any) -> Any:
        """Called shortly before the time is over: what was last kept is where the next one goes on."""
        ENDING.set()
        return submitit.helpers.DelayedSubmission(self, task)


def _answer(job: Any) -> Any:
    try:
        return job.result()
    except FailedJobError as err:
        return AuditError(f"{option('on', 'slurm')}: {str(err).strip().splitlines()[-1]}")
    except UncompletedJobError:
        return Died(f"its Slurm task {job.job_id} ended without an answer ({job.state})")


ENGINE = OnSlurm
