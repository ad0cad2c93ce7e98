"""Fidelity gate: does a re-implementation compute what the public code and the papers say it should?

No verdict may contradict a paper unless the model behind it passed this gate. The checks of `reimpl/foo.py`
are the numbers of the public code in `reimpl/reference/stored/foo/` (`reimpl.reference.comparer`), or those
of `checks()` in the module of the model, which yields pairs of name and test. A test returns one sentence
about what it compared and raises `MismatchError`, or anything else, where the model departs from it. Second
implementations, in numpy and by hand, are tests: `tests/fidelity/`.

A model without checks does not pass: nothing known is not nothing wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reimpl.reference.numbers import (
    Array,
    MismatchError,
    Test,
    arrays,
    close,
    close_after_step,
    has_stored,
    manifest,
)

__all__ = ["Array", "Check", "MismatchError", "Test", "arrays", "check", "close", "close_after_step"]
__all__ += ["manifest"]


@dataclass(frozen=True)
class Check:
    """What one check of one model came to."""

    model: str
    name: str
    passed: bool
    detail: str  # One sentence: what was compared and how close it came, or where it departs


def check(model: str) -> tuple[Check, ...]:
    """All fidelity checks of `reimpl/<model>.py`, never empty; the model is faithful if all passed.

    Never raises for a faulty model. Takes about a second (one more where no optimiser was made before) and
    leaves torch's random state and number of threads as they were.
    """
    tests = _collect(model)
    if isinstance(tests, str):
        return (Check(model, "fidelity checks", False, tests),)
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the arrays are small: more threads only wait for each other
    try:
        # devices=[]: the checks run on the CPU; forking the state of a GPU would only wake it up.
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            return tuple(_run(model, name, test) for name, test in tests)
    finally:
        torch.set_num_threads(threads)


def _collect(model: str) -> tuple[tuple[str, Test], ...] | str:
    from reimpl.models import find_model, known_models

    try:
        if has_stored(model):
            from reimpl.reference import comparer

            tests = tuple(comparer.checks(model))
        else:
            module: Any = find_model(model) if model in known_models() else None
            if not hasattr(module, "checks"):
                return f"no fidelity checks: there are no numbers of {model!r} in reimpl.reference"
            tests = tuple(module.checks())
    except (Exception, SystemExit) as err:
        return f"the fidelity checks of {model!r} cannot be read: {_sentence(err)}"
    return tests or f"no fidelity checks: {model!r} yields none"


def _run(model: str, name: str, test: Test) -> Check:
    try:
        return Check(model, name, True, test())
    except MismatchError as err:
        return Check(model, name, False, str(err))
    except (Exception, SystemExit) as err:
        # Wrong shapes end here, as when weights do not fit; one broken check must not hide the others.
        return Check(model, name, False, f"stopped by {_sentence(err)}")


def _sentence(err: BaseException) -> str:
    return f"{type(err).__name__}: " + " ".join(str(err).split())
