"""Sentences about the checks that our implementations passed before they may speak against a claim."""

from __future__ import annotations

HEAD = "Fidelity gate"
NOTE = (
    "What our implementation of a model had to pass before its runs may contradict anybody: stored results "
    "of the public code, numbers of parameters, and the same sums done in another way."
)
IMPORTED = (
    "Runs that were imported did not pass through these checks: their code was not checked here, and "
    "they contradict a claim only where they are stated to be of the paper’s own code."
)
PASSED = "passed"
NOT_PASSED = "not passed"
CHECKS_OF = "The checks of {model}"


def used_by(experiments: int, claims: int) -> str:
    """How much hangs on a model."""
    runs = "1 experiment" if experiments == 1 else f"{experiments:,} experiments"
    said = "1 claim" if claims == 1 else f"{claims:,} claims"
    return f"{runs} and {said} rest on it."


def no_check(model: str) -> str:
    return f"{model}: no check is on record, so that no claim is called contradicted on its runs."
