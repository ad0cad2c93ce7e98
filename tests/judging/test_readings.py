"""A claim under several readings: decided only where all agree, at an error that is that of one reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from audit.claims.experiments import experiment_id
from audit.judging.verdicts import compare, family_of
from audit.record import Audit, ClaimRecord, ExperimentRecord, OpenChoice, PaperInfo, Specifications, Verdict
from tests.judging.made import HIGH, LOW, OK, arms, claim, said

DIVISOR = OpenChoice("divisor", "not stated", ("words", "slots"))
RATE = OpenChoice("rate", "not stated", ("usual", "slow", "fast"))
ONE = Specifications("one_at_a_time", (DIVISOR, RATE), {"a": ("divisor", "rate")})
GRID: list[dict[str, str]] = [{}, {"divisor": "slots"}, {"rate": "slow"}, {"rate": "fast"}]

Values = Sequence[float | None]


def read(values: Sequence[Values], name: str = "a", scope: str = "same_data") -> dict[str, ExperimentRecord]:
    """Runs of an experiment under each reading of `GRID`, as far as `values` go."""
    held = {experiment_id(name, it, it): v for it, v in zip(GRID, values, strict=False)}
    return arms(scope, **held)  # type: ignore[arg-type]


def of_value(values: Sequence[Values], grid: Specifications | None = ONE, **more: object) -> Verdict:
    """A claim that `a` scores 76.38, within 0.5."""
    given = {"fidelity": OK, "specifications": grid, **more}
    (verdict,) = compare([claim("value", "a")], read(values), **given)  # type: ignore[arg-type]
    return verdict


#: Within 0.5 of 76.38 whatever the test; far below; and so scattered that nothing is to be said.
ON, OFF, WIDE = [76.3, 76.4, 76.35, 76.42], [70.0, 70.1, 70.2, 70.1], [70.0, 76.0, 82.0, 77.0]


def test_where_all_readings_agree_the_claim_has_their_verdict() -> None:
    verdict = of_value([ON] * 4)
    assert said(verdict) == ("reproduced", "tost")
    assert verdict.badges == ("all 4 readings reproduced",)
    assert [it.reading for it in verdict.readings] == GRID
    assert {it.outcome for it in verdict.readings} == {"reproduced"}


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([ON, ON, ON, OFF], "3 reproduced, 1 contradicted"),
        ([ON, WIDE, ON, ON], "3 reproduced, 1 inconclusive"),
        ([ON, ON, [76.3], ON], "3 reproduced, 1 inconclusive"),
    ],
)
def test_one_reading_that_differs_leaves_the_claim_open(values: list[Values], counts: str) -> None:
    """Whichever it is, and whether it says otherwise or nothing: too few seeds and failed runs count."""
    verdict = of_value(values)
    assert said(verdict) == ("inconclusive", "ambiguous_description")
    assert verdict.badges[-1] == f"4 readings: {counts}"


@pytest.mark.parametrize("values", [[ON] * 3, [OFF] * 2])
def test_readings_that_were_not_run_are_not_agreed_with(values: list[Values]) -> None:
    """Those that were run agree; how many of how many is said, and the claim is open."""
    verdict = of_value(values)
    assert said(verdict) == ("inconclusive", "some_readings")
    word = "reproduced" if values[0] is ON else "contradicted"
    assert verdict.badges[-1] == f"{len(values)} of 4 readings run: {len(values)} {word}"
    assert (len(verdict.readings), verdict.readings_declared) == (len(values), 4)


@pytest.mark.parametrize("values", [ON, OFF, WIDE])
def test_the_default_reading_alone_has_its_numbers_and_contradicts_nobody(values: Values) -> None:
    """Every number is the same; that others are declared stands beside it, and they may say otherwise."""
    alone, plain = of_value([values]), of_value([values], grid=None)
    assert alone.badges == (*plain.badges, "the default reading alone, of 4 declared")
    assert (alone.barred, alone.readings_declared, plain.readings_declared) == ("some_readings", 4, 0)
    as_plain = {"badges": plain.badges, "readings_declared": 0, "barred": None}
    if plain.outcome == "contradicted":
        assert said(alone) == ("inconclusive", "some_readings")
        as_plain |= {"outcome": plain.outcome, "reason": plain.reason, "kappa": plain.kappa}
    assert replace(alone, **as_plain) == plain


@pytest.mark.parametrize(("run", "tests"), [(3, 2), (4, 1)])
def test_a_claim_with_readings_not_run_is_no_discovery_that_helps_another(run: int, tests: int) -> None:
    """By Benjamini and Hochberg the other has 2 p / 2 beside a discovery, else 2 p; so plans have it."""
    experiments = read([ON] * run) | arms(b=[76.2, 76.9, 76.4, 76.7])
    claims = [claim("value", "a"), claim("value", "b", id="other")]
    (alone,) = compare(claims[1:], experiments, fidelity=OK)
    verdicts = compare(claims, experiments, fidelity=OK, specifications=ONE)
    assert alone.p_reproduced is not None
    assert verdicts[1].p_reproduced_adjusted == pytest.approx(tests * alone.p_reproduced)
    audit = Audit(PaperInfo("toy", "Toy"), (), tuple(experiments.values()), tuple(claims), verdicts)
    assert family_of(audit, verdicts, experiments).needed(1, alpha=0.05)[0] == 0.05 / tests


def of_order(better: Sequence[Values], worse: Sequence[Values], of: Mapping[str, tuple[str, ...]]) -> Verdict:
    specifications = Specifications("one_at_a_time", (DIVISOR, RATE), of)
    experiments = read(better) | read(worse, "b")
    (verdict,) = compare([claim("order", "a", "b")], experiments, fidelity=OK, specifications=specifications)
    return verdict


def test_arms_share_what_has_one_name() -> None:
    """Under `slots` both arms are read with slots: a low value of one arm alone would turn the order."""
    both = {"a": ("divisor",), "b": ("divisor",)}
    low, lower = [x - 10 for x in HIGH], [x - 10 for x in LOW]
    verdict = of_order([HIGH, low], [LOW, lower], both)
    assert said(verdict) == ("reproduced", "direction")
    gap = float(np.mean(HIGH) - np.mean(LOW))
    assert [it.estimate for it in verdict.readings] == pytest.approx([gap, gap])


def family(shifts: Sequence[Sequence[float]]) -> tuple[list[ClaimRecord], dict[str, ExperimentRecord]]:
    """Order claims a0 > b, a1 > b, ... whose first arms are `shifts` points above, one for each reading."""
    experiments = arms(b=[50.0, 50.5, 49.5, 50.2])
    claims = []
    for k, row in enumerate(shifts):
        name = f"a{k}"
        values = [[50.0 + s, 50.5 + s, 49.5 + s, 50.2 + s] for s in row]
        experiments |= read(values, name)
        claims.append(claim("order", name, "b", id=f"c{k}"))
    return claims, experiments


ROWS = st.lists(st.lists(st.floats(-3, 3), min_size=4, max_size=4), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_the_largest_p_decides_as_the_intersection_of_the_verdicts_does(rows: list[list[float]]) -> None:
    """By Holm and Benjamini-Hochberg of another library on the largest p of every claim."""
    claims, experiments = family(rows)
    specifications = Specifications(
        "one_at_a_time", (DIVISOR, RATE), {f"a{k}": ("divisor", "rate") for k in range(4)}
    )
    verdicts = compare(claims, experiments, fidelity=OK, specifications=specifications)
    for verdict in verdicts:
        outcomes = {it.outcome for it in verdict.readings}
        assert verdict.outcome == (outcomes.pop() if len(outcomes) == 1 else "inconclusive")
        for largest, name in (
            (verdict.p_reproduced, "p_reproduced"),
            (verdict.p_contradicted, "p_contradicted"),
        ):
            assert largest == max(getattr(it, name) for it in verdict.readings)
    for name, method in (("p_reproduced", "fdr_bh"), ("p_contradicted", "holm")):
        _, expected, *_ = multipletests([getattr(it, name) for it in verdicts], method=method)
        assert [getattr(it, f"{name}_adjusted") for it in verdicts] == pytest.approx(list(expected))
