"""Errors that end a command: one sentence each, saying what, where and what to do."""

from __future__ import annotations


class AuditError(Exception):
    """Base of every error that is shown to the user as one sentence, without a traceback."""


class ClaimFileError(AuditError):
    """A claim file with problems; `problems` holds all of them, one line each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class ImportFileError(AuditError):
    """Files of others' results that cannot be taken as they are; `problems` holds one line each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class StoreError(AuditError):
    """A run record that cannot be read or written."""


class PlanError(AuditError):
    """An experiment that cannot be run as it is described."""


class SettingsError(PlanError):
    """It names what there is not, or settings that cannot be; checking its claim file tells the line."""
