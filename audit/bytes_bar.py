"""A bar for work on a file: bytes done, of how many, and the time left. Nothing where nobody looks on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


class Show(Protocol):
    """Bytes done and bytes in all, None for unknown, and what is being done to the file."""

    def __call__(self, done: int, total: int | None, what: str = "") -> None: ...


@contextmanager
def bytes_bar(name: str, console: Console | None = None, *, speed: bool = False) -> Iterator[Show]:
    """What shows progress for a block, with bytes a second if `speed`; the bar goes with the block.

    It appears with the first call, on a terminal only.
    """
    from audit.progress import new_console

    console = console or new_console()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        *([TransferSpeedColumn()] if speed else []),
        TimeRemainingColumn(),
    )
    bars = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
    task = bars.add_task(name, total=None)

    def show(done: int, total: int | None, what: str = "") -> None:
        bars.update(task, description=f"{name}: {what}" if what else name, completed=done, total=total)
        bars.start()

    try:
        yield show
    finally:
        bars.stop()
