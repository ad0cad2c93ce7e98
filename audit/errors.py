"""Errors that end a command, one sentence each: what, where and what to do; and what exit codes say. A
message is spelled for the command line, and the Python interface spells its options anew (`in_python`)."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Self

from reimpl.errors import ReimplError, Spelling, spelled
from reimpl.errors import option as option


def on_the_command_line(name: str, value: str) -> str:
    """`--same-data WHY`; a switch has no value."""
    if (name, value) == ("raw", "False"):
        return "--tokenised"
    flag = f"--{name.replace('_', '-')}"
    return flag if value in ("", "True") else f"{flag} {value}"


def as_keyword(name: str, value: str) -> str:
    """`same_data=`, `unit="percent"`, `raw=True`, `models=DIR`."""
    return f'{name}="{value}"' if value.islower() and value.isalpha() else f"{name}={value}"


class AuditError(Exception):
    """Base of every error that is shown to the user as one sentence, without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return spelled(self.message, on_the_command_line)

    def in_python(self) -> Self:
        """The same with options as keywords."""
        return type(self)(spelled(self.message, as_keyword))


def lacking(err: BaseException) -> str:
    """What the system lacks for a command, as a sentence: memory, or room for a name. Else nothing."""
    number = err.errno if isinstance(err, OSError) else None
    if number == errno.ENAMETOOLONG:
        return "the name of a file or folder has more than 255 bytes; give a shorter one"
    short = isinstance(err, MemoryError) or number == errno.ENOMEM or "failed to map segment" in str(err)
    return "there is too little memory (`ulimit -v` shows a limit); give it more" if short else ""


class _ProblemsError(AuditError):
    def __init__(self, problems: Sequence[str], spelling: Spelling = on_the_command_line) -> None:
        super().__init__("\n".join(problems))
        self.problems = [spelled(problem, spelling) for problem in problems]

    def in_python(self) -> Self:
        return type(self)([spelled(problem, as_keyword) for problem in self.message.split("\n")])


class ClaimFileError(_ProblemsError):
    """A claim file with problems; `problems` holds all of them, one line each."""


class ImportFileError(_ProblemsError):
    """Files of others' results that cannot be taken as they are; `problems` holds one line each."""


class StoreError(AuditError):
    """A run record that cannot be read or written."""


class PlanError(AuditError):
    """An experiment that cannot be run as it is described."""


class SettingsError(PlanError):
    """It names what there is not, or settings that cannot be; checking its claim file tells the line."""


class Exit(IntEnum):
    """Exit codes of the command line."""

    OK = 0
    CONTRADICTED = 1  # Contradicted (`audit run`, `audit report`), or inconsistent (`audit check`).
    BAD_INPUT = 2
    RUNS_FAILED = 3  # At least one run failed: what its claims would say is not known.
    FAULT = 70  # A fault of this tool, with a traceback; it says nothing about any claim.
    INTERRUPTED = 130  # Stopped by the user; the same command goes on where it was.


#: Options of the readers -> the fields of `audit.settings`.
_FIELDS = {"text": "text_field", "labels": "labels_field", "data": "data_file"}


def in_data(name: str, value: str) -> str:
    """`audit data`, where the corpus is an argument."""
    if name == "column":
        return f"DIR@{value or 'N'}"
    return "" if name.startswith("_") else option(_FIELDS.get(name, name), value)


def in_run(name: str, value: str) -> str:
    """`audit run` and `audit tune`, where `--data` is the corpus and has the split column behind it."""
    return option("data", f"DIR@{value or 'N'}") if name == "column" else in_data(name, value)


@contextmanager
def corpus_questions(spelling: Spelling = in_data) -> Iterator[None]:
    """What the readers ask for, as `AuditError` with the options of the command."""
    try:
        yield
    except ReimplError as err:
        raise AuditError(spelled(err.message, spelling)) from err
