"""Every number of a derivation can be worked out again, from the record and from its own text."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from audit.judging.documents import instance_evidence
from audit.judging.explain import Derivation, derivation
from audit.record import Audit, Look
from tests.explaining.by_hand import work_out
from tests.explaining.cases import CASES, audited, made
from tests.reports.every_kind import every_kind, experiments
from tests.test_instances import Suite, drawn


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
        pairs |= {f"{level} % interval{of}, from": low, f"{level} % interval{of}, to": high}
    for term, on_record in pairs.items():
        shown = last(found, term)
        if on_record is None and found.claim.kind == "value" and verdict.reason.startswith("other_"):
            continue
        if on_record is None:
            assert shown is None, term
        else:
            assert shown == pytest.approx(on_record, rel=1e-12, abs=1e-12), term


def test_the_log_rank_is_that_of_all_deals() -> None:
    """O, E and p of a convergence claim, by dealing the runs out again in every way."""
    found = explained("convergence")
    steps = np.array([step.value for step in found.steps if "seed" in step.name])
    n, size = len(steps), 5

    def excess(first: tuple[int, ...]) -> float:
        total = 0.0
        for t in np.unique(steps):
            at_risk, events = steps >= t, steps == t
            share = at_risk[list(first)].sum() / at_risk.sum()
            total += events[list(first)].sum() - events.sum() * share
        return total

    own = excess(tuple(range(size)))
    deals = [excess(deal) for deal in combinations(range(n), size)]
    assert last(found, "O") - last(found, "E") == pytest.approx(own)  # type: ignore[operator]
    assert last(found, "p_rep") == pytest.approx(np.mean([it >= own - 1e-9 for it in deals]))


# --------------------------------------------------------------------------- the family


def suite(*, primary: tuple[str, ...] = (), looks: tuple[Look, ...] = ()) -> Audit:
    audit = every_kind()
    claims = [replace(it, primary=it.kind in primary) for it in audit.claims]
    return audited(claims, audit.experiments, looks=looks)


def test_family_of_a_claim() -> None:
    """All claims can be tested; adjusted by Benjamini-Hochberg and Holm, as statsmodels says."""
    audit = suite()
    tested = [it for it in audit.verdicts if it.p_reproduced_adjusted is not None]
    rep = [it.p_reproduced for it in tested]
    con = [it.p_contradicted for it in tested]
    bh, holm = multipletests(rep, method="fdr_bh")[1], multipletests(con, method="holm")[1]
    for k, verdict in enumerate(tested):
        family = derivation(audit, verdict.claim).family
        assert family is not None
        assert (family.size, family.primaries) == (12, 0)
        assert family.reproduced.raw == verdict.p_reproduced
        assert family.reproduced.adjusted == pytest.approx(bh[k])
        assert family.contradicted.adjusted == pytest.approx(holm[k])
        assert family.reproduced.rank == stats.rankdata(rep, method="min")[k]
    few = audited(audit.claims, experiments(seeds=2))
    assert derivation(few, "the-complexity").family is None


@pytest.mark.parametrize("claim", ["the-value:P@1", "the-equivalent:P@1"])
def test_thresholds_are_where_the_verdict_turns(claim: str) -> None:
    """A p a little below the threshold is rejected beside the other claims, one a little above is not."""
    audit = suite(primary=("equivalent",))
    found = derivation(audit, claim)
    assert found.family is not None
    others = [it for it in audit.verdicts if it.p_reproduced_adjusted is not None and it.claim != claim]
    rep = [it.p_reproduced for it in others]
    for factor, rejected in ((1 - 1e-9, True), (1 + 1e-9, False)):
        p = found.family.reproduced.threshold * factor
        assert (multipletests([p, *rep], method="fdr_bh")[1][0] <= 0.05) is np.bool_(rejected)


def test_a_verdict_of_a_look_is_derived_from_its_seeds() -> None:
    """Where looks were declared, the steps are those of the look that gave the verdict, at its level."""
    looks = tuple(Look(n, 0.025, (3, 5)) for n in (3, 5))
    audit = suite(looks=looks)
    for claim in ("the-order:P@1", "the-value:P@1", "the-trend:P@1", "the-dominance"):
        found = derivation(audit, claim)
        verdict = found.verdict
        assert found.at.look is not None
        assert found.at.look.seeds == verdict.n[0]
        assert found.at.level == 0.025
        assert last(found, "p_rep") == pytest.approx(verdict.p_reproduced)
        assert found.family is not None
        assert found.family.reproduced.adjusted == verdict.p_reproduced_adjusted
        assert found.family.contradicted.adjusted == verdict.p_contradicted_adjusted
    early = derivation(audit, "the-order:P@1")
    assert early.at.look is not None
    assert early.at.look.seeds == 3
    full = derivation(audited(audit.claims, experiments(seeds=3)), "the-order:P@1").family
    assert early.family is not None
    assert full is not None
    assert early.family.reproduced.threshold == pytest.approx(full.reproduced.threshold / 2)
    assert early.family.contradicted.threshold == pytest.approx(full.contradicted.threshold / 2)


# --------------------------------------------------------------------------- single documents


def test_what_documents_say_can_be_worked_out_again() -> None:
    """Every filled-in step of the two estimands and of McNemar's tests, by scipy."""
    suite = Suite(a=drawn(0.8, 3, 1), b=drawn(0.6, 4, 2))
    audit = suite.audit(made("order", printed=()))
    audit = replace(audit, instances=instance_evidence(audit, suite.kept.get))
    steps = derivation(audit, "the-order:P@1").documents
    assert sum(bool(step.filled) for step in steps) == 9
    for step in steps:
        if step.filled:
            assert work_out(step.filled) == pytest.approx(step.value, rel=2e-5), str(step)
    these = next(step for step in steps if step.name == "se, these documents")
    assert these.value == pytest.approx(last(derivation(audit, "the-order:P@1"), "se"))
