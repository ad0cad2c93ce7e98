"""The data section: identity, printed against here, and what preparing did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, DataSheet, DataStatistic
from reports.data_view import CountRow, DataBlock, PrintedCell, data_blocks
from reports.lookup import lookup
from reports.render import html
from reports.wording.data import comparison, counted
from tests.reports import sample
from tests.reports.markup import parsed

SHEET = DataSheet(
    dataset="EUR-Lex",
    recognised="eurlex-4k-matched, by content: the most frequent labels",
    content="c" * 64,
    partition="d" * 64,
    corpus="",
    statistics=(
        DataStatistic("training documents", "15,449", "15,449"),
        DataStatistic("features", "186,104", None),
        DataStatistic("labels a document", "5.30", "5.14", True),
        DataStatistic("words a document", None, "752.10"),
    ),
)
COUNTS = {
    "train.documents": 15449.0,
    "test.documents": 3865.0,
    "train.unlabelled_dropped": 12.0,
    "train.truncated_share": 0.4321,
    "test.truncated_share": 0.5,
    "test.unknown_label_share": 0.01,
    "train.empty_texts": 0.0,
    "vocabulary": 55000.0,
    "vectors.text_found_share": 0.987,
}


def audit(sheet: DataSheet | None = SHEET) -> Audit:
    study = sample.study("other_data")
    experiments = []
    for it in study.experiments:
        runs = tuple(
            replace(run, data=replace(run.data, counts=COUNTS, notes=("One note.",))) for run in it.runs
        )
        experiments.append(replace(it, runs=runs, data=sheet))
    return replace(study, experiments=tuple(experiments))


@pytest.fixture(scope="module")
def block() -> DataBlock:
    [found] = data_blocks(lookup(audit()))
    return found


def test_what_is_printed_and_differs_is_named(block: DataBlock) -> None:
    assert block.comparisons == ("EUR-Lex (stand-in data): printed 5.30 labels a document, here 5.14.",)
    assert [(it.here, it.printed) for it in block.statistics] == [
        ("15,449", (PrintedCell("15,449", False),)),
        ("–", (PrintedCell("186,104", False),)),
        ("5.14", (PrintedCell("5.30", True),)),
        ("752.10", (PrintedCell("–", False),)),
    ]


def test_the_identity_is_shown_and_what_is_not_known_is_left_out(block: DataBlock) -> None:
    assert block.datasets == (("EUR-Lex", "other_data"),)
    assert block.hashes == (("content, in this order", "c" * 64), ("in any order", "d" * 64))


def test_what_preparing_did_is_counted_split_by_split(block: DataBlock) -> None:
    """Rules that never acted have no row; the runs of six experiments share one preparation."""
    [made] = block.preparations
    assert "6 experiments" in made.title and made.splits == ("train", "test")
    assert made.rows == (
        CountRow("documents", ("15,449", "3,865")),
        CountRow("without labels, dropped", ("12", "–")),
        CountRow("documents cut", ("43.2%", "50.0%")),
        CountRow("labels that training lacks", ("–", "1.0%")),
    )
    assert made.facts == (
        ("words of the vocabulary", "55,000"),
        ("of the training text with a word vector", "98.7%"),
    )
    assert made.notes == ("One note.",)


def test_a_small_share_is_not_shown_as_none() -> None:
    assert counted("test.unknown_word_share", 0.0002) == "0.02%"


def test_another_corpus_is_another_block() -> None:
    both = audit()
    first, *rest = both.experiments
    other = replace(first, data=replace(SHEET, content="e" * 64))
    assert len(data_blocks(lookup(replace(both, experiments=(other, *rest))))) == 2


def test_one_corpus_under_several_data_sets_of_the_paper_stands_once_with_a_column_for_each() -> None:
    both = audit()
    first, *rest = both.experiments
    wiki = (
        DataStatistic("training documents", "14,146", "15,449", True),
        DataStatistic("labels a document", "19", "5", True),
    )
    other = replace(first, dataset="wiki10", data=replace(SHEET, dataset="Wiki10-31K", statistics=wiki))
    [block] = data_blocks(lookup(replace(both, experiments=(*rest, other))))
    assert block.datasets == (("EUR-Lex", "other_data"), ("Wiki10-31K", "other_data"))
    assert [(it.name, it.here, [cell.text for cell in it.printed]) for it in block.statistics] == [
        ("training documents", "15,449", ["15,449", "14,146"]),
        ("features", "–", ["186,104", "–"]),
        ("labels a document", "5.14", ["5.30", "19"]),
        ("words a document", "752.10", ["–", "–"]),
    ]


@pytest.mark.parametrize(
    ("statistics", "says"),
    [
        ([("5", "5", "labels", False)], "A (same data): all that is printed and counted agrees."),
        ([("5", None, "labels", False)], "A (same data): nothing is printed that was counted."),
        ([(None, "5", "labels", False)], "A (same data): nothing is printed that was counted."),
    ],
)
def test_where_nothing_differs_that_is_said(
    statistics: list[tuple[str | None, str | None, str, bool]], says: str
) -> None:
    assert comparison("A", "same_data", statistics) == says


def test_the_section_is_there_with_sheets_and_absent_without() -> None:
    page = html(audit())
    assert parsed(page) and 'id="data"' in page
    assert "EUR-Lex (stand-in data): printed 5.30 labels a document, here 5.14." in page
    assert 'id="data"' not in html(audit(None))
