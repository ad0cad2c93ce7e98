"""Average ranks by each rule for ties, against the printed ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.checks.identities import TIE_RULES, Line, TieRule, average_rank, impossible, rank_readings, ranks
from audit.record import TableRecord
from audit.stats.printed import printed
from tests.checks.made import Of, only, paper, results, table
from tests.stats import golden


def line(*texts: str | None) -> Line:
    return [None if text is None else printed(text) for text in texts]


@pytest.mark.parametrize("rule", TIE_RULES)
def test_ranks_are_those_of_scipy(rule: TieRule) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        values = rng.integers(0, 6, size=int(rng.integers(1, 9)))
        expected = stats.rankdata(-values, method=rule)
        assert [float(rank or 0) for rank in ranks(line(*map(str, values)), rule)] == expected.tolist()


def test_honest_averages_are_never_impossible() -> None:
    """Random tables with ties, missing numbers and mixed digits, ranked before or after rounding."""
    rng = np.random.default_rng(11)
    for trial in range(400):
        methods, count = int(rng.integers(2, 7)), int(rng.integers(1, 12))
        values = rng.choice([0.7, 0.712, 0.7149, 0.72, 0.7204, 0.8], size=(count, methods)) * 100
        values = values + rng.normal(size=values.shape) * rng.choice([0.0, 0.03])
        missing = rng.random(values.shape) < rng.choice([0.0, 0.2])
        missing[:, 0] = False
        missing[0] = False
        decimals = rng.integers(1, 3, size=values.shape)
        lines = [
            line(*(None if gone else f"{v:.{d}f}" for v, gone, d in zip(*row, strict=True)))
            for row in zip(values, missing, decimals, strict=True)
        ]
        rule = TIE_RULES[trial % 5]
        rows = []
        for row, gone, shown in zip(values, missing, lines, strict=True):
            seen = row if trial % 2 else np.array([float(n.value) if n else 0.0 for n in shown])
            if trial % 3:
                rows.append(stats.rankdata(-np.where(gone, -1.0, seen), method=rule))
            else:
                own = np.full(methods, np.nan)
                own[~gone] = stats.rankdata(-seen[~gone], method=rule)
                rows.append(own)
        means = np.nanmean(np.array(rows), axis=0)
        reported = line(*(f"{mean:.{int(rng.integers(1, 4))}f}" for mean in means))
        assert impossible(lines, reported) == (), (lines, means)


def test_a_rank_moved_by_one_place_is_found() -> None:
    """Eighteen lines without ties: an average that is 0.06 off cannot be."""
    rng = np.random.default_rng(2)
    lines = [line(*(f"{v:.2f}" for v in rng.permutation(7) * 5 + 50)) for _ in range(18)]
    true = rank_readings(lines, lines[0])[0].averages
    for i in range(7):
        reported = [printed(f"{float((it or 0) + Fraction(i == j, 18)):.2f}") for j, it in enumerate(true)]
        assert impossible(lines, reported) == (i,)
        assert all(it.misfits == (i,) for it in rank_readings(lines, reported))


# --------------------------------------------------------------------------- in a table

RANK = Of(id="rank", quantity="average_rank")


def ranked(columns: list[str | Of], **rows: list[str | None]) -> TableRecord:
    return table([*columns, RANK], rows)


def said(*tables: TableRecord) -> list[str]:
    return results(average_rank(paper(*tables)))


def transposed(case: dict[str, Any], reported: list[str]) -> TableRecord:
    """As Rank-AE prints it: a row for each data set and metric, a column for each method."""
    given = case["inputs"]
    rows: dict[str | Of, list[str | Of | None]] = {
        Of(id=f"r{i}", metric=f"P@{1 + i % 3}", dataset=f"d{i // 3}"): [
            None if value is None else str(value) for value in row
        ]
        for i, row in enumerate(given["rows"])
    }
    rows[Of(id="rank", quantity="average_rank")] = list(reported)
    return table([Of(id=name, method=name) for name in given["columns"]], rows)


@golden.cases("average_rank")
def test_reference_case_of_a_table(case: dict[str, Any]) -> None:
    """The printed ranks follow the min rule over all 18 lines; 4.58 would follow from the average rule, for
    PD-Sparse; two digits off follow from none."""
    reported = case["inputs"]["reported"]
    found = only(average_rank(paper(transposed(case, reported))))
    assert found.result == "consistent"
    assert "18 lines" in found.arithmetic and found.arithmetic.endswith("by the rule min")
    printed_ranks = ["2.83", "3.33", "4.56", "4.56", "5.78", "2.56", "1.98"]
    found = only(average_rank(paper(transposed(case, printed_ranks))))
    assert found.result == "inconsistent" and found.cells == ("t.rank.Rank-AE",)


def test_a_method_without_a_number_takes_no_part_or_comes_last() -> None:
    """b, without P@1, is first at P@3: 1 of one line; or last of three and first of three: 2."""
    rows = {"a": ["70", "50"], "b": [None, "59"], "c": ["60", "55"]}
    for given in (["2.0", "1.0", "2.0"], ["2.0", "2.0", "2.0"]):
        held = {name: [*values, rank] for (name, values), rank in zip(rows.items(), given, strict=True)}
        assert said(ranked(["P@1", "P@3"], **held)) == ["consistent"]
    wrong = {
        name: [*values, rank]
        for (name, values), rank in zip(rows.items(), ["2.0", "3.0", "2.0"], strict=True)
    }
    assert said(ranked(["P@1", "P@3"], **wrong)) == ["inconsistent"]


def test_ranks_may_be_over_the_lines_of_one_metric_or_one_data_set() -> None:
    """a leads at P@1 on both data sets, b at P@3; a is behind on wiki at P@5 only."""
    columns: list[str | Of] = [
        Of(id=f"{name}{k}", metric=f"P@{k}", dataset=name) for name in ("eurlex", "wiki") for k in (1, 3, 5)
    ]
    a, b = ["90", "70", "80", "90", "70", "70"], ["80", "80", "70", "80", "80", "80"]
    for given in (["1.00", "2.00"], ["1.33", "1.67"], ["1.50", "1.50"], ["2.00", "1.00"]):
        assert said(ranked(columns, a=[*a, given[0]], b=[*b, given[1]])) == ["consistent"]
    # by one metric a has 1, 2 or 1.5; over all 1.5; by data set 4/3 and 5/3
    assert said(ranked(columns, a=[*a, "1.17"], b=[*b, "1.83"])) == ["inconsistent"]
