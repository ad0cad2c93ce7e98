"""Progress: bars with the remaining time on a terminal; elsewhere a line for each run, and one a minute."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from audit.names import folded, span
from audit.record import Run

if TYPE_CHECKING:
    from audit.runner.plan import Job

#: Seconds below which nobody asks how long it takes.
_WORTH_TELLING = 30.0
#: Seconds after which runs at work are told of where there are no bars, if nothing else was said.
_SILENCE = 60.0
_STOPPING = "stopping: saving the state of active runs; Ctrl-C again ends at once"


class _Console(Console):
    def out(self, *objects: Any, **how: Any) -> None:
        """Print lines without colour, wrapped only on a terminal."""
        super().out(*map(folded, objects) if self.is_terminal else objects, **how)

    def on_broken_pipe(self) -> None:
        """The reader has gone; the runs continue in silence."""
        self.quiet = True


def new_console(*, quiet: bool = False) -> Console:
    return _Console(stderr=True, quiet=quiet)


def run_bars(console: Console) -> Progress:
    """Bars with a state and times, on a terminal only; each task has a field `state`."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


class Screen:
    def __init__(self, total: int, console: Console, *, workers: int = 1) -> None:
        self.console, self.total, self.finished, self.workers = console, total, 0, workers
        self.told_time = False
        self.started: dict[str, float] = {}
        self.spoke = time.monotonic()
        self.bars = run_bars(console)
        self.all = self.bars.add_task("all runs", total=float(total), state=f"0 of {total}")
        self.active: dict[str, TaskID] = {}
        self.shares: dict[str, float] = {}
        self.titles: dict[str, str] = {}

    def __enter__(self) -> Self:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()

    def began(self, job: Job) -> None:
        """A run begins or continues; may be called more than once."""
        key = job.spec.key
        self.started.setdefault(key, time.monotonic())
        self.titles[key] = job.title
        if key not in self.active:
            self.active[key] = self.bars.add_task(f"  {job.title}", total=1.0, state="starting")

    def progress(self, job: Job, done: int, total: int, loss: float | None) -> None:
        """`done` of `total` steps of one run."""
        share = self.shares[job.spec.key] = done / max(1, total)
        if job.spec.key in self.active:
            state = f"loss {loss:.4f}" if loss is not None else ""
            self.bars.update(self.active[job.spec.key], completed=share, state=state)
        self._show_all()
        now = time.monotonic()
        if not self.console.is_terminal and now - self.spoke >= _SILENCE:
            runs = [key for key in self.active if key in self.shares]
            texts = [f"{self.titles[key]}: {100 * self.shares[key]:.0f}% done" for key in runs]
            took = [span(now - self.started[key]) for key in runs]
            self.say("; ".join(f"{text}, {seconds}" for text, seconds in zip(texts, took, strict=True)))

    def about(self, job: Job, text: str) -> None:
        """A remark about one run."""
        self.say(f"{job.title}: {text}")

    def stopping(self) -> None:
        """The first interrupt came, maybe while a line was being written."""
        try:
            self.say(_STOPPING)
        except RuntimeError:  # the stream was about to write
            os.write(self.console.file.fileno(), f"\n{_STOPPING}\n".encode())

    def say(self, text: str) -> None:
        self.spoke = time.monotonic()
        self.console.out(text, highlight=False)

    def ended(self, job: Job, run: Run) -> None:
        """A record was made."""
        self.finished += 1
        task = self.active.pop(job.spec.key, None)
        self.shares.pop(job.spec.key, None)
        if task is not None:
            self.bars.remove_task(task)
            scores = [f"{it} {run.metrics[it]:.2f}" for it in ("P@1", "P@3", "P@5") if it in run.metrics]
            outcome = f"{'  '.join(scores)}  ({run.seconds:.0f} s)"
            if run.status == "failed":
                outcome = f"failed: {run.reason}"
            self.say(f"[{self.finished}/{self.total}] {job.title}: {outcome}")
            left = self.total - self.finished
            if run.status == "done" and left and not self.told_time:
                self.told_time = True  # once, behind the first run that was made here
                took = max(run.seconds, time.monotonic() - self.started[job.spec.key])
                others = took * (left - (self.workers - 1)) / self.workers  # others have been at work as long
                if others >= _WORTH_TELLING:
                    self.say(f"about {span(others)} for the other {left} runs at that pace")
        self._show_all()

    def _show_all(self) -> None:
        done = self.finished + sum(self.shares.values())
        self.bars.update(self.all, completed=done, state=f"{self.finished} of {self.total}")


@contextmanager
def bytes_bar(name: str, console: Console | None = None) -> Iterator[Callable[..., None]]:
    """Gives a block a callback that shows progress, on a terminal only; it takes the bytes done and in all
    (None if unknown), and what is being done to the file."""
    console = console or new_console()
    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
    task = bars.add_task(name, total=None)

    def show(done: int, total: int | None, what: str = "") -> None:
        bars.update(task, description=f"{name}: {what}" if what else name, completed=done, total=total)
        bars.start()

    try:
        yield show
    finally:
        bars.stop()
