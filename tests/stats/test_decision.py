"""From p-values to outcomes; steps as text."""

from __future__ import annotations

import pytest

from audit.stats.decision import Decision, Route, Test


def made(p_rep: float, *p_con: tuple[str, float], cap: str | None = None) -> Test:
    routes = tuple(Route(reason=reason, p=p) for reason, p in p_con)
    return Test(p_reproduced=p_rep, contradictions=routes, cap=cap)


@pytest.mark.parametrize(
    ("p_rep", "p_con", "outcome", "reason"),
    [
        (0.04, 1.0, "reproduced", "tost"),
        (0.0501, 1.0, "inconclusive", "undecided"),
        (1.0, 0.0501, "inconclusive", "undecided"),
    ],
)
def test_rejecting_neither_hypothesis_is_inconclusive(
    p_rep: float, p_con: float, outcome: str, reason: str
) -> None:
    decision = made(p_rep, ("effect", p_con)).decide()
    assert (decision.outcome, decision.reason) == (outcome, reason)


def test_adjusted_p_values_decide_and_the_loss_is_named() -> None:
    raw_only = made(1.0, ("effect", 0.03))
    assert raw_only.decide().outcome == "contradicted"
    assert raw_only.decide(p_reproduced=1.0, p_contradicted=0.15) == Decision("inconclusive", "multiplicity")
    assert made(0.03, ("effect", 1.0)).decide(p_reproduced=0.06, p_contradicted=1.0) == Decision(
        "inconclusive", "multiplicity"
    )


def test_the_smallest_route_is_the_p_and_the_first_significant_one_the_reason() -> None:
    both = made(1.0, ("reversed", 0.02), ("negligible", 0.01))
    assert both.p_contradicted == 0.01
    assert both.decide() == Decision("contradicted", "reversed")
