"""A bar for work on a file: bytes done, of how many, and the time left. Nothing where nobody looks on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def bytes_bar(name: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """A function that takes bytes done and bytes in all, for a block; the bar goes with the block.

    It appears with the first call, on a terminal only.
    """
    console = console or Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    bars = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
    task = bars.add_task(name, total=None)

    def progress(done: int, total: int) -> None:
        bars.start()
        bars.update(task, completed=done, total=total)

    try:
        yield progress
    finally:
        bars.stop()
