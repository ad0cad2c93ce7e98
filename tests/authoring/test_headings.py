"""Headings: which metric and data set they name, and what is left to the user."""

from __future__ import annotations

import pytest

from audit.authoring.headings import Known, Meaning, meaning, metric_of
from audit.claim import Paper, builtin_claims, load
from reimpl.data.catalogue import catalogue


@pytest.fixture(scope="module")
def known() -> Known:
    (path,) = (path for path in builtin_claims() if path.stem == "chen2022")
    paper: Paper = load(path)
    return Known(paper, {key: it.name for key, it in catalogue().entries.items()})


@pytest.mark.parametrize(
    ("written", "metric"),
    [
        *[(it, "P@1") for it in ("P@1", "p @ 1", "Prec@1", "Precision@1 (%)", "P@1 ↑", "P@(1)", "P@k=1")],
        *[(it, "nDCG@5") for it in ("nDCG@5", "NDCG@5", "N@5", "ndcg@5%")],
        *[("PSP@3", "PSP@3"), ("PS-Prec@3", "PSP@3"), ("PSnDCG@1", "PSnDCG@1"), ("PSN@1", "PSnDCG@1")],
        *[("R@10", "R@10"), ("Recall@10", "R@10"), ("RP@5", "RP@5"), ("R-Prec@5", "RP@5")],
        *[("Micro-F1", "Micro-F1"), ("micro F1 (%)", "Micro-F1"), ("Macro F1", "Macro-F1")],
        *[(it, None) for it in ("P", "P1", "F1", "MAP@5", "P@0", "P@", "Accuracy", "AUPRC", "Hit@1", "")],
    ],
)
def test_a_metric_is_known_in_the_ways_it_is_written(written: str, metric: str | None) -> None:
    assert metric_of(written) == metric


@pytest.mark.parametrize(
    ("titles", "right"),
    [
        (("EUR-Lex", "P@1"), Meaning("P@1", None, "eurlex")),
        (("eurlex", "Precision", "@3"), Meaning("P@3", None, "eurlex")),
        (("P@k", "k=5"), Meaning("P@5")),
        (("EURLex-4K P@5",), Meaning("P@5", None, "eurlex")),
        (("Wiki10-31K: nDCG @ 3",), Meaning("nDCG@3", None, "wiki10_31k")),
        (("EUR-Lex†", "P@1^a"), Meaning("P@1", None, "eurlex")),
        (("Amazon-3M", "P@1"), Meaning("P@1", None, "amazon-3m")),
        (("Model size",), Meaning(None, "model_size")),
        (("# labels",), Meaning(None, "labels")),
        (("Dev", "P@1"), Meaning("P@1", None, None, ("Dev",))),
        (("Gain in P@1",), Meaning(None, None, None, ("Gain in",))),
        (("Rank", "P@1"), Meaning(None, None, None, ("Rank",))),
        (("Kim-CNN",), Meaning(None, None, None, ("Kim-CNN",))),
        (("All labels", "RP@5"), Meaning("RP@5")),
        (("Frequent (≥50)", "RP@5"), Meaning("RP@5[frequent]")),
        (("EUR-Lex", "Few-shot", "nDCG@5"), Meaning("nDCG@5[few]", None, "eurlex")),
        (("Zero", "RP@5"), Meaning("RP@5[zero]")),
        (("Tail labels", "Macro-F1"), Meaning("Macro-F1[tail]")),
        ((), Meaning()),
    ],
)
def test_titles_name_a_data_set_and_a_metric_in_either_order_of_nesting(
    titles: tuple[str, ...], right: Meaning, known: Known
) -> None:
    assert meaning(titles, known) == right


def test_a_name_that_is_only_like_a_data_set_is_not_taken_for_it(known: Known) -> None:
    assert known.dataset("EURLEX57K") == "eurlex57k"  # one of its own, in the catalogue
    assert known.dataset("Wiki10") is None and known.alike("Wiki10") == "Wiki10-31K"
    assert known.dataset("Kim-CNN") is None and known.alike("Kim-CNN") is None
