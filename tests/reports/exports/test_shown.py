"""What the tables beside the page show of a claim: each number with what it is a number of."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from reports.exports.junit import junit
from reports.exports.latex import latex
from reports.exports.shown import about, ours, printed
from reports.exports.table_csv import claims_csv
from tests.reports import every_kind

AUDIT = every_kind.every_kind()
BY_KIND = {c.kind: (c, v) for c, v in zip(AUDIT.claims, AUDIT.verdicts, strict=True)}


@pytest.mark.parametrize(
    ("kind", "what", "paper", "here"),
    [
        ("value", "P@1", "78.60", "78.54 ± 0.30"),  # 78.60 is printed; mean and SD of the five scores
        ("order", "P@1", "+1.79", "+1.66 (1.29 to 2.03)"),  # 78.60 - 76.81
        ("gap", "P@1", "+8.60", "+8.32 (7.93 to 8.71)"),
        ("significant", "P@1", "+1.79", "+1.66 (1.29 to 2.03)"),
        ("equivalent", "P@1", "–", "+1.66 (1.29 to 2.03)"),
        ("ranking", "P@1", "–", "2 of 2 pairs of neighbours go as claimed"),
        ("trend", "P@1", "–", "2 of 2 steps go as claimed"),
        ("optimum", "P@1", "–", "2 of 2 comparisons with another level go as claimed"),
        ("dominance", "P@1", "–", "2 of 2 comparisons go as claimed"),
        ("cost", "training time", "–", "× 3.17 (3.00 to 3.35)"),  # 33.6 s to 10.6 s
        ("convergence", "epochs to 70.00 P@1", "–", "1 / 4"),  # the epochs that the sample sets
        ("complexity", "time an epoch", "power 1.00", "power 0.998 (0.98 to 1.01)"),
    ],
)
def test_each_kind_says_what_its_numbers_are(kind: str, what: str, paper: str, here: str) -> None:
    claim, verdict = BY_KIND[kind]
    assert (about(claim, verdict), printed(claim, verdict), ours(claim, verdict)) == (what, paper, here)


def test_a_score_to_reach_is_no_printed_difference() -> None:
    """In no export; with the epochs instead, with a dagger on other data though no difference is measured."""
    assert "+70.00" not in latex(AUDIT) and r"epochs to 70.00 P@1 & -- & 1 / 4 & 5" in latex(AUDIT)
    assert r"1 / 4\,\dag{}" in latex(every_kind.every_kind("other_data"))
    assert "epochs to 70.00 P@1: printed –, ours 4 / 1" in junit(every_kind.every_kind(flip=True))
    rows = {row["kind"]: row for row in csv.DictReader(io.StringIO(claims_csv(AUDIT)))}
    row = rows["convergence"]
    assert (row["target"], row["target_is"], row["ours"]) == ("70.0", "score to reach", "1 / 4")
    assert rows["complexity"]["target_is"] == "claimed exponent"
    assert rows["gap"]["target_is"] == "printed difference" and rows["value"]["target_is"] == "printed value"
    assert rows["cost"]["target_is"] == "" and rows["cost"]["ours"] == "× 3.17 (3.00 to 3.35)"


def test_an_arm_that_never_reached_the_score_says_so() -> None:
    claim, verdict = BY_KIND["convergence"]
    verdict = replace(verdict, badges=("median epochs to 57.7: 11.49 and not reached",))
    assert ours(claim, verdict) == "11.49 / not reached"


def test_the_caption_explains_only_what_the_table_has() -> None:
    kept = [(c, v) for kind, (c, v) in BY_KIND.items() if kind in ("order", "cost")]
    some = latex(replace(AUDIT, claims=tuple(c for c, _ in kept), verdicts=tuple(v for _, v in kept)))
    assert "is how many times as much the second takes" in some and "Epochs are" not in some
