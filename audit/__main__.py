"""The entry point of the script and of `python -m audit`: it can be interrupted before anything loads."""

from __future__ import annotations

import io
import os
import sys
import traceback
from typing import Any


def run() -> None:
    """Ctrl-C while the command itself is being loaded ends it as it does later on."""
    _open_streams()
    from audit.errors import Exit, lacking

    try:
        from audit.cli import main

        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print("audit: interrupted", file=sys.stderr)
        code = Exit.INTERRUPTED
    except BaseException as err:  # else Python would exit with 1, which says that a claim was contradicted
        code = Exit.BAD_INPUT if (said := lacking(err)) else Exit.FAULT
        print(f"audit: {said}", file=sys.stderr) if said else traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # else Python would exit with 120
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


class _Output(io.FileIO):
    """A stream whose reader may have had enough (`audit list | head`): the rest goes nowhere. Else libraries
    that write to it end the process with 1, which says that a claim was contradicted."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return memoryview(data).nbytes


def _open_streams() -> None:
    """Standard streams that take all that is written, also where a shell closed them (`audit list >&-`)."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is this one; else a file of ours would get it
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is not None and stream.isatty():
            stream.reconfigure(errors="replace")  # a terminal without a tick still shows the rest
            continue
        raw = io.BufferedWriter(_Output(number, "w", closefd=False))
        lines, encoding = number == 2, getattr(stream, "encoding", None) or "utf-8"
        setattr(sys, name, io.TextIOWrapper(raw, encoding, errors="replace", line_buffering=lines))


if __name__ == "__main__":
    run()
