"""What goes wrong with an expression: it cannot be read, or it has no value."""

from __future__ import annotations

from audit.errors import AuditError


class ExpressionError(AuditError):
    """A text that is no expression, in one sentence: where, what, and what to do."""

    def __init__(self, at: int, what: str, advice: str) -> None:
        self.at = at
        """Index into the text; the message counts characters from 1."""
        self.what = what
        self.advice = advice
        super().__init__(f"character {at + 1}: {what}; {advice}")


class UndefinedError(Exception):
    """No value can be told, and why: a division by what may be 0, an empty set, a cell that prints a dash.

    Makes a sentence untestable; a `Lookup` may raise it too.
    """
