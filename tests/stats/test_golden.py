"""The copy of the reference cases is true to its source, each kind of case has a test that reads it, and
whole suites of claims come out as there."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from audit.stats.decision import Route, Test
from audit.stats.families import benjamini_hochberg, holm
from tests.shared import shared
from tests.stats import golden

HERE = Path(__file__).resolve().parent

#: Kind of case -> the test module that reads all cases of the kind by `golden.cases`.
BY_STATISTICS = {
    "gap": "kinds/test_value",
    "growth_exponent": "kinds/test_costs",
    "instance_se": "stats/test_sample",
    "interval_factors": "stats/test_sample",
    "mcnemar_exact": "stats/test_documents",
    "multiplicity": "stats/test_families",
    "operating_characteristics": "kinds/test_value",
    "optimum": "kinds/test_several",
    "order": "kinds/test_pair",
    "page_trend": "kinds/test_several",
    "peeking": "stats/test_families",
    "power_comparison": "stats/test_power",
    "power_contradiction": "stats/test_power",
    "power_tost": "stats/test_power",
    "sequential_alpha": "stats/test_families",
    "share_reproduced": "stats/test_documents",
    "suite": "stats/test_golden",
    "tost_welch": "kinds/test_pair",
    "value": "kinds/test_value",
    "value_other_split": "kinds/test_value",
    "welch": "stats/test_sample",
}
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


def kinds_read(path: Path) -> set[str]:
    """The kinds that a test module names in a decorator `golden.cases("...")` of a test function."""
    kinds = set()
    for function in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
            for call in function.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) in ("golden.cases", "cases"):
                    kinds |= {arg.value for arg in call.args if isinstance(arg, ast.Constant)}
    return kinds


def test_the_copied_cases_equal_the_source() -> None:
    source = json.loads(shared("facts/golden_stats.json").read_text(encoding="utf-8"))
    assert source == golden.ALL


def test_every_case_is_of_a_kind_that_is_in_the_table() -> None:
    unknown = {case["id"] for case in golden.ALL if case["kind"] not in {*BY_STATISTICS, *BY_CHECKS, *GONE}}
    assert not unknown, "no test reads these cases: write one and put its kind in the table"
    kinds = {case["kind"] for case in golden.ALL}
    assert kinds == {*BY_STATISTICS, *BY_CHECKS, *GONE}, "a kind in the table has no case"
    assert len({case["id"] for case in golden.ALL}) == len(golden.ALL) == 158


@pytest.mark.parametrize("kind", sorted(BY_STATISTICS))
def test_every_kind_of_the_statistics_has_a_test(kind: str) -> None:
    assert kind in kinds_read(HERE.parent / f"{BY_STATISTICS[kind]}.py")


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
