"""The copy of the reference cases is true to its source, and whole suites of claims come out as there."""

from __future__ import annotations

import json
from typing import Any

from audit.stats.decision import Decidable, Route
from audit.stats.multiplicity import benjamini_hochberg, holm
from tests.shared import shared
from tests.stats import golden


def test_the_copied_cases_equal_the_source() -> None:
    source = json.loads(shared("facts/golden_stats.json").read_text(encoding="utf-8"))
    kinds = {case["kind"] for case in golden.ALL}
    assert [case for case in source if case["kind"] in kinds] == golden.ALL


def test_a_wrong_number_is_not_close() -> None:
    """The comparator of the golden tests itself can fail."""
    assert golden.close(0.5, 0.5000001, 1e-6)
    assert not golden.close(0.5, 0.50001, 1e-6)
    assert not golden.close(2e-5, 3e-5, 1e-3)
    assert not golden.close(None, 0.1, 1.0)
    assert not golden.close([1.0], [1.0, 2.0], 1.0)


@golden.cases("suite")
def test_a_paper_is_decided_by_adjusted_p_values(case: dict[str, Any]) -> None:
    claims = case["inputs"]["claims"]
    p_con = holm([c["p_con"] for c in claims])
    p_rep = benjamini_hochberg([c["p_rep"] for c in claims])
    tests = [
        Decidable(
            p_reproduced=c["p_rep"], contradictions=(Route(reason="minimum_effect", p=c["p_con"]),), cap=None
        )
        for c in claims
    ]
    verdicts = [
        test.decide(p_reproduced=rep, p_contradicted=con).outcome
        for test, rep, con in zip(tests, p_rep, p_con, strict=True)
    ]
    golden.check(case, p_con_holm=p_con, p_rep_bh=p_rep, verdicts=verdicts)
