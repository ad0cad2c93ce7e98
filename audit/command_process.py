"""One run of a command: no shell, its output in two files, a time limit, and no process that outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.claim_text import is_visible
from audit.durations import span

#: Seconds between asking a process to end and ending it.
GRACE = 5.0
_TAIL_LINES, _TAIL_LENGTH, _TAIL_BYTES = 3, 300, 4096


@dataclass(frozen=True)
class Ended:
    seconds: float
    failure: str | None
    """Why it came to nothing, in one sentence; None where it ended with exit code 0."""


def run_command(words: Sequence[str], *, cwd: Path, stdout: Path, stderr: Path, time_limit: float) -> Ended:
    """Run it to its end. Whatever it started ends with it, also on an interrupt, which goes on to the caller.

    Raises `KeyboardInterrupt`, for SIGTERM too, and `OSError` where the two files cannot be written.
    """
    began = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        try:
            child = subprocess.Popen(
                list(words), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        except (OSError, ValueError) as problem:
            why = os.strerror(problem.errno) if isinstance(problem, OSError) and problem.errno else problem
            return Ended(0.0, f"{words[0]!r} could not be started in {cwd} ({why})")
        failure = None
        try:
            with _as_interrupt():
                code = child.wait(timeout=time_limit)
        except subprocess.TimeoutExpired:
            failure = f"it was ended at its time limit of {span(time_limit)}"
        finally:
            _end_group(child)
    if failure is None and code != 0:
        failure = f"it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"
    if failure is not None and (said := tail(stderr)):
        failure = f"{failure}: {said}"
    return Ended(time.monotonic() - began, failure)


def tail(path: Path) -> str:
    """The last lines of a log, on one line that can be shown."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = stream.read().decode("utf-8", "replace")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    said = " / ".join(lines[-_TAIL_LINES:])
    shown = "".join(it if is_visible(it) else "?" for it in said)
    return shown if len(shown) <= _TAIL_LENGTH else f"...{shown[-_TAIL_LENGTH:]}"


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """The process and all that it started: asked first, and ended after a while."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=GRACE)
        if not _group_lives(child.pid):
            return


def _group_lives(group: int) -> bool:
    """Waits a while for the last of them to go."""
    for _ in range(int(GRACE / 0.05)):
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return False
        time.sleep(0.05)
    return True


@contextmanager
def _as_interrupt() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does; else its processes would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
