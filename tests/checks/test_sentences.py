"""What the text says of its tables: better, best, rising, as good as, cheaper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audit.checks.sentences import sentences
from audit.checks.tables import Sheet
from audit.record import Finding
from tests.checks.made import Of, only, paper, states, table
from tests.stats import golden

NAMES = "abcdefgh"


def column(*texts: str | Of) -> Sheet:
    """P@1 of a, b, c, ... in the cells t.a.P@1, t.b.P@1, ..."""
    return paper(table(["P@1"], {name: [text] for name, text in zip(NAMES, texts, strict=False)}))


def found_for(kind: str, *texts: str | Of, cells: str | None = None, **details: Any) -> list[Finding]:
    sheet = column(*texts)
    named = [f"t.{name}.P@1" for name in (cells or NAMES[: len(texts)])]
    claim = states(kind, *named, **details)
    return list(sentences(paper(*sheet.tables, says=[claim])))


def said(kind: str, *texts: str | Of, **of: Any) -> str:
    return only(found_for(kind, *texts, **of)).result


#: (better, worse): one above the other as printed, by rounding only, or not at all.
PAIRS = [
    ("76.39", "76.38", "consistent"),
    ("76.38", "76.38", "untestable"),
    ("76.37", "76.38", "inconsistent"),  # they meet in 76.375, which prints in one way only
    ("76.4", "76.45", "untestable"),
    ("76.4", "76.50", "inconsistent"),
    ("76", "77.00", "inconsistent"),
]


@pytest.mark.parametrize(("better", "worse", "result"), PAIRS)
def test_the_better_one_stands_above_the_worse_one(better: str, worse: str, result: str) -> None:
    assert said("order", better, worse) == result
    assert said("ranking", better, worse) == result
    assert said("trend", worse, better, direction="rising") == result
    assert said("trend", better, worse, direction="falling") == result
    assert said("optimum", better, worse, strength="unique") == result
    assert said("cost", worse, better) == result


@golden.cases("text_vs_table")
def test_reference_sentences_over_several_metrics(case: dict[str, Any]) -> None:
    """A sentence is judged metric by metric; the exceptions are those that do not hold as printed."""
    cells = {name: (first, second) for name, first, second in case["inputs"]["cells"]}
    metrics = [Of(id=f"c{i}", metric="P@1") for i in range(len(cells))]
    rows = {"a": [first for first, _ in cells.values()], "b": [second for _, second in cells.values()]}
    claims = [states("order", f"t.a.c{i}", f"t.b.c{i}", id=name) for i, name in enumerate(cells)]
    found = list(sentences(paper(table(metrics, rows), says=claims)))
    assert [it.claim for it in found if it.result != "consistent"] == case["expected"]["exceptions"]
    ties = [name for name, (first, second) in cells.items() if first == second]
    assert [it.claim for it in found if it.result == "untestable"] == ties


@pytest.mark.parametrize(
    ("texts", "result"),
    [
        (("9.3", "9.2", "9.1"), "consistent"),
        (("9.3", "9.3", "9.1"), "untestable"),
        (("9.3", "9.3", "9.4"), "inconsistent"),  # the worst decides
        (("9.2", "9.3", "9.1"), "inconsistent"),
        (("9.3", "9.1", "9.2"), "inconsistent"),
    ],
)
def test_a_ranking_holds_from_neighbour_to_neighbour(texts: tuple[str, ...], result: str) -> None:
    assert said("ranking", *texts) == result
    assert said("trend", *texts, direction="falling") == result
    assert said("trend", *reversed(texts), direction="rising") == result


@pytest.mark.parametrize(
    ("best", "others", "unique", "among_best"),
    [
        ("9.3", ("9.2", "9.1"), "consistent", "consistent"),
        ("9.3", ("9.3", "9.1"), "untestable", "consistent"),
        ("9.3", ("9.4", "9.1"), "inconsistent", "inconsistent"),
    ],
)
def test_the_best_level_is_above_all_others_or_no_other_is_above_it(
    best: str, others: tuple[str, ...], unique: str, among_best: str
) -> None:
    assert said("optimum", best, *others, strength="unique") == unique
    assert said("optimum", best, *others, strength="among_best") == among_best


@pytest.mark.parametrize(
    ("left", "right", "margin", "no_loss", "result"),
    [
        ("76.38", "76.88", 0.5, False, "consistent"),
        ("76.38", "76.89", 0.5, False, "untestable"),  # no paper says how far apart similar numbers may be
        ("76.38", "20.00", 0.5, True, "consistent"),
        ("76.38", "76.39", None, False, "untestable"),
    ],
)
def test_similar_numbers_are_within_the_margin_and_others_are_never_called_wrong(
    left: str, right: str, margin: float | None, no_loss: bool, result: str
) -> None:
    assert said("equivalent", left, right, margin=margin, no_loss=no_loss) == result


def dominates(columns: Sequence[str | Of], rows: Mapping[Any, Sequence[Any]], **details: Any) -> Finding:
    """w is said to be best."""
    claim = states("dominance", **{"winner": "w", "tables": ["t"]} | details)
    return only(sentences(paper(table(columns, rows), says=[claim])))


@pytest.mark.parametrize(
    ("winner", "place", "result"),
    [
        ("9.4", 1, "consistent"),
        ("9.3", 1, "untestable"),  # level with the best
        ("9.2", 1, "inconsistent"),
        ("9.2", 2, "consistent"),
        ("9.0", 2, "inconsistent"),
    ],
)
def test_a_place_allows_so_many_above_it(winner: str, place: int, result: str) -> None:
    rows = {"w": [winner], "a": ["9.3"], "b": ["9.1"], "c": ["8.0"]}
    assert dominates(["P@1"], rows, place=place).result == result


WIDE = [Of(id=f"{name}{k}", metric=f"P@{k}", dataset=name) for name in ("d", "e", "f") for k in (1, 3)]


@pytest.mark.parametrize(
    ("rival", "at_least", "result"),
    [
        (("8", "8", "8", "8", "10", "10"), 2, "consistent"),
        (("8", "8", "8", "8", "10", "10"), 3, "inconsistent"),
        (("8", "10", "8", "8", "10", "8"), 2, "consistent"),
        (("8", "10", "8", "8", "10", "8"), 3, "inconsistent"),
        (("8", "9", "8", "8", "10", "10"), 2, "untestable"),  # d P@3 ties
        (("8", "8", "8", "8", "8", "8"), 4, "untestable"),  # there may be data sets that are not shown
    ],
)
def test_in_so_many_data_sets(rival: tuple[str, ...], at_least: int, result: str) -> None:
    rows = {"w": ["9"] * 6, "a": list(rival)}
    assert dominates(WIDE, rows, at_least=at_least).result == result
