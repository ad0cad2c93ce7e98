"""The claim files that come with the toolkit: whole, and true to the papers' texts where at hand."""

from __future__ import annotations

import re
from functools import cache

import pytest

from audit.claims.load import Paper, builtin_claims, load
from tests.shared import shared

FILES = {path.stem: path for path in builtin_claims()}
TEXTS = {
    "chen2022": "chen2022_xmlcnn_study",
    "wang2019": "wang2019_rank_ae",
    "you2019": "you2019_attentionxml",
    "ye2020": "ye2020_aplc_xlnet",
    "xun2020": "xun2020_cornet",
}
#: Sources that are not the paper's text: another place prints them.
ELSEWHERE = ("code_readme",)


@cache
def paper(key: str) -> Paper:
    return load(FILES[key])


@cache
def text_of(key: str) -> str:
    return shared(f"papers/{TEXTS[key]}.txt").read_text(encoding="utf-8")


def stands_in(printed: str, text: str) -> bool:
    """As a whole number: 5.30 does not stand in 15.30 or 5.301."""
    return re.search(rf"(?<![\d.,]){re.escape(printed)}(?![\d]|[.,]\d)", text) is not None


def test_seven_papers_come_with_the_toolkit() -> None:
    assert set(FILES) == {*TEXTS, "liu2017", "libmultilabel2026"}


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_every_printed_number_stands_in_the_text_of_the_paper(key: str) -> None:
    text = text_of(key)
    numbers = [
        cell
        for table in paper(key).table_records()
        for row in table.rows
        for cell in row.cells
        if cell.printed is not None and (cell.metric or cell.quantity) and cell.source not in ELSEWHERE
    ]
    lost = [f"{cell.address}: {cell.printed}" for cell in numbers if not stands_in(str(cell.printed), text)]
    assert len(numbers) > 100 and not lost


@pytest.mark.parametrize("key", sorted(set(FILES) - {"libmultilabel2026"}))
def test_a_paper_has_thirty_verbal_claims_each_with_its_place(key: str) -> None:
    verbal = [claim for claim in paper(key).claims if claim.kind != "value"]
    assert len(verbal) >= 30
    assert all(claim.where.section or claim.where.page or claim.where.label for claim in verbal)
    assert len({claim.says for claim in verbal}) > 0.8 * len(verbal), "distinct statements"


@pytest.mark.parametrize("key", sorted(FILES))
def test_every_score_has_its_source_experiment_and_method(key: str) -> None:
    cells = [
        cell
        for table in paper(key).table_records()
        for row in table.rows
        for cell in row.cells
        if cell.printed is not None and cell.metric is not None
    ]
    assert cells
    for cell in cells:
        assert cell.experiment in paper(key).single_experiments, cell.address
        assert cell.method is not None, cell.address
        assert cell.dataset is not None, cell.address
        assert (cell.source == "copied") == (cell.copied_from is not None), cell.address


@pytest.mark.parametrize("key", sorted(FILES))
def test_no_sentence_of_the_paper_is_copied(key: str) -> None:
    """Claims are in our own words: no run of nine words of a claim stands in the text."""
    if key not in TEXTS:
        pytest.skip("its text is not at hand")
    words = " ".join(re.findall(r"[a-z0-9]+", text_of(key).lower()))
    for claim in paper(key).claims:
        said = re.findall(r"[a-z0-9]+", claim.says.lower())
        runs = [" ".join(said[i : i + 9]) for i in range(len(said) - 8)]
        assert not [run for run in runs if f" {run} " in f" {words} "], claim.id
