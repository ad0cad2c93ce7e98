"""What the tests of all kinds read from a `Test`."""

from __future__ import annotations

from audit.stats.decision import Band, Test


def band(test: Test) -> Band:
    """The margins at which it would turn; none where no margin would."""
    return test.band or Band()


def noted(test: Test, name: str) -> float:
    """The last number of that name among its steps."""
    return next(step.value for step in reversed(test.steps) if step.name == name)


def has(test: Test, name: str) -> bool:
    return any(step.name == name for step in test.steps)
