"""How claims of each kind are judged by the runs of their experiments; the statistics are in `audit.stats`.

`JUDGES` is the table of kinds. A judge gets a `Case` whose arms all have values and returns a `Judged`: the
verdict with all its numbers, and the test that will settle it once all claims of the paper are adjusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from audit.judging.case import Case, Judged
from audit.judging.growing import judge_complexity
from audit.judging.measured import judge_convergence, judge_cost
from audit.judging.pairs import judge_equivalent, judge_gap, judge_order, judge_significant
from audit.judging.several import judge_dominance, judge_optimum, judge_ranking, judge_trend
from audit.judging.value import judge_value

#: A further kind is a function and its name here.
JUDGES: Mapping[str, Callable[[Case], Judged]] = {
    "value": judge_value,
    "order": judge_order,
    "gap": judge_gap,
    "equivalent": judge_equivalent,
    "significant": judge_significant,
    "ranking": judge_ranking,
    "trend": judge_trend,
    "optimum": judge_optimum,
    "dominance": judge_dominance,
    "cost": judge_cost,
    "convergence": judge_convergence,
    "complexity": judge_complexity,
}

__all__ = ["JUDGES", "Case", "Judged"]
