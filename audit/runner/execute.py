"""Many jobs -> their records: one after another here, or in worker processes.

The job of a worker that is killed goes to another one, from its last checkpoint.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from audit.record import Run
from audit.runner.carry_out import HeldElsewhere, Means, Stopped, carry_out, failed, stands
from audit.runner.plan import Job
from audit.runner.progress import Screen
from audit.runner.workers import LIVES, Workers, interrupts
from audit.storage.runs import Store


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
