"""Every reason for which a claim may stay open has a planning answer, and words for page and terminal."""

from __future__ import annotations

import pytest

from audit.explaining import _NOTHING
from audit.planning.outlook import _SEEDS_HELP, outlooks
from audit.planning.wording import HOPELESS, sentence
from audit.record import Verdict
from reports.sentences import REASONS, reason
from reports.verdicts import verdict_sentence
from tests.explaining.cases import audited
from tests.judging.made import HIGH, LOW, arms, claim
from tests.reports.test_reasons import SOURCES, codes

#: Reasons of claims that are decided; the rest leave a claim open.
DECIDED = {
    *("tost", "direction", "deterministic", "no_loss", "exceeds_margin", "in_order", "trend", "unique"),
    *("among_best", "dominates", "cheaper", "faster", "minimum_effect", "reversed", "negligible", "loss"),
    "step_back",
}


def every_code() -> set[str]:
    """As the sources of tests, judges and comparator give them."""
    return set().union(*(codes(path.read_text()) for path in SOURCES)) & set(REASONS)


OPEN = sorted(every_code() - DECIDED)


def test_open_and_decided_are_all() -> None:
    assert set(REASONS) == DECIDED | set(OPEN)


@pytest.mark.parametrize("code", OPEN)
def test_every_open_reason_has_a_planning_answer(code: str) -> None:
    """Seeds can lift it, or it is said why they cannot: never both, and never the bare code."""
    assert (code in _SEEDS_HELP) != (code in HOPELESS), code
    verdict = Verdict("c:P@1", "inconclusive", code, n=(5, 5), values=(tuple(HIGH), tuple(LOW)))
    records = arms(a=HIGH, b=LOW)
    audit = audited([claim("order", "a", "b", margin=None)], list(records.values()))
    (found,) = outlooks(type(audit)(**{**vars(audit), "verdicts": (verdict,)}))
    text = sentence(found)
    assert text
    assert "_" not in text and text != code
    assert found.by_seeds == (code in _SEEDS_HELP)


@pytest.mark.parametrize("code", OPEN)
def test_every_open_reason_has_words_without_underscores(code: str) -> None:
    assert "_" not in reason(code)
    assert reason(code) != code
    verdict = Verdict("c:P@1", "inconclusive", code)
    said = verdict_sentence(claim("order", "a", "b", margin=None), verdict, names=("A", "B"))
    assert "_" not in said and "{" not in said


def test_no_planning_answer_is_for_a_reason_that_nothing_gives() -> None:
    assert set(HOPELESS) - {"needs_sizes"} <= set(OPEN)
    assert set(OPEN) >= _SEEDS_HELP


def test_what_no_judge_was_asked_is_open() -> None:
    """Reasons without a derivation are no reasons of a decision."""
    assert set(OPEN) >= _NOTHING
