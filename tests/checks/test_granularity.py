"""P@1 of a paper against its number of test documents."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from audit.checks.granularity import granularity
from audit.checks.tables import Sheet
from audit.record import Finding
from tests.checks.made import Of, data_set, only, paper, results, table
from tests.shared import shared


def with_precisions(
    *texts: str | Of | None, test: str | None = "3,865", key: str = "toy", **of: Any
) -> Sheet:
    """Each of another method: m0, m1, ..."""
    rows = {f"m{i}": [text] for i, text in enumerate(texts)}
    printed = {} if test is None else {"test": test}
    return paper(table(["P@1"], rows, **of), key=key, datasets=[data_set(**printed)])


def said(*texts: str | Of | None, **of: Any) -> list[str]:
    return results(granularity([with_precisions(*texts, **of)]))


#: Numbers that 3,865 documents give: 2952, 2886, 3339, 3302, 2903 and 1932 hits; and one that they cannot.
FIT = ("76.38", "74.67", "86.39", "85.43", "75.11", "49.99")
OFF = "50.05"  # 1934 hits are 50.0388, 1935 are 50.0647


def test_one_that_stands_out_among_many_is_told_by_itself() -> None:
    """6 of 7 fit by chance in P[Bin(7, .3865) >= 6] = 1.6% of cases, so the test size holds. 50.05 comes
    by neither rounding nor cutting: 50.0388 could be 50.03 or 50.04, and 50.0647 50.06 or 50.07."""
    group, alone = granularity([with_precisions(*FIT, OFF, runs=1)])
    assert group.result == "consistent"
    assert (alone.result, alone.cells) == ("inconsistent", ("t.m6.P@1",))
    assert "50.05 cannot come from 3,865 documents by rounding, as 6 of 7" in alone.arithmetic
    assert len(alone.alternatives) >= 3


def test_where_many_do_not_fit_the_test_size_is_in_question() -> None:
    found = only(granularity([with_precisions("76.38", "50.05", "50.02", "50.03", runs=1)]))
    assert found.result == "inconsistent" and found.id == "toy:granularity:eurlex"
    assert found.cells == ("t.m1.P@1",)  # 50.0129 may be 50.02, rounded up, and 50.0388 be 50.03, cut


# --------------------------------------------------------------------------- what the paper does not state


def test_where_runs_are_not_stated_a_number_off_the_grid_may_be_a_mean() -> None:
    assert said(OFF) == said("76.38", OFF, "50.02", "50.03") == ["untestable"]
    assert said(*FIT, OFF) == ["consistent", "untestable"]
    assert said(*FIT) == ["consistent"]


def test_of_a_single_run_on_a_rounded_size_only_the_size_is_in_doubt() -> None:
    """And whole percents of 100 documents say nothing, whichever they are."""
    many = [f"{k}.0" for k in range(80, 90)]
    sheet = with_precisions("91.43", *many, runs=1, test="100")
    said_of = [found.arithmetic for found in granularity([sheet])]
    assert any("100 may be rounded" in text for text in said_of)
    assert not any("not stated" in text or "no better than chance" in text for text in said_of)


#: 3,010, 2,744, 3,232, 1,907, 2,508 and 3,105 of 3,809 documents; the first alone can come from 3,865.
ELSEWHERE = ("79.02", "72.04", "84.85", "50.07", "65.84", "81.52")


def test_a_column_that_goes_with_another_known_size_is_of_another_split() -> None:
    """Six of six fit 3,809 by chance in .3809^6 = .3% of cases, and one of two sizes in .6%."""
    known = paper(key="other", datasets=[data_set(test="3,809")])
    found = only(granularity([with_precisions(*ELSEWHERE), known]))
    assert found.result == "inconsistent" and "another split" in found.alternatives[0]
    assert "all go with 3,809 (one of 2 wrong sizes does so by chance in 0.61% of cases)" in found.arithmetic
    assert said(*ELSEWHERE) == ["untestable"]  # nobody knows of 3,809


def test_a_row_that_is_padded_in_all_its_columns_is_of_one_decimal_less() -> None:
    """82.40 comes from no 3,809 documents, and 82.4 from 3,137..3,140."""
    with shared("cases/tables/padded_row.csv").open(encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    metrics = header[1:]
    sheet = paper(
        table(metrics, {f"m{i}": row[1:] for i, row in enumerate(rows)}, runs=1),
        datasets=[data_set(test="3,809")],
    )
    found = only(granularity([sheet]))
    assert found.result == "consistent" and "9 of 10" not in found.arithmetic
    rows = {"a": ["82.40", "68.51"], "b": ["76.63", "64.37"]}
    kept = paper(table(["P@1", "P@3"], rows, runs=1), datasets=[data_set(test="3,809")])
    assert results(granularity([kept])) == ["inconsistent"]


# --------------------------------------------------------------------------- one number


@pytest.mark.parametrize(
    ("text", "documents", "result"),
    [
        ("100.00", "7", "consistent"),
        ("14.28", "7", "untestable"),  # cut
        ("14.27", "7", "inconsistent"),
        ("6.2", "16", "consistent"),  # 6.25: ties go either way
        ("6.3", "16", "consistent"),
        ("83.5%", "3,865", "untestable"),
    ],
)
def test_a_single_number(text: str, documents: str, result: str) -> None:
    assert said(text, test=documents, runs=1) == [result]


# --------------------------------------------------------------------------- copied numbers


def copying(*texts: str, source: str = "origin", key: str = "copy", **of: Any) -> Sheet:
    rows = {
        Of(id=f"m{i}", method=f"m{i}", source="copied", copied_from=source): [text]
        for i, text in enumerate(texts)
    }
    return paper(table(["P@1"], rows, **of), key=key, datasets=[data_set(test="3,865")])


def of_copy(*sheets: Sheet) -> list[Finding]:
    return [it for it in granularity(sheets) if it.id.startswith("copy:")]


def test_of_copied_numbers_only_their_source_says_how_many_runs_they_are() -> None:
    assert results(of_copy(copying(OFF, "50.02", runs=1))) == ["untestable"]
    unstated = with_precisions(OFF, "50.02", key="origin")
    assert results(of_copy(copying(OFF, "50.02", runs=1), unstated)) == ["untestable"]


def test_copied_means_are_on_no_grid_where_their_source_says_so() -> None:
    origin = with_precisions(OFF, "50.02", key="origin", runs=3)
    assert of_copy(copying(OFF, "50.02"), origin) == []
    single = with_precisions(OFF, "50.02", key="origin", runs=1)
    assert results(of_copy(copying(OFF, "50.02"), single)) == ["inconsistent"]
