"""What a corpus is to the data sets of papers, in sentences: `other_data` never goes without a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.claims.load import builtin_claims, load
from audit.cli.data import identity
from reimpl.data.catalogue import Observed

PAPERS = {paper.paper.key: paper for paper in map(load, builtin_claims())}
EURLEX = {"train": (15449.0,), "test": (3865.0,), "labels": (3956.0,)}


def sentence(paper: str, dataset: str, observed: Observed) -> str:
    lines = identity(Path("corpus"), observed, PAPERS[paper].datasets[dataset].catalogue)
    return next(line for line in lines if line.startswith(f"{paper} {dataset}: "))


@pytest.mark.parametrize("paper", ["chen2022", "libmultilabel2026", "liu2017"])
def test_a_corpus_of_the_printed_sizes_is_other_data_for_a_reason(paper: str) -> None:
    """Of one that nobody knows it is not known."""
    observed = Observed("a" * 64, "b" * 64, EURLEX)
    assert sentence(paper, "eurlex", observed) == (
        f"{paper} eurlex: other_data; the printed sizes agree, but the content may differ"
    )


def test_what_is_printed_and_differs_is_reason_enough() -> None:
    observed = Observed("a" * 64, "b" * 64, {**EURLEX, "test": (3864.0,)})
    assert sentence("liu2017", "eurlex", observed) == (
        "liu2017 eurlex: other_data; printed 3,865 test documents, here 3,864"
    )


def test_the_same_split_in_another_order_is_the_same_data_and_that_is_said() -> None:
    dataset = PAPERS["libmultilabel2026"].datasets["eurlex57k"]
    assert dataset.partition and dataset.corpus
    sizes = {"train": (45000.0,), "test": (6000.0,), "dev": (6000.0,)}
    observed = Observed("a" * 64, dataset.corpus[0], sizes, dataset.partition[0])
    assert sentence("libmultilabel2026", "eurlex57k", observed) == (
        "libmultilabel2026 eurlex57k: same_data; the documents are in another order"
    )


def test_what_is_known_to_be_the_same_needs_no_reason() -> None:
    """EURLEX57K's content is on record, and so are its documents in any split."""
    dataset = PAPERS["libmultilabel2026"].datasets["eurlex57k"]
    assert dataset.content and dataset.corpus
    sizes = {"train": (45000.0,), "test": (6000.0,), "dev": (6000.0,)}
    same = Observed(dataset.content[0], dataset.corpus[0], sizes)
    moved = Observed("a" * 64, dataset.corpus[0], sizes)
    other = Observed("a" * 64, "b" * 64, sizes)
    said = [sentence("libmultilabel2026", "eurlex57k", it).partition(": ")[2] for it in (same, moved, other)]
    assert said[:2] == ["same_data", "other_split"]
    assert said[2] == "other_data; the printed sizes agree, but the content is another"
