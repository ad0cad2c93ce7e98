"""The split columns on the page: two readings of a printed number, and what each column came to."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from audit.record import Audit, SplitNoise, SplitStudy, SplitVerdict
from reports.cards import card
from reports.lookup import lookup
from reports.render import html
from reports.splits import SplitSection, reading, split_section
from tests.reports import sample
from tests.reports.markup import parsed
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


def test_the_verdicts_stand_on_the_page_with_their_marks_and_what_they_are() -> None:
    page = html(judged())
    part = page[page.index('id="splits"') :]
    assert '<b class="chip contradicted">Contradicted</b>' in part
    assert "alone, at the full level of 5%" in part and "no verdict" not in part
    assert part.index("Under each reading of the split") < part.index("Both noises")


def test_a_claim_s_card_tells_both_and_leads_to_them() -> None:
    it = judged()
    said = "Under each reading of the split: one unknown column: contradicted; mean of 3: inconclusive. "
    made = card(it.claims[0], lookup(it))
    assert made.splits == f"{said}Each alone, at the full level."
    assert f'<a href="#splits">{made.splits}</a>' in html(it)
    assert card(it.claims[1], lookup(it)).splits == ""
    assert card(it.claims[0], lookup(audit())).splits == ""


def test_that_other_readings_were_declared_is_said_with_the_verdicts() -> None:
    it = judged(replace(JUDGED, readings_declared=15))
    made, found = card(it.claims[0], lookup(it)), split_section(lookup(it))
    assert made.splits.endswith(
        "Each alone, at the full level, under the default reading of what else is open."
    )
    assert found is not None and "one of up to 15" in found.verdicts


def test_with_one_column_there_is_no_mean() -> None:
    it = judged(replace(JUDGED, columns=(0,), values=(66.0,), pi95_mean=None, as_mean=None))
    assert "one unknown column: contradicted. Each" in card(it.claims[0], lookup(it)).splits
    found = split_section(lookup(it))
    assert found is not None and found.judged[0].mean_of_splits is None
    assert found.rows[0].mean_of_splits == "not known: only one column was run"


def test_an_interval_that_is_not_there_says_why() -> None:
    alone = replace(NOISE, pi95_column=None, pi95_mean=None)
    [row] = section(replace(STUDY, noise=(alone,))).rows
    assert row.one_split == "not known: only one column was run"
    assert row.mean_of_splits == "not known: no column was run with two seeds"
    assert section(replace(STUDY, noise=(alone,))).judged == ()


def test_the_rows_are_those_of_the_record() -> None:
    [row] = section().rows
    assert (row.name, row.metric, row.printed, row.mean) == ("Kim-CNN, words", "P@1", "75.83", "68.00")
    assert (row.sd_columns, row.sd_seeds, row.sd_split) == ("2.00", "0.25", "1.98")
    assert row.one_split == "58.06 to 77.94; 75.83 is inside"
    assert row.mean_of_splits == "66.59 to 69.41; 75.83 is 6.42 above"
    assert row.plot.startswith("<svg") and "printed 75.83" in row.plot


def test_each_column_has_its_place_also_where_another_metric_lacks_it() -> None:
    other = replace(
        NOISE,
        metric="P@3",
        columns=(0, 2),
        values=(40.0, 41.0),
        printed=None,
        seeds=(0,),
        seed_values=(40.0,),
    )
    found = section(replace(STUDY, noise=(NOISE, other)))
    assert found.columns == ("0", "1", "2", "3")
    assert [it.values for it in found.values] == [
        ("66.00", "68.00", "–", "70.00"),
        ("40.00", "–", "41.00", "–"),
    ]
    assert [it.seeds for it in found.values] == ["66.00, 66.50 (column 0)", "–"]
    assert [bool(it.plot) for it in found.rows] == [True, False]


def test_experiments_are_folded_and_what_is_printed_stands_first_and_open() -> None:
    """Three experiments, of which the second has a printed number: it comes first, the others are closed and
    say their mean and spread."""
    plain = replace(NOISE, printed=None, mean=50.25, sd_columns=1.25)
    noise = (
        replace(plain, experiment="liu_words"),
        NOISE,
        replace(plain, experiment="kim_emb", sd_columns=None),
    )
    runs = {it.experiment: (it.experiment,) for it in noise}
    found = section(replace(STUDY, noise=noise, runs=runs))
    assert [(it.name, it.printed) for it in found.groups] == [
        ("Kim-CNN, words", True),
        ("liu_words", False),
        ("Kim-CNN, embeddings", False),
    ]
    assert [it.brief for it in found.groups] == [
        "P@1 68.00, SD columns 2.00",
        "P@1 50.25, SD columns 1.25",
        "P@1 50.25",
    ]
    assert [[row.name for row in it.values] for it in found.groups] == [[it.name] for it in found.groups]
    page = html(audit(replace(STUDY, noise=noise, runs=runs)))
    opened = re.findall(r'<details class="noise"( open)?><summary><b><bdi>([^<]*)<', page)
    assert opened == [(" open", "Kim-CNN, words"), ("", "liu_words"), ("", "Kim-CNN, embeddings")]


def test_what_is_missing_is_said() -> None:
    assert section(replace(STUDY, left_out=("svm: column 2.",))).missing == (
        "1 run failed.",
        "Not every column has a value of kim_words.",
        "svm: column 2.",
    )


def test_the_section_is_there_with_columns_and_absent_without() -> None:
    page = html(audit())
    assert parsed(page) and 'id="splits"' in page and "75.83 is 6.42 above" in page
    assert 'id="splits"' not in html(sample.study())
    assert split_section(lookup(audit(replace(STUDY, noise=())))) is None
