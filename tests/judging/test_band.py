"""The band of margins that a verdict prints is the one in which it would stand, claims judged anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from audit.judging.verdicts import compare
from audit.record import ClaimRecord, ExperimentRecord, Verdict
from tests.judging.made import OK, arms, claim, margin

#: Of the size of a margin: beside an edge.
STEP = 1e-6


def family(*, alpha: float, rng_seed: int = 5) -> tuple[list[ClaimRecord], dict[str, ExperimentRecord]]:
    """Thirty claims on ten systems that lie 0.4 points apart, so that some are decided by a hair."""
    rng = np.random.default_rng(rng_seed)
    systems = {f"s{i}": (70.0 + 0.4 * i + 0.3 * rng.standard_normal(6)).tolist() for i in range(10)}
    claims: list[ClaimRecord] = []
    for i in range(9):
        pair, size = (f"s{i + 1}", f"s{i}"), float(rng.uniform(0.2, 1.4))
        given = {"printed": ("71.50", "70.10"), "margin": margin(size), "primary": i % 3 == 0}
        claims += [
            claim("equivalent", *pair, id=f"alike{i}", **given),
            claim("equivalent", *pair, id=f"kept{i}", **given, details={"no_loss": True}),
            claim("significant", *pair, id=f"more{i}", **{**given, "margin": margin(size / 4.0)}),
            claim("gap", *pair, id=f"gap{i}", **{**given, "printed": (f"{70.1 + size:.2f}", "70.10")}),
            claim("value", f"s{i}", id=f"value{i}", printed=(f"{70.2 + 0.4 * i:.2f}",), margin=margin(size)),
        ]
    return claims, arms(**systems)


def judged(
    claims: Sequence[ClaimRecord], experiments: Mapping[str, ExperimentRecord], alpha: float
) -> dict[str, Verdict]:
    return {it.claim: it for it in compare(claims, experiments, fidelity=OK, alpha=alpha)}


def at(claims: Sequence[ClaimRecord], name: str, size: float) -> list[ClaimRecord]:
    return [replace(it, margin=margin(size)) if it.id == name else it for it in claims]


def ends(verdict: Verdict) -> tuple[float | None, ...]:
    return (
        verdict.margin_reproduced_from,
        verdict.margin_reproduced_up_to,
        verdict.margin_contradicted_from,
        verdict.margin_contradicted_up_to,
    )


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_just_beyond_each_printed_edge_the_verdict_is_another(alpha: float) -> None:
    """All edges of all kinds, the claim taken alone, at the level of the look."""
    claims, experiments = family(alpha=alpha)
    seen: dict[str, int] = {}
    for one in claims:
        start, up_to, low, high = ends(judged([one], experiments, alpha)[one.id])
        for word, first, last in (("reproduced", start, up_to), ("contradicted", low, high)):
            edges = [(first, 1.0)] if first else []
            edges += [(last, -1.0)] if last else []
            for edge, inwards in edges:
                found = [
                    judged(at([one], one.id, size), experiments, alpha)[one.id].outcome
                    for size in (edge + inwards * STEP, edge - inwards * STEP)
                ]
                assert found[0] == word != found[1], (one.id, edge)
                seen[f"{one.kind} {word}"] = seen.get(f"{one.kind} {word}", 0) + 1
    for kind in ("equivalent", "gap", "value", "significant"):
        assert seen.get(f"{kind} reproduced", 0) > 4, seen
    assert seen.get("equivalent contradicted", 0) > 1, seen


def test_a_reversed_order_is_contradicted_at_any_margin() -> None:
    """Of `significant`: p_reversed does not know the margin; else a small one reproduces."""
    one = claim("significant", "a", "b", printed=("70.00", "69.00"), margin=margin(0.3))
    reverse = judged([one], arms(a=[69.0, 69.1, 69.2], b=[72.0, 72.1, 72.2]), 0.05)[one.id]
    assert ends(reverse) == (None, 0.0, 0.0, None)
    holds = judged([one], arms(a=[72.0, 72.1, 72.2], b=[69.0, 69.1, 69.2]), 0.05)[one.id]
    assert holds.outcome == "reproduced"
    # d = 3, se = 0.1 sqrt(2 / 3), df = 4, t(0.95; 4) = 2.1318
    assert holds.margin_reproduced_up_to == pytest.approx(3.0 - 2.1318468 * 0.1 * (2 / 3) ** 0.5)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.00625])
def test_intervals_have_the_coverage_of_the_level(alpha: float) -> None:
    """The one beside p_reproduced 1 - 2 alpha, the one beside p_contradicted and the prediction 1 - alpha."""
    claims, experiments = family(alpha=alpha)
    claims.append(claim("order", "s1", "s0", id="order"))
    found = judged(claims, experiments, alpha)
    for one in claims:
        verdict = found[one.id]
        assert verdict.estimate is not None and verdict.se is not None and verdict.df is not None
        inner, outer = (stats.t.ppf(1.0 - it, verdict.df) * verdict.se for it in (alpha, alpha / 2.0))
        assert verdict.ci90 == pytest.approx((verdict.estimate - inner, verdict.estimate + inner))
        assert verdict.ci95 == pytest.approx((verdict.estimate - outer, verdict.estimate + outer))
        assert verdict.level == alpha
        if one.kind == "value":
            assert verdict.pi95 is not None and verdict.df is not None
            (scatter,) = verdict.scatter
            luck = stats.t.ppf(1.0 - alpha / 2.0, 5 + scatter.prior_df) * (
                scatter.moderated or scatter.sd or 0.0
            )
            luck *= (1.0 / 6.0 + 4.0) ** 0.5
            assert verdict.pi95 == pytest.approx((verdict.estimate - luck, verdict.estimate + luck))
