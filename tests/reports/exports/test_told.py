"""What every export says of a claim: the words of the page."""

from __future__ import annotations

from dataclasses import replace

from reports.exports.told import by_claim, line, most_pressing, told
from tests.reports import sample


def test_claims_are_told_in_the_order_and_words_of_the_page() -> None:
    (it,) = told(sample.tiny())
    assert (it.status, it.word, it.subject) == ("inconclusive", "Inconclusive", "P@1")
    assert it.title == "Kim-CNN over words reaches 75.83"
    assert it.where == "section 3.2, Table 4, page 1991"
    assert it.sentence.startswith("2 of 3 seeds of “Kim-CNN, words” give 75.20 ± 0.14 P@1")
    assert [it.claim for it in told(sample.study())] == list(sample.study().claims)


def test_a_claim_without_a_verdict_is_not_tested() -> None:
    (it,) = told(replace(sample.tiny(), verdicts=()))
    assert (it.status, it.verdict) == ("not_tested", None)


def test_of_a_claim_s_metrics_the_contradicted_one_speaks_then_an_open_one() -> None:
    claims = told(sample.study())
    by_status = {it.status: it for it in claims}
    order = [by_status[it] for it in ("not_tested", "reproduced", "inconclusive", "contradicted")]
    for k in range(1, 5):
        assert most_pressing(order[:k]) is order[k - 1]


def test_metrics_of_one_claim_are_together() -> None:
    assert [len(it) for it in by_claim(told(sample.study()))][:10] == [3] * 10


def test_a_line_is_one_line_in_which_nothing_steers() -> None:
    assert line("a\n\tb  c\u2028d\u202ee") == r"a b c d\u202ee"
