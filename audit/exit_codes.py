"""What the exit code of a command says."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    OK = 0
    """Nothing was contradicted."""
    CONTRADICTED = 1
    """At least one claim was contradicted, or at least one printed number is inconsistent."""
    BAD_INPUT = 2
    """A file, a folder or an option could not be used."""
    RUNS_FAILED = 3
    """At least one run failed: what its claims would say is not known."""
    FAULT = 70
    """A fault of this tool, with a traceback; it says nothing about any claim."""
    INTERRUPTED = 130
    """Stopped by the user; the same command goes on where it was."""
