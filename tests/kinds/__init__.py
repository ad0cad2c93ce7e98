"""Tests of claims as functions of numbers, and what the tests of all kinds read from a `Test`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from audit.judging.evidence import Arm
from audit.kinds import KINDS, Case
from audit.record import Margin, Scope
from audit.stats.decision import ALPHA, Band, Test
from tests.judging.made import claim, runs

Runs = Sequence[float]


def tested(
    kind: str,
    *arms: Runs | Mapping[str, Runs],
    margin: float | None = None,
    printed_gap: float | None = None,
    alpha: float = ALPHA,
    kappa: float = 1.0,
    scope: Scope = "same_data",
    **more: Any,
) -> Test:
    """The test of a kind, of arms without records; in a mapping the arms have names."""
    named = arms[0] if isinstance(arms[0], Mapping) else {str(k): runs for k, runs in enumerate(arms)}
    if printed_gap is not None:
        more["printed"] = (f"{100 + printed_gap:.9f}", "100")
    fixed = None if margin is None else Margin(margin, "field", "usual")
    of = claim(kind, *named, **{"margin": fixed, **more})
    made = [
        Arm(name, runs=tuple(runs(x)), values=x if isinstance(x, tuple) else tuple(x))
        for name, x in named.items()
    ]
    return KINDS[kind].judge(Case(of, tuple(made), scope, lambda name, _: Arm(name), {}, alpha, kappa))


order, equivalence, significant = (partial(tested, kind) for kind in ("order", "equivalent", "significant"))
gap_size, ranking, trend = (partial(tested, kind) for kind in ("gap", "ranking", "trend"))
cost = partial(tested, "cost", details={"quantity": "memory"})


def optimum(levels: Mapping[str, Runs], *, best: str, margin: float | None = None, **more: Any) -> Test:
    details = {"strength": "unique" if margin is None else "among_best"}
    return tested("optimum", {best: levels[best], **levels}, margin=margin, details=details, **more)


def band(test: Test) -> Band:
    """The margins at which it would turn; none where no margin would."""
    return test.band or Band()


def noted(test: Test, name: str) -> float:
    """The last number of that name among its steps."""
    return next(step.value for step in reversed(test.steps) if step.name == name)
