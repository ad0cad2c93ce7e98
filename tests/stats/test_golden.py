"""The copy of the reference cases is true to its source, each kind of case has a test that reads it, and
whole suites of claims come out as there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from audit.stats.decision import Route, Test, benjamini_hochberg, holm
from tests.shared import shared
from tests.stats import golden

HERE = Path(__file__).resolve().parent

#: Kinds of the checks that need no run: a test under `tests/checks` reads them.
BY_CHECKS = {
    "average_rank",
    "cross_table",
    "grim",
    "grim_fingerprint",
    "label_cap",
    "metric_lp",
    "metric_lp_certificate",
    "ndcg1_equals_p1",
    "precision_chain",
    "relative_improvement",
    "significance_bounds",
}
#: Of statistics and checks that nothing here used.
GONE = {
    *("bonferroni_level", "bootstrap_ceiling", "bootstrap_exact", "implied_bottleneck", "metric_lp_range"),
    *("ndcg1_label_free", "param_count", "pooled_sd", "sign_flip", "sign_flip_floor", "text_vs_table"),
    "rounding",
    *("paired_t", "tost_paired", "rank_agreement"),
    *("cv_star", "trend_perfect_order", "variance_components"),
}


def kinds_read() -> set[str]:
    """The kinds that test functions of the statistics name in a decorator `golden.cases("...")`."""
    kinds = set()
    for path in (*HERE.glob("test_*.py"), *(HERE.parent / "kinds").glob("test_*.py")):
        kinds |= set(re.findall(r'^@golden\.cases\("(\w+)"\)', path.read_text("utf-8"), re.M))
    return kinds


def test_the_copied_cases_equal_the_source() -> None:
    source = json.loads(shared("facts/golden_stats.json").read_text(encoding="utf-8"))
    assert source == golden.ALL


def test_every_kind_of_case_has_a_test_that_reads_it() -> None:
    kinds = {case["kind"] for case in golden.ALL}
    assert kinds - BY_CHECKS - GONE == kinds_read(), "write a test, or put the kind into a table"
    assert kinds >= BY_CHECKS | GONE, "a kind in the table has no case"
    assert len({case["id"] for case in golden.ALL}) == len(golden.ALL) == 158


@golden.cases("suite")
def test_a_paper_is_decided_by_adjusted_p_values(case: dict[str, Any]) -> None:
    claims = case["inputs"]["claims"]
    p_con = holm([c["p_con"] for c in claims])
    p_rep = benjamini_hochberg([c["p_rep"] for c in claims])
    tests = [
        Test(
            p_reproduced=c["p_rep"], contradictions=(Route(reason="minimum_effect", p=c["p_con"]),), cap=None
        )
        for c in claims
    ]
    verdicts = [
        test.decide(p_reproduced=rep, p_contradicted=con).outcome
        for test, rep, con in zip(tests, p_rep, p_con, strict=True)
    ]
    golden.check(case, p_con_holm=p_con, p_rep_bh=p_rep, verdicts=verdicts)
