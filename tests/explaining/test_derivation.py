"""Every number of a derivation can be worked out again, from the record and from its own text."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from audit.judging.plan import Derivation, derivation
from audit.record import Audit, Look
from tests.explaining.by_hand import work_out
from tests.explaining.cases import CASES, audited
from tests.reports.every_kind import every_kind, experiments


@cache
def explained(name: str) -> Derivation:
    claim, records, more = CASES[name]
    return derivation(audited([claim], records, **more), claim.id)


def last(found: Derivation, name: str) -> float | None:
    return next((step.value for step in reversed(found.steps) if step.name == name), None)


@pytest.mark.parametrize("name", CASES)
def test_each_step_is_what_its_text_comes_to(name: str) -> None:
    """A filled-in formula, worked out by scipy and statsmodels, gives the number that stands behind it."""
    for step in explained(name).steps:
        assert math.isfinite(step.value)
        if step.filled:
            assert work_out(step.filled) == pytest.approx(step.value, rel=2e-5, abs=1e-9), str(step)
            digits = 1e-2 if "p_" in step.name else 1e-4
            assert work_out(step.printed[0]) == pytest.approx(float(step.printed[1]), rel=digits, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_last_steps_are_the_verdict(name: str) -> None:
    """p-values, band, intervals, estimate, standard error and degrees of freedom are those on record."""
    found = explained(name)
    verdict = found.verdict
    ratio = found.claim.kind == "cost"
    pairs = {
        "p_rep": verdict.p_reproduced,
        "p_con": verdict.p_contradicted,
        "D_R": verdict.margin_reproduced_from,
        "D_C": verdict.margin_contradicted_up_to,
    }
    if found.claim.kind == "significant":
        pairs = {name: pairs[name] for name in ("p_rep", "p_con")}
        pairs["reproduced up to D"] = verdict.margin_reproduced_up_to
    pairs |= {"ratio": verdict.estimate} if ratio else {}
    if found.claim.kind in ("order", "gap", "equivalent", "significant"):
        pairs["d"] = verdict.estimate if found.steps else None
    if found.claim.kind == "value":
        pairs["mean"] = verdict.estimate if found.steps else None
    of = " of the ratio" if ratio else ""
    inner, outer = 100 * (1 - 2 * verdict.level), 100 * (1 - verdict.level)
    for level, bounds in ((f"{inner:g}", verdict.ci90), (f"{outer:g}", verdict.ci95)):
        low, high = bounds or (None, None)
        pairs |= {f"{level}% interval{of}, from": low, f"{level}% interval{of}, to": high}
    for term, on_record in pairs.items():
        shown = last(found, term)
        if on_record is None and found.claim.kind == "value" and verdict.reason.startswith("other_"):
            continue
        if on_record is None:
            assert shown is None, term
        else:
            assert shown == pytest.approx(on_record, rel=1e-12, abs=1e-12), term


def suite(*, primary: tuple[str, ...] = (), looks: tuple[Look, ...] = ()) -> Audit:
    audit = every_kind()
    claims = [replace(it, primary=it.kind in primary) for it in audit.claims]
    return audited(claims, audit.experiments, looks=looks)


def test_a_verdict_of_a_look_is_derived_from_its_seeds() -> None:
    """Where looks were declared, the steps are those of the look that gave the verdict, at its level."""
    looks = tuple(Look(n, 0.025, (3, 5)) for n in (3, 5))
    audit = suite(looks=looks)
    for claim in ("the-order:P@1", "the-value:P@1", "the-trend:P@1", "the-dominance"):
        found = derivation(audit, claim)
        verdict = found.verdict
        assert found.look is not None
        assert found.look.seeds == verdict.n[0]
        assert found.level == 0.025
        assert last(found, "p_rep") == pytest.approx(verdict.p_reproduced)
        assert found.family is not None
        assert found.family.reproduced.adjusted == verdict.p_reproduced_adjusted
        assert found.family.contradicted.adjusted == verdict.p_contradicted_adjusted
    early = derivation(audit, "the-order:P@1")
    assert early.look is not None
    assert early.look.seeds == 3
    full = derivation(audited(audit.claims, experiments(seeds=3)), "the-order:P@1").family
    assert early.family is not None
    assert full is not None
    assert early.family.reproduced.threshold == pytest.approx(full.reproduced.threshold / 2)
    assert early.family.contradicted.threshold == pytest.approx(full.contradicted.threshold / 2)
