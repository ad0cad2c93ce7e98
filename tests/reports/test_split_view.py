"""The split columns on the page: two readings of a printed number, and what each column came to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, SplitNoise, SplitStudy, SplitVerdict
from reports.lookup import lookup
from reports.splits import SplitSection, reading, split_section
from tests.reports import sample
from tests.reports.split_columns import NOISE

STUDY = SplitStudy(
    "chen2022", "delicious", "audit run --columns 0-3", (NOISE,), {"kim_words": ("a",)}, failed=1
)


def audit(study: SplitStudy = STUDY) -> Audit:
    return replace(sample.study(), splits=study)


def section(study: SplitStudy = STUDY) -> SplitSection:
    found = split_section(lookup(audit(study)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ("68.00", "66.00 to 70.00; 68.00 is inside"),
        ("70.00", "66.00 to 70.00; 70.00 is inside"),
        ("70.4", "66.00 to 70.00; 70.4 is 0.40 above"),
        ("65.99", "66.00 to 70.00; 65.99 is 0.01 below"),
        ("70", "66.00 to 70.00; 70 is inside"),
        # printed without decimals it may have been 70.49, or 69.51
        ("66", "66.00 to 70.00; 66 is inside"),
        ("–", "66.00 to 70.00"),
        (None, "66.00 to 70.00"),
    ],
)
def test_where_a_printed_number_lies(printed: str | None, says: str) -> None:
    assert reading((66.0, 70.0), printed, missing="") == says


def test_a_number_that_rounding_may_have_brought_over_the_end_is_inside() -> None:
    """75.8 may have been 75.75; the end is shown so that both stay on their sides."""
    assert reading((70.0, 75.76), "75.8", missing="").endswith("75.8 is inside")
    assert reading((70.0, 75.74), "75.8", missing="") == "70.00 to 75.74; 75.8 is 0.06 above"


ONE = SplitVerdict("contradicted", "minimum_effect", 3, -7.83, 0.5, 1.15, 2, 0.989, 0.0312)
MEAN = SplitVerdict("inconclusive", "too_few_seeds", 3, -7.83, 0.5)
JUDGED = replace(NOISE, claim="kim-words-value:P@1", as_one_split=ONE, as_mean=MEAN)


def judged(noise: SplitNoise = JUDGED) -> Audit:
    """The claim of the noise is one of the sample's."""
    audit_of = audit(replace(STUDY, noise=(noise,)))
    return replace(audit_of, splits=replace(STUDY, noise=(replace(noise, claim=audit_of.claims[0].id),)))


def test_a_printed_number_has_a_verdict_under_each_reading_of_the_split() -> None:
    found = split_section(lookup(judged()))
    assert found is not None
    [row] = found.judged
    assert (row.printed, row.difference, row.margin) == ("75.83", "−7.83", "0.50")
    assert row.one_split is not None and row.mean_of_splits is not None
    assert (row.one_split.status, row.one_split.word) == ("contradicted", "Contradicted")
    assert row.one_split.because == "outside the margin, even allowing for one unusual split"
    assert row.one_split.p == "p (reproduced) 0.989, p (contradicted) 0.031"
    assert (row.mean_of_splits.status, row.mean_of_splits.p) == ("inconclusive", "")
    assert row.mean_of_splits.because == "too few seeds on one column; four is the least"
    assert row.href.startswith("#c-")


def test_the_rows_are_those_of_the_record() -> None:
    [row] = section().rows
    assert (row.name, row.metric, row.printed, row.mean) == ("Kim-CNN, words", "P@1", "75.83", "68.00")
    assert (row.sd_columns, row.sd_seeds, row.sd_split) == ("2.00", "0.25", "1.98")
    assert row.one_split == "58.06 to 77.94; 75.83 is inside"
    assert row.mean_of_splits == "66.59 to 69.41; 75.83 is 6.42 above"
    assert row.plot.startswith("<svg") and "printed 75.83" in row.plot
