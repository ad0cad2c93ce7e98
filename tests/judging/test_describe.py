"""What is said of an audit as a whole: the share with its interval."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from audit.judging.assemble import is_judged_by, share
from audit.record import ClaimRecord, Share, Verdict, audit_from_json, to_json
from tests.explaining.cases import audited, made
from tests.reports.every_kind import experiments


def verdict(outcome: Any, reason: str = "tost", **more: Any) -> Verdict:
    return Verdict("c", outcome, reason, **more)


def shared(verdicts: Sequence[Verdict]) -> Share | None:
    """Of claims on experiments of their own."""
    return share([made("order", experiments=(f"a{k}", "b")) for k in range(len(verdicts))], verdicts)


@pytest.mark.parametrize(("reproduced", "contradicted"), [(7, 3), (0, 5), (5, 0), (1, 0)])
def test_share_of_the_decided(reproduced: int, contradicted: int) -> None:
    """As statsmodels' Wilson interval; open claims are no part of it."""
    held = [verdict("reproduced")] * reproduced + [verdict("contradicted")] * contradicted
    found = shared([*held, verdict("inconclusive", "not_run"), verdict("inconclusive", "undecided")])
    assert found is not None
    assert (found.reproduced, found.decided) == (reproduced, reproduced + contradicted)
    low, high = proportion_confint(reproduced, reproduced + contradicted, method="wilson")
    assert found.interval == pytest.approx((low, high), abs=1e-12)


def test_claims_about_several_data_sets_that_rest_on_the_same_runs_are_counted_once() -> None:
    """Two orders with the same numbers under other names; a third with numbers of its own."""
    same = verdict("reproduced", "direction", values=((71.0, 72.0), (69.0, 70.0)))
    other = verdict("reproduced", "direction", values=((71.0, 72.0), (69.5, 70.0)))
    found = shared([same, same, other])
    assert found is not None
    assert (found.reproduced, found.decided, found.once) == (3, 3, (2, 2))


def test_the_same_comparison_counts_once_in_the_interval() -> None:
    """P@1 and nDCG@1 of the same arms, a claim that stands there twice, and the same difference asked about
    in another way are 1 draw; P@3 is another. Six decided claims are 3, of which 2 were reproduced."""
    order = made("order", experiments=("a", "b"), metric="P@1")
    claims = [
        order,
        replace(order, id="again:P@1", claim="again", says="once more"),
        replace(order, id="c:nDCG@1", metric="nDCG@1"),
        replace(order, id="c:P@3", metric="P@3"),
        made("equivalent", experiments=("a", "b"), metric="P@1"),
        replace(order, id="d:P@1", experiments=("b", "a")),
    ]
    outcomes = ["reproduced"] * 5 + ["contradicted"]
    found = share(claims, [verdict(it) for it in outcomes])
    assert found is not None
    assert (found.reproduced, found.decided, found.once) == (5, 6, (2, 3))
    assert found.interval == pytest.approx(proportion_confint(2, 3, method="wilson"), abs=1e-12)


def value(table: str, printed: str, **more: Any) -> ClaimRecord:
    return replace(made("value", printed=(printed,)), cells=(f"{table}.row.P@1",), **more)


def test_a_record_holds_what_fits_its_verdicts() -> None:
    """A description that was changed is seen; one of before there were any is not."""
    audit = audited([value("t1", "78.60")], experiments())
    described = replace(audit, share=share(audit.claims, audit.verdicts))
    assert described.share is not None
    assert is_judged_by(audit)
    assert is_judged_by(described)
    assert not is_judged_by(replace(described, share=replace(described.share, reproduced=5)))


def test_a_record_of_when_tables_had_a_degree_is_read() -> None:
    """CV* of a table stood under `degrees`."""
    old = json.loads(to_json(audited([value("t1", "78.60")], experiments())))
    old["degrees"] = [{"table": "t1", "values": 1, "n": [2, 4], "cv_star": 1.0, "range": [1.0, 1.0]}]
    assert audit_from_json(json.dumps(old)).share is None
